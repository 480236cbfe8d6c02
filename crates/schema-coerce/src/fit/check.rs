//! Whether an item validates.
//!
//! All schemas about the same item are asked, then the keywords of this one. Only annotations
//! (`format` and the like) and what a compile note names go unchecked.

use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::arena::{Item, ItemId};
use super::{Engine, FaultId, Pending, Step};
use crate::coerce::{CoerceErrorKind as Kind, NullOptional};
use crate::rules::{ArrayRules, NumberRules, ObjectRules, StringRules, Types, compare};
use crate::schema::{Id, NEVER};

type Answer = Result<Option<FaultId>, Pending>;

impl<'v> Engine<'_, 'v> {
    /// The type of an item.
    pub(super) fn type_of(&self, item: ItemId) -> Types {
        match self.item(item) {
            Item::Null => Types::NULL,
            Item::Bool(_) => Types::BOOLEAN,
            Item::Number(text) => Types::of_number(text),
            Item::String(_) => Types::STRING,
            Item::Array(_) => Types::ARRAY,
            Item::Object(_) => Types::OBJECT,
        }
    }

    /// The whole check of one schema.
    pub(super) fn check(&mut self, node: Id, item: ItemId) -> Answer {
        if node == NEVER {
            return Ok(Some(self.fault(Kind::NotAllowed, node, "")));
        }
        let data = self.inner.get(node);
        if data.nullable && *self.item(item) == Item::Null {
            return Ok(None);
        }
        let own = self.check_own(node, item)?;
        if own.is_some() {
            return Ok(own);
        }
        self.ask(data.edges().chain(data.maybe.iter().copied()), item)?;
        for child in &data.all {
            if let Some(fault) = self.checked(*child, item)? {
                return Ok(Some(fault));
            }
        }
        for (index, group) in data.any.iter().enumerate() {
            let one = data.one == Some(index);
            if let Some(fault) = self.check_group(node, group, one, item)? {
                return Ok(Some(fault));
            }
        }
        if let Some(not) = data.rules().not
            && self.accepts(not, item)?
        {
            return Ok(Some(self.fault(Kind::NotAllowed, node, "not")));
        }
        if let Some((condition, then, otherwise)) = data.rules().condition {
            let side = if self.accepts(condition, item)? { then } else { otherwise };
            if let Some(fault) = side.map(|side| self.checked(side, item)).transpose()?.flatten() {
                return Ok(Some(fault));
            }
        }
        for (key, schema) in &data.rules().object.brings {
            if self.arena.member(item, key).is_some()
                && let Some(fault) = self.checked(*schema, item)?
            {
                return Ok(Some(fault));
            }
        }
        Ok(None)
    }

    /// Notes all answers that are missing at once.
    fn ask(&mut self, nodes: impl Iterator<Item = Id>, item: ItemId) -> Result<(), Pending> {
        let mut answered = Ok(());
        for node in nodes {
            if self.checked(node, item).is_err() {
                answered = Err(Pending);
            }
        }
        answered
    }

    fn check_group(&mut self, node: Id, group: &[Id], one: bool, item: ItemId) -> Answer {
        let mut faults = Vec::new();
        for branch in group {
            if let Some(fault) = self.checked(*branch, item)? {
                faults.push(fault);
            }
        }
        let accepted = group.len().saturating_sub(faults.len());
        let keyword = if one { "oneOf" } else { "anyOf" };
        Ok(match accepted {
            0 => Some(self.closest(node, keyword, &faults)),
            1 => None,
            _ if one => Some(self.fault(Kind::Ambiguous, node, keyword)),
            _ => None,
        })
    }

    /// The fault that says most: that of the only branch which is of the right type.
    pub(super) fn closest(
        &mut self,
        node: Id,
        keyword: &'static str,
        faults: &[FaultId],
    ) -> FaultId {
        let mut of_type = faults.iter().copied().filter(|id| {
            let fault = self.faults.get(*id as usize);
            fault.is_some_and(|fault| fault.kind != Kind::Type || fault.under.is_some())
        });
        match (of_type.next(), of_type.next(), faults) {
            (Some(only), None, _) | (None, None, &[only]) => only,
            _ => {
                let all_enum = faults.iter().all(|id| {
                    self.faults.get(*id as usize).is_some_and(|fault| fault.kind == Kind::Enum)
                });
                let kind = if all_enum { Kind::Enum } else { Kind::Type };
                self.fault(kind, node, keyword)
            }
        }
    }

    /// The keywords of one schema, without references, combinators and conditions.
    pub(super) fn check_own(&mut self, node: Id, item: ItemId) -> Answer {
        let data = self.inner.get(node);
        let of = self.type_of(item);
        if data.nullable && of == Types::NULL {
            return Ok(None);
        }
        if let Some(types) = &data.types
            && !types.iter().any(|types| types.meets(of))
        {
            return Ok(Some(self.fault(Kind::Type, node, "type")));
        }
        if let Some(literals) = &data.literals
            && !literals.iter().any(|literal| self.arena.equals(item, literal))
        {
            let keyword = data.literal_keyword();
            return Ok(Some(self.fault(Kind::Enum, node, keyword)));
        }
        let broken = match self.item(item) {
            Item::Null | Item::Bool(_) => None,
            Item::Number(text) => check_number(&data.rules().number, text),
            Item::String(text) => check_string(&data.rules().string, text),
            Item::Array(list) => check_count(&data.rules().array, list.len()),
            Item::Object(members) => check_size(&data.rules().object, members.len()),
        };
        if let Some((kind, keyword)) = broken {
            return Ok(Some(self.fault(kind, node, keyword)));
        }
        match of {
            Types::ARRAY => self.check_entries(node, &data.rules().array, item),
            Types::OBJECT => self.check_members(node, &data.rules().object, item),
            _ => Ok(None),
        }
    }

    fn check_entries(&mut self, node: Id, rules: &ArrayRules, item: ItemId) -> Answer {
        let Item::Array(list) = self.item(item) else { return Ok(None) };
        let list = list.clone();
        let (mut pending, mut first) = (false, None);
        for (place, entry) in list.iter().enumerate() {
            let Some(schema) = rules.at(place) else { continue };
            match self.checked(schema, *entry) {
                Ok(Some(fault)) if first.is_none() => first = Some((place, fault)),
                Ok(_) => {}
                Err(Pending) => pending = true,
            }
        }
        let mut count = 0u64;
        if let Some((schema, _, _)) = rules.contains {
            for entry in &list {
                match self.accepts(schema, *entry) {
                    Ok(accepted) => count = count.saturating_add(u64::from(accepted)),
                    Err(Pending) => pending = true,
                }
            }
        }
        if pending {
            return Err(Pending);
        }
        if let Some((place, fault)) = first {
            return Ok(Some(self.fault_under(Step::Place(place), fault)));
        }
        if let Some((_, least, most)) = rules.contains
            && (count < least || most.is_some_and(|most| count > most))
        {
            return Ok(Some(self.fault(Kind::Length, node, "contains")));
        }
        if rules.unique {
            let mut seen = BTreeSet::new();
            if !list.iter().all(|entry| seen.insert(self.arena.canonical(*entry))) {
                return Ok(Some(self.fault(Kind::Unique, node, "uniqueItems")));
            }
        }
        Ok(None)
    }

    fn check_members(&mut self, node: Id, rules: &ObjectRules, item: ItemId) -> Answer {
        if rules.required.iter().any(|key| self.arena.member(item, key).is_none()) {
            return Ok(Some(self.fault(Kind::Required, node, "required")));
        }
        for (key, needed) in &rules.needs {
            if self.arena.member(item, key).is_some()
                && needed.iter().any(|key| self.arena.member(item, key).is_none())
            {
                return Ok(Some(self.fault(Kind::Required, node, "dependentRequired")));
            }
        }
        if !rules.says_something() && rules.names.is_none() {
            return Ok(None);
        }
        let Item::Object(members) = self.item(item) else { return Ok(None) };
        let members = members.clone();
        let (mut pending, mut first) = (false, None);
        for (key, value) in &members {
            for (schema, keyword) in rules.of_member(key) {
                let closed = keyword == "additionalProperties" && schema == NEVER;
                let fault = match self.checked(schema, *value) {
                    Ok(None) => continue,
                    Ok(Some(_)) if self.null_stands(rules, key, *value) => continue,
                    Ok(Some(_)) if closed => self.fault(Kind::UnknownKey, node, keyword),
                    Ok(Some(fault)) => fault,
                    Err(Pending) => {
                        pending = true;
                        continue;
                    }
                };
                first.get_or_insert((key, fault));
            }
            if let Some(schema) = rules.names {
                let name = self.arena.make(Item::String(key.clone()));
                match self.accepts(schema, name) {
                    Ok(true) => {}
                    Ok(false) => {
                        let fault = self.fault(Kind::UnknownKey, node, "propertyNames");
                        first.get_or_insert((key, fault));
                    }
                    Err(Pending) => pending = true,
                }
            }
        }
        if pending {
            return Err(Pending);
        }
        Ok(first.map(|(key, fault)| self.fault_under(Step::Key(key.to_string()), fault)))
    }

    /// Whether a null that its schema does not take is left standing.
    pub(super) fn null_stands(&self, rules: &ObjectRules, key: &str, value: ItemId) -> bool {
        self.policy.null_optional == NullOptional::Keep
            && *self.item(value) == Item::Null
            && !rules.requires(key)
    }
}

pub(super) type Broken = Option<(Kind, &'static str)>;

pub(super) fn check_number(rules: &NumberRules, text: &str) -> Broken {
    let order =
        |bound: &Option<alloc::sync::Arc<str>>| bound.as_ref().map(|bound| compare(text, bound));
    let tests = [
        (order(&rules.minimum).is_some_and(Ordering::is_lt), "minimum"),
        (order(&rules.maximum).is_some_and(Ordering::is_gt), "maximum"),
        (order(&rules.above).is_some_and(Ordering::is_le), "exclusiveMinimum"),
        (order(&rules.below).is_some_and(Ordering::is_ge), "exclusiveMaximum"),
        (rules.multiple.as_ref().is_some_and(|by| !by.divides(text)), "multipleOf"),
    ];
    tests.into_iter().find(|(broken, _)| *broken).map(|(_, keyword)| (Kind::Range, keyword))
}

pub(super) fn check_string(rules: &StringRules, text: &str) -> Broken {
    if rules.min.is_some() || rules.max.is_some() {
        let length = text.chars().count();
        if let Some(keyword) = outside(length, rules.min, rules.max, ["minLength", "maxLength"]) {
            return Some((Kind::Length, keyword));
        }
    }
    let pattern = rules.pattern.as_ref()?;
    (!pattern.matches(text)).then_some((Kind::Pattern, "pattern"))
}

pub(super) fn check_count(rules: &ArrayRules, length: usize) -> Broken {
    outside(length, rules.min, rules.max, ["minItems", "maxItems"]).map(|k| (Kind::Length, k))
}

pub(super) fn check_size(rules: &ObjectRules, length: usize) -> Broken {
    outside(length, rules.min, rules.max, ["minProperties", "maxProperties"])
        .map(|k| (Kind::Length, k))
}

/// The keyword that a length breaks.
fn outside(
    length: usize,
    min: Option<u64>,
    max: Option<u64>,
    [least, most]: [&'static str; 2],
) -> Option<&'static str> {
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    if min.is_some_and(|min| length < min) {
        return Some(least);
    }
    max.is_some_and(|max| length > max).then_some(most)
}
