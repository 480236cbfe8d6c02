//! The short way: values that fit as they are, save for texts that spell a number or a boolean.
//!
//! That is what most calls come to, and it needs no more than one walk. Only schemas that speak for
//! themselves are understood here, without references, combinators and conditions. Whatever else
//! there is, and everything that does not fit, is left to the engine; where this way has an answer,
//! the engine has the same one.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::slice;

use toolweir_rjson::{Number, ObjectIter, Value};

use super::arena::Item;
use super::check::{check_count, check_number, check_size, check_string};
use super::scalar::{Read, read_boolean, read_integer, read_number};
use crate::coerce::{Change, Loss, Policy, Rule};
use crate::compile::push_token;
use crate::rules::{ArrayRules, ObjectRules};
use crate::schema::{ANY, Id, Inner, NEVER, Node, NodeData};
use crate::types::Types;

/// Steps that the engine takes at most for one value on this way.
const STEPS: usize = 4;

/// Makes the value fit, if this way can: what was changed. Else the value is as it was.
pub(super) fn fit(node: Node<'_>, value: &mut Value, policy: &Policy) -> Option<Vec<Change>> {
    let texts = Walk { inner: node.inner, policy, seen: 0 }.texts(node.id, value)?;
    let mut changes = Vec::with_capacity(texts.len());
    for Text { path, value: read, rule } in texts {
        *at(value, &path)? = read;
        changes.push(Change { path, rule, loss: Loss::None });
    }
    Some(changes)
}

/// The value at the end of a path, all of which there is.
fn at<'v>(root: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    path.split('/').skip(1).try_fold(root, |value, token| match value {
        Value::Object(object) => object.get_mut(&unescaped(token)),
        value => value.as_array_mut()?.get_mut(token.parse::<usize>().ok()?),
    })
}

/// The key that a token of a path is made of.
fn unescaped(token: &str) -> Cow<'_, str> {
    match token.contains('~') {
        true => Cow::Owned(token.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(token),
    }
}

/// A text that is to become what it spells.
struct Text {
    path: String,
    value: Value,
    rule: Rule,
}

/// A container that is being walked.
struct Level<'a, 'v> {
    children: Children<'v>,
    /// What is said about it; nothing within what nothing is said about.
    data: Option<&'a NodeData>,
    /// The key of the child that is being walked, or its place.
    key: Option<&'v str>,
    place: usize,
}

enum Children<'v> {
    Members(ObjectIter<'v>),
    Entries(slice::Iter<'v, Value>),
}

/// What a value is by its schema.
enum Verdict<'a, 'v> {
    Fits,
    Text(Value, Rule),
    Enter(Level<'a, 'v>),
}

struct Walk<'a> {
    inner: &'a Inner,
    policy: &'a Policy,
    seen: usize,
}

impl<'a> Walk<'a> {
    /// The texts to change; none when this way has no answer.
    fn texts(&mut self, node: Id, root: &Value) -> Option<Vec<Text>> {
        let mut texts = Vec::new();
        let mut levels: Vec<Level<'a, '_>> = Vec::new();
        let (mut node, mut value) = (node, root);
        loop {
            match self.verdict(node, value)? {
                Verdict::Fits => {}
                Verdict::Text(value, rule) => {
                    texts.push(Text { path: path(&levels), value, rule });
                }
                Verdict::Enter(level) => {
                    if levels.len() >= self.policy.max_depth {
                        return None;
                    }
                    levels.push(level);
                }
            }
            loop {
                let Some(level) = levels.last_mut() else { return Some(texts) };
                if let Some(child) = level.next() {
                    (node, value) = child?;
                    break;
                }
                levels.pop();
            }
        }
    }

    fn verdict<'v>(&mut self, node: Id, value: &'v Value) -> Option<Verdict<'a, 'v>> {
        self.seen = self.seen.saturating_add(STEPS);
        if self.seen > self.policy.max_steps || node == NEVER {
            return None;
        }
        let data = (node != ANY).then(|| self.inner.get(node));
        if let Some(data) = data {
            if data.edges().next().is_some() || !data.maybe.is_empty() {
                return None;
            }
            if data.nullable && value.is_null() {
                return Some(Verdict::Fits);
            }
            if let Some(types) = &data.rules.types
                && !types.iter().any(|types| types.meets(Types::of(value)))
            {
                let text = value.as_str().filter(|_| data.literals.is_none())?;
                return self.read(data, types, text);
            }
            if let Some(literals) = &data.literals {
                let text = value.as_str()?;
                if !literals.iter().any(|literal| literal.as_str() == Some(text)) {
                    return None;
                }
            }
        }
        let children = match (value, data) {
            (Value::Array(list), data) => {
                data.is_none_or(|data| takes_list(&data.rules.array, list.len())).then_some(())?;
                Children::Entries(list.iter())
            }
            (Value::Object(object), data) => {
                let takes = |key: &str| object.contains_key(key);
                data.is_none_or(|data| takes_object(&data.rules.object, object.len(), takes))
                    .then_some(())?;
                Children::Members(object.iter())
            }
            (Value::Number(number), Some(data)) => {
                let broken = check_number(&data.rules.number, number.as_str());
                return broken.is_none().then_some(Verdict::Fits);
            }
            (Value::String(text), Some(data)) => {
                return check_string(&data.rules.string, text).is_none().then_some(Verdict::Fits);
            }
            _ => return Some(Verdict::Fits),
        };
        Some(Verdict::Enter(Level { children, data, key: None, place: 0 }))
    }

    /// A text where its schema takes one other type.
    fn read<'v>(&self, data: &NodeData, types: &[Types], text: &str) -> Option<Verdict<'a, 'v>> {
        let digits = self.inner.max_number_digits;
        let read = match *types {
            [Types::INTEGER] => read_integer(text, digits),
            [Types::NUMBER] => read_number(text, digits),
            [Types::BOOLEAN] => read_boolean(text),
            _ => None,
        };
        let Read { item, rule, loss: Loss::None } = read? else { return None };
        let value = match item {
            Item::Number(text) if check_number(&data.rules.number, &text).is_none() => {
                Value::Number(Number::from_text(&text).ok()?)
            }
            Item::Bool(value) => Value::Bool(value),
            _ => return None,
        };
        Some(Verdict::Text(value, rule))
    }
}

impl<'v> Level<'_, 'v> {
    /// The next child and its schema: none at the end, and none inside where this way ends.
    fn next(&mut self) -> Option<Option<(Id, &'v Value)>> {
        match &mut self.children {
            Children::Members(members) => {
                let (key, value) = members.next()?;
                self.key = Some(key);
                let node = self.data.map_or(Some(ANY), |data| member(&data.rules.object, key));
                Some(node.map(|node| (node, value)))
            }
            Children::Entries(entries) => {
                let value = entries.next()?;
                let node = self.data.and_then(|data| data.rules.array.at(self.place));
                self.place = self.place.saturating_add(1);
                Some(Some((node.unwrap_or(ANY), value)))
            }
        }
    }
}

/// The path of the value that is being walked.
fn path(levels: &[Level<'_, '_>]) -> String {
    let length = levels.iter().map(|level| level.key.map_or(4, str::len).saturating_add(1)).sum();
    let mut path = String::with_capacity(length);
    for level in levels {
        match level.key {
            Some(key) => push_token(&mut path, key),
            None => push_token(&mut path, &level.place.saturating_sub(1).to_string()),
        }
    }
    path
}

/// The one schema that holds for a member.
fn member(rules: &ObjectRules, key: &str) -> Option<Id> {
    let node = rules.property(key).or(rules.rest).unwrap_or(ANY);
    (node != NEVER).then_some(node)
}

fn takes_list(rules: &ArrayRules, length: usize) -> bool {
    rules.contains.is_none() && !rules.unique && check_count(rules, length).is_none()
}

fn takes_object(rules: &ObjectRules, length: usize, has: impl Fn(&str) -> bool) -> bool {
    rules.patterns.is_empty()
        && !rules.unknown_patterns
        && rules.names.is_none()
        && rules.needs.is_empty()
        && rules.brings.is_empty()
        && check_size(rules, length).is_none()
        && rules.required.iter().all(|key| has(key))
}
