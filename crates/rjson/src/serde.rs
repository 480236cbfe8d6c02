//! Values in serde's terms.
//!
//! Numbers become `i64`, `u64`, `i128`, `u128` or `f64`, the first that holds them; one that fits
//! none of them is an error, never another number. Nesting is bounded: serde recurses.

mod de;
mod ser;

use alloc::string::{String, ToString as _};
use core::fmt;

use ::serde::de::DeserializeOwned;
use ::serde::{Serialize, de as serde_de, ser as serde_ser};

use crate::error::Error;
use crate::number::Number;
use crate::options::{Mode, Options};
use crate::parse::parse_with;
use crate::value::Value;

/// A number as the first of serde's types that holds it.
enum Fit {
    U64(u64),
    I64(i64),
    F64(f64),
    U128(u128),
    I128(i128),
}

impl Fit {
    fn new(number: &Number) -> Option<Self> {
        let text = number.as_str();
        if let Ok(value) = text.parse() {
            return Some(Self::U64(value));
        }
        if text != "-0"
            && let Ok(value) = text.parse()
        {
            return Some(Self::I64(value));
        }
        match number.as_f64() {
            // More digits than a double holds: the nearest one is what a double means.
            Some(value) if number.is_exact() || !number.is_integer() => Some(Self::F64(value)),
            _ => match (text.parse(), text.parse()) {
                (Ok(value), _) => Some(Self::U128(value)),
                (_, Ok(value)) => Some(Self::I128(value)),
                _ => None,
            },
        }
    }
}

/// What to say of a number that fits none.
const NO_FIT: &str = "number too large for any type";

/// The deepest nesting that is converted.
const MAX_DEPTH: usize = 512;

/// Why a text or value could not be converted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerdeError {
    /// The text could not be read.
    Parse(Error),
    /// The value does not fit the type; the message is serde's.
    Data(String),
}

impl fmt::Display for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(error) => error.fmt(f),
            Self::Data(message) => f.write_str(message),
        }
    }
}

impl core::error::Error for SerdeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Parse(error) => Some(error),
            Self::Data(_) => None,
        }
    }
}

impl serde_de::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Data(message.to_string())
    }
}

impl serde_ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Data(message.to_string())
    }
}

/// Reads a text as a type, with default limits.
///
/// # Errors
/// The text cannot be read, or its value does not fit the type.
///
/// ```
/// use toolweir_rjson::{Mode, from_str};
///
/// let files: Vec<(String, u32)> = from_str("[['a.txt', 0x10],]", Mode::Relaxed)?;
/// assert_eq!(files, [("a.txt".to_owned(), 16)]);
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
pub fn from_str<T: DeserializeOwned>(text: &str, mode: Mode) -> Result<T, SerdeError> {
    from_str_with(text, &Options::new(mode))
}

/// Reads a text as a type.
///
/// # Errors
/// As [`from_str`].
pub fn from_str_with<T: DeserializeOwned>(text: &str, options: &Options) -> Result<T, SerdeError> {
    from_value(&parse_with(text, options).map_err(SerdeError::Parse)?.value)
}

/// A value as a type.
///
/// # Errors
/// The value does not fit the type.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, SerdeError> {
    T::deserialize(de::Reader { value, depth: 0 })
}

/// A type as a value.
///
/// # Errors
/// What JSON cannot hold: a map whose keys are no strings, numbers, booleans or characters, a double that
/// is not finite, or nesting beyond 512.
pub fn to_value<T: Serialize + ?Sized>(data: &T) -> Result<Value, SerdeError> {
    data.serialize(ser::Writer { depth: 0 })
}

#[cfg(test)]
mod tests;
