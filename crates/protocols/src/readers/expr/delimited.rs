//! Strings between the delimiters of the Gemma dialect: no escapes, everything is data.

use toolweir_rjson::{Kind, escape_into, escaped};

use super::frame::Slot;
use super::token::{Step, Stepped, Text};
use super::{ExprErrorKind, ExprMachine, State};

/// What the next character makes of a delimiter that is matched in part.
enum Match {
    More(usize),
    Whole,
    Not,
}

impl ExprMachine {
    fn match_delimiter(&self, matched: usize, c: char) -> Match {
        let rest = self.options.delimiter.as_ref().and_then(|delimiter| delimiter.get(matched..));
        match rest.and_then(|rest| rest.strip_prefix(c)) {
            Some("") => Match::Whole,
            Some(_) => Match::More(matched + c.len_utf8()),
            None => Match::Not,
        }
    }

    /// In what may be the delimiter before a string.
    pub(super) fn opening_delimiter<'c>(
        &mut self,
        matched: usize,
        input: &mut &'c str,
    ) -> Stepped<'c> {
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        match self.match_delimiter(matched, c) {
            Match::More(matched) => {
                self.bump(c, input);
                self.state = State::Delimiter(matched);
            }
            Match::Whole => {
                self.bump(c, input);
                self.held.clear();
                self.held_string = self.slot == Slot::Key;
                if !self.held_string {
                    self.put(Kind::StringStart, "\"", self.offset);
                }
                self.state = State::Delimited(0);
            }
            Match::Not => {
                // It is a text without quotes that begins like the delimiter.
                let start = self.held_start;
                self.begin_word();
                self.held_start = start;
                self.hold_delimiter(matched)?;
            }
        }
        Ok(Step::Again)
    }

    fn hold_delimiter(&mut self, matched: usize) -> Result<(), ExprErrorKind> {
        if self.held.len() + matched > self.options.max_held_bytes {
            return Err(ExprErrorKind::TooLarge);
        }
        let delimiter = self.options.delimiter.as_deref().unwrap_or_default();
        self.held.push_str(delimiter.get(..matched).unwrap_or_default());
        Ok(())
    }

    /// In a delimited string.
    pub(super) fn delimited<'c>(&mut self, matched: usize, input: &mut &'c str) -> Stepped<'c> {
        if matched == 0
            && let Some(step) = self.delimited_text(input)?
        {
            return Ok(step);
        }
        let Some(c) = self.peek(input) else { return Ok(Step::NeedMore) };
        match self.match_delimiter(matched, c) {
            Match::More(matched) => {
                self.bump(c, input);
                self.state = State::Delimited(matched);
            }
            Match::Whole => {
                self.bump(c, input);
                self.close_string();
            }
            Match::Not => {
                self.state = State::Delimited(0);
                if self.held_string {
                    self.hold_delimiter(matched)?;
                } else {
                    let delimiter = self.options.delimiter.as_deref().unwrap_or_default();
                    self.scratch.clear();
                    escape_into(&mut self.scratch, delimiter.get(..matched).unwrap_or_default());
                    let raw = self.raw_token(Kind::StringDelta, Text::Scratch, self.offset);
                    return Ok(Step::Token(raw));
                }
            }
        }
        Ok(Step::Again)
    }

    /// A string was read to its end.
    pub(super) fn close_string(&mut self) {
        if self.held_string {
            self.held_end = self.offset;
            self.state = State::AfterHeld;
        } else {
            self.after_text = false;
            self.put(Kind::StringEnd, "\"", self.offset);
            self.state = State::AfterValue;
        }
    }

    /// Text up to what may be the delimiter.
    fn delimited_text<'c>(
        &mut self,
        input: &mut &'c str,
    ) -> Result<Option<Step<'c>>, ExprErrorKind> {
        let first = self.delimiter_start();
        if !self.held_string && self.unread.is_empty() {
            let length = first.and_then(|first| input.find(first)).unwrap_or(input.len());
            return Ok(self.take_text(length, input).map(|text| self.delta(text)));
        }
        while let Some(c) = self.peek(input).filter(|c| Some(*c) != first) {
            if !self.held_string {
                self.scratch.clear();
                self.bump(c, input);
                escape_into(&mut self.scratch, c.encode_utf8(&mut [0; 4]));
                let raw = self.raw_token(Kind::StringDelta, Text::Scratch, self.offset);
                return Ok(Some(Step::Token(raw)));
            }
            self.hold(c)?;
            self.bump(c, input);
        }
        Ok(None)
    }

    /// Reads the first bytes of the input, if any.
    pub(super) fn take_text<'c>(&mut self, length: usize, input: &mut &'c str) -> Option<&'c str> {
        let (text, rest) = input.split_at_checked(length).filter(|(text, _)| !text.is_empty())?;
        *input = rest;
        self.offset += text.len() as u64;
        self.meter.add(text.len() as u64);
        Some(text)
    }

    /// A piece of a string that was just read.
    pub(super) fn delta<'c>(&mut self, text: &'c str) -> Step<'c> {
        // What is escaped is longer.
        let same = escaped(&mut self.scratch, text).len() == text.len();
        let text = if same { Text::Given(text) } else { Text::Scratch };
        Step::Token(self.raw_token(Kind::StringDelta, text, self.offset))
    }
}
