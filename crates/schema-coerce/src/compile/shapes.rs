//! Members and entries, merged through references and combinators.
//!
//! A member that several parts of one schema declare gets a node of its own that holds them all:
//! under `allOf` and `$ref` each must hold, under `anyOf` and `oneOf` one. Those nodes are merged in
//! turn, so a recursive schema could go on for ever: their number and height are bounded, and beyond
//! the bound the first declaration stands for all. What the document itself asks for is never cut
//! short: too much of it is an error.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::keywords;
use crate::error::SchemaLimits;
use crate::rules::Types;
use crate::schema::{Declared, Entries, Id, NodeData, Rest, Shape, Table};

/// Merged members and entries allowed for each node of `max_nodes`.
const WORK_PER_NODE: usize = 32;

/// How several nodes hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Join {
    All,
    Any,
}

/// The budget is used up.
struct Full;

/// Resolves the shapes of all nodes and adds the merged ones; an error names the node at which the
/// budget ran out.
pub(super) fn resolve(nodes: Vec<NodeData>, limits: &SchemaLimits) -> Result<Vec<NodeData>, Id> {
    let scanned = nodes.len();
    let budget = limits.max_nodes.saturating_mul(WORK_PER_NODE);
    let mut merge = Merge {
        shapes: vec![None; scanned],
        nodes,
        joined: BTreeMap::new(),
        scanned,
        max_nodes: scanned.saturating_add(limits.max_nodes),
        max_height: limits.max_depth,
        work: budget,
        join_work: budget,
    };
    // What a node refers to is lower than the node, so it is resolved before.
    let mut levels: Vec<Vec<Id>> = Vec::new();
    for (node, id) in merge.nodes.iter().zip(0..) {
        let height = node.facts.height;
        if levels.len() <= height {
            levels.resize(height.saturating_add(1), Vec::new());
        }
        if let Some(level) = levels.get_mut(height) {
            level.push(id);
        }
    }
    for id in levels.into_iter().flatten() {
        merge.resolve(id).map_err(|Full| id)?;
    }
    // A made node holds nodes that were there before it.
    let mut made = scanned;
    while made < merge.nodes.len() {
        let id = Id::try_from(made).unwrap_or(Id::MAX);
        if merge.resolve(id).is_err() {
            merge.settle_for_first(id);
        }
        made = made.saturating_add(1);
    }
    let Merge { mut nodes, shapes, .. } = merge;
    for (node, shape) in nodes.iter_mut().zip(shapes) {
        node.shape = shape.unwrap_or_default();
    }
    Ok(nodes)
}

struct Merge {
    nodes: Vec<NodeData>,
    shapes: Vec<Option<Shape>>,
    /// The nodes made so far, by what they hold.
    joined: BTreeMap<(Join, Vec<Id>), Id>,
    /// Nodes from here on were made here.
    scanned: usize,
    max_nodes: usize,
    max_height: usize,
    /// Members and entries that may still be merged.
    work: usize,
    /// Ids that may still be joined.
    join_work: usize,
}

impl Merge {
    /// Resolves the shape of a node; those of the nodes it holds are resolved.
    fn resolve(&mut self, id: Id) -> Result<(), Full> {
        let Some(node) = self.nodes.get(id as usize) else { return Ok(()) };
        if node.all.is_empty() && node.any.is_empty() {
            self.shape_is(id, node.shape.clone());
            return Ok(());
        }
        let mut parts = vec![node.shape.clone()];
        parts.extend(node.all.iter().map(|child| self.shape(*child)));
        let any = node.any.clone();
        for group in any {
            let branches: Vec<_> =
                group.iter().map(|id| (self.allowed(*id), self.shape(*id))).collect();
            let with = |types: Types| branches.iter().filter(move |(t, _)| t.meets(types));
            let tables = with(Types::OBJECT).map(|(_, shape)| shape.table.clone()).collect();
            let entries = with(Types::ARRAY).map(|(_, shape)| shape.entries.clone()).collect();
            let table = self.tables(Join::Any, tables)?;
            let entries = self.entries(Join::Any, entries)?;
            parts.push(Shape { table, entries });
        }
        let table = self.tables(Join::All, parts.iter().map(|s| s.table.clone()).collect())?;
        let entries = self.entries(Join::All, parts.iter().map(|s| s.entries.clone()).collect())?;
        self.shape_is(id, Shape { table, entries });
        Ok(())
    }

    fn shape_is(&mut self, id: Id, shape: Shape) {
        if let Some(slot) = self.shapes.get_mut(id as usize) {
            *slot = Some(shape);
        }
    }

    /// The resolved shape of a node.
    fn shape(&self, id: Id) -> Shape {
        self.shapes.get(id as usize).cloned().flatten().unwrap_or_default()
    }

    /// Gives a made node the shape of the first node it holds, which was made or read before it.
    fn settle_for_first(&mut self, id: Id) {
        let first = self.nodes.get(id as usize).and_then(|node| node.edges().next());
        self.shape_is(id, first.map(|first| self.shape(first)).unwrap_or_default());
    }

    fn allowed(&self, id: Id) -> Types {
        self.nodes.get(id as usize).map_or(Types::NONE, |node| node.facts.allowed)
    }

    fn charge(&mut self, work: usize) -> Result<(), Full> {
        self.work = self.work.checked_sub(work).ok_or(Full)?;
        Ok(())
    }

    /// Merges tables; a part without one says nothing about members.
    fn tables(
        &mut self,
        join: Join,
        parts: Vec<Option<Arc<Table>>>,
    ) -> Result<Option<Arc<Table>>, Full> {
        let silent = parts.iter().any(Option::is_none);
        let mut tables: Vec<Arc<Table>> = parts.into_iter().flatten().collect();
        // A branch that says nothing leaves the rest open, so only under `All` may one stand alone.
        let alone = tables.len() <= 1 && (join == Join::All || !silent);
        if alone || tables.is_empty() {
            return Ok(tables.pop());
        }
        self.charge(tables.iter().map(|table| table.members.len()).sum())?;
        let rest = self.rest(join, &tables, silent);
        let all = tables.iter().flat_map(|table| &table.members);
        let all = Table::sorted(&all.cloned().collect::<Vec<_>>());
        let mut members = Vec::with_capacity(all.len());
        for same in all.chunk_by(|a, b| a.name == b.name) {
            let Some(first) = same.first() else { continue };
            let id = self.join(join, same.iter().map(|member| member.id).collect());
            members.push(Declared::new(Arc::clone(&first.name), id));
        }
        Ok(Some(Arc::new(Table { members, rest })))
    }

    /// What holds for undeclared members. A schema for them tells more than nothing does, and under
    /// `All` forbidding them is the last word.
    fn rest(&mut self, join: Join, tables: &[Arc<Table>], silent: bool) -> Rest {
        let mut ids = Vec::new();
        let (mut open, mut closed) = (silent, false);
        for table in tables {
            match table.rest {
                Rest::Open => open = true,
                Rest::Closed => closed = true,
                Rest::Schema(id) => ids.push(id),
            }
        }
        match join {
            Join::All if closed => Rest::Closed,
            _ if !ids.is_empty() => Rest::Schema(self.join(join, ids)),
            Join::Any if !open => Rest::Closed,
            _ => Rest::Open,
        }
    }

    /// Merges entries, place by place; a part without any says nothing about entries.
    fn entries(
        &mut self,
        join: Join,
        parts: Vec<Option<Arc<Entries>>>,
    ) -> Result<Option<Arc<Entries>>, Full> {
        let mut parts: Vec<Arc<Entries>> = parts.into_iter().flatten().collect();
        if parts.len() <= 1 {
            return Ok(parts.pop());
        }
        let places = parts.iter().map(|part| part.prefix.len()).max().unwrap_or(0);
        self.charge(places.saturating_add(1).saturating_mul(parts.len()))?;
        let mut prefix = Vec::with_capacity(places);
        for place in 0..places {
            let ids = parts.iter().filter_map(|e| e.prefix.get(place).copied().or(e.rest));
            prefix.push(self.join(join, ids.collect()));
        }
        let rest: Vec<Id> = parts.iter().filter_map(|part| part.rest).collect();
        let rest = (!rest.is_empty()).then(|| self.join(join, rest));
        Ok(Some(Arc::new(Entries { prefix, rest })))
    }

    /// The node that holds several; the first of them where the bound is reached. `ids` is not
    /// empty.
    fn join(&mut self, join: Join, ids: Vec<Id>) -> Id {
        let first = ids.first().copied().unwrap_or_default();
        if ids.iter().all(|id| *id == first) {
            return first;
        }
        let ids = self.flat(join, ids);
        let Some(left) = self.join_work.checked_sub(ids.len()) else { return first };
        self.join_work = left;
        let key = (join, ids);
        if let Some(id) = self.joined.get(&key) {
            return *id;
        }
        let mut node = NodeData::plain(Types::ALL, Types::NONE);
        match join {
            Join::All => node.all.clone_from(&key.1),
            Join::Any => node.any.push(key.1.clone()),
        }
        node.facts = keywords::of_node(&node, &self.nodes);
        let id = Id::try_from(self.nodes.len()).unwrap_or(Id::MAX);
        if self.nodes.len() >= self.max_nodes || node.facts.height > self.max_height {
            return first;
        }
        self.nodes.push(node);
        self.shapes.push(None);
        self.joined.insert(key, id);
        id
    }

    /// The ids in order, each once, nodes made by the same kind of join replaced by what they hold.
    fn flat(&self, join: Join, ids: Vec<Id>) -> Vec<Id> {
        let mut seen = BTreeSet::new();
        let mut flat = Vec::with_capacity(ids.len());
        for id in ids {
            let made = self.nodes.get(id as usize).filter(|_| id as usize >= self.scanned);
            let parts = match (join, made) {
                (Join::All, Some(node)) if node.any.is_empty() => node.all.as_slice(),
                (Join::Any, Some(node)) if node.all.is_empty() => {
                    node.any.first().map_or(&[][..], Vec::as_slice)
                }
                _ => core::slice::from_ref(&id),
            };
            flat.extend(parts.iter().copied().filter(|part| seen.insert(*part)));
        }
        flat
    }
}
