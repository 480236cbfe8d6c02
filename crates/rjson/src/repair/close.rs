//! Closing brackets: those that are there, those that are missing, and those that fit elsewhere.

use super::look::{Ahead, Seen};
use super::marks::{is_blank, is_closer, is_comma};
use super::{Repair, Shape, State, Step};
use crate::diagnostic::Code;
use crate::machine::Kind;

impl Repair {
    /// Whether an open container waits for this bracket.
    pub(super) fn closes_bracket(&self, c: char) -> bool {
        self.stack.suited(c).is_some()
    }

    /// A closing bracket.
    pub(super) fn close_step(&mut self, c: char) -> Step {
        let Some(place) = self.stack.suited(c) else {
            let span = self.take(c.len_utf8());
            self.mend_lead(Code::StrayCloser, span);
            return Ok(());
        };
        let above = self.stack.iter().skip(place + 1);
        let innermost = above.clone().all(|frame| frame.implied);
        let closes_root = place == 0;
        if !innermost && closes_root && self.more_follows()? {
            self.drop_lead(Code::TrailingComma, Code::MissingValue);
            let span = self.take(c.len_utf8());
            self.mend(Code::WrongCloser, span);
            self.pop_frame(span);
            return Ok(());
        }
        let doubled = self.stack.get(place).is_some_and(|frame| frame.doubled);
        let second = if doubled { self.second_brace()? } else { None };
        self.drop_lead(Code::TrailingComma, Code::MissingValue);
        let at = self.offset();
        while self.stack.len() > place + 1 {
            if self.top().is_some_and(|frame| !frame.implied) {
                self.mend(Code::WrongCloser, (at, at));
            }
            self.pop_frame((at, at));
        }
        let span = self.take(c.len_utf8());
        if let Some(second) = second {
            if second > 0 {
                self.blank(second, false);
            }
            let span = self.take(1);
            self.mend(Code::MissingBrace, span);
        }
        self.pop_frame(span);
        Ok(())
    }

    /// Whether a comma or a closing bracket follows the one at the front.
    fn more_follows(&self) -> Ahead<bool> {
        let mut look = self.look(1);
        look.skip_blanks()?;
        Ok(matches!(look.peek()?, Seen::Char(c) if is_comma(c) || is_closer(c)))
    }

    /// The blanks before the second one of two closing braces.
    fn second_brace(&self) -> Ahead<Option<usize>> {
        let mut look = self.look(1);
        while let Seen::Char(c) = look.peek()? {
            if !is_blank(c) {
                return Ok((c == '}').then_some(look.at()));
            }
            look.bump(c);
        }
        Ok(None)
    }

    /// Closes the innermost container; what it was a value of goes on.
    pub(super) fn pop_frame(&mut self, span: (u64, u64)) {
        let Some(frame) = self.stack.pop() else { return };
        self.guide_closes(span.0, frame.implied || span.0 < span.1);
        match frame.shape {
            Shape::Object => self.emit_fixed(Kind::ObjectEnd, span),
            Shape::Array => self.emit_fixed(Kind::ArrayEnd, span),
            Shape::Group => self.mend(Code::Sequence, span),
        }
        self.value_done();
    }

    /// The end of the input: closes what is open.
    pub(super) fn close_all(&mut self) -> Step {
        if matches!(self.state, State::Colon | State::Value) {
            return self.missing_value();
        }
        self.drop_lead(Code::TrailingComma, Code::DroppedKey);
        let at = self.offset();
        while let Some(frame) = self.top() {
            if !frame.implied {
                self.mend(Code::MissingCloser, (at, at));
            }
            self.pop_frame((at, at));
        }
        Ok(())
    }

    /// How much of `tail`, which ends the input, is text before exactly the closing brackets of all
    /// open containers; none if it does not end so.
    pub(super) fn before_closers(&self, tail: &str) -> Option<usize> {
        let mut rest = tail.trim_end_matches(is_blank);
        for frame in self.stack.iter().filter(|frame| !frame.implied) {
            for _ in 0..1 + usize::from(frame.doubled) {
                rest = rest.strip_suffix(frame.closer())?.trim_end_matches(is_blank);
            }
        }
        if rest.len() == tail.len() || self.stack.iter().all(|frame| frame.implied) {
            return None;
        }
        let rest = rest.strip_suffix(',').unwrap_or(rest);
        Some(rest.trim_end_matches(is_blank).len())
    }
}
