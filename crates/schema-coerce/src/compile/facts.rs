//! Which types each node allows, once references and combinators have had their say.
//!
//! A walk in depth-first post-order over the edges that stay at the same value. It is iterative: it
//! is also what finds cycles and chains that are too high, so nothing is bounded before it.

use alloc::vec;

use crate::error::SchemaErrorKind;
use crate::schema::{Id, NodeData};
use crate::types::{Facts, Types};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Settles the facts of every node; an error names the node it was found at.
pub(super) fn settle(
    nodes: &mut [NodeData],
    max_height: usize,
) -> Result<(), (SchemaErrorKind, Id)> {
    let mut visits = vec![Visit::New; nodes.len()];
    for start in (0..).take(nodes.len()) {
        visit(nodes, &mut visits, start, max_height)?;
    }
    Ok(())
}

fn visit(
    nodes: &mut [NodeData],
    visits: &mut [Visit],
    start: Id,
    max_height: usize,
) -> Result<(), (SchemaErrorKind, Id)> {
    let mut stack = vec![start];
    while let Some(id) = stack.last().copied() {
        let (Some(visit), Some(node)) = (visits.get_mut(id as usize), nodes.get(id as usize))
        else {
            break;
        };
        match visit {
            Visit::Done => {
                stack.pop();
                continue;
            }
            Visit::New => *visit = Visit::Open,
            // Second time on top: everything below is settled.
            Visit::Open => {
                *visit = Visit::Done;
                stack.pop();
                let facts = of_node(node, nodes);
                if facts.height > max_height {
                    return Err((SchemaErrorKind::TooDeep, id));
                }
                let target = node.reference().map(|next| behind(next, nodes));
                if let Some(node) = nodes.get_mut(id as usize) {
                    (node.facts, node.target) = (facts, target);
                }
                continue;
            }
        }
        for edge in node.edges().chain(node.maybe.iter().copied()) {
            match visits.get(edge as usize) {
                Some(Visit::New) => stack.push(edge),
                Some(Visit::Open) => return Err((SchemaErrorKind::CyclicRef, id)),
                Some(Visit::Done) | None => {}
            }
        }
    }
    Ok(())
}

/// What a settled node stands for.
fn behind(id: Id, nodes: &[NodeData]) -> Id {
    nodes.get(id as usize).and_then(|node| node.target).unwrap_or(id)
}

/// The facts of a node whose edges are settled. `node.facts` still holds what its own keywords say.
pub(super) fn of_node(node: &NodeData, nodes: &[NodeData]) -> Facts {
    let settled = |id: &Id| nodes.get(*id as usize).map(|node| node.facts);
    let own = node.facts;
    let mut facts = own;
    for child in node.all.iter().filter_map(settled) {
        facts.allowed = facts.allowed.and(child.allowed);
        mention(&mut facts, &child);
    }
    for group in &node.any {
        let mut allowed = Types::NONE;
        for child in group.iter().filter_map(settled) {
            allowed = allowed.or(child.allowed);
            mention(&mut facts, &child);
        }
        facts.allowed = facts.allowed.and(allowed);
    }
    // A schema that need not hold says nothing about types, but stands below.
    for child in node.maybe.iter().filter_map(settled) {
        facts.height = facts.height.max(child.height.saturating_add(1));
    }
    if node.nullable {
        facts.allowed = facts.allowed.or(Types::NULL);
        facts.named = facts.named.or(Types::NULL);
    }
    facts.named = facts.named.and(facts.allowed);
    facts
}

/// Adds what a reference or branch mentions. The first mention decides an order.
fn mention(facts: &mut Facts, child: &Facts) {
    facts.named = facts.named.or(child.named);
    facts.integer_first = facts.integer_first.or(child.integer_first);
    facts.array_first = facts.array_first.or(child.array_first);
    facts.literals |= child.literals;
    facts.height = facts.height.max(child.height.saturating_add(1));
}
