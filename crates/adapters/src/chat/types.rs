//! The objects of the wire, as they are written.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::envelope::{Failure, shared};

/// One frame of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChatItem {
    /// A chunk.
    Chunk(ChatChunk),
    /// The answer is an error. Last, without `[DONE]`.
    Error(ChatError),
    /// `[DONE]`. As JSON, a string.
    Done,
}

impl Serialize for ChatItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Chunk(chunk) => chunk.serialize(serializer),
            Self::Error(error) => error.serialize(serializer),
            Self::Done => serializer.serialize_str("[DONE]"),
        }
    }
}

/// `chat.completion.chunk`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatChunk {
    /// The id of the answer: one for all chunks.
    #[serde(serialize_with = "shared")]
    pub id: Arc<str>,
    /// `chat.completion.chunk`.
    pub object: &'static str,
    /// Unix time in seconds: one for all chunks.
    pub created: u64,
    /// The model.
    #[serde(serialize_with = "shared")]
    pub model: Arc<str>,
    /// One choice, or none in the chunk with the usage.
    pub choices: Vec<ChatChunkChoice>,
    /// The usage, in the chunk without choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ChatUsage>,
}

impl ChatChunk {
    pub(super) fn of(
        envelope: &crate::envelope::Envelope,
        choices: Vec<ChatChunkChoice>,
        usage: Option<ChatUsage>,
    ) -> Self {
        Self {
            id: Arc::clone(&envelope.id),
            object: "chat.completion.chunk",
            created: envelope.created,
            model: Arc::clone(&envelope.model),
            choices,
            usage,
        }
    }
}

/// What a chunk adds to a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatChunkChoice {
    /// Which choice.
    pub index: u32,
    /// What comes.
    pub delta: ChatDelta,
    /// Why it is over: `null` until the last chunk of the choice.
    pub finish_reason: Option<&'static str>,
}

/// What comes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatDelta {
    /// `assistant`, in the first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    /// More visible text; `""` in the first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// More reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// More reasoning, under the newer name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// A fragment of one call; never an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ChatCallDelta>,
}

/// A fragment of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatCallDelta {
    /// Its place among the calls of the choice.
    pub index: u32,
    /// Its id, on the first fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `function`, on the first fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    /// Name and arguments.
    pub function: ChatFunctionDelta,
}

/// Name and arguments of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatFunctionDelta {
    /// The tool's name, on the first fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// More JSON text; `""` on the first fragment.
    pub arguments: String,
}

/// `chat.completion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatCompletion {
    /// The id of the answer.
    #[serde(serialize_with = "shared")]
    pub id: Arc<str>,
    /// `chat.completion`.
    pub object: &'static str,
    /// Unix time in seconds.
    pub created: u64,
    /// The model.
    #[serde(serialize_with = "shared")]
    pub model: Arc<str>,
    /// The answers, by index.
    pub choices: Vec<ChatChoice>,
    /// The tokens used, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ChatUsage>,
}

impl ChatCompletion {
    /// Adds the choices of another completion of the same request (`n` > 1), in the order of their
    /// indices; counts of tokens of the answers are added.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.choices.extend(other.choices);
        self.choices.sort_by_key(|choice| choice.index);
        if let (Some(usage), Some(more)) = (&mut self.usage, other.usage) {
            usage.completion_tokens =
                usage.completion_tokens.saturating_add(more.completion_tokens);
            usage.total_tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        }
        self
    }
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatChoice {
    /// Which.
    pub index: u32,
    /// What it says.
    pub message: ChatMessage,
    /// Never known: `null`.
    pub logprobs: Option<()>,
    /// Why it is over.
    pub finish_reason: &'static str,
}

/// The message of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatMessage {
    /// `assistant`.
    pub role: &'static str,
    /// All visible text; `null` where there is none.
    pub content: Option<String>,
    /// Never known: `null`.
    pub refusal: Option<()>,
    /// All reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// All reasoning, under the newer name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The calls that may run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ChatCall>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatCall {
    /// Its id.
    pub id: String,
    /// `function`.
    pub r#type: &'static str,
    /// Name and arguments.
    pub function: ChatFunction,
}

/// Name and arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatFunction {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatUsage {
    /// Of the prompt.
    pub prompt_tokens: u64,
    /// Of the answer.
    pub completion_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// Of the prompt: what came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens_details: Option<CachedTokens>,
    /// Of the answer: what was reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens_details: Option<ReasoningTokens>,
}

/// Tokens of the prompt that came from a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CachedTokens {
    /// How many.
    pub cached_tokens: u64,
}

/// Tokens of the answer that were reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReasoningTokens {
    /// How many.
    pub reasoning_tokens: u64,
}

/// An error: a frame of a stream, or the body of an answer. The Responses wire has the same body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatError {
    /// What it says.
    pub error: ChatErrorBody,
}

/// What an error says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChatErrorBody {
    /// One line for people.
    pub message: String,
    /// The sort of error, in the wire's words.
    pub r#type: &'static str,
    /// The parameter it is about: `null`.
    pub param: Option<String>,
    /// A stable word.
    pub code: &'static str,
}

impl ChatError {
    /// The error of a failure.
    #[must_use]
    pub fn of(failure: &Failure) -> Self {
        let (r#type, code) = (failure.kind.openai_type(), failure.kind.code());
        let error = ChatErrorBody { message: failure.message.clone(), r#type, param: None, code };
        Self { error }
    }
}
