//! How a scan goes on: what is being left first, then what is read again, then the input.

use super::walk::Walk;
use super::{Leaving, Piece, Replay, Reported, Scanner, State};
use crate::set::{MarkerId, MarkerSet};
use crate::trie::ROOT;

impl Scanner {
    /// The next piece of what is being left, the replay, and the input, in this order. With nothing
    /// held, `found` is where the filter's next find in the input is, if that is known.
    pub(super) fn advance<'a, 's: 'a, 'c: 'a>(
        &mut self,
        set: &'s MarkerSet,
        input: &mut &'c str,
        mut found: Option<usize>,
    ) -> Option<Piece<'a>> {
        loop {
            let node = match self.state {
                State::At(node) => node,
                State::Leaving(leaving) => match self.give(set, leaving) {
                    Some(piece) => return Some(piece),
                    None => continue,
                },
            };
            let again = self.replayed(set);
            let piece = if !again.is_empty() {
                let (piece, read) =
                    self.scan(Walk { set, input: again, node, pos: 0, left: ROOT, found: false });
                let read = u16::try_from(read).unwrap_or(u16::MAX);
                self.replay.at = self.replay.at.saturating_add(read);
                piece
            } else if !input.is_empty() {
                let text: &'c str = input;
                let at = found.take();
                let (pos, found) = (at.unwrap_or(0), at.is_some());
                let walk = Walk { set, input: text, node, pos, left: ROOT, found };
                let (piece, read) = self.scan(walk);
                *input = text.get(read..).unwrap_or_default();
                piece
            } else {
                return None;
            };
            if piece.is_some() {
                return piece;
            }
        }
    }

    /// What is left of the replay.
    pub(super) fn replayed<'s>(&self, set: &'s MarkerSet) -> &'s str {
        let Replay { node, at, end } = self.replay;
        set.trie.path(node, usize::from(at), usize::from(end))
    }

    /// The next piece of a path that is being left; `None` when there is none, and the state has
    /// moved on.
    fn give<'s>(&mut self, set: &'s MarkerSet, leaving: Leaving) -> Option<Piece<'s>> {
        let Leaving { node, rejected, index, given } = leaving;
        let from = usize::from(given);
        let Some(found) = set.trie.occurrence(node, rejected, index) else {
            let next = set.trie.next(node, rejected);
            let end = set.trie.depth(node).saturating_sub(set.trie.depth(next));
            self.state = State::At(next);
            return text(set.trie.path(node, from, end));
        };
        let start = found.end.saturating_sub(set.trie.length(found.marker));
        if start > given {
            self.state = State::Leaving(Leaving { given: start, ..leaving });
            return text(set.trie.path(node, from, usize::from(start)));
        }
        let leading = start == 0;
        let (marker, end) = (found.marker, found.end);
        self.state = if end < set.trie.node(node).depth {
            State::Leaving(Leaving { index: index + 1, given: end, ..leaving })
        } else {
            State::At(ROOT)
        };
        self.reported = Some(Reported { marker, node, end, leading });
        Some(Piece::Marker(MarkerId(marker)))
    }

    /// Reads up to the next piece; also gives how many bytes of the input have been read.
    ///
    /// Without a piece the state has moved on, or all of the input has been read.
    fn scan<'a>(&mut self, mut walk: Walk<'a>) -> (Option<Piece<'a>>, usize) {
        let trie = &walk.set.trie;
        let bytes = walk.input.as_bytes();
        loop {
            if walk.node == ROOT {
                if walk.left != ROOT {
                    return self.pause(&walk);
                }
                if !core::mem::take(&mut walk.found) {
                    let rest = bytes.get(walk.pos..).unwrap_or_default();
                    let (found, examined) = walk.set.filter.find(rest);
                    self.count(examined);
                    walk.pos += found.unwrap_or(rest.len());
                }
            }
            let mut node = trie.node(walk.node);
            let child = loop {
                let Some(&byte) = bytes.get(walk.pos) else { return self.pause(&walk) };
                // At the root the filter has counted it.
                self.count(usize::from(walk.node != ROOT));
                let Some((id, child)) = trie.child_of(node, byte) else { break None };
                if walk.left != ROOT {
                    return self.pause(&walk);
                }
                (walk.node, walk.pos) = (id, walk.pos + 1);
                if child.only().is_some() {
                    break Some(child);
                }
                node = child;
            };
            let Some(child) = child else {
                if walk.fail() {
                    continue;
                }
                return (self.leave(walk), walk.pos);
            };
            if child.is_leaf() {
                return (self.leave(walk), walk.pos);
            }
            // Where one marker is left, its rest is compared as a whole.
            if let Some((end, rest)) = trie.rest(walk.node, bytes, walk.pos) {
                self.count(rest);
                (walk.node, walk.pos) = (end, walk.pos + rest);
                return (self.leave(walk), walk.pos);
            }
        }
    }

    /// Stops at the walk's node and gives out the text in front of its path.
    fn pause<'a>(&mut self, walk: &Walk<'a>) -> (Option<Piece<'a>>, usize) {
        self.state = State::At(walk.node);
        (text(walk.before(0).unwrap_or_default()), walk.pos)
    }

    /// Begins to leave the walk's node, with the text in front of the first marker in its path.
    pub(super) fn leave<'a>(&mut self, walk: Walk<'a>) -> Option<Piece<'a>> {
        let (trie, node) = (&walk.set.trie, walk.node);
        if node == ROOT {
            return self.pause(&walk).0;
        }
        let found = trie.occurrence(node, false, 0);
        let start = found.map_or(0, |found| found.end.saturating_sub(trie.length(found.marker)));
        let (before, given) = match walk.before(usize::from(start)) {
            Some(before) => (before, start),
            None => ("", 0),
        };
        self.state = State::Leaving(Leaving { node, rejected: false, index: 0, given });
        text(before)
    }
}

/// A piece of text, unless it is empty.
fn text(text: &str) -> Option<Piece<'_>> {
    (!text.is_empty()).then_some(Piece::Text(text))
}
