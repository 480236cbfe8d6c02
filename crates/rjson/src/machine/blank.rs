//! Blanks, comments, and the comma that may turn out to be a trailing one.
//!
//! In relaxed mode a comma and the blanks behind it wait until the next other byte shows whether a
//! value or a closing bracket follows. A trailing comma goes, with its blanks; otherwise the comma
//! and those blanks that stood before the first deviation come out as they were.

use super::grammar::Expect;
use super::token::{Kind, RawToken, Text};
use super::{Lex, Machine, Step};
use crate::chars::{is_relaxed_blank, is_strict_blank};
use crate::diagnostic::Code;
use crate::error::ErrorKind;
use crate::options::Mode;

/// Inside a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// Behind the first slash. Directly behind a closing quote only a block comment may begin.
    Slash,
    /// Up to the end of the line.
    Line,
    /// Up to a star and a slash.
    Block,
    /// In a block comment, behind a star.
    Star,
}

/// A comma that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comma {
    at: u64,
    /// More blanks came than may be held: they are dropped.
    dropped: bool,
}

impl Comma {
    pub(super) fn new(at: u64) -> Self {
        Self { at, dropped: false }
    }
}

impl Machine {
    /// Takes blanks, or the beginning of a comment, at the front of `input`, if there are any.
    pub(super) fn blank<'c>(&mut self, input: &mut &'c str) -> Option<Step<'c>> {
        let bytes = input.as_bytes();
        let run = bytes.iter().take_while(|&&byte| is_strict_blank(byte)).count();
        if run > 0 {
            self.meter(run);
            let start = self.offset;
            let text = self.take(input, run);
            return Some(self.blank_step(text, start));
        }
        if self.options.mode == Mode::Strict {
            return None;
        }
        let start = self.offset;
        match bytes.first()? {
            // Directly behind a closing quote it is no comment.
            b'#' if start == self.quoted => return None,
            b'#' => self.lex = Lex::Comment(Comment::Line),
            b'/' => self.lex = Lex::Comment(Comment::Slash),
            0x0b | 0x0c | 0x80.. => return self.relaxed_blank(input),
            _ => return None,
        }
        self.deviated = true;
        self.take(input, 1);
        Some(self.blank_step("", start))
    }

    fn relaxed_blank<'c>(&mut self, input: &mut &'c str) -> Option<Step<'c>> {
        let start = self.offset;
        let first = input.chars().next().filter(|&c| is_relaxed_blank(c))?;
        if first == '\u{feff}' && start == self.base {
            let end = start + 3;
            self.pending.push_back(RawToken::diagnostic(Code::ByteOrderMark, (start, end)));
        }
        self.deviated = true;
        self.meter(first.len_utf8());
        self.take(input, first.len_utf8());
        Some(self.blank_step("", start))
    }

    /// Goes on with a comment.
    pub(super) fn comment<'c>(
        &mut self,
        comment: Comment,
        input: &mut &'c str,
    ) -> Result<Step<'c>, ErrorKind> {
        let bytes = input.as_bytes();
        let start = self.offset;
        let Some(&first) = bytes.first() else { return Ok(Step::Need) };
        let (taken, lex) = match comment {
            Comment::Slash => match first {
                b'/' if start != self.quoted.saturating_add(1) => (1, Lex::Comment(Comment::Line)),
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
        self.meter(taken);
        self.take(input, taken);
        Ok(self.blank_step("", start))
    }

    /// What to do with blanks just taken: `text` if they are strict, else nothing.
    fn blank_step<'c>(&mut self, text: &'c str, start: u64) -> Step<'c> {
        let text = if self.deviated { "" } else { text };
        let Some(comma) = &mut self.comma else {
            return Step::Token(RawToken::new(
                Kind::Whitespace,
                Text::Given(text),
                (start, self.offset),
            ));
        };
        if self.held.len() + text.len() >= self.options.max_held_bytes.max(1) {
            comma.dropped = true;
            self.deviated = true;
            self.held.clear();
        } else {
            self.held.push_str(text);
        }
        Step::Again
    }

    /// Settles the comma that waits, now that `next` is the next byte behind the blanks.
    pub(super) fn settle_comma(&mut self, comma: Comma, next: u8) {
        let (start, end) = (comma.at + 1, self.offset);
        let trailing = match next {
            b'}' => self.stack.in_object(),
            b']' => self.stack.in_array(),
            _ => false,
        };
        if trailing {
            self.deviated = true;
            self.expect = Expect::Next;
            self.held.clear();
            self.pending.push_back(RawToken::diagnostic(Code::TrailingComma, (comma.at, start)));
        } else {
            self.pending.push_back(RawToken::new(Kind::Comma, Text::Given(","), (comma.at, start)));
        }
        if comma.dropped {
            self.pending.push_back(RawToken::diagnostic(Code::BlankRun, (start, end)));
        }
        if end > start {
            self.pending.push_back(RawToken::new(Kind::Whitespace, Text::Held, (start, end)));
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
