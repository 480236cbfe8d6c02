//! Dropping, cloning and comparing values with a work list on the heap instead of recursion.

use alloc::string::ToString;
use alloc::vec::{self, Vec};
use core::hash::{Hash, Hasher};
use core::{mem, slice};

use super::{Array, Object, ObjectIter, Value};

/// Takes out what is deep, and drops it such that no drop nests deeper than two containers.
pub(super) fn dismantle<'a>(values: impl Iterator<Item = &'a mut Value>) {
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
pub(super) fn is_deep(value: &Value) -> bool {
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

    pub(crate) fn next(&mut self) -> Option<(Option<&'a str>, &'a Value)> {
        match self {
            Self::Entries(values) => values.next().map(|value| (None, value)),
            Self::Members(members) => members.next().map(|(key, value)| (Some(key), value)),
            Self::Sorted(members) => members.next().map(|(key, value)| (Some(key), value)),
        }
    }
}

/// A container that is being cloned.
enum Copying<'a> {
    Array(slice::Iter<'a, Value>, Array),
    Object(ObjectIter<'a>, Object, Option<&'a str>),
}

impl Copying<'_> {
    fn add(&mut self, value: Value) {
        match self {
            Self::Array(_, copy) => copy.push(value),
            Self::Object(_, copy, key) => {
                copy.push_new(key.take().unwrap_or_default(), value);
            }
        }
    }
}

pub(super) fn clone_array(array: &Array) -> Array {
    match clone_from(Copying::Array(array.iter(), Array::new())) {
        Value::Array(copy) => copy,
        _ => Array::new(),
    }
}

pub(super) fn clone_object(object: &Object) -> Object {
    match clone_from(Copying::Object(object.iter(), Object::new(), None)) {
        Value::Object(copy) => copy,
        _ => Object::new(),
    }
}

fn clone_from(root: Copying<'_>) -> Value {
    let (mut open, mut outer) = (root, Vec::new());
    loop {
        let next = match &mut open {
            Copying::Array(values, _) => values.next(),
            Copying::Object(members, _, open_key) => members.next().map(|(key, value)| {
                *open_key = Some(key);
                value
            }),
        };
        let copy = match next {
            Some(Value::Array(array)) => {
                let inner = Copying::Array(array.iter(), Array::new());
                outer.push(mem::replace(&mut open, inner));
                continue;
            }
            Some(Value::Object(object)) => {
                let inner = Copying::Object(object.iter(), Object::new(), None);
                outer.push(mem::replace(&mut open, inner));
                continue;
            }
            Some(Value::Null) => Value::Null,
            Some(Value::Bool(value)) => Value::Bool(*value),
            Some(Value::Number(number)) => Value::Number(number.clone()),
            Some(Value::String(text)) => Value::String(text.to_string()),
            None => {
                let copy = match open {
                    Copying::Array(_, copy) => Value::Array(copy),
                    Copying::Object(_, copy, _) => Value::Object(copy),
                };
                let Some(parent) = outer.pop() else { return copy };
                open = parent;
                copy
            }
        };
        open.add(copy);
    }
}

pub(super) fn equal_arrays(left: &Array, right: &Array) -> bool {
    let mut work = Vec::new();
    same_items(left, right, &mut work) && all_equal(work)
}

pub(super) fn equal_objects(left: &Object, right: &Object) -> bool {
    let mut work = Vec::new();
    same_members(left, right, &mut work) && all_equal(work)
}

fn all_equal<'a>(mut work: Vec<(&'a Value, &'a Value)>) -> bool {
    while let Some(pair) = work.pop() {
        let equal = match pair {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Number(left), Value::Number(right)) => left == right,
            (Value::String(left), Value::String(right)) => left == right,
            (Value::Array(left), Value::Array(right)) => same_items(left, right, &mut work),
            (Value::Object(left), Value::Object(right)) => same_members(left, right, &mut work),
            _ => false,
        };
        if !equal {
            return false;
        }
    }
    true
}

fn same_items<'a>(
    left: &'a Array,
    right: &'a Array,
    work: &mut Vec<(&'a Value, &'a Value)>,
) -> bool {
    work.extend(left.iter().zip(right));
    left.len() == right.len()
}

fn same_members<'a>(
    left: &'a Object,
    right: &'a Object,
    work: &mut Vec<(&'a Value, &'a Value)>,
) -> bool {
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

pub(super) fn hash_array<H: Hasher>(array: &Array, state: &mut H) {
    state.write_usize(array.len());
    hash_all(Children::of_array(array), state);
}

/// Members are sorted, as their order does not count.
pub(super) fn hash_object<H: Hasher>(object: &Object, state: &mut H) {
    state.write_usize(object.len());
    hash_all(Children::of_object(object, true), state);
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
