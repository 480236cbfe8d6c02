//! Lookahead into brackets, shared by those that ask one after the other: what braces and round brackets
//! hold, and which brackets in unquoted text are closed nearby.

use alloc::collections::{BTreeSet, VecDeque};

use super::lookahead::{Ahead, BOUND, Budget, Lookahead, NeedMore, Seen};
use super::resume::{Meter, Resume};
use super::whitespace::{Quotes, is_whitespace};

/// Text after an opening bracket that has been read, without anything that decides.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// The opening brackets in it, outside strings and comments.
    open: VecDeque<Opener>,
    /// The offset up to which it has been read.
    stop: u64,
    /// What passing it has cost a lookahead.
    spent: Budget,
    /// In an escaped document.
    escaped: bool,
}

#[derive(Debug, Clone, Copy)]
struct Opener {
    place: u64,
    /// What passing the text up to its end has cost.
    spent: Budget,
}

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

impl Levels {
    /// Whether the braces that open at `place`, with the lookahead after them, hold values but no colon.
    /// To be asked from left to right.
    pub(super) fn is_set(&mut self, mut lookahead: Lookahead<'_>, place: u64) -> Ahead<bool> {
        if !lookahead.value_start()? {
            return Ok(false);
        }
        let mut first = lookahead;
        first.pass_value()?;
        first.skip_whitespace()?;
        if !matches!(first.peek()?, Seen::Char(',' | '}')) {
            return Ok(false);
        }
        let depth =
            self.known(&mut lookahead, place).unwrap_or_else(|| self.begin(&lookahead, place));
        Ok(self.scan(lookahead, place + 1, depth, '}')? == Found::Closed)
    }

    /// Whether the round brackets that open at `place`, directly before the lookahead, hold a comma, or
    /// nothing. More than the bound are taken for many values: so none is lost. To be asked from left
    /// to right.
    pub(super) fn is_sequence(&mut self, mut lookahead: Lookahead<'_>, place: u64) -> Ahead<bool> {
        let depth = match self.known(&mut lookahead, place) {
            Some(depth) => depth,
            None => {
                lookahead.skip_whitespace()?;
                if lookahead.peek()? == Seen::Char(')') {
                    return Ok(true);
                }
                self.begin(&lookahead, place)
            }
        };
        Ok(matches!(self.scan(lookahead, place + 1, depth, ')')?, Found::Comma | Found::Limit))
    }

    /// Passes what has been read after the bracket at `place`; the brackets open there.
    fn known(&mut self, lookahead: &mut Lookahead<'_>, place: u64) -> Option<usize> {
        while self.open.front().is_some_and(|open| open.place < place) {
            self.open.pop_front();
        }
        let open = self.open.front().filter(|open| {
            let visible = self.spent.used > open.spent.used;
            // There an escape is whitespace or not, by what stands before it.
            let other =
                lookahead.escaped && (lookahead.at() > 0 || lookahead.rest().starts_with('\\'));
            open.place == place && visible && self.escaped == lookahead.escaped && !other
        })?;
        let bytes = usize::try_from(self.stop - place - 1).ok()?;
        lookahead.go_on(bytes, self.spent - open.spent);
        Some(self.open.len() - 1)
    }

    fn begin(&mut self, lookahead: &Lookahead<'_>, place: u64) -> usize {
        self.open.clear();
        self.open.push_back(Opener { place, spent: Budget::default() });
        (self.spent, self.escaped) = (lookahead.spent(), lookahead.escaped);
        0
    }

    /// Reads up to the bracket that closes this level. `base` is where the lookahead began.
    fn scan(
        &mut self,
        mut lookahead: Lookahead<'_>,
        base: u64,
        mut depth: usize,
        closer: char,
    ) -> Ahead<Found> {
        let origin = self.spent - lookahead.spent();
        let mut memoizes = true;
        loop {
            let seen = lookahead.peek_until(Resume::Close);
            if memoizes && seen != Ok(Seen::Limit) {
                self.memoize(&lookahead, base, origin);
            }
            let seen = seen?;
            let Seen::Char(c) = seen else { return Ok(Found::nothing(seen)) };
            if is_whitespace(c) || c == '#' || c == '/' {
                let before = lookahead;
                let skipped = lookahead.skip_whitespace();
                if memoizes && !lookahead.escaped && stops_outside(&before, &lookahead) {
                    self.memoize(&lookahead, base, origin);
                }
                skipped?;
                if lookahead.at() > before.at() {
                    continue;
                }
            }
            lookahead.bump(c);
            match c {
                '"' | '\'' => {
                    let Some(quotes) = Quotes::open(c) else { continue };
                    let seen = lookahead.pass_string(quotes)?;
                    if !matches!(seen, Seen::Char(_)) {
                        return Ok(Found::nothing(seen));
                    }
                }
                ':' | '=' if depth == 0 && closer == '}' => return Ok(Found::Other),
                ',' if depth == 0 && closer == ')' => return Ok(Found::Comma),
                ':' | '=' if closer == '}' => memoizes = false,
                ',' if closer == ')' => memoizes = false,
                '{' | '[' | '(' => {
                    depth += 1;
                    if memoizes {
                        let place = base + lookahead.at() as u64 - 1;
                        self.open.push_back(Opener { place, spent: origin + lookahead.spent() });
                        self.memoize(&lookahead, base, origin);
                    }
                }
                '}' | ']' | ')' if depth > 0 => {
                    memoizes = false;
                    depth -= 1;
                }
                '}' | ']' | ')' => {
                    return Ok(if c == closer { Found::Closed } else { Found::Other });
                }
                _ => {}
            }
        }
    }

    fn memoize(&mut self, lookahead: &Lookahead<'_>, base: u64, origin: Budget) {
        self.stop = base + lookahead.at() as u64;
        self.spent = origin + lookahead.spent();
    }
}

/// Whether a lookahead has passed nothing but whitespace since another one: it does not stop in a comment.
fn stops_outside(before: &Lookahead<'_>, lookahead: &Lookahead<'_>) -> bool {
    let passed = before.rest().as_bytes().get(..lookahead.at() - before.at()).unwrap_or_default();
    let mark = passed.last().is_some_and(|byte| matches!(byte, b'/' | b'*' | b'#'));
    !mark && lookahead.spent().comment == before.spent().comment
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
