//! Ids that no other request has, on no other replica either, as far as chance goes.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes ids. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    seed: u64,
    next: Arc<AtomicU64>,
}

impl Ids {
    pub(crate) fn random() -> Self {
        // The standard library seeds its hashers by the system's random numbers.
        let seed = RandomState::new().hash_one("toolweir");
        Self { seed, next: Arc::default() }
    }

    /// Sixteen hexadecimal digits of chance and a count.
    pub(crate) fn next(&self) -> String {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}{count:06x}", mixed(self.seed.wrapping_add(count)))
    }
}

/// Spreads neighbouring numbers (the finaliser of SplitMix64).
fn mixed(mut z: u64) -> u64 {
    z = z.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The id of a client, if it is fit for logs and file names.
pub(crate) fn given(id: &str) -> Option<&str> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!id.is_empty() && id.len() <= 64 && id.chars().all(fine)).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::{Ids, given};

    #[test]
    fn ids_differ() {
        let ids = Ids::random();
        let made: std::collections::BTreeSet<String> = (0..1000).map(|_| ids.next()).collect();
        assert_eq!(made.len(), 1000);
        assert!(made.iter().all(|id| given(id).is_some()));
        assert_eq!((given("../x"), given(""), given("a-1")), (None, None, Some("a-1")));
    }
}
