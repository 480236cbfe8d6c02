//! The objects of the wire, as they are written.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::envelope::{Failure, TokenUsage, shared};
use crate::flow::Channel;

/// One event of the stream.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageEvent {
    /// The message begins.
    MessageStart {
        /// The message without content.
        message: MessageObject,
    },
    /// A block begins.
    ContentBlockStart {
        /// Its place in the content.
        index: u32,
        /// The block, empty; the input of a call is `{}`.
        content_block: Block,
    },
    /// More of the open block.
    ContentBlockDelta {
        /// Its place in the content.
        index: u32,
        /// What comes.
        delta: BlockDelta,
    },
    /// The open block is whole.
    ContentBlockStop {
        /// Its place in the content.
        index: u32,
    },
    /// Why the message is over, and what was used.
    MessageDelta {
        /// Why.
        delta: MessageStop,
        /// The tokens used.
        usage: MessageUsage,
    },
    /// The message is over.
    MessageStop,
    /// Nothing, for an idle connection. Never written by the projection.
    Ping,
    /// The answer is an error. Last.
    Error {
        /// What it says.
        error: MessageErrorBody,
    },
}

impl MessageEvent {
    /// Its type: the name of its frame.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MessageStart { .. } => "message_start",
            Self::ContentBlockStart { .. } => "content_block_start",
            Self::ContentBlockDelta { .. } => "content_block_delta",
            Self::ContentBlockStop { .. } => "content_block_stop",
            Self::MessageDelta { .. } => "message_delta",
            Self::MessageStop => "message_stop",
            Self::Ping => "ping",
            Self::Error { .. } => "error",
        }
    }
}

/// A block of the content.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Visible text.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning.
    Thinking {
        /// The text.
        thinking: String,
        /// Always empty: only Anthropic's own service can sign.
        signature: &'static str,
    },
    /// A call.
    ToolUse {
        /// Its id.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments, an object; `{}` where the block begins.
        input: Box<RawValue>,
    },
}

impl Block {
    pub(super) fn text(text: &str) -> Self {
        Self::Text { text: text.to_owned() }
    }

    pub(super) fn thinking(thinking: &str) -> Self {
        Self::Thinking { thinking: thinking.to_owned(), signature: "" }
    }

    pub(super) fn tool_use(id: &str, name: &str, input: Box<RawValue>) -> Self {
        Self::ToolUse { id: id.to_owned(), name: name.to_owned(), input }
    }
}

/// What comes in a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockDelta {
    /// More visible text.
    TextDelta {
        /// The text.
        text: String,
    },
    /// More reasoning.
    ThinkingDelta {
        /// The text.
        thinking: String,
    },
    /// More JSON text of the arguments.
    InputJsonDelta {
        /// The text.
        partial_json: String,
    },
}

impl BlockDelta {
    pub(super) fn of(channel: Channel, text: &str) -> Self {
        let text = text.to_owned();
        match channel {
            Channel::Text => Self::TextDelta { text },
            Channel::Reasoning => Self::ThinkingDelta { thinking: text },
        }
    }
}

/// A message.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MessageObject {
    /// Its id.
    #[serde(serialize_with = "shared")]
    pub id: Arc<str>,
    /// `message`.
    pub r#type: &'static str,
    /// `assistant`.
    pub role: &'static str,
    /// The model.
    #[serde(serialize_with = "shared")]
    pub model: Arc<str>,
    /// The blocks; none where the message begins.
    pub content: Vec<Block>,
    /// Why it is over; `null` where it begins.
    #[serde(flatten)]
    pub stop: MessageStop,
    /// The tokens used.
    pub usage: MessageUsage,
}

/// Why a message is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MessageStop {
    /// `end_turn`, `tool_use`, `max_tokens`, `stop_sequence` or `refusal`.
    pub stop_reason: Option<&'static str>,
    /// The stop sequence that ended it.
    pub stop_sequence: Option<String>,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MessageUsage {
    /// Of the prompt, without those that came from a cache.
    pub input_tokens: u64,
    /// Of the prompt: those that came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<u64>,
    /// Of the answer.
    pub output_tokens: u64,
}

impl MessageUsage {
    pub(super) fn of(usage: TokenUsage) -> Self {
        Self {
            input_tokens: usage.input.saturating_sub(usage.cached.unwrap_or_default()),
            cache_read_input_tokens: usage.cached,
            output_tokens: usage.output,
        }
    }
}

/// The body of an answer that is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MessageError {
    /// `error`.
    pub r#type: &'static str,
    /// What it says.
    pub error: MessageErrorBody,
}

impl MessageError {
    /// The error of a failure.
    #[must_use]
    pub fn of(failure: &Failure) -> Self {
        Self { r#type: "error", error: MessageErrorBody::of(failure) }
    }
}

/// What an error says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MessageErrorBody {
    /// The sort of error, in the wire's words.
    pub r#type: &'static str,
    /// One line for people.
    pub message: String,
}

impl MessageErrorBody {
    /// The error of a failure.
    #[must_use]
    pub fn of(failure: &Failure) -> Self {
        Self { r#type: failure.kind.anthropic_type(), message: failure.message.clone() }
    }
}
