//! Members in the order they were given, found by key.
//!
//! Up to 16 members a key is searched for in order, above that in a [`KeyIndex`].

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::{iter, mem, slice};

use super::Value;
use super::index::{Entry, OccupiedEntry, VacantEntry};
use super::keys::{KeyIndex, Keys, Text};

/// Members found without an index.
const SMALL: usize = 16;

/// The members of a JSON object, in order, each key once.
///
/// Two objects are equal when they have equal values for the same keys, in any order. Dropping,
/// cloning and comparing never recurse, however deep the values are.
///
/// ```
/// use toolweir_rjson::{Object, Value};
///
/// let mut object = Object::new();
/// object.insert("path", "a.txt");
/// object.insert("line", 3);
/// assert_eq!(object.insert("path", "b.txt"), Some(Value::from("a.txt")));
/// assert_eq!(object.keys().collect::<Vec<_>>(), ["path", "line"]);
/// assert_eq!(object.get("path").and_then(Value::as_str), Some("b.txt"));
/// ```
#[derive(Default)]
pub struct Object {
    entries: Vec<Member>,
    index: Option<Box<KeyIndex>>,
}

pub(super) type Member = (Text, Value);

impl Keys for [Member] {
    fn count(&self) -> usize {
        self.len()
    }

    fn key(&self, position: usize) -> &[u8] {
        self.get(position).map_or(&[], |(key, _)| key.as_bytes())
    }
}

impl Object {
    /// An empty object.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), index: None }
    }

    /// An empty object with room for so many members.
    #[must_use]
    pub fn with_capacity(members: usize) -> Self {
        Self { entries: Vec::with_capacity(members), index: None }
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(self.position(key)?).map(|(_, value)| value)
    }

    /// The value of a key, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let position = self.position(key)?;
        self.value_at_mut(position)
    }

    /// The key and value at a place, counted from 0.
    #[must_use]
    pub fn entry_at(&self, position: usize) -> Option<(&str, &Value)> {
        self.entries.get(position).map(|(key, value)| (key.as_str(), value))
    }

    /// The value at a position.
    #[inline]
    pub(crate) fn value_at_mut(&mut self, position: usize) -> Option<&mut Value> {
        self.entries.get_mut(position).map(|(_, value)| value)
    }

    /// The place of a key, counted from 0.
    #[must_use]
    pub fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.find(self.entries.as_slice(), key),
            None => self.entries.iter().position(|(known, _)| known.is(key)),
        }
    }

    /// Whether there is such a key.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets the value of a key: a new one comes last, a known one keeps its place and gives its old
    /// value back.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        if let Some(known) = self.get_mut(&key) {
            return Some(mem::replace(known, value));
        }
        self.push_new(&key, value);
        None
    }

    /// Makes room for so many members in an object without any.
    #[inline]
    pub(crate) fn make_room(&mut self, members: usize) {
        if self.entries.capacity() == 0 {
            // Without capacity there is nothing to free.
            let room = Vec::with_capacity(members);
            mem::forget(mem::replace(&mut self.entries, room));
        }
    }

    /// Adds a member whose key is known to be new.
    pub(crate) fn push_new(&mut self, key: &str, value: Value) {
        self.entries.push((Text::new(key), value));
        if self.entries.len() > SMALL {
            self.index_last();
        }
    }

    /// Adds a member, with `null` for now, whose key is known to be new.
    #[inline]
    pub(crate) fn push_name(&mut self, name: &str) {
        // Not `push`: this makes the member in its place.
        self.entries.extend(iter::once_with(|| (Text::new(name), Value::Null)));
        if self.entries.len() > SMALL {
            self.index_last();
        }
    }

    /// Brings the last of many members into the index.
    #[inline(never)]
    fn index_last(&mut self) {
        match &mut self.index {
            Some(index) => _ = index.add(self.entries.as_slice()),
            None => self.reindex(),
        }
    }

    /// Takes a member out; those after it move up. Takes time in proportion to all members.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let position = self.position(key)?;
        Some(self.remove_at(position))
    }

    /// Takes out a member that exists.
    pub(super) fn remove_at(&mut self, position: usize) -> Value {
        let (_, value) = self.entries.remove(position);
        self.reindex();
        value
    }

    /// The value at a position that exists.
    #[expect(clippy::indexing_slicing, reason = "an entry knows the position of its member")]
    pub(super) fn value_of_entry(&mut self, position: usize) -> &mut Value {
        &mut self.entries[position].1
    }

    /// The same keys, each with `null`.
    pub(super) fn with_nulls(&self) -> Self {
        let entries = self.entries.iter().map(|(key, _)| (key.clone(), Value::Null)).collect();
        Self { entries, index: self.index.clone() }
    }

    /// The members alone.
    #[inline]
    pub(super) fn into_members(mut self) -> Vec<Member> {
        mem::take(&mut self.entries)
    }

    pub(super) fn into_entries(self) -> IntoIter {
        IntoIter(self.into_members().into_iter())
    }

    fn reindex(&mut self) {
        let large = self.entries.len() > SMALL;
        self.index = large.then(|| Box::new(KeyIndex::new(self.entries.as_slice())));
    }

    /// The members in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.entries.iter())
    }

    /// The members in order, their values to change.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        IterMut(self.entries.iter_mut())
    }

    /// The keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    /// The values in order of their keys' places.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The same, to change.
    pub fn values_mut(
        &mut self,
    ) -> impl ExactSizeIterator<Item = &mut Value> + DoubleEndedIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The keys in order; the values go.
    pub fn into_keys(self) -> impl ExactSizeIterator<Item = String> + DoubleEndedIterator {
        self.into_iter().map(|(key, _)| key)
    }

    /// The values in order of their keys' places; the keys go.
    pub fn into_values(self) -> impl ExactSizeIterator<Item = Value> + DoubleEndedIterator {
        self.into_members().into_iter().map(|(_, value)| value)
    }

    /// Keeps the members that `keep` says yes to, in their order.
    ///
    /// ```
    /// use toolweir_rjson::Object;
    ///
    /// let mut object: Object = [("a", 1), ("b", 2), ("c", 3)].into_iter().collect();
    /// object.retain(|_, value| value.as_i64() != Some(2));
    /// assert_eq!(object.keys().collect::<Vec<_>>(), ["a", "c"]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        let before = self.entries.len();
        self.entries.retain_mut(|(key, value)| keep(key.as_str(), value));
        if self.entries.len() < before {
            self.reindex();
        }
    }

    /// Takes all members out; the room for them stays.
    pub fn clear(&mut self) {
        self.retain(|_, _| false);
    }

    /// Moves all members of `other` after these; a known key gets the value of `other` and keeps its
    /// place.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(mem::take(other));
    }

    /// The place of a key, which may be empty.
    ///
    /// ```
    /// use toolweir_rjson::Object;
    ///
    /// let mut counts = Object::new();
    /// for word in ["warp", "weft", "warp"] {
    ///     let count = counts.entry(word).or_insert(0);
    ///     *count = (count.as_u64().unwrap_or(0) + 1).into();
    /// }
    /// assert_eq!(format!("{counts:?}"), r#"{"warp":2,"weft":1}"#);
    /// ```
    pub fn entry(&mut self, key: impl Into<String>) -> Entry<'_> {
        let key = key.into();
        match self.position(&key) {
            Some(position) => Entry::Occupied(OccupiedEntry { object: self, position }),
            None => Entry::Vacant(VacantEntry { object: self, key }),
        }
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        for (key, value) in members {
            self.insert(key, value);
        }
    }
}

/// The members of an [`Object`], in order.
#[derive(Debug, Clone)]
pub struct Iter<'a>(pub(super) slice::Iter<'a, Member>);

/// The members of an [`Object`], in order, their values to change.
#[derive(Debug)]
pub struct IterMut<'a>(pub(super) slice::IterMut<'a, Member>);

/// The members of an [`Object`] that was given up, in order.
#[derive(Debug)]
pub struct IntoIter(pub(super) vec::IntoIter<Member>);

macro_rules! members {
    ($name:ident $(<$life:lifetime>)?, $item:ty, $member:pat => $given:expr) => {
        impl $(<$life>)? Iterator for $name $(<$life>)? {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$member| $given)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl $(<$life>)? DoubleEndedIterator for $name $(<$life>)? {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$member| $given)
            }
        }

        impl $(<$life>)? ExactSizeIterator for $name $(<$life>)? {}

        impl $(<$life>)? FusedIterator for $name $(<$life>)? {}
    };
}

members!(Iter<'a>, (&'a str, &'a Value), (key, value) => (key.as_str(), value));
members!(IterMut<'a>, (&'a str, &'a mut Value), (key, value) => (key.as_str(), value));
members!(IntoIter, (String, Value), (key, value) => (key.into(), value));
