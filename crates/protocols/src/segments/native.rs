//! Native tool calls: the deltas of a provider's own stream as the same events.
//!
//! Positions are bytes in what came through here, text, reasoning and arguments one behind the other, in
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
//! Laws: C6 (arguments go out as they come, nothing is mended), C9 (calls interleaved by index come out
//! one after the other), C8 (whether a call is run is said once, in its `End`).

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use toolweir_rjson::{FieldPiece, Kind as Json, Machine, Mode, StringFields, Token};
use toolweir_segments::{
    CallClass, Event, EventSink, Invocation, MetaRole, Outcome, Reason, Span, StreamEnd,
};

use super::class::{Classes, ContentClass, Reading};
use crate::diagnostics::{
    BAD_ARGUMENTS, Code, INCOMPLETE_SEGMENT, LIMIT_CALLS, LIMIT_HELD, LIMIT_NAME, MISSING_FACT,
    NO_NAME, UNKNOWN_TOOL,
};
use crate::engine::{Open, Output, undeclared};
use crate::limits::Limits;
use crate::request::Request;

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
    /// What came and has not ended: the open call first, then what waits behind it.
    queue: VecDeque<Item>,
    /// Bytes that wait behind the open call.
    waiting: usize,
    /// Indexes of calls that have ended.
    ended: BTreeSet<u64>,
    begun: usize,
    limit_reported: bool,
    finished: bool,
}

#[derive(Debug)]
enum Item {
    Call(Box<NativeCall>),
    Text(String),
    Reasoning(String),
}

#[derive(Debug)]
struct NativeCall {
    index: u64,
    id: Option<String>,
    name: Option<String>,
    /// Arguments that came before it could open.
    early: String,
    /// Set once it is open.
    open: Option<OpenCall>,
}

/// A call whose segment is the current one.
#[derive(Debug)]
struct OpenCall {
    class: Option<Arc<ContentClass>>,
    started: bool,
    machine: Machine,
    fields: StringFields,
    facts: Vec<bool>,
    /// Facts and content that wait for the start.
    metas: Vec<(String, String, MetaRole)>,
    content: String,
    /// A member that is neither a fact nor the content: key, JSON text, open containers.
    other: Option<(String, String)>,
    depth: usize,
    /// Bytes that are not accounted for.
    unread: u64,
    seen: bool,
    broken: bool,
    is_object: bool,
}

impl NativeCalls {
    /// With content classes (`segments-api`), or without (`agent-native`).
    #[must_use]
    pub fn new(classes: Option<Classes>, request: &Request) -> Self {
        Self {
            classes,
            out: Output::new(request.emit, request.limits.max_diagnostics),
            request: request.clone(),
            queue: VecDeque::new(),
            waiting: 0,
            ended: BTreeSet::new(),
            begun: 0,
            limit_reported: false,
            finished: false,
        }
    }

    /// Visible text.
    pub fn text(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.settle(true, sink);
        if self.queue.is_empty() && !self.finished {
            return self.out.text(text, sink);
        }
        self.later(text, false, sink);
    }

    /// Reasoning from a channel of its own.
    pub fn reasoning(&mut self, text: &str, sink: &mut dyn EventSink) {
        self.settle(true, sink);
        if self.queue.is_empty() && !self.finished {
            return self.out.reasoning(text, 0, sink);
        }
        self.later(text, true, sink);
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
        if !is_first || call.name.is_none() {
            call.early.push_str(delta.arguments);
            self.waiting += delta.arguments.len();
        } else if call.open.is_some() {
            self.arguments(delta.arguments, sink);
            return self.settle(false, sink);
        } else {
            call.early.push_str(delta.arguments);
            self.waiting += delta.arguments.len();
            self.open_front(sink);
        }
        self.settle(false, sink);
        self.hold_limit(sink);
    }

    /// The stream is over.
    pub fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        while !self.queue.is_empty() {
            self.end_front(end == StreamEnd::Stop, sink);
        }
        self.out.close(sink);
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }

    /// A further call; false where the turn has too many.
    fn enqueue(&mut self, index: u64, sink: &mut dyn EventSink) -> bool {
        if self.begun >= self.request.limits.max_calls {
            if !std::mem::replace(&mut self.limit_reported, true) {
                let message = "the turn has more calls than the limit; further ones are left out";
                self.note(LIMIT_CALLS, message, sink);
            }
            return false;
        }
        self.begun += 1;
        self.settle(true, sink);
        let call = NativeCall { index, id: None, name: None, early: String::new(), open: None };
        self.queue.push_back(Item::Call(Box::new(call)));
        true
    }

    /// Gives out what need not wait any longer: text that stands first, and calls whose arguments are
    /// whole, if something stands (or `comes`) behind them.
    fn settle(&mut self, comes: bool, sink: &mut dyn EventSink) {
        loop {
            let more = comes || self.queue.len() > 1;
            let done = match self.queue.front() {
                None => return,
                Some(Item::Call(call)) => more && call.is_whole(),
                Some(_) => true,
            };
            if !done {
                return;
            }
            self.end_front(true, sink);
        }
    }

    /// Text that waits behind a call.
    fn later(&mut self, text: &str, reasoning: bool, sink: &mut dyn EventSink) {
        if text.is_empty() || self.finished {
            return;
        }
        self.waiting += text.len();
        match (self.queue.back_mut(), reasoning) {
            (Some(Item::Text(last)), false) | (Some(Item::Reasoning(last)), true) => {
                last.push_str(text);
            }
            (_, false) => self.queue.push_back(Item::Text(text.to_owned())),
            (_, true) => self.queue.push_back(Item::Reasoning(text.to_owned())),
        }
        self.hold_limit(sink);
    }

    /// What waits may not grow without end: then the open call is given up.
    fn hold_limit(&mut self, sink: &mut dyn EventSink) {
        if self.waiting > self.request.limits.max_held_bytes {
            self.note(LIMIT_HELD, "too much waits behind a call that is not whole", sink);
            while self.waiting > self.request.limits.max_held_bytes && !self.queue.is_empty() {
                self.end_front(false, sink);
            }
        }
    }

    /// Opens the first call, if it has a name.
    fn open_front(&mut self, sink: &mut dyn EventSink) {
        let Some(call) = self.queue.front_mut().and_then(Item::call) else { return };
        let Some(name) = call.name.clone().filter(|_| call.open.is_none()) else { return };
        let early = std::mem::take(&mut call.early);
        self.waiting = self.waiting.saturating_sub(early.len());
        let class = self.classes.as_ref().and_then(|classes| classes.of_tool(&name));
        let class = class.filter(|class| class.pipes_json()).cloned().map(Arc::new);
        let mut open = OpenCall::new(class, &self.request.limits);
        if open.missing().is_none() {
            open.start(&name, call.id.as_deref(), &mut self.out, sink);
        }
        call.open = Some(open);
        if !self.request.tools.knows(&name) {
            self.note(UNKNOWN_TOOL, &undeclared(&name), sink);
        }
        self.arguments(&early, sink);
    }

    /// Arguments of the open call.
    fn arguments(&mut self, text: &str, sink: &mut dyn EventSink) {
        let Some(call) = self.queue.front_mut().and_then(Item::call) else { return };
        let (name, id) = (call.name.clone().unwrap_or_default(), call.id.clone());
        let Some(open) = &mut call.open else { return };
        if text.is_empty() {
            return;
        }
        open.read(text, &name, id.as_deref(), &mut self.out, sink);
        if open.content.len() > self.request.limits.max_held_bytes && !open.started {
            open.start(&name, id.as_deref(), &mut self.out, sink);
            self.note(LIMIT_HELD, "what a segment waits for is too far away", sink);
        }
    }

    /// Ends what stands first in the queue, and opens what stands behind it.
    fn end_front(&mut self, stopped: bool, sink: &mut dyn EventSink) {
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
        if !open.started {
            open.start(&name, call.id.as_deref(), &mut self.out, sink);
        }
        let span = Span::new(self.out.segment_start(), self.out.at);
        let whole = open.is_whole();
        if !whole || !stopped {
            let (code, message) = if open.broken {
                (BAD_ARGUMENTS, "the arguments are no JSON object; nothing is run")
            } else {
                (
                    INCOMPLETE_SEGMENT,
                    "the stream ended before the call was complete; nothing is run",
                )
            };
            self.out.diagnostic(code, span, message, sink);
            let broken = open.broken;
            let outcome = if broken { Outcome::Abandoned } else { Outcome::Truncated };
            let reason = if broken { Reason::Rejected } else { Reason::StreamEnd };
            return self.out.end(outcome, reason, sink);
        }
        let missing = open.missing().map(str::to_owned);
        if let Some(key) = &missing {
            let message = format!("the call lacks `{key}`; nothing is run");
            self.out.diagnostic(MISSING_FACT, span, &message, sink);
        }
        let too_long = name.len() > self.request.limits.max_name_bytes;
        if too_long {
            self.out.diagnostic(LIMIT_NAME, span, "the tool name is too long", sink);
            return self.out.end(Outcome::Abandoned, Reason::Rejected, sink);
        }
        self.out.end(Outcome::Complete, Reason::Closed, sink);
        if missing.is_some() {
            return;
        }
        let tool = open.class.as_ref().map_or(name.as_str(), |class| class.tool());
        let mut invocation = Invocation::new(0, tool);
        invocation.native_id = call.id.as_deref().map(Into::into);
        invocation.known = self.request.tools.knows(tool);
        if !open.seen && open.class.is_none() {
            invocation.arguments = Some("{}".into());
        }
        self.out.invocation(invocation, sink);
    }

    fn note(&mut self, code: Code, message: &str, sink: &mut dyn EventSink) {
        self.out.diagnostic(code, Span::empty(self.out.at), message, sink);
    }
}

impl Item {
    fn index(&self) -> Option<u64> {
        match self {
            Self::Call(call) => Some(call.index),
            _ => None,
        }
    }

    fn call(&mut self) -> Option<&mut NativeCall> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl NativeCall {
    /// Whether its arguments are one whole object, so that nothing more can come.
    fn is_whole(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.seen && open.is_whole())
    }
}

impl OpenCall {
    fn new(class: Option<Arc<ContentClass>>, limits: &Limits) -> Self {
        let body: Vec<&str> = class.iter().map(|class| class.body()).collect();
        let facts: Vec<&str> = class.iter().flat_map(|c| c.facts().map(|f| f.0)).collect();
        Self {
            started: false,
            machine: Machine::new(limits.json(Mode::Strict)),
            fields: StringFields::new(&body, &facts),
            facts: vec![false; facts.len()],
            metas: Vec::new(),
            content: String::new(),
            other: None,
            depth: 0,
            unread: 0,
            seen: false,
            broken: false,
            is_object: true,
            class,
        }
    }

    fn is_whole(&self) -> bool {
        !self.broken && self.is_object && (!self.seen || self.machine.is_done())
    }

    fn missing(&self) -> Option<&str> {
        self.class.as_ref()?.missing(&self.facts)
    }

    fn start(&mut self, name: &str, id: Option<&str>, out: &mut Output, sink: &mut dyn EventSink) {
        self.started = true;
        let class = self.class.clone();
        let kind = class.as_ref().map_or(CallClass::Generic, |class| class.class().clone());
        out.call(kind, 0, sink);
        let name = class.as_ref().map_or(name, |class| class.tool());
        sink.event(Event::Name {
            name: name.into(),
            native_id: id.map(Into::into),
            body: class.as_ref().map(|class| class.body().into()),
        });
        for (key, value, role) in std::mem::take(&mut self.metas) {
            sink.event(Event::Meta { key: key.into(), value: value.into(), role });
        }
        if !self.content.is_empty() {
            sink.event(Event::Delta(std::mem::take(&mut self.content).into()));
        }
        out.at += std::mem::take(&mut self.unread);
    }

    fn read(
        &mut self,
        text: &str,
        name: &str,
        id: Option<&str>,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) {
        let blank = text.chars().all(crate::engine::is_blank);
        self.seen |= !blank;
        let mut input = text;
        while !self.broken {
            let Self { machine, fields, class, .. } = self;
            let mut pieces = Vec::new();
            match machine.next(&mut input) {
                Ok(Some(token)) => {
                    self.is_object &= self.depth > 0
                        || matches!(token.kind, Json::ObjectStart | Json::ObjectEnd | Json::Blank);
                    follow(&token, &mut self.depth);
                    if let Some(class) = class {
                        fields.token(&token, &mut |piece| pieces.push(owned(piece)));
                        other(&token, self.depth, class, &mut self.other, &mut pieces);
                    }
                }
                Ok(None) => break,
                Err(_) => self.broken = true,
            }
            for piece in pieces {
                self.piece(piece, name, id, out, sink);
            }
        }
        if self.machine.is_done() && self.machine.trailing(&mut input).is_err() {
            self.broken = true;
        }
        self.broken |= !self.is_object;
        if self.class.is_none() {
            sink.event(Event::Args(text.into()));
        }
        if self.started {
            out.skip(text.len());
        } else {
            self.unread += text.len() as u64;
        }
    }

    fn piece(
        &mut self,
        piece: Piece,
        name: &str,
        id: Option<&str>,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) {
        let (key, value, role) = match piece {
            Piece::Content(text) if self.started => return sink.event(Event::Delta(text.into())),
            Piece::Content(text) => return self.content.push_str(&text),
            Piece::Other(key, value) => (key, value, MetaRole::Literal),
            Piece::Fact(key, value) => {
                let class = self.class.clone();
                let at = class.as_ref().and_then(|class| class.fact_at(&key));
                let known = at.and_then(|at| self.facts.get_mut(at));
                let Some(known) = known.filter(|known| !**known && !value.is_empty()) else {
                    return;
                };
                *known = true;
                (key, value, MetaRole::Text)
            }
        };
        if self.started {
            return sink.event(Event::Meta { key: key.into(), value: value.into(), role });
        }
        self.metas.push((key, value, role));
        if self.missing().is_none() {
            self.start(name, id, out, sink);
        }
    }
}

/// What a token says of a piped call.
enum Piece {
    Content(String),
    Fact(String, String),
    Other(String, String),
}

fn owned(piece: FieldPiece<'_>) -> Piece {
    match piece {
        FieldPiece::Delta { text, .. } => Piece::Content(text.into_owned()),
        FieldPiece::Whole { key, text } => Piece::Fact(key.to_owned(), text.to_owned()),
    }
}

fn follow(token: &Token<'_>, depth: &mut usize) {
    match token.kind {
        Json::ObjectStart | Json::ArrayStart => *depth += 1,
        Json::ObjectEnd | Json::ArrayEnd => *depth = depth.saturating_sub(1),
        _ => {}
    }
}

/// Collects members that the class does not know; `depth` is that behind the token.
fn other(
    token: &Token<'_>,
    depth: usize,
    class: &ContentClass,
    open: &mut Option<(String, String)>,
    pieces: &mut Vec<Piece>,
) {
    let ends_value = match token.kind {
        Json::Key(key) if depth == 1 => {
            let known = key == class.body() || class.facts().any(|(fact, _)| fact == key);
            *open = (!known).then(|| (key.to_owned(), String::new()));
            return;
        }
        Json::Colon | Json::Blank if depth == 1 => return,
        Json::ObjectEnd | Json::ArrayEnd | Json::StringEnd => depth == 1,
        Json::Number | Json::True | Json::False | Json::Null => depth == 1,
        _ => false,
    };
    let Some((_, text)) = open else { return };
    text.push_str(token.wire);
    if ends_value && let Some((key, text)) = open.take() {
        pieces.push(Piece::Other(key, text));
    }
}

impl ContentClass {
    /// Whether its content can be piped out of JSON arguments: all it needs are strings, and there is
    /// something it waits for.
    fn pipes_json(&self) -> bool {
        self.facts.iter().any(|fact| fact.required)
            && self.facts.iter().all(|fact| fact.reading == Reading::Text)
    }
}

impl NativeCalls {
    /// Whether a segment is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.out.open != Open::None || !self.queue.is_empty()
    }
}
