//! The two channels outside blocks, visible text and reasoning, and the look-ahead from them.

use std::sync::Arc;

use toolweir_markers::{MarkerId, MarkerSet, Piece};
use toolweir_segments::{Event, EventSink, StreamEnd};

use super::config::Config;
use super::decoder::{SegmentsDecoder, State};
use super::gate::{Gate, Verdict};
use crate::engine::{Framed, Steps, take_held};
use crate::program::Role;

impl SegmentsDecoder {
    pub(super) fn read_framing(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let framed = self.framing.read(input);
        self.settle_framing(framed, sink);
    }

    fn settle_framing(&mut self, framed: Framed, sink: &mut dyn EventSink) {
        let section = matches!(self.state, State::Reasoning).then_some(&mut self.reasoning);
        if let Some(text) = framed.settle(section, &mut self.out, sink) {
            self.read_again(text);
        }
    }

    #[inline]
    pub(super) fn read_text(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let Self { config, scanner, out, run, .. } = self;
        while let Some(piece) = scanner.next(&config.text.set, input) {
            match piece {
                Piece::Text(text) => run.take(text, out, sink),
                Piece::Marker(id) => return self.text_marker(id, sink),
            }
        }
    }

    #[inline(never)]
    fn text_marker(&mut self, id: MarkerId, sink: &mut dyn EventSink) {
        let config = Arc::clone(&self.config);
        let marker = config.text.set.marker(id);
        let start = self.out.at + self.run.blank.len() as u64;
        let role = config.text.role(id);
        let counts = match role {
            Role::ReasonClose(_) => !self.reasoning.off,
            Role::ReasonOpen(_) => !self.reasoning.off || start == 0,
            // Segment formats have no answers with markers of their own.
            Role::MessageOpen(_) | Role::MessageClose(_) => false,
            _ => true,
        };
        if !counts || !self.counts(start, marker.len()) {
            return self.scanner.reject(&config.text.set, id);
        }
        match role {
            Role::ReasonOpen(section) if self.reasoning.off => {
                let closers = config.section.as_ref().map_or(&[][..], |s| s.closers(section));
                let close = closers.first().map_or("", String::as_str);
                self.state = State::Gate(Box::new(Gate::empty_pair(marker, close)));
            }
            Role::ReasonOpen(section) => {
                self.run.end(&mut self.out, sink);
                self.out.close(sink);
                self.begin_reasoning(section, marker.len());
            }
            Role::ReasonClose(section) => {
                self.run.end(&mut self.out, sink);
                self.out.markup(marker.len(), sink);
                self.behind_reasoning(section);
            }
            // A call may begin.
            _ => return self.open_gate(id, &config.text.set, false, sink),
        }
        self.leave_scanner(&config.text.set);
    }

    fn begin_reasoning(&mut self, section: usize, opener: usize) {
        self.state = State::Reasoning;
        self.reasoning.begin(opener);
        let family = self.config.section.as_ref();
        self.framing.expect(family.and_then(|family| family.behind_opener(section)));
    }

    fn behind_reasoning(&mut self, section: usize) {
        self.state = State::Text;
        self.run.restart(false);
        let family = self.config.section.as_ref();
        self.framing.expect(family.and_then(|family| family.behind_closer(section)));
    }

    pub(super) fn read_reasoning(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let Self { config, scanner, out, reasoning, .. } = self;
        let Some(section) = &config.section else {
            self.state = State::Text;
            return;
        };
        while let Some(piece) = scanner.next(&section.table.set, input) {
            match piece {
                Piece::Text(text) => reasoning.take(text, out, sink),
                Piece::Marker(id) => return self.reasoning_marker(id, sink),
            }
        }
    }

    #[inline(never)]
    fn reasoning_marker(&mut self, id: MarkerId, sink: &mut dyn EventSink) {
        let config = Arc::clone(&self.config);
        let Some(section) = &config.section else { return };
        let (set, policies) = (&section.table.set, &self.request.policies);
        let marker = set.marker(id);
        let withheld = self.reasoning.withheld(&self.out);
        let start = self.out.at + withheld as u64;
        if !self.counts(start, marker.len()) {
            return self.scanner.reject(set, id);
        }
        match section.table.role(id) {
            Role::ReasonOpen(index) => {
                self.reasoning.reopen(marker.len(), &mut self.out);
                self.framing.expect(section.behind_opener(index));
            }
            Role::ReasonClose(index) => {
                self.reasoning.release(&mut self.out, sink);
                self.reasoning.add(marker.len(), &mut self.out);
                self.reasoning.close(&mut self.out, sink);
                self.behind_reasoning(index);
            }
            _ if self.reasoning.may_end(0, policies, section.tool_ends) => {
                return self.open_gate(id, set, true, sink);
            }
            _ => return self.scanner.reject(set, id),
        }
        self.leave_scanner(set);
    }

    /// Whether marker text counts where the source says which text came from special tokens.
    fn counts(&self, start: u64, len: usize) -> bool {
        self.intake.counts(self.request.policies.markers, start, len)
    }

    fn open_gate(
        &mut self,
        id: MarkerId,
        set: &MarkerSet,
        in_reasoning: bool,
        sink: &mut dyn EventSink,
    ) {
        let most = self.request.limits.max_calls;
        if self.blocks >= most || self.out.invocations as usize >= most {
            self.out.call_limit("text", sink);
            return self.scanner.reject(set, id);
        }
        let held = take_held(&mut self.scanner, set);
        self.state = State::Gate(Box::new(Gate::new(&self.config, in_reasoning)));
        // The look-ahead begins with the marker itself; what was read behind it comes next.
        self.read_again(format!("{}{held}", set.marker(id)));
    }

    /// What the scanner had read beyond a marker goes back to the stream.
    fn leave_scanner(&mut self, set: &MarkerSet) {
        let held = take_held(&mut self.scanner, set);
        self.read_again(held);
    }

    #[inline(never)]
    pub(super) fn read_gate(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Gate(mut gate) = std::mem::replace(&mut self.state, State::Text) else { return };
        let config: Arc<Config> = Arc::clone(&self.config);
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            *input = chars.as_str();
            match gate.feed(c, &config, &self.request.limits) {
                Verdict::More => {}
                Verdict::Reject => return self.reject_gate(*gate, sink),
                Verdict::Pass(_) if gate.is_empty_pair() => {
                    self.out.markup(gate.held.len(), sink);
                    self.account_gate(&gate);
                    return self.behind_reasoning(0);
                }
                Verdict::Pass(found) => {
                    self.account_gate(&gate);
                    if let Err(gate) = self.begin_block(found, gate, sink) {
                        self.give_back(*gate, sink);
                    }
                    return;
                }
            }
        }
        self.state = State::Gate(gate);
    }

    #[cfg_attr(not(feature = "meter"), allow(unused_variables, clippy::unused_self))]
    fn account_gate(&mut self, gate: &Gate) {
        #[cfg(feature = "meter")]
        self.looked.add(gate.looked.bytes());
    }

    fn reject_gate(&mut self, gate: Gate, sink: &mut dyn EventSink) {
        self.account_gate(&gate);
        self.give_back(gate, sink);
    }

    /// Behind a block: text, or the section the call was taken out of.
    pub(super) fn behind_block(&mut self) {
        if self.reasoning.resumes() {
            self.state = State::Reasoning;
        } else {
            self.state = State::Text;
            self.run.restart(true);
        }
    }

    /// The first character is what the channel carries, the rest is read again.
    fn give_back(&mut self, gate: Gate, sink: &mut dyn EventSink) {
        let mut first = gate.held;
        let rest = first.split_off(first.chars().next().map_or(0, char::len_utf8));
        if gate.in_reasoning {
            self.state = State::Reasoning;
            self.reasoning.take(&first, &mut self.out, sink);
        } else {
            self.state = State::Text;
            self.run.take(&first, &mut self.out, sink);
        }
        self.read_again(rest);
    }

    /// Everything undecided is decided.
    pub(super) fn finish_stream(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        loop {
            match std::mem::replace(&mut self.state, State::Text) {
                State::Gate(gate) => self.reject_gate(*gate, sink),
                State::Block(mut block) => {
                    let stops = end == StreamEnd::Stop;
                    let behind = stops.then(|| block.stop(&self.config, &mut self.out)).flatten();
                    match behind {
                        Some(behind) => {
                            self.state = State::Block(block);
                            self.read_again(behind);
                        }
                        None => self.finish_block(*block, end, sink),
                    }
                }
                channel => {
                    self.state = channel;
                    if self.finish_channel(sink) {
                        break;
                    }
                }
            }
            self.feed_all("", sink);
        }
        if matches!(self.state, State::Reasoning) {
            self.reasoning.close(&mut self.out, sink);
        }
        self.run.end(&mut self.out, sink);
        self.out.close(sink);
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }

    /// Undecided framing and beginnings of markers are text. False: there is more to read.
    fn finish_channel(&mut self, sink: &mut dyn EventSink) -> bool {
        if self.framing.is_active() {
            let framed = self.framing.finish();
            self.settle_framing(framed, sink);
            return false;
        }
        let config = Arc::clone(&self.config);
        let reasoning = matches!(self.state, State::Reasoning);
        let set = match &config.section {
            Some(section) if reasoning => &section.table.set,
            _ => &config.text.set,
        };
        while let Some(piece) = self.scanner.finish(set) {
            match piece {
                Piece::Text(text) if reasoning => self.reasoning.take(text, &mut self.out, sink),
                Piece::Text(text) => self.run.take(text, &mut self.out, sink),
                Piece::Marker(id) if reasoning => self.reasoning_marker(id, sink),
                Piece::Marker(id) => self.text_marker(id, sink),
            }
            let left = match self.state {
                State::Text => reasoning,
                State::Reasoning => !reasoning,
                State::Gate(_) | State::Block(_) => true,
            };
            if left || self.intake.is_pending() || self.framing.is_active() {
                return false;
            }
        }
        true
    }
}
