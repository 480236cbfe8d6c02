//! The members of an object, each by every schema that speaks of it; names that a closed schema does
//! not know.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use litemap::LiteMap;

use super::arena::{Item, ItemId};
use super::{Counts, Engine, FaultId, Fit, Outcome, Part, Pending, Step, text};
use crate::coerce::{CoerceErrorKind as Kind, Loss, NullOptional, Rule, Undeclared};
use crate::rules::{ObjectRules, Types};
use crate::schema::{ANY, Id, NEVER};

/// What became of one member.
enum Member {
    Kept(Fit),
    Dropped(Rule),
}

impl<'v> Engine<'_, 'v> {
    /// An object with every member made to fit.
    pub(super) fn members(&mut self, node: Id, item: ItemId) -> Outcome {
        let rules = &self.inner.get(node).rules().object;
        let Item::Object(members) = self.item(item) else {
            return Ok(Err(self.fault(Kind::Type, node, "type")));
        };
        let members = members.clone();
        let names = match self.renamed(node, rules, &members) {
            Ok(names) => names,
            Err(fault) => return Ok(Err(fault)),
        };
        let (mut pending, mut fault) = (false, None);
        let (mut parts, mut counts, mut next) = (Vec::new(), Counts::default(), Vec::new());
        for (key, value) in members {
            let name = names.get(key.as_ref());
            let old = key.clone();
            let key = name.cloned().map_or(key, Cow::Owned);
            if name.is_some() {
                parts.push(Part::Member(key.to_string(), Rule::Rename, Loss::Format));
                counts.add(Counts::one(Loss::Format));
            }
            match self.member(node, rules, &key, value) {
                Ok(Ok(Member::Kept(fit))) => {
                    next.push((key.clone(), fit.item));
                    counts.add(fit.counts);
                    if !fit.parts.is_empty() {
                        let fit = self.keep(fit);
                        parts.push(Part::Child(Step::Key(key.to_string()), fit));
                    }
                }
                Ok(Ok(Member::Dropped(rule))) => {
                    parts.push(Part::Member(key.to_string(), rule, Loss::Format));
                    counts.add(Counts::one(Loss::Format));
                }
                Ok(Err(found)) => {
                    fault.get_or_insert(self.fault_under(Step::Key(old.to_string()), found));
                }
                Err(Pending) => pending = true,
            }
        }
        if pending {
            return Err(Pending);
        }
        if let Some(fault) = fault {
            return Ok(Err(fault));
        }
        let item = if parts.is_empty() { item } else { self.arena.make(Item::Object(next)) };
        Ok(Ok(Fit { item, parts, counts }))
    }

    /// One member by every schema that speaks of it, in turn.
    fn member(
        &mut self,
        node: Id,
        rules: &ObjectRules,
        key: &str,
        value: ItemId,
    ) -> Result<Result<Member, FaultId>, Pending> {
        let mut fit = Fit::plain(value);
        for (schema, keyword) in rules.of_member(key) {
            let more = self.fitted(schema, fit.item)?;
            let undeclared = schema == NEVER && keyword == "additionalProperties";
            let fault = match more {
                Ok(more) => {
                    fit = fit.then(more);
                    continue;
                }
                Err(_) if undeclared => {
                    if self.policy.undeclared == Undeclared::Drop && self.allows(Loss::Format) {
                        return Ok(Ok(Member::Dropped(Rule::DropKey)));
                    }
                    self.fault(Kind::UnknownKey, node, keyword)
                }
                Err(fault) => fault,
            };
            if !undeclared && *self.item(value) == Item::Null && !rules.requires(key) {
                match self.policy.null_optional {
                    NullOptional::Keep => return Ok(Ok(Member::Kept(Fit::plain(value)))),
                    NullOptional::Drop if self.allows(Loss::Format) => {
                        return Ok(Ok(Member::Dropped(Rule::DropNull)));
                    }
                    NullOptional::Drop => {}
                }
            }
            return Ok(Err(fault));
        }
        Ok(Ok(Member::Kept(fit)))
    }

    /// New names of members that a closed schema does not know, by their old ones.
    fn renamed(
        &mut self,
        node: Id,
        rules: &ObjectRules,
        members: &[(Cow<'v, str>, ItemId)],
    ) -> Result<LiteMap<String, String>, FaultId> {
        let mut names = LiteMap::new();
        if rules.rest != Some(NEVER) || rules.unknown_patterns || !self.allows(Loss::Format) {
            return Ok(names);
        }
        let unknown: Vec<&str> = members
            .iter()
            .map(|(key, _)| key.as_ref())
            .filter(|key| {
                rules.of_member(key).iter().all(|(_, keyword)| *keyword == "additionalProperties")
            })
            .collect();
        if unknown.is_empty() {
            return Ok(names);
        }
        let mut present: Vec<&str> = members.iter().map(|(key, _)| key.as_ref()).collect();
        present.sort_unstable();
        let inner = self.inner;
        let declared = rules
            .properties()
            .iter()
            .map(|m| (&*m.name, inner.get(m.id).facts.tried().meets(Types::ARRAY)));
        match match_names(declared, &present, unknown.into_iter()) {
            Ok(found) => names = found,
            Err(key) => {
                let fault = self.fault(Kind::AmbiguousKey, node, "additionalProperties");
                return Err(self.fault_under(Step::Key(key), fault));
            }
        }
        Ok(names)
    }
}

/// The declared names that unknown keys stand for, by key. `declared`: names, and whether a list is
/// expected there; `present`: the keys the object has, sorted. An error is the first key that may stand for
/// several names, or for one that another stands for.
pub(crate) fn match_names<'a>(
    declared: impl Iterator<Item = (&'a str, bool)>,
    present: &[&str],
    unknown: impl Iterator<Item = &'a str>,
) -> Result<LiteMap<String, String>, String> {
    let mut absent: LiteMap<String, Vec<(&str, bool)>> = LiteMap::new();
    for (name, list) in declared.filter(|(name, _)| present.binary_search(name).is_err()) {
        absent.entry(plain(name)).or_default().push((name, list));
    }
    let mut names = LiteMap::new();
    let mut taken: LiteMap<&str, ()> = LiteMap::new();
    for key in unknown {
        let mut found: Option<&str> = None;
        for (form, plural) in forms(&plain(key)) {
            for (name, list) in absent.get(&form).into_iter().flatten() {
                if (*list || !plural) && found.replace(name).is_some_and(|other| other != *name) {
                    return Err(key.to_string());
                }
            }
        }
        let Some(name) = found else { continue };
        if taken.insert(name, ()).is_some() {
            return Err(key.to_string());
        }
        names.insert(key.to_string(), name.to_string());
    }
    Ok(names)
}

/// A name without `_`, `-` and whitespace, in small letters.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-') && !c.is_whitespace());
    kept.flat_map(char::to_lowercase).collect()
}

/// The forms under which the name of a property may be found: itself, its plural and what it may be
/// the plural of, the latter two marked.
fn forms(name: &str) -> Vec<(String, bool)> {
    let mut forms = Vec::from([
        (name.to_string(), false),
        (format!("{name}s"), true),
        (format!("{name}es"), true),
    ]);
    let stems = [("y", "ies"), ("ies", "y"), ("es", ""), ("s", "")];
    for (end, other) in stems {
        if let Some(stem) = name.strip_suffix(end).filter(|stem| !stem.is_empty()) {
            forms.push((format!("{stem}{other}"), true));
        }
    }
    forms
}

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

impl<'v> Engine<'_, 'v> {
    /// The item as an object.
    pub(super) fn as_object(&mut self, node: Id, item: ItemId) -> Outcome {
        let made = match self.item(item) {
            Item::Object(_) => return self.members(node, item),
            Item::String(_) => self.object_from_text(node, item),
            Item::Array(list) => match list.as_slice() {
                [only] if matches!(self.item(*only), Item::Object(_)) => {
                    Some(Fit::by(*only, Rule::Single, Loss::Format))
                        .filter(|_| self.allows(Loss::Format))
                }
                _ => None,
            },
            Item::Null | Item::Bool(_) | Item::Number(_) => None,
        };
        let Some(made) = made else { return Ok(Err(self.fault(Kind::Type, node, "type"))) };
        let members = self.members(node, made.item)?;
        let members = members.map_err(|fault| self.fault_here(fault));
        Ok(members.map(|members| made.then(members)))
    }

    fn object_from_text(&mut self, node: Id, item: ItemId) -> Option<Fit> {
        if let Some(fit) = self.object_from_json(item) {
            return Some(fit);
        }
        let Item::String(text) = self.item(item) else { return None };
        if self.allows(Loss::Format)
            && let Some(pairs) = text::elements(text)
            && let Some(object) = self.declared(node, pairs)
        {
            return Some(Fit::by(object, Rule::Elements, Loss::Format));
        }
        let Item::String(text) = self.item(item) else { return None };
        let pairs = text::key_lines(text).filter(|_| self.allows(Loss::Guess))?;
        let object = self.declared(node, pairs)?;
        Some(Fit::by(object, Rule::KeyLines, Loss::Guess))
    }

    /// An object from JSON text, or from JSON text in JSON text.
    fn object_from_json(&mut self, item: ItemId) -> Option<Fit> {
        let once = self.parsed(item)?;
        let fit = Fit::by(once.item, Rule::Json, once.loss());
        match self.item(once.item) {
            Item::Object(_) => Some(fit),
            Item::String(_) => {
                let twice = self.parsed(once.item)?;
                let object = matches!(self.item(twice.item), Item::Object(_));
                object.then(|| fit.then(Fit::by(twice.item, Rule::Json, twice.loss())))
            }
            _ => None,
        }
    }

    /// An object of texts, if every key is declared. A key that is there several times is a list,
    /// where its schema takes one.
    fn declared(&mut self, node: Id, pairs: Vec<(String, String)>) -> Option<ItemId> {
        let rules = &self.inner.get(node).rules().object;
        let mut values: Vec<(String, Id, Vec<ItemId>)> = Vec::new();
        for (key, text) in pairs {
            let property = rules.property(&key)?;
            let text = self.arena.make(Item::String(Cow::Owned(text)));
            match values.iter_mut().find(|(known, ..)| *known == key) {
                Some((.., list)) => list.push(text),
                None => values.push((key, property, vec![text])),
            }
        }
        let mut members = Vec::with_capacity(values.len());
        for (key, property, list) in values {
            let value = match list.as_slice() {
                [only] => *only,
                _ if self.inner.get(property).facts.allowed.meets(Types::ARRAY) => {
                    self.arena.make(Item::Array(list))
                }
                _ => return None,
            };
            members.push((Cow::Owned(key), value));
        }
        Some(self.arena.make(Item::Object(members)))
    }
}
