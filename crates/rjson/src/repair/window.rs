//! Text that has come and has not been read yet.

use super::look::{Look, More};
use super::wake::Wake;
use super::{GULP, Repair};
use crate::chars::floor_boundary;

/// So many bytes that are no longer needed go at once.
const DRAIN: usize = 256;
/// The least by which the window grows.
const LEAST: usize = 4 * DRAIN;

impl Repair {
    pub(super) fn refill(&mut self, input: &mut &str) {
        let front = self.front();
        let waiting = self.window.len() - front;
        // What moves is no longer than what goes.
        if waiting == 0 || front >= waiting.max(DRAIN) {
            if waiting == 0 {
                self.window.clear();
            } else {
                self.window.drain(..front);
            }
            self.ground.drain(front);
            self.base += front as u64;
            self.pos -= front;
        }
        let (taken, rest) =
            input.split_at_checked(floor_boundary(input, GULP)).unwrap_or((*input, ""));
        self.append(taken);
        *input = rest;
    }

    /// Gives back what the window holds, if all of it is from a chunk of which `input` is left; whether
    /// it did, and there is enough to be read.
    pub(super) fn give_back<'c>(&mut self, chunk: &'c str, input: &mut &'c str) -> bool {
        let waiting = self.window.len() - self.pos;
        let whole = chunk.len() - input.len() >= waiting;
        if !whole || self.kept.is_some() || input.len() <= GULP {
            return false;
        }
        *input = chunk.get(chunk.len() - input.len() - waiting..).unwrap_or_default();
        self.base = self.offset();
        self.window.clear();
        self.ground.forget();
        self.pos = 0;
        true
    }

    /// Puts text behind the window, which grows by a quarter: it may come to hold a great deal.
    pub(super) fn append(&mut self, text: &str) {
        let len = self.window.len();
        if self.window.capacity() - len < text.len() {
            self.window.reserve_exact(text.len().max(len / 4).max(LEAST));
        }
        self.window.push_str(text);
    }

    /// Where in the window begins what is still needed.
    fn front(&self) -> usize {
        self.pos.min(self.unread_at())
    }

    /// Where in the window begins what is not read, or where its source is kept, not handed out.
    pub(super) fn unread_at(&self) -> usize {
        let kept = self.kept.map(|kept| kept.saturating_sub(self.base));
        kept.and_then(|kept| usize::try_from(kept).ok()).unwrap_or(self.pos)
    }

    pub(super) fn rest(&self) -> &str {
        self.window.get(self.pos..).unwrap_or_default()
    }

    pub(super) fn first(&self) -> Result<Option<char>, More> {
        match self.rest().chars().next() {
            None if !self.ended => Err(More::of(Wake::Any)),
            first => {
                self.meter.count(1);
                Ok(first)
            }
        }
    }

    /// A look at what stands `behind` bytes behind the front.
    pub(super) fn look(&self, behind: usize) -> Look<'_> {
        let place = self.pos + behind;
        let text = self.window.get(place..).unwrap_or_default();
        Look::new(text, self.ended, self.escaped, (&self.ground, place), &self.meter)
    }

    /// Takes bytes; gives their span.
    pub(super) fn take(&mut self, bytes: usize) -> (u64, u64) {
        let start = self.offset();
        self.pos = (self.pos + bytes).min(self.window.len());
        (start, self.offset())
    }

    /// Does something with what was taken from a place of the window on.
    pub(super) fn with_taken(&mut self, from: usize, act: impl FnOnce(&mut Self, &str)) {
        let window = core::mem::take(&mut self.window);
        act(self, window.get(from..self.pos).unwrap_or_default());
        self.window = window;
    }

    /// Does something with so many bytes of the front, which nothing is put behind meanwhile.
    pub(super) fn with_front<T>(
        &mut self,
        bytes: usize,
        act: impl FnOnce(&mut Self, &str) -> T,
    ) -> T {
        let window = core::mem::take(&mut self.window);
        let text = window.get(self.pos..self.pos + bytes).unwrap_or_default();
        let done = act(self, text);
        self.window = window;
        done
    }
}
