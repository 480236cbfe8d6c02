//! Lists from what is none: the rules in their order, the first whose result validates.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::arena::{Item, ItemId};
use super::{Engine, Fit, Outcome, Pending};
use crate::coerce::{CoerceErrorKind as Kind, Loss, Rule};
use crate::rules::Types;
use crate::schema::{Id, NEVER};

/// What a schema that accepts an object knows of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// It declares no members at all.
    Silent,
    /// It declares some, but none of these.
    Others,
    /// It declares one of these.
    These,
}

impl<'v> Engine<'_, 'v> {
    /// The item as a list.
    pub(super) fn as_array(&mut self, node: Id, item: ItemId) -> Outcome {
        match self.item(item) {
            Item::Array(list) => {
                let list = list.clone();
                self.entries(node, &list, Some(item))
            }
            Item::Null => Ok(Err(self.fault(Kind::Type, node, "type"))),
            Item::String(_) => self.array_from_text(node, item),
            Item::Object(_) => self.array_from_object(node, item),
            Item::Bool(_) | Item::Number(_) => self.one_entry(node, item),
        }
    }

    fn one_entry(&mut self, node: Id, item: ItemId) -> Outcome {
        if *self.item(item) == Item::Null {
            return Ok(Err(self.fault(Kind::Type, node, "type")));
        }
        self.list_by(node, &[item], Rule::Wrap, Loss::None)
    }

    fn array_from_text(&mut self, node: Id, item: ItemId) -> Outcome {
        let schema = self.entry_schema(node, 0);
        let takes_strings = self.inner.get(schema).facts.allowed.meets(Types::STRING);
        if let Some(json) = self.parsed(item) {
            let made = Fit::by(json.item, Rule::Json, json.loss());
            if let Item::Array(list) = self.item(json.item) {
                let list = list.clone();
                let entries = self.entries(node, &list, Some(json.item))?;
                let entries = entries.map_err(|fault| self.fault_here(fault));
                return Ok(entries.map(|entries| made.then(entries)));
            }
            if !self.accepts(schema, item)? {
                return Ok(self.one_entry(node, json.item)?.map(|fit| made.then(fit)));
            }
        }
        let Item::String(text) = self.item(item) else {
            return Ok(Err(self.fault(Kind::Type, node, "type")));
        };
        let text = text.to_string();
        if text.is_empty() && !takes_strings && self.allows(Loss::Format) {
            return self.list_by(node, &[], Rule::EmptyList, Loss::Format);
        }
        if !takes_strings && text.trim().lines().count() > 1 && self.allows(Loss::Format) {
            let lines = self.strings(text.trim().lines());
            if let Ok(fit) = self.list_by(node, &lines, Rule::Lines, Loss::Format)? {
                return Ok(Ok(fit));
            }
        }
        let single = self.one_entry(node, item)?;
        if single.is_err() && self.allows(Loss::Guess) && text.contains(',') {
            let parts = self.strings(text.split(',').map(str::trim));
            if let Ok(fit) = self.list_by(node, &parts, Rule::Commas, Loss::Guess)? {
                return Ok(Ok(fit));
            }
        }
        Ok(single)
    }

    fn strings<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Vec<ItemId> {
        texts.map(|text| self.arena.make(Item::String(Cow::Owned(text.to_string())))).collect()
    }

    fn array_from_object(&mut self, node: Id, item: ItemId) -> Outcome {
        let Item::Object(members) = self.item(item) else {
            return Ok(Err(self.fault(Kind::Type, node, "type")));
        };
        let members = members.clone();
        let shapes = self.allows(Loss::Format);
        let only = match members.as_slice() {
            [(key, value)] => Some((key.as_ref(), *value)),
            _ => None,
        };
        if let Some(("item", value)) = only.filter(|_| shapes) {
            let list = self.entries_of(value);
            if let Ok(fit) = self.list_by(node, &list, Rule::ItemKey, Loss::Format)? {
                return Ok(Ok(fit));
            }
        }
        if let Some(list) = numbered(&members).filter(|_| shapes)
            && let Ok(fit) = self.list_by(node, &list, Rule::NumericKeys, Loss::Format)?
        {
            return Ok(Ok(fit));
        }
        let schema = self.entry_schema(node, 0);
        if self.accepts(schema, item)? && self.claim(schema, item)? != Claim::Others {
            return self.one_entry(node, item);
        }
        if let Some((_, value)) = only.filter(|_| shapes) {
            let list = self.entries_of(value);
            if let Ok(fit) = self.list_by(node, &list, Rule::OneKey, Loss::Format)? {
                return Ok(Ok(fit));
            }
        }
        if let Some(list) = self.columns(schema, &members).filter(|_| shapes)
            && let Ok(fit) = self.list_by(node, &list, Rule::Parallel, Loss::Format)?
        {
            return Ok(Ok(fit));
        }
        self.one_entry(node, item)
    }

    /// The entries of a list, or the item as the one entry.
    fn entries_of(&self, item: ItemId) -> Vec<ItemId> {
        match self.item(item) {
            Item::Array(list) => list.clone(),
            _ => vec![item],
        }
    }

    /// What a schema that accepts an object knows of its members. Follows references and the
    /// branches that accept it; their height is bounded when the schema is compiled.
    fn claim(&mut self, schema: Id, item: ItemId) -> Result<Claim, Pending> {
        let inner = self.inner;
        let mut pending = false;
        let order = inner.below(schema, |id, stack| {
            let data = inner.get(id);
            stack.extend(data.all.iter().copied());
            for branch in data.any.iter().flatten() {
                match self.accepts(*branch, item) {
                    Ok(true) => stack.push(*branch),
                    Ok(false) => {}
                    Err(Pending) => pending = true,
                }
            }
        });
        if pending {
            return Err(Pending);
        }
        let claim = inner.bottom_up(&order, |id, known| {
            let data = inner.get(id);
            let mut claim = self.own_claim(id, item);
            for child in &data.all {
                claim = claim.max(known(*child).unwrap_or(Claim::Silent));
            }
            for group in &data.any {
                let of_group = |claim| group.iter().any(|branch| known(*branch) == Some(claim));
                let best =
                    [Claim::These, Claim::Silent, Claim::Others].into_iter().find(|c| of_group(*c));
                claim = claim.max(best.unwrap_or(Claim::Silent));
            }
            claim
        });
        Ok(claim.unwrap_or(Claim::Silent))
    }

    /// What the node's own keywords declare.
    fn own_claim(&self, id: Id, item: ItemId) -> Claim {
        let data = self.inner.get(id);
        let rules = &data.rules().object;
        let by_schema = rules.rest.is_some_and(|rest| rest != crate::schema::ANY && rest != NEVER);
        let Item::Object(members) = self.item(item) else { return Claim::Silent };
        let declares =
            |key: &str| rules.property(key).is_some() || rules.patterns.of(key).next().is_some();
        if by_schema || members.iter().any(|(key, _)| declares(key)) {
            Claim::These
        } else if rules.properties().is_empty() && rules.patterns.is_empty() {
            Claim::Silent
        } else {
            Claim::Others
        }
    }

    /// Columns as rows, where the schema of a row is a closed object of scalars that declares them
    /// all.
    fn columns(&mut self, schema: Id, members: &[(Cow<'v, str>, ItemId)]) -> Option<Vec<ItemId>> {
        let rules = self.closed_rules(schema)?;
        let mut lists = Vec::new();
        for (key, value) in members {
            let property = rules.property(key)?;
            let allowed = self.inner.get(property).facts.allowed;
            let Item::Array(list) = self.item(*value) else { return None };
            if allowed.meets(Types::ARRAY.or(Types::OBJECT)) {
                return None;
            }
            lists.push((key.clone(), list.clone()));
        }
        let rows = lists.first().map(|(_, list)| list.len()).filter(|rows| *rows >= 2)?;
        if lists.iter().any(|(_, list)| list.len() != rows) {
            return None;
        }
        let row = |place: usize| {
            let cells =
                lists.iter().filter_map(|(key, list)| Some((key.clone(), *list.get(place)?)));
            Item::Object(cells.collect())
        };
        Some((0..rows).map(|place| self.arena.make(row(place))).collect())
    }

    /// The members of a closed object schema, reached through nothing but references.
    fn closed_rules(&self, schema: Id) -> Option<&crate::rules::ObjectRules> {
        let mut id = schema;
        loop {
            let data = self.inner.get(id);
            let rules = &data.rules().object;
            if rules.rest == Some(NEVER) {
                return Some(rules);
            }
            match data.all.as_slice() {
                [only] if !rules.says_something() && data.any.is_empty() => id = *only,
                _ => return None,
            }
        }
    }
}

/// The values of an object all of whose keys are numbers, in their order.
fn numbered(members: &[(Cow<'_, str>, ItemId)]) -> Option<Vec<ItemId>> {
    let mut found = Vec::with_capacity(members.len());
    for (key, value) in members {
        if key.is_empty() || !key.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits = key.trim_start_matches('0');
        found.push(((digits.len(), digits, key.len()), *value));
    }
    found.sort_unstable();
    (!found.is_empty()).then(|| found.into_iter().map(|(_, value)| value).collect())
}
