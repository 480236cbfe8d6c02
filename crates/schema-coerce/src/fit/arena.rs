//! The values a coercion meets, in one flat list.
//!
//! Containers name their children by index, so that parts of the input are shared with every result
//! that keeps them, nothing is copied to be tried, and nothing recurses when it is dropped. Items
//! made on the way are interned: making the same item twice gives the same index, and a rule that is
//! run again finds what it made before.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use litemap::LiteMap;
use toolweir_rjson::{Array, Decimal, Number, Object, Value};

use crate::schema::by_name;

/// Index of an item.
pub(crate) type ItemId = u32;

/// One value; children by index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item<'v> {
    Null,
    Bool(bool),
    /// The number's text.
    Number(Cow<'v, str>),
    String(Cow<'v, str>),
    Array(Vec<ItemId>),
    /// Members in order, each key once.
    Object(Vec<(Cow<'v, str>, ItemId)>),
}

impl Item<'_> {
    /// Whether it is neither array nor object.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self, Self::Array(_) | Self::Object(_))
    }
}

/// A value nested deeper than allowed.
#[derive(Debug)]
pub(crate) struct TooDeep;

/// The places of members in the order of their keys.
fn by_key(members: &[(Cow<'_, str>, ItemId)]) -> Vec<u32> {
    by_name(members.iter().map(|(key, _)| key.as_ref()).zip(0..).collect())
}

#[derive(Debug, Default)]
pub(crate) struct Arena<'v> {
    items: Vec<Item<'v>>,
    made: BTreeMap<Item<'v>, ItemId>,
    /// Positions of members sorted by key, for objects with many.
    sorted: LiteMap<ItemId, Vec<u32>>,
}

/// Members that are searched for one by one.
const FEW: usize = 16;

impl<'v> Arena<'v> {
    pub(crate) fn get(&self, id: ItemId) -> &Item<'v> {
        self.items.get(id as usize).unwrap_or(&Item::Null)
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    fn push(&mut self, item: Item<'v>) -> ItemId {
        let id = ItemId::try_from(self.items.len()).unwrap_or(ItemId::MAX);
        if let Item::Object(members) = &item
            && members.len() > FEW
        {
            self.sorted.insert(id, by_key(members));
        }
        self.items.push(item);
        id
    }

    /// The index of an item made by a rule.
    pub(crate) fn make(&mut self, item: Item<'v>) -> ItemId {
        if let Some(id) = self.made.get(&item) {
            return *id;
        }
        let id = self.push(item.clone());
        self.made.insert(item, id);
        id
    }

    /// The member `key` of an object.
    pub(crate) fn member(&self, id: ItemId, key: &str) -> Option<ItemId> {
        let Item::Object(members) = self.get(id) else { return None };
        let Some(order) = self.sorted.get(&id) else {
            return members.iter().find(|(name, _)| name == key).map(|(_, value)| *value);
        };
        let name = |at: u32| members.get(at as usize).map_or("", |(name, _)| name.as_ref());
        let place = order.binary_search_by(|at| name(*at).cmp(key)).ok()?;
        members.get(*order.get(place)? as usize).map(|(_, value)| *value)
    }

    /// Takes a value in, its texts borrowed.
    pub(crate) fn borrow(&mut self, value: &'v Value, max_depth: usize) -> Result<ItemId, TooDeep> {
        self.import(value, max_depth, Cow::Borrowed)
    }

    /// Takes a value in, its texts copied.
    pub(crate) fn copy(&mut self, value: &Value, max_depth: usize) -> Result<ItemId, TooDeep> {
        self.import(value, max_depth, |text| Cow::Owned(text.to_string()))
    }

    fn import<'x>(
        &mut self,
        root: &'x Value,
        max_depth: usize,
        text: impl Fn(&'x str) -> Cow<'v, str>,
    ) -> Result<ItemId, TooDeep> {
        enum Step<'x> {
            Visit(&'x Value, usize),
            Close(&'x Value),
        }
        let mut steps = vec![Step::Visit(root, 0)];
        let mut done: Vec<ItemId> = Vec::new();
        while let Some(step) = steps.pop() {
            let item = match step {
                Step::Visit(Value::Null, _) => Item::Null,
                Step::Visit(Value::Bool(value), _) => Item::Bool(*value),
                Step::Visit(Value::Number(number), _) => Item::Number(text(number.as_str())),
                Step::Visit(Value::String(string), _) => Item::String(text(string)),
                Step::Visit(value, depth) => {
                    let depth = depth.saturating_add(1);
                    if depth > max_depth {
                        return Err(TooDeep);
                    }
                    steps.push(Step::Close(value));
                    match value {
                        Value::Array(list) => {
                            steps.extend(list.iter().rev().map(|v| Step::Visit(v, depth)));
                        }
                        Value::Object(object) => {
                            steps.extend(object.iter().rev().map(|(_, v)| Step::Visit(v, depth)));
                        }
                        _ => {}
                    }
                    continue;
                }
                Step::Close(Value::Object(object)) => {
                    let children = done.split_off(done.len().saturating_sub(object.len()));
                    Item::Object(object.keys().map(&text).zip(children).collect())
                }
                Step::Close(Value::Array(list)) => {
                    Item::Array(done.split_off(done.len().saturating_sub(list.len())))
                }
                Step::Close(_) => Item::Null,
            };
            done.push(self.push(item));
        }
        done.pop().ok_or(TooDeep)
    }

    /// The value of an item.
    pub(crate) fn export(&self, root: ItemId) -> Value {
        let mut steps = vec![(root, false)];
        let mut done: Vec<Value> = Vec::new();
        while let Some((id, close)) = steps.pop() {
            let value = match self.get(id) {
                Item::Null => Value::Null,
                Item::Bool(value) => Value::Bool(*value),
                // Every text kept here is that of a JSON number.
                Item::Number(text) => Number::from_text(text).map_or(Value::Null, Value::Number),
                Item::String(text) => Value::String(text.to_string()),
                Item::Array(list) if close => {
                    let from = done.len().saturating_sub(list.len());
                    Value::Array(Array::from(done.split_off(from)))
                }
                Item::Object(members) if close => {
                    let from = done.len().saturating_sub(members.len());
                    let keys = members.iter().map(|(key, _)| key.to_string());
                    Value::Object(keys.zip(done.split_off(from)).collect::<Object>())
                }
                Item::Array(list) => {
                    steps.push((id, true));
                    steps.extend(list.iter().rev().map(|id| (*id, false)));
                    continue;
                }
                Item::Object(members) => {
                    steps.push((id, true));
                    steps.extend(members.iter().rev().map(|(_, id)| (*id, false)));
                    continue;
                }
            };
            done.push(value);
        }
        done.pop().unwrap_or_default()
    }

    /// Whether an item and a value are equal as JSON: numbers by value, members in any order.
    pub(crate) fn equals(&self, id: ItemId, value: &Value) -> bool {
        let mut pairs = vec![(id, value)];
        while let Some((id, value)) = pairs.pop() {
            let same = match (self.get(id), value) {
                (Item::Null, Value::Null) => true,
                (Item::Bool(a), Value::Bool(b)) => a == b,
                (Item::Number(a), Value::Number(b)) => Decimal::new(a) == Decimal::new(b.as_str()),
                (Item::String(a), Value::String(b)) => a == b,
                (Item::Array(a), Value::Array(b)) => {
                    pairs.extend(a.iter().copied().zip(b));
                    a.len() == b.len()
                }
                (Item::Object(a), Value::Object(b)) => {
                    a.len() == b.len()
                        && a.iter().all(|(key, id)| {
                            b.get(key).map(|value| pairs.push((*id, value))).is_some()
                        })
                }
                _ => false,
            };
            if !same {
                return false;
            }
        }
        true
    }

    /// A text that is the same for items equal as JSON, and only for those.
    pub(crate) fn canonical(&self, root: ItemId) -> String {
        enum Step<'a> {
            Item(ItemId),
            Text(&'a str),
            Key(&'a str),
        }
        let mut out = String::new();
        let mut steps = vec![Step::Item(root)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(text) => out.push_str(text),
                Step::Key(key) => {
                    toolweir_rjson::write_string(&mut out, key);
                    out.push(':');
                }
                Step::Item(id) => match self.get(id) {
                    Item::Null => out.push_str("null"),
                    Item::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
                    Item::Number(text) => out.push_str(&Decimal::new(text).to_string()),
                    Item::String(text) => toolweir_rjson::write_string(&mut out, text),
                    Item::Array(list) => {
                        out.push('[');
                        steps.push(Step::Text("]"));
                        for id in list.iter().rev() {
                            steps.push(Step::Text(","));
                            steps.push(Step::Item(*id));
                        }
                    }
                    Item::Object(members) => {
                        out.push('{');
                        steps.push(Step::Text("}"));
                        let order = by_key(members);
                        let sorted = order.iter().rev().filter_map(|at| members.get(*at as usize));
                        for (key, id) in sorted {
                            steps.push(Step::Text(","));
                            steps.push(Step::Item(*id));
                            steps.push(Step::Key(key));
                        }
                    }
                },
            }
        }
        out
    }
}
