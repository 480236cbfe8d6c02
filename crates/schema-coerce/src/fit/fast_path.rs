//! The fast path: values that fit as they are, save for parts that are resolved by themselves.
//!
//! That is what most calls come to, and it needs no more than one walk. Schemas without references
//! and combinators are read here, and references alone are followed. Whether a value fits combinators
//! (`anyOf`, `oneOf`, `allOf`) as it is, walks tell that change nothing; conditions are left to the
//! engine. A scalar that spells the one asked for is read on the way. Any other part that does not
//! fit, or whose schema says more, is handed to the engine alone: nothing around it depends on it.
//! What cannot be resolved part by part is left to the engine whole; where the fast path has an
//! answer, the engine has the same one.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::slice;

use toolweir_rjson::{Number, ObjectIter, Value, pointer};

use super::Engine;
use super::arena::Item;
use super::check::{check_count, check_number, check_size, check_string};
use super::scalar::{Read, read_boolean, read_integer, read_number, spelled, word};
use crate::coerce::{Change, Loss, Policy, Rule};
use crate::rules::{ArrayRules, ObjectRules, Types};
use crate::schema::{ANY, Id, Inner, NEVER, Node, NodeData};

/// Steps that the engine takes at most for one value that is no more than read on the fast path.
const STEPS: usize = 4;
/// The same where parts of the values around it change in any way.
const STEPS_AROUND: usize = 16;

/// Walks for combinators that may be inside one another; more is left to the engine.
const NESTED: usize = 16;
/// Values that such walks may see, before others are seen and for each of those.
const TRIES: usize = 1 << 18;
const TRIES_EACH: usize = 16;

/// Makes the value fit, if the fast path can: what was changed. Else the value is as it was.
pub(super) fn fit(node: Node<'_>, value: &mut Value, policy: &Policy) -> Option<Vec<Change>> {
    let mut walk = Walk::new(node, policy, true);
    walk.walk(node.id, value)?;
    let Walk { changes, edits, .. } = walk;
    for Edit { first, length, value: made } in edits {
        *at(value, changes.get(first)?.path.get(..length)?)? = made;
    }
    Some(changes)
}

/// Whether the fast path finds that the value fits as it is. No is no verdict.
pub(super) fn accepts(node: Node<'_>, value: &Value, policy: &Policy) -> bool {
    Walk::new(node, policy, false).walk(node.id, value).is_some()
}

/// The value at the end of a path, all of which there is.
fn at<'v>(root: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    path.split('/').skip(1).try_fold(root, |value, token| match value {
        Value::Object(object) => object.get_mut(&pointer::unescape(token)),
        value => value.as_array_mut()?.get_mut(token.parse::<usize>().ok()?),
    })
}

/// A part that becomes another value. Its path is the beginning of that of its first change.
struct Edit {
    first: usize,
    length: usize,
    value: Value,
}

/// A container that is being walked.
struct Level<'a, 'v> {
    node: Id,
    value: &'v Value,
    children: Children<'v>,
    /// What is said about it; nothing within what nothing is said about.
    data: Option<&'a NodeData>,
    /// The key of the child that is being walked, or its place.
    key: Option<&'v str>,
    place: usize,
    /// How many changes and edits there were before it.
    before: (usize, usize),
}

enum Children<'v> {
    Members(ObjectIter<'v>),
    Entries(slice::Iter<'v, Value>),
}

/// What a value is by its schema.
enum Verdict<'v> {
    Fits,
    Reads(Read<'v>),
    Enter(Children<'v>),
    /// That is for the engine to say.
    Unclear,
}

/// What comes next in a container.
enum Next<'v> {
    Child(Id, &'v Value),
    End,
    /// A member that only the engine understands.
    Unclear,
}

struct Walk<'a> {
    inner: &'a Inner,
    policy: &'a Policy,
    /// Whether what does not fit is changed.
    coerces: bool,
    changes: Vec<Change>,
    edits: Vec<Edit>,
    /// Values seen.
    seen: usize,
    /// Those seen by walks for combinators, and how many such walks are around this one.
    tried: usize,
    nested: usize,
    /// Steps taken by the engine for parts.
    spent: usize,
    /// More was done than reading texts that are a number or boolean exactly.
    more: bool,
    /// A part changed of what might have become something else as a whole.
    choice: bool,
}

impl<'a> Walk<'a> {
    fn new(node: Node<'a>, policy: &'a Policy, coerces: bool) -> Self {
        Self {
            inner: node.inner,
            policy,
            coerces,
            changes: Vec::new(),
            edits: Vec::new(),
            seen: 0,
            tried: 0,
            nested: 0,
            spent: 0,
            more: false,
            choice: false,
        }
    }

    /// Walks the value; none when the fast path has no answer.
    fn walk(&mut self, node: Id, root: &Value) -> Option<()> {
        let mut levels: Vec<Level<'a, '_>> = Vec::new();
        let (mut node, mut value) = (node, root);
        loop {
            let mut data = self.inner.get(node);
            if let Some(target) = data.target {
                (node, data) = (target, self.inner.get(target));
            }
            let data = (node != ANY).then_some(data);
            self.count()?;
            match self.verdict(node, data, value) {
                Verdict::Fits => {}
                Verdict::Reads(_) | Verdict::Unclear if !self.coerces => return None,
                Verdict::Reads(read) => self.read(read, &levels)?,
                Verdict::Unclear => self.ask(node, value, &levels)?,
                Verdict::Enter(_) if levels.len() >= self.policy.max_depth => return None,
                Verdict::Enter(children) => {
                    let before = (self.changes.len(), self.edits.len());
                    levels.push(Level { node, value, children, data, key: None, place: 0, before });
                }
            }
            loop {
                let Some(level) = levels.last_mut() else { return self.resolved() };
                match level.next() {
                    Next::Child(id, child) => {
                        (node, value) = (id, child);
                        break;
                    }
                    Next::End => {
                        levels.pop();
                    }
                    Next::Unclear if !self.coerces => return None,
                    Next::Unclear => {
                        let level = levels.pop()?;
                        self.changes.truncate(level.before.0);
                        self.edits.truncate(level.before.1);
                        self.ask(level.node, level.value, &levels)?;
                    }
                }
            }
        }
    }

    /// Counts a value; none when the engine might not come to the end of it.
    fn count(&mut self) -> Option<()> {
        self.seen = self.seen.saturating_add(1);
        (self.seen.saturating_mul(STEPS) <= self.policy.max_steps).then_some(())
    }

    /// Whether all the parts make an answer.
    fn resolved(&self) -> Option<()> {
        let steps = self.seen.saturating_mul(STEPS_AROUND).saturating_add(self.spent);
        let sure = !self.more || !self.choice && steps <= self.policy.max_steps;
        sure.then_some(())
    }

    fn verdict<'v>(
        &mut self,
        node: Id,
        data: Option<&'a NodeData>,
        value: &'v Value,
    ) -> Verdict<'v> {
        let Some(data) = data else { return Verdict::entered(value) };
        if node == NEVER || !data.maybe.is_empty() {
            return Verdict::Unclear;
        }
        if data.nullable && value.is_null() {
            return Verdict::Fits;
        }
        if !data.stands_alone() {
            if self.coerces {
                // Changed in part it might no longer fit all of them.
                return if self.fits_as_is(node, value) { Verdict::Fits } else { Verdict::Unclear };
            }
            if !self.fits_beside(data, value) {
                return Verdict::Unclear;
            }
        }
        if let Some(types) = &data.types
            && !types.iter().any(|types| types.meets(Types::of(value)))
        {
            return self.reading(data, types, value);
        }
        if let Some(literals) = &data.literals {
            let text = value.as_str();
            if text.is_none() || !literals.iter().any(|literal| literal.as_str() == text) {
                return Verdict::Unclear;
            }
        }
        let fits = match value {
            Value::Array(list) => takes_list(&data.rules().array, list.len()),
            Value::Object(object) => {
                let has = |key: &str| object.contains_key(key);
                takes_object(&data.rules().object, object.len(), has)
            }
            Value::Number(number) => check_number(&data.rules().number, number.as_str()).is_none(),
            Value::String(text) => check_string(&data.rules().string, text).is_none(),
            Value::Null | Value::Bool(_) => true,
        };
        if fits { Verdict::entered(value) } else { Verdict::Unclear }
    }

    /// Whether the fast path finds that the value fits a schema as it is.
    fn fits_as_is(&mut self, node: Id, value: &Value) -> bool {
        let most = self.seen.saturating_mul(TRIES_EACH).saturating_add(TRIES);
        if self.nested >= NESTED || self.tried >= most {
            return false;
        }
        let mut walk = Walk::new(Node { inner: self.inner, id: node }, self.policy, false);
        (walk.nested, walk.tried) = (self.nested + 1, self.tried);
        let fits = walk.walk(node, value).is_some();
        self.tried = walk.tried.saturating_add(walk.seen);
        fits
    }

    /// Whether a value fits the schemas that a schema names beside its own keywords.
    fn fits_beside(&mut self, data: &NodeData, value: &Value) -> bool {
        let of = Types::of(value);
        let inner = self.inner;
        // Of another type, whatever else is said.
        let differs = |id: &Id| {
            let data = inner.get(inner.get(*id).target.unwrap_or(*id));
            let types = data.types.as_ref();
            !data.nullable && types.is_some_and(|types| !types.iter().any(|one| one.meets(of)))
        };
        let all = data.all.iter().all(|id| self.fits_as_is(*id, value));
        all && data.any.iter().enumerate().all(|(index, group)| {
            let mut left = group.iter().copied().filter(|id| !differs(id));
            // Whether a second one takes the value too, only the engine can say.
            if data.one == Some(index) {
                let first = left.next().filter(|_| left.next().is_none());
                return first.is_some_and(|id| self.fits_as_is(id, value));
            }
            left.any(|id| self.fits_as_is(id, value))
        })
    }

    /// A scalar where its schema takes one other type.
    fn reading<'v>(&self, data: &NodeData, types: &[Types], value: &'v Value) -> Verdict<'v> {
        let digits = self.inner.max_number_digits;
        let read = match (types, value) {
            _ if data.literals.is_some() => None,
            ([Types::INTEGER], Value::String(text)) => read_integer(text, digits),
            ([Types::NUMBER], Value::String(text)) => read_number(text, digits),
            ([Types::BOOLEAN], Value::String(text)) => read_boolean(text),
            ([Types::STRING], Value::Number(number)) => spelled(number.as_str()),
            ([Types::STRING], Value::Bool(value)) => spelled(word(*value)),
            _ => None,
        };
        let fits = |read: &Read<'_>| match &read.item {
            Item::Number(text) => check_number(&data.rules().number, text).is_none(),
            Item::String(text) => check_string(&data.rules().string, text).is_none(),
            _ => true,
        };
        let read = read.filter(|read| read.loss <= self.policy.allow && fits(read));
        read.map_or(Verdict::Unclear, Verdict::Reads)
    }

    /// Takes what a scalar was read as.
    fn read(&mut self, read: Read<'_>, levels: &[Level<'_, '_>]) -> Option<()> {
        let value = match read.item {
            Item::Number(text) => Value::Number(Number::from_text(&text).ok()?),
            Item::String(text) => Value::String(text.into_owned()),
            Item::Bool(value) => Value::Bool(value),
            _ => return None,
        };
        let (path, rule, loss) = (path(levels), read.rule, read.loss);
        self.more |= loss != Loss::None || rule == Rule::Text;
        self.edit(levels, path.len(), value);
        self.changes.push(Change { path, rule, loss });
        Some(())
    }

    /// Has the engine resolve a part; none where that fails.
    fn ask(&mut self, node: Id, value: &Value, levels: &[Level<'_, '_>]) -> Option<()> {
        // The whole is left to whoever has to tell why it does not fit.
        if levels.is_empty() {
            return None;
        }
        let depth = self.policy.max_depth.saturating_sub(levels.len());
        let mut engine = Engine::new(self.inner, self.policy, self.policy.allow);
        let fit = engine.fit_within(node, value, depth).ok()?;
        self.spent = self.spent.saturating_add(engine.spent_steps());
        self.more = true;
        let changes = engine.changes(fit);
        if changes.is_empty() {
            return Some(());
        }
        let base = path(levels);
        self.edit(levels, base.len(), engine.made(fit));
        self.changes.extend(changes.into_iter().map(|mut change| {
            change.path.insert_str(0, &base);
            change
        }));
        Some(())
    }

    /// Notes what becomes of the part at a path of so many bytes. Its changes come next.
    fn edit(&mut self, levels: &[Level<'_, '_>], length: usize, value: Value) {
        self.choice |= levels.iter().any(Level::has_choice);
        self.edits.push(Edit { first: self.changes.len(), length, value });
    }
}

impl<'v> Verdict<'v> {
    /// What is to be done with a value about which nothing is left to say but for its parts.
    fn entered(value: &'v Value) -> Self {
        match value {
            Value::Array(list) => Self::Enter(Children::Entries(list.iter())),
            Value::Object(object) => Self::Enter(Children::Members(object.iter())),
            _ => Self::Fits,
        }
    }
}

impl<'v> Level<'_, 'v> {
    /// The next child and its schema.
    fn next(&mut self) -> Next<'v> {
        match &mut self.children {
            Children::Members(members) => {
                let Some((key, value)) = members.next() else { return Next::End };
                self.key = Some(key);
                let node = self.data.map_or(Some(ANY), |data| member(&data.rules().object, key));
                node.map_or(Next::Unclear, |node| Next::Child(node, value))
            }
            Children::Entries(entries) => {
                let Some(value) = entries.next() else { return Next::End };
                let node = self.data.and_then(|data| data.rules().array.at(self.place));
                self.place = self.place.saturating_add(1);
                Next::Child(node.unwrap_or(ANY), value)
            }
        }
    }

    /// Whether a value that does not fit might become one of another type.
    fn has_choice(&self) -> bool {
        let types = self.data.and_then(|data| data.types.as_ref());
        types.is_some_and(|types| types.len() > 1)
    }
}

/// The path of the value that is being walked.
fn path(levels: &[Level<'_, '_>]) -> String {
    let length = levels.iter().map(|level| level.key.map_or(4, str::len).saturating_add(1)).sum();
    let mut path = String::with_capacity(length);
    for level in levels {
        match level.key {
            Some(key) => pointer::push(&mut path, key),
            None => pointer::push(&mut path, &level.place.saturating_sub(1).to_string()),
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

#[cfg(test)]
mod tests;
