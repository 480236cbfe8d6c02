//! Texts and values as types, and types as values and texts: what a user of `serde_json` looks for.
//!
//! | there | here |
//! | --- | --- |
//! | `from_str(text)` | [`from_str`]`(text, mode)`; so [`from_slice`] and [`from_reader`] |
//! | `Deserializer::from_str(text)` | [`Deserializer::from_str`], for types that borrow from the text |
//! | `from_value(value)` | [`from_value`]`(&value)`, or `T::deserialize(value)`, which moves strings out |
//! | `to_value(data)` | [`to_value`]`(&data)` |
//! | `to_string(data)`, `to_string_pretty(data)` | [`to_string`], [`to_string_with`] |
//! | `to_writer(writer, data)` | [`to_writer`] |
//!
//! Strict JSON is read straight into the type, in every mode; only a text that is something else is
//! made a value first. Both give the same: of a key given twice the last value counts, and a value
//! that a type leaves in part unread is an error. Errors say where: `/items/3/age: invalid value 300,
//! expected u8`.
//!
//! Numbers become `u64`, `i64`, `f64`, `u128` or `i128`, the first that holds them; one that fits
//! none of them is an error, never another number. Nesting is bounded: serde recurses.

mod de;
mod error;
mod key;
mod ser;
mod text;

use alloc::string::String;

use ::serde::Serialize;
use ::serde::de::DeserializeOwned;

pub use self::error::{DataError, SerdeError};
pub use self::text::Deserializer;
use crate::options::{Duplicates, Mode, Options};
use crate::parse::parse_with;
use crate::value::Value;
use crate::write::{self, WriteOptions};

/// The deepest nesting that is converted.
const MAX_DEPTH: usize = 512;
/// What to say of a deeper one.
const TOO_DEEP: &str = "nested too deeply";

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
    if options.duplicates == Duplicates::Last
        && let Some(data) = text::try_strict(text, options)
    {
        return Ok(data);
    }
    T::deserialize(parse_with(text, options)?.value)
}

/// Reads bytes of UTF-8 as a type, with default limits.
///
/// # Errors
/// As [`from_str`], and when the bytes are not UTF-8.
///
/// ```
/// use toolweir_rjson::{Mode, from_slice};
///
/// assert_eq!(from_slice::<Vec<u8>>(b"Sure: [1, 2", Mode::Repair)?, [1, 2]);
/// assert!(from_slice::<String>(b"\"\xff\"", Mode::Repair).is_err());
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8], mode: Mode) -> Result<T, SerdeError> {
    match core::str::from_utf8(bytes) {
        Ok(text) => from_str(text, mode),
        Err(error) => Err(SerdeError::Utf8 { offset: error.valid_up_to() as u64 }),
    }
}

/// Reads all of a source as a type, with default limits. The source is read to its end first; limit
/// one that is not trusted with [`Read::take`](std::io::Read::take).
///
/// # Errors
/// As [`from_slice`], and when the source fails.
///
/// ```
/// use toolweir_rjson::{Mode, from_reader};
///
/// let rows: Vec<u8> = from_reader(&b"[1, 2] // two"[..], Mode::Relaxed)?;
/// assert_eq!(rows, [1, 2]);
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
#[cfg(feature = "std")]
pub fn from_reader<T: DeserializeOwned>(
    mut reader: impl std::io::Read,
    mode: Mode,
) -> Result<T, SerdeError> {
    let mut bytes = alloc::vec::Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| SerdeError::Io(error.kind()))?;
    from_slice(&bytes, mode)
}

/// A value as a type; `T::deserialize(value)` does the same with a value that is no longer needed.
///
/// # Errors
/// The value does not fit the type.
///
/// ```
/// use toolweir_rjson::{from_value, json};
///
/// let value = json!({"ages": [31, 300]});
/// assert_eq!(from_value::<Vec<u16>>(&value["ages"])?, [31, 300]);
/// let error = from_value::<Vec<u8>>(&value["ages"]).unwrap_err();
/// assert_eq!(error.to_string(), "/1: invalid value 300, expected u8");
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, SerdeError> {
    T::deserialize(value)
}

/// A type as a value.
///
/// # Errors
/// What JSON cannot hold: a map whose keys are no strings, numbers, booleans or characters, a double that
/// is not finite, or nesting beyond 512.
///
/// ```
/// use toolweir_rjson::{json, to_value};
///
/// assert_eq!(to_value(&("a", [1.5, 2.0], None::<u8>))?, json!(["a", [1.5, 2.0], null]));
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
pub fn to_value<T: Serialize + ?Sized>(data: &T) -> Result<Value, SerdeError> {
    ser::value(data)
}

/// A type as compact JSON text. [`crate::to_string`] takes values, and cannot fail.
///
/// # Errors
/// As [`to_value`].
///
/// ```
/// use toolweir_rjson::serde::to_string;
///
/// assert_eq!(to_string(&("a", [1.5, 2.0], None::<u8>))?, r#"["a",[1.5,2.0],null]"#);
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
pub fn to_string<T: Serialize + ?Sized>(data: &T) -> Result<String, SerdeError> {
    to_value(data).map(|value| write::to_string(&value))
}

/// A type as JSON text in a style.
///
/// # Errors
/// As [`to_value`].
pub fn to_string_with<T: Serialize + ?Sized>(
    data: &T,
    options: &WriteOptions,
) -> Result<String, SerdeError> {
    to_value(data).map(|value| write::to_string_with(&value, options))
}

/// Writes a type as compact JSON text.
///
/// # Errors
/// As [`to_value`], and when writing fails.
///
/// ```
/// use toolweir_rjson::to_writer;
///
/// let mut file = Vec::new();
/// to_writer(&mut file, &[("a", 1)])?;
/// assert_eq!(file, br#"[["a",1]]"#);
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
#[cfg(feature = "std")]
pub fn to_writer<T: Serialize + ?Sized>(
    mut writer: impl std::io::Write,
    data: &T,
) -> Result<(), SerdeError> {
    let text = to_string(data)?;
    writer.write_all(text.as_bytes()).map_err(|error| SerdeError::Io(error.kind()))
}

#[cfg(test)]
mod tests;
