//! Numbers and literals: held until the character after them shows that they are whole.

use super::token::{Kind, RawToken, Text};
use super::{Lex, Machine, Step};
use crate::chars::is_id_part;
use crate::diagnostic::{Code, ErrorKind};
use crate::number;
use crate::options::{Mode, NonFinite, Options};

/// How far a number has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numeral {
    Start,
    Sign,
    Zero,
    Int,
    /// After a point without digits before it.
    BarePoint,
    /// After the point.
    Point,
    Fraction,
    /// After `e`.
    Exponent,
    ExponentSign,
    ExponentDigits,
    /// In a hexadecimal number: the digits so far.
    Hex(usize),
}

impl Numeral {
    /// The state after `byte`; none if the number cannot go on with it.
    fn next(self, byte: u8, relaxed: bool) -> Option<Self> {
        match (self, byte) {
            (Self::Start, b'-') => Some(Self::Sign),
            (Self::Start, b'+') if relaxed => Some(Self::Sign),
            (Self::Start | Self::Sign, b'0') => Some(Self::Zero),
            (Self::Start | Self::Sign, b'1'..=b'9') | (Self::Int, b'0'..=b'9') => Some(Self::Int),
            (Self::Start | Self::Sign, b'.') if relaxed => Some(Self::BarePoint),
            (Self::Zero, b'x' | b'X') if relaxed => Some(Self::Hex(0)),
            (Self::Zero | Self::Int, b'.') => Some(Self::Point),
            (Self::BarePoint | Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Int | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Point, b'e' | b'E') if relaxed => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::ExponentSign),
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => {
                Some(Self::ExponentDigits)
            }
            (Self::Hex(digits), byte) if byte.is_ascii_hexdigit() => Some(Self::Hex(digits + 1)),
            _ => None,
        }
    }

    /// Whether a number may end here.
    fn complete(self, relaxed: bool) -> bool {
        match self {
            Self::Zero | Self::Int | Self::Fraction | Self::ExponentDigits => true,
            Self::Point => relaxed,
            Self::Hex(digits) => digits > 0,
            _ => false,
        }
    }
}

/// A literal that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    text: &'static str,
    matched: usize,
    sign: Option<u8>,
}

impl Word {
    /// The literal that begins with `byte`, which is not yet taken.
    pub(super) fn begin(byte: u8, options: &Options) -> Option<Self> {
        let relaxed = options.mode != Mode::Strict;
        let non_finite = relaxed && options.non_finite != NonFinite::Error;
        let text = match byte {
            b't' => "true",
            b'f' => "false",
            b'n' => "null",
            b'T' if relaxed => "True",
            b'F' if relaxed => "False",
            b'N' if relaxed => "None",
            b'u' if non_finite => "undefined",
            b'I' if non_finite => "Infinity",
            _ => return None,
        };
        Some(Self { text, matched: 0, sign: None })
    }

    /// The number without digits that begins with a sign and `byte`.
    fn signed(sign: u8, byte: u8, options: &Options) -> Option<Self> {
        let text = match byte {
            b'I' => "Infinity",
            b'N' => "NaN",
            _ => return None,
        };
        let known = options.mode != Mode::Strict && options.non_finite != NonFinite::Error;
        known.then_some(Self { text, matched: 0, sign: Some(sign) })
    }

    fn next(self, byte: u8, options: &Options) -> Option<Self> {
        let matched = self.matched + 1;
        if self.text.as_bytes().get(self.matched) == Some(&byte) {
            return Some(Self { matched, ..self });
        }
        let nan = self.text == "None" && self.matched == 1 && byte == b'a';
        (nan && options.non_finite != NonFinite::Error).then_some(Self {
            text: "NaN",
            matched,
            ..self
        })
    }

    fn complete(self) -> bool {
        self.matched == self.text.len()
    }

    /// The bytes read so far.
    pub(super) fn len(self) -> usize {
        self.matched + usize::from(self.sign.is_some())
    }

    /// The text of `NaN`, `Infinity` or `undefined` as a string.
    fn spelled(self) -> &'static str {
        match (self.text, self.sign) {
            ("Infinity", Some(b'-')) => "-Infinity",
            (text, _) => text,
        }
    }
}

impl Machine {
    pub(super) fn open_number<'c>(&mut self, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        self.start = self.offset;
        self.held.clear();
        self.number(Numeral::Start, input)
    }

    /// Inside a number.
    pub(super) fn number<'c>(
        &mut self,
        digits: Numeral,
        input: &mut &'c str,
    ) -> Result<Step<'c>, ErrorKind> {
        let relaxed = self.relaxed();
        let room = self.options.max_held_bytes.saturating_sub(self.held.len());
        let (mut state, mut length, mut last) = (digits, 0, None);
        for &byte in input.as_bytes() {
            let Some(next) = state.next(byte, relaxed) else {
                last = Some(byte);
                break;
            };
            if length == room || matches!(next, Numeral::Hex(digits) if digits > number::MAX_HEX) {
                self.take(input, length);
                return Err(ErrorKind::TooLarge);
            }
            state = next;
            length += 1;
        }
        self.meter_run(length, input.len());
        let text = self.take(input, length);
        let Some(byte) = last else {
            self.held.push_str(text);
            self.lex = Lex::Number(state);
            return Ok(Step::Need);
        };
        if state == Numeral::Sign {
            let sign = if self.held.is_empty() { text } else { self.held.as_str() };
            let sign = sign.as_bytes().first().copied().unwrap_or(b'+');
            if let Some(word) = Word::signed(sign, byte, &self.options) {
                self.lex = Lex::Word(word);
                return Ok(Step::Again);
            }
        }
        self.check_number_end(state, input)?;
        let wire = if self.held.is_empty() {
            Text::Given(text)
        } else {
            self.held.push_str(text);
            Text::Held
        };
        let piece = self.number_done(wire);
        Ok(Step::Token(piece))
    }

    /// Whether the number may end before the next character, which it cannot go on with.
    fn check_number_end(&self, state: Numeral, input: &str) -> Result<(), ErrorKind> {
        if !state.complete(self.relaxed()) {
            return Err(ErrorKind::Syntax { expected: "a digit" });
        }
        if state == Numeral::Zero && input.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(ErrorKind::Syntax { expected: "no digit behind a leading zero" });
        }
        self.check_boundary(input)
    }

    /// Relaxed: no character of an identifier may follow a number or literal.
    fn check_boundary(&self, input: &str) -> Result<(), ErrorKind> {
        if self.relaxed() && input.starts_with(|c: char| c == '\\' || is_id_part(c)) {
            return Err(ErrorKind::Syntax { expected: "the end of the number or literal" });
        }
        Ok(())
    }

    fn number_done<'c>(&mut self, wire: Text<'c>) -> RawToken<Text<'c>> {
        self.value_done();
        let mut scratch = core::mem::take(&mut self.scratch);
        let text = self.resolve(wire);
        let respelled = number::needs_respelling(text);
        if respelled {
            scratch.clear();
            number::respell(text, &mut scratch);
        }
        self.scratch = scratch;
        self.deviated |= respelled;
        let wire = if respelled { Text::Scratch } else { wire };
        RawToken::new(Kind::Number, wire, (self.start, self.offset))
    }

    /// The end of the input after a number at the root.
    pub(super) fn end_number(&mut self, digits: Numeral) -> Result<(), ErrorKind> {
        if !digits.complete(self.relaxed()) {
            return Err(ErrorKind::UnexpectedEnd);
        }
        let piece = self.number_done(Text::Held);
        self.pending.push_back(piece);
        Ok(())
    }

    /// Inside a literal.
    pub(super) fn word<'c>(
        &mut self,
        word: Word,
        input: &mut &'c str,
    ) -> Result<Step<'c>, ErrorKind> {
        let (mut word, mut length) = (word, 0);
        for &byte in input.as_bytes() {
            if word.complete() {
                break;
            }
            let Some(next) = word.next(byte, &self.options) else {
                self.take(input, length);
                return Err(ErrorKind::Syntax { expected: word.text });
            };
            word = next;
            length += 1;
        }
        self.meter_run(length, input.len());
        self.take(input, length);
        self.lex = Lex::Word(word);
        if !word.complete() || input.is_empty() {
            return Ok(Step::Need);
        }
        self.check_boundary(input)?;
        self.word_done(word);
        Ok(Step::Again)
    }

    /// The end of the input after a literal at the root.
    pub(super) fn end_word(&mut self, word: Word) -> Result<(), ErrorKind> {
        if !word.complete() {
            return Err(ErrorKind::UnexpectedEnd);
        }
        self.word_done(word);
        Ok(())
    }

    fn word_done(&mut self, word: Word) {
        self.value_done();
        let (start, end) = (self.start, self.offset);
        let (kind, wire) = match word.text {
            "true" | "True" => (Kind::True, "true"),
            "false" | "False" => (Kind::False, "false"),
            _ => (Kind::Null, "null"),
        };
        self.deviated |= word.text != wire;
        let as_string = self.options.non_finite == NonFinite::String;
        let code = match (word.text, as_string) {
            ("undefined", false) => Code::UndefinedNull,
            ("undefined", true) => Code::UndefinedString,
            ("NaN" | "Infinity", false) => Code::NonFiniteNull,
            ("NaN" | "Infinity", true) => Code::NonFiniteString,
            _ => {
                self.pending.push_back(RawToken::new(kind, Text::Given(wire), (start, end)));
                return;
            }
        };
        self.pending.push_back(RawToken::diagnostic(code, (start, end)));
        if !as_string {
            self.pending.push_back(RawToken::new(kind, Text::Given(wire), (start, end)));
            return;
        }
        for (kind, wire, start, end) in [
            (Kind::StringStart, "\"", start, start),
            (Kind::StringDelta, word.spelled(), start, end),
            (Kind::StringEnd, "\"", end, end),
        ] {
            self.pending.push_back(RawToken::new(kind, Text::Given(wire), (start, end)));
        }
    }
}
