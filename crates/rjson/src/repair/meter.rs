//! A count of the bytes that repair mode looks at, for tests of linear work.
//!
//! Without feature `meter` it is nothing and counts nothing. Looking takes no exclusive borrow, so
//! the count is an atomic: a machine stays what it is to threads, with the feature or without.

#[cfg(feature = "meter")]
use core::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Default)]
pub(super) struct Meter {
    #[cfg(feature = "meter")]
    bytes: AtomicUsize,
}

impl Meter {
    /// Counts bytes that have been looked at.
    #[inline]
    pub(super) fn count(&self, bytes: usize) {
        #[cfg(feature = "meter")]
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let _ = bytes;
    }

    /// Counts a search that stopped after so many bytes of `text`: the stop was looked at too.
    #[inline]
    pub(super) fn run(&self, bytes: usize, text: &str) {
        self.count(bytes + usize::from(bytes < text.len()));
    }

    #[cfg(feature = "meter")]
    pub(super) fn total(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed) as u64
    }
}

impl Clone for Meter {
    fn clone(&self) -> Self {
        Self {
            #[cfg(feature = "meter")]
            bytes: AtomicUsize::new(self.bytes.load(Ordering::Relaxed)),
        }
    }
}
