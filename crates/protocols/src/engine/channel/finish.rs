//! The stream ends in a channel.

use toolweir_markers::Piece;
use toolweir_segments::EventSink;

use crate::engine::lookahead::Origin;
use crate::engine::{Engine, ErrorRecovery, State};
use crate::program::Table;

impl Engine {
    /// Whether the text is the beginning of an end marker after a call, and of nothing else. What the
    /// reader of a call looks for itself has been there.
    fn ends_in_end_marker(&self) -> bool {
        if self.scanner.is_idle()
            || !self.run.only_whitespace
            || self.error_recovery != ErrorRecovery::No
        {
            return false;
        }
        let table = &self.program.text;
        let held = self.scanner.held(&table.set).concat();
        let payloads = &self.program.payloads;
        let own = || payloads.iter().flat_map(|payload| payload.own_end_markers());
        let unread = |marker: &str| own().all(|own| own != marker);
        !self.program.calls.unmarked && table.begins_end_marker(&held, unread)
    }

    /// What is held of a marker of a message or section, if the end of the stream has cut it where it can
    /// be no text any more.
    fn cut_marker(&self, table: &Table) -> Option<String> {
        if self.scanner.is_idle() || self.error_recovery != ErrorRecovery::No || self.reasoning.off
        {
            return None;
        }
        let held = self.scanner.held(&table.set).concat();
        let start = self.out.at + self.withheld() as u64;
        let is_cut = table.begins_message(&held, &self.program.special);
        (is_cut && self.counts(start, &held)).then_some(held)
    }

    /// The stream ends in a channel: undecided framing and marker prefixes are text.
    pub(crate) fn finish_channel(&mut self, sink: &mut dyn EventSink) -> bool {
        if self.framing.is_active() {
            let framed = self.framing.finish();
            self.resolve_framing(framed, sink);
            self.feed("", sink);
        }
        let reasoning = matches!(self.state, State::Reasoning);
        let program = std::sync::Arc::clone(&self.program);
        let origin = if reasoning { Origin::Reasoning } else { Origin::Text };
        let table = origin.table(&program);
        if !reasoning && self.ends_in_end_marker() {
            let held = self.scanner.held_len(&table.set);
            self.scanner.reset();
            self.run.end(&mut self.out, sink);
            self.out.markup(held, sink);
        } else if let Some(held) = self.cut_marker(table) {
            self.scanner.reset();
            if reasoning {
                self.reasoning.release(&mut self.out, sink);
                self.reasoning.add(held.len(), &mut self.out);
            } else {
                self.drop_stray(&held, sink);
            }
        }
        while let Some(piece) = self.scanner.finish(&table.set) {
            match piece {
                Piece::Text(text) => self.channel_text(text, sink),
                Piece::Marker(id) if reasoning => self.reasoning_marker(id, sink),
                Piece::Marker(id) => self.text_marker(id, sink),
            }
            let same = reasoning == matches!(self.state, State::Reasoning);
            let channel = matches!(self.state, State::Reasoning | State::Text);
            if self.intake.is_pending() || !same || !channel || self.framing.is_active() {
                self.feed("", sink);
                return false;
            }
        }
        true
    }
}
