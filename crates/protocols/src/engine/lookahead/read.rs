//! The characters after an opener.

use std::sync::Arc;

use toolweir_segments::EventSink;

use super::{Lookahead, Matched, Phase, Verdict};
use crate::engine::kept::FloorBoundary;
use crate::engine::object::{Accepts, Decision};
use crate::engine::tag::hold_text;
use crate::engine::{Engine, State};
use crate::program::Program;

impl Engine {
    #[inline(never)]
    pub(crate) fn read_lookahead(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Lookahead(mut lookahead) = std::mem::replace(&mut self.state, State::Text)
        else {
            return;
        };
        let program = Arc::clone(&self.program);
        if let Some(matched) = self.take_header(&mut lookahead, input, &program) {
            self.resolve_header(lookahead, &matched, sink);
            *input = input.get(std::mem::take(&mut self.returnable)..).unwrap_or_default();
            return;
        }
        let mut rest = *input;
        loop {
            rest = self.skip_header(&mut lookahead, rest, &program);
            if rest.is_empty() {
                break;
            }
            let before = rest;
            let most = self.request.limits.max_held_bytes;
            let room = most.saturating_sub(lookahead.held.len());
            let names_declared = self.rules.unmarked_declared;
            let accepts = Accepts { program: &program, request: &self.request, names_declared };
            let verdict = lookahead.feed(&mut rest, room, &accepts, &mut self.matcher);
            self.examined.add((before.len() - rest.len()).max(1) as u64);
            let verdict = match verdict {
                Verdict::NeedMore if lookahead.held.len() > most => {
                    Verdict::Object(Decision::Passes)
                }
                Verdict::NeedMore => continue,
                verdict => verdict,
            };
            let taken = input.len() - rest.len();
            self.returnable = taken;
            self.resolve_lookahead(lookahead, verdict, sink);
            // What stands after a header is not read again: it has not been read.
            let returned = taken - std::mem::take(&mut self.returnable);
            *input = input.get(taken - returned..).unwrap_or_default();
            return;
        }
        *input = "";
        self.state = State::Lookahead(lookahead);
    }

    /// Takes a header that has come whole.
    fn take_header(
        &mut self,
        lookahead: &mut Lookahead,
        text: &str,
        program: &Program,
    ) -> Option<Matched> {
        if !(lookahead.marked && matches!(lookahead.phase, Phase::Header)) {
            return None;
        }
        let room = self.request.limits.max_held_bytes.saturating_sub(lookahead.held.len());
        let (near, _) = text.split_up_to(room);
        let code = &program.calls.code;
        let (header, seen) = self.matcher.take_header(&lookahead.held, near, code);
        self.examined.add(seen as u64);
        let (matched, end) = header?;
        hold_text(&mut lookahead.held, near.get(..end).unwrap_or_default());
        self.returnable = end;
        Some(matched)
    }

    /// Takes characters of a header that decide nothing.
    fn skip_header<'t>(
        &mut self,
        lookahead: &mut Lookahead,
        text: &'t str,
        program: &Program,
    ) -> &'t str {
        if !matches!(lookahead.phase, Phase::Header) {
            return text;
        }
        let room = self.request.limits.max_held_bytes.saturating_sub(lookahead.held.len());
        let (near, _) = text.split_up_to(room);
        let run = self.matcher.take_run(near, &program.calls.code);
        let (run, rest) = text.split_at_checked(run).unwrap_or(("", text));
        hold_text(&mut lookahead.held, run);
        self.examined.add(run.len() as u64);
        rest
    }
}
