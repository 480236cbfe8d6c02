//! Events of an agent runner: streaming pieces for a user interface, then what is stored.
//!
//! Events whose type holds `streaming` are for the moment only: [`AgentEvent::stored`] gives none of them.
//! An answer with text or a call ends in an `assistant_message`, also where the call was cut or refused:
//! whoever keeps previews drops them there. The final `tool_call` repeats the `toolCallId` of the streaming ones.
//!
//! Calls are shown while they are written only where that was asked for
//! ([`Agent::streaming_tool_calls`]). It is a choice of type: without it there is no state for open
//! calls, and their pieces go straight into the arguments of the final message.

mod calls;
mod event;

use toolweir_segments::{ArgumentsJoin, Event, FinishReason, Kind, StreamEnd};

use crate::json;
use crate::projection::Projection;

use calls::Update;
pub use calls::{CallView, GrowingCalls, WholeCalls};
pub use event::{
    AgentEvent, AgentEventKind, AgentToolCall, AgentToolFunction, CountedStamps, Stamps,
    StoredEvent,
};

/// The projection. A call's id is the id the model gave it, else the id of its segment.
///
/// ```
/// use toolweir_adapters::{Agent, CountedStamps};
///
/// // One source of ids and times for all messages of a loop.
/// let mut stamps = CountedStamps::default();
/// let first = Agent::next(&mut stamps);
/// assert_eq!(first.message_id(), "msg_1");
/// let second = Agent::next(&mut stamps).streaming_tool_calls();
/// assert_eq!(second.message_id(), "msg_2");
/// ```
#[derive(Clone, Debug)]
pub struct Agent<S = CountedStamps, V = WholeCalls> {
    stamps: S,
    message_id: String,
    view: V,
    end: StreamEnd,
    join: ArgumentsJoin,
    document: String,
    channel: Channel,
    text: String,
    reasoning: String,
    /// The id of the call that was named last.
    call: Option<String>,
    calls: Vec<AgentToolCall>,
    /// A call began, whether it runs or not: the message has something to end.
    began: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Channel {
    #[default]
    Text,
    Reasoning,
    Call,
}

impl Default for Agent {
    fn default() -> Self {
        Self::new("msg_1", CountedStamps::default())
    }
}

impl<S: Stamps> Agent<S> {
    /// Events of the message with that id, calls when they are whole.
    pub fn new(message_id: impl Into<String>, stamps: S) -> Self {
        Self {
            stamps,
            message_id: message_id.into(),
            view: WholeCalls,
            end: StreamEnd::Stop,
            join: ArgumentsJoin::default(),
            document: String::new(),
            channel: Channel::Text,
            text: String::new(),
            reasoning: String::new(),
            call: None,
            calls: Vec::new(),
            began: false,
        }
    }

    /// Events of the next message: its id is made here, so that pieces and message share it.
    pub fn next(mut stamps: S) -> Self {
        let message_id = stamps.message_id();
        Self::new(message_id, stamps)
    }

    /// With `assistant_streaming_tool_call` for calls while they are written; all other events are
    /// the same.
    #[must_use]
    pub fn streaming_tool_calls(self) -> Agent<S, GrowingCalls> {
        Agent {
            stamps: self.stamps,
            message_id: self.message_id,
            view: GrowingCalls::default(),
            end: self.end,
            join: self.join,
            document: self.document,
            channel: self.channel,
            text: self.text,
            reasoning: self.reasoning,
            call: self.call,
            calls: self.calls,
            began: self.began,
        }
    }
}

impl<S: Stamps, V: CallView> Agent<S, V> {
    /// The id that all its events carry.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    fn send(&mut self, kind: AgentEventKind, out: &mut dyn FnMut(AgentEvent)) {
        let (id, timestamp) = (self.stamps.event_id(), self.stamps.timestamp());
        out(AgentEvent { id, timestamp, kind });
    }

    /// Sends the update of the open call that waits for the end of the chunk.
    fn flush(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        if let Some(update) = self.view.pending() {
            self.update(update, out);
        }
    }

    fn update(&mut self, update: Update, out: &mut dyn FnMut(AgentEvent)) {
        let kind = AgentEventKind::AssistantStreamingToolCall {
            tool_call_id: update.id,
            tool_name: update.name,
            arguments: update.arguments,
            is_complete: update.is_complete,
            message_id: self.message_id.clone(),
        };
        self.send(kind, out);
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

    /// Appends what the event adds to the arguments of a call whose content is piped.
    fn fragment(&mut self, event: &Event<'_>) {
        let from = self.document.len();
        self.join.event(event, &mut self.document);
        self.view.grown(self.document.get(from..).unwrap_or_default());
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
            self.view.dropped();
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
        let id = self.call.take().unwrap_or_else(|| id.to_owned());
        // Nothing of them has been seen.
        let unseen =
            |own: &&str| self.document.is_empty() && !own.trim().is_empty() && *own != "{}";
        let whole = own.filter(unseen);
        for update in self.view.completed(&id, name, whole).into_iter().flatten() {
            self.update(update, out);
        }
        self.document.clear();
        let function = AgentToolFunction { name: name.to_owned(), arguments };
        self.began = true;
        self.calls.push(AgentToolCall { id, r#type: "function", function });
    }

    fn finish(&mut self, out: &mut dyn FnMut(AgentEvent)) {
        self.flush(out);
        let reason = FinishReason::of(self.end, !self.calls.is_empty());
        let tool_calls = std::mem::take(&mut self.calls);
        let content = std::mem::take(&mut self.text);
        if !content.is_empty() || std::mem::take(&mut self.began) {
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

impl<S: Stamps, V: CallView> Projection for Agent<S, V> {
    type Item = AgentEvent;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(AgentEvent)) {
        // Nearly every event of a call.
        if let Event::Args(fragment) = event {
            self.document.push_str(fragment);
            return self.view.grown(fragment);
        }
        let id = id.unwrap_or_default();
        match event {
            Event::Start { kind, .. } => {
                self.channel = match kind {
                    Kind::Text => Channel::Text,
                    Kind::Reasoning => Channel::Reasoning,
                    Kind::Call(_) => Channel::Call,
                };
                self.began |= self.channel == Channel::Call;
                self.document.clear();
                self.view.dropped();
                self.call = None;
            }
            Event::Name { name, native_id, .. } => {
                let id = native_id.as_deref().unwrap_or(id);
                self.view.named(id, name);
                self.call = Some(id.to_owned());
            }
            Event::Delta(text) if self.channel != Channel::Call => self.text(text, out),
            _ => {}
        }
        self.fragment(event);
        match event {
            Event::End { outcome, .. } => self.end_segment(outcome.is_runnable(), out),
            Event::Invocation(call) => {
                self.invocation(id, &call.name, call.resolved.as_deref(), out);
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
