//! The markers as one tree of bytes, with what to do at each node when the text goes another way.
//!
//! A node stands for its *path*: the beginning of some marker. Nodes are numbered by depth, so
//! whatever a node needs to know about shorter paths is known before it. Per node two [`Outcome`]s
//! answer "the path has been read and nothing in the tree goes on like the text does":
//!
//! - `plain`: no marker begins at the start of the path (or it was rejected). The path was read
//!   again from its second character.
//! - `after`: the longest marker that begins the path is reported. The path was read again after
//!   it.
//!
//! "Read again" happens here, once, at construction: an outcome lists the markers found and the
//! node that the end of the path leads to. That is what keeps a scan linear on text such as
//! `<<<<<`.
//!
//! Invariants: a path begins at the start of a character; only nodes whose path ends between
//! characters (`whole`) have outcomes; `next` of an outcome has a smaller depth than its node; no
//! node or marker has the number [`NONE`].

mod build;

use crate::set::SetError;
use alloc::string::String;
use alloc::vec::Vec;

/// The node with the empty path. As a link to a child or sibling: there is none.
pub(crate) const ROOT: u16 = 0;

/// No marker.
const NONE: u16 = u16::MAX;

/// A marker found inside the path of a node; `end` is an offset in the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub(crate) marker: u16,
    pub(crate) end: u16,
}

/// What reading a part of a path again gives: a list of markers, then a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The node whose path is the undecided end.
    pub(crate) next: u16,
    /// Number of markers found.
    pub(crate) len: u16,
    /// Where their list begins.
    first: u32,
}

impl Outcome {
    const NOTHING: Outcome = Outcome { next: ROOT, len: 0, first: 0 };
}

/// One node; see the module's header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    parent: u16,
    child: u16,
    sibling: u16,
    /// A marker that begins with the path.
    owner: u16,
    /// Length of the path in bytes.
    pub(crate) depth: u16,
    /// The marker that is the path.
    own: u16,
    /// The longest marker that begins the path (perhaps `own`).
    best: u16,
    byte: u8,
    /// Whether the path ends between characters.
    whole: bool,
    /// Whether several markers begin with the path.
    shared: bool,
    pub(crate) plain: Outcome,
    after: Outcome,
}

impl Node {
    const EMPTY: Node = Node {
        parent: ROOT,
        child: ROOT,
        sibling: ROOT,
        owner: NONE,
        depth: 0,
        own: NONE,
        best: NONE,
        byte: 0,
        whole: true,
        shared: true,
        plain: Outcome::NOTHING,
        after: Outcome::NOTHING,
    };

    /// Whether no marker goes on after the path.
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.child == ROOT
    }

    /// The longest marker that begins the path.
    pub(crate) fn best(&self) -> Option<u16> {
        (self.best != NONE).then_some(self.best)
    }

    /// The only marker that begins with the path.
    #[inline]
    pub(crate) fn only(&self) -> Option<u16> {
        (!self.shared).then_some(self.owner)
    }

    /// Whether leaving this node gives nothing but text.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.best == NONE && self.plain.len == 0
    }
}

/// One marker: its place in the joined text and the node that ends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) node: u16,
}

/// The compiled tree with the text of all markers.
#[derive(Clone)]
pub(crate) struct Trie {
    text: String,
    spans: Vec<Span>,
    nodes: Vec<Node>,
    occurrences: Vec<Occurrence>,
}

impl Trie {
    /// The tree of the markers at `spans` of `text`, none of which is empty.
    pub(crate) fn new(text: String, spans: Vec<Span>) -> Result<Trie, SetError> {
        build::build(text, spans)
    }

    /// Number of markers.
    pub(crate) fn count(&self) -> usize {
        self.spans.len()
    }

    /// The texts of all markers, in order.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().filter_map(|span| self.text.get(span.start..span.end))
    }

    /// The text of a marker; empty for a number that is none.
    pub(crate) fn marker(&self, marker: u16) -> &str {
        let Some(span) = self.spans.get(usize::from(marker)) else { return "" };
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The node that ends a marker.
    pub(crate) fn end_of(&self, marker: u16) -> u16 {
        self.spans.get(usize::from(marker)).map_or(ROOT, |span| span.node)
    }

    /// The node `id`; for a number of another set's tree one that leads nowhere.
    #[inline]
    pub(crate) fn node(&self, id: u16) -> &Node {
        self.nodes.get(usize::from(id)).unwrap_or(&Node::EMPTY)
    }

    /// Length of the path of `id` in bytes.
    #[inline]
    pub(crate) fn depth(&self, id: u16) -> usize {
        usize::from(self.node(id).depth)
    }

    /// The node reached from `id` by `byte`.
    #[inline]
    pub(crate) fn child(&self, id: u16, byte: u8) -> Option<u16> {
        self.child_of(self.node(id), byte).map(|(id, _)| id)
    }

    /// The same, and the node itself.
    #[inline]
    pub(crate) fn child_of(&self, node: &Node, byte: u8) -> Option<(u16, &Node)> {
        let mut at = node.child;
        while at != ROOT {
            let node = self.node(at);
            if node.byte == byte {
                return Some((at, node));
            }
            at = node.sibling;
        }
        None
    }

    /// The marker that `id` alone leads to, where the node above it leads to others too.
    #[inline]
    pub(crate) fn only(&self, id: u16) -> Option<u16> {
        let node = self.node(id);
        node.only().filter(|_| self.node(node.parent).shared)
    }

    /// The end of the marker that `id` alone leads to, as [`only`](Self::only), and the bytes up to it, where
    /// they stand at a place of the text.
    #[inline]
    pub(crate) fn rest(&self, id: u16, text: &[u8], at: usize) -> Option<(u16, usize)> {
        let marker = self.only(id)?;
        let rest = self.marker(marker).as_bytes().get(self.depth(id)..)?;
        text.get(at..)?.starts_with(rest).then(|| (self.end_of(marker), rest.len()))
    }

    /// The nearest node at or above `id` whose path ends between characters, and how many bytes
    /// above.
    #[inline]
    pub(crate) fn anchor(&self, mut id: u16) -> (u16, usize) {
        let mut back = 0;
        while !self.node(id).whole {
            id = self.node(id).parent;
            back += 1;
        }
        (id, back)
    }

    /// Bytes `from..to` of the path of `id`, both between characters; empty where there are none.
    pub(crate) fn path(&self, id: u16, from: usize, to: usize) -> &str {
        self.marker(self.node(id).owner).get(from..to.min(self.depth(id))).unwrap_or_default()
    }

    /// The marker at place `index` among those found when `id` is left, and whether it begins the
    /// path. With `rejected` none may begin the path.
    pub(crate) fn occurrence(&self, id: u16, rejected: bool, index: u16) -> Option<Occurrence> {
        let node = self.node(id);
        if rejected || node.best == NONE {
            return listed(&self.occurrences, node.plain, index);
        }
        match index.checked_sub(1) {
            None => Some(Occurrence { marker: node.best, end: self.length(node.best) }),
            Some(index) => listed(&self.occurrences, node.after, index),
        }
    }

    /// The node that the rest of the path leads to when `id` is left.
    pub(crate) fn next(&self, id: u16, rejected: bool) -> u16 {
        let node = self.node(id);
        if rejected || node.best == NONE { node.plain.next } else { node.after.next }
    }

    /// Length of a marker in bytes.
    pub(crate) fn length(&self, marker: u16) -> u16 {
        self.node(self.end_of(marker)).depth
    }
}

/// Element `index` of the list of `outcome`.
fn listed(all: &[Occurrence], outcome: Outcome, index: u16) -> Option<Occurrence> {
    if index >= outcome.len {
        return None;
    }
    let first = usize::try_from(outcome.first).ok()?;
    all.get(first + usize::from(index)).copied()
}
