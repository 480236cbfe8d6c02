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
//! none of them is an error, never another number, unless the type asks for a double. A [`Value`] or
//! [`Number`](crate::Number), also as a field of a type, keeps them as they are written, but for what serde
//! buffers in between: untagged and internally tagged enums, and flattened fields. Nesting is bounded: serde
//! recurses.

mod de;
mod ser;
mod text;
mod values;

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use core::fmt;

use ::serde::Serialize;
use ::serde::de::{DeserializeOwned, Expected, Unexpected};
use thiserror::Error as ThisError;

pub use self::text::Deserializer;
use crate::diagnostic::Error;
use crate::options::{Duplicates, Mode, Options};
use crate::parse::parse_with;
use crate::value::Value;
use crate::value::index::pointer;
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

/// Why a text or value could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum SerdeError {
    /// The text could not be read.
    #[error("{0}")]
    Parse(#[from] Error),
    /// The value does not fit the type, or the type is nothing that JSON can hold.
    #[error("{0}")]
    Data(DataError),
    /// The bytes are not UTF-8.
    #[error("not UTF-8 at byte {offset}")]
    Utf8 {
        /// The first byte that is not.
        offset: u64,
    },
    /// Reading the text from its source, or writing it, failed.
    #[cfg(feature = "std")]
    #[error("{0}")]
    Io(std::io::ErrorKind),
}

/// What does not fit, and where.
///
/// ```
/// use toolweir_rjson::{Mode, SerdeError, from_str};
///
/// let read = from_str::<Vec<(String, u8)>>(r#"[["a", 3], ["b", 300]]"#, Mode::Strict);
/// let Err(SerdeError::Data(error)) = read else { panic!("300 is no u8") };
/// assert_eq!(error.path(), "/1/1");
/// assert_eq!(error.to_string(), "/1/1: invalid value 300, expected u8");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DataError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    path: String,
    message: String,
}

impl DataError {
    /// The place in the value, as a JSON Pointer: empty for the whole value.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What is wrong there.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path().is_empty() {
            write!(f, "{}: ", self.path())?;
        }
        f.write_str(self.message())
    }
}

impl fmt::Debug for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("DataError");
        shown.field("path", &self.path()).field("message", &self.message()).finish()
    }
}

impl core::error::Error for DataError {}

/// The next place inwards on the way to what is wrong.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Place(usize),
}

impl SerdeError {
    fn data(message: impl fmt::Display) -> Self {
        Self::Data(DataError(Box::new(Inner { path: String::new(), message: message.to_string() })))
    }

    /// The error as it is seen from one container farther out.
    #[cold]
    fn within(mut self, step: Step<'_>) -> Self {
        if let Self::Data(DataError(inner)) = &mut self {
            let mut path = String::new();
            match step {
                Step::Key(key) => pointer::push(&mut path, key),
                Step::Place(place) => pointer::push(&mut path, &place.to_string()),
            }
            path.push_str(&inner.path);
            inner.path = path;
        }
        self
    }
}

/// What was found. Of texts only the length: messages hold no text of the input.
struct Found<'a>(Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Bool(value) => value.fmt(f),
            Unexpected::Unsigned(value) => value.fmt(f),
            Unexpected::Signed(value) => value.fmt(f),
            Unexpected::Float(value) => write!(f, "{value:?}"),
            Unexpected::Str(text) => write!(f, "string of {} bytes", text.len()),
            Unexpected::Unit => f.write_str("null"),
            Unexpected::Seq => f.write_str("array"),
            Unexpected::Map => f.write_str("object"),
            other => other.fmt(f),
        }
    }
}

impl ::serde::de::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::data(message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::data(format_args!("invalid type {}, expected {expected}", Found(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::data(format_args!("invalid value {}, expected {expected}", Found(found)))
    }
}

impl ::serde::ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::data(message)
    }
}

/// What an error is made into: an error, or only that there is one. Results as large as an error would cost three
/// instructions in ten of reading a type.
trait Failure: ::serde::de::Error {
    /// Whether the text is read in another way after it.
    const IS_TRIAL: bool;

    fn new(error: impl FnOnce() -> SerdeError) -> Self;
    /// As [`SerdeError::within`].
    fn within(self, step: Step<'_>) -> Self;
}

impl Failure for SerdeError {
    const IS_TRIAL: bool = false;

    fn new(error: impl FnOnce() -> SerdeError) -> Self {
        error()
    }

    fn within(self, step: Step<'_>) -> Self {
        self.within(step)
    }
}

/// Something is in the way: the text is read in another way.
#[derive(Debug)]
struct Unread;

impl Failure for Unread {
    const IS_TRIAL: bool = true;

    fn new(_: impl FnOnce() -> SerdeError) -> Self {
        Self
    }

    fn within(self, _: Step<'_>) -> Self {
        self
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("to be read in another way")
    }
}

impl core::error::Error for Unread {}

impl ::serde::de::Error for Unread {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests;
