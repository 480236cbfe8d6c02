//! Calls, and what stands between and behind them inside a block.
//!
//! A block ends by structure, never by searching its end marker (C6). What cannot be read is given
//! back or hidden, and reading goes on at the byte that failed.

use std::sync::Arc;

use toolweir_markers::Anchored;
use toolweir_segments::{EventSink, Invocation, Outcome, Reason, Span, StreamEnd};

use super::call::{Ctx, Fault};
use super::kept::FloorBoundary;
use super::tag::{Lex, Tag, TagLexer, is_blank};
use super::{Engine, Resync, State};
use crate::diagnostics::{
    BAD_NAME, DENIED_KEY, LIMIT_CALL_BYTES, LIMIT_CALLS, MENDED_JSON, MISSING_CLOSER, STRAY_LIST,
    TRUNCATED_CALL, UNCLOSED_CALL, UNREADABLE_CALL,
};
use crate::payload::{Step, TaggedSpec};
use crate::program::{PayloadProgram, Program, Role};

/// Behind a call: blanks, separators, the next call, an end marker, a further opener.
#[derive(Debug, Default)]
pub(crate) struct Between {
    held: String,
    /// Where in `held` a marker or tag may begin.
    tail: Option<usize>,
    lexer: TagLexer,
    /// The list's closing bracket was read.
    list_closed: bool,
    /// The call is closed but waits for its end marker (`unclosed = text`), or a closer of its own
    /// is missing and only an end marker shows that it is whole.
    waiting: bool,
    /// A closer of the call is missing.
    unfinished: bool,
    /// Reading behind a further opener while waiting.
    beyond_opener: bool,
}

impl Between {
    pub(crate) fn behind_list() -> Self {
        Self { list_closed: true, ..Self::default() }
    }
}

enum Found {
    More,
    /// The next call of a list; the last character is its own.
    NextInList,
    /// A call tag.
    NextTag,
    /// A call tag whose name is none.
    BadTag,
    /// An end marker.
    Close,
    /// A further opener.
    Opener,
    /// Anything else.
    Other,
}

impl Engine {
    /// Begins a JSON call at the next character.
    pub(crate) fn begin_json(&mut self, markup: &str, sink: &mut dyn EventSink) {
        self.begin_call(markup, sink);
        let at = self.out.at;
        if let Some(reader) = &mut self.json {
            reader.begin(at);
        }
        self.state = State::Payload;
    }

    /// Begins a tagged call whose tag was read.
    pub(crate) fn begin_tagged(
        &mut self,
        markup: &str,
        name: &str,
        section: bool,
        sink: &mut dyn EventSink,
    ) {
        self.begin_call(markup, sink);
        self.in_list |= section;
        self.state = State::Payload;
        let named = self.ctx(sink).set_name(name.to_owned());
        if let Err(fault) = named {
            return self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        }
        let Some(mut reader) = self.tagged.take() else { return };
        reader.begin(&self.ctx(sink));
        self.tagged = Some(reader);
    }

    fn ctx<'a>(&'a mut self, sink: &'a mut dyn EventSink) -> Ctx<'a> {
        Ctx {
            out: &mut self.out,
            call: &mut self.call,
            kept: &mut self.kept,
            request: &self.request,
            names_declared: self.rules.names_declared,
            sink,
        }
    }

    pub(crate) fn read_payload(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let read = self.out.at - self.out.segment_start();
        let waiting = self.tagged.as_ref().map_or(0, |r| r.unaccounted(tagged(&self.program)));
        let used = usize::try_from(read).unwrap_or(usize::MAX).saturating_add(waiting);
        let room = self.request.limits.max_call_bytes.saturating_sub(used);
        let allowed = input.floor_char_boundary_up_to(room);
        let (mut now, later) = input.split_at_checked(allowed).unwrap_or((input, ""));
        let step = self.step_payload(&mut now, sink);
        let left = input.len() - later.len() - now.len();
        *input = input.get(left..).unwrap_or_default();
        match step {
            Step::More if !later.is_empty() => {
                self.release_reader();
                let fault = Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit");
                self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            Step::More => {}
            Step::Refeed => self.release_reader(),
            Step::Closed => {
                self.release_reader();
                self.call_closed(Reason::Closed, sink);
            }
            Step::ClosedByStructure => {
                self.release_reader();
                self.call_closed(Reason::ClosedByStructure, sink);
            }
            Step::Failed(fault) => {
                self.release_reader();
                self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            Step::NoCall(fault) => self.no_call(fault, sink),
        }
    }

    #[inline]
    fn step_payload(&mut self, input: &mut &str, sink: &mut dyn EventSink) -> Step {
        let Self { program, json, tagged: tags, out, call, kept, request, rules, .. } = self;
        let names_declared = rules.names_declared;
        let mut ctx = Ctx { out, call, kept, request, names_declared, sink };
        match (&program.payload, json, tags) {
            (Some(PayloadProgram::Json { keys, .. }), Some(reader), _) => {
                reader.step(input, keys, &mut ctx)
            }
            (Some(_), _, Some(reader)) => match tagged(program) {
                Some(spec) => reader.step(input, spec, &mut ctx),
                None => Step::Closed,
            },
            _ => Step::Closed,
        }
    }

    /// What the reader had read but not taken is the stream's again.
    fn release_reader(&mut self) {
        if let Some(reader) = &mut self.tagged {
            let held = reader.take_held(tagged(&self.program));
            self.read_again(held);
        }
    }

    /// The payload is closed.
    fn call_closed(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        let unfinished = reason == Reason::ClosedByStructure;
        // A tagged call without a wrapper is closed by its own tag: there is nothing to wait for.
        let closes_itself = self.tagged.is_some() && !self.in_list;
        let broken_object = unfinished && self.json.is_some();
        let waiting = broken_object || (!self.rules.accept_unclosed && !closes_itself);
        let between = Between { waiting, unfinished, ..self.between() };
        if !waiting {
            self.accept_call(&between, reason, sink);
        }
        self.state = State::Between(between);
    }

    /// The call stands, with a warning where a closer is missing.
    fn accept_call(&mut self, between: &Between, reason: Reason, sink: &mut dyn EventSink) {
        if between.unfinished {
            self.note_missing_closer(sink);
            return self.end_call(Reason::ClosedByStructure, sink);
        }
        self.end_call(reason, sink);
    }

    fn note_missing_closer(&mut self, sink: &mut dyn EventSink) {
        self.call.repaired = true;
        let message = "the call is whole, but a closing bracket or tag is missing";
        self.out.diagnostic(MISSING_CLOSER, Span::empty(self.out.at), message, sink);
    }

    fn between(&self) -> Between {
        let lexer = TagLexer::new(self.request.limits.max_name_bytes);
        Between { lexer, ..Between::default() }
    }

    /// The call stands: it is run.
    fn end_call(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        let call = std::mem::take(&mut self.call);
        if call.repaired && reason != Reason::ClosedByStructure && self.json.is_some() {
            let span = Span::new(self.out.segment_start(), self.out.at);
            let message = "the payload was not strict JSON; it was read in relaxed mode";
            self.out.diagnostic(MENDED_JSON, span, message, sink);
        }
        let outcome = if call.repaired { Outcome::Repaired } else { Outcome::Complete };
        self.out.end(outcome, reason, sink);
        self.kept.end();
        let mut invocation = Invocation::new(0, call.name.as_deref().unwrap_or_default());
        invocation.native_id = call.native_id.as_deref().map(Into::into);
        invocation.arguments = call.arguments.as_deref().map(Into::into);
        invocation.repaired = call.repaired;
        invocation.coerced = call.coerced;
        invocation.known = call.known;
        invocation.trusted = call.trusted;
        self.out.invocation(invocation, sink);
        self.call.trusted = call.trusted;
    }

    /// The call cannot be read: its source is text again, or stays hidden up to the next marker.
    pub(crate) fn fail(
        &mut self,
        fault: Fault,
        outcome: Outcome,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        let span = Span::new(self.out.segment_start(), self.out.at);
        self.out.diagnostic(fault.code, span, &fault.message, sink);
        self.scanner.reset();
        self.in_list = false;
        self.state = State::Text;
        // A denied key must not reach the reader as text either.
        if self.rules.keep_source && fault.code != DENIED_KEY {
            self.give_back(outcome, reason, sink);
            self.resync = Resync::Text;
        } else {
            self.kept.end();
            self.resync = Resync::Hidden;
        }
    }

    fn give_back(&mut self, outcome: Outcome, reason: Reason, sink: &mut dyn EventSink) {
        let blocks = self.kept.take();
        self.out.end_given_back(outcome, reason, sink);
        for block in &blocks {
            self.out.text(block, sink);
        }
        self.run.flow();
    }

    /// The object is closed but is no call. In a list only this element is lost.
    fn no_call(&mut self, fault: Fault, sink: &mut dyn EventSink) {
        if !self.in_list {
            return self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        }
        self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        self.end_hidden(sink);
        self.in_list = true;
        self.state = State::Between(self.between());
    }

    pub(crate) fn read_between(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Between(mut between) = std::mem::replace(&mut self.state, State::Text) else {
            return;
        };
        let program = Arc::clone(&self.program);
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            let before = between.held.len();
            between.held.push(c);
            let found = self.look_between(&mut between, before, c, &program);
            let too_long = between.held.len() > self.request.limits.max_held_bytes;
            match found {
                Found::More if !too_long => {}
                found => {
                    *input = chars.as_str();
                    return self.settle_between(between, before, found, sink);
                }
            }
        }
        *input = "";
        self.state = State::Between(between);
    }

    /// What the character just held makes of it.
    fn look_between(
        &self,
        between: &mut Between,
        before: usize,
        c: char,
        program: &Program,
    ) -> Found {
        if between.beyond_opener {
            return match c {
                _ if is_blank(c) => Found::More,
                '{' | '[' => Found::Opener,
                _ => Found::Other,
            };
        }
        if between.tail.is_none() {
            let json = self.json.is_some();
            match c {
                _ if is_blank(c) => return Found::More,
                '{' if json && self.in_list && !between.list_closed => return Found::NextInList,
                ']' if json && self.in_list && !between.list_closed => {
                    between.list_closed = true;
                    return Found::More;
                }
                '}' | ']' | ',' if json => return Found::More,
                _ => between.tail = Some(before),
            }
        }
        let start = between.tail.unwrap_or(before);
        let tail = between.held.get(start..).unwrap_or_default();
        // `</think>` where `</tool_call>` is due: a closing tag, only the wrong one.
        let foreign_closers = self.json.is_some()
            && !between.waiting
            && program.between.closers().any(|m| m.starts_with("</"));
        let lexed = match tagged(program) {
            Some(spec) => between.lexer.feed(c, spec.call_word, spec.param_word),
            None => Lex::No,
        };
        match (lexed, program.between.set.match_at(tail)) {
            (Lex::Tag(Tag::OpenCall), _) => Found::NextTag,
            (Lex::Bad, _) => Found::BadTag,
            (_, Anchored::None) if foreign_closers && starts_closing_tag(tail) => {
                if c == '>' {
                    Found::Close
                } else {
                    Found::More
                }
            }
            (_, Anchored::Marker { id, may_grow: false, .. }) => {
                if !self.counts(self.out.at + start as u64, tail.len()) {
                    return Found::Other;
                }
                if program.between.role(id) == Role::Close { Found::Close } else { Found::Opener }
            }
            (Lex::More, _) | (_, Anchored::Prefix | Anchored::Marker { .. }) => Found::More,
            _ => Found::Other,
        }
    }

    fn settle_between(
        &mut self,
        mut between: Between,
        before: usize,
        found: Found,
        sink: &mut dyn EventSink,
    ) {
        let start = between.tail.unwrap_or(before);
        match found {
            Found::NextInList => {
                self.read_again(between.held.split_off(before));
                self.settle_waiting(&between, Reason::Closed, sink);
                self.out.markup(between.held.len(), sink);
                if self.too_many_calls(sink) {
                    return self.behind_block();
                }
                self.begin_json("", sink);
            }
            Found::NextTag | Found::BadTag => {
                let tag = between.held.split_off(start);
                self.settle_waiting(&between, Reason::ClosedByStructure, sink);
                self.out.markup(between.held.len(), sink);
                if self.too_many_calls(sink) {
                    self.behind_block();
                    return self.read_again(tag);
                }
                if matches!(found, Found::NextTag) {
                    let name = between.lexer.name().to_owned();
                    return self.begin_tagged(&tag, &name, self.in_list, sink);
                }
                self.begin_call(&tag, sink);
                let fault = Fault::new(BAD_NAME, "a call has no readable name");
                self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            Found::Close => {
                self.settle_waiting(&between, Reason::Closed, sink);
                self.out.markup(between.held.len(), sink);
                self.behind_block();
            }
            Found::Opener if between.waiting && !between.beyond_opener => {
                between.beyond_opener = true;
                self.state = State::Between(between);
            }
            Found::Opener => {
                self.settle_waiting(&between, Reason::ClosedByStructure, sink);
                self.behind_block();
                self.read_again(between.held);
            }
            Found::Other | Found::More => self.leave_block(between, sink),
        }
    }

    fn too_many_calls(&mut self, sink: &mut dyn EventSink) -> bool {
        let over = self.calls >= self.request.limits.max_calls;
        if over && !std::mem::replace(&mut self.limit_reported, true) {
            let message = "the turn has more calls than the limit; further ones are text";
            self.out.diagnostic(LIMIT_CALLS, Span::empty(self.out.at), message, sink);
        }
        over
    }

    fn settle_waiting(&mut self, between: &Between, reason: Reason, sink: &mut dyn EventSink) {
        if between.waiting {
            self.accept_call(between, reason, sink);
        }
    }

    /// The block goes on with something that is neither call nor marker: it is over.
    fn leave_block(&mut self, between: Between, sink: &mut dyn EventSink) {
        let broken_list = self.json.is_some() && self.in_list && !between.list_closed;
        if between.waiting {
            let fault = if between.unfinished {
                Fault::new(
                    UNREADABLE_CALL,
                    "the object of the call breaks off behind its arguments",
                )
            } else {
                Fault::new(UNCLOSED_CALL, "the call is not followed by its end marker")
            };
            self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        } else if broken_list {
            self.begin_call("", sink);
            let fault = Fault::new(STRAY_LIST, "a list of calls holds something that is no call");
            self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        } else {
            // A tagged call outside a wrapper has no block that could still be closed.
            self.unclosed_blocks += usize::from(self.json.is_some() || self.in_list);
            self.behind_block();
        }
        self.read_again(between.held);
    }
}

/// Whether the text is a closing tag, or the beginning of one.
fn starts_closing_tag(text: &str) -> bool {
    let Some(name) = text.strip_prefix("</") else { return false };
    let name = name.strip_suffix('>').unwrap_or(name);
    name.len() <= 64
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'))
}

/// The parts of a tagged program that its reader needs.
fn tagged(program: &Program) -> Option<TaggedSpec<'_>> {
    match &program.payload {
        Some(PayloadProgram::Tagged { call_word, param_word, trim, value }) => Some(TaggedSpec {
            call_word,
            param_word,
            trim: *trim,
            value,
            between: &program.between,
        }),
        _ => None,
    }
}

/// The end of the stream.
impl Engine {
    pub(crate) fn finish_stream(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        loop {
            match std::mem::replace(&mut self.state, State::Text) {
                State::Gate(gate) => self.finish_gate(gate, sink),
                State::Payload => self.finish_payload(end, sink),
                State::Between(between) => self.finish_between(between, sink),
                channel => {
                    self.state = channel;
                    if self.finish_channel(sink) {
                        break;
                    }
                }
            }
            self.feed("", sink);
        }
        self.end_hidden(sink);
        if matches!(self.state, State::Reasoning) {
            self.close_reasoning(sink);
        }
        self.run.end(&mut self.out, sink);
        self.out.close(sink);
        self.out.overflow(sink);
        sink.event(toolweir_segments::Event::Finish);
    }

    /// The stream ends inside a payload: accepted only where it is whole.
    fn finish_payload(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        let whole = self.payload_is_whole(end, sink);
        match whole {
            Ok(true) if self.rules.accept_unclosed => {
                self.note_missing_closer(sink);
                self.end_call(Reason::ClosedByStructure, sink);
                self.behind_block();
            }
            Err(fault) => self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink),
            Ok(whole) => {
                let (code, message) = if whole {
                    (UNCLOSED_CALL, "the stream ended before the call was closed")
                } else {
                    (TRUNCATED_CALL, "the stream ended inside the call")
                };
                self.release_truncated(Fault::new(code, message), sink);
            }
        }
    }

    fn release_truncated(&mut self, fault: Fault, sink: &mut dyn EventSink) {
        let held = self.tagged.as_mut().map(|r| r.take_held(tagged(&self.program)));
        if let Some(held) = held {
            let mut ctx = self.ctx(sink);
            ctx.consumed(&held);
        }
        let hidden = !self.rules.keep_source;
        self.fail(fault, Outcome::Truncated, Reason::StreamEnd, sink);
        self.resync = Resync::No;
        if hidden {
            self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
        }
    }

    /// Whether what is open of the call is only its closers.
    fn payload_is_whole(
        &mut self,
        end: StreamEnd,
        sink: &mut dyn EventSink,
    ) -> Result<bool, Fault> {
        let program = Arc::clone(&self.program);
        if let Some(reader) = self.json.take() {
            let whole = reader.is_settled(&self.ctx(sink));
            self.json = Some(reader);
            return Ok(whole);
        }
        let (Some(mut reader), Some(spec)) = (self.tagged.take(), tagged(&program)) else {
            return Ok(false);
        };
        let stopped = end == StreamEnd::Stop;
        let settled = if stopped && self.rules.accept_unclosed {
            reader.finish(spec, &mut self.ctx(sink))
        } else {
            Ok(false)
        };
        self.tagged = Some(reader);
        settled
    }

    /// The stream ends behind a call: a cut end marker is a missing one.
    fn finish_between(&mut self, between: Between, sink: &mut dyn EventSink) {
        if between.waiting && self.rules.accept_unclosed {
            self.accept_call(&between, Reason::ClosedByStructure, sink);
        } else if between.waiting {
            let fault = Fault::new(UNCLOSED_CALL, "the stream ended before the end marker");
            self.release_truncated(fault, sink);
            self.behind_block();
            self.run.flow();
            return self.read_again(between.held);
        }
        let start = between.tail.unwrap_or(between.held.len());
        let tail = between.held.get(start..).unwrap_or_default();
        let cut_closer = self.program.between.closers().any(|c| c.starts_with(tail));
        if tail.is_empty() || cut_closer {
            self.out.markup(between.held.len(), sink);
            return self.behind_block();
        }
        self.behind_block();
        self.read_again(between.held);
    }
}
