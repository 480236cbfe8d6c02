//! The end of the stream: everything undecided is decided, and cut-off calls are never run.

use std::sync::Arc;

use toolweir_segments::{Event, EventSink, Outcome, Reason, Span, StreamEnd};

use super::between::Between;
use super::call::Fault;
use super::calls::{json, tagged};
use super::out::Open;

use super::{Engine, Resync, State};
use crate::diagnostics::{TRUNCATED_CALL, UNCLOSED_CALL};
use crate::payload::{ElementReader, Step, Whole};
use crate::spec::Recovery;

impl Engine {
    pub(crate) fn finish_stream(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        loop {
            match std::mem::replace(&mut self.state, State::Text) {
                State::Gate(gate) => self.finish_gate(gate, sink),
                State::Named(gate) => self.finish_named(gate, sink),
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
        sink.event(Event::Finish);
    }

    /// The stream ends inside a payload: accepted only where it is whole.
    fn finish_payload(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        let whole = match self.finish_json(sink) {
            // The call it carried has ended, or none has begun.
            Some(Step::More | Step::ClosedByStructure)
                if self.carries_text() && self.out.open != Open::Call =>
            {
                return self.behind_block();
            }
            None => self.payload_is_whole(end, sink),
            Some(Step::More) => Ok(Whole::No),
            // What was held back is the stream's again: an end marker may be in it.
            Some(step) if self.json.as_ref().is_some_and(|reader| reader.unaccounted() > 0) => {
                return self.settle_step(step, sink);
            }
            Some(Step::ClosedByStructure) => Ok(Whole::Unclosed),
            Some(step) => return self.settle_step(step, sink),
        };
        match whole {
            Ok(Whole::Closed) => {
                self.end_call(Reason::ClosedByStructure, sink);
                self.behind_block();
                self.release_reader();
            }
            Ok(Whole::Unclosed) if self.rules.accept_unclosed => {
                self.note_missing_closer(sink);
                self.end_call(Reason::ClosedByStructure, sink);
                self.behind_block();
                self.release_reader();
            }
            Err(fault) => {
                self.release_reader();
                self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink);
            }
            Ok(whole) => {
                let (code, message) = if whole == Whole::Unclosed {
                    (UNCLOSED_CALL, "the stream ended before the call was closed")
                } else {
                    (TRUNCATED_CALL, "the stream ended inside the call")
                };
                self.release_truncated(Fault::new(code, message), sink);
            }
        }
    }

    /// What a JSON payload comes to at the end of the stream; `None`: the payload is none.
    fn finish_json(&mut self, sink: &mut dyn EventSink) -> Option<Step> {
        let program = Arc::clone(&self.program);
        let spec = json(&program).filter(|_| !self.in_element)?;
        let mut reader = self.json.take()?;
        let step = reader.finish(spec, &mut self.ctx(sink));
        self.json = Some(reader);
        Some(step)
    }

    fn release_truncated(&mut self, fault: Fault, sink: &mut dyn EventSink) {
        let element = self.element.as_mut().map(ElementReader::take_held);
        let held = self.tagged.as_mut().map(|r| r.take_held(tagged(&self.program))).or(element);
        if let Some(held) = held {
            let mut ctx = self.ctx(sink);
            ctx.consumed(&held);
        }
        if self.program.recovery == Recovery::DropPartial {
            let span = Span::new(self.out.segment_start(), self.out.at);
            self.out.diagnostic(fault.code, span, &fault.message, sink);
            self.kept.end();
            self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
            return self.behind_block();
        }
        let hidden = !self.rules.keep_source;
        self.fail(fault, Outcome::Truncated, Reason::StreamEnd, sink);
        self.resync = Resync::No;
        if hidden && self.out.open == Open::Call {
            self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
        }
    }

    /// Whether what is open of the call is only its closers.
    fn payload_is_whole(
        &mut self,
        end: StreamEnd,
        sink: &mut dyn EventSink,
    ) -> Result<Whole, Fault> {
        let program = Arc::clone(&self.program);
        if let Some(mut reader) = self.element.take() {
            let whole = reader.finish(end, self.rules.accept_unclosed, &mut self.ctx(sink));
            self.element = Some(reader);
            return whole;
        }
        let (Some(mut reader), Some(spec)) = (self.tagged.take(), tagged(&program)) else {
            return Ok(Whole::No);
        };
        let stopped = end == StreamEnd::Stop;
        let settled = if stopped && self.rules.accept_unclosed {
            reader.finish(spec, &mut self.ctx(sink))
        } else {
            Ok(false)
        };
        self.tagged = Some(reader);
        settled.map(|whole| if whole { Whole::Unclosed } else { Whole::No })
    }

    /// The stream ends behind a call: a cut end marker is a missing one.
    fn finish_between(&mut self, between: Between, sink: &mut dyn EventSink) {
        let Some(mut between) = self.close_at_end(between, sink) else { return };
        if between.waiting && self.rules.accept_unclosed {
            self.accept_call(&between, Reason::ClosedByStructure, sink);
        } else if between.waiting {
            let fault = Fault::new(UNCLOSED_CALL, "the stream ended before the end marker");
            self.release_truncated(fault, sink);
            self.behind_block();
            self.run.flow();
            return self.read_again(between.held);
        }
        if between.denied {
            self.end_denied(&mut between, sink);
        }
        let start = between.tail.unwrap_or(between.held.len());
        let tail = between.held.get(start..).unwrap_or_default();
        let free = tagged(&self.program).is_some_and(|spec| spec.words.free);
        let begins = |closer: &str| {
            let cut = closer.get(..tail.len());
            cut.is_some_and(|cut| cut == tail || (free && cut.eq_ignore_ascii_case(tail)))
        };
        let cut_closer = self.program.between.closers().any(begins);
        if tail.is_empty() || cut_closer {
            self.out.markup(between.held.len(), sink);
            return self.behind_block();
        }
        self.behind_block();
        self.read_again(between.held);
    }
}
