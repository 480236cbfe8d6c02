//! What can go wrong between texts, values and types.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use core::fmt;

use ::serde::de::{Expected, Unexpected};
use ::serde::{de, ser};

use crate::diagnostic::Error;
use crate::pointer;

/// Why a text or value could not be converted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerdeError {
    /// The text could not be read.
    Parse(Error),
    /// The value does not fit the type, or the type is nothing that JSON can hold.
    Data(DataError),
    /// The bytes are not UTF-8.
    Utf8 {
        /// The first byte that is not.
        offset: u64,
    },
    /// Reading the text from its source, or writing it, failed.
    #[cfg(feature = "std")]
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
pub(super) enum Step<'a> {
    Key(&'a str),
    Place(usize),
}

impl SerdeError {
    pub(super) fn data(message: impl fmt::Display) -> Self {
        Self::Data(DataError(Box::new(Inner { path: String::new(), message: message.to_string() })))
    }

    /// The error as it is seen from one container farther out.
    #[cold]
    pub(super) fn within(mut self, step: Step<'_>) -> Self {
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

impl fmt::Display for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(error) => error.fmt(f),
            Self::Data(error) => error.fmt(f),
            Self::Utf8 { offset } => write!(f, "not UTF-8 at byte {offset}"),
            #[cfg(feature = "std")]
            Self::Io(kind) => kind.fmt(f),
        }
    }
}

impl core::error::Error for SerdeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Parse(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for SerdeError {
    fn from(error: Error) -> Self {
        Self::Parse(error)
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

impl de::Error for SerdeError {
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

impl ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::data(message)
    }
}
