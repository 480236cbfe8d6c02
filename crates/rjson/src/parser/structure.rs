//! What may follow what, whitespace, comments, and the comma that may turn out to be a trailing one.
//!
//! In relaxed mode a comma and the whitespace after it wait until the next other byte shows whether a
//! value or a closing bracket follows. A trailing comma goes, with its whitespace; otherwise the comma
//! and the whitespace that stood before the first deviation come out as they were.

use super::scalar::Word;
use super::{Lex, Parser, Step, Stepped, Text};
use crate::chars::{Quote, is_relaxed_whitespace, is_strict_whitespace};
use crate::diagnostic::{Code, ErrorKind, Span};
use crate::machine::{Frame, Kind, RawToken};
use crate::options::Mode;

/// What the grammar asks for next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Expect {
    /// A value: the root, after a colon, after a comma in an array.
    #[default]
    Value,
    /// A value or `]`.
    FirstValue,
    /// A key: after a comma in an object.
    Key,
    /// A key or `}`.
    FirstKey,
    Colon,
    /// A comma or the closing bracket.
    Next,
    /// Nothing: the root value is complete.
    Done,
}

impl Parser {
    /// Between two tokens: whitespace, or the first byte of a token.
    pub(super) fn between<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(&byte) = input.as_bytes().first() else { return Ok(Step::Need) };
        if self.expect == Expect::Done {
            return Ok(Step::Need);
        }
        let may_be_whitespace = !byte.is_ascii_alphanumeric();
        if let Some(step) = may_be_whitespace.then(|| self.whitespace(input)).flatten() {
            return Ok(step);
        }
        self.meter.count(1);
        if let Some(comma) = self.comma.take() {
            self.resolve_comma(comma, byte);
            return Ok(Step::Again);
        }
        match self.expect {
            Expect::Value | Expect::FirstValue => self.value(byte, input),
            Expect::Key | Expect::FirstKey => self.open_key(byte, input),
            Expect::Colon if byte == b':' => {
                self.expect = Expect::Value;
                Ok(self.punctuation(Kind::Colon, input))
            }
            Expect::Colon => Err(ErrorKind::Syntax { expected: "`:`" }),
            Expect::Next | Expect::Done => self.next_or_close(byte, input),
        }
    }

    fn value<'c>(&mut self, byte: u8, input: &mut &'c str) -> Stepped<'c> {
        let relaxed = self.relaxed();
        match byte {
            b'{' | b'[' => self.open(byte == b'{', input),
            b']' if self.expect == Expect::FirstValue => Ok(self.close(Kind::ArrayEnd, input)),
            b'"' => Ok(self.open_string(Quote::Double, input)),
            b'\'' if relaxed => Ok(self.open_string(Quote::Single, input)),
            b'0'..=b'9' | b'-' => self.open_number(input),
            b'+' | b'.' if relaxed => self.open_number(input),
            _ => match Word::begin(None, byte, &self.options) {
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

    fn next_or_close<'c>(&mut self, byte: u8, input: &mut &'c str) -> Stepped<'c> {
        let in_object = self.stack.in_object();
        match byte {
            b',' => {
                self.expect = if in_object { Expect::Key } else { Expect::Value };
                if !self.relaxed() {
                    return Ok(self.punctuation(Kind::Comma, input));
                }
                self.held.clear();
                self.comma = Some(Comma { at: self.offset, dropped: false });
                self.take(input, 1);
                Ok(Step::Again)
            }
            b'}' if in_object => Ok(self.close(Kind::ObjectEnd, input)),
            b']' if !in_object => Ok(self.close(Kind::ArrayEnd, input)),
            _ if in_object => Err(ErrorKind::Syntax { expected: "`,` or `}`" }),
            _ => Err(ErrorKind::Syntax { expected: "`,` or `]`" }),
        }
    }

    fn open<'c>(&mut self, object: bool, input: &mut &'c str) -> Stepped<'c> {
        if self.stack.len() >= self.options.max_depth {
            return Err(ErrorKind::TooDeep);
        }
        let (frame, expect, kind) = match object {
            true => (Frame::object(), Expect::FirstKey, Kind::ObjectStart),
            false => (Frame::array(), Expect::FirstValue, Kind::ArrayStart),
        };
        self.stack.push(frame);
        self.expect = expect;
        Ok(self.punctuation(kind, input))
    }

    pub(super) fn close<'c>(&mut self, kind: Kind<'static>, input: &mut &'c str) -> Step<'c> {
        self.stack.pop();
        self.value_done();
        self.punctuation(kind, input)
    }

    /// Takes one byte as a token of its own.
    pub(super) fn punctuation<'c>(&mut self, kind: Kind<'static>, input: &mut &'c str) -> Step<'c> {
        let start = self.offset;
        let wire = kind.fixed().unwrap_or_default();
        self.take(input, 1);
        Step::Token(RawToken::new(kind, Text::Given(wire), Span::new(start, self.offset)))
    }

    #[inline]
    pub(super) fn value_done(&mut self) {
        self.lex = Lex::Between;
        self.expect = if self.stack.is_empty() { Expect::Done } else { Expect::Next };
    }

    /// The end of the input: resolves what waits, or says what is missing.
    pub(super) fn end(&mut self) -> Result<(), ErrorKind> {
        let at_root = self.stack.is_empty();
        match self.lex {
            Lex::Comment(Comment::Line) => self.lex = Lex::Between,
            Lex::Number(digits) if at_root && digits.is_complete(self.relaxed()) => {
                let token = self.number_done(Text::Held);
                self.pending.push_back(token);
            }
            Lex::Word(word) if at_root && word.is_complete() => self.word_done(word),
            _ => {}
        }
        match (self.lex, self.expect) {
            (Lex::Between, Expect::Done) => Ok(()),
            (Lex::Between, Expect::Value) if at_root => Err(ErrorKind::NoValue),
            _ => Err(ErrorKind::UnexpectedEnd),
        }
    }
}

/// Inside a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// After the first slash. Directly after a closing quote only a block comment may begin.
    Slash,
    /// Up to the end of the line.
    Line,
    /// Up to a star and a slash.
    Block,
    /// In a block comment, after a star.
    Star,
}

/// A comma that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comma {
    at: u64,
    /// More whitespace came than may be held: it is dropped.
    dropped: bool,
}

impl Parser {
    /// Takes whitespace, or the beginning of a comment, at the front of `input`, if there are any.
    pub(super) fn whitespace<'c>(&mut self, input: &mut &'c str) -> Option<Step<'c>> {
        let bytes = input.as_bytes();
        let run = bytes.iter().take_while(|&&byte| is_strict_whitespace(byte)).count();
        if run > 0 {
            self.meter.count(run);
            let start = self.offset;
            let text = self.take(input, run);
            return Some(self.whitespace_step(text, start));
        }
        if self.options.mode == Mode::Strict {
            return None;
        }
        let start = self.offset;
        match bytes.first()? {
            // Directly after a closing quote it is no comment.
            b'#' if self.quoted == Some(start) => return None,
            b'#' => self.lex = Lex::Comment(Comment::Line),
            b'/' => self.lex = Lex::Comment(Comment::Slash),
            0x0b | 0x0c | 0x80.. => return self.relaxed_whitespace(input),
            _ => return None,
        }
        self.non_strict = true;
        self.take(input, 1);
        Some(self.whitespace_step("", start))
    }

    fn relaxed_whitespace<'c>(&mut self, input: &mut &'c str) -> Option<Step<'c>> {
        let start = self.offset;
        let first = input.chars().next().filter(|&c| is_relaxed_whitespace(c))?;
        if first == '\u{feff}' && start == self.base {
            let end = start + 3;
            self.pending.push_back(RawToken::diagnostic(Code::ByteOrderMark, Span { start, end }));
        }
        self.non_strict = true;
        self.meter.count(first.len_utf8());
        self.take(input, first.len_utf8());
        Some(self.whitespace_step("", start))
    }

    /// Goes on with a comment.
    pub(super) fn comment<'c>(&mut self, comment: Comment, input: &mut &'c str) -> Stepped<'c> {
        let bytes = input.as_bytes();
        let start = self.offset;
        let Some(&first) = bytes.first() else { return Ok(Step::Need) };
        let (taken, lex) = match comment {
            Comment::Slash => match first {
                b'/' if self.quoted.is_none_or(|quoted| start != quoted + 1) => {
                    (1, Lex::Comment(Comment::Line))
                }
                b'*' => (1, Lex::Comment(Comment::Block)),
                _ => return Err(ErrorKind::Syntax { expected: "a comment" }),
            },
            Comment::Line => match line_end(input) {
                Some(at) => (at, Lex::Between),
                None => (bytes.len(), Lex::Comment(Comment::Line)),
            },
            Comment::Star if first == b'/' => (1, Lex::Between),
            Comment::Star if first == b'*' => (1, Lex::Comment(Comment::Star)),
            Comment::Star | Comment::Block => match memchr::memchr(b'*', bytes) {
                Some(at) => (at + 1, Lex::Comment(Comment::Star)),
                None => (bytes.len(), Lex::Comment(Comment::Block)),
            },
        };
        self.lex = lex;
        if taken == 0 {
            return Ok(Step::Again);
        }
        self.meter.count(taken);
        self.take(input, taken);
        Ok(self.whitespace_step("", start))
    }

    /// What to do with whitespace just taken: `text` if it is strict, else nothing.
    fn whitespace_step<'c>(&mut self, text: &'c str, start: u64) -> Step<'c> {
        let text = if self.non_strict { "" } else { text };
        let Some(comma) = &mut self.comma else {
            return Step::Token(RawToken::new(
                Kind::Whitespace,
                Text::Given(text),
                Span::new(start, self.offset),
            ));
        };
        if self.held.len() + text.len() >= self.options.max_held_bytes.max(1) {
            comma.dropped = true;
            self.non_strict = true;
            self.held.clear();
        } else {
            self.held.push_str(text);
        }
        Step::Again
    }

    /// Resolves the comma that waits, now that `next` is the next byte after the whitespace.
    pub(super) fn resolve_comma(&mut self, comma: Comma, next: u8) {
        let place = Span { start: comma.at, end: comma.at + 1 };
        let after = Span { start: place.end, end: self.offset };
        let trailing = match next {
            b'}' => self.stack.in_object(),
            b']' => self.stack.in_array(),
            _ => false,
        };
        if trailing {
            self.non_strict = true;
            self.expect = Expect::Next;
            self.held.clear();
            self.pending.push_back(RawToken::diagnostic(Code::TrailingComma, place));
        } else {
            self.pending.push_back(RawToken::new(Kind::Comma, Text::Given(","), place));
        }
        if comma.dropped {
            self.pending.push_back(RawToken::diagnostic(Code::BlankRun, after));
        }
        if !after.is_empty() {
            self.pending.push_back(RawToken::new(Kind::Whitespace, Text::Held, after));
        }
    }
}

/// Where the line ends: LF, CR, or the line or paragraph separator.
fn line_end(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = text.as_bytes().get(from..)?;
        let at = from + memchr::memchr3(b'\n', b'\r', 0xe2, rest)?;
        match text.as_bytes().get(at..)? {
            [0xe2, 0x80, 0xa8 | 0xa9, ..] | [b'\n' | b'\r', ..] => return Some(at),
            _ => from = at + 1,
        }
    }
}
