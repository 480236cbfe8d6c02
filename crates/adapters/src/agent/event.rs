//! The events of an agent runner as mirror types, and where their ids and times come from.

use serde::Serialize;
use serde_json::value::RawValue;

/// Ids and times of events: the caller's, so that the core has neither a clock nor randomness.
pub trait Stamps {
    /// The id of the next event.
    fn event_id(&mut self) -> String;
    /// The time, in milliseconds since 1970.
    fn timestamp(&mut self) -> u64;
    /// The id of the next message. Default: made of an event id.
    fn message_id(&mut self) -> String {
        format!("msg_{}", self.event_id())
    }
}

/// One source for all messages of a loop.
impl<S: Stamps + ?Sized> Stamps for &mut S {
    fn event_id(&mut self) -> String {
        (**self).event_id()
    }

    fn timestamp(&mut self) -> u64 {
        (**self).timestamp()
    }

    fn message_id(&mut self) -> String {
        (**self).message_id()
    }
}

/// Counts events from `evt_1` and messages from `msg_1`; the time stands still at 0. For tests and
/// comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedStamps {
    last: u64,
    messages: u64,
}

impl Stamps for CountedStamps {
    fn event_id(&mut self) -> String {
        self.last = self.last.saturating_add(1);
        format!("evt_{}", self.last)
    }

    fn timestamp(&mut self) -> u64 {
        0
    }

    fn message_id(&mut self) -> String {
        self.messages = self.messages.saturating_add(1);
        format!("msg_{}", self.messages)
    }
}

/// One event.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AgentEvent {
    /// Its own id.
    pub id: String,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// What it says.
    #[serde(flatten)]
    pub kind: AgentEventKind,
}

impl AgentEvent {
    /// Whether a history keeps it: streaming events repeat what a later event says whole.
    #[must_use]
    pub const fn is_stored(&self) -> bool {
        use AgentEventKind as E;
        !matches!(
            self.kind,
            E::AssistantStreamingMessage { .. }
                | E::AssistantStreamingThinkingMessage { .. }
                | E::AssistantStreamingToolCall { .. }
        )
    }

    /// The event for a history; `None` where a history does not keep it.
    #[must_use]
    pub fn stored(self) -> Option<StoredEvent> {
        self.is_stored().then_some(StoredEvent(self))
    }

    /// Its `type`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        use AgentEventKind as E;
        match self.kind {
            E::AssistantStreamingMessage { .. } => "assistant_streaming_message",
            E::AssistantStreamingThinkingMessage { .. } => "assistant_streaming_thinking_message",
            E::AssistantThinkingMessage { .. } => "assistant_thinking_message",
            E::AssistantStreamingToolCall { .. } => "assistant_streaming_tool_call",
            E::AssistantMessage { .. } => "assistant_message",
            E::ToolCall { .. } => "tool_call",
        }
    }
}

/// An event that a history keeps. A store that takes these cannot be given a streaming one.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct StoredEvent(AgentEvent);

impl StoredEvent {
    /// The event.
    #[must_use]
    pub const fn event(&self) -> &AgentEvent {
        &self.0
    }

    /// The event, taken out.
    #[must_use]
    pub fn into_event(self) -> AgentEvent {
        self.0
    }
}

/// What an event says.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum AgentEventKind {
    /// More visible text.
    AssistantStreamingMessage {
        /// The further text.
        content: String,
        /// Always false: the whole message says that it is complete.
        is_complete: bool,
        /// The message it belongs to.
        message_id: String,
    },
    /// More reasoning.
    AssistantStreamingThinkingMessage {
        /// The further text.
        content: String,
        /// Always false.
        is_complete: bool,
        /// The message it belongs to.
        message_id: String,
    },
    /// A reasoning section, whole.
    AssistantThinkingMessage {
        /// Its text.
        content: String,
        /// Always true.
        is_complete: bool,
        /// The message it belongs to.
        message_id: String,
    },
    /// More of a call.
    AssistantStreamingToolCall {
        /// The call, stable for its life.
        tool_call_id: String,
        /// The tool's whole name.
        tool_name: String,
        /// The further text of the arguments; empty with the name and with the completion.
        arguments: String,
        /// The call is complete and may run; never said of a call that was cut off.
        is_complete: bool,
        /// The message it belongs to.
        message_id: String,
    },
    /// The whole answer.
    AssistantMessage {
        /// All visible text.
        content: String,
        /// The calls that may run; absent without any.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<AgentToolCall>,
        /// `stop`, `length`, `tool_calls` or `error`.
        finish_reason: &'static str,
        /// Its id, which all streaming events carried.
        message_id: String,
    },
    /// A call that is to be run.
    ToolCall {
        /// The id its streaming events had.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments.
        arguments: Box<RawValue>,
    },
}

/// A call in the shape of chat completions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentToolCall {
    /// The id of the call.
    pub id: String,
    /// Always `function`.
    pub r#type: &'static str,
    /// Name and arguments.
    pub function: AgentToolFunction,
}

/// Name and arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentToolFunction {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}
