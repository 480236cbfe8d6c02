//! Calls: how one begins, what its payload reader says, how it ends.
//!
//! A call ends by structure, never by searching its end marker (C6). What cannot be read is given
//! back or hidden, and reading goes on at the byte that failed.

mod refused;

use toolweir_segments::{EventSink, Reason, Span};

use super::between::{Between, Surplus};
use super::call::{Call, Ctx, Fault, Limit};
use super::kept::FloorBoundary;
use super::out::Open;
use super::reader::{Begin, Reader, Shape, Step};
use super::{Engine, Rules, State};
use crate::diagnostics::{LIMIT_CALL_BYTES, MISSING_CLOSER, UNREADABLE_CALL};
use crate::policy::Names;
use crate::program::PayloadProgram;

impl Engine {
    /// Begins a call object at the next character. `list`: it is the first of a list, which the
    /// markup opens.
    pub(crate) fn begin_object(
        &mut self,
        reader: usize,
        markup: &str,
        list: bool,
        sink: &mut dyn EventSink,
    ) {
        let mut markup = markup;
        if list {
            self.in_list = true;
            self.out.markup(markup.len(), sink);
            markup = "";
        }
        let begin = Begin { in_list: self.in_list, ..Begin::default() };
        self.begin_payload(reader, markup, None, &begin, sink);
    }

    /// Begins a call that reader reads from the next character on. `name`: where the header has it.
    pub(crate) fn begin_payload(
        &mut self,
        reader: usize,
        markup: &str,
        name: Option<String>,
        begin: &Begin<'_>,
        sink: &mut dyn EventSink,
    ) {
        let payload = self.program.payloads.get(reader);
        if payload.is_some_and(PayloadProgram::owns_segment) {
            self.begin_unopened();
        } else if self.program.carries_text() {
            self.begin_unopened();
            self.out.gather(markup.len(), sink);
        } else {
            self.begin_call(markup, sink);
        }
        self.select(reader);
        self.state = State::Payload;
        self.call.native_id = self.pending_id.take();
        let mut begun = name.map_or(Ok(()), |name| self.ctx(sink).set_header_name(name));
        if begun.is_ok() {
            begun =
                self.with_reader(sink, |reader, ctx| reader.begin(begin, ctx)).unwrap_or(Ok(()));
        }
        if let Some(fault) = self.call.refused.take_if(|_| begin.shape == Shape::Empty) {
            begun = Err(fault);
        }
        let long = markup.len() > self.request.limits.max_call_bytes;
        if begun.is_ok() && long && begin.shape == Shape::Empty {
            begun = Err(too_long());
        }
        match begun {
            Err(fault)
                if begin.shape == Shape::Empty && self.payload_is(PayloadProgram::ends_itself) =>
            {
                self.no_call(fault, sink);
            }
            Err(fault) => self.fail(fault, sink),
            Ok(()) if begin.shape == Shape::Empty => self.call_closed(Reason::Closed, true, sink),
            Ok(()) => {}
        }
    }

    /// Begins a tagged call whose tag was read.
    pub(crate) fn begin_tagged(
        &mut self,
        markup: &str,
        name: String,
        word: &str,
        shape: Shape,
        section: bool,
        sink: &mut dyn EventSink,
    ) {
        self.in_list |= section;
        (self.marked, self.end_marker_due) = (true, true);
        self.asks_name = false;
        let begin = Begin { shape, word, in_list: self.in_list, ..Begin::default() };
        let name = self.request.tools.resolved(name);
        self.begin_payload(0, markup, Some(name), &begin, sink);
    }

    /// The reader of the calls from here on.
    pub(super) fn select(&mut self, reader: usize) {
        let before = std::mem::replace(&mut self.reader, reader);
        if before != reader && self.active.is_some() {
            let most = before.max(reader);
            if self.idle.len() <= most {
                self.idle.resize_with(most + 1, || None);
            }
            let active = self.idle.get_mut(reader).and_then(Option::take);
            let active = std::mem::replace(&mut self.active, active);
            if let Some(place) = self.idle.get_mut(before) {
                *place = active;
            }
        }
        if self.active.is_none() {
            self.active = (self.make)(&self.program, reader, &self.request.limits);
        }
        self.in_json = self.program.payloads.get(reader).is_some_and(PayloadProgram::is_json);
        self.call_rules = self.rules_of_call();
    }

    /// Whether the payload of the call is such a one.
    pub(super) fn payload_is(&self, what: fn(&PayloadProgram) -> bool) -> bool {
        self.program.payloads.get(self.reader).is_some_and(what)
    }

    /// Begins a call without a segment.
    pub(super) fn begin_unopened(&mut self) {
        let trusted = self.call.trusted;
        (self.end_markers, self.opener_after_call) = ([0; 4], false);
        let arguments = self.rules.source_deltas.then(String::new);
        self.call = Call { trusted, arguments, ..Call::default() };
        self.calls += 1;
    }

    /// Whether nothing shows the end of a call but the call itself.
    pub(crate) fn stands_alone(&self) -> bool {
        !self.end_marker_due && !self.in_list && !self.section
    }

    pub(crate) fn ctx<'a>(&'a mut self, sink: &'a mut dyn EventSink) -> Ctx<'a> {
        Ctx {
            out: &mut self.out,
            call: &mut self.call,
            kept: &mut self.kept,
            request: &self.request,
            rules: self.call_rules,
            tokens: Some((&self.intake, &self.program.special)),
            sink,
        }
    }

    /// The rules of the call that begins: a JSON call where tags are due must be declared.
    fn rules_of_call(&self) -> Rules {
        let foreign = self.in_json && self.program.tagged().is_some();
        let declared = match self.program.calls.unmarked && self.marked {
            // A marker shows that it is a call: the default for those without one does not count.
            true => self.request.policies.names == Some(Names::Declared),
            false => self.rules.names_declared,
        };
        let asks = self.asks_name && self.request.policies.names != Some(Names::Any);
        Rules { names_declared: declared || foreign || asks, ..self.rules }
    }

    /// Lets the reader of the open call work.
    #[inline]
    pub(crate) fn with_reader<T>(
        &mut self,
        sink: &mut dyn EventSink,
        work: impl FnOnce(&mut dyn Reader, &mut Ctx<'_>) -> T,
    ) -> Option<T> {
        if self.bypass.on {
            self.report_bypassed();
        }
        let Self { active, out, call, kept, request, intake, program, call_rules, .. } = self;
        let tokens = Some((&*intake, &program.special));
        let mut ctx = Ctx { out, call, kept, request, rules: *call_rules, tokens, sink };
        active.as_mut().map(|reader| work(&mut **reader, &mut ctx))
    }

    /// Whether the open call is within its limit, whatever of the input is its own.
    #[inline]
    pub(super) fn is_within_limit(&self) -> bool {
        let most = self.intake.received().saturating_sub(self.out.segment_start());
        most <= self.request.limits.max_call_bytes as u64
    }

    #[inline]
    pub(crate) fn read_payload(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        if self.is_within_limit() {
            let step = self.step_payload(input, sink);
            return self.resolve_step(step, sink);
        }
        if self.bypass.on {
            self.report_bypassed();
        }
        let (mut now, later) = input.split_up_to(self.room());
        let step = self.step_payload(&mut now, sink);
        self.flow_beyond();
        let left = input.len() - later.len() - now.len();
        *input = input.get(left..).unwrap_or_default();
        let step = match step {
            Step::More if !later.is_empty() => {
                let step = self.with_reader(sink, |reader, ctx| reader.at_limit(ctx)).flatten();
                if step.is_none() {
                    self.refuse_long(sink);
                }
                step.unwrap_or(Step::More)
            }
            step => step,
        };
        self.resolve_step(step, sink);
    }

    #[inline]
    fn step_payload(&mut self, input: &mut &str, sink: &mut dyn EventSink) -> Step {
        self.with_reader(sink, |reader, ctx| reader.step(input, ctx)).unwrap_or(Step::Closed)
    }

    /// What the reader said comes to pass.
    #[inline]
    pub(crate) fn resolve_step(&mut self, step: Step, sink: &mut dyn EventSink) {
        let step = match step {
            Step::Failed(fault) if fault.is_limit() => match self.begin_beyond(fault) {
                Some(fault) => Step::Failed(fault),
                None => return,
            },
            step => step,
        };
        let ends = !matches!(step, Step::More | Step::Refeed(_));
        let step = match self.call.refused.take_if(|_| ends) {
            Some(fault) if matches!(step, Step::Closed | Step::NoCall(_)) => Step::NoCall(fault),
            Some(fault) => Step::Failed(fault),
            None => step,
        };
        match step {
            Step::More => {}
            Step::Refeed(text) => self.read_again(text),
            Step::Closed => {
                self.release_reader();
                self.call_closed(Reason::Closed, false, sink);
            }
            Step::ClosedByStructure => {
                self.release_reader();
                self.call_closed(Reason::ClosedByStructure, false, sink);
            }
            Step::Failed(fault) => {
                self.release_reader();
                self.fail(fault, sink);
            }
            Step::NoCall(fault) => {
                self.release_reader();
                self.no_call(fault, sink);
            }
        }
    }

    /// Bytes that the open call may still have.
    fn room(&self) -> usize {
        let measured_at_end =
            self.program.carries_text() || self.payload_is(PayloadProgram::owns_segment);
        // Where a call inside begins depends on no chunk.
        if measured_at_end || self.call.limit != Limit::Within {
            return usize::MAX;
        }
        self.room_left()
    }

    fn room_left(&self) -> usize {
        let read = self.out.at - self.out.segment_start();
        let used = usize::try_from(read).unwrap_or(usize::MAX);
        let taken = self.active.as_deref().map_or(0, Reader::unaccounted);
        self.request.limits.max_call_bytes.saturating_sub(used).saturating_sub(taken)
    }

    /// What the reader had read but not taken is the stream's again.
    pub(crate) fn release_reader(&mut self) {
        if let Some(reader) = &mut self.active {
            let held = reader.take_held();
            self.read_again(held);
        }
    }

    /// The payload is closed. `empty`: by the tag that opened it.
    fn call_closed(&mut self, reason: Reason, empty: bool, sink: &mut dyn EventSink) {
        if reason == Reason::Closed && self.may_go_on(empty) {
            self.state = State::Closed(Surplus::NONE);
        } else {
            self.close_call(reason, sink);
        }
    }

    /// The payload is closed, and nothing of it follows.
    pub(super) fn close_call(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        if self.payload_is(PayloadProgram::ends_itself) {
            if !self.payload_is(PayloadProgram::owns_segment) {
                self.end_call(reason, sink);
            }
            return self.after_block();
        }
        let unfinished = reason == Reason::ClosedByStructure;
        if self.program.carries_text() && self.out.open != Open::Call {
            self.out.close(sink);
            return match self.stands_alone() {
                true => self.after_block(),
                false => self.state = State::Between(self.between()),
            };
        }
        let broken_object = unfinished && self.in_json;
        // What follows shows whether an object that lacks its bracket is whole.
        if self.stands_alone() && !broken_object {
            if unfinished {
                let message = "the call breaks off after its arguments";
                return self.fail(Fault::new(UNREADABLE_CALL, message), sink);
            }
            self.end_call(reason, sink);
            return self.after_call();
        }
        // Its closing delimiter is after it and no wrapper is open: nothing more is due.
        let reads_end_marker =
            reason == Reason::Closed && self.payload_is(PayloadProgram::reads_end_marker);
        if reads_end_marker && !self.section && !self.in_list {
            self.end_call(reason, sink);
            return self.after_call();
        }
        // A tagged call without a wrapper is closed by its own tag: there is nothing to wait for.
        let closes_itself = !self.in_json && !self.in_list;
        let waits = !self.rules.accept_unclosed && self.end_marker_due;
        let waiting = broken_object || (waits && !closes_itself);
        let mut between = self.between();
        between.grown = self.call.end_marker.take().unwrap_or_default();
        (between.waiting, between.unfinished) = (waiting, unfinished);
        if !waiting {
            self.accept_call(&between, reason, sink);
        }
        self.state = State::Between(between);
    }

    /// After a call for which nothing is due. An end marker that comes all the same is dropped from text, and
    /// is no reasoning either.
    pub(super) fn after_call(&mut self) {
        match self.reasoning.resume && !self.in_json {
            true => self.state = State::Between(self.between()),
            false => self.after_block(),
        }
    }

    /// The call stands, with a warning where an end marker is missing.
    pub(crate) fn accept_call(
        &mut self,
        between: &Between,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        if between.unfinished {
            self.note_missing_end_marker(sink);
            return self.end_call(Reason::ClosedByStructure, sink);
        }
        self.end_call(reason, sink);
    }

    pub(crate) fn note_missing_end_marker(&mut self, sink: &mut dyn EventSink) {
        self.call.repaired = true;
        self.call.noted = true;
        let message = "the call is whole, but a closing bracket or tag is missing";
        self.out.diagnostic(MISSING_CLOSER, Span::empty(self.out.at), message, sink);
    }

    pub(crate) fn between(&mut self) -> Between {
        let held = self.intake.buffer();
        self.between_with(held)
    }

    /// After a call, with what is held there.
    pub(crate) fn between_with(&self, held: String) -> Between {
        Between::new(held, self.request.limits.max_name_bytes)
    }

    /// The call stands: it is run.
    pub(crate) fn end_call(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        let json = self.in_json;
        self.ctx(sink).end_call(reason, json);
    }
}

pub(super) fn too_long() -> Fault {
    Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit")
}
