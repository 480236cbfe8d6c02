//! The open containers: one bit each on the heap, and a count of keys for each open object.

use alloc::vec::Vec;

const BITS: usize = u64::BITS as usize;

#[derive(Debug, Clone, Default)]
pub(super) struct Stack {
    /// One bit a container, the innermost last: set for an object.
    bits: Vec<u64>,
    /// One count an open object, the innermost last.
    keys: Vec<usize>,
    depth: usize,
}

impl Stack {
    pub(super) fn clear(&mut self) {
        self.bits.clear();
        self.keys.clear();
        self.depth = 0;
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn push(&mut self, object: bool) {
        if self.depth.is_multiple_of(BITS) {
            self.bits.push(0);
        }
        let bit = 1 << (self.depth % BITS);
        if let Some(word) = self.bits.last_mut() {
            *word = (*word & !bit) | if object { bit } else { 0 };
        }
        if object {
            self.keys.push(0);
        }
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        if self.in_object() {
            self.keys.pop();
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth.is_multiple_of(BITS) {
            self.bits.pop();
        }
    }

    /// Whether the innermost open container is an object.
    pub(super) fn in_object(&self) -> bool {
        let Some(top) = self.depth.checked_sub(1) else { return false };
        self.bits.last().is_some_and(|word| word >> (top % BITS) & 1 == 1)
    }

    /// Whether the innermost open container is an array.
    pub(super) fn in_array(&self) -> bool {
        self.depth > 0 && !self.in_object()
    }

    /// Counts one more key of the innermost object, unless it has `max` of them.
    pub(super) fn count_key(&mut self, max: usize) -> bool {
        match self.keys.last_mut() {
            Some(count) if *count < max => {
                *count += 1;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_come_back_in_reverse_over_word_borders() {
        let mut stack = Stack::default();
        for round in 0..2 {
            for depth in 0..300 {
                stack.push((depth + round) % 3 == 0);
                assert_eq!(stack.depth(), depth + 1);
            }
            for depth in (0..300).rev() {
                assert_eq!(stack.in_object(), (depth + round) % 3 == 0, "{depth}");
                assert_eq!(stack.in_array(), !stack.in_object());
                stack.pop();
            }
            assert!(!stack.in_object() && !stack.in_array());
        }
    }

    #[test]
    fn keys_are_counted_for_each_object() {
        let mut stack = Stack::default();
        stack.push(true);
        assert!(stack.count_key(1));
        stack.push(true);
        assert!(stack.count_key(1));
        assert!(!stack.count_key(1));
        stack.pop();
        assert!(!stack.count_key(1));
        assert!(stack.count_key(2));
    }
}
