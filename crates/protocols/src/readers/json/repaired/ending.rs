//! How a call ends: by its markers, with the stream, or because it cannot be read.

use toolweir_markers::Piece;
use toolweir_rjson::Kind;

use super::doubt::{is_note_of_cut, may_go_on};
use super::{NOT_WHOLE, Repaired, broken};
use crate::diagnostics::UNREADABLE_CALL;
use crate::engine::{Fault, Step, is_whitespace};
use crate::readers::json::Reading;

impl Repaired {
    /// Whether the arguments of a call that its header has named have not begun.
    pub(super) fn is_before_arguments(&self, reading: &Reading<'_, '_>) -> bool {
        let begun = reading.call.depth > 0 || self.machine.unread().contains(['{', '[']);
        reading.spec.keys.args_only && !begun
    }

    /// Nothing stands between the header of the call and its end marker (policy 8).
    fn end_empty(&mut self, reading: &mut Reading<'_, '_>) -> Option<Step> {
        let mut ends = reading.spec.between.end_markers();
        let closed = ends.any(|end_marker| self.opener.starts_with(end_marker));
        if !closed
            || !self.is_before_arguments(reading)
            || self.covered > self.begun
            || !self.machine.unread().chars().all(is_whitespace)
        {
            return None;
        }
        let whitespace = self.machine.take_unread();
        self.pass_text(&whitespace, reading);
        let none = reading.call.no_arguments(reading.ctx);
        Some(none.map_or_else(Step::NoCall, |()| Step::Closed))
    }

    /// The payload ends after what was given, whole or not. None: its block is passed over.
    pub(super) fn end(&mut self, reading: &mut Reading<'_, '_>) -> Option<Step> {
        if let Some(step) = self.catch_up(reading) {
            return Some(step);
        }
        if self.passing.is_some() {
            return None;
        }
        if let Some(step) = self.end_empty(reading) {
            return Some(step);
        }
        let end = self.covered + self.machine.unread().len() as u64;
        // `null` in the place of arguments.
        let whole = self.is_before_arguments(reading) && !self.opener.is_empty();
        let fault = loop {
            reading.call.non_strict = self.machine.non_strict();
            let (token, source) = match self.machine.finish() {
                Ok(Some(sourced)) => sourced,
                Ok(None) => break Fault::new(UNREADABLE_CALL, NOT_WHOLE),
                Err(error) => break Fault::json(&error),
            };
            if std::mem::take(&mut self.bracket) && matches!(token.kind, Kind::ArrayStart) {
                continue;
            }
            self.covered += source.len() as u64;
            // What is made of the cut is refused, or said where the call is accepted.
            if is_note_of_cut(&token, end) {
                reading.call.consume(&token, source, reading.ctx);
                continue;
            }
            if may_go_on(&token, end) && !(whole && token.kind == Kind::Null) {
                reading.call.consume(&token, source, reading.ctx);
                break Fault::new(UNREADABLE_CALL, "the object of the call is not closed");
            }
            match self.doubt.token(&token, source, self.max_depth, reading) {
                Ok(()) if reading.call.over => return self.close(reading),
                Ok(()) => {}
                Err(fault) => break fault,
            }
        };
        let rest = self.machine.take_unread();
        self.pass_text(&rest, reading);
        Some(broken(fault, reading))
    }

    /// The stream ends inside the payload.
    pub(in crate::readers::json) fn finish(&mut self, reading: &mut Reading<'_, '_>) -> Step {
        if self.passing.is_some() {
            return self.finish_passing(reading);
        }
        let opener = std::mem::take(&mut self.opener);
        if let Some(step) = self.give(&opener, reading) {
            return step;
        }
        if self.passing.is_some() {
            return self.finish_passing(reading);
        }
        while let Some(piece) = self.scanner.finish(&reading.spec.between.set) {
            let step = match piece {
                Piece::Text(text) => self.give(text, reading),
                Piece::Marker(id) => match self.is_data(id, reading) {
                    Ok(true) => {
                        self.scanner.reject(&reading.spec.between.set, id);
                        None
                    }
                    Ok(false) if reading.spec.between.role(id).closes() => {
                        self.opener.push_str(reading.spec.between.marker(id));
                        self.end(reading)
                    }
                    Ok(false) => self.give(reading.spec.between.marker(id), reading),
                    Err(step) => {
                        self.opener.push_str(reading.spec.between.marker(id));
                        Some(step)
                    }
                },
            };
            if let Some(step) = step {
                self.hold_scanned(reading.spec);
                return step;
            }
            if self.passing.is_some() {
                return self.finish_passing(reading);
            }
        }
        self.end(reading).unwrap_or_else(|| self.finish_passing(reading))
    }

    /// The stream ends in a block that is passed over.
    fn finish_passing(&mut self, reading: &mut Reading<'_, '_>) -> Step {
        if let Some(step) = self.pass(&mut "", reading) {
            return step;
        }
        while let Some(piece) = self.scanner.finish(&reading.spec.between.set) {
            match piece {
                Piece::Text(text) => self.pass_text(text, reading),
                Piece::Marker(id) => self.pass_text(reading.spec.between.marker(id), reading),
            }
        }
        self.passing.take().map_or(Step::More, Step::Failed)
    }
}
