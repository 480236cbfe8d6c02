//! Behind an opener: does what follows make it one?
//!
//! Until that is known everything is withheld (C10: within the limits). If not, the opener's first
//! character is text and reading goes on right behind it (C5), in the channel it was found in.

use toolweir_markers::MarkerId;
use toolweir_segments::{CallClass, EventSink, Outcome, Reason, Span};

use super::between::Between;
use super::call::{Call, Fault};
use super::tag::{Lex, Tag, TagLexer, hold, is_blank};
use super::{Engine, State};
use crate::diagnostics::{BAD_NAME, STRAY_LIST, TRUNCATED_CALL};
use crate::limits::Limits;
use crate::program::{PayloadProgram, Program};

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
    /// Blanks, then a call tag.
    Tag,
    /// Thinking is switched off: blanks, then the closer of an empty section.
    EmptyPair,
}

/// The look-ahead.
#[derive(Debug)]
pub(crate) struct Gate {
    id: MarkerId,
    origin: Origin,
    phase: Phase,
    /// What follows the marker.
    held: String,
    /// Blanks at its start.
    blanks: usize,
    lexer: TagLexer,
    /// The tag has begun, in the marker or behind blanks.
    in_tag: bool,
    /// The marker opened a wrapper.
    section: bool,
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
    /// An empty reasoning section.
    Pair,
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
        program: &Program,
        limits: &Limits,
    ) -> Self {
        let phase = match &program.payload {
            Some(PayloadProgram::Json { list, .. }) => Phase::Json { list: *list },
            _ => Phase::Tag,
        };
        let mut lexer = TagLexer::new(limits.max_name_bytes);
        if let (true, Some(PayloadProgram::Tagged { call_word, param_word, .. })) =
            (tag, &program.payload)
        {
            // The marker is the beginning of the tag, framing newlines before it.
            for c in program.text.marker(id).trim_start().chars() {
                lexer.feed(c, call_word, param_word);
            }
        }
        let held = String::new();
        Self { id, origin, phase, held, blanks: 0, lexer, in_tag: tag, section: !tag }
    }

    pub(crate) fn empty_pair(id: MarkerId) -> Self {
        Self {
            id,
            origin: Origin::Text,
            phase: Phase::EmptyPair,
            held: String::new(),
            blanks: 0,
            lexer: TagLexer::new(0),
            in_tag: false,
            section: false,
        }
    }

    fn feed(&mut self, c: char, program: &Program) -> Verdict {
        match self.phase {
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
            Phase::Tag => self.feed_tag(c, program),
            Phase::EmptyPair => self.feed_pair(c, program),
        }
    }

    fn feed_tag(&mut self, c: char, program: &Program) -> Verdict {
        let Some(PayloadProgram::Tagged { call_word, param_word, .. }) = &program.payload else {
            return Verdict::Reject;
        };
        if !self.in_tag && is_blank(c) {
            return Verdict::More;
        }
        self.in_tag = true;
        match self.lexer.feed(c, call_word, param_word) {
            Lex::More => Verdict::More,
            Lex::Tag(Tag::OpenCall) => Verdict::Tag,
            Lex::Bad => Verdict::Broken(Fault::new(BAD_NAME, "a call has no readable name")),
            Lex::Tag(_) | Lex::No => Verdict::Reject,
        }
    }

    fn feed_pair(&mut self, c: char, program: &Program) -> Verdict {
        if is_blank(c) && self.blanks + 1 == self.held.len() {
            self.blanks += 1;
            return Verdict::More;
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
        self.phase == Phase::List || (self.phase == Phase::Tag && self.lexer.in_name())
    }
}

impl Engine {
    #[inline(never)]
    pub(crate) fn read_gate(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Gate(mut gate) = std::mem::replace(&mut self.state, State::Text) else { return };
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            let before = gate.held.len();
            #[cfg(feature = "meter")]
            {
                self.looked += c.len_utf8() as u64;
            }
            hold(&mut gate.held, c);
            let too_long = gate.held.len() > self.request.limits.max_held_bytes;
            match gate.feed(c, &self.program) {
                Verdict::More if too_long => {
                    *input = chars.as_str();
                    return self.reject_gate(gate, sink);
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
                self.begin_tagged(&markup, gate.lexer.name(), gate.section, sink);
            }
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
            Verdict::Reject | Verdict::More => self.reject_gate(gate, sink),
        }
    }

    /// The opener counts: what was open before it ends here.
    fn enter_block(&mut self, gate: &Gate, sink: &mut dyn EventSink) {
        self.end_hidden(sink);
        if gate.origin == Origin::Reasoning {
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
    fn reject_gate(&mut self, gate: Gate, sink: &mut dyn EventSink) {
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

    fn back_to(&mut self, origin: Origin) {
        self.scanner.reset();
        self.state = match origin {
            Origin::Text => State::Text,
            Origin::Reasoning => State::Reasoning,
        };
    }

    /// Begins a call segment; `markup` opened it and counts as its source.
    pub(crate) fn begin_call(&mut self, markup: &str, sink: &mut dyn EventSink) {
        let trusted = self.call.trusted;
        let source = self.request.policies.deltas == crate::policy::Deltas::Source;
        let arguments = source.then(String::new);
        self.call = Call { trusted, arguments, ..Call::default() };
        self.calls += 1;
        self.out.call(CallClass::Generic, markup.len() as u64, sink);
        self.kept.begin(self.rules.keep_source);
        self.kept.push(markup);
    }

    /// The stream ends behind an opener: what was withheld is text.
    pub(crate) fn finish_gate(&mut self, gate: Gate, sink: &mut dyn EventSink) {
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
