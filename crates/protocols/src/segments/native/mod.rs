//! Native tool calls: the deltas of a provider's own stream as the same events.
//!
//! Positions are bytes in what came through here, text, reasoning and arguments one after the other, in
//! the order they went out.
//!
//! | state of a call | what comes | next |
//! | --- | --- | --- |
//! | unnamed | a name | its turn: open; else waiting |
//! | waiting (another call is open) | anything | kept |
//! | open, a class whose facts are missing | arguments | content is kept until they are known |
//! | open | arguments | they go out, or the content in them does |
//! | open, arguments whole | another call, text, or reasoning | ended, run |
//! | open | the end of the stream | after a stop, and whole: ended, run; else cut off |
//!
//! Laws: C6 (arguments go out as they come, nothing is repaired), C9 (calls interleaved by index come out
//! one after the other), C8 (whether a call is run is said once, in its `End`).
//!
//! `front` opens, feeds and ends the call that stands first; `open` reads its arguments.

mod front;
mod open;

use std::collections::{BTreeSet, VecDeque};

use toolweir_segments::{Event, EventSink, Span, StreamEnd};

use self::front::{Item, NativeCall};
use crate::classes::Classes;
use crate::diagnostics::{BAD_ARGUMENTS, Code, LIMIT_HELD};
use crate::engine::{Open, Output};
use crate::request::{Emit, Request};

/// A part of a native tool call, as a provider streams it.
///
/// Indexes need neither begin at 0 nor be dense. Empty texts are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeDelta<'a> {
    /// Which call of the message it is of.
    pub index: u64,
    /// The call's id, in one of its parts.
    pub id: Option<&'a str>,
    /// The tool's name, in one of its parts; the first counts.
    pub name: Option<&'a str>,
    /// A fragment of the arguments.
    pub arguments: &'a str,
}

/// Turns a provider's chunks of text, reasoning and native tool calls into events.
///
/// With content classes a call of one of them (`write_file`, `patch_file`) is a segment of that class: its
/// content goes out decoded as soon as what it needs (`path`) is known. Any other call gives its arguments
/// as they come.
///
/// ```
/// use toolweir_protocols::Request;
/// use toolweir_protocols::segments::{Classes, NativeCalls, NativeDelta};
/// use toolweir_segments::{Fold, StreamEnd};
///
/// let mut calls = NativeCalls::new(Some(Classes::default()), &Request::default());
/// let mut fold = Fold::new();
/// calls.text("Writing.", &mut fold);
/// let delta = NativeDelta { id: Some("call_7"), name: Some("write_file"), ..NativeDelta::default() };
/// calls.call(delta, &mut fold);
/// for arguments in ["{\"path\": \"/a.py\", \"con", "tent\": \"print(1)\\n", "\"}"] {
///     calls.call(NativeDelta { arguments, ..NativeDelta::default() }, &mut fold);
/// }
/// calls.finish(StreamEnd::Stop, &mut fold);
///
/// let turn = fold.into_turn();
/// let call = turn.calls().next().unwrap();
/// assert_eq!((call.part.kind.name(), call.part.text.as_str()), ("write_file", "print(1)\n"));
/// assert_eq!((call.native_id, call.arguments), (Some("call_7"), r#"{"path":"/a.py","content":"print(1)\n"}"#));
/// ```
#[derive(Debug)]
pub struct NativeCalls {
    classes: Option<Classes>,
    request: Request,
    out: Output,
    /// What came and has not ended: the open call first, then what waits after it.
    queue: VecDeque<Item>,
    /// Bytes that wait after the open call.
    waiting: usize,
    /// Indexes of calls that have ended; `Limits::max_calls` bounds them.
    ended: BTreeSet<u64>,
    begun: usize,
    finished: bool,
}

impl NativeCalls {
    /// With content classes (`segments-api`), or without (`agent-native`).
    #[must_use]
    pub fn new(classes: Option<Classes>, request: &Request) -> Self {
        Self {
            classes,
            // Arguments of native calls are not decoded, so no call has a `Field`.
            out: Output::new(Emit { field: false, ..request.emit }, request.limits.max_diagnostics),
            request: request.clone(),
            queue: VecDeque::new(),
            waiting: 0,
            ended: BTreeSet::new(),
            begun: 0,
            finished: false,
        }
    }

    /// Visible text.
    pub fn text(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.show(text, false, sink);
    }

    /// Reasoning from a channel of its own.
    pub fn reasoning(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.show(text, true, sink);
    }

    /// Text of a channel. It waits while a call is open.
    fn show(&mut self, text: &str, reasoning: bool, sink: &mut dyn EventSink) {
        // Providers send empty text along with anything: nothing has come.
        if text.is_empty() || self.finished {
            return;
        }
        self.resolve(true, sink);
        match (self.queue.back_mut(), reasoning) {
            (None, false) => return self.out.text(text, sink),
            (None, true) => return self.out.reasoning(text, 0, sink),
            (Some(Item::Text(last)), false) | (Some(Item::Reasoning(last)), true) => {
                last.push_str(text);
            }
            (_, false) => self.queue.push_back(Item::Text(text.to_owned())),
            (_, true) => self.queue.push_back(Item::Reasoning(text.to_owned())),
        }
        self.waiting += text.len();
        self.hold_limit(sink);
    }

    /// A part of a call.
    pub fn call(&mut self, delta: NativeDelta<'_>, sink: &mut dyn EventSink) {
        if self.finished {
            return;
        }
        if self.ended.contains(&delta.index) {
            if !delta.arguments.trim().is_empty() {
                self.note(BAD_ARGUMENTS, "arguments came for a call that had ended", sink);
            }
            return;
        }
        let known = self.queue.iter().any(|item| item.index() == Some(delta.index));
        if !known && !self.enqueue(delta.index, sink) {
            return;
        }
        let is_first = self.queue.front().is_some_and(|item| item.index() == Some(delta.index));
        let found = self.queue.iter_mut().filter_map(Item::call).find(|c| c.index == delta.index);
        let Some(call) = found else { return };
        if let Some(id) = delta.id.filter(|id| !id.is_empty() && call.id.is_none()) {
            call.id = Some(id.to_owned());
        }
        if let Some(name) = delta.name.filter(|name| !name.is_empty() && call.name.is_none()) {
            call.name = Some(name.to_owned());
        }
        if is_first && call.open.is_some() {
            self.arguments(delta.arguments, sink);
            return self.resolve(false, sink);
        }
        let opens = is_first && call.name.is_some();
        call.early.push_str(delta.arguments);
        self.waiting += delta.arguments.len();
        if opens {
            self.open_front(sink);
        }
        self.resolve(false, sink);
        self.hold_limit(sink);
    }

    /// Something else comes after the calls so far: those whose arguments are whole end.
    pub fn end_whole(&mut self, sink: &mut dyn EventSink) {
        if !self.finished {
            self.resolve(true, sink);
        }
    }

    /// The stream is over.
    pub fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        while !self.queue.is_empty() {
            self.end_front(end == StreamEnd::Stop, sink);
        }
        // Nothing asks for it any more, however long this value is kept.
        self.ended.clear();
        self.out.close(sink);
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }

    /// A further call; false where the turn has too many.
    fn enqueue(&mut self, index: u64, sink: &mut dyn EventSink) -> bool {
        if self.begun >= self.request.limits.max_calls {
            self.out.call_limit("left out", sink);
            return false;
        }
        self.begun += 1;
        self.resolve(true, sink);
        self.queue.push_back(Item::Call(Box::new(NativeCall::new(index))));
        true
    }

    /// Gives out what need not wait any longer: text that stands first, and calls whose arguments are
    /// whole, if something stands (or `comes`) after them.
    fn resolve(&mut self, comes: bool, sink: &mut dyn EventSink) {
        while self.queue.front().is_some_and(|item| match item {
            Item::Call(call) => (comes || self.queue.len() > 1) && call.is_whole(),
            _ => true,
        }) {
            self.end_front(true, sink);
        }
    }

    /// What waits may not grow without end: then the open call is given up.
    fn hold_limit(&mut self, sink: &mut dyn EventSink) {
        if self.waiting > self.request.limits.max_held_bytes {
            self.note(LIMIT_HELD, "too much waits after a call that is not whole", sink);
            while self.waiting > self.request.limits.max_held_bytes && !self.queue.is_empty() {
                self.end_front(false, sink);
            }
        }
    }

    /// Whether a segment is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.out.open != Open::None || !self.queue.is_empty()
    }

    fn note(&mut self, code: Code, message: &str, sink: &mut dyn EventSink) {
        self.out.diagnostic(code, Span::empty(self.out.at), message, sink);
    }
}
