//! Builds the tree: first all paths, a byte of every marker at a time so that nodes are numbered by
//! depth, then the outcomes in that order.
//!
//! Lists of occurrences mostly extend the list of the node before. They lie in one vector, each
//! with room to grow; a vacant slot has no marker. A node takes the slot after its list if it is
//! vacant, else it copies the list to the end with as much room again: linear in sum.

use super::{NONE, Node, Occurrence, Outcome, ROOT, Span, Trie, listed};
use crate::set::SetError;
use alloc::string::String;
use alloc::vec::Vec;

/// Nodes are numbered by `u16`, with one number left for [`NONE`].
const MAX_NODES: usize = NONE as usize;

/// Most slots in all lists of occurrences.
const MAX_OCCURRENCES: usize = 1 << 20;

const VACANT: Occurrence = Occurrence { marker: NONE, end: 0 };

pub(super) fn build(text: String, spans: Vec<Span>) -> Result<Trie, SetError> {
    let mut nodes = Vec::with_capacity(text.len().saturating_add(1).min(MAX_NODES));
    nodes.push(Node::EMPTY);
    let mut trie = Trie { text, spans, nodes, occurrences: Vec::new() };
    plant(&mut trie)?;
    let mut lists = Vec::new();
    for id in 1..trie.nodes.len() {
        // The number of nodes fits, see `grow`.
        resolve(&mut trie, &mut lists, u16::try_from(id).unwrap_or(ROOT))?;
    }
    trie.occurrences = lists;
    Ok(trie)
}

/// Makes the nodes.
fn plant(trie: &mut Trie) -> Result<(), SetError> {
    let count = u16::try_from(trie.spans.len()).map_err(|_| SetError::TooLarge)?;
    let mut open: Vec<u16> = (0..count).collect();
    let mut depth = 0;
    while !open.is_empty() {
        let mut result = Ok(());
        open.retain(|&marker| {
            grow(trie, marker, depth).unwrap_or_else(|error| {
                result = result.and(Err(error));
                false
            })
        });
        result?;
        depth += 1;
    }
    Ok(())
}

/// Moves `marker` from its node at `depth` one byte further; whether more bytes follow.
fn grow(trie: &mut Trie, marker: u16, depth: usize) -> Result<bool, SetError> {
    let Some(span) = trie.spans.get_mut(usize::from(marker)) else { return Ok(false) };
    let (parent, at) = (span.node, span.start + depth);
    let Some(&byte) = trie.text.as_bytes().get(at) else { return Ok(false) };
    let last = at + 1 == span.end;
    let id = match trie.child(parent, byte) {
        Some(id) => {
            if let Some(node) = trie.nodes.get_mut(usize::from(id)) {
                node.shared = true;
            }
            id
        }
        None => {
            let id = u16::try_from(trie.nodes.len()).map_err(|_| SetError::TooLarge)?;
            let depth = u16::try_from(depth + 1).map_err(|_| SetError::TooLarge)?;
            if id == NONE {
                return Err(SetError::TooLarge);
            }
            let whole = trie.text.is_char_boundary(at + 1);
            let sibling = trie.node(parent).child;
            trie.nodes.push(Node {
                parent,
                sibling,
                owner: marker,
                depth,
                byte,
                whole,
                shared: false,
                ..Node::EMPTY
            });
            if let Some(parent) = trie.nodes.get_mut(usize::from(parent)) {
                parent.child = id;
            }
            id
        }
    };
    if let Some(span) = trie.spans.get_mut(usize::from(marker)) {
        span.node = id;
    }
    if let (true, Some(node)) = (last, trie.nodes.get_mut(usize::from(id))) {
        if node.own != NONE {
            let (index, first) = (usize::from(marker), usize::from(node.own));
            return Err(SetError::Duplicate { index, first });
        }
        node.own = marker;
    }
    Ok(!last)
}

/// Finds the best marker and the outcomes of one node; all nodes above it are done.
fn resolve(trie: &mut Trie, lists: &mut Vec<Occurrence>, id: u16) -> Result<(), SetError> {
    let mut node = *trie.node(id);
    node.best = if node.own == NONE { trie.node(node.parent).best } else { node.own };
    if node.whole {
        let (anchor, _) = trie.anchor(node.parent);
        if anchor != ROOT {
            let before = *trie.node(anchor);
            node.plain = extend(trie, lists, &before, before.plain, &node)?;
            if node.own == NONE && node.best != NONE {
                node.after = extend(trie, lists, &before, before.after, &node)?;
            }
        }
    }
    if let Some(slot) = trie.nodes.get_mut(usize::from(id)) {
        *slot = node;
    }
    Ok(())
}

/// The outcome of `node`, given one of the node `before` it, by reading the character between them.
fn extend(
    trie: &Trie,
    lists: &mut Vec<Occurrence>,
    before: &Node,
    mut outcome: Outcome,
    node: &Node,
) -> Result<Outcome, SetError> {
    let letter = trie
        .marker(node.owner)
        .as_bytes()
        .get(usize::from(before.depth)..usize::from(node.depth))
        .unwrap_or_default();
    loop {
        let at = outcome.next;
        let end = letter.iter().try_fold(at, |at, &byte| trie.child(at, byte));
        if let Some(end) = end {
            outcome.next = end;
            let reached = trie.node(end);
            if reached.is_leaf() {
                append(lists, &mut outcome, reached.own, node.depth)?;
                outcome.next = ROOT;
            }
            return Ok(outcome);
        }
        if at == ROOT {
            return Ok(outcome);
        }
        // The path of `at` is the end of the path of `before`.
        let stands = trie.node(at);
        let shift = before.depth.saturating_sub(stands.depth);
        let mut rest = stands.plain;
        if stands.best != NONE {
            append(lists, &mut outcome, stands.best, shift + trie.length(stands.best))?;
            rest = stands.after;
        }
        for index in 0..rest.len {
            if let Some(inner) = listed(lists, rest, index) {
                append(lists, &mut outcome, inner.marker, shift + inner.end)?;
            }
        }
        outcome.next = rest.next;
    }
}

/// Adds an occurrence to the list of `outcome`.
fn append(
    lists: &mut Vec<Occurrence>,
    outcome: &mut Outcome,
    marker: u16,
    end: u16,
) -> Result<(), SetError> {
    let (first, len) = (outcome.first as usize, usize::from(outcome.len));
    let vacant = |slot: &&mut Occurrence| slot.marker == NONE;
    // The first slot of all is never vacant, so an empty list finds no place here.
    if let Some(slot) = lists.get_mut(first + len).filter(vacant) {
        *slot = Occurrence { marker, end };
    } else {
        let start = lists.len();
        if start + 2 * len + 2 > MAX_OCCURRENCES {
            return Err(SetError::TooLarge);
        }
        lists.extend_from_within(first..first + len);
        lists.push(Occurrence { marker, end });
        lists.resize(start + 2 * len + 2, VACANT);
        outcome.first = u32::try_from(start).map_err(|_| SetError::TooLarge)?;
    }
    outcome.len += 1;
    Ok(())
}
