//! The input that is still needed; where the next `<` of it is, whatever that begins, and whether there is but
//! whitespace before it.
//!
//! Content is read as often as there are levels of lists around it, and once more where an element
//! turns out to be no wrapper; what the scan saw of it answers for all of them.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::memchr;

use super::{State, Tags};
use crate::text::is_whitespace;

/// The part of the input that is still needed, addressed by offsets into the whole input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buf {
    text: String,
    base: usize,
}

impl Buf {
    pub(crate) fn push(&mut self, chunk: &str) {
        self.text.push_str(chunk);
    }

    /// Begins anew at an offset with this text.
    pub(crate) fn restart(&mut self, base: usize, text: &str) {
        self.pass(base);
        self.text.push_str(text);
    }

    /// Holds nothing up to an offset.
    pub(crate) fn pass(&mut self, to: usize) {
        self.base = to;
        self.text.clear();
    }

    /// Offset after the last byte.
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// The bytes of a range; what is no longer or not yet there counts as empty.
    pub(crate) fn slice(&self, range: Range<usize>) -> &str {
        let from = range.start.saturating_sub(self.base);
        self.text.get(from..range.end.saturating_sub(self.base)).unwrap_or("")
    }

    /// The place of the character at an offset.
    pub(crate) fn char_at(&self, at: usize) -> Range<usize> {
        at..at + self.from(at).chars().next().map_or(1, char::len_utf8)
    }

    /// Everything from an offset on.
    pub(crate) fn from(&self, start: usize) -> &str {
        self.text.get(start.saturating_sub(self.base)..).unwrap_or("")
    }

    /// The bytes of a range, which need not be at characters' boundaries.
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        let from = range.start.saturating_sub(self.base);
        let to = range.end.saturating_sub(self.base).min(self.text.len());
        self.text.as_bytes().get(from..to).unwrap_or_default()
    }

    /// What is there before an offset.
    pub(crate) fn before(&self, at: usize) -> &[u8] {
        self.bytes(self.base..at)
    }

    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.checked_sub(self.base)?).copied()
    }

    /// Forgets what is before an offset, once that is the larger part: each byte moves at most once.
    pub(crate) fn forget(&mut self, before: usize) {
        let cut = before.saturating_sub(self.base);
        if cut > self.text.len() / 2 && self.text.is_char_boundary(cut) {
            self.text.drain(..cut);
            self.base += cut;
        }
    }
}

/// A `<` that begins no tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    at: usize,
    /// After the `<`, or after the hidden section that it begins.
    to: usize,
    whitespace: usize,
}

/// A `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Angle {
    pub(crate) at: usize,
    /// Where the whitespace directly before it begins, if that is known.
    pub(crate) whitespace: Option<usize>,
}

impl Tags {
    /// The first `<` at an offset or after it, as far as has been scanned.
    pub(crate) fn angle(&mut self, buf: &Buf, from: usize) -> Option<Angle> {
        let place = self.others.partition_point(|other| other.at < from);
        let over = place.checked_sub(1).and_then(|place| self.others.get(place));
        let mut from = from;
        if let Some(hidden) = over.filter(|other| other.to > from) {
            // A comment ended in a section that the scan took for one that hides.
            let to = hidden.to;
            if let Some(at) = self.search(buf, from, to) {
                return Some(Angle { at, whitespace: None });
            }
            from = to;
        }
        let tag = self.get(self.from(from));
        let tag = tag.map(|tag| Angle { at: tag.start, whitespace: Some(tag.whitespace) });
        let other = self.others.get(place);
        let other = other.map(|other| Angle { at: other.at, whitespace: Some(other.whitespace) });
        let known = tag.into_iter().chain(other).min();
        known.or_else(|| self.unfinished(buf, from))
    }

    /// The same among what the scan has not done with. What may be hidden has to wait.
    fn unfinished(&self, buf: &Buf, from: usize) -> Option<Angle> {
        let (at, whitespace) = match self.state {
            State::Text => return None,
            State::MayHide => (Some(self.at).filter(|at| buf.byte(*at) == Some(b'<')), None),
            State::Hidden(start) => (Some(start), Some(self.whitespace)),
            _ => (Some(self.start), Some(self.whitespace)),
        };
        at.filter(|at| *at >= from).map(|at| Angle { at, whitespace })
    }

    fn search(&mut self, buf: &Buf, from: usize, to: usize) -> Option<usize> {
        let bytes = buf.bytes(from..to);
        let found = memchr(b'<', bytes);
        self.count_examined(found.unwrap_or(bytes.len()));
        found.map(|found| from + found)
    }

    /// Remembers the whitespace before the `<` at an offset.
    pub(super) fn note_whitespace(&mut self, buf: &Buf, angle: usize) {
        let before = buf.before(angle);
        let spaces = before.iter().rev().take_while(|byte| is_whitespace(**byte)).count();
        self.count_examined(spaces);
        self.whitespace = angle - spaces;
    }

    /// What began with a `<` is no tag, and ends at an offset.
    pub(super) fn record_other(&mut self, at: usize, to: usize) {
        self.others.push_back(Other { at, to, whitespace: self.whitespace });
    }

    pub(crate) fn forget_others(&mut self, before: usize) {
        while self.others.front().is_some_and(|other| other.to <= before) {
            self.others.pop_front();
        }
    }
}

/// What ends markup that is no tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Comment,
    Section,
    Instruction,
}

impl Mark {
    const ALL: [Self; 3] = [Self::Comment, Self::Section, Self::Instruction];

    /// The text, which ends in `>`.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Comment => "-->",
            Self::Section => super::CDATA_END,
            Self::Instruction => "?>",
        }
    }
}

/// The offsets after the marks, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    places: [VecDeque<usize>; 3],
    /// Marks that end at this offset or before it have been taken in.
    known: usize,
}

impl Ends {
    /// Takes in what ends in the `>` before an offset; `before` are the bytes up to there.
    pub(super) fn note(&mut self, offset: usize, before: &[u8]) {
        if offset <= self.known {
            return;
        }
        self.known = offset;
        for (places, mark) in self.places.iter_mut().zip(Mark::ALL) {
            if before.ends_with(mark.text().as_bytes()) {
                places.push_back(offset);
            }
        }
    }

    /// Offset after the first mark that begins at an offset or after it.
    pub(super) fn after(&self, mark: Mark, from: usize) -> Option<usize> {
        let places = self.places.get(mark as usize)?;
        let at = places.partition_point(|place| *place < from + mark.text().len());
        places.get(at).copied()
    }

    pub(super) fn forget(&mut self, before: usize) {
        for places in &mut self.places {
            while places.front().is_some_and(|place| *place < before) {
                places.pop_front();
            }
        }
    }
}
