//! Byte ranges in the whole stream.
//!
//! Invariant of the makers here: `start <= end`. The fields are public, so a reader of foreign spans
//! does not rely on it: `len` of a backward span is 0.

use core::fmt;
use core::ops::Range;

/// A half-open range of byte offsets, counted from the first byte of the whole stream.
///
/// ```
/// use toolweir_rjson::Span;
///
/// let span = Span::new(3, 7);
/// assert_eq!(span.len(), 4);
/// assert_eq!(span.to_string(), "3..7");
/// assert!(Span::empty(7).is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    /// The range `start..end`; an `end` before `start` gives the empty span at `start`.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// The empty span at offset `at`: something that has no source bytes.
    #[must_use]
    pub const fn empty(at: u64) -> Self {
        Self { start: at, end: at }
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// The same range so many bytes further on, at most up to the last offset there is.
    #[must_use]
    pub const fn shifted(self, by: u64) -> Self {
        Self { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }

    /// The same range as an index into a text that begins at offset 0.
    #[must_use]
    pub fn as_range(self) -> Range<usize> {
        let place = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        place(self.start)..place(self.end)
    }

    /// Whether it covers no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start as u64, range.end as u64)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::Span;
    use alloc::string::ToString;

    #[test]
    fn a_backward_range_becomes_empty() {
        assert_eq!(Span::new(5, 3), Span::empty(5));
        assert_eq!(Span { start: 5, end: 3 }.len(), 0);
        assert!(Span { start: 5, end: 3 }.is_empty());
    }

    #[test]
    fn a_range_of_a_text_and_a_span_are_one_thing() {
        let span = Span::from(1..3);
        assert_eq!((span, "abcd".get(span.as_range())), (Span::new(1, 3), Some("bc")));
        assert_eq!(span.shifted(2), Span::new(3, 5));
    }

    #[test]
    fn spans_order_by_start_then_end() {
        assert!(Span::new(1, 9) < Span::new(2, 3));
        assert!(Span::new(1, 2) < Span::new(1, 3));
    }

    #[test]
    fn display_is_the_half_open_range() {
        assert_eq!(Span::new(3, 7).to_string(), "3..7");
        assert_eq!(Span::default().to_string(), "0..0");
    }
}
