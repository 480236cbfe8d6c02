//! The end of the stream: everything undecided is decided, and cut-off calls are never run.

use toolweir_segments::{Event, EventSink, Outcome, Reason, Span, StreamEnd};

use super::between::Between;
use super::call::{Fault, Limit};
use super::out::Open;

use super::reader::{AtEnd, Step};
use super::tag::is_whitespace;
use super::{Engine, ErrorRecovery, State};
use crate::diagnostics::{TRUNCATED_CALL, UNCLOSED_CALL};
use crate::spec::Recovery;

impl Engine {
    pub(crate) fn finish_stream(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        loop {
            if matches!(self.state, State::Text | State::Reasoning | State::Passing(_)) {
                if self.finish_channel(sink) {
                    break;
                }
            } else {
                match std::mem::replace(&mut self.state, State::Text) {
                    State::Lookahead(lookahead) => self.finish_lookahead(lookahead, sink),
                    State::Closed(held) => self.finish_surplus(held, sink),
                    State::Between(between) => self.finish_between(between, sink),
                    state @ State::Beyond(_) => {
                        self.state = state;
                        self.read_beyond(&mut "", true, sink);
                    }
                    _ => self.finish_payload(end, sink),
                }
            }
            self.feed("", sink);
        }
        self.end_hidden(sink);
        if matches!(self.state, State::Reasoning) {
            self.finish_reasoning(sink);
        }
        self.run.end(&mut self.out, sink);
        self.out.close(sink);
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }

    /// The stream ends inside a payload: accepted only where it is whole.
    fn finish_payload(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        let accept = self.rules.accept_unclosed;
        let at_end = self.with_reader(sink, |reader, ctx| reader.finish(end, accept, ctx));
        match at_end.unwrap_or(AtEnd::Cut) {
            // The call it carried has ended, or none has begun.
            AtEnd::Cut | AtEnd::Unclosed | AtEnd::Step(Step::ClosedByStructure)
                if self.program.carries_text() && self.out.open != Open::Call =>
            {
                self.after_block();
            }
            AtEnd::Step(Step::Refeed(text)) => {
                self.state = State::Payload;
                self.read_again(text);
            }
            AtEnd::Step(step) => self.resolve_step(step, sink),
            AtEnd::Whole | AtEnd::Unclosed if self.call.refused.is_some() => {
                self.resolve_step(Step::ClosedByStructure, sink);
            }
            AtEnd::Whole => self.end_at_end(sink),
            AtEnd::Unclosed if accept => {
                self.note_missing_end_marker(sink);
                self.end_at_end(sink);
            }
            AtEnd::Unclosed => {
                let message = "the stream ended before the call was closed";
                self.release_truncated(Fault::new(UNCLOSED_CALL, message), sink);
            }
            AtEnd::Cut => {
                let message = "the stream ended inside the call";
                self.release_truncated(Fault::new(TRUNCATED_CALL, message), sink);
            }
        }
    }

    /// The call stands as the stream leaves it.
    fn end_at_end(&mut self, sink: &mut dyn EventSink) {
        self.end_call(Reason::ClosedByStructure, sink);
        self.after_block();
        self.release_reader();
    }

    /// The stream has ended in the call. What is beyond a limit is refused for that.
    pub(super) fn release_truncated(&mut self, fault: Fault, sink: &mut dyn EventSink) {
        let beyond = self.call.limit != Limit::Within;
        let (fault, outcome) = match self.call.refused.take_if(|_| beyond) {
            Some(fault) => (fault, Outcome::Abandoned),
            None => (fault, Outcome::Truncated),
        };
        self.with_reader(sink, |reader, ctx| {
            let held = reader.take_held();
            ctx.consumed(&held);
        });
        if self.program.recovery == Recovery::DropPartial && !beyond {
            let span = Span::new(self.out.segment_start(), self.out.at);
            self.out.diagnostic(fault.code, span, &fault.message, sink);
            self.kept.end();
            self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
            return self.after_block();
        }
        let reason = match outcome {
            Outcome::Truncated => Reason::StreamEnd,
            _ => fault.reason(Reason::Rejected),
        };
        self.fail_in(false, fault, outcome, sink);
        self.error_recovery = ErrorRecovery::No;
        if self.out.open == Open::Call {
            self.out.end(outcome, reason, sink);
        }
    }

    /// The stream ends after a call: a cut end marker is a missing one.
    fn finish_between(&mut self, between: Between, sink: &mut dyn EventSink) {
        if let Some(unclosed_blocks) = between.refused {
            return self.go_on_refused(unclosed_blocks, between.held);
        }
        if between.opener_is_text {
            return self.close_refused(between.held);
        }
        let Some(mut between) = self.close_at_end(between, sink) else { return };
        if between.waiting && self.rules.accept_unclosed {
            self.accept_call(&between, Reason::ClosedByStructure, sink);
        } else if between.waiting {
            let fault = Fault::new(UNCLOSED_CALL, "the stream ended before the end marker");
            self.release_truncated(fault, sink);
            self.after_block();
            if !self.rules.keep_source {
                return self.out.markup(between.held.len(), sink);
            }
            self.run.flow();
            return self.read_again(between.held);
        }
        if between.denied {
            self.end_denied(&mut between, sink);
        }
        let start = between.tail.unwrap_or(between.held.len());
        let tail = between.held.get(start..).unwrap_or_default();
        let free = self.program.tagged().is_some();
        let begins = |end_marker: &str| {
            let cut = end_marker.get(..tail.len());
            cut.is_some_and(|cut| cut == tail || (free && cut.eq_ignore_ascii_case(tail)))
        };
        let cut_end_marker = self.program.between.end_markers().any(begins);
        // Text that waited for the end of its wrapper is text after all.
        let before = between.held.get(..start).unwrap_or_default();
        let noise = self.program.calls.noise && !before.chars().all(is_whitespace);
        if !noise && !between.cuts_fence(start) && (tail.is_empty() || cut_end_marker) {
            self.report_brackets(&between, start, sink);
            self.out.markup(between.held.len(), sink);
            return self.after_block();
        }
        self.end_block(between, sink);
    }
}
