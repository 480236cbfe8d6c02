//! Ground that looks have gone over: stretches of the window in which something does not occur.
//!
//! Looks from many places may pass the same comment, each up to its bound. What one of them has read
//! in vain the others pass in one go. These are facts about the text, so they change no answer.
//! Looking takes no exclusive borrow and a machine may be shared between threads: hence the atomics.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Stretches of one kind that are kept; the oldest one makes room.
const MANY: usize = 4;
/// What is shorter is read again.
pub(super) const SHORT: usize = 16;

/// Places in the window.
#[derive(Debug, Default)]
struct Stretch {
    from: AtomicUsize,
    to: AtomicUsize,
}

impl Stretch {
    fn holds(&self, at: usize) -> bool {
        (self.from.load(Relaxed)..=self.to.load(Relaxed)).contains(&at)
    }

    fn set(&self, from: usize, to: usize) {
        self.from.store(from, Relaxed);
        self.to.store(to, Relaxed);
    }
}

/// Stretches without one thing.
#[derive(Debug, Default)]
pub(super) struct Without {
    stretches: [Stretch; MANY],
    next: AtomicUsize,
}

impl Without {
    /// Up to where there is surely none from a place on.
    pub(super) fn known(&self, at: usize) -> usize {
        let ends = self.stretches.iter().filter(|stretch| stretch.holds(at));
        ends.map(|stretch| stretch.to.load(Relaxed)).max().unwrap_or(at)
    }

    /// There is none between two places.
    pub(super) fn learn(&self, from: usize, to: usize) {
        if to < from + SHORT {
            return;
        }
        if let Some(stretch) = self.stretches.iter().find(|stretch| stretch.holds(from)) {
            stretch.to.store(to.max(stretch.to.load(Relaxed)), Relaxed);
            return;
        }
        let next = self.next.load(Relaxed);
        self.next.store((next + 1) % MANY, Relaxed);
        if let Some(stretch) = self.stretches.get(next) {
            stretch.set(from, to);
        }
    }

    /// So many bytes at the front of the window go.
    fn drain(&mut self, bytes: usize) {
        for Stretch { from, to } in &mut self.stretches {
            let (from, to) = (from.get_mut(), to.get_mut());
            *from = from.saturating_sub(bytes);
            *to = to.saturating_sub(bytes);
        }
    }
}

impl Clone for Without {
    fn clone(&self) -> Self {
        let copy = Self::default();
        for (new, old) in copy.stretches.iter().zip(&self.stretches) {
            new.set(old.from.load(Relaxed), old.to.load(Relaxed));
        }
        copy.next.store(self.next.load(Relaxed), Relaxed);
        copy
    }
}

/// All that is known of the window.
#[derive(Debug, Clone, Default)]
pub(super) struct Ground {
    /// No line end stands there.
    pub(super) line: Without,
    /// The mark that ends a block comment begins nowhere there.
    pub(super) block: Without,
    /// No round bracket closes.
    pub(super) round: Without,
    /// None that may be the last thing of all closes.
    pub(super) last_round: Without,
    /// Nothing but blanks, without a line end.
    pub(super) visible: Without,
}

impl Ground {
    pub(super) fn drain(&mut self, bytes: usize) {
        self.line.drain(bytes);
        self.block.drain(bytes);
        self.round.drain(bytes);
        self.last_round.drain(bytes);
        self.visible.drain(bytes);
    }

    /// The window holds another text.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}
