//! Looking ahead, within bounds, without taking anything.
//!
//! A look reads the text behind a place in doubt: at most [`BOUND`] bytes of it, blanks and comments
//! not counted, of which at most [`BLANKS`] are passed, and at most [`BOUND`] bytes of comments: each
//! quote in a long line may have to be looked behind, over a comment that begins there. What another
//! look has read of a long comment or run of blanks is passed at once (`ground`): that counts for the
//! bounds as if it had been read. Each answer is a function of the text alone: where the text so far
//! does not suffice the answer is [`More`], and the question is asked again.

use core::ops::{Add, Sub};

use super::ground::{Ground, SHORT};
use super::marks::{Quotes, is_blank, is_key_char, is_line_end, plain_key_length};
use super::meter::Meter;
use super::wake::Wake;

/// Bytes that may be looked at behind a place in doubt.
pub(super) const BOUND: usize = 256;
/// Bytes of blanks and comments that may be passed on the way.
pub(super) const BLANKS: usize = 4096;

/// The text so far does not answer the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct More {
    /// What could let the look go on.
    pub(super) wake: Wake,
    /// So many bytes more are the bound: an answer in any case.
    pub(super) room: usize,
}

impl More {
    pub(super) fn of(wake: Wake) -> Self {
        Self { wake, room: usize::MAX }
    }
}

pub(super) type Ahead<T> = Result<T, More>;

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Char(char),
    /// The end of the input.
    End,
    /// The bound.
    Limit,
}

/// An answer that may lie behind the bound.
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

/// What a look has passed, as its bounds count it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) used: usize,
    blank: usize,
    pub(super) comment: usize,
}

impl Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            used: self.used.wrapping_add(other.used),
            blank: self.blank.wrapping_add(other.blank),
            comment: self.comment.wrapping_add(other.comment),
        }
    }
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            used: self.used.wrapping_sub(other.used),
            blank: self.blank.wrapping_sub(other.blank),
            comment: self.comment.wrapping_sub(other.comment),
        }
    }
}

/// A cursor over the text behind a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look<'a> {
    text: &'a str,
    at: usize,
    ended: bool,
    /// In a document that was escaped once too often.
    pub(super) escaped: bool,
    used: usize,
    blank: usize,
    /// Bytes of comments among the blanks.
    comment: usize,
    meter: &'a Meter,
    /// What is known of the window, and where in it the text begins.
    ground: &'a Ground,
    place: usize,
}

impl<'a> Look<'a> {
    pub(super) fn new(
        text: &'a str,
        ended: bool,
        escaped: bool,
        (ground, place): (&'a Ground, usize),
        meter: &'a Meter,
    ) -> Self {
        // Each byte counts once: the first one here, the others when the look comes to them.
        meter.count(text.len().min(1));
        Self { text, at: 0, ended, escaped, used: 0, blank: 0, comment: 0, meter, ground, place }
    }

    /// The bytes passed so far.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    pub(super) fn meter(&self) -> &'a Meter {
        self.meter
    }

    pub(super) fn spent(&self) -> Spent {
        Spent { used: self.used, blank: self.blank, comment: self.comment }
    }

    /// Goes on where another look stopped, so many bytes behind the place of this one.
    pub(super) fn go_on(&mut self, bytes: usize, spent: Spent) {
        self.meter.count(1);
        self.at = bytes;
        (self.used, self.blank, self.comment) = (spent.used, spent.blank, spent.comment);
    }

    /// What is known of the window, and where in it the look is.
    pub(super) fn ground(&self) -> (&'a Ground, usize) {
        (self.ground, self.place + self.at)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Ahead<Seen> {
        if self.used >= BOUND || self.blank >= BLANKS || self.comment >= BOUND {
            return Ok(Seen::Limit);
        }
        match self.rest().chars().next() {
            Some(c) => Ok(Seen::Char(c)),
            None if self.ended => Ok(Seen::End),
            None => Err(More { wake: Wake::Any, room: BOUND - self.used }),
        }
    }

    /// The same, where only some characters let the look go on.
    pub(super) fn peek_until(&self, wake: Wake) -> Ahead<Seen> {
        self.peek().map_err(|more| More { wake, ..more })
    }

    fn peek_comment(&self, wake: Wake) -> Ahead<Seen> {
        self.peek().map_err(|_| More { wake, room: BOUND - self.comment })
    }

    fn peek_blank(&self, wake: Wake) -> Ahead<Seen> {
        self.peek().map_err(|_| More { wake, room: BLANKS - self.blank })
    }

    pub(super) fn bump(&mut self, c: char) {
        self.meter.count(c.len_utf8());
        self.at += c.len_utf8();
        self.used += c.len_utf8();
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
            return Err(More::of(Wake::Any));
        }
        Ok(rest.starts_with(pattern))
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

    /// Passes so many letters of ASCII that have been seen.
    pub(super) fn eat_letters(&mut self, letters: usize) {
        self.meter.count(letters);
        self.at += letters;
        self.used += letters;
    }

    /// Passes blanks and comments; whether a line ended among them.
    pub(super) fn skip_blanks(&mut self) -> Ahead<bool> {
        let mut line = false;
        loop {
            let Seen::Char(c) = self.peek_blank(Wake::Visible)? else { return Ok(line) };
            if c.is_ascii_graphic() && !matches!(c, '#' | '/' | '\\') {
                return Ok(line);
            }
            if is_blank(c) {
                if matches!(c, '\n' | '\r') {
                    line = true;
                    self.pass(1);
                } else {
                    self.skip_spaces(c)?;
                }
            } else if self.escaped && c == '\\' {
                if !self.escaped_blank()? {
                    return Ok(line);
                }
                line = true;
                self.pass(self.rest().len().min(2));
            } else if !self.skip_comment(c)? {
                return Ok(line);
            }
        }
    }

    /// Passes blanks up to a line end.
    fn skip_spaces(&mut self, first: char) -> Ahead<()> {
        let from = self.place + self.at;
        self.pass(first.len_utf8());
        let mut seen = self.peek_blank(Wake::Visible);
        while let Ok(Seen::Char(c)) = seen
            && is_blank(c)
            && !matches!(c, '\n' | '\r')
        {
            self.pass(c.len_utf8());
            let at = self.place + self.at;
            // Most runs are short.
            if at - from == SHORT {
                self.pass_known(self.ground.visible.known(at) - at, false);
            }
            seen = self.peek_blank(Wake::Visible);
        }
        self.ground.visible.learn(from, self.place + self.at);
        seen.map(|_| ())
    }

    fn pass(&mut self, bytes: usize) {
        self.meter.count(bytes);
        self.at += bytes;
        self.blank += bytes;
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
        let without = if line { &self.ground.line } else { &self.ground.block };
        let from = self.place + self.at;
        self.pass_known(without.known(from) - from, true);
        let found = self.pass_comment(line);
        without.learn(from, self.place + self.at);
        if found? && block {
            self.pass(2);
        }
        Ok(true)
    }

    /// Passes the content of a comment up to its end; whether that is in reach.
    fn pass_comment(&mut self, line: bool) -> Ahead<bool> {
        let wake = if line { Wake::LineEnd } else { Wake::Slash };
        loop {
            let Seen::Char(c) = self.peek_comment(wake)? else { return Ok(false) };
            let end = if line { is_line_end(c) } else { c == '*' && self.starts_with("*/")? };
            if end {
                return Ok(true);
            }
            self.pass(c.len_utf8());
            self.comment += c.len_utf8();
        }
    }

    /// Passes so many bytes of blanks, or of a comment's content, which others have read, as far as the
    /// bounds let.
    fn pass_known(&mut self, bytes: usize, comment: bool) {
        if bytes == 0 {
            return;
        }
        let most = if comment { BOUND.saturating_sub(self.comment) } else { BLANKS };
        let room = most.min(BLANKS.saturating_sub(self.blank));
        let (rest, near) = (self.rest(), bytes.min(room));
        let passed = (near..bytes).find(|&at| rest.is_char_boundary(at)).unwrap_or(bytes);
        self.meter.count(1);
        self.at += passed;
        self.blank += passed;
        self.comment += if comment { passed } else { 0 };
    }

    /// Passes a string whose opening quote has been passed: its closing quote, the end, the bound.
    pub(super) fn pass_string(&mut self, quotes: Quotes) -> Ahead<Seen> {
        loop {
            let seen = self.peek_until(Wake::Quote(quotes))?;
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
        if self.used < BOUND && self.blank < BLANKS && self.comment < BOUND {
            let plain = plain_key_length(self.rest(), BOUND - self.used);
            self.eat_letters(plain);
        }
        while let Seen::Char(c) = self.peek_until(Wake::WordEnd)? {
            let comment =
                c == '#' || (c == '/' && (self.starts_with("//")? || self.starts_with("/*")?));
            if comment || !is_key_char(c) {
                break;
            }
            self.bump(c);
        }
        Ok(self.at > start)
    }

    /// Passes a value whose first character is here, as far as it can be seen.
    pub(super) fn pass_value(&mut self) -> Ahead<()> {
        let mut depth = 0_usize;
        loop {
            let Seen::Char(c) = self.peek_until(Wake::Mark)? else { return Ok(()) };
            if let Some(quotes) = Quotes::open(c) {
                self.bump(c);
                if !matches!(self.pass_string(quotes)?, Seen::Char(_)) {
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
