//! The entries of a list, each by its place.

use alloc::vec::Vec;

use super::arena::{Item, ItemId};
use super::{Counts, Engine, Fit, Outcome, Part, Pending, Step};
use crate::coerce::{Loss, Rule};
use crate::schema::{ANY, Id};

impl<'v> Engine<'_, 'v> {
    /// The schema of the entry at a place, by the node's own keywords.
    pub(super) fn entry_schema(&self, node: Id, place: usize) -> Id {
        self.inner.get(node).rules().array.at(place).unwrap_or(ANY)
    }

    /// A list with every entry made to fit; `from` is the list as it stands, if there is one. One
    /// bad entry fails the whole.
    pub(super) fn entries(&mut self, node: Id, list: &[ItemId], from: Option<ItemId>) -> Outcome {
        let mut pending = false;
        let mut parts = Vec::new();
        let mut counts = Counts::default();
        let mut fitted = Vec::with_capacity(list.len());
        for (place, entry) in list.iter().enumerate() {
            let schema = self.entry_schema(node, place);
            match self.fitted(schema, *entry) {
                Ok(Ok(fit)) => {
                    fitted.push(fit.item);
                    if !fit.parts.is_empty() {
                        counts.add(fit.counts);
                        let fit = self.keep(fit);
                        parts.push(Part::Child(Step::Place(place), fit));
                    }
                }
                Ok(Err(fault)) => return Ok(Err(self.fault_under(Step::Place(place), fault))),
                Err(Pending) => pending = true,
            }
        }
        if pending {
            return Err(Pending);
        }
        let item = match from {
            Some(item) if parts.is_empty() => item,
            _ => self.arena.make(Item::Array(fitted)),
        };
        Ok(Ok(Fit { item, parts, counts }))
    }

    /// A list that a rule made, its entries made to fit. A fault where the result breaks the node's
    /// own keywords.
    pub(super) fn list_by(&mut self, node: Id, list: &[ItemId], rule: Rule, loss: Loss) -> Outcome {
        let entries = match self.entries(node, list, None)? {
            Ok(fit) => fit,
            Err(fault) => return Ok(Err(self.fault_here(fault))),
        };
        if let Some(fault) = self.check_own(node, entries.item)? {
            return Ok(Err(self.fault_here(fault)));
        }
        let made = Fit::by(entries.item, rule, loss);
        Ok(Ok(made.then(entries)))
    }
}
