//! What brackets hold: a comma, a colon, or one value.
//!
//! Each of many brackets in a row asks for what follows it, up to the bound. What the look
//! behind one of them has read without finding anything that decides, those inside it do not read
//! again: they go on where it stopped.

use alloc::collections::VecDeque;

use super::look::{Ahead, Look, Seen, Spent};
use super::marks::{Quotes, is_blank};
use super::wake::Wake;

/// Text behind an opening bracket that has been read, without anything that decides.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// The opening brackets in it, outside strings and comments.
    open: VecDeque<Opener>,
    /// The offset up to which it has been read.
    stop: u64,
    /// What passing it has cost a look.
    spent: Spent,
    /// In an escaped document.
    escaped: bool,
}

#[derive(Debug, Clone, Copy)]
struct Opener {
    place: u64,
    /// What passing the text up to its end has cost.
    spent: Spent,
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
    /// Whether the braces that open at `place`, with the look behind them, hold values but no colon.
    /// To be asked from left to right.
    pub(super) fn is_set(&mut self, mut look: Look<'_>, place: u64) -> Ahead<bool> {
        if !look.value_start()? {
            return Ok(false);
        }
        let mut first = look;
        first.pass_value()?;
        first.skip_blanks()?;
        if !matches!(first.peek()?, Seen::Char(',' | '}')) {
            return Ok(false);
        }
        let depth = self.known(&mut look, place).unwrap_or_else(|| self.begin(&look, place));
        Ok(self.scan(look, place + 1, depth, '}')? == Found::Closed)
    }

    /// Whether the round brackets that open at `place`, directly before the look, hold a comma, or
    /// nothing. More than the bound are taken for many values: so none is lost. To be asked from left
    /// to right.
    pub(super) fn is_sequence(&mut self, mut look: Look<'_>, place: u64) -> Ahead<bool> {
        let depth = match self.known(&mut look, place) {
            Some(depth) => depth,
            None => {
                look.skip_blanks()?;
                if look.peek()? == Seen::Char(')') {
                    return Ok(true);
                }
                self.begin(&look, place)
            }
        };
        Ok(matches!(self.scan(look, place + 1, depth, ')')?, Found::Comma | Found::Limit))
    }

    /// Passes what has been read behind the bracket at `place`; the brackets open there.
    fn known(&mut self, look: &mut Look<'_>, place: u64) -> Option<usize> {
        while self.open.front().is_some_and(|open| open.place < place) {
            self.open.pop_front();
        }
        let open = self.open.front().filter(|open| {
            let visible = self.spent.used > open.spent.used;
            // There an escape is a blank or not, by what stands before it.
            let other = look.escaped && (look.at() > 0 || look.rest().starts_with('\\'));
            open.place == place && visible && self.escaped == look.escaped && !other
        })?;
        let bytes = usize::try_from(self.stop - place - 1).ok()?;
        look.go_on(bytes, self.spent - open.spent);
        Some(self.open.len() - 1)
    }

    fn begin(&mut self, look: &Look<'_>, place: u64) -> usize {
        self.open.clear();
        self.open.push_back(Opener { place, spent: Spent::default() });
        (self.spent, self.escaped) = (look.spent(), look.escaped);
        0
    }

    /// Reads up to the bracket that closes this level. `base` is where the look began.
    fn scan(
        &mut self,
        mut look: Look<'_>,
        base: u64,
        mut depth: usize,
        closer: char,
    ) -> Ahead<Found> {
        let origin = self.spent - look.spent();
        let mut learns = true;
        loop {
            let seen = look.peek_until(Wake::Close);
            if learns && seen != Ok(Seen::Limit) {
                self.learn(&look, base, origin);
            }
            let seen = seen?;
            let Seen::Char(c) = seen else { return Ok(Found::nothing(seen)) };
            if is_blank(c) || c == '#' || c == '/' {
                let before = look;
                let skipped = look.skip_blanks();
                if learns && !look.escaped && stops_outside(&before, &look) {
                    self.learn(&look, base, origin);
                }
                skipped?;
                if look.at() > before.at() {
                    continue;
                }
            }
            look.bump(c);
            match c {
                '"' | '\'' => {
                    let Some(quotes) = Quotes::open(c) else { continue };
                    let seen = look.pass_string(quotes)?;
                    if !matches!(seen, Seen::Char(_)) {
                        return Ok(Found::nothing(seen));
                    }
                }
                ':' | '=' if depth == 0 && closer == '}' => return Ok(Found::Other),
                ',' if depth == 0 && closer == ')' => return Ok(Found::Comma),
                ':' | '=' if closer == '}' => learns = false,
                ',' if closer == ')' => learns = false,
                '{' | '[' | '(' => {
                    depth += 1;
                    if learns {
                        let place = base + look.at() as u64 - 1;
                        self.open.push_back(Opener { place, spent: origin + look.spent() });
                        self.learn(&look, base, origin);
                    }
                }
                '}' | ']' | ')' if depth > 0 => {
                    learns = false;
                    depth -= 1;
                }
                '}' | ']' | ')' => {
                    return Ok(if c == closer { Found::Closed } else { Found::Other });
                }
                _ => {}
            }
        }
    }

    fn learn(&mut self, look: &Look<'_>, base: u64, origin: Spent) {
        self.stop = base + look.at() as u64;
        self.spent = origin + look.spent();
    }
}

/// Whether a look has passed nothing but blanks since another one: it does not stop in a comment.
fn stops_outside(before: &Look<'_>, look: &Look<'_>) -> bool {
    let passed = before.rest().as_bytes().get(..look.at() - before.at()).unwrap_or_default();
    let mark = passed.last().is_some_and(|byte| matches!(byte, b'/' | b'*' | b'#'));
    !mark && look.spent().comment == before.spent().comment
}
