//! Looking ahead: a cursor over the text after a place, with bounds, and what is kept of the window so that
//! lookaheads that share a long comment or run of whitespace do not each read it.
//!
//! Without the cache each lookahead passes them again: some texts made of them would be examined 50 to 80
//! times. Its cells are atomic because a reader may be shared between threads.

use core::ops::{Add, Sub};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::resume::{Meter, Resume};
use super::whitespace::{Quotes, is_key_char, is_line_end, is_whitespace, plain_key_length};

/// Bytes that may be looked at after a place in doubt.
pub(super) const BOUND: usize = 256;
/// Bytes of whitespace and comments that may be passed on the way.
pub(super) const WHITESPACE: usize = 4096;

/// The text so far does not answer the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// What a lookahead has passed, as its bounds count it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) used: usize,
    blank: usize,
    pub(super) comment: usize,
}

impl Add for Budget {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            used: self.used.wrapping_add(other.used),
            blank: self.blank.wrapping_add(other.blank),
            comment: self.comment.wrapping_add(other.comment),
        }
    }
}

impl Sub for Budget {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            used: self.used.wrapping_sub(other.used),
            blank: self.blank.wrapping_sub(other.blank),
            comment: self.comment.wrapping_sub(other.comment),
        }
    }
}

/// A cursor over the text after a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookahead<'a> {
    text: &'a str,
    at: usize,
    ended: bool,
    /// In a document that was escaped once too often.
    pub(super) escaped: bool,
    used: usize,
    blank: usize,
    /// Bytes of comments among the whitespace.
    comment: usize,
    meter: &'a Meter,
    /// What is known of the window, and where in it the text begins.
    cache: &'a Cache,
    place: usize,
}

impl<'a> Lookahead<'a> {
    pub(super) fn new(
        text: &'a str,
        ended: bool,
        escaped: bool,
        (cache, place): (&'a Cache, usize),
        meter: &'a Meter,
    ) -> Self {
        // Each byte counts once: the first one here, the others when the lookahead comes to them.
        meter.count(text.len().min(1));
        Self { text, at: 0, ended, escaped, used: 0, blank: 0, comment: 0, meter, cache, place }
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

    pub(super) fn spent(&self) -> Budget {
        Budget { used: self.used, blank: self.blank, comment: self.comment }
    }

    /// Goes on where another lookahead stopped, so many bytes after the place of this one.
    pub(super) fn go_on(&mut self, bytes: usize, spent: Budget) {
        self.meter.count(1);
        self.at = bytes;
        (self.used, self.blank, self.comment) = (spent.used, spent.blank, spent.comment);
    }

    /// What is known of the window, and where in it the lookahead is.
    pub(super) fn cache(&self) -> (&'a Cache, usize) {
        (self.cache, self.place + self.at)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Ahead<Seen> {
        if self.used >= BOUND || self.blank >= WHITESPACE || self.comment >= BOUND {
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

    fn peek_comment(&self, resume: Resume) -> Ahead<Seen> {
        self.peek().map_err(|_| NeedMore { resume, room: BOUND - self.comment })
    }

    fn peek_whitespace(&self, resume: Resume) -> Ahead<Seen> {
        self.peek().map_err(|_| NeedMore { resume, room: WHITESPACE - self.blank })
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
            return Err(NeedMore::of(Resume::Any));
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

    /// Passes whitespace and comments; whether a line ended among them.
    pub(super) fn skip_whitespace(&mut self) -> Ahead<bool> {
        let mut line = false;
        loop {
            let Seen::Char(c) = self.peek_whitespace(Resume::Visible)? else { return Ok(line) };
            if c.is_ascii_graphic() && !matches!(c, '#' | '/' | '\\') {
                return Ok(line);
            }
            if is_whitespace(c) {
                if matches!(c, '\n' | '\r') {
                    line = true;
                    self.pass(1);
                } else {
                    self.skip_spaces(c)?;
                }
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

    /// Passes whitespace up to a line end.
    fn skip_spaces(&mut self, first: char) -> Ahead<()> {
        let from = self.place + self.at;
        self.pass(first.len_utf8());
        let mut seen = self.peek_whitespace(Resume::Visible);
        while let Ok(Seen::Char(c)) = seen
            && is_whitespace(c)
            && !matches!(c, '\n' | '\r')
        {
            self.pass(c.len_utf8());
            let at = self.place + self.at;
            // Most runs are short.
            if at - from == SHORT {
                self.pass_cached(self.cache.visible.known(at) - at, false);
            }
            seen = self.peek_whitespace(Resume::Visible);
        }
        self.cache.visible.memoize(from, self.place + self.at);
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
        let without = if line { &self.cache.line } else { &self.cache.block };
        let from = self.place + self.at;
        self.pass_cached(without.known(from) - from, true);
        let found = self.pass_comment(line);
        without.memoize(from, self.place + self.at);
        if found? && block {
            self.pass(2);
        }
        Ok(true)
    }

    /// Passes the content of a comment up to its end; whether that is in reach.
    fn pass_comment(&mut self, line: bool) -> Ahead<bool> {
        let resume = if line { Resume::LineEnd } else { Resume::Slash };
        loop {
            let Seen::Char(c) = self.peek_comment(resume)? else { return Ok(false) };
            let end = if line { is_line_end(c) } else { c == '*' && self.starts_with("*/")? };
            if end {
                return Ok(true);
            }
            self.pass(c.len_utf8());
            self.comment += c.len_utf8();
        }
    }

    /// Passes so many bytes of whitespace, or of a comment's content, which others have read, as far as the
    /// bounds let.
    fn pass_cached(&mut self, bytes: usize, comment: bool) {
        if bytes == 0 {
            return;
        }
        let most = if comment { BOUND.saturating_sub(self.comment) } else { WHITESPACE };
        let room = most.min(WHITESPACE.saturating_sub(self.blank));
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
        if self.used < BOUND && self.blank < WHITESPACE && self.comment < BOUND {
            let plain = plain_key_length(self.rest(), BOUND - self.used);
            self.eat_letters(plain);
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

    /// Passes a value whose first character is here, as far as it can be seen.
    pub(super) fn pass_value(&mut self) -> Ahead<()> {
        let mut depth = 0_usize;
        loop {
            let Seen::Char(c) = self.peek_until(Resume::Mark)? else { return Ok(()) };
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

/// Stretches of one kind that are kept; the oldest one makes room.
const MANY: usize = 4;
/// What is shorter is read again.
pub(super) const SHORT: usize = 16;

/// Places in the window.
#[derive(Debug, Default)]
struct Stretch {
    from: AtomicUsize,
    to: AtomicUsize,
}

impl Stretch {
    fn holds(&self, at: usize) -> bool {
        (self.from.load(Relaxed)..=self.to.load(Relaxed)).contains(&at)
    }

    fn set(&self, from: usize, to: usize) {
        self.from.store(from, Relaxed);
        self.to.store(to, Relaxed);
    }
}

/// Stretches without one thing.
#[derive(Debug, Default)]
pub(super) struct Absent {
    stretches: [Stretch; MANY],
    next: AtomicUsize,
}

impl Absent {
    /// Up to where there is surely none from a place on.
    pub(super) fn known(&self, at: usize) -> usize {
        let ends = self.stretches.iter().filter(|stretch| stretch.holds(at));
        ends.map(|stretch| stretch.to.load(Relaxed)).max().unwrap_or(at)
    }

    /// There is none between two places.
    pub(super) fn memoize(&self, from: usize, to: usize) {
        if to < from + SHORT {
            return;
        }
        if let Some(stretch) = self.stretches.iter().find(|stretch| stretch.holds(from)) {
            stretch.to.store(to.max(stretch.to.load(Relaxed)), Relaxed);
            return;
        }
        let next = self.next.load(Relaxed);
        self.next.store((next + 1) % MANY, Relaxed);
        if let Some(stretch) = self.stretches.get(next) {
            stretch.set(from, to);
        }
    }

    /// So many bytes at the front of the window go.
    fn drain(&mut self, bytes: usize) {
        for Stretch { from, to } in &mut self.stretches {
            let (from, to) = (from.get_mut(), to.get_mut());
            *from = from.saturating_sub(bytes);
            *to = to.saturating_sub(bytes);
        }
    }
}

impl Clone for Absent {
    fn clone(&self) -> Self {
        let copy = Self::default();
        for (new, old) in copy.stretches.iter().zip(&self.stretches) {
            new.set(old.from.load(Relaxed), old.to.load(Relaxed));
        }
        copy.next.store(self.next.load(Relaxed), Relaxed);
        copy
    }
}

/// All that is known of the window.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    /// No line end stands there.
    pub(super) line: Absent,
    /// The mark that ends a block comment begins nowhere there.
    pub(super) block: Absent,
    /// No round bracket closes.
    pub(super) round: Absent,
    /// None that may be the last thing of all closes.
    pub(super) last_round: Absent,
    /// Nothing but whitespace, without a line end.
    pub(super) visible: Absent,
}

impl Cache {
    pub(super) fn drain(&mut self, bytes: usize) {
        self.line.drain(bytes);
        self.block.drain(bytes);
        self.round.drain(bytes);
        self.last_round.drain(bytes);
        self.visible.drain(bytes);
    }

    /// The window holds another text.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}
