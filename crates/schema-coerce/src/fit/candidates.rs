//! One schema, step by step: its own keywords, then what must hold beside them, then the branches of
//! which one must hold, then the condition.
//!
//! Each step takes every candidate on; at the end those that validate against the whole schema are
//! compared by cost. Two that cost the same and differ are an error.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::pointer;

use super::arena::{Item, ItemId};
use super::{Engine, FaultId, Fit, FitId, Outcome, Part, Pending, Step};
use crate::coerce::{Change, CoerceError, CoerceErrorKind as Kind, CoerceErrorKind, Loss, Rule};
use crate::rules::Types;
use crate::schema::Id;

/// Candidates carried from one step to the next; the cheapest stay.
const MAX_CANDIDATES: usize = 32;

/// The candidates that are left.
struct Candidates {
    fits: Vec<Fit>,
    /// Why candidates dropped out.
    faults: Vec<FaultId>,
}

impl Candidates {
    /// Takes up the next candidates: of those for the same item the cheapest, none too many.
    fn go_on(&mut self, next: Vec<Fit>) {
        let mut kept: Vec<Fit> = Vec::new();
        for fit in next {
            let cost = fit.counts.cost();
            let place = kept.partition_point(|other| other.counts.cost() <= cost);
            let (cheaper, _) = kept.split_at(place);
            if !cheaper.iter().any(|other| other.item == fit.item) {
                kept.retain(|other| other.item != fit.item);
                kept.insert(place, fit);
                kept.truncate(MAX_CANDIDATES);
            }
        }
        self.fits = kept;
    }
}

impl Engine<'_, '_> {
    /// The cheapest item that validates in place of `item`.
    pub(super) fn candidates(&mut self, node: Id, item: ItemId) -> Outcome {
        let Some(fault) = self.checked(node, item)? else { return Ok(Ok(Fit::plain(item))) };
        let data = self.inner.get(node);
        let mut candidates = Candidates { fits: vec![Fit::plain(item)], faults: Vec::new() };
        self.own_candidates(node, item, &mut candidates)?;
        self.all_candidates(&data.all, &mut candidates)?;
        for group in &data.any {
            self.branch_candidates(group, &mut candidates)?;
        }
        for (key, schema) in &data.rules().object.brings {
            if candidates.fits.iter().any(|fit| self.arena.member(fit.item, key).is_some()) {
                self.branch_candidates(&[*schema], &mut candidates)?;
            }
        }
        if let Some((condition, then, otherwise)) = data.rules().condition {
            self.condition_candidates(condition, then, otherwise, &mut candidates)?;
        }
        if data.nullable {
            candidates.fits.extend(self.null_from(item));
        }
        self.finish(node, fault, candidates)
    }

    fn own_candidates(
        &mut self,
        node: Id,
        item: ItemId,
        candidates: &mut Candidates,
    ) -> Result<(), Pending> {
        let data = self.inner.get(node);
        let mut next = Vec::new();
        if let Some(literals) = &data.literals {
            match self.literal(node, literals, item)? {
                Ok(fit) => next.push(fit),
                Err(fault) => candidates.faults.push(fault),
            }
            candidates.go_on(next);
            return Ok(());
        }
        let of = self.type_of(item);
        let only = [of];
        let types: &[Types] = data.types.as_deref().unwrap_or(&only);
        let mut pending = false;
        for &target in types {
            match self.as_type(node, target, item) {
                Ok(Ok(fit)) => next.push(fit),
                Ok(Err(fault)) => candidates.faults.push(fault),
                Err(Pending) => pending = true,
            }
        }
        if next.is_empty() && data.edges().next().is_some() {
            // What is said beside these keywords may know how to read it.
            next.push(Fit::plain(item));
        }
        candidates.go_on(next);
        if pending { Err(Pending) } else { Ok(()) }
    }

    /// The item as one type of this schema.
    fn as_type(&mut self, node: Id, target: Types, item: ItemId) -> Outcome {
        match target {
            Types::ARRAY => self.as_array(node, item),
            Types::OBJECT => self.as_object(node, item),
            Types::STRING => Ok(self.as_string(node, item)),
            _ => Ok(self.as_scalar(node, target, item)),
        }
    }

    /// Every candidate through schemas that all hold, one after the other.
    fn all_candidates(&mut self, all: &[Id], candidates: &mut Candidates) -> Result<(), Pending> {
        let mut asked = None;
        for (place, child) in all.iter().enumerate() {
            // Answers that are missing are asked for together: one at a time, each would begin anew.
            if let [only] = candidates.fits.as_slice()
                && asked.replace(only.item) != Some(only.item)
            {
                let item = only.item;
                let mut pending = false;
                for id in all.iter().skip(place) {
                    pending |= self.fitted(*id, item).is_err();
                }
                if pending {
                    return Err(Pending);
                }
            }
            self.branch_candidates(&[*child], candidates)?;
        }
        Ok(())
    }

    /// Every candidate through every branch.
    fn branch_candidates(
        &mut self,
        branches: &[Id],
        candidates: &mut Candidates,
    ) -> Result<(), Pending> {
        let mut pending = false;
        let mut next = Vec::new();
        let mut faults = Vec::new();
        for fit in &candidates.fits {
            for branch in branches {
                match self.fitted(*branch, fit.item) {
                    Ok(Ok(more)) => next.push(fit.clone().then(more)),
                    Ok(Err(fault)) => faults.push(fault),
                    Err(Pending) => pending = true,
                }
            }
        }
        if pending {
            return Err(Pending);
        }
        if next.is_empty() {
            candidates.faults.extend(faults);
        }
        candidates.go_on(next);
        Ok(())
    }

    fn condition_candidates(
        &mut self,
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
        candidates: &mut Candidates,
    ) -> Result<(), Pending> {
        let mut next = Vec::new();
        for fit in core::mem::take(&mut candidates.fits) {
            let side = if self.accepts(condition, fit.item)? { then } else { otherwise };
            let mut one = Candidates { fits: vec![fit], faults: Vec::new() };
            if let Some(side) = side {
                self.branch_candidates(&[side], &mut one)?;
            }
            next.extend(one.fits);
            candidates.faults.extend(one.faults);
        }
        candidates.go_on(next);
        Ok(())
    }

    /// A text that names null.
    pub(super) fn null_from(&mut self, item: ItemId) -> Option<Fit> {
        let Item::String(text) = self.item(item) else { return None };
        let word = matches!(text.trim(), "null" | "Null" | "NULL" | "None");
        (word && self.allows(Loss::Format)).then(|| {
            let null = self.arena.make(Item::Null);
            Fit::by(null, Rule::Null, Loss::Format)
        })
    }

    /// The cheapest candidate that validates; `fault` is why the item itself does not.
    fn finish(&mut self, node: Id, fault: FaultId, mut candidates: Candidates) -> Outcome {
        let mut best: Option<Fit> = None;
        let mut tie = false;
        let mut pending = false;
        for fit in candidates.fits {
            match self.checked(node, fit.item) {
                Ok(None) => {}
                Ok(Some(fault)) => {
                    candidates.faults.push(fault);
                    continue;
                }
                Err(Pending) => {
                    pending = true;
                    continue;
                }
            }
            let Some(other) = &best else {
                best = Some(fit);
                continue;
            };
            match fit.counts.cost().cmp(&other.counts.cost()) {
                core::cmp::Ordering::Less => {
                    tie = false;
                    best = Some(fit);
                }
                core::cmp::Ordering::Equal => {
                    let same = self.arena.canonical(fit.item) == self.arena.canonical(other.item);
                    tie |= !same;
                }
                core::cmp::Ordering::Greater => {}
            }
        }
        if pending {
            return Err(Pending);
        }
        match best {
            Some(_) if tie => {
                let keyword = self.union_keyword(node);
                Ok(Err(self.fault(Kind::Ambiguous, node, keyword)))
            }
            Some(fit) => Ok(Ok(fit)),
            None => Ok(Err(self.telling(node, fault, &candidates.faults))),
        }
    }

    fn union_keyword(&self, node: Id) -> &'static str {
        let data = self.inner.get(node);
        match (data.any.is_empty(), data.one) {
            (true, _) if data.types.is_none() => "",
            (true, _) => "type",
            (false, Some(_)) => "oneOf",
            (false, None) => "anyOf",
        }
    }

    /// Of all faults the one that says most.
    fn telling(&mut self, node: Id, fault: FaultId, faults: &[FaultId]) -> FaultId {
        match faults {
            [] => fault,
            [only] => *only,
            many => {
                let keyword = self.union_keyword(node);
                self.closest(node, keyword, many)
            }
        }
    }
}

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
    pub(super) fn exhausted(&self, node: Id) -> CoerceError {
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
