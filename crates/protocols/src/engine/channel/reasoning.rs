//! The channel of reasoning.

use toolweir_markers::{MarkerId, Piece};
use toolweir_segments::{EventSink, Span};

use crate::diagnostics::{CALL_IN_REASONING, WRONG_CLOSER};
use crate::engine::lookahead::Origin;
use crate::engine::{Engine, State};
use crate::program::{Role, has_word};
use crate::reasoning::ToolEnds;

impl Engine {
    pub(crate) fn begin_reasoning(&mut self, section: usize, opener: usize) {
        self.state = State::Reasoning;
        self.reasoning.begin(opener);
        self.reasoning.section = section;
        let family = self.program.reasoning.as_ref();
        self.framing.expect(family.and_then(|family| family.after_opener(section)));
    }

    pub(crate) fn expect_after_reasoning(&mut self, section: usize) {
        self.text_begins();
        self.run.reset(false);
        let family = self.program.reasoning.as_ref();
        self.framing.expect(family.and_then(|family| family.after_end_marker(section)));
    }

    pub(crate) fn read_reasoning(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let Self { program, scanner, out, reasoning, .. } = self;
        let Some(family) = &program.reasoning else {
            self.state = State::Text;
            return;
        };
        while let Some(piece) = scanner.next(&family.table.set, input) {
            match piece {
                Piece::Text(text) => reasoning.take(text, out, sink),
                Piece::Marker(id) => return self.reasoning_marker(id, sink),
            }
        }
    }

    /// A marker of the reasoning channel.
    #[inline(never)]
    pub(crate) fn reasoning_marker(&mut self, id: MarkerId, sink: &mut dyn EventSink) {
        let program = std::sync::Arc::clone(&self.program);
        let Some(family) = &program.reasoning else { return };
        let marker = family.table.marker(id);
        let start = self.out.at + self.withheld() as u64;
        if !self.counts(start, marker) {
            return self.scanner.reject(&family.table.set, id);
        }
        let opens_message =
            |opener: usize| program.calls.openers.get(opener).is_some_and(|o| o.opens_message);
        // Among several formats other sections know nothing of messages.
        let in_message = self.reasoning.in_message || program.alone.is_empty();
        match family.table.role(id) {
            Role::ReasonOpen(section) => {
                self.reasoning.reopen(marker.len(), &mut self.out);
                self.framing.expect(family.after_opener(section));
            }
            Role::ReasonClose(section) => {
                self.close_reasoning(section, marker.len(), sink);
            }
            Role::Close if in_message => {
                self.close_reasoning(self.reasoning.section, marker.len(), sink);
                let span = Span::new(start, start + marker.len() as u64);
                let message = format!("`{marker}` stands where the reasoning is to be closed");
                self.out.diagnostic(WRONG_CLOSER, span, &message, sink);
            }
            Role::ReasonEnd if self.may_end_reasoning(0, family.tool_ends) => {
                self.reasoning.close(&mut self.out, sink);
                self.state = State::Text;
                self.run.reset(false);
                self.run.take(marker, &mut self.out, sink);
            }
            Role::Stray if self.may_end_reasoning(0, family.tool_ends) => {
                self.reasoning.close(&mut self.out, sink);
                self.out.markup(marker.len(), sink);
                self.text_begins();
                self.run.reset(false);
            }
            Role::Open { opener, .. }
                if self.reasoning.is_in_code()
                    && program.calls.openers.get(opener).is_some_and(|o| o.outside_code) =>
            {
                return self.scanner.reject(&family.table.set, id);
            }
            Role::Open { framing, opener } => {
                if !opens_message(opener) && has_word(marker) {
                    self.reasoning.opener_inside.get_or_insert(start);
                }
                let ends = family.ends_at(marker);
                let counts = match opens_message(opener) {
                    true => in_message,
                    false => self.may_end_reasoning(framing, ends),
                };
                // Its first call may begin the next line, and end the section there.
                let wraps = program.calls.openers.get(opener).is_some_and(|o| o.may_wrap());
                self.reasoning.mid_line = !counts && wraps && self.may_end_reasoning(1, ends);
                if counts || self.reasoning.mid_line {
                    return self.begin_lookahead((id, opener), Origin::Reasoning, start, sink);
                }
                return self.scanner.reject(&family.table.set, id);
            }
            Role::CallOpen => {
                self.reasoning.opener_inside.get_or_insert(start);
                return self.scanner.reject(&family.table.set, id);
            }
            _ => return self.scanner.reject(&family.table.set, id),
        }
        self.leave_scanner(Origin::Reasoning);
    }

    /// The stream ends in the section: an opener of calls that did not end it is reported.
    pub(crate) fn finish_reasoning(&mut self, sink: &mut dyn EventSink) {
        self.reasoning.close(&mut self.out, sink);
        if let Some(start) = self.reasoning.opener_inside.take() {
            let message = "the reasoning is not closed, so what begins like a call in it is none";
            self.out.diagnostic(CALL_IN_REASONING, Span::empty(start), message, sink);
        }
    }

    fn close_reasoning(&mut self, section: usize, end_marker: usize, sink: &mut dyn EventSink) {
        self.reasoning.release(&mut self.out, sink);
        self.reasoning.add(end_marker, &mut self.out);
        self.reasoning.close(&mut self.out, sink);
        self.expect_after_reasoning(section);
    }

    fn may_end_reasoning(&self, framing: usize, tool_ends: ToolEnds) -> bool {
        self.reasoning.may_end(framing, &self.request.policies, tool_ends)
    }
}
