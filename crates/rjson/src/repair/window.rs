//! Text that has come and has not been read yet.

use super::look::{Look, More};
use super::wake::Wake;
use super::{GULP, Repair};
use crate::chars::floor_boundary;

impl Repair {
    pub(super) fn refill(&mut self, input: &mut &str) {
        if self.pos >= GULP || self.pos == self.window.len() {
            self.window.drain(..self.pos);
            self.base += self.pos as u64;
            self.pos = 0;
        }
        let (taken, rest) =
            input.split_at_checked(floor_boundary(input, GULP)).unwrap_or((*input, ""));
        self.window.push_str(taken);
        *input = rest;
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
        let text = self.window.get(self.pos + behind..).unwrap_or_default();
        Look::new(text, self.ended, self.escaped, &self.meter)
    }

    /// Takes bytes; gives their span.
    pub(super) fn take(&mut self, bytes: usize) -> (u64, u64) {
        let start = self.offset();
        self.pos = (self.pos + bytes).min(self.window.len());
        (start, self.offset())
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
