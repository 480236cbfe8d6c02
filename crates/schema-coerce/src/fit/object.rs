//! Objects from what is none.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::arena::{Item, ItemId};
use super::{Engine, Fit, Outcome, text};
use crate::coerce::{CoerceErrorKind as Kind, Loss, Rule};
use crate::schema::Id;
use crate::types::Types;

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
        let mut order: Vec<String> = Vec::new();
        let mut values: BTreeMap<String, Vec<ItemId>> = BTreeMap::new();
        for (key, text) in pairs {
            rules.property(&key)?;
            let text = self.arena.make(Item::String(Cow::Owned(text)));
            let list = values.entry(key.clone()).or_default();
            if list.is_empty() {
                order.push(key);
            }
            list.push(text);
        }
        let mut members = Vec::with_capacity(order.len());
        for key in order {
            let list = values.remove(&key)?;
            let property = rules.property(&key)?;
            let value = match list.as_slice() {
                [only] => *only,
                _ if self.inner.get(property).facts.allowed.meets(Types::ARRAY) => {
                    self.arena.make(Item::Array(list))
                }
                _ => return None,
            };
            members.push((Cow::Owned(key.to_string()), value));
        }
        Some(self.arena.make(Item::Object(members)))
    }
}
