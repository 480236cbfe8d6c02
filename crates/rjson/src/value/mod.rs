//! The value of a JSON text: members in order, numbers as text, strings as they are.

mod array;
mod object;
mod slot;
mod walk;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

pub use self::array::Array;
pub use self::object::{IntoIter as ObjectIntoIter, Iter as ObjectIter, Object};
pub(crate) use self::slot::Slot;
use crate::number::Number;
use crate::write::{WriteOptions, write_to};

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
#[derive(Clone, PartialEq, Eq, Default)]
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

impl Value {
    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The truth value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The number as [`Number::as_i64`] gives it.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number as [`Number::as_u64`] gives it.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The number as [`Number::as_f64`] gives it.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// The string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The array.
    #[must_use]
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The array, to change.
    pub fn as_array_mut(&mut self) -> Option<&mut Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object, to change.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The value of a key, if it is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    /// The value at a JSON Pointer (RFC 6901), such as `/a/0`; the empty pointer is the value itself.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut value = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            value = match value {
                Self::Object(object) if token.contains('~') => {
                    object.get(&token.replace("~1", "/").replace("~0", "~"))?
                }
                Self::Object(object) => object.get(token)?,
                Self::Array(array) => array.get(array_place(token)?)?,
                _ => return None,
            };
        }
        Some(value)
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

/// A place in an array: digits without a leading zero.
fn array_place(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    let place = plain && (token == "0" || !token.starts_with('0'));
    if place { token.parse().ok() } else { None }
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
        crate::write::write_array_to(f, self)
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::write::write_object_to(f, self)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Self {
        Self::Array(values.into())
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// `None` is `null`.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Self {
                Self::Number(value.into())
            }
        }
    )*};
}

from_integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

#[cfg(test)]
mod tests;
