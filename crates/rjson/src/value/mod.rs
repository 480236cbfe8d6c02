//! The value of a JSON text: members in order, numbers as text, strings as they are.

mod convert;
pub(crate) mod index;
mod keys;
mod object;
mod walk;

use alloc::string::String;
use alloc::vec::{self, Vec};
use core::ops::{Deref, DerefMut};
use core::{fmt, iter, mem, slice};

pub use self::convert::ConversionError;
pub use self::index::{Entry, OccupiedEntry, VacantEntry, ValueIndex};
#[cfg(feature = "serde")]
pub(crate) use self::keys::KeyIndex;
pub(crate) use self::keys::Text;
pub use self::object::Object;
pub use self::object::{IntoIter as ObjectIntoIter, Iter as ObjectIter, IterMut as ObjectIterMut};
pub(crate) use self::walk::Children;
use crate::number::Number;
use crate::write::{WriteOptions, write_container, write_to};

/// Any JSON value.
///
/// Complete: JSON has these six. Equality compares numbers by their exact decimal value and objects
/// without regard to order. Nothing here recurses in proportion to depth.
///
/// ```
/// use toolweir_rjson::{Mode, Value, parse};
///
/// let value = parse(r#"{"files":[{"path":"a.txt"}],"n":1e400}"#, Mode::Strict)?.value;
/// assert_eq!(value.pointer("/files/0/path").and_then(Value::as_str), Some("a.txt"));
/// assert_eq!(value.to_string(), r#"{"files":[{"path":"a.txt"}],"n":1e400}"#);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as text.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// A list.
    Array(Array),
    /// Members in order.
    Object(Object),
}

/// What a value is, by its variant.
macro_rules! variants {
    ($($(#[$doc:meta])* $is:ident $variant:pat,)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $is(&self) -> bool {
            matches!(self, $variant)
        }
    )*};
}

/// What a value holds, if it is that.
macro_rules! contents {
    ($($(#[$doc:meta])* $as:ident($($self:tt)*) -> $type:ty, $variant:ident($inner:ident) => $given:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $as($($self)* self) -> Option<$type> {
            match self {
                Self::$variant($inner) => Some($given),
                _ => None,
            }
        }
    )*};
}

/// What the number of a value gives.
macro_rules! numbers {
    ($($(#[$doc:meta])* $as:ident $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $as(&self) -> Option<$type> {
            self.as_number()?.$as()
        }
    )*};
}

impl Value {
    variants! {
        /// Whether it is `null`.
        is_null Self::Null,
        /// Whether it is `true` or `false`.
        is_boolean Self::Bool(_),
        /// Whether it is a number.
        is_number Self::Number(_),
        /// Whether it is a string.
        is_string Self::String(_),
        /// Whether it is an array.
        is_array Self::Array(_),
        /// Whether it is an object.
        is_object Self::Object(_),
    }

    contents! {
        /// The truth value.
        as_bool(&) -> bool, Bool(value) => *value;
        /// The number.
        as_number(&) -> &Number, Number(number) => number;
        /// The string.
        as_str(&) -> &str, String(text) => text;
        /// The array.
        as_array(&) -> &Array, Array(array) => array;
        /// The array, to change.
        as_array_mut(&mut) -> &mut Array, Array(array) => array;
        /// The object.
        as_object(&) -> &Object, Object(object) => object;
        /// The object, to change.
        as_object_mut(&mut) -> &mut Object, Object(object) => object;
    }

    numbers! {
        /// The number as [`Number::as_i64`] gives it.
        as_i64 i64;
        /// The number as [`Number::as_u64`] gives it.
        as_u64 u64;
        /// The number as [`Number::as_i128`] gives it.
        as_i128 i128;
        /// The number as [`Number::as_u128`] gives it.
        as_u128 u128;
        /// The number as [`Number::as_f64`] gives it.
        as_f64 f64;
    }

    /// `()` for `null`.
    #[must_use]
    pub fn as_null(&self) -> Option<()> {
        self.is_null().then_some(())
    }

    /// Whether it is a number that [`as_i64`](Self::as_i64) gives: by its value, so `5.0` is one.
    #[must_use]
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Whether it is a number that [`as_u64`](Self::as_u64) gives: by its value, so `5.0` is one.
    #[must_use]
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Whether it is a number that [`as_f64`](Self::as_f64) gives and neither
    /// [`as_i64`](Self::as_i64) nor [`as_u64`](Self::as_u64).
    #[must_use]
    pub fn is_f64(&self) -> bool {
        self.as_f64().is_some() && !self.is_i64() && !self.is_u64()
    }

    /// The value, with `null` left in its place.
    ///
    /// ```
    /// use toolweir_rjson::{Value, json};
    ///
    /// let mut value = json!({"k": [1, 2]});
    /// assert_eq!(value["k"].take(), json!([1, 2]));
    /// assert_eq!(value, json!({"k": null}));
    /// ```
    pub fn take(&mut self) -> Self {
        mem::take(self)
    }

    /// The name of the type in JSON: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

/// The value as compact JSON.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_to(f, self, &WriteOptions::default())
    }
}

/// The value as compact JSON, which names the types as well as any other text.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_container(f, Children::of_array(self))
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_container(f, Children::of_object(self, false))
    }
}

/// A place that holds `null` until its value is set.
pub(crate) struct Slot<'a>(&'a mut Value);

impl<'a> Slot<'a> {
    /// Whatever stood there goes.
    #[inline]
    pub(crate) fn new(place: &'a mut Value) -> Self {
        if !place.is_null() {
            *place = Value::Null;
        }
        Self(place)
    }

    #[inline]
    pub(crate) fn set(self, value: Value) {
        // `null` has nothing to free, which an assignment would have to find out.
        mem::forget(mem::replace(self.0, value));
    }

    /// Sets a number whose text is known to be one of the JSON grammar.
    #[inline]
    pub(crate) fn set_number(self, text: &str) {
        let place = self.0;
        match Number::zeroed(text.len()) {
            Some(room) => {
                mem::forget(mem::replace(place, Value::Number(room)));
                if let Value::Number(number) = place {
                    number.fill(text);
                }
            }
            None => *place = Value::Number(Number::from_json(text)),
        }
    }
}

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

    /// As many entries, all `null`.
    fn with_nulls(&self) -> Self {
        Self(self.0.iter().map(|_| Value::Null).collect())
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

/// What containers give in loops.
macro_rules! into_iterator {
    ([$($life:lifetime)?] $type:ty, $item:ty, $iterator:ty, $container:ident => $given:expr) => {
        impl<$($life)?> IntoIterator for $type {
            type Item = $item;
            type IntoIter = $iterator;

            fn into_iter(self) -> Self::IntoIter {
                let $container = self;
                $given
            }
        }
    };
}

into_iterator!([] Array, Value, vec::IntoIter<Value>, array => array.into_vec().into_iter());
into_iterator!(['a] &'a Array, &'a Value, slice::Iter<'a, Value>, array => array.0.iter());
into_iterator!(['a] &'a mut Array, &'a mut Value, slice::IterMut<'a, Value>, array => array.0.iter_mut());
into_iterator!([] Object, (String, Value), ObjectIntoIter, object => object.into_entries());
into_iterator!(['a] &'a Object, (&'a str, &'a Value), ObjectIter<'a>, object => object.iter());
into_iterator!(['a] &'a mut Object, (&'a str, &'a mut Value), ObjectIterMut<'a>, object => object.iter_mut());

#[cfg(test)]
mod tests;
