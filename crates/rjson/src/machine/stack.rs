//! The open containers: one bit each, and a count of keys for each open object. Flat documents need
//! no heap for them.

use alloc::vec::Vec;

const BITS: usize = u64::BITS as usize;

#[derive(Debug, Clone, Default)]
pub(super) struct Stack {
    /// One bit a container, set for an object, the innermost lowest: the innermost ones.
    bits: u64,
    /// The words of those farther out.
    outer: Vec<u64>,
    /// The keys of the innermost open object.
    keys: usize,
    /// Those of the objects around it; nothing for the first object, which has none around it.
    outer_keys: Vec<usize>,
    objects: usize,
    depth: usize,
}

impl Stack {
    pub(super) fn clear(&mut self) {
        self.bits = 0;
        self.outer.clear();
        self.keys = 0;
        self.outer_keys.clear();
        self.objects = 0;
        self.depth = 0;
    }

    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    pub(super) fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(BITS) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(object);
        if object {
            if self.objects > 0 {
                self.outer_keys.push(self.keys);
            }
            self.objects += 1;
            self.keys = 0;
        }
        self.depth += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        if self.in_object() {
            self.objects -= 1;
            self.keys = self.outer_keys.pop().unwrap_or_default();
        }
        self.bits >>= 1;
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(BITS) {
            self.bits = self.outer.pop().unwrap_or_default();
        }
    }

    /// Whether the innermost open container is an object.
    #[inline]
    pub(super) fn in_object(&self) -> bool {
        self.bits & 1 == 1
    }

    /// Whether the innermost open container is an array.
    pub(super) fn in_array(&self) -> bool {
        self.depth > 0 && !self.in_object()
    }

    /// Counts one more key of the innermost object, unless it has `max` of them.
    #[inline]
    pub(super) fn count_key(&mut self, max: usize) -> bool {
        let more = self.objects > 0 && self.keys < max;
        self.keys += usize::from(more);
        more
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
