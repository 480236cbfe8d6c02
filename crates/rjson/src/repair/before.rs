//! What lies before a burst: gaps and members.
//!
//! What one look proves, the next one takes: the member behind a comma is found when the value
//! before it must be known to end, and not read again.

use core::cell::Cell;
use core::ops::Deref;

use crate::machine::Ahead;

/// The longest run of blanks, and the longest key or number, that is taken.
pub(super) const LONG: usize = 128;
/// The longest gap with comments in it: four of them are within the bound of a look.
const COMMENTED: usize = 60;

/// A key, where it ends, and where its value begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'c> {
    pub(super) name: &'c str,
    pub(super) end: usize,
    pub(super) value: usize,
}

/// The text before a burst.
pub(super) struct Before<'c> {
    ahead: Ahead<'c>,
    /// The last member found, and its place.
    found: Cell<Option<(usize, Member<'c>)>>,
    /// The first and the last comment that was passed.
    first_comment: Cell<usize>,
    last_comment: Cell<Option<usize>>,
}

impl<'c> Deref for Before<'c> {
    type Target = Ahead<'c>;

    fn deref(&self) -> &Ahead<'c> {
        &self.ahead
    }
}

impl<'c> Before<'c> {
    pub(super) fn new(text: &'c str, offset: u64) -> Self {
        let ahead = Ahead::new(text, offset);
        Self {
            ahead,
            found: Cell::new(None),
            first_comment: Cell::new(usize::MAX),
            last_comment: Cell::new(None),
        }
    }

    /// Whether there was a comment before a place up to which all has been taken. A look that goes
    /// farther only passes what is taken next, or else ends the burst.
    pub(super) fn comment_before(&self, at: usize) -> bool {
        self.first_comment.get() < at
    }

    /// Whether there is too little text for more behind a place up to which all has been taken. What
    /// stands behind a comment is not waited for.
    pub(super) fn is_short_behind(&self, at: usize) -> bool {
        self.is_short() && self.last_comment.get().is_none_or(|comment| comment < at)
    }

    /// Where a run of blanks ends, if it is no long one.
    #[inline]
    pub(super) fn short_blanks(&self, from: usize) -> Option<usize> {
        let end = self.blanks(from);
        (end - from <= LONG).then_some(end)
    }

    /// Where blanks and comments end, if they are no long ones.
    #[inline]
    pub(super) fn gap(&self, from: usize) -> Option<usize> {
        let end = self.short_blanks(from)?;
        match self.text().as_bytes().get(end) {
            Some(b'/' | b'#') => self.gap_behind_comment(from, end),
            _ => Some(end),
        }
    }

    /// The same directly behind a closing quote, where no comment up to the end of the line begins.
    #[inline]
    pub(super) fn gap_behind_quote(&self, from: usize) -> Option<usize> {
        match self.text().as_bytes().get(from..)? {
            [b'#' | b'/', ..] => None,
            _ => self.gap(from),
        }
    }

    #[inline(never)]
    fn gap_behind_comment(&self, from: usize, comment: usize) -> Option<usize> {
        let mut at = comment;
        while let Some(end) = self.comment(at)? {
            self.first_comment.set(self.first_comment.get().min(at));
            self.last_comment.set(self.last_comment.get().max(Some(at)));
            at = self.blanks(end);
            if at - from > COMMENTED {
                return None;
            }
        }
        Some(at)
    }

    /// Where the comment that begins at a place ends: before its line end, or behind its mark.
    fn comment(&self, at: usize) -> Option<Option<usize>> {
        let bytes = self.text().as_bytes();
        let (from, block) = match bytes.get(at) {
            Some(b'#') => (at + 1, false),
            Some(b'/') => match bytes.get(at + 1)? {
                b'/' => (at + 2, false),
                b'*' => (at + 2, true),
                _ => return Some(None),
            },
            _ => return Some(None),
        };
        let rest = bytes.get(from..).unwrap_or_default();
        let near = rest.get(..COMMENTED).unwrap_or(rest);
        let length = if block {
            near.windows(2).position(|two| two == b"*/").map(|at| at + 2)
        } else {
            // The line ends outside ASCII are left to the rules.
            near.iter().position(|&byte| matches!(byte, b'\n' | b'\r' | 0x80..))
        };
        Some(Some(from + length?))
    }

    /// The member at a place.
    #[inline]
    pub(super) fn member(&self, at: usize) -> Option<Member<'c>> {
        match self.found.get() {
            Some((place, member)) if place == at => Some(member),
            _ => self.read_member(at),
        }
    }

    fn read_member(&self, at: usize) -> Option<Member<'c>> {
        let (name, end) = match self.byte(at)? {
            b'"' => self.name(at).map(|name| (name, at + name.len() + 2))?,
            b'\'' => {
                let (name, escaped) = self.single(at)?;
                (!escaped).then_some((name, at + name.len() + 2))?
            }
            _ => self.identifier(at).map(|name| (name, at + name.len()))?,
        };
        if end - at > LONG {
            return None;
        }
        let quoted = matches!(self.byte(at)?, b'"' | b'\'');
        let colon = if quoted { self.gap_behind_quote(end)? } else { self.gap(end)? };
        if self.byte(colon)? != b':' {
            return None;
        }
        let member = Member { name, end, value: self.gap(colon + 1)? };
        self.found.set(Some((at, member)));
        Some(member)
    }
}
