//! Which brackets in bare text have a partner nearby.
//!
//! A bracket counts only with its closing one within the bound. All brackets are matched in one
//! pass that never goes back, so text full of them is read once and not once for each.

use alloc::collections::{BTreeSet, VecDeque};

use super::look::{Ahead, BOUND, More};
use super::meter::Meter;
use super::wake::Wake;

/// A pass over the brackets behind a place. Positions count from there.
#[derive(Debug, Clone, Default)]
pub(super) struct Brackets {
    place: u64,
    /// The next byte to look at.
    at: usize,
    /// Opening brackets without their partner, as long as it may still be near enough.
    open: VecDeque<usize>,
    /// Opening brackets with their partner near.
    closed: BTreeSet<usize>,
}

impl Brackets {
    /// Goes on with a pass, or begins another one.
    pub(super) fn begin(&mut self, place: u64) {
        if self.place != place || self.at == 0 {
            self.place = place;
            self.at = 0;
            self.open.clear();
            self.closed.clear();
        }
    }

    /// Whether the bracket that opens at `from` is closed within the bound. To be asked from left to
    /// right.
    pub(super) fn close(
        &mut self,
        text: &str,
        from: usize,
        ended: bool,
        meter: &Meter,
    ) -> Ahead<bool> {
        self.closed = self.closed.split_off(&from);
        while self.open.front().is_some_and(|&open| open + BOUND < from) {
            self.open.pop_front();
        }
        if self.at < from {
            self.at = from;
            self.open.clear();
        }
        let end = from + BOUND;
        while self.at < end && !self.closed.contains(&from) {
            let Some(&byte) = text.as_bytes().get(self.at) else {
                return if ended { Ok(false) } else { Err(More::of(Wake::Mark)) };
            };
            meter.count(1);
            match byte {
                b'{' | b'[' | b'(' => self.open.push_back(self.at),
                b'}' | b']' | b')' => {
                    let partner = self.open.pop_back();
                    self.closed.extend(partner.filter(|&open| self.at < open + BOUND));
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(self.closed.contains(&from))
    }
}
