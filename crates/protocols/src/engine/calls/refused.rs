//! Calls that do not run: what becomes of their source, and where reading goes on.

use std::sync::Arc;

use toolweir_markers::{Piece, Scanner};
use toolweir_segments::{EventSink, Outcome, Reason, Span};

use super::too_long;
use crate::diagnostics::DENIED_KEY;
use crate::engine::call::{Fault, Limit};
use crate::engine::kept::FloorBoundary;
use crate::engine::out::Open;
use crate::engine::{Engine, ErrorRecovery, Reader, State};
use crate::program::PayloadProgram;

impl Engine {
    /// The call is longer than its limit: it is refused, and read to its end, so that what is data in it stays
    /// data. Its source is no longer kept.
    #[cold]
    pub(super) fn refuse_long(&mut self, sink: &mut dyn EventSink) {
        let refused = self.call.refused.get_or_insert_with(too_long);
        let (outcome, reason) = (Outcome::Abandoned, refused.reason(Reason::Rejected));
        let gives_back = self.rules.keep_source
            && !self.program.carries_text()
            && self.request.policies.deny_keys.is_empty();
        if gives_back {
            self.kept.give_back(outcome, reason, &mut self.out, &mut self.run, sink);
            self.kept.begin(true);
            self.call.limit = Limit::Shown;
        } else {
            self.kept.end();
            self.call.limit = Limit::Hidden;
        }
    }

    /// What has gone out of such a call counts as text.
    pub(super) fn flow_beyond(&mut self) {
        if self.call.limit == Limit::Shown {
            self.kept.flow(&mut self.run);
        }
    }

    /// The reader can read no more of a call beyond a limit. Its end is looked for; the fault: nothing tells it.
    #[cold]
    pub(super) fn begin_beyond(&mut self, fault: Fault) -> Option<Fault> {
        let Some(beyond) = self.active.as_deref().and_then(Reader::beyond) else {
            return Some(fault);
        };
        self.release_reader();
        self.call.refused.get_or_insert(fault);
        if self.call.limit == Limit::Within {
            self.call.limit = Limit::Beyond;
        }
        self.scanner.reset();
        self.state = State::Beyond(beyond);
        None
    }

    /// Reads the rest of a call beyond a limit, up to its last bracket, an end marker outside of its strings, or
    /// the end of the stream.
    #[cold]
    pub(in crate::engine) fn read_beyond(
        &mut self,
        input: &mut &str,
        end: bool,
        sink: &mut dyn EventSink,
    ) {
        let State::Beyond(mut beyond) = std::mem::replace(&mut self.state, State::Text) else {
            return;
        };
        let (program, mut scanner) =
            (Arc::clone(&self.program), std::mem::replace(&mut self.scanner, Scanner::new()));
        let table = &program.between;
        // No more is scanned than up to what may be the end: text after it is read once.
        let (all, mut now) = (*input, "");
        let closed = loop {
            let next = match end {
                true => scanner.finish(&table.set),
                false => scanner.next(&table.set, &mut now),
            };
            match next {
                None if input.is_empty() => break None,
                None => {
                    let close = input.find([')', ']', '}', '>']).map_or(input.len(), |at| at + 1);
                    (now, *input) = input.split_at_checked(close).unwrap_or((*input, ""));
                }
                Some(Piece::Text(text)) => {
                    self.examined.add(text.len() as u64);
                    let closed = beyond.take(text);
                    let (own, rest) =
                        text.split_at_checked(closed.unwrap_or(text.len())).unwrap_or((text, ""));
                    self.take_beyond(own, sink);
                    if closed.is_some() {
                        break Some((rest.to_owned(), true));
                    }
                }
                Some(Piece::Marker(id)) => {
                    let marker = table.marker(id);
                    let bracket = marker.starts_with([')', ']', '}']);
                    let closes = table.role(id).closes() && self.counts(self.out.at, marker);
                    if closes && !bracket && !beyond.inside() {
                        break Some((marker.to_owned(), false));
                    }
                    scanner.reject(&table.set, id);
                }
            }
        };
        let unread = now.len() + input.len();
        *input = all.get(all.len() - unread..).unwrap_or_default();
        self.flow_beyond();
        match closed {
            Some((mut again, whole)) => {
                again.extend(scanner.held(&table.set));
                self.read_again(again);
                let fault = self.call.refused.take().unwrap_or_else(too_long);
                match whole {
                    true => self.no_call(fault, sink),
                    false => self.fail(fault, sink),
                }
            }
            None if end => self.release_truncated(too_long(), sink),
            None => {
                self.scanner = scanner;
                self.state = State::Beyond(beyond);
            }
        }
    }

    /// Accounts for text of a call beyond a limit, which may pass the limit of its bytes there.
    fn take_beyond(&mut self, text: &str, sink: &mut dyn EventSink) {
        let (now, later) = match self.call.limit {
            Limit::Beyond => text.split_up_to(self.room_left()),
            _ => (text, ""),
        };
        self.ctx(sink).consumed(now);
        if !later.is_empty() {
            self.refuse_long(sink);
            self.ctx(sink).consumed(later);
        }
    }

    /// The call cannot be read: its source is text again, or stays hidden up to the next marker.
    pub(crate) fn fail(&mut self, fault: Fault, sink: &mut dyn EventSink) {
        self.fail_in(true, fault, Outcome::Abandoned, sink);
    }

    /// The same, of a call that may be cut off. `goes_on`: the end of its block may still come.
    pub(in crate::engine) fn fail_in(
        &mut self,
        goes_on: bool,
        fault: Fault,
        outcome: Outcome,
        sink: &mut dyn EventSink,
    ) {
        let limit = std::mem::take(&mut self.call.limit);
        let shown = limit == Limit::Shown;
        let open = self.out.open == Open::Call || shown;
        let reason = match outcome {
            Outcome::Truncated => Reason::StreamEnd,
            _ => fault.reason(Reason::Rejected),
        };
        let start = if open { self.out.segment_start() } else { self.out.at };
        let span = Span::new(start, self.out.at);
        let alone = self.program.calls.unmarked && !self.marked || !self.end_marker_due;
        self.scanner.reset();
        if goes_on && open && !alone {
            // The error is about all of the block.
            self.out.hold_error(fault.code, span, fault.message);
        } else {
            self.out.diagnostic(fault.code, span, &fault.message, sink);
        }
        if !open {
            // Only what carried a call is broken: what was shown stays.
            self.out.close(sink);
            self.kept.end();
            return self.after_block();
        }
        self.recover_in_block = std::mem::take(&mut self.in_list);
        self.state = State::Text;
        // A denied key must not reach the reader as text either.
        let hides = self.program.carries_text() || fault.code == DENIED_KEY;
        let gives_back = self.rules.keep_source && !hides && limit != Limit::Hidden;
        // The end of its wrapper may still come. What is text from its opener on is text to its end.
        let opened = std::mem::take(&mut self.section) && !(gives_back && self.opens_section);
        self.unclosed_blocks += usize::from(opened);
        if shown {
            self.kept.end();
            self.error_recovery = ErrorRecovery::Text;
        } else if gives_back {
            self.kept.give_back(outcome, reason, &mut self.out, &mut self.run, sink);
            self.error_recovery = ErrorRecovery::Text;
        } else {
            self.kept.end();
            self.error_recovery = ErrorRecovery::Hidden;
        }
        if alone {
            // No marker will come: reading goes on here.
            if self.out.open == Open::Call {
                self.out.end(outcome, reason, sink);
            }
            self.error_recovery = ErrorRecovery::No;
        }
    }

    /// The payload is closed but is no call. In a list, or after another call of its block, only this
    /// element is lost.
    pub(in crate::engine) fn no_call(&mut self, fault: Fault, sink: &mut dyn EventSink) {
        let closes_itself = self.payload_is(PayloadProgram::closes_itself);
        let hidden = match self.call.limit {
            Limit::Shown => false,
            Limit::Hidden => true,
            _ => !self.rules.keep_source || fault.code == DENIED_KEY,
        };
        // The end marker of a wrapper whose opener is hidden is so, too.
        let hides = hidden && !self.in_json;
        let (in_list, section) = (self.in_list, self.section && (closes_itself || hides));
        let further = self.further;
        let tagged = !self.in_json;
        // The end of its wrapper is text, as the opener is.
        let text = in_list && tagged && !closes_itself && fault.code != DENIED_KEY;
        let blocks = self.unclosed_blocks;
        let one_of_several = in_list || section || further;
        let ends_itself = self.payload_is(PayloadProgram::ends_itself);
        let goes_on = text || !(one_of_several || tagged || ends_itself);
        let wrapper = self.section;
        let several = goes_on && !tagged && self.may_hold_several();
        self.fail_in(goes_on, fault, Outcome::Abandoned, sink);
        if several {
            let mut between = self.between();
            between.refused = Some(std::mem::replace(&mut self.unclosed_blocks, blocks));
            self.section = wrapper;
            self.state = State::Between(between);
            return;
        }
        if goes_on && self.error_recovery != ErrorRecovery::No {
            return;
        }
        // Its end is after it.
        self.end_hidden(sink);
        if !one_of_several {
            return self.run.after_refused(hidden);
        }
        self.in_list = in_list;
        if section {
            // The wrapper is still open.
            self.section = true;
            self.unclosed_blocks = blocks;
        }
        let mut between = self.between();
        between.opener_is_text = section && self.opens_section && !hidden;
        self.state = State::Between(between);
    }
}
