//! Dropping, cloning and comparing values with a work list on the heap instead of recursion.

use alloc::vec::{self, Vec};
use core::hash::{Hash, Hasher};
use core::{mem, slice};

use super::{Array, Object, ObjectIter, Value};

impl Drop for Array {
    fn drop(&mut self) {
        if self.iter().any(is_deep) {
            dismantle(self.iter_mut());
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.values().any(is_deep) {
            dismantle(self.values_mut());
        }
    }
}

/// Takes out what is deep, and drops it such that no drop nests deeper than two containers.
fn dismantle<'a>(values: impl Iterator<Item = &'a mut Value>) {
    let mut work = Vec::new();
    take_deep(values, &mut work);
    while let Some(value) = work.pop() {
        // What is left of a container holds nothing deep, and need not be asked for it.
        match value {
            Value::Array(array) => take_deep(array.into_vec().iter_mut(), &mut work),
            Value::Object(object) => {
                let mut entries = object.into_members();
                take_deep(entries.iter_mut().map(|(_, value)| value), &mut work);
            }
            _ => {}
        }
    }
}

/// The others stay where they are.
fn take_deep<'a>(values: impl Iterator<Item = &'a mut Value>, work: &mut Vec<Value>) {
    for value in values {
        if is_deep(value) {
            work.push(mem::take(value));
        }
    }
}

/// Whether a value holds containers that hold something.
fn is_deep(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.iter().any(has_children),
        Value::Object(object) => object.values().any(has_children),
        _ => false,
    }
}

fn has_children(value: &Value) -> bool {
    match value {
        Value::Array(array) => !array.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => false,
    }
}

/// What is left of a container that is walked, with the keys of members.
pub(crate) enum Children<'a> {
    Entries(slice::Iter<'a, Value>),
    Members(ObjectIter<'a>),
    Sorted(vec::IntoIter<(&'a str, &'a Value)>),
}

impl<'a> Children<'a> {
    pub(crate) fn of_array(array: &'a Array) -> Self {
        Self::Entries(array.iter())
    }

    pub(crate) fn of_object(object: &'a Object, sorted: bool) -> Self {
        if !sorted {
            return Self::Members(object.iter());
        }
        let mut members: Vec<_> = object.iter().collect();
        members.sort_unstable_by_key(|&(key, _)| key);
        Self::Sorted(members.into_iter())
    }

    pub(crate) const fn brackets(&self) -> (char, char) {
        match self {
            Self::Entries(_) => ('[', ']'),
            Self::Members(_) | Self::Sorted(_) => ('{', '}'),
        }
    }

    pub(crate) fn next(&mut self) -> Option<(Option<&'a str>, &'a Value)> {
        match self {
            Self::Entries(values) => values.next().map(|value| (None, value)),
            Self::Members(members) => members.next().map(|(key, value)| (Some(key), value)),
            Self::Sorted(members) => members.next().map(|(key, value)| (Some(key), value)),
        }
    }
}

impl Clone for Array {
    fn clone(&self) -> Self {
        let mut copy = self.with_nulls();
        copy_all(self.iter().zip(copy.iter_mut()).collect());
        copy
    }
}

impl Clone for Object {
    fn clone(&self) -> Self {
        let mut copy = self.with_nulls();
        copy_all(self.values().zip(copy.values_mut()).collect());
        copy
    }
}

/// Copies values to their places.
fn copy_all<'v>(mut work: Vec<(&'v Value, &'v mut Value)>) {
    while let Some((value, place)) = work.pop() {
        match value {
            Value::Array(array) => {
                *place = Value::Array(array.with_nulls());
                work.extend(array.iter().zip(place.as_array_mut().into_iter().flatten()));
            }
            Value::Object(object) => {
                *place = Value::Object(object.with_nulls());
                let places = place.as_object_mut().into_iter().flat_map(Object::values_mut);
                work.extend(object.values().zip(places));
            }
            // No container, whose own copy would come back here.
            scalar => *place = scalar.clone(),
        }
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        let mut work = Vec::new();
        same_items(self, other, &mut work) && all_equal(work)
    }
}

impl Eq for Array {}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let mut work = Vec::new();
        same_members(self, other, &mut work) && all_equal(work)
    }
}

impl Eq for Object {}

/// Values that are to be equal.
type Pairs<'a> = Vec<(&'a Value, &'a Value)>;

fn all_equal<'a>(mut work: Pairs<'a>) -> bool {
    while let Some(pair) = work.pop() {
        let equal = match pair {
            (Value::Array(left), Value::Array(right)) => same_items(left, right, &mut work),
            (Value::Object(left), Value::Object(right)) => same_members(left, right, &mut work),
            // No two containers of a kind, whose own comparison would come back here.
            (left, right) => left == right,
        };
        if !equal {
            return false;
        }
    }
    true
}

fn same_items<'a>(left: &'a Array, right: &'a Array, work: &mut Pairs<'a>) -> bool {
    work.extend(left.iter().zip(right));
    left.len() == right.len()
}

fn same_members<'a>(left: &'a Object, right: &'a Object, work: &mut Pairs<'a>) -> bool {
    left.len() == right.len()
        && left.iter().enumerate().all(|(position, (key, value))| {
            // Mostly both have the same order.
            let other = match right.entry_at(position) {
                Some((same, other)) if same == key => Some(other),
                _ => right.get(key),
            };
            other.map(|other| work.push((value, other))).is_some()
        })
}

impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        hash_all(Children::of_array(self), state);
    }
}

/// Members are sorted, as their order does not count.
impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        hash_all(Children::of_object(self, true), state);
    }
}

fn hash_all<H: Hasher>(open: Children<'_>, state: &mut H) {
    let mut work = Vec::from([open]);
    while let Some(open) = work.last_mut() {
        let Some((key, value)) = open.next() else {
            work.pop();
            continue;
        };
        if let Some(key) = key {
            key.hash(state);
        }
        mem::discriminant(value).hash(state);
        match value {
            Value::Null => {}
            Value::Bool(value) => value.hash(state),
            Value::Number(number) => number.hash(state),
            Value::String(text) => text.hash(state),
            Value::Array(array) => {
                state.write_usize(array.len());
                work.push(Children::of_array(array));
            }
            Value::Object(object) => {
                state.write_usize(object.len());
                work.push(Children::of_object(object, true));
            }
        }
    }
}
