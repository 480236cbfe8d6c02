//! Events of an agent runner: streaming pieces for a user interface, then what is stored.
//!
//! Events whose type holds `streaming` are for the moment only: [`AgentEvent::is_stored`] is false
//! for them. The final `tool_call` repeats the `toolCallId` of the streaming ones.

use serde::Serialize;
use serde_json::value::RawValue;
use toolweir_segments::{ArgumentsJoin, Event, FinishReason, Kind, StreamEnd};

use crate::json;
use crate::projection::Projection;

/// Ids and times of events: the caller's, so that the core has neither a clock nor randomness.
pub trait Stamps {
    /// The id of the next event.
    fn event_id(&mut self) -> String;
    /// The time, in milliseconds since 1970.
    fn timestamp(&mut self) -> u64;
}

/// Counts events from `evt_1`; the time stands still at 0. For tests and comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedStamps {
    last: u64,
}

impl Stamps for CountedStamps {
    fn event_id(&mut self) -> String {
        self.last = self.last.saturating_add(1);
        format!("evt_{}", self.last)
    }

    fn timestamp(&mut self) -> u64 {
        0
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

/// The projection. A call's id is the id the model gave it, else the id of its segment.
#[derive(Clone, Debug)]
pub struct Agent<S = CountedStamps> {
    stamps: S,
    message_id: String,
    /// Whether `assistant_streaming_tool_call` events go out.
    streaming_tool_calls: bool,
    end: StreamEnd,
    join: ArgumentsJoin,
    document: String,
    channel: Channel,
    text: String,
    reasoning: String,
    call: Option<OpenCall>,
    calls: Vec<AgentToolCall>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Channel {
    #[default]
    Text,
    Reasoning,
    Call,
}

/// The call that was named last.
#[derive(Clone, Debug)]
struct OpenCall {
    id: String,
    name: String,
    /// An update of this chunk that has not gone out.
    pending: Option<String>,
}

impl Default for Agent {
    fn default() -> Self {
        Self::new("msg_1", CountedStamps::default())
    }
}

impl<S: Stamps> Agent<S> {
    /// Events of the message with that id.
    pub fn new(message_id: impl Into<String>, stamps: S) -> Self {
        Self {
            stamps,
            message_id: message_id.into(),
            streaming_tool_calls: true,
            end: StreamEnd::Stop,
            join: ArgumentsJoin::default(),
            document: String::new(),
            channel: Channel::Text,
            text: String::new(),
            reasoning: String::new(),
            call: None,
            calls: Vec::new(),
        }
    }

    /// Without `assistant_streaming_tool_call`; all other events are the same.
    #[must_use]
    pub fn without_streaming_tool_calls(mut self) -> Self {
        self.streaming_tool_calls = false;
        self
    }

    fn send(&mut self, kind: AgentEventKind, out: &mut dyn FnMut(AgentEvent)) {
        let (id, timestamp) = (self.stamps.event_id(), self.stamps.timestamp());
        out(AgentEvent { id, timestamp, kind });
    }

    /// Sends the update of the open call that waits for the end of the chunk.
    fn flush(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        let Some(call) = &mut self.call else { return };
        if let Some(arguments) = call.pending.take() {
            let (id, name) = (call.id.clone(), call.name.clone());
            self.update(id, name, arguments, false, out);
        }
    }

    fn update(
        &mut self,
        tool_call_id: String,
        tool_name: String,
        arguments: String,
        is_complete: bool,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        if self.streaming_tool_calls {
            let message_id = self.message_id.clone();
            let kind = AgentEventKind::AssistantStreamingToolCall {
                tool_call_id,
                tool_name,
                arguments,
                is_complete,
                message_id,
            };
            self.send(kind, out);
        }
    }

    fn text(&mut self, text: &str, out: &mut dyn FnMut(AgentEvent)) {
        self.flush(out);
        let (content, message_id) = (text.to_owned(), self.message_id.clone());
        let is_complete = false;
        let kind = if self.channel == Channel::Reasoning {
            self.reasoning.push_str(text);
            AgentEventKind::AssistantStreamingThinkingMessage { content, is_complete, message_id }
        } else {
            self.text.push_str(text);
            AgentEventKind::AssistantStreamingMessage { content, is_complete, message_id }
        };
        self.send(kind, out);
    }

    /// Appends what the event adds to the arguments to the update of this chunk.
    fn fragment(&mut self, event: &Event<'_>) {
        let from = self.document.len();
        self.join.event(event, &mut self.document);
        let delta = self.document.get(from..).unwrap_or_default();
        if let Some(call) = self.call.as_mut().filter(|_| !delta.is_empty()) {
            call.pending.get_or_insert_default().push_str(delta);
        }
    }

    fn end_segment(&mut self, runnable: bool, out: &mut dyn FnMut(AgentEvent)) {
        if self.channel == Channel::Reasoning {
            let content = std::mem::take(&mut self.reasoning);
            let message_id = self.message_id.clone();
            let kind =
                AgentEventKind::AssistantThinkingMessage { content, is_complete: true, message_id };
            return self.send(kind, out);
        }
        self.flush(out);
        if self.channel == Channel::Call && !runnable {
            self.call = None;
        }
    }

    fn invocation(
        &mut self,
        id: &str,
        name: &str,
        own: Option<&str>,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        let arguments = json::or_empty(own.unwrap_or(&self.document)).to_owned();
        let call = match self.call.take() {
            Some(call) => call,
            None => OpenCall { id: id.to_owned(), name: name.to_owned(), pending: None },
        };
        if self.document.is_empty() && own.is_some_and(|own| !own.trim().is_empty() && own != "{}")
        {
            self.update(call.id.clone(), name.to_owned(), arguments.clone(), false, out);
        }
        self.document.clear();
        self.update(call.id.clone(), name.to_owned(), String::new(), true, out);
        let function = AgentToolFunction { name: name.to_owned(), arguments };
        self.calls.push(AgentToolCall { id: call.id, r#type: "function", function });
    }

    fn finish(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        self.flush(out);
        let reason = FinishReason::of(self.end, !self.calls.is_empty());
        let tool_calls = std::mem::take(&mut self.calls);
        let content = std::mem::take(&mut self.text);
        if !content.is_empty() || !tool_calls.is_empty() {
            let kind = AgentEventKind::AssistantMessage {
                content,
                tool_calls: tool_calls.clone(),
                finish_reason: reason.underscored(),
                message_id: self.message_id.clone(),
            };
            self.send(kind, out);
        }
        for call in tool_calls {
            let arguments = json::raw(&call.function.arguments);
            let (tool_call_id, name) = (call.id, call.function.name);
            self.send(AgentEventKind::ToolCall { tool_call_id, name, arguments }, out);
        }
    }
}

impl<S: Stamps> Projection for Agent<S> {
    type Item = AgentEvent;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(AgentEvent)) {
        let id = id.unwrap_or_default();
        match event {
            Event::Start { kind, .. } => {
                self.channel = match kind {
                    Kind::Text => Channel::Text,
                    Kind::Reasoning => Channel::Reasoning,
                    Kind::Call(_) => Channel::Call,
                };
                self.document.clear();
                self.call = None;
            }
            Event::Name { name, native_id, .. } => {
                let id = native_id.as_deref().unwrap_or(id).to_owned();
                let pending = Some(String::new());
                self.call = Some(OpenCall { id, name: name.to_string(), pending });
            }
            Event::Delta(text) if self.channel != Channel::Call => self.text(text, out),
            _ => {}
        }
        self.fragment(event);
        match event {
            Event::End { outcome, .. } => self.end_segment(outcome.is_runnable(), out),
            Event::Invocation(call) => {
                self.invocation(id, &call.name, call.arguments.as_deref(), out);
            }
            Event::Finish => self.finish(out),
            _ => {}
        }
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        self.flush(out);
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.end = end;
    }
}
