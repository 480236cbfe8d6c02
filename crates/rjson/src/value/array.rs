//! A list of values.

use alloc::vec::{self, Vec};
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::{iter, mem, slice};

use super::walk;
use super::{Slot, Value};

/// Values there is room for from the first one on.
const FEW: usize = 4;

/// The values of a JSON array, in order. It dereferences to a vector.
///
/// Dropping, cloning and comparing never recurse, however deep the values are.
#[derive(Default)]
pub struct Array(Vec<Value>);

impl Array {
    /// An empty array.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a value at the end.
    #[inline]
    pub fn push(&mut self, value: impl Into<Value>) {
        self.0.push(value.into());
    }

    /// Room for one more value, to be set. Out of line: so looking for a slot stays small.
    #[inline(never)]
    pub(crate) fn push_slot(&mut self) -> Option<Slot<'_>> {
        if self.0.capacity() == 0 {
            // Without capacity there is nothing to free.
            mem::forget(mem::replace(&mut self.0, Vec::with_capacity(FEW)));
        }
        self.0.extend(iter::once_with(|| Value::Null));
        self.0.last_mut().map(Slot::new)
    }

    /// The values as a vector.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<Value> {
        mem::take(&mut self.0)
    }
}

impl Deref for Array {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl From<Vec<Value>> for Array {
    fn from(values: Vec<Value>) -> Self {
        Self(values)
    }
}

impl<T: Into<Value>> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> Extend<T> for Array {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        self.0.extend(values.into_iter().map(Into::into));
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a mut Array {
    type Item = &'a mut Value;
    type IntoIter = slice::IterMut<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl Clone for Array {
    fn clone(&self) -> Self {
        walk::clone_array(self)
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        walk::equal_arrays(self, other)
    }
}

impl Eq for Array {}

impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        walk::hash_array(self, state);
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if self.0.iter().any(walk::is_deep) {
            walk::dismantle(self.0.iter_mut());
        }
    }
}
