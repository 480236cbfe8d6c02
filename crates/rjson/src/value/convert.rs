//! Values from and as Rust's own types, comparisons with them, and the macro that writes them in JSON's own
//! notation.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use thiserror::Error as ThisError;

use super::{Array, Object, Value};
use crate::diagnostic::Error;
use crate::number::Number;
use crate::options::Mode;
use crate::parse::parse;

/// The value of a text of strict JSON; [`parse`] reads the other modes.
///
/// ```
/// use toolweir_rjson::Value;
///
/// let value: Value = r#"{"rows":[1,2.50]}"#.parse()?;
/// assert_eq!(value.to_string(), r#"{"rows":[1,2.50]}"#);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
impl FromStr for Value {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text, Mode::Strict).map(|parsed| parsed.value)
    }
}

macro_rules! from_each {
    ($($variant:ident: $($type:ty),*;)*) => {$($(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*)*};
}

from_each! {
    Bool: bool;
    Number: Number, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize;
    String: String, &str, Cow<'_, str>, char;
    Array: Array;
    Object: Object;
}

/// `null`.
impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Null
    }
}

/// The shortest text that reads back as the same double; `null` for what is not finite, which JSON
/// cannot say ([`Number::from_f64`] tells them apart).
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Number::from_f64(value).into()
    }
}

/// The shortest text that reads back as the same `f32`; `null` for what is not finite.
impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Number::from_f32(value).into()
    }
}

/// `None` is `null`.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! from_collections {
    ($($(#[$meta:meta])* [$($generics:tt)*] $type:ty;)*) => {$(
        $(#[$meta])*
        impl<$($generics)*> From<$type> for Value {
            fn from(items: $type) -> Self {
                items.into_iter().collect()
            }
        }
    )*};
}

from_collections! {
    [T: Into<Self>] Vec<T>;
    [T: Into<Self>, const N: usize] [T; N];
    [K: Into<String>, V: Into<Self>] BTreeMap<K, V>;
    /// The members in the order in which the map gives them, which is no order that means something.
    #[cfg(feature = "std")]
    [K: Into<String>, V: Into<Self>, S] std::collections::HashMap<K, V, S>;
}

impl<T: Clone + Into<Self>> From<&[T]> for Value {
    fn from(values: &[T]) -> Self {
        values.iter().cloned().collect()
    }
}

/// An array.
impl<T: Into<Self>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

/// An object.
impl<K: Into<String>, V: Into<Self>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::Object(members.into_iter().collect())
    }
}

/// A value that is not what a `TryFrom` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ThisError)]
#[error("{found}, expected {expected}")]
#[non_exhaustive]
pub struct ConversionError {
    /// What was asked for, in Rust's words, such as `u8`.
    pub expected: &'static str,
    /// What there is, in JSON's words, such as `string`.
    pub found: &'static str,
}

impl ConversionError {
    fn new(expected: &'static str, value: &Value) -> Self {
        Self { expected, found: value.type_name() }
    }
}

macro_rules! try_from_ref {
    ($($type:ty, $expected:expr, $value:pat => $given:expr;)*) => {$(
        impl<'v> TryFrom<&'v Value> for $type {
            type Error = ConversionError;

            fn try_from(value: &'v Value) -> Result<Self, ConversionError> {
                let given: Option<$type> = match value {
                    $value => $given,
                    #[allow(unreachable_patterns, reason = "some patterns take every value")]
                    _ => None,
                };
                given.ok_or_else(|| ConversionError::new($expected, value))
            }
        }
    )*};
}

try_from_ref! {
    bool, "bool", Value::Bool(value) => Some(*value);
    f64, "f64", value => value.as_f64();
    i128, "i128", value => value.as_i128();
    u128, "u128", value => value.as_u128();
    &'v str, "str", Value::String(text) => Some(text);
    &'v Number, "Number", Value::Number(number) => Some(number);
    &'v Array, "Array", Value::Array(array) => Some(array);
    &'v Object, "Object", Value::Object(object) => Some(object);
}

macro_rules! equals {
    ($($(#[$doc:meta])* $type:ty, $value:ident, $other:ident => $equal:expr;)*) => {$(
        $(#[$doc])*
        impl PartialEq<$type> for Value {
            fn eq(&self, other: &$type) -> bool {
                let ($value, $other) = (self, other);
                $equal
            }
        }
    )*};
}

macro_rules! integers {
    ($($type:ident)*) => {
        try_from_ref! {$(
            $type, stringify!($type), value => value.as_i128().and_then(|n| n.try_into().ok());
        )*}

        equals! {$(
            /// By value: `5.0` is 5.
            $type, value, other => value.as_i128() == i128::try_from(*other).ok();
        )*}
    };
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! try_from_owned {
    ($($variant:ident $type:ident;)*) => {$(
        impl TryFrom<Value> for $type {
            type Error = ConversionError;

            fn try_from(value: Value) -> Result<Self, ConversionError> {
                match value {
                    Value::$variant(inner) => Ok(inner),
                    other => Err(ConversionError::new(stringify!($type), &other)),
                }
            }
        }
    )*};
}

try_from_owned! {
    String String;
    Number Number;
    Array Array;
    Object Object;
}

equals! {
    bool, value, other => value.as_bool() == Some(*other);
    /// With the double nearest to the number.
    f64, value, other => value.as_f64() == Some(*other);
    str, value, other => value.as_str() == Some(other);
    &str, value, other => value.as_str() == Some(*other);
}

impl PartialEq<Value> for &str {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}

macro_rules! other_way_round {
    ($($type:ty),*) => {$(
        impl PartialEq<Value> for $type {
            fn eq(&self, other: &Value) -> bool {
                other == self
            }
        }

        impl PartialEq<$type> for &Value {
            fn eq(&self, other: &$type) -> bool {
                **self == *other
            }
        }
    )*};
}

other_way_round!(bool, f64, str);
other_way_round!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

/// A [`Value`](crate::Value) in JSON's own notation, with expressions of Rust in it.
///
/// An expression is anything that is `Into<Value>`; it is moved in, so a variable that is needed
/// again is to be cloned. A key is a literal, a name, or an expression in round brackets. Nothing can
/// fail. A key given twice keeps its first place and its last value.
///
/// ```
/// use toolweir_rjson::json;
///
/// let (name, key) = ("Ada", "born");
/// let value = json!({
///     "name": name,
///     (key.to_uppercase()): 1800 + 15,
///     "tags": ["a", null, {"deep": [true, -2.5]}],
///     "none": None::<bool>,
/// });
/// assert_eq!(
///     value.to_string(),
///     r#"{"name":"Ada","BORN":1815,"tags":["a",null,{"deep":[true,-2.5]}],"none":null}"#
/// );
/// ```
#[macro_export]
macro_rules! json {
    (null) => { $crate::Value::Null };
    ([]) => { $crate::Value::Array($crate::Array::new()) };
    ([$($entries:tt)+]) => {{
        let mut array = $crate::Array::new();
        $crate::__json_entries!(array $($entries)+);
        $crate::Value::Array(array)
    }};
    ({}) => { $crate::Value::Object($crate::Object::new()) };
    ({$($members:tt)+}) => {{
        let mut object = $crate::Object::new();
        $crate::__json_members!(object $($members)+);
        $crate::Value::Object(object)
    }};
    ($value:expr) => { $crate::Value::from($value) };
}

/// The entries of an array in [`json!`]: one, then the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_entries {
    ($array:ident) => {};
    ($array:ident $value:tt $(, $($rest:tt)*)?) => {
        $array.push($crate::json!($value));
        $crate::__json_entries!($array $($($rest)*)?);
    };
    ($array:ident $value:expr $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::from($value));
        $crate::__json_entries!($array $($($rest)*)?);
    };
}

/// The members of an object in [`json!`]: one, then the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_members {
    ($object:ident) => {};
    ($object:ident $key:tt: $value:tt $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::json!($value));
        $crate::__json_members!($object $($($rest)*)?);
    };
    ($object:ident $key:tt: $value:expr $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::Value::from($value));
        $crate::__json_members!($object $($($rest)*)?);
    };
}
