//! The place of a key in an object, with a value or without.

use alloc::string::String;
use core::mem;

use super::{Object, Value};

/// The place of a key in an [`Object`]; see [`Object::entry`].
///
/// Complete: a place has a value or it has none.
#[derive(Debug)]
pub enum Entry<'a> {
    /// The key has a value.
    Occupied(OccupiedEntry<'a>),
    /// It has none.
    Vacant(VacantEntry<'a>),
}

/// A member that is there.
#[derive(Debug)]
pub struct OccupiedEntry<'a> {
    object: &'a mut Object,
    /// Of a member that exists, for as long as the object is borrowed.
    position: usize,
}

/// A member that is not there yet.
#[derive(Debug)]
pub struct VacantEntry<'a> {
    object: &'a mut Object,
    key: String,
}

impl<'a> Entry<'a> {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Occupied(entry) => entry.key(),
            Self::Vacant(entry) => entry.key(),
        }
    }

    /// The value, made from `value` if there was none.
    pub fn or_insert(self, value: impl Into<Value>) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    /// The value, made by `make` if there was none.
    pub fn or_insert_with<V: Into<Value>>(self, make: impl FnOnce() -> V) -> &'a mut Value {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut Value)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

impl<'a> OccupiedEntry<'a> {
    pub(super) fn new(object: &'a mut Object, position: usize) -> Self {
        Self { object, position }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        self.object.entry_at(self.position).map_or("", |(key, _)| key)
    }

    /// The value.
    #[must_use]
    pub fn get(&self) -> &Value {
        static NULL: Value = Value::Null;
        self.object.entry_at(self.position).map_or(&NULL, |(_, value)| value)
    }

    /// The value, to change.
    pub fn get_mut(&mut self) -> &mut Value {
        self.object.value_of_entry(self.position)
    }

    /// The value, to change for as long as the object is borrowed.
    #[must_use]
    pub fn into_mut(self) -> &'a mut Value {
        self.object.value_of_entry(self.position)
    }

    /// Sets the value and gives the old one.
    pub fn insert(&mut self, value: impl Into<Value>) -> Value {
        mem::replace(self.get_mut(), value.into())
    }

    /// Takes the member out, as [`Object::remove`] does.
    #[must_use]
    pub fn remove(self) -> Value {
        self.object.remove_at(self.position)
    }
}

impl<'a> VacantEntry<'a> {
    pub(super) fn new(object: &'a mut Object, key: String) -> Self {
        Self { object, key }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Adds the member as the last one.
    pub fn insert(self, value: impl Into<Value>) -> &'a mut Value {
        self.object.push_new(&self.key, value.into());
        self.object.value_of_entry(self.object.len().saturating_sub(1))
    }
}
