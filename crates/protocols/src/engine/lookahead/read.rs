//! The characters after an opener.

use toolweir_segments::EventSink;

use super::{Lookahead, Phase, Verdict};
use crate::engine::kept::FloorBoundary;
use crate::engine::matcher::TakenHeader;
use crate::engine::object::{Accepts, Decision};
use crate::engine::tag::hold_text;
use crate::engine::{Engine, State};

impl Engine {
    #[inline(never)]
    pub(crate) fn read_lookahead(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let mut state = std::mem::replace(&mut self.state, State::Text);
        let State::Lookahead(lookahead) = &mut state else { return };
        let verdict = self.read_verdict(lookahead, input);
        if matches!(verdict, Verdict::NeedMore) {
            *input = "";
            self.state = state;
        } else if let State::Lookahead(lookahead) = state {
            self.resolve_lookahead(lookahead, verdict, sink);
            // What stands after a header is not read again: it has not been read.
            *input = input.get(std::mem::take(&mut self.returnable)..).unwrap_or_default();
        }
    }

    /// What the text makes of it, if not all of the text is held without a verdict.
    fn read_verdict(&mut self, lookahead: &mut Lookahead, input: &str) -> Verdict {
        match self.take_header(lookahead, input) {
            TakenHeader::Header(matched, end) => {
                self.returnable = end;
                return Verdict::Header(matched);
            }
            TakenHeader::Text => return Verdict::NeedMore,
            TakenHeader::Nothing => {}
        }
        let mut rest = input;
        loop {
            rest = self.skip_header(lookahead, rest);
            if rest.is_empty() {
                return Verdict::NeedMore;
            }
            let before = rest;
            let most = self.request.limits.max_held_bytes;
            let room = most.saturating_sub(lookahead.held.len());
            let names_declared = self.rules.unmarked_declared;
            let accepts =
                Accepts { program: &self.program, request: &self.request, names_declared };
            let verdict = lookahead.feed(&mut rest, room, &accepts, &mut self.matcher);
            self.examined.add((before.len() - rest.len()).max(1) as u64);
            let verdict = match verdict {
                Verdict::NeedMore if lookahead.held.len() > most => {
                    Verdict::Object(Decision::Passes)
                }
                Verdict::NeedMore => continue,
                verdict => verdict,
            };
            self.returnable = input.len() - rest.len();
            return verdict;
        }
    }

    /// Takes the rest of a header, or the text that it goes on in.
    fn take_header(&mut self, lookahead: &mut Lookahead, text: &str) -> TakenHeader {
        if !(lookahead.marked && matches!(lookahead.phase, Phase::Header)) {
            return TakenHeader::Nothing;
        }
        let room = self.request.limits.max_held_bytes.saturating_sub(lookahead.held.len());
        let code = &self.program.calls.code;
        let (taken, seen) = self.matcher.take_header(&lookahead.held, text, room, code);
        self.examined.add(seen as u64);
        match taken {
            TakenHeader::Header(_, end) => {
                hold_text(&mut lookahead.held, text.get(..end).unwrap_or_default());
            }
            TakenHeader::Text => hold_text(&mut lookahead.held, text),
            TakenHeader::Nothing => {}
        }
        taken
    }

    /// Takes characters of a header that decide nothing.
    fn skip_header<'t>(&mut self, lookahead: &mut Lookahead, text: &'t str) -> &'t str {
        if !matches!(lookahead.phase, Phase::Header) {
            return text;
        }
        let room = self.request.limits.max_held_bytes.saturating_sub(lookahead.held.len());
        let (near, _) = text.split_up_to(room);
        let run = self.matcher.take_run(near, &self.program.calls.code);
        let (run, rest) = text.split_at_checked(run).unwrap_or(("", text));
        hold_text(&mut lookahead.held, run);
        self.examined.add(run.len() as u64);
        rest
    }
}
