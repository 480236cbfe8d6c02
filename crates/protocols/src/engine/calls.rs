//! Calls: how one begins, what its payload reader says, how it ends.
//!
//! A call ends by structure, never by searching its end marker (C6). What cannot be read is given
//! back or hidden, and reading goes on at the byte that failed.

use toolweir_segments::{EventSink, Invocation, Outcome, Reason, Span};

use super::between::Between;
use super::call::{Ctx, Fault};
use super::kept::FloorBoundary;
use super::{Engine, Resync, State};
use crate::diagnostics::{DENIED_KEY, LIMIT_CALL_BYTES, MENDED_JSON, MISSING_CLOSER};
use crate::payload::{Step, TaggedSpec};
use crate::program::{PayloadProgram, Program};

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
        if markup.len() > self.request.limits.max_call_bytes {
            let fault = Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit");
            return self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        }
        let Some(mut reader) = self.tagged.take() else { return };
        reader.begin(&self.ctx(sink));
        self.tagged = Some(reader);
    }

    pub(crate) fn ctx<'a>(&'a mut self, sink: &'a mut dyn EventSink) -> Ctx<'a> {
        Ctx {
            out: &mut self.out,
            call: &mut self.call,
            kept: &mut self.kept,
            request: &self.request,
            names_declared: self.rules.names_declared,
            sink,
        }
    }

    #[inline]
    pub(crate) fn read_payload(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let mut later = "";
        let room = self.room(input.len());
        let step = if input.len() <= room {
            self.step_payload(input, sink)
        } else {
            let allowed = input.floor_char_boundary_up_to(room);
            let (mut now, beyond) = input.split_at_checked(allowed).unwrap_or((input, ""));
            later = beyond;
            let step = self.step_payload(&mut now, sink);
            let left = input.len() - later.len() - now.len();
            *input = input.get(left..).unwrap_or_default();
            step
        };
        match step {
            Step::More if !later.is_empty() => {
                self.release_reader();
                let fault = Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit");
                self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            Step::More => {}
            Step::Refeed(text) => self.read_again(text),
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

    /// Bytes that the open call may still have; exact where `wanted` may be too many.
    #[inline]
    fn room(&self, wanted: usize) -> usize {
        let read = self.out.at - self.out.segment_start();
        let used = usize::try_from(read).unwrap_or(usize::MAX);
        let room = self.request.limits.max_call_bytes.saturating_sub(used);
        match (&self.tagged, tagged(&self.program)) {
            (Some(reader), Some(spec)) if room < wanted + reader.unaccounted_at_most(spec) => {
                room.saturating_sub(reader.unaccounted(spec))
            }
            _ => room,
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
    pub(crate) fn release_reader(&mut self) {
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
        let mut between = self.between();
        (between.waiting, between.unfinished) = (waiting, unfinished);
        if !waiting {
            self.accept_call(&between, reason, sink);
        }
        self.state = State::Between(between);
    }

    /// The call stands, with a warning where a closer is missing.
    pub(crate) fn accept_call(
        &mut self,
        between: &Between,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        if between.unfinished {
            self.note_missing_closer(sink);
            return self.end_call(Reason::ClosedByStructure, sink);
        }
        self.end_call(reason, sink);
    }

    pub(crate) fn note_missing_closer(&mut self, sink: &mut dyn EventSink) {
        self.call.repaired = true;
        self.call.noted = true;
        let message = "the call is whole, but a closing bracket or tag is missing";
        self.out.diagnostic(MISSING_CLOSER, Span::empty(self.out.at), message, sink);
    }

    pub(crate) fn between(&self) -> Between {
        Between::new(self.request.limits.max_name_bytes)
    }

    /// The call stands: it is run.
    pub(crate) fn end_call(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        let call = std::mem::take(&mut self.call);
        if call.repaired && !call.noted && self.json.is_some() {
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
}

/// The parts of a tagged program that its reader needs.
pub(crate) fn tagged(program: &Program) -> Option<TaggedSpec<'_>> {
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
