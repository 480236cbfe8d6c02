//! An allocator that counts, for the gates on allocations and on peak memory.
//!
//! Counting is off while libraries are timed, as it costs those more that allocate more.
//!
//! The counts belong to one thread, so tests that run side by side do not disturb one another. A
//! block that one thread takes and another frees would be counted wrongly; nothing here does that.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Counts and passes on to the system's allocator.
struct Counting;

#[global_allocator]
static GLOBAL: Counting = Counting;

/// What one thread has taken so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Blocks asked for; growing one counts again.
    pub blocks: u64,
    /// Bytes in use.
    live: i64,
    /// The most bytes in use since [`peak_of`] began.
    peak: i64,
}

thread_local! {
    // Constant and without a destructor: reading it allocates nothing.
    static TAKEN: Cell<Taken> = const { Cell::new(Taken { blocks: 0, live: 0, peak: 0 }) };
}

/// Whether anything is counted.
static COUNTING: AtomicBool = AtomicBool::new(true);

/// Counts from here on, or does not. What was taken while nothing is counted must not be freed while
/// something is, or the bytes in use come out too small.
pub fn counting(on: bool) {
    COUNTING.store(on, Ordering::Relaxed);
}

fn note(blocks: u64, bytes: i64) {
    if !COUNTING.load(Ordering::Relaxed) {
        return;
    }
    // Fails only while the thread is being torn down; what happens there is of no interest.
    let _ = TAKEN.try_with(|cell| {
        let mut taken = cell.get();
        taken.blocks += blocks;
        taken.live += bytes;
        taken.peak = taken.peak.max(taken.live);
        cell.set(taken);
    });
}

#[expect(unsafe_code, reason = "the trait is unsafe; every call goes to `System` unchanged")]
// SAFETY: each method passes its arguments to `System`, which keeps the contract of the trait, and
// gives its answer back. Counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, size(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(0, -size(layout.size()));
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, size(layout.size()));
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(1, size(new_size) - size(layout.size()));
        unsafe { System.realloc(block, layout, new_size) }
    }
}

fn size(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Blocks this thread has asked for so far.
#[must_use]
pub fn blocks() -> u64 {
    TAKEN.with(Cell::get).blocks
}

/// Bytes this thread has in use.
#[must_use]
pub fn live() -> i64 {
    TAKEN.with(Cell::get).live
}

/// Runs `work` and gives its result with the most bytes it had in use at one time, what was in use
/// before not counted.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = TAKEN.with(|cell| {
        let mut taken = cell.get();
        taken.peak = taken.live;
        cell.set(taken);
        taken.live
    });
    let result = work();
    let peak = TAKEN.with(Cell::get).peak - before;
    (result, u64::try_from(peak).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_peak_are_those_of_the_work() {
        let before = blocks();
        let (length, peak) = peak_of(|| {
            drop(std::hint::black_box(vec![0_u8; 3000]));
            std::hint::black_box(vec![0_u8; 2000]).len()
        });
        assert_eq!(length, 2000);
        assert_eq!(blocks() - before, 2);
        assert_eq!(peak, 3000);
    }

    #[test]
    fn a_block_that_grows_counts_for_what_it_grows() {
        let mut grown = Vec::<u8>::with_capacity(1000);
        let ((), peak) = peak_of(|| grown.reserve_exact(3000));
        assert_eq!(peak, 2000, "beside the 1000 that were there before");
        assert!(grown.capacity() >= 3000);
    }
}
