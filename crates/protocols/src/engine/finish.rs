//! The end of the stream: everything undecided is decided, and cut-off calls are never run.

use std::sync::Arc;

use toolweir_segments::{Event, EventSink, Outcome, Reason, StreamEnd};

use super::between::Between;
use super::call::Fault;
use super::calls::tagged;
use super::{Engine, Resync, State};
use crate::diagnostics::{TRUNCATED_CALL, UNCLOSED_CALL};

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
        sink.event(Event::Finish);
    }

    /// The stream ends inside a payload: accepted only where it is whole.
    fn finish_payload(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        let whole = self.payload_is_whole(end, sink);
        match whole {
            Ok(true) if self.rules.accept_unclosed => {
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
