//! Strings between the delimiters of the Gemma dialect: no escapes, everything is data.
//!
//! A call that breaks off in a string and is begun again closes that string with the delimiter that opens its own
//! first one. Such a string holds an opener and ends where a value is due: it is ambiguous (policy 30).

use toolweir_rjson::{Kind, escape_into, escaped};

use super::frame::Slot;
use super::token::{Step, Stepped, Text};
use super::{ExprErrorKind, ExprMachine, NoteKind, State};

/// What the next character makes of a delimiter that is matched in part.
enum Match {
    More(usize),
    Whole,
    Not,
}

/// Whether a text may be two calls, the first of which breaks off in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Restart {
    /// What may be an opener, in part.
    partial: String,
    has_opener: bool,
    /// The last character that is no whitespace.
    last: Option<char>,
}

impl Restart {
    fn begin(&mut self) {
        self.partial.clear();
        (self.has_opener, self.last) = (false, None);
    }

    fn feed(&mut self, mut text: &str, openers: &[String]) {
        self.last = text.trim_end().chars().next_back().or(self.last);
        while !self.has_opener {
            if self.partial.is_empty() {
                let begins = |c: char| openers.iter().any(|opener| opener.starts_with(c));
                text = text.find(begins).and_then(|at| text.get(at..)).unwrap_or_default();
            }
            let Some(c) = text.chars().next() else { return };
            text = text.get(c.len_utf8()..).unwrap_or_default();
            self.partial.push(c);
            while !openers.iter().any(|opener| opener.starts_with(&self.partial)) {
                self.partial.remove(0);
            }
            self.has_opener = openers.contains(&self.partial);
        }
    }

    /// Whether the second call has come to the place of a key or value.
    fn is_plausible(&self) -> bool {
        self.has_opener && matches!(self.last, Some(':' | '=' | '{' | '(' | '[' | ','))
    }
}

/// Whether a string of the Gemma dialect may be two calls, one of which breaks off.
pub(crate) fn may_be_two_calls(text: &str, openers: &[String]) -> bool {
    let mut restart = Restart::default();
    restart.feed(text, openers);
    restart.is_plausible()
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
                self.restart.begin();
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
                if self.restart.is_plausible() {
                    self.note(NoteKind::Ambiguous, self.held_start, self.offset);
                }
                self.close_string();
            }
            Match::Not => {
                self.state = State::Delimited(0);
                let delimiter = self.options.delimiter.as_deref().unwrap_or_default();
                let text = delimiter.get(..matched).unwrap_or_default();
                self.restart.feed(text, &self.options.openers);
                if self.held_string {
                    self.hold_delimiter(matched)?;
                } else {
                    self.scratch.clear();
                    escape_into(&mut self.scratch, text);
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
            let Some(text) = self.take_text(length, input) else { return Ok(None) };
            self.restart.feed(text, &self.options.openers);
            return Ok(Some(self.delta(text)));
        }
        while let Some(c) = self.peek(input).filter(|c| Some(*c) != first) {
            self.restart.feed(c.encode_utf8(&mut [0; 4]), &self.options.openers);
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
