//! Source of the open call, kept while a policy may still give it back.
//!
//! Appended in blocks of at most 64 KiB and never searched: a long call costs one block per 64 KiB,
//! not a growing copy. The first, small block is kept for the next call.

use toolweir_segments::{EventSink, Outcome, Reason};

use super::out::Output;
use super::run::Run;

/// The kept source.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    first: String,
    more: Vec<String>,
    on: bool,
}

const FIRST_BLOCK: usize = 1 << 10;
const BLOCK: usize = 64 << 10;

impl Kept {
    /// Begins a call. `on`: whether its source may have to be given back.
    pub(crate) fn begin(&mut self, on: bool) {
        self.on = on;
        self.more.clear();
        self.first.clear();
    }

    /// Adds a piece of source.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        if !self.on {
            return;
        }
        let block = self.last();
        if block.capacity() - block.len() >= text.len() {
            return block.push_str(text);
        }
        self.push_over_blocks(text);
    }

    #[inline]
    fn last(&mut self) -> &mut String {
        self.more.last_mut().unwrap_or(&mut self.first)
    }

    fn push_over_blocks(&mut self, mut text: &str) {
        while !text.is_empty() {
            if self.first.capacity() == 0 {
                self.first.reserve_exact(FIRST_BLOCK);
            }
            if self.last().len() == self.last().capacity() {
                self.more.push(String::with_capacity(BLOCK));
            }
            let block = self.last();
            let room = block.capacity() - block.len();
            let (now, rest) = text.split_up_to(room);
            block.push_str(now);
            text = rest;
            if now.is_empty() {
                // A character that does not fit the rest of the block opens the next one.
                self.more.push(String::with_capacity(BLOCK));
            }
        }
    }

    /// Ends the call; its source is text again. Its span is empty and the position returns to its start, so
    /// that the text that follows owns the bytes.
    pub(crate) fn give_back(
        &mut self,
        outcome: Outcome,
        reason: Reason,
        out: &mut Output,
        run: &mut Run,
        sink: &mut dyn EventSink,
    ) {
        let (first, more) = self.take();
        out.at = out.segment_start();
        out.end(outcome, reason, sink);
        for block in std::iter::once(&first).chain(&more).filter(|block| !block.is_empty()) {
            out.text(block, sink);
            run.given_back(block);
        }
        run.flow();
    }

    /// Counts source that has been given back as it came.
    pub(crate) fn flow(&mut self, run: &mut Run) {
        let blocks = std::iter::once(&self.first).chain(&self.more);
        blocks.for_each(|block| run.given_back(block));
        self.begin(true);
    }

    /// Takes the source out, in order.
    fn take(&mut self) -> (String, Vec<String>) {
        self.on = false;
        (std::mem::take(&mut self.first), std::mem::take(&mut self.more))
    }

    /// Forgets the source; the call is settled.
    pub(crate) fn end(&mut self) {
        self.begin(false);
    }
}

/// `str::floor_char_boundary`, which the oldest supported compiler lacks.
pub(crate) trait FloorBoundary {
    /// The largest char boundary that is at most `index`.
    fn floor_char_boundary_up_to(&self, index: usize) -> usize;

    /// The text up to there, and the rest.
    fn split_up_to(&self, index: usize) -> (&str, &str);
}

impl FloorBoundary for str {
    fn floor_char_boundary_up_to(&self, index: usize) -> usize {
        if index >= self.len() {
            return self.len();
        }
        (0..=index).rev().find(|i| self.is_char_boundary(*i)).unwrap_or(0)
    }

    fn split_up_to(&self, index: usize) -> (&str, &str) {
        self.split_at(self.floor_char_boundary_up_to(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_text_of_any_length_in_order() {
        let mut kept = Kept::default();
        kept.begin(true);
        let piece = "äöü€😀".repeat(1000);
        let mut all = String::new();
        for _ in 0..40 {
            kept.push(&piece);
            all.push_str(&piece);
        }
        assert!(kept.more.iter().all(|b| b.capacity() <= BLOCK));
        let (first, more) = kept.take();
        assert_eq!(first + &more.concat(), all);
    }

    #[test]
    fn keeps_nothing_when_off() {
        let mut kept = Kept::default();
        kept.begin(false);
        kept.push("abc");
        assert_eq!(kept.take(), (String::new(), Vec::new()));
    }
}
