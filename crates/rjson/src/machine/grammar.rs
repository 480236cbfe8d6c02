//! What may follow what: the tokens of one byte, and where the others begin.
//!
//! | expected | then |
//! | --- | --- |
//! | a value | `{`: a first key, `[`: a first value, a scalar: what comes next |
//! | a first key, a first value | as a key or a value, or the closing bracket |
//! | a key | a colon, then a value |
//! | what comes next | a comma, then a key or a value; or the closing bracket |
//!
//! Behind the last closing bracket, or behind a scalar at the root, the value is done.

use super::blank::{Comma, Comment};
use super::scalar::Word;
use super::string::Quote;
use super::token::{Kind, RawToken, Text};
use super::{Lex, Machine, Step};
use crate::error::ErrorKind;
use crate::frames::Frame;

/// What the grammar asks for next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    /// A value: the root, behind a colon, behind a comma in an array.
    Value,
    /// A value or `]`.
    FirstValue,
    /// A key: behind a comma in an object.
    Key,
    /// A key or `}`.
    FirstKey,
    Colon,
    /// A comma or the closing bracket.
    Next,
    /// Nothing: the root value is complete.
    Done,
}

impl Machine {
    /// Between two tokens: a blank, or the first byte of a token.
    pub(super) fn between<'c>(&mut self, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        let Some(&byte) = input.as_bytes().first() else { return Ok(Step::Need) };
        if self.expect == Expect::Done {
            return Ok(Step::Need);
        }
        let may_be_blank = !byte.is_ascii_alphanumeric();
        if let Some(step) = may_be_blank.then(|| self.blank(input)).flatten() {
            return Ok(step);
        }
        self.meter(1);
        if let Some(comma) = self.comma.take() {
            self.settle_comma(comma, byte);
            return Ok(Step::Again);
        }
        match self.expect {
            Expect::Value | Expect::FirstValue => self.value(byte, input),
            Expect::Key | Expect::FirstKey => self.open_key(byte, input),
            Expect::Colon if byte == b':' => {
                self.expect = Expect::Value;
                Ok(self.mark(Kind::Colon, ":", input))
            }
            Expect::Colon => Err(ErrorKind::Syntax { expected: "`:`" }),
            Expect::Next | Expect::Done => self.next_or_close(byte, input),
        }
    }

    fn value<'c>(&mut self, byte: u8, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        let relaxed = self.relaxed();
        match byte {
            b'{' | b'[' => self.open(byte == b'{', input),
            b']' if self.expect == Expect::FirstValue => Ok(self.close(Kind::ArrayEnd, "]", input)),
            b'"' => Ok(self.open_string(Quote::Double, input)),
            b'\'' if relaxed => Ok(self.open_string(Quote::Single, input)),
            b'0'..=b'9' | b'-' => self.open_number(input),
            b'+' | b'.' if relaxed => self.open_number(input),
            _ => match Word::begin(byte, &self.options) {
                Some(word) => {
                    self.start = self.offset;
                    self.word(word, input)
                }
                None => Err(ErrorKind::Syntax {
                    expected: match self.expect {
                        Expect::FirstValue => "a value or `]`",
                        _ => "a value",
                    },
                }),
            },
        }
    }

    fn next_or_close<'c>(&mut self, byte: u8, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        let in_object = self.stack.in_object();
        match byte {
            b',' => {
                self.expect = if in_object { Expect::Key } else { Expect::Value };
                if !self.relaxed() {
                    return Ok(self.mark(Kind::Comma, ",", input));
                }
                self.held.clear();
                self.comma = Some(Comma::new(self.offset));
                self.take(input, 1);
                Ok(Step::Again)
            }
            b'}' if in_object => Ok(self.close(Kind::ObjectEnd, "}", input)),
            b']' if !in_object => Ok(self.close(Kind::ArrayEnd, "]", input)),
            _ if in_object => Err(ErrorKind::Syntax { expected: "`,` or `}`" }),
            _ => Err(ErrorKind::Syntax { expected: "`,` or `]`" }),
        }
    }

    fn open<'c>(&mut self, object: bool, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        if self.stack.len() >= self.options.max_depth {
            return Err(ErrorKind::TooDeep);
        }
        self.stack.push(if object { Frame::object() } else { Frame::array() });
        self.expect = if object { Expect::FirstKey } else { Expect::FirstValue };
        Ok(if object {
            self.mark(Kind::ObjectStart, "{", input)
        } else {
            self.mark(Kind::ArrayStart, "[", input)
        })
    }

    pub(super) fn close<'c>(
        &mut self,
        kind: Kind<'static>,
        wire: &'static str,
        input: &mut &'c str,
    ) -> Step<'c> {
        self.stack.pop();
        self.value_done();
        self.mark(kind, wire, input)
    }

    /// Takes one byte as a token of its own.
    pub(super) fn mark<'c>(
        &mut self,
        kind: Kind<'static>,
        wire: &'static str,
        input: &mut &'c str,
    ) -> Step<'c> {
        let start = self.offset;
        self.take(input, 1);
        Step::Token(RawToken::new(kind, Text::Given(wire), (start, self.offset)))
    }

    #[inline]
    pub(super) fn value_done(&mut self) {
        self.lex = Lex::Between;
        self.expect = if self.stack.is_empty() { Expect::Done } else { Expect::Next };
    }

    /// The end of the input: settles what waits, or says what is missing.
    pub(super) fn end(&mut self) -> Result<(), ErrorKind> {
        let at_root = self.stack.is_empty();
        match self.lex {
            Lex::Comment(Comment::Line) => self.lex = Lex::Between,
            Lex::Number(digits) if at_root => self.end_number(digits)?,
            Lex::Word(word) if at_root => self.end_word(word)?,
            _ => {}
        }
        match (self.lex, self.expect) {
            (Lex::Between, Expect::Done) => Ok(()),
            (Lex::Between, Expect::Value) if at_root => Err(ErrorKind::NoValue),
            _ => Err(ErrorKind::UnexpectedEnd),
        }
    }
}
