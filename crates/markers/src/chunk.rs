//! Chunks of a stream, with what a tokenizer knows about them: which bytes came from special
//! tokens.
//!
//! A marker that is one special token of the model cannot be written by accident; the same
//! characters spelled out can. Sources that see tokens pass the byte ranges along; [`Attribution`]
//! remembers them in offsets of the whole stream until they are no longer needed.

use alloc::collections::VecDeque;
use core::ops::Range;

/// A piece of input as it arrived.
///
/// ```
/// use toolweir_markers::Chunk;
///
/// let plain = Chunk::from("no tokens known");
/// assert_eq!(plain.special, None);
///
/// let special = [0..11];
/// let chunk = Chunk::attributed("<tool_call>{", &special);
/// assert_eq!(chunk.special, Some(&[0..11][..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// The text.
    pub text: &'a str,
    /// Byte ranges of `text` that came from special tokens, sorted and without overlap; empty if
    /// there are none. `None`: the source does not say. Default of the constructors from text:
    /// `None`.
    pub special: Option<&'a [Range<usize>]>,
}

impl<'a> Chunk<'a> {
    /// A chunk of a source that does not say where its special tokens are.
    #[must_use]
    pub const fn text(text: &'a str) -> Self {
        Chunk { text, special: None }
    }

    /// A chunk in which exactly the bytes at `special` came from special tokens.
    #[must_use]
    pub const fn attributed(text: &'a str, special: &'a [Range<usize>]) -> Self {
        Chunk { text, special: Some(special) }
    }
}

impl<'a> From<&'a str> for Chunk<'a> {
    fn from(text: &'a str) -> Self {
        Chunk::text(text)
    }
}

/// Remembers where the special tokens of a stream are.
///
/// Offsets are bytes in the whole stream. Call [`forget_before`](Attribution::forget_before) as the
/// reader moves on, and memory stays bounded by what is still undecided.
///
/// ```
/// use toolweir_markers::{Attribution, Chunk};
///
/// let mut known = Attribution::default();
/// known.push(0, &Chunk::attributed("Hi ", &[]));
/// known.push(3, &Chunk::attributed("<call>x", &[0..6]));
/// assert!(known.is_attributed());
/// assert!(known.touches(3, 9));
/// assert!(!known.touches(0, 3));
/// known.forget_before(9);
/// assert!(!known.touches(3, 9));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Attribution {
    attributed: bool,
    /// Sorted, apart from one another, none empty.
    ranges: VecDeque<Range<u64>>,
}

impl Attribution {
    /// Takes over the special ranges of a chunk that begins at `offset`; chunks come in order.
    ///
    /// Ranges beyond the chunk's text are cut to it, and one that begins before the end of the
    /// range before it is cut to what lies after that end.
    pub fn push(&mut self, offset: u64, chunk: &Chunk<'_>) {
        let Some(special) = chunk.special else { return };
        self.attributed = true;
        for range in special {
            let at = |byte: usize| offset.saturating_add(byte.min(chunk.text.len()) as u64);
            self.add(at(range.start)..at(range.end));
        }
    }

    fn add(&mut self, mut range: Range<u64>) {
        if let Some(last) = self.ranges.back_mut() {
            range.start = range.start.max(last.end);
            if range.start == last.end {
                last.end = last.end.max(range.end);
                return;
            }
        }
        if !range.is_empty() {
            self.ranges.push_back(range);
        }
    }

    /// Whether any chunk so far said where its special tokens are.
    #[must_use]
    pub fn is_attributed(&self) -> bool {
        self.attributed
    }

    /// Whether a special token overlaps `start..end`; an empty range overlaps nothing.
    #[must_use]
    pub fn touches(&self, start: u64, end: u64) -> bool {
        let first = self.ranges.partition_point(|range| range.end <= start);
        start < end && self.ranges.get(first).is_some_and(|range| range.start < end)
    }

    /// Forgets all ranges that end at or before `offset`.
    pub fn forget_before(&mut self, offset: u64) {
        while self.ranges.front().is_some_and(|range| range.end <= offset) {
            self.ranges.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_plain_chunk_says_nothing() {
        let mut known = Attribution::default();
        known.push(0, &Chunk::text("<call>"));
        assert!(!known.is_attributed());
        assert!(!known.touches(0, 6));
    }

    #[test]
    fn an_attributed_chunk_without_special_tokens_says_that_there_are_none() {
        let mut known = Attribution::default();
        known.push(0, &Chunk::attributed("<call>", &[]));
        assert!(known.is_attributed());
        assert!(!known.touches(0, 6));
        known.push(6, &Chunk::from("more"));
        assert!(known.is_attributed());
    }

    #[test]
    fn overlap_is_exact_at_both_ends() {
        let mut known = Attribution::default();
        known.push(10, &Chunk::attributed("ab<x>cd<y>", &[2..5, 7..10]));
        let special = |byte: u64| (12..15).contains(&byte) || (17..20).contains(&byte);
        for start in 8..24 {
            for end in 8..24 {
                let expected = (start..end).any(special);
                assert_eq!(known.touches(start, end), expected, "{start}..{end}");
            }
        }
    }

    fn ranges(known: &Attribution) -> Vec<(u64, u64)> {
        known.ranges.iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn a_token_split_over_chunks_is_one_range() {
        let mut known = Attribution::default();
        let all = core::slice::from_ref(&(0..3));
        known.push(0, &Chunk::attributed("<ca", all));
        known.push(3, &Chunk::attributed("ll>", all));
        assert_eq!(ranges(&known), [(0, 6)]);
    }

    #[test]
    fn wrong_ranges_are_cut_and_never_panic() {
        let mut known = Attribution::default();
        #[expect(clippy::reversed_empty_ranges, reason = "what a careless caller may pass")]
        known.push(u64::MAX - 4, &Chunk::attributed("abcdefgh", &[3..2, 0..2, 1..3, 6..90]));
        assert_eq!(ranges(&known), [(u64::MAX - 4, u64::MAX - 1)]);
    }

    #[test]
    fn forgetting_keeps_what_is_still_open() {
        let mut known = Attribution::default();
        known.push(0, &Chunk::attributed("0123456789", &[0..2, 4..6, 8..9]));
        known.forget_before(5);
        assert_eq!(known.ranges, [4..6, 8..9]);
        assert!(known.touches(4, 5));
        known.forget_before(100);
        assert!(known.ranges.is_empty());
        assert!(known.is_attributed());
    }
}
