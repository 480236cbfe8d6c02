//! Backslashes in strings.

use super::super::escape::{Fed, Value, pair};
use super::super::lookahead::{DATA, Doubt, Verdict};
use super::super::token::{Step, Stepped};
use super::super::{ExprErrorKind, ExprMachine, NoteKind, State};

impl ExprMachine {
    /// After a backslash.
    pub(in super::super) fn escape<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        let quote = c == self.string.quote && !self.string.triple;
        if self.escape.is_empty() && quote {
            self.bump(c, input);
            self.lookahead.begin(Doubt::Backslash);
            self.state = State::LoneBackslash;
            return Ok(Step::Again);
        }
        if self.string.raw {
            self.push('\\')?;
            self.state = State::Content;
            // A backslash keeps the next quote or backslash from meaning anything.
            if matches!(c, '\\' | '\'' | '"') {
                self.push(c)?;
                self.bump(c, input);
            }
            return Ok(self.flush());
        }
        match self.escape.feed(c) {
            Fed::More => self.bump(c, input),
            Fed::Done { value, taken } => {
                if taken {
                    self.bump(c, input);
                }
                self.state = State::Content;
                self.push_value(value)?;
                return Ok(self.flush());
            }
        }
        Ok(Step::Again)
    }

    fn push_value(&mut self, value: Value) -> Result<(), ExprErrorKind> {
        self.string.escapes |= value != Value::Invalid;
        self.string.literal_backslash |= value == Value::Invalid;
        self.string.control_escape |= matches!(value, Value::Char(c) if c.is_control());
        if let Some(high) = self.escape.high.take() {
            if let Value::Low(low) = value {
                return self.push(pair(high, low));
            }
            self.push_half()?;
        }
        match value {
            Value::Char(c) => self.push(c)?,
            Value::Nothing => {}
            Value::High(high) => self.escape.high = Some(high),
            Value::Low(_) => self.push_half()?,
            Value::Invalid | Value::Named => {
                let named = value == Value::Named;
                let kind = if named { NoteKind::NamedEscape } else { NoteKind::InvalidEscape };
                let text = self.escape.take_text();
                self.note_once(kind, self.offset - text.len() as u64 - 1);
                self.push('\\')?;
                text.chars().try_for_each(|c| self.push(c))?;
            }
        }
        Ok(())
    }

    /// Half of a surrogate pair stands alone.
    pub(super) fn push_half(&mut self) -> Result<(), ExprErrorKind> {
        self.note_once(NoteKind::LoneSurrogate, self.offset);
        self.push(char::REPLACEMENT_CHARACTER)
    }

    /// After a backslash and a quote. Quotes in a text come in pairs, so the second of a pair does
    /// not end the string; who has escaped one escapes all.
    pub(in super::super) fn lone_backslash<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let may_end = self.string.inner.is_multiple_of(2) && !self.string.escaped;
        let verdict = if may_end { self.look_ahead(input) } else { Some(DATA) };
        let Some(verdict) = verdict else { return Ok(Step::NeedMore) };
        if self.escape.high.take().is_some() {
            self.push_half()?;
        }
        if let Verdict::End { guess } = verdict {
            self.note_once(NoteKind::LoneBackslash, self.offset - 2);
            self.push('\\')?;
            let step = self.flush_to(self.offset - 1);
            self.end_string(guess);
            return Ok(step);
        }
        (self.string.escapes, self.string.escaped) = (true, true);
        self.count_quote(input);
        if self.string.raw {
            self.push('\\')?;
        }
        self.push(self.string.quote)?;
        self.state = State::Content;
        Ok(self.flush())
    }
}
