//! The part of a scan that lives for one input: where it stands, in the text and in the tree.
//!
//! When a candidate fails, the tree names the next later one, so the walk never steps back, save to
//! the start of the character at hand: a candidate fails by characters, not by bytes.

use crate::set::MarkerSet;
use crate::trie::ROOT;

/// A way through the tree along an input.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) set: &'a MarkerSet,
    pub(super) input: &'a str,
    /// Its path stands right before `pos`; it may have begun before the input.
    pub(super) node: u16,
    pub(super) pos: usize,
    /// The first node failed at `pos` whose path began before the input, or the root.
    pub(super) left: u16,
    /// The filter has found `pos`.
    pub(super) found: bool,
}

impl<'a> Walk<'a> {
    /// Goes on with a later beginning, after the character at `pos` has led nowhere; `false` if the
    /// node has markers to give out first.
    #[inline]
    pub(super) fn fail(&mut self) -> bool {
        let trie = &self.set.trie;
        let (node, back) = trie.anchor(self.node);
        self.node = node;
        self.pos = self.pos.saturating_sub(back);
        if node == ROOT {
            // A first byte alone: its character is text.
            self.pos += 1;
            return true;
        }
        let leaves = trie.node(node);
        if !leaves.is_plain() {
            return false;
        }
        if self.left == ROOT && self.pos < usize::from(leaves.depth) {
            self.left = node;
        }
        self.node = leaves.plain.next;
        true
    }

    /// The text not yet given out in front of byte `start` of the node's path; `None` if the path
    /// began before the input.
    pub(super) fn before(&self, start: usize) -> Option<&'a str> {
        let trie = &self.set.trie;
        let depth = trie.depth(self.node);
        if self.left == ROOT {
            let begins = self.pos.checked_sub(depth)?;
            return self.input.get(..begins + start);
        }
        let end = (trie.depth(self.left) + start).saturating_sub(depth);
        Some(trie.path(self.left, 0, end))
    }
}
