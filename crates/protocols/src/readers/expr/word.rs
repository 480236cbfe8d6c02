//! Scalars and names without quotes.

use toolweir_rjson::{Kind, escape_into};

use super::frame::Slot;
use super::lookahead::is_prefix;
use super::number::{self, Scalar};
use super::token::{Step, Stepped, Text};
use super::{ExprErrorKind, ExprMachine, NoteKind, State};

impl ExprMachine {
    pub(super) fn begin_word(&mut self) {
        self.held.clear();
        self.held_start = self.offset;
        self.held_string = false;
        self.state = State::Word;
    }

    /// Reads on in a text without quotes, up to the character that ends it.
    pub(super) fn word<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let gemma = !self.is_python();
        let round = self.is_round();
        let next = loop {
            let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
            let ends = match (gemma, self.slot) {
                (false, _) => !is_word(c),
                (true, Slot::Key) => {
                    matches!(c, ':' | ',' | '{' | '}' | '[' | ']') || c == '=' || round && c == ')'
                }
                (true, _) => matches!(c, ',' | '}' | ']') || round && c == ')',
            };
            if ends {
                break c;
            }
            self.hold(c)?;
            self.bump(c, input);
        };
        if gemma {
            self.held.truncate(self.held.trim_end().len());
            self.check_text();
        } else if matches!(next, '\'' | '"') && is_prefix(&self.held) {
            if self.slot == Slot::Member {
                self.positional()?;
            }
            let prefix = std::mem::take(&mut self.held);
            self.open_quote(next, &prefix, input);
            return Ok(Step::Again);
        }
        self.held_end = self.offset;
        if self.slot == Slot::Value {
            self.scalar()?;
            self.state = State::AfterValue;
        } else {
            self.state = State::AfterHeld;
        }
        Ok(Step::Again)
    }

    /// Queues the held text as a value.
    pub(super) fn scalar(&mut self) -> Result<(), ExprErrorKind> {
        let (start, end) = (self.held_start, self.held_end);
        if self.held_string {
            self.put_text(end);
            return Ok(());
        }
        let scalar = if !self.is_python() {
            self.wire.clone_from(&self.held);
            let scalar = number::gemma(&self.held);
            self.after_text = scalar == Scalar::Text;
            if std::mem::take(&mut self.text_next) { Scalar::Text } else { scalar }
        } else {
            number::python(&self.held, &mut self.wire)?
        };
        match scalar {
            Scalar::True => self.put(Kind::True, "true", end),
            Scalar::False => self.put(Kind::False, "false", end),
            Scalar::Null => self.put(Kind::Null, "null", end),
            Scalar::NonFinite => {
                self.note(NoteKind::NonFinite, start, end);
                self.put(Kind::Null, "null", end);
            }
            // Its spelling is all that a text has.
            Scalar::Number if self.is_python() && self.text_next && self.wire != self.held => {
                self.note(NoteKind::NumberText, start, end);
                self.put_text(end);
            }
            Scalar::Number => {
                let raw = self.raw_token(Kind::Number, Text::Wire, end);
                self.queue.push_back(raw);
            }
            Scalar::Text => {
                if self.is_python() {
                    self.note(NoteKind::LeadingZeros, start, end);
                }
                self.put_text(end);
            }
        }
        Ok(())
    }

    /// Queues the held text as a string.
    fn put_text(&mut self, end: u64) {
        self.put(Kind::StringStart, "\"", self.covered);
        if !self.held.is_empty() {
            self.wire.clear();
            escape_into(&mut self.wire, &self.held);
            let raw = self.raw_token(Kind::StringDelta, Text::Wire, end);
            self.queue.push_back(raw);
        }
        self.put(Kind::StringEnd, "\"", end);
    }
}

/// Whether a scalar or name without quotes may hold the character.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+')
}
