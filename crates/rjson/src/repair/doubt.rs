//! Whether a quote that is data may have been meant as an end: what follows it resembles what could
//! stand after the end of the string.

use super::guided::{Scene, quoted};
use super::lookahead::{Ahead, Lookahead, Seen};
use crate::chars::Quotes;

impl Scene<'_> {
    /// Whether what stands after a quote that is data resembles a member or an entry. At an odd count
    /// of quotes that is content, but for keys that have been given.
    pub(super) fn resembles(&self, mut lookahead: Lookahead<'_>, even: bool) -> Ahead<bool> {
        if lookahead.line_comment()? {
            return Ok(false);
        }
        let mut open = self.repair.stack.len();
        lookahead.skip_whitespace()?;
        let apart = lookahead.at() > 0;
        let Seen::Char(first) = lookahead.peek()? else { return Ok(false) };
        if even && first == '+' {
            lookahead.bump(first);
            return Ok(
                matches!(lookahead.peek_visible()?, Seen::Char(c) if Quotes::open(c).is_some()),
            );
        }
        if Quotes::open(first).is_some() {
            return Ok(even && self.second_string(lookahead, open, apart)?);
        }
        while let Seen::Char(c @ ('}' | ']')) = lookahead.peek()? {
            open = open.saturating_sub(1);
            lookahead.bump(c);
            lookahead.skip_whitespace()?;
        }
        let closed = open < self.repair.stack.len();
        let comma = lookahead.eat(",")?;
        lookahead.skip_whitespace()?;
        while comma && lookahead.eat(",")? {
            lookahead.skip_whitespace()?;
        }
        if even
            && closed
            && self.in_any_list()
            && matches!(lookahead.peek()?, Seen::Char('{' | '['))
        {
            return Ok(true);
        }
        match comma {
            true => self.resembles_member(lookahead, open.max(1), even),
            false => Ok(even && closed && self.declares(lookahead, open)?),
        }
    }

    /// Whether the string stands in a list, however deep: brackets after it, one too many or too few, may
    /// end an entry.
    fn in_any_list(&self) -> bool {
        (1..=self.repair.stack.len()).any(|open| self.is_array(open))
    }

    /// Whether a declared key and its colon stand here.
    fn declares(&self, mut lookahead: Lookahead<'_>, open: usize) -> Ahead<bool> {
        let Some(name) = quoted(&mut lookahead)? else { return Ok(false) };
        lookahead.skip_whitespace()?;
        Ok(self.is_declared(name, open) && lookahead.eat(":")?)
    }

    /// After a comma: a key.
    fn resembles_member(
        &self,
        mut lookahead: Lookahead<'_>,
        open: usize,
        even: bool,
    ) -> Ahead<bool> {
        let from = lookahead;
        let level = self.level(open);
        let place = |name: &str| level.and_then(|level| level.shape().member(name));
        let given =
            |name: &str| level.zip(place(name)).is_some_and(|(level, place)| level.has(place));
        let name = quoted(&mut lookahead)?;
        let unquoted = name.is_none();
        let name = match name {
            Some(name) => name,
            None => {
                lookahead = from;
                lookahead.word()?
            }
        };
        let colon = lookahead.eat_visible(":")?;
        if given(name) && (colon || (even && !unquoted)) {
            return Ok(true);
        }
        if !even {
            return Ok(false);
        }
        if place(name).is_some() && (colon || !unquoted) {
            return Ok(true);
        }
        if unquoted || !colon {
            return Ok(false);
        }
        lookahead.skip_whitespace()?;
        lookahead.value_start()
    }

    /// A second string in a row: a declared key, or one that a comma or a bracket follows, which without
    /// whitespace before it (`apart`) counts in lists only.
    fn second_string(&self, mut lookahead: Lookahead<'_>, open: usize, apart: bool) -> Ahead<bool> {
        let Some(name) = quoted(&mut lookahead)? else { return Ok(false) };
        Ok(match lookahead.peek_visible()? {
            Seen::Char(':') => self.is_declared(name, open),
            Seen::Char(',' | ']') => apart || self.is_array(open),
            Seen::Char('}') => apart,
            _ => false,
        })
    }
}
