//! Changes and errors with their paths, put together when they are asked for.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::pointer;

use super::arena::{Item, ItemId};
use super::{Engine, FaultId, FitId, Part, Step};
use crate::coerce::{Change, CoerceError, CoerceErrorKind};
use crate::schema::Id;

impl Engine<'_, '_> {
    /// Everything that was done on the way to a fit.
    pub(super) fn changes(&self, fit: FitId) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut open = vec![(self.fit(fit).parts.iter(), 0)];
        let mut path = String::new();
        while let Some((parts, length)) = open.last_mut() {
            let Some(part) = parts.next() else {
                open.pop();
                path.truncate(open.last().map_or(0, |(_, length)| *length));
                continue;
            };
            path.truncate(*length);
            match part {
                Part::Here(rule, loss) => {
                    changes.push(Change { path: path.clone(), rule: *rule, loss: *loss });
                }
                Part::Member(key, rule, loss) => {
                    let mut path = path.clone();
                    pointer::push(&mut path, key);
                    changes.push(Change { path, rule: *rule, loss: *loss });
                }
                Part::Same(fit) => {
                    let length = *length;
                    open.push((self.fit(*fit).parts.iter(), length));
                }
                Part::Child(step, fit) => {
                    push_step(&mut path, step);
                    open.push((self.fit(*fit).parts.iter(), path.len()));
                }
            }
        }
        changes
    }

    /// A fault with its paths. The path in the value ends where a rule made something that `root`,
    /// the value as it was given, does not have.
    pub(super) fn error(&self, root: ItemId, fault: FaultId) -> CoerceError {
        let mut instance_path = String::new();
        let mut at = Some(root);
        let mut next = self.faults.get(fault as usize);
        while let Some(fault) = next {
            if let Some((step, inner)) = &fault.under {
                at = at.and_then(|item| self.child(item, step));
                if at.is_some() {
                    push_step(&mut instance_path, step);
                }
                next = self.faults.get(*inner as usize);
                continue;
            }
            let mut schema_path = self.inner.path(fault.node);
            if !fault.keyword.is_empty() {
                pointer::push(&mut schema_path, fault.keyword);
            }
            return CoerceError { kind: fault.kind, instance_path, schema_path };
        }
        CoerceError { kind: CoerceErrorKind::Type, instance_path, schema_path: String::new() }
    }

    fn child(&self, item: ItemId, step: &Step) -> Option<ItemId> {
        match (self.item(item), step) {
            (Item::Array(list), Step::Place(place)) => list.get(*place).copied(),
            (Item::Object(_), Step::Key(key)) => self.arena.member(item, key),
            _ => None,
        }
    }

    /// The error of a value beyond the bounds.
    pub(super) fn spent(&self, node: Id) -> CoerceError {
        CoerceError {
            kind: CoerceErrorKind::TooDeep,
            instance_path: String::new(),
            schema_path: self.inner.path(node),
        }
    }
}

fn push_step(path: &mut String, step: &Step) {
    match step {
        Step::Key(key) => pointer::push(path, key),
        Step::Place(place) => pointer::push(path, &place.to_string()),
    }
}
