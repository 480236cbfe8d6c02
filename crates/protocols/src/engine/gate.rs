//! Behind an opener: does what follows make it one?
//!
//! Until that is known everything is withheld (C10: within the limits). If not, the opener's first
//! character is text and reading goes on right behind it (C5), in the channel it was found in.

use std::sync::Arc;

use toolweir_markers::MarkerId;
use toolweir_segments::{CallClass, EventSink, Outcome, Reason, Span};

use super::between::Between;
use super::call::{Call, Fault};
use super::closer::CloserGate;
use super::object::{Accepts, Look, ObjectGate};
use super::run::MAX_BLANK;
use super::tag::{Tag, hold, is_blank};
use super::tag_gate::{Found, TagGate};
use super::{Engine, State};
use crate::diagnostics::{BAD_NAME, STRAY_LIST, TRUNCATED_CALL};
use crate::limits::Limits;
use crate::program::{PayloadProgram, Program};
use crate::spec::CallGate;
use crate::tools::ToolSet;

/// The channel the opener stood in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Text,
    Reasoning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Blanks, then `{` or `[`.
    Json { list: bool },
    /// Behind `[`: blanks, then the first element or `]`.
    List,
    /// A call tag, or what names a call in another way.
    Tag,
    /// Inside an object that may be a call.
    Object,
    /// Thinking is switched off: blanks, then the closer of an empty section.
    EmptyPair,
    /// The marker may be an end marker.
    Closer(CloserGate),
}

/// The look-ahead.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(super) id: MarkerId,
    origin: Origin,
    phase: Phase,
    /// What follows the marker.
    pub(super) held: String,
    /// Blanks at its start.
    blanks: usize,
    tag: Option<TagGate>,
    /// Looks into an unmarked object.
    object: Option<Box<ObjectGate>>,
    /// Where in `held` the object begins; `None`: the marker is its first character.
    object_at: Option<usize>,
}

enum Verdict {
    More,
    /// A call begins; the last character is the payload's own.
    Object,
    /// A list begins with this call; the last character is the payload's own.
    FirstOfList,
    /// A list without calls.
    EmptyList,
    /// A call tag is complete.
    Tag,
    /// The call is named; what is held from here on is its payload.
    Named(usize),
    /// A closing tag that no call is open for.
    Closer(Tag),
    /// An empty reasoning section.
    Pair,
    /// An unmarked object is a call.
    Call,
    /// It is none; whether the last character fits it, and whether it goes on.
    NoCall {
        fits: bool,
        goes_on: bool,
    },
    /// Whether the marker is an end marker, else it is text.
    Ends(CloserGate, bool),
    /// The opener is text.
    Reject,
    /// The opener counts but nothing readable follows.
    Broken(Fault),
}

impl Gate {
    pub(crate) fn new(
        id: MarkerId,
        origin: Origin,
        tag: bool,
        marker: &str,
        program: &Program,
        limits: &Limits,
    ) -> Self {
        let (phase, tag) = match &program.payload {
            Some(PayloadProgram::Json { list, .. }) => (Phase::Json { list: *list }, None),
            Some(PayloadProgram::Yaml { .. }) => (Phase::Json { list: false }, None),
            Some(PayloadProgram::Tagged(tagged)) if tag => {
                // The marker is the beginning of the tag, framing newlines before it.
                let lead = marker.trim_start();
                let gate = TagGate::in_tag(lead, &tagged.words, limits.max_name_bytes);
                (Phase::Tag, Some(gate))
            }
            _ => (Phase::Tag, Some(TagGate::behind_wrapper(limits.max_name_bytes))),
        };
        let (held, object_at) = (String::new(), Some(0));
        Self { id, origin, phase, held, blanks: 0, tag, object: None, object_at }
    }

    /// At the first character of an unmarked object, which is the marker.
    pub(crate) fn unmarked(id: MarkerId, accepts: &Accepts<'_>) -> Self {
        let mut gate = Self::empty_pair(id);
        let mut object = ObjectGate::new(&accepts.request.limits);
        for c in accepts.program.text.marker(id).chars() {
            object.feed(c, accepts);
        }
        gate.phase = Phase::Object;
        gate.object = Some(Box::new(object));
        gate
    }

    pub(crate) fn empty_pair(id: MarkerId) -> Self {
        Self {
            id,
            origin: Origin::Text,
            phase: Phase::EmptyPair,
            held: String::new(),
            blanks: 0,
            tag: None,
            object: None,
            object_at: None,
        }
    }

    pub(super) fn behind_closer(id: MarkerId, closer: CloserGate) -> Self {
        Self { phase: Phase::Closer(closer), ..Self::empty_pair(id) }
    }

    fn feed(&mut self, c: char, accepts: &Accepts<'_>) -> Verdict {
        let program = accepts.program;
        match self.phase {
            Phase::Closer(closer) => self.feed_closer(closer, c, program),
            Phase::Object => self.feed_object(c, accepts),
            Phase::Json { list } if program.gate == CallGate::CallObject && !is_blank(c) => {
                if c != '{' && !(c == '[' && list) {
                    return Verdict::Reject;
                }
                self.object_at = Some(self.held.len() - c.len_utf8());
                self.object = Some(Box::new(ObjectGate::new(&accepts.request.limits)));
                self.phase = Phase::Object;
                self.feed_object(c, accepts)
            }
            Phase::Json { .. } | Phase::List if is_blank(c) => Verdict::More,
            Phase::Json { .. } if c == '{' => Verdict::Object,
            Phase::Json { list: true } if c == '[' => {
                self.phase = Phase::List;
                Verdict::More
            }
            Phase::List if c == ']' => Verdict::EmptyList,
            // It is a list of JSON values: what each of them is worth is judged one by one.
            Phase::List if matches!(c, '{' | '[' | '"' | '\'' | '-' | '0'..='9') => {
                Verdict::FirstOfList
            }
            Phase::List => Verdict::Broken(Fault::new(STRAY_LIST, "a list of calls holds no call")),
            Phase::Json { .. } => Verdict::Reject,
            Phase::Tag => self.feed_tag(c, accepts),
            Phase::EmptyPair => self.feed_pair(c, program),
        }
    }

    fn feed_closer(&mut self, mut closer: CloserGate, c: char, program: &Program) -> Verdict {
        let ends = closer.feed(c, &self.held, program);
        self.phase = Phase::Closer(closer);
        ends.map_or(Verdict::More, |ends| Verdict::Ends(closer, ends))
    }

    fn feed_object(&mut self, c: char, accepts: &Accepts<'_>) -> Verdict {
        let Some(object) = &mut self.object else { return Verdict::Reject };
        match object.feed(c, accepts) {
            Look::More => Verdict::More,
            Look::Call => Verdict::Call,
            Look::Passes => Verdict::NoCall { fits: true, goes_on: true },
            Look::Closed => Verdict::NoCall { fits: true, goes_on: false },
            Look::Broken => Verdict::NoCall { fits: false, goes_on: false },
        }
    }

    fn feed_tag(&mut self, c: char, accepts: &Accepts<'_>) -> Verdict {
        let (program, tools): (&Program, &ToolSet) = (accepts.program, &accepts.request.tools);
        let (Some(PayloadProgram::Tagged(tagged)), Some(tag)) = (&program.payload, &mut self.tag)
        else {
            return Verdict::Reject;
        };
        let outside = self.origin == Origin::Reasoning && !tag.wrapped;
        match tag.feed(c, &tagged.words, tools) {
            Found::More => Verdict::More,
            // Only a wrapper ends the reasoning.
            _ if outside && !tag.wrapped => Verdict::Reject,
            Found::Call => Verdict::Tag,
            Found::Named => Verdict::Named(tag.payload_at()),
            Found::Closer(tag) => Verdict::Closer(tag),
            Found::Bad => Verdict::Broken(Fault::new(BAD_NAME, "a call has no readable name")),
            Found::Json => {
                self.phase = Phase::Json { list: true };
                self.feed(c, accepts)
            }
            Found::No => Verdict::Reject,
        }
    }

    fn feed_pair(&mut self, c: char, program: &Program) -> Verdict {
        if is_blank(c) && self.blanks + 1 == self.held.len() {
            self.blanks += 1;
            return if self.blanks > MAX_BLANK { Verdict::Reject } else { Verdict::More };
        }
        let close = program.reasoning.as_ref().map_or("", |r| r.close.as_str());
        let rest = self.held.get(self.blanks..).unwrap_or_default();
        if rest == close {
            Verdict::Pair
        } else if close.starts_with(rest) {
            Verdict::More
        } else {
            Verdict::Reject
        }
    }

    /// Whether the opener is past doubt although the call has not begun.
    fn is_certain(&self) -> bool {
        let tag = self.phase == Phase::Tag && self.tag.as_ref().is_some_and(TagGate::is_certain);
        self.phase == Phase::List || tag
    }
}

impl Engine {
    #[inline(never)]
    pub(crate) fn read_gate(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Gate(mut gate) = std::mem::replace(&mut self.state, State::Text) else { return };
        let program = Arc::clone(&self.program);
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            let before = gate.held.len();
            #[cfg(feature = "meter")]
            {
                self.looked += c.len_utf8() as u64;
            }
            hold(&mut gate.held, c);
            let too_long = gate.held.len() > self.request.limits.max_held_bytes;
            let names_declared = self.rules.names_declared;
            let accepts = Accepts { program: &program, request: &self.request, names_declared };
            match gate.feed(c, &accepts) {
                Verdict::More if too_long => {
                    *input = chars.as_str();
                    let verdict = Verdict::NoCall { fits: true, goes_on: true };
                    return self.settle_gate(gate, before, verdict, sink);
                }
                Verdict::More => {}
                verdict => {
                    *input = chars.as_str();
                    return self.settle_gate(gate, before, verdict, sink);
                }
            }
        }
        *input = "";
        self.state = State::Gate(gate);
    }

    /// `before`: length of what was held before the last character.
    fn settle_gate(
        &mut self,
        mut gate: Gate,
        before: usize,
        verdict: Verdict,
        sink: &mut dyn EventSink,
    ) {
        match verdict {
            Verdict::Object | Verdict::FirstOfList => {
                self.read_again(gate.held.split_off(before));
                self.enter_block(&gate, sink);
                let markup = self.opening(&gate);
                if matches!(verdict, Verdict::FirstOfList) {
                    self.in_list = true;
                    self.out.markup(markup.len(), sink);
                    self.begin_json("", sink);
                } else {
                    self.begin_json(&markup, sink);
                }
            }
            Verdict::EmptyList => {
                self.enter_block(&gate, sink);
                let markup = self.opening(&gate);
                self.out.markup(markup.len(), sink);
                self.state = State::Between(Between::behind_list());
            }
            Verdict::Tag => {
                self.enter_block(&gate, sink);
                let markup = self.opening(&gate);
                self.begin_gated(&markup, &gate, sink);
            }
            Verdict::Named(payload) => {
                self.read_again(gate.held.split_off(payload));
                self.enter_block(&gate, sink);
                let markup = self.opening(&gate);
                self.begin_gated(&markup, &gate, sink);
            }
            Verdict::Closer(tag) => {
                let source = format!("{}{}", self.origin_marker(gate.id, gate.origin), gate.held);
                if !self.stray_closer(tag == Tag::CloseCall, &source, sink) {
                    self.reject_gate(gate, sink);
                }
            }
            Verdict::Ends(closer, ends) => self.settle_closer(gate, closer, ends, sink),
            Verdict::Pair => {
                let bytes = self.program.text.marker(gate.id).len() + gate.held.len();
                self.drop_empty_pair(bytes, sink);
            }
            Verdict::Broken(fault) => {
                self.read_again(gate.held.split_off(before));
                self.enter_block(&gate, sink);
                let markup = self.opening(&gate);
                self.begin_call(&markup, sink);
                self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            Verdict::Call => self.begin_unmarked(gate, sink),
            Verdict::NoCall { fits, goes_on }
                if gate.object_at.is_none() && gate.object.is_some() =>
            {
                if !fits {
                    self.read_again(gate.held.split_off(before));
                }
                self.let_go(gate, goes_on, sink);
            }
            Verdict::NoCall { .. } | Verdict::Reject | Verdict::More => {
                self.reject_gate(gate, sink);
            }
        }
    }

    /// An unmarked object is a call: it is read from its first character.
    fn begin_unmarked(&mut self, mut gate: Gate, sink: &mut dyn EventSink) {
        self.enter_block(&gate, sink);
        let marker = self.origin_marker(gate.id, gate.origin).to_owned();
        let framing = self.run.take_framing();
        let (markup, mut payload) = match gate.object_at {
            None => (framing, format!("{marker}{}", gate.held)),
            Some(at) => {
                let payload = gate.held.split_off(at);
                (format!("{framing}{marker}{}", gate.held), payload)
            }
        };
        self.wrapped = gate.object_at.is_some();
        if !payload.starts_with('[') {
            self.read_again(payload);
            return self.begin_json(&markup, sink);
        }
        // The bracket, and blanks up to the first call.
        let lead = payload.len() - payload.trim_start_matches(|c| c == '[' || is_blank(c)).len();
        self.read_again(payload.split_off(lead));
        self.in_list = true;
        self.out.markup(markup.len() + lead, sink);
        self.begin_json("", sink);
    }

    /// An unmarked object is no call: it is text, and nothing is looked for in the rest of it.
    fn let_go(&mut self, gate: Gate, goes_on: bool, sink: &mut dyn EventSink) {
        self.back_to(gate.origin);
        let text = format!("{}{}", self.origin_marker(gate.id, gate.origin), gate.held);
        self.channel_text(&text, sink);
        if let Some(object) = gate.object.filter(|_| goes_on) {
            self.state = State::Passing(Box::new(object.into_machine()));
        }
    }

    fn begin_gated(&mut self, markup: &str, gate: &Gate, sink: &mut dyn EventSink) {
        if let Some(tag) = &gate.tag {
            self.begin_tagged(markup, &tag.opened(), tag.wrapped, sink);
        }
    }

    /// The opener counts: what was open before it ends here.
    fn enter_block(&mut self, gate: &Gate, sink: &mut dyn EventSink) {
        self.enter_call(gate.origin, sink);
    }

    pub(super) fn enter_call(&mut self, origin: Origin, sink: &mut dyn EventSink) {
        self.end_hidden(sink);
        if origin == Origin::Reasoning {
            self.leave_reasoning_for_call(sink);
        }
    }

    /// Framing, marker and what was held: the markup that opened the call.
    fn opening(&mut self, gate: &Gate) -> String {
        let framing = match gate.origin {
            Origin::Text => self.run.take_framing(),
            Origin::Reasoning => String::new(),
        };
        format!("{framing}{}{}", self.origin_marker(gate.id, gate.origin), gate.held)
    }

    pub(crate) fn origin_marker(&self, id: MarkerId, origin: Origin) -> &str {
        match (origin, &self.program.reasoning) {
            (Origin::Reasoning, Some(family)) => family.table.marker(id),
            _ => self.program.text.marker(id),
        }
    }

    /// The opener is text: its first character goes out, the rest is read again.
    pub(super) fn reject_gate(&mut self, gate: Gate, sink: &mut dyn EventSink) {
        self.back_to(gate.origin);
        let marker = self.origin_marker(gate.id, gate.origin).to_owned();
        let first = marker.chars().next().map_or(0, char::len_utf8);
        let (head, tail) = marker.split_at_checked(first).unwrap_or((&marker, ""));
        self.channel_text(head, sink);
        let tail = tail.to_owned();
        // The last is read first.
        self.read_again(gate.held);
        self.read_again(tail);
    }

    /// A marker that does not count, straight from the scanner.
    pub(crate) fn reject_marker(&mut self, id: MarkerId, origin: Origin) {
        match (origin, &self.program.reasoning) {
            (Origin::Reasoning, Some(family)) => self.scanner.reject(&family.table.set, id),
            _ => self.scanner.reject(&self.program.text.set, id),
        }
    }

    pub(super) fn back_to(&mut self, origin: Origin) {
        self.scanner.reset();
        self.state = match origin {
            Origin::Text => State::Text,
            Origin::Reasoning => State::Reasoning,
        };
    }

    /// Begins a call segment; `markup` opened it and counts as its source.
    pub(crate) fn begin_call(&mut self, markup: &str, sink: &mut dyn EventSink) {
        let trusted = self.call.trusted;
        let arguments = self.rules.source_deltas.then(String::new);
        self.call = Call { trusted, arguments, ..Call::default() };
        self.calls += 1;
        self.out.call(CallClass::Generic, markup.len() as u64, sink);
        self.kept.begin(self.rules.keep_source);
        self.kept.push(markup);
    }

    /// The stream ends behind an opener: what was withheld is text.
    pub(crate) fn finish_gate(&mut self, gate: Gate, sink: &mut dyn EventSink) {
        if gate.object.is_some() && gate.object_at.is_none() {
            return self.let_go(gate, false, sink);
        }
        if let Phase::Closer(closer) = gate.phase {
            let ends = closer.at_end(&gate.held);
            return self.settle_closer(gate, closer, ends, sink);
        }
        if !gate.is_certain() {
            return self.reject_gate(gate, sink);
        }
        self.back_to(gate.origin);
        let source = format!("{}{}", self.origin_marker(gate.id, gate.origin), gate.held);
        let start = self.out.at + self.withheld() as u64;
        let span = Span::new(start, start + source.len() as u64);
        let message = "the stream ended before the call began; its source is text";
        self.out.diagnostic(TRUNCATED_CALL, span, message, sink);
        self.channel_text(&source, sink);
    }
}
