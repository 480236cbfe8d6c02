//! Whitespace and comments, and the classes of characters that repair mode knows.

use super::resume::Resume;
use super::{Comment, Halt, RawToken, Repair, Step};
use crate::chars::{is_relaxed_whitespace, is_strict_whitespace};
use crate::diagnostic::Code;
use crate::machine::Kind;
use crate::span::Span;

impl Repair {
    /// Whitespace, of which nothing stays once the input has deviated.
    pub(super) fn whitespace(&mut self, bytes: usize, strict: bool) {
        let pos = self.pos;
        self.deviated |= !strict;
        let span = self.take(bytes);
        self.with_taken(pos, |this, text| {
            let text = if this.deviated { "" } else { text };
            match this.pending.is_empty() {
                true => this.emit(Kind::Whitespace, text, span),
                false => this.pending_whitespace(text, span),
            }
        });
    }

    /// Whitespace in a row among the pending tokens is one token: they stay few. Where it is more than
    /// may be held, all of it goes.
    fn pending_whitespace(&mut self, text: &str, span: Span) {
        let last = self.pending.last_mut().filter(|last| last.span.end == span.start);
        match last {
            Some(last) if last.is(Kind::Whitespace) => {
                if self.kept.is_none() {
                    self.pending_text.push_str(text);
                }
                (last.wire.end, last.span.end) = (last.wire.end + text.len(), span.end);
            }
            Some(last) if last.is(Kind::Diagnostic(Code::BlankRun)) => last.span.end = span.end,
            _ if self.kept.is_some() => {
                self.pending.push(RawToken::new(Kind::Whitespace, 0..text.len(), span));
            }
            _ => self.pending(Kind::Whitespace, text, span),
        }
        // Where sources are kept, the whitespace is in the window, and that is bounded.
        if self.kept.is_none()
            && self.pending_text.len() > self.options.max_held_bytes
            && let Some(run) = self.pending.pop_if(|last| last.is(Kind::Whitespace))
        {
            self.pending_text.truncate(run.wire.start);
            self.repaired_pending(Code::BlankRun, run.span);
        }
    }

    /// Takes whitespace, or the beginning of a comment, at the front; whether there were any.
    pub(super) fn whitespace_step(&mut self) -> Result<bool, Halt> {
        let Some(first) = self.first()? else { return Ok(false) };
        if first.is_ascii_graphic() && !matches!(first, '#' | '/' | '\\') {
            return Ok(false);
        }
        let run = self.rest().bytes().take_while(|&byte| is_strict_whitespace(byte)).count();
        self.meter.count(run);
        if run > 0 {
            self.whitespace(run, true);
            return Ok(true);
        }
        if is_whitespace(first) {
            let start = self.offset();
            let length = first.len_utf8();
            if is_zero_width(first) {
                self.skip(length, Code::OtherBlank)?;
                return Ok(true);
            }
            if first == '\u{feff}' && start == self.root.base {
                self.report(Code::ByteOrderMark, Span { start, end: start + 3 });
            }
            self.whitespace(length, false);
            return Ok(true);
        }
        if self.is_cut_mark(first) {
            self.skip(1, Code::Skipped)?;
            return Ok(true);
        }
        if first == '\\' && (self.escaped || self.lookahead(0).escaped_whitespace_run()?) {
            let at = self.offset();
            if self.lookahead(0).escaped_whitespace()? {
                self.escaped_document(at);
                self.whitespace(2, false);
                return Ok(true);
            }
        }
        let lookahead = self.lookahead(0);
        let comment = match first {
            '#' => (1, Comment::Line),
            '/' if lookahead.starts_with("//")? => (2, Comment::Line),
            '/' if lookahead.starts_with("/*")? => (2, Comment::Block),
            _ => return Ok(false),
        };
        self.whitespace(comment.0, false);
        self.comment = Some(comment.1);
        Ok(true)
    }

    /// Whether the end of the input cut the mark of a comment, or the quote of an escaped document.
    fn is_cut_mark(&self, first: char) -> bool {
        let mark = first == '/' || (first == '\\' && self.escaped);
        mark && self.ended && self.rest().len() == 1 && !self.stack.is_empty()
    }

    /// Goes on with a comment.
    pub(super) fn comment(&mut self, comment: Comment) -> Step {
        let rest = self.rest();
        if rest.is_empty() && !self.ended {
            return Err(Halt::until(Resume::Any));
        }
        if rest.is_empty() {
            self.comment = None;
            if comment == Comment::Block {
                self.repaired_pending(Code::OpenComment, self.here());
            }
            return Ok(());
        }
        let (end, done) = match comment {
            Comment::Line => match rest.find(is_line_end) {
                Some(at) => (at, true),
                None => (rest.len(), false),
            },
            Comment::Block => match rest.find("*/") {
                Some(at) => (at + 2, true),
                // A star at the end may be half of the closing mark.
                None if self.ended || !rest.ends_with('*') => (rest.len(), false),
                None => (rest.len() - 1, false),
            },
        };
        self.meter.run(end, rest);
        if end == 0 && !done {
            return Err(Halt::until(Resume::Any));
        }
        if end > 0 {
            self.whitespace(end, false);
        }
        if done {
            self.comment = None;
        }
        Ok(())
    }
}

/// A comma, or what stands for one.
pub(super) fn is_comma(c: char) -> bool {
    matches!(c, ',' | ';' | '，' | '；' | '、')
}

pub(super) fn is_closing(c: char) -> bool {
    matches!(c, '}' | ']' | ')')
}

pub(super) fn is_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || is_relaxed_whitespace(c) || is_zero_width(c)
}

/// Whitespace without width, which even the relaxed grammar does not know.
pub(super) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{180e}')
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// A character of a key without quotes.
pub(super) fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_other_key_char(c)
}

fn is_other_key_char(c: char) -> bool {
    !matches!(c, '"' | '\'' | '`' | '{' | '}' | '[' | ']' | '(' | ')' | ',' | ':' | ';' | '=')
        && !matches!(c, '，' | '：' | '“' | '”' | '‘' | '’')
        && !is_whitespace(c)
}

/// The bytes at the front, up to so many, that are characters of a key in ASCII and begin no comment
/// either.
pub(super) fn plain_key_length(text: &str, most: usize) -> usize {
    let plain = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'$');
    text.as_bytes().iter().take(most).take_while(plain).count()
}

/// A letter of the prefixes that Python's strings have.
pub(super) fn is_prefix(c: char) -> bool {
    matches!(c, 'u' | 'U' | 'b' | 'B' | 'r' | 'R' | 'f' | 'F')
}

/// The quotes of a string: which one opened it decides which may end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Double,
    Single,
    /// Typographic double quotes.
    Curly,
    /// Typographic single quotes, backtick, acute accent.
    Tick,
}

impl Quotes {
    pub(super) fn open(c: char) -> Option<Self> {
        match c {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '\u{201c}'..='\u{201f}' => Some(Self::Curly),
            '\u{2018}'..='\u{201b}' | '`' | '´' => Some(Self::Tick),
            _ => None,
        }
    }

    /// The bytes of the quote of this kind at a place.
    pub(super) fn width(self, text: &str, at: usize) -> usize {
        let quote = text.get(at..).and_then(|rest| rest.chars().next());
        quote.filter(|&c| self.ends(c)).map_or(0, char::len_utf8)
    }

    pub(super) fn ends(self, c: char) -> bool {
        Self::open(c) == Some(self) || matches!((self, c), (Self::Curly, '"') | (Self::Tick, '\''))
    }
}
