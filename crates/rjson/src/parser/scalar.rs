//! Numbers and literals: held until the character after them shows that they are whole.

use super::{Lex, Parser, Step, Stepped, Text};
use crate::chars::is_id_part;
use crate::diagnostic::{Code, ErrorKind, Span};
use crate::machine::{Kind, RawToken};
use crate::number::{self, Numeral};
use crate::options::{Mode, NonFinite, Options};

/// A literal that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    text: &'static str,
    matched: usize,
    sign: Option<u8>,
}

impl Word {
    /// The literal that begins with `byte`, which is not yet taken, or the number without digits that a sign
    /// and `byte` begin.
    pub(super) fn begin(sign: Option<u8>, byte: u8, options: &Options) -> Option<Self> {
        let relaxed = options.mode != Mode::Strict;
        let non_finite = relaxed && options.non_finite != NonFinite::Error;
        let text = match (sign, byte) {
            (None, b't') => "true",
            (None, b'f') => "false",
            (None, b'n') => "null",
            (None, b'T') if relaxed => "True",
            (None, b'F') if relaxed => "False",
            (None, b'N') if relaxed => "None",
            (None, b'u') if non_finite => "undefined",
            (Some(_), b'N') if non_finite => "NaN",
            (_, b'I') if non_finite => "Infinity",
            _ => return None,
        };
        Some(Self { text, matched: 0, sign })
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

    pub(super) fn is_complete(self) -> bool {
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

impl Parser {
    pub(super) fn open_number<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        self.start = self.offset;
        self.held.clear();
        self.number(Numeral::Start, input)
    }

    /// Inside a number.
    pub(super) fn number<'c>(&mut self, digits: Numeral, input: &mut &'c str) -> Stepped<'c> {
        let relaxed = self.relaxed();
        let room = self.options.max_held_bytes.saturating_sub(self.held.len());
        let (length, state) = digits.read(input.as_bytes(), relaxed);
        let excess = match state {
            Numeral::Hex(digits) => digits.saturating_sub(number::MAX_DIGITS),
            _ => 0,
        };
        let most = room.min(length.saturating_sub(excess));
        if most < length {
            self.take(input, most);
            return Err(ErrorKind::TooLarge);
        }
        self.meter.run(length, *input);
        let text = self.take(input, length);
        let Some(&byte) = input.as_bytes().first() else {
            self.held.push_str(text);
            self.lex = Lex::Number(state);
            return Ok(Step::Need);
        };
        if state == Numeral::Sign {
            let sign = if self.held.is_empty() { text } else { self.held.as_str() };
            if let Some(word) = Word::begin(sign.bytes().next(), byte, &self.options) {
                self.lex = Lex::Word(word);
                return Ok(Step::Again);
            }
        }
        if !state.is_complete(relaxed) {
            return Err(ErrorKind::Syntax { expected: "a digit" });
        }
        if state == Numeral::Zero && byte.is_ascii_digit() {
            return Err(ErrorKind::Syntax { expected: "no digit after a leading zero" });
        }
        self.check_boundary(input)?;
        let wire = if self.held.is_empty() {
            Text::Given(text)
        } else {
            self.held.push_str(text);
            Text::Held
        };
        let token = self.number_done(wire);
        Ok(Step::Token(token))
    }

    /// Relaxed: no character of an identifier may follow a number or literal.
    fn check_boundary(&self, input: &str) -> Result<(), ErrorKind> {
        if self.relaxed() && input.starts_with(|c: char| c == '\\' || is_id_part(c)) {
            return Err(ErrorKind::Syntax { expected: "the end of the number or literal" });
        }
        Ok(())
    }

    pub(super) fn number_done<'c>(&mut self, wire: Text<'c>) -> RawToken<Text<'c>> {
        self.value_done();
        let mut scratch = core::mem::take(&mut self.scratch);
        let text = self.resolve(wire);
        let respelled = self.relaxed() && !number::is_json(text);
        if respelled {
            scratch.clear();
            number::respell(text, &mut scratch);
        }
        self.scratch = scratch;
        self.non_strict |= respelled;
        let wire = if respelled { Text::Scratch } else { wire };
        RawToken::new(Kind::Number, wire, self.lexeme())
    }

    /// Inside a literal.
    pub(super) fn word<'c>(&mut self, word: Word, input: &mut &'c str) -> Stepped<'c> {
        let (mut word, mut length) = (word, 0);
        for &byte in input.as_bytes() {
            if word.is_complete() {
                break;
            }
            let Some(next) = word.next(byte, &self.options) else {
                self.take(input, length);
                return Err(ErrorKind::Syntax { expected: word.text });
            };
            word = next;
            length += 1;
        }
        self.meter.run(length, *input);
        self.take(input, length);
        self.lex = Lex::Word(word);
        if !word.is_complete() || input.is_empty() {
            return Ok(Step::Need);
        }
        self.check_boundary(input)?;
        self.word_done(word);
        Ok(Step::Again)
    }

    pub(super) fn word_done(&mut self, word: Word) {
        self.value_done();
        let span = self.lexeme();
        let kind = Kind::of_literal(word.text).unwrap_or(Kind::Null);
        let wire = kind.fixed().unwrap_or_default();
        self.non_strict |= word.text != wire;
        let finite = !matches!(word.text, "undefined" | "NaN" | "Infinity");
        if !finite {
            let code = Code::of_non_finite(word.text, self.options.non_finite);
            self.pending.push_back(RawToken::diagnostic(code, span));
        }
        if finite || self.options.non_finite != NonFinite::String {
            self.pending.push_back(RawToken::new(kind, Text::Given(wire), span));
            return;
        }
        for (kind, wire, span) in [
            (Kind::StringStart, "\"", Span::empty(span.start)),
            (Kind::StringDelta, word.spelled(), span),
            (Kind::StringEnd, "\"", Span::empty(span.end)),
        ] {
            self.pending.push_back(RawToken::new(kind, Text::Given(wire), span));
        }
    }
}
