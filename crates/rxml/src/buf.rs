//! The part of the input that is still needed, addressed by offsets into the whole input.

use std::ops::Range;

/// Input from some offset on.
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
