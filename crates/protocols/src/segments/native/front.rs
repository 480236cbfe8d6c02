//! The call that stands first: it is opened, gets its arguments, and ends.

use std::sync::Arc;

use toolweir_segments::{EventSink, Invocation, Outcome, Reason, Span};

use super::NativeCalls;
use super::open::{Named, OpenCall};
use crate::diagnostics::{
    BAD_ARGUMENTS, INCOMPLETE_SEGMENT, LIMIT_HELD, LIMIT_NAME, MISSING_FACT, NO_NAME, UNKNOWN_TOOL,
};
use crate::engine::undeclared;

/// What came, in its order.
#[derive(Debug)]
pub(super) enum Item {
    Call(Box<NativeCall>),
    Text(String),
    Reasoning(String),
}

/// A call of the message.
#[derive(Debug)]
pub(super) struct NativeCall {
    pub(super) index: u64,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// Arguments that came before it could open.
    pub(super) early: String,
    /// Set once it is open.
    pub(super) open: Option<OpenCall>,
}

impl Item {
    pub(super) fn index(&self) -> Option<u64> {
        match self {
            Self::Call(call) => Some(call.index),
            _ => None,
        }
    }

    pub(super) fn call(&mut self) -> Option<&mut NativeCall> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl NativeCall {
    pub(super) fn new(index: u64) -> Self {
        Self { index, id: None, name: None, early: String::new(), open: None }
    }

    /// Whether its arguments are one whole object, so that nothing more can come.
    pub(super) fn is_whole(&self) -> bool {
        self.open.as_ref().is_some_and(OpenCall::is_closed)
    }
}

impl NativeCalls {
    /// Opens the first call, if it has a name.
    pub(super) fn open_front(&mut self, sink: &mut dyn EventSink) {
        let Some(call) = self.queue.front_mut().and_then(Item::call) else { return };
        let Some(name) = call.name.clone().filter(|_| call.open.is_none()) else { return };
        let early = std::mem::take(&mut call.early);
        self.waiting = self.waiting.saturating_sub(early.len());
        let class = self.classes.as_ref().and_then(|classes| classes.of_tool(&name));
        let class = class.filter(|class| class.pipes_json()).cloned().map(Arc::new);
        let mut open = OpenCall::new(class, &self.request.limits);
        if open.segment.missing().is_none() {
            let named = Named { name: &name, id: call.id.as_deref() };
            named.start(&mut open.segment, &mut self.out, sink);
        }
        call.open = Some(open);
        if !self.request.tools.knows(&name) {
            self.note(UNKNOWN_TOOL, &undeclared(&name), sink);
        }
        self.arguments(&early, sink);
    }

    /// Arguments of the open call.
    pub(super) fn arguments(&mut self, text: &str, sink: &mut dyn EventSink) {
        let Some(call) = self.queue.front_mut().and_then(Item::call) else { return };
        let NativeCall { name: Some(name), id, open: Some(open), .. } = call else { return };
        if text.is_empty() {
            return;
        }
        let named = Named { name, id: id.as_deref() };
        open.read(text, named, &mut self.out, sink);
        if open.segment.content.len() > self.request.limits.max_held_bytes {
            named.start(&mut open.segment, &mut self.out, sink);
            self.note(LIMIT_HELD, "what a segment waits for is too far away", sink);
        }
    }

    /// Ends what stands first in the queue, and opens what stands after it.
    pub(super) fn end_front(&mut self, stopped: bool, sink: &mut dyn EventSink) {
        match self.queue.pop_front() {
            Some(Item::Text(text)) => {
                self.waiting = self.waiting.saturating_sub(text.len());
                self.out.text(&text, sink);
            }
            Some(Item::Reasoning(text)) => {
                self.waiting = self.waiting.saturating_sub(text.len());
                self.out.reasoning(&text, 0, sink);
            }
            Some(Item::Call(call)) => self.end_call(*call, stopped, sink),
            None => return,
        }
        self.open_front(sink);
    }

    fn end_call(&mut self, call: NativeCall, stopped: bool, sink: &mut dyn EventSink) {
        self.ended.insert(call.index);
        let Some(name) = call.name else {
            self.waiting = self.waiting.saturating_sub(call.early.len());
            return self.note(NO_NAME, "a native call does not name its tool", sink);
        };
        let Some(mut open) = call.open else { return };
        if !open.segment.started {
            let named = Named { name: &name, id: call.id.as_deref() };
            named.start(&mut open.segment, &mut self.out, sink);
        }
        if !open.is_whole() || !stopped {
            return self.end_cut(&open, sink);
        }
        let span = Span::new(self.out.segment_start(), self.out.at);
        if let Some(key) = open.segment.missing() {
            let message = format!("the call lacks `{key}`; nothing is run");
            self.out.diagnostic(MISSING_FACT, span, &message, sink);
        }
        if name.len() > self.request.limits.max_name_bytes {
            self.out.diagnostic(LIMIT_NAME, span, "the tool name is too long", sink);
            return self.out.end(Outcome::Abandoned, Reason::Rejected, sink);
        }
        self.out.end(Outcome::Complete, Reason::Closed, sink);
        if open.segment.missing().is_some() {
            return;
        }
        let tool = open.tool().unwrap_or(&name);
        let mut invocation = Invocation::new(0, tool);
        invocation.native_id = call.id.as_deref().map(Into::into);
        invocation.known = self.request.tools.knows(tool);
        if open.has_no_arguments() {
            invocation.resolved = Some("{}".into());
        }
        self.out.invocation(invocation, sink);
    }

    /// Ends a call whose arguments are not whole, or that the stream left open.
    fn end_cut(&mut self, open: &OpenCall, sink: &mut dyn EventSink) {
        let (code, message, outcome, reason) = if open.broken {
            let message = "the arguments are no JSON object; nothing is run";
            (BAD_ARGUMENTS, message, Outcome::Abandoned, Reason::Rejected)
        } else {
            let message = "the stream ended before the call was complete; nothing is run";
            (INCOMPLETE_SEGMENT, message, Outcome::Truncated, Reason::StreamEnd)
        };
        let span = Span::new(self.out.segment_start(), self.out.at);
        self.out.diagnostic(code, span, message, sink);
        self.out.end(outcome, reason, sink);
    }
}
