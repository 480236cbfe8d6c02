//! Looking ahead: a cursor over the text after a place, with bounds.
//!
//! Each lookahead reads for itself: the bounds alone keep the work linear in the text.

use crate::chars::{
    Quotes, is_closing, is_comma, is_key_char, is_line_end, is_repair_whitespace, plain_key_length,
};
use crate::machine::Meter;

/// Bytes that may be looked at after a place in doubt.
pub(super) const BOUND: usize = 256;
/// Bytes of whitespace and comments that may be passed on the way.
pub(super) const WHITESPACE: usize = 4096;

/// The text so far does not answer the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NeedMore {
    /// What could let the lookahead go on.
    pub(super) resume: Resume,
    /// So many bytes more are the bound: an answer in any case.
    pub(super) room: usize,
}

impl NeedMore {
    pub(super) fn of(resume: Resume) -> Self {
        Self { resume, room: usize::MAX }
    }
}

/// The characters that can let a lookahead go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Resume {
    #[default]
    Any,
    /// Any, and what has been read is not read again.
    Fresh,
    /// What ends a string, or a backslash, which hides that.
    Quote(Quotes),
    /// No character of a key without quotes.
    WordEnd,
    /// No whitespace.
    Visible,
    LineEnd,
    /// The last character of the mark that ends a block comment.
    Slash,
    /// Whitespace, a comma, a bracket, a quote, a comment: a word or unquoted text may end there. So may it at
    /// a backslash, in a document that was escaped once too often.
    Delimiter,
    /// A closing bracket, a colon, a comma.
    Close,
    /// Neither a backtick nor a character of the word after a fence.
    Fence,
    /// A character that ends text which fits nowhere.
    Skip,
    /// A closing round bracket.
    Round,
}

impl Resume {
    pub(super) fn resumes(self, c: char) -> bool {
        match self {
            Self::Any | Self::Fresh => true,
            Self::Quote(quotes) => quotes.ends(c),
            Self::WordEnd => !is_key_char(c) || matches!(c, '#' | '/'),
            Self::Visible => !is_repair_whitespace(c),
            Self::LineEnd => is_line_end(c),
            Self::Slash => c == '/',
            Self::Delimiter => !is_key_char(c) || is_comma(c) || matches!(c, '#' | '/' | '\\'),
            Self::Close => is_closing(c) || matches!(c, ':' | '=' | ','),
            Self::Fence => c != '`' && !super::document::is_fence_word(c),
            Self::Skip => super::structure::ends_skipped(c),
            Self::Round => c == ')',
        }
    }
}

pub(super) type Ahead<T> = Result<T, NeedMore>;

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Char(char),
    /// The end of the input.
    End,
    /// The bound.
    Limit,
}

impl Seen {
    pub(super) fn is_char(self) -> bool {
        matches!(self, Self::Char(_))
    }

    /// Whether it is the end of the input or such a character.
    pub(super) fn is_end_or(self, wanted: impl Fn(char) -> bool) -> bool {
        match self {
            Self::Char(c) => wanted(c),
            _ => self == Self::End,
        }
    }
}

/// An answer that may lie after the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tri {
    Yes,
    No,
    Limit,
}

impl Tri {
    /// Undecided counts as yes: what strict reading would have gone on with.
    pub(super) fn likely(self) -> bool {
        self != Self::No
    }
}

/// A cursor over the text after a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookahead<'a> {
    text: &'a str,
    /// The bytes passed so far.
    pub(super) at: usize,
    pub(super) ended: bool,
    /// In a document that was escaped once too often.
    pub(super) escaped: bool,
    used: usize,
    whitespace: usize,
    /// Bytes of comments among the whitespace.
    comment: usize,
    pub(super) meter: &'a Meter,
}

impl<'a> Lookahead<'a> {
    pub(super) fn new(text: &'a str, ended: bool, escaped: bool, meter: &'a Meter) -> Self {
        // Each byte counts once: the first one here, the others when the lookahead comes to them.
        meter.count(text.len().min(1));
        Self { text, at: 0, ended, escaped, used: 0, whitespace: 0, comment: 0, meter }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text from an earlier place up to this one.
    pub(super) fn since(&self, place: usize) -> &'a str {
        self.text.get(place..self.at).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Ahead<Seen> {
        if self.used >= BOUND || self.whitespace >= WHITESPACE || self.comment >= BOUND {
            return Ok(Seen::Limit);
        }
        match self.rest().chars().next() {
            Some(c) => Ok(Seen::Char(c)),
            None if self.ended => Ok(Seen::End),
            None => Err(NeedMore { resume: Resume::Any, room: BOUND - self.used }),
        }
    }

    /// The same, where only some characters let the lookahead go on.
    pub(super) fn peek_until(&self, resume: Resume) -> Ahead<Seen> {
        self.peek().map_err(|more| NeedMore { resume, ..more })
    }

    /// The same, where so many bytes more of whitespace or comments are the bound.
    fn peek_among(&self, resume: Resume, room: usize) -> Ahead<Seen> {
        self.peek().map_err(|_| NeedMore { resume, room })
    }

    /// Passes a character that has been seen.
    pub(super) fn bump(&mut self, c: char) {
        self.eat_bytes(c.len_utf8());
    }

    /// The same with the whitespace and the comments after it.
    pub(super) fn pass_visible(&mut self, c: char) -> Ahead<()> {
        self.bump(c);
        self.skip_whitespace().map(|_| ())
    }

    /// Passes characters of a kind; some others alone let the lookahead go on.
    pub(super) fn pass_while(
        &mut self,
        resume: Resume,
        wanted: impl Fn(char) -> bool,
    ) -> Ahead<()> {
        while let Seen::Char(c) = self.peek_until(resume)? {
            if !wanted(c) {
                break;
            }
            self.bump(c);
        }
        Ok(())
    }

    /// Whether `pattern`, of ASCII, stands here.
    pub(super) fn starts_with(&self, pattern: &str) -> Ahead<bool> {
        let rest = self.rest();
        // Nearly always the first byte decides.
        if let (Some(one), Some(other)) = (rest.bytes().next(), pattern.bytes().next())
            && one != other
        {
            return Ok(false);
        }
        let same = rest.bytes().zip(pattern.bytes()).take_while(|(a, b)| a == b).count();
        self.meter.count(same.saturating_sub(1));
        if rest.len() < pattern.len() && !self.ended && pattern.starts_with(rest) {
            return Err(NeedMore::of(Resume::Any));
        }
        Ok(rest.starts_with(pattern))
    }

    /// Whether the end of the input cuts `pattern` here.
    pub(super) fn cuts(&self, pattern: &str) -> bool {
        let rest = self.rest();
        self.ended && !rest.is_empty() && rest.len() < pattern.len() && pattern.starts_with(rest)
    }

    /// Passes `pattern`, if it stands here.
    pub(super) fn eat(&mut self, pattern: &str) -> Ahead<bool> {
        let found = self.starts_with(pattern)?;
        if found {
            self.at += pattern.len();
            self.used += pattern.len();
        }
        Ok(found)
    }

    /// Passes so many bytes that have been seen.
    pub(super) fn eat_bytes(&mut self, bytes: usize) {
        self.meter.count(bytes);
        self.at += bytes;
        self.used += bytes;
    }

    /// Passes whitespace and comments; whether a line ended among them.
    pub(super) fn skip_whitespace(&mut self) -> Ahead<bool> {
        let mut line = false;
        loop {
            let Seen::Char(c) =
                self.peek_among(Resume::Visible, WHITESPACE.saturating_sub(self.whitespace))?
            else {
                return Ok(line);
            };
            if c.is_ascii_graphic() && !matches!(c, '#' | '/' | '\\') {
                return Ok(line);
            }
            if is_repair_whitespace(c) {
                line |= matches!(c, '\n' | '\r');
                self.pass(c.len_utf8());
            } else if self.escaped && c == '\\' {
                if !self.escaped_whitespace()? {
                    return Ok(line);
                }
                line = true;
                self.pass(self.rest().len().min(2));
            } else if !self.skip_comment(c)? {
                return Ok(line);
            }
        }
    }

    /// Passes whitespace and comments, and gives what stands after them.
    pub(super) fn peek_visible(&mut self) -> Ahead<Seen> {
        self.skip_whitespace()?;
        self.peek()
    }

    /// Passes `pattern`, if it stands after whitespace and comments, which are passed anyway.
    pub(super) fn eat_visible(&mut self, pattern: &str) -> Ahead<bool> {
        self.skip_whitespace()?;
        self.eat(pattern)
    }

    fn pass(&mut self, bytes: usize) {
        self.meter.count(bytes);
        self.at += bytes;
        self.whitespace += bytes;
    }

    fn skip_comment(&mut self, first: char) -> Ahead<bool> {
        if first == '/' && self.ended && self.rest().len() == 1 {
            // Half of the mark of a comment, which the end of the input cut.
            self.pass(1);
            return Ok(true);
        }
        let block = first == '/' && self.starts_with("/*")?;
        let line = first == '#' || (first == '/' && self.starts_with("//")?);
        if !block && !line {
            return Ok(false);
        }
        self.pass(if first == '#' { 1 } else { 2 });
        if self.pass_comment(line)? && block {
            self.pass(2);
        }
        Ok(true)
    }

    /// Passes the content of a comment up to its end; whether that is in reach.
    fn pass_comment(&mut self, line: bool) -> Ahead<bool> {
        let resume = if line { Resume::LineEnd } else { Resume::Slash };
        loop {
            let Seen::Char(c) = self.peek_among(resume, BOUND.saturating_sub(self.comment))? else {
                return Ok(false);
            };
            let end = if line { is_line_end(c) } else { c == '*' && self.starts_with("*/")? };
            if end {
                return Ok(true);
            }
            self.pass(c.len_utf8());
            self.comment += c.len_utf8();
        }
    }

    /// Passes the opening quote that stands here, if there is one.
    pub(super) fn open_quote(&mut self) -> Ahead<Option<Quotes>> {
        let Seen::Char(c) = self.peek()? else { return Ok(None) };
        let quotes = Quotes::open(c);
        if quotes.is_some() {
            self.bump(c);
        }
        Ok(quotes)
    }

    /// Passes a string whose opening quote has been passed: its closing quote, the end, the bound.
    pub(super) fn pass_string(&mut self, quotes: Quotes) -> Ahead<Seen> {
        loop {
            let seen = self.peek_until(Resume::Quote(quotes))?;
            let Seen::Char(c) = seen else { return Ok(seen) };
            self.bump(c);
            if quotes.ends(c) {
                return Ok(seen);
            }
            if c == '\\' {
                let escaped = self.peek()?;
                let Seen::Char(c) = escaped else { return Ok(escaped) };
                self.bump(c);
            }
        }
    }

    /// Passes the quoted string that begins here, as [`pass_string`](Self::pass_string) does, if one begins.
    pub(super) fn pass_quoted(&mut self) -> Ahead<Option<Seen>> {
        let Some(quotes) = self.open_quote()? else { return Ok(None) };
        self.pass_string(quotes).map(Some)
    }

    /// The same for a string of an escaped document.
    pub(super) fn pass_escaped(&mut self) -> Ahead<Seen> {
        loop {
            if self.eat("\\\"")? {
                return Ok(Seen::Char('"'));
            }
            if self.eat("\\\\\\\"")? || self.eat("\\\\")? {
                continue;
            }
            let seen = self.peek()?;
            let Seen::Char(c) = seen else { return Ok(seen) };
            self.bump(c);
        }
    }

    /// Passes a key without quotes; whether there is one.
    pub(super) fn pass_word(&mut self) -> Ahead<bool> {
        let start = self.at;
        // Most words are short and of ASCII; what is left is for the loop.
        if self.used < BOUND && self.whitespace < WHITESPACE && self.comment < BOUND {
            let plain = plain_key_length(self.rest(), BOUND - self.used);
            self.eat_bytes(plain);
        }
        while let Seen::Char(c) = self.peek_until(Resume::WordEnd)? {
            let comment =
                c == '#' || (c == '/' && (self.starts_with("//")? || self.starts_with("/*")?));
            if comment || !is_key_char(c) {
                break;
            }
            self.bump(c);
        }
        Ok(self.at > start)
    }

    /// Passes a key without quotes; gives its text.
    pub(super) fn word(&mut self) -> Ahead<&'a str> {
        let start = self.at;
        self.pass_word()?;
        Ok(self.since(start))
    }

    /// Passes a value whose first character is here, as far as it can be seen.
    pub(super) fn pass_value(&mut self) -> Ahead<()> {
        let mut depth = 0_usize;
        loop {
            let Seen::Char(c) = self.peek_until(Resume::Delimiter)? else { return Ok(()) };
            if let Some(quotes) = Quotes::open(c) {
                self.bump(c);
                if !self.pass_string(quotes)?.is_char() {
                    return Ok(());
                }
            } else if matches!(c, '{' | '[') {
                self.bump(c);
                depth += 1;
            } else if depth > 0 {
                self.bump(c);
                depth -= usize::from(matches!(c, '}' | ']'));
            } else {
                self.pass_word()?;
                return Ok(());
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// What a level of brackets came to.
#[derive(PartialEq, Eq)]
enum Found {
    /// The closing bracket.
    Closed,
    /// A comma before it (round brackets only).
    Comma,
    /// A colon (braces only), another bracket, the end.
    Other,
    Limit,
}

impl Found {
    fn nothing(seen: Seen) -> Self {
        if seen == Seen::Limit { Self::Limit } else { Self::Other }
    }
}

impl Lookahead<'_> {
    /// Whether the braces whose opening one and the whitespace after it have been passed hold values but no
    /// colon.
    pub(super) fn set(self) -> Ahead<bool> {
        if !self.value_start()? {
            return Ok(false);
        }
        let mut first = self;
        first.pass_value()?;
        let listed = matches!(first.peek_visible()?, Seen::Char(',' | '}'));
        Ok(listed && self.pass_level('}')? == Found::Closed)
    }

    /// Whether the round brackets whose opening one has been passed hold a comma, or nothing. More than the
    /// bound are taken for many values: so none is lost.
    pub(super) fn sequence(mut self) -> Ahead<bool> {
        Ok(self.peek_visible()? == Seen::Char(')')
            || matches!(self.pass_level(')')?, Found::Comma | Found::Limit))
    }

    /// Reads up to the bracket that closes this level.
    fn pass_level(mut self, closing: char) -> Ahead<Found> {
        let mut depth = 0_usize;
        loop {
            let seen = self.peek_until(Resume::Close)?;
            let Seen::Char(c) = seen else { return Ok(Found::nothing(seen)) };
            if is_repair_whitespace(c) || c == '#' || c == '/' {
                let before = self.at;
                self.skip_whitespace()?;
                if self.at > before {
                    continue;
                }
            }
            self.bump(c);
            match c {
                '"' | '\'' => {
                    let Some(quotes) = Quotes::open(c) else { continue };
                    let seen = self.pass_string(quotes)?;
                    if !seen.is_char() {
                        return Ok(Found::nothing(seen));
                    }
                }
                ':' | '=' if depth == 0 && closing == '}' => return Ok(Found::Other),
                ',' if depth == 0 && closing == ')' => return Ok(Found::Comma),
                '{' | '[' | '(' => depth += 1,
                '}' | ']' | ')' if depth > 0 => depth -= 1,
                '}' | ']' | ')' => {
                    return Ok(if c == closing { Found::Closed } else { Found::Other });
                }
                _ => {}
            }
        }
    }
}
