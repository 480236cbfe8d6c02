//! Lookahead into brackets: what braces and round brackets hold, and which brackets in unquoted text are
//! closed nearby.

use alloc::collections::{BTreeSet, VecDeque};

use super::lookahead::{Ahead, BOUND, Lookahead, NeedMore, Seen};
use super::resume::{Meter, Resume};
use super::whitespace::{Quotes, is_whitespace};

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
        first.skip_whitespace()?;
        let listed = matches!(first.peek()?, Seen::Char(',' | '}'));
        Ok(listed && self.pass_level('}')? == Found::Closed)
    }

    /// Whether the round brackets whose opening one has been passed hold a comma, or nothing. More than the
    /// bound are taken for many values: so none is lost.
    pub(super) fn sequence(mut self) -> Ahead<bool> {
        self.skip_whitespace()?;
        Ok(self.peek()? == Seen::Char(')')
            || matches!(self.pass_level(')')?, Found::Comma | Found::Limit))
    }

    /// Reads up to the bracket that closes this level.
    fn pass_level(mut self, closer: char) -> Ahead<Found> {
        let mut depth = 0_usize;
        loop {
            let seen = self.peek_until(Resume::Close)?;
            let Seen::Char(c) = seen else { return Ok(Found::nothing(seen)) };
            if is_whitespace(c) || c == '#' || c == '/' {
                let before = self.at();
                self.skip_whitespace()?;
                if self.at() > before {
                    continue;
                }
            }
            self.bump(c);
            match c {
                '"' | '\'' => {
                    let Some(quotes) = Quotes::open(c) else { continue };
                    let seen = self.pass_string(quotes)?;
                    if !matches!(seen, Seen::Char(_)) {
                        return Ok(Found::nothing(seen));
                    }
                }
                ':' | '=' if depth == 0 && closer == '}' => return Ok(Found::Other),
                ',' if depth == 0 && closer == ')' => return Ok(Found::Comma),
                '{' | '[' | '(' => depth += 1,
                '}' | ']' | ')' if depth > 0 => depth -= 1,
                '}' | ']' | ')' => {
                    return Ok(if c == closer { Found::Closed } else { Found::Other });
                }
                _ => {}
            }
        }
    }
}

/// A pass over the brackets after a place. Positions count from there.
#[derive(Debug, Clone, Default)]
pub(super) struct Brackets {
    place: u64,
    /// The next byte to look at.
    at: usize,
    /// Opening brackets without their partner, as long as it may still be near enough.
    open: VecDeque<usize>,
    /// Opening brackets with their partner near.
    closed: BTreeSet<usize>,
}

impl Brackets {
    /// Goes on with a pass, or begins another one.
    pub(super) fn begin(&mut self, place: u64) {
        if self.place != place || self.at == 0 {
            self.place = place;
            self.at = 0;
            self.open.clear();
            self.closed.clear();
        }
    }

    /// Whether the bracket that opens at `from` is closed within the bound. To be asked from left to
    /// right.
    pub(super) fn close(
        &mut self,
        text: &str,
        from: usize,
        ended: bool,
        meter: &Meter,
    ) -> Ahead<bool> {
        self.closed = self.closed.split_off(&from);
        while self.open.front().is_some_and(|&open| open + BOUND < from) {
            self.open.pop_front();
        }
        if self.at < from {
            self.at = from;
            self.open.clear();
        }
        let end = from + BOUND;
        while self.at < end && !self.closed.contains(&from) {
            let Some(&byte) = text.as_bytes().get(self.at) else {
                return if ended { Ok(false) } else { Err(NeedMore::of(Resume::Mark)) };
            };
            meter.count(1);
            match byte {
                b'{' | b'[' | b'(' => self.open.push_back(self.at),
                b'}' | b']' | b')' => {
                    let partner = self.open.pop_back();
                    self.closed.extend(partner.filter(|&open| self.at < open + BOUND));
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(self.closed.contains(&from))
    }
}
