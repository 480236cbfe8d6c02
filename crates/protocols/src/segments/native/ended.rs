//! Indexes of calls that are over, as runs: indexes that follow one another take the room of one.
//!
//! There are never more runs than calls that have begun, so `Limits::max_calls` bounds them.

use std::collections::BTreeMap;

/// A set of indexes.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// From the first index of each run to its last. No two runs touch.
    runs: BTreeMap<u64, u64>,
}

impl Ended {
    pub(super) fn contains(&self, index: u64) -> bool {
        self.runs.range(..=index).next_back().is_some_and(|(_, last)| index <= *last)
    }

    pub(super) fn insert(&mut self, index: u64) {
        if self.contains(index) {
            return;
        }
        let before = self.runs.range(..index).next_back();
        let first = match before {
            Some((first, last)) if last.checked_add(1) == Some(index) => *first,
            _ => index,
        };
        let after = index.checked_add(1).and_then(|next| self.runs.remove(&next));
        self.runs.insert(first, after.unwrap_or(index));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Ended;

    #[test]
    fn runs_hold_what_a_set_would() {
        // Steps of a multiplicative generator: every index below 64, in no order.
        let (mut ended, mut set) = (Ended::default(), BTreeSet::new());
        for step in 0..64_u64 {
            let index = step * 37 % 64;
            assert!(!ended.contains(index));
            ended.insert(index);
            ended.insert(index);
            set.insert(index);
            assert!((0..70).all(|i| ended.contains(i) == set.contains(&i)), "{index}");
        }
        assert_eq!(ended.runs.len(), 1);
    }

    #[test]
    fn the_ends_of_the_numbers_are_indexes_like_any_other() {
        let mut ended = Ended::default();
        for index in [u64::MAX, 0, u64::MAX - 1, 7] {
            ended.insert(index);
            assert!(ended.contains(index));
        }
        assert!(!ended.contains(1) && !ended.contains(u64::MAX - 2));
        assert_eq!(ended.runs.len(), 3);
    }

    #[test]
    fn indexes_in_order_take_the_room_of_one() {
        let mut ended = Ended::default();
        (5..10_000).for_each(|index| ended.insert(index));
        assert_eq!(ended.runs.len(), 1);
    }
}
