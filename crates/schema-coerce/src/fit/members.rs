//! The members of an object, each by every schema that speaks of it; names that a closed schema does
//! not know.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::arena::{Item, ItemId};
use super::{Counts, Engine, FaultId, Fit, Outcome, Part, Pending, Step};
use crate::coerce::{CoerceErrorKind as Kind, Loss, NullOptional, Rule, Undeclared};
use crate::rules::ObjectRules;
use crate::schema::{Id, NEVER};
use crate::types::Types;

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
    ) -> Result<BTreeMap<String, String>, FaultId> {
        let mut names = BTreeMap::new();
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
        let present: BTreeSet<&str> = members.iter().map(|(key, _)| key.as_ref()).collect();
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
/// expected there; `present`: the keys the object has. An error is the first key that may stand for
/// several names, or for one that another stands for.
pub(crate) fn match_names<'a>(
    declared: impl Iterator<Item = (&'a str, bool)>,
    present: &BTreeSet<&str>,
    unknown: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, String> {
    let mut absent: BTreeMap<String, Vec<(&str, bool)>> = BTreeMap::new();
    for (name, list) in declared.filter(|(name, _)| !present.contains(name)) {
        absent.entry(plain(name)).or_default().push((name, list));
    }
    let mut names = BTreeMap::new();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    for key in unknown {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for (form, plural) in forms(&plain(key)) {
            let names = absent.get(&form).into_iter().flatten();
            found.extend(names.filter(|(_, list)| *list || !plural).map(|(name, _)| *name));
        }
        let mut found = found.into_iter();
        let Some(name) = found.next() else { continue };
        if found.next().is_some() || !taken.insert(name) {
            return Err(key.to_string());
        }
        names.insert(key.to_string(), name.to_string());
    }
    Ok(names)
}

/// A name without `_`, `-` and blanks, in small letters.
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
