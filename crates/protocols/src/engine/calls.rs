//! Calls: how one begins, what its payload reader says, how it ends.
//!
//! A call ends by structure, never by searching its end marker (C6). What cannot be read is given
//! back or hidden, and reading goes on at the byte that failed.

use std::sync::Arc;

use toolweir_segments::{EventSink, Outcome, Reason, Span};

use super::between::Between;
use super::call::{Call, Ctx, Fault};
use super::kept::FloorBoundary;
use super::out::Open;
use super::tag_gate::Opened;
use super::{Engine, Resync, Rules, State};
use crate::diagnostics::{DENIED_KEY, LIMIT_CALL_BYTES, MISSING_CLOSER, UNREADABLE_CALL};
use crate::payload::{ElementCall, JsonReader, JsonSpec, Step, TaggedSpec};
use crate::program::{PayloadProgram, Program};
use crate::spec::{CallGate, JsonReading};

impl Engine {
    /// Begins a JSON call at the next character.
    pub(crate) fn begin_json(&mut self, markup: &str, sink: &mut dyn EventSink) {
        if self.carries_text() {
            self.begin_carrier(markup, sink);
        } else {
            self.begin_call(markup, sink);
        }
        self.in_element = false;
        let at = self.out.at;
        if self.json.is_none() {
            let spare = self.spare_json.take();
            let reading = JsonReading::Relaxed;
            let new = || JsonReader::new(&self.request.limits, reading);
            self.json = Some(spare.unwrap_or_else(new));
        }
        if let (Some(reader), Some(spec)) = (&mut self.json, json(&self.program)) {
            reader.begin(at, self.in_list, spec);
        }
        self.state = State::Payload;
    }

    /// Whether the payload is no call but holds one beside visible text.
    pub(crate) fn carries_text(&self) -> bool {
        let json = json(&self.program);
        json.is_some_and(|spec| !spec.keys.text.is_empty())
    }

    /// Begins an object that carries text and a call: no segment is open yet.
    fn begin_carrier(&mut self, markup: &str, sink: &mut dyn EventSink) {
        let trusted = self.call.trusted;
        let arguments = self.rules.source_deltas.then(String::new);
        self.call = Call { trusted, arguments, ..Call::default() };
        self.calls += 1;
        self.out.gather(markup.len(), sink);
    }

    /// Whether nothing shows the end of a call but the call itself.
    pub(crate) fn stands_alone(&self) -> bool {
        self.program.gate == CallGate::CallObject && !self.wrapped && !self.in_list
    }

    /// Begins a tagged call whose tag was read.
    pub(crate) fn begin_tagged(
        &mut self,
        markup: &str,
        opened: &Opened<'_>,
        section: bool,
        sink: &mut dyn EventSink,
    ) {
        self.begin_call(markup, sink);
        if self.json.is_some() {
            self.spare_json = self.json.take();
        }
        self.in_list |= section;
        self.state = State::Payload;
        let named = self.ctx(sink).set_name(opened.name.to_owned());
        if let Err(fault) = named {
            return self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        }
        if markup.len() > self.request.limits.max_call_bytes {
            let fault = Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit");
            return self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        }
        let Some(mut reader) = self.tagged.take() else { return };
        let wrapped = self.in_list;
        reader.begin(opened.word, wrapped, &self.ctx(sink));
        if opened.closed {
            reader.close(&mut self.ctx(sink));
        }
        self.tagged = Some(reader);
        if opened.closed {
            self.call_closed(Reason::Closed, sink);
        }
    }

    /// Begins a call of elements whose tag or line was read. `empty`: it is whole.
    pub(crate) fn begin_element(
        &mut self,
        markup: &str,
        name: &str,
        kind: ElementCall,
        sink: &mut dyn EventSink,
    ) {
        self.begin_call(markup, sink);
        self.in_element = true;
        self.state = State::Payload;
        let named = self.ctx(sink).set_name(name.to_owned());
        let Some(mut reader) = self.element.take() else { return };
        let program = std::sync::Arc::clone(&self.program);
        let begun = named.and_then(|()| reader.begin(kind, &program, &mut self.ctx(sink)));
        self.element = Some(reader);
        let over = markup.len() > self.request.limits.max_call_bytes;
        let fault = Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit");
        match if over { begun.and(Err(fault)) } else { begun } {
            Err(fault) if kind == ElementCall::Empty => self.no_call(fault, sink),
            Err(fault) => self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink),
            Ok(()) if kind == ElementCall::Empty => {
                self.element_closed(Reason::Closed, sink);
            }
            Ok(()) => {}
        }
    }

    /// A call of elements is closed by its own tag, or by what cannot belong to it.
    fn element_closed(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        self.end_call(reason, sink);
        self.behind_block();
    }

    pub(crate) fn ctx<'a>(&'a mut self, sink: &'a mut dyn EventSink) -> Ctx<'a> {
        let rules = self.rules();
        Ctx {
            out: &mut self.out,
            call: &mut self.call,
            kept: &mut self.kept,
            request: &self.request,
            rules,
            sink,
        }
    }

    /// The rules of the open call: a JSON call where tags are due must be declared.
    #[inline]
    fn rules(&self) -> Rules {
        let foreign = self.json.is_some() && self.tagged.is_some();
        Rules { names_declared: self.rules.names_declared || foreign, ..self.rules }
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
                let fault = Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit");
                let step = self.give_up_payload(sink).unwrap_or(Step::Failed(fault));
                self.settle_step(step, sink);
            }
            step => self.settle_step(step, sink),
        }
    }

    /// What the reader said comes to pass.
    #[inline]
    pub(crate) fn settle_step(&mut self, step: Step, sink: &mut dyn EventSink) {
        match step {
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
            Step::NoCall(fault) => {
                self.release_reader();
                self.no_call(fault, sink);
            }
        }
    }

    /// The open call is at its limit: what the reader holds is decided.
    fn give_up_payload(&mut self, sink: &mut dyn EventSink) -> Option<Step> {
        let program = Arc::clone(&self.program);
        let spec = json(&program)?;
        let mut reader = self.json.take()?;
        let step = reader.give_up(spec, &mut self.ctx(sink));
        self.json = Some(reader);
        step
    }

    /// Bytes that the open call may still have; exact where `wanted` may be too many.
    #[inline]
    fn room(&self, wanted: usize) -> usize {
        if self.carries_text() {
            // The call inside is measured at its end: where it begins depends on no chunk.
            return usize::MAX;
        }
        let read = self.out.at - self.out.segment_start();
        let used = usize::try_from(read).unwrap_or(usize::MAX);
        let held = self.json.as_ref().map_or(0, JsonReader::unaccounted);
        let room = self.request.limits.max_call_bytes.saturating_sub(used.saturating_add(held));
        if let Some(reader) = self.element.as_ref().filter(|_| self.in_element) {
            return room.saturating_sub(reader.unaccounted());
        }
        match (&self.tagged, tagged(&self.program)) {
            (Some(reader), Some(spec)) if room < wanted + reader.unaccounted_at_most(spec) => {
                room.saturating_sub(reader.unaccounted(spec))
            }
            _ => room,
        }
    }

    #[inline]
    fn step_payload(&mut self, input: &mut &str, sink: &mut dyn EventSink) -> Step {
        let rules = self.rules();
        let Self {
            program,
            json: reader,
            tagged: tags,
            element,
            in_element,
            out,
            call,
            kept,
            request,
            ..
        } = self;
        let mut ctx = Ctx { out, call, kept, request, rules, sink };
        if let Some(reader) = element.as_mut().filter(|_| *in_element) {
            return reader.step(input, &mut ctx);
        }
        match (reader, tags) {
            (Some(reader), _) => match json(program) {
                Some(spec) => reader.step(input, spec, &mut ctx),
                None => Step::Closed,
            },
            (_, Some(reader)) => match tagged(program) {
                Some(spec) => reader.step(input, spec, &mut ctx),
                None => Step::Closed,
            },
            _ => Step::Closed,
        }
    }

    /// What the reader had read but not taken is the stream's again.
    pub(crate) fn release_reader(&mut self) {
        if let Some(reader) = &mut self.json {
            let held = reader.take_held();
            self.read_again(held);
        }
        if let Some(reader) = &mut self.tagged {
            let held = reader.take_held(tagged(&self.program));
            self.read_again(held);
        }
        if let Some(reader) = &mut self.element {
            let held = reader.take_held();
            self.read_again(held);
        }
    }

    /// The payload is closed.
    fn call_closed(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        if self.in_element {
            return self.element_closed(reason, sink);
        }
        let unfinished = reason == Reason::ClosedByStructure;
        if self.carries_text() && self.out.open != Open::Call {
            self.out.close(sink);
            return match self.stands_alone() {
                true => self.behind_block(),
                false => self.state = State::Between(self.between()),
            };
        }
        if self.stands_alone() {
            if unfinished {
                let message = "the object of the call breaks off behind its arguments";
                let fault = Fault::new(UNREADABLE_CALL, message);
                return self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            self.end_call(reason, sink);
            return self.behind_block();
        }
        // A tagged call without a wrapper is closed by its own tag: there is nothing to wait for.
        let closes_itself = self.json.is_none() && !self.in_list;
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
        let json = self.json.is_some();
        self.ctx(sink).end_call(reason, json);
    }

    /// The call cannot be read: its source is text again, or stays hidden up to the next marker.
    pub(crate) fn fail(
        &mut self,
        fault: Fault,
        outcome: Outcome,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        let open = self.out.open == Open::Call;
        let start = if open { self.out.segment_start() } else { self.out.at };
        let span = Span::new(start, self.out.at);
        self.out.diagnostic(fault.code, span, &fault.message, sink);
        self.scanner.reset();
        if !open {
            // Only what carried a call is broken: what was shown stays.
            self.out.close(sink);
            self.kept.end();
            return self.behind_block();
        }
        let alone = self.program.gate == CallGate::CallObject;
        self.resync_in_block = std::mem::take(&mut self.in_list);
        self.state = State::Text;
        // A denied key must not reach the reader as text either.
        let gives_back = self.rules.keep_source && !self.carries_text();
        if gives_back && fault.code != DENIED_KEY {
            self.give_back(outcome, reason, sink);
            self.resync = Resync::Text;
        } else {
            self.kept.end();
            self.resync = Resync::Hidden;
        }
        if alone {
            // No marker will come: reading goes on here.
            if self.out.open == Open::Call {
                self.out.end(outcome, reason, sink);
            }
            self.resync = Resync::No;
            self.wrapped = false;
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
            self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            if self.in_element {
                // Its closing tag is behind it.
                self.end_hidden(sink);
            }
            return;
        }
        self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
        self.end_hidden(sink);
        self.in_list = true;
        self.state = State::Between(self.between());
    }
}

/// The parts of a JSON program that its reader needs.
pub(crate) fn json(program: &Program) -> Option<JsonSpec<'_>> {
    match &program.payload {
        Some(PayloadProgram::Json { keys, .. } | PayloadProgram::Yaml { foreign: keys }) => {
            Some(JsonSpec { keys, between: &program.between })
        }
        Some(PayloadProgram::Tagged(tagged)) => {
            tagged.json.as_ref().map(|keys| JsonSpec { keys, between: &program.between })
        }
        _ => None,
    }
}

/// The parts of a tagged program that its reader needs.
pub(crate) fn tagged(program: &Program) -> Option<TaggedSpec<'_>> {
    match &program.payload {
        Some(PayloadProgram::Tagged(tagged)) => Some(TaggedSpec {
            words: &tagged.words,
            trim: tagged.trim,
            value: &tagged.value,
            loose: &tagged.loose,
            between: &program.between,
        }),
        _ => None,
    }
}
