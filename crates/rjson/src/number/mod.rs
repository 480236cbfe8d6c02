//! Numbers as text: nothing is rounded, whatever the size; only a conversion can fail.

mod float;
mod text;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

pub(crate) use self::float::Scaled;
pub use self::text::{Decimal, NumberText};
pub(crate) use self::text::{MAX_DIGITS, Numeral, is_json, json_length, respell};
use crate::diagnostic::{Error, ErrorKind};
use crate::value::Text;

/// A JSON number, kept as it was written.
///
/// Two numbers are equal when their exact decimal values are: `5`, `5.0` and `50e-1`, and `0` and
/// `-0`.
///
/// ```
/// use toolweir_rjson::Number;
///
/// let number = Number::from_text("123456789012345678901234567890")?;
/// assert_eq!(number.as_str(), "123456789012345678901234567890");
/// assert_eq!(number.as_i64(), None);
/// assert_eq!(Number::from_text("1e2")?, Number::from(100));
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Clone)]
pub struct Number {
    text: Text,
}

impl Number {
    /// The number that `text` writes in strict JSON, without whitespace.
    ///
    /// # Errors
    /// The text is not a number of the JSON grammar; the offset is the first byte that fits nowhere.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let end = text.len() as u64;
        match json_length(text.as_bytes()) {
            Ok(length) if length == text.len() => Ok(Self::from_json(text)),
            Ok(length) => Err(Error::new(ErrorKind::TrailingData, length as u64)),
            Err(length) if length == text.len() => {
                let kind =
                    if text.is_empty() { ErrorKind::NoValue } else { ErrorKind::UnexpectedEnd };
                Err(Error::new(kind, end))
            }
            Err(length) => {
                Err(Error::new(ErrorKind::Syntax { expected: "a digit" }, length as u64))
            }
        }
    }

    /// A number whose text is known to be one of the JSON grammar.
    #[inline]
    pub(crate) fn from_json(text: &str) -> Self {
        Self { text: Text::new(text) }
    }

    /// Room for the text of a number, if it is short; to be [filled](Self::fill) with as much.
    #[inline]
    pub(crate) fn zeroed(length: usize) -> Option<Self> {
        Text::zeroed(length).map(|text| Self { text })
    }

    /// Puts the text of a number of the JSON grammar into room of its length.
    #[inline]
    pub(crate) fn fill(&mut self, text: &str) {
        self.text.fill(text);
    }

    /// The integer that digits of a base from 2 to 36 write; none where there are no digits, other
    /// characters, or more than 4,096 digits.
    ///
    /// ```
    /// use toolweir_rjson::Number;
    ///
    /// assert_eq!(Number::from_digits("1f", 16), Some(Number::from(31)));
    /// assert_eq!(Number::from_digits("2", 2), None);
    /// ```
    #[must_use]
    pub fn from_digits(digits: &str, radix: u32) -> Option<Self> {
        let known = (2..=36).contains(&radix) && (1..=MAX_DIGITS).contains(&digits.len());
        if !known || !digits.chars().all(|c| c.is_digit(radix)) {
            return None;
        }
        let mut text = String::new();
        text::push_digits(digits, radix, &mut text);
        Some(Self::from_json(&text))
    }

    /// The number for a double; none for infinities and what is not a number. The text is the
    /// shortest that reads back as the same double.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self::from_json(&format!("{value:?}")))
    }

    /// The same for an `f32`: the shortest text that reads back as the same `f32`, so `0.1` stays so.
    #[must_use]
    pub fn from_f32(value: f32) -> Option<Self> {
        value.is_finite().then(|| Self::from_json(&format!("{value:?}")))
    }

    /// The text, as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// The value, if it is an integer that fits; `5.0` and `5e0` are.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_str().parse().ok().or_else(|| i64::try_from(self.signed()?).ok())
    }

    /// The value, if it is an integer from 0 that fits; `5.0`, `5e0` and `-0` are.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_str().parse().ok().or_else(|| u64::try_from(self.unsigned()?).ok())
    }

    /// The value, if it is an integer that fits; `5.0` and `5e0` are.
    #[must_use]
    pub fn as_i128(&self) -> Option<i128> {
        self.as_str().parse().ok().or_else(|| self.signed())
    }

    /// The value, if it is an integer from 0 that fits; `5.0`, `5e0` and `-0` are.
    #[must_use]
    pub fn as_u128(&self) -> Option<u128> {
        self.as_str().parse().ok().or_else(|| self.unsigned())
    }

    fn signed(&self) -> Option<i128> {
        let decimal = Decimal::new(self.as_str());
        let size = i128::try_from(decimal.integer()?).ok()?;
        Some(if decimal.is_negative() { -size } else { size })
    }

    fn unsigned(&self) -> Option<u128> {
        let decimal = Decimal::new(self.as_str());
        let size = decimal.integer()?;
        (!decimal.is_negative() || size == 0).then_some(size)
    }

    /// The double nearest to the value; none when that is not finite.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        nearest(self.as_str())
    }

    /// The nearest double, if printing it gives an equal number back.
    #[must_use]
    pub fn exact_f64(&self) -> Option<f64> {
        let text = self.as_str();
        Scaled::new(text)
            .and_then(Scaled::shortest)
            .or_else(|| nearest(text).filter(|value| Self::from_f64(*value).as_ref() == Some(self)))
    }

    /// Whether the value is an integer, however large.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        Decimal::new(self.as_str()).is_integer()
    }

    /// Whether an `i64`, a `u64` or an `f64` holds the value such that printing it gives an equal
    /// number back.
    #[must_use]
    #[inline]
    pub fn is_exact(&self) -> bool {
        is_exact(self.as_str())
    }
}

/// Whether the number that a text of the JSON grammar writes [is exact](Number::is_exact).
pub(crate) fn is_exact(text: &str) -> bool {
    read_json(text).is_ok_and(|(_, exact)| exact)
}

/// The length of the JSON number at the front, and whether it [is exact](Number::is_exact); or where it stops
/// being one.
pub(crate) fn read_json(text: &str) -> Result<(usize, bool), usize> {
    let read = Scaled::read(text.as_bytes());
    let length = match read {
        Some(read) => read.length,
        None => json_length(text.as_bytes())?,
    };
    let exact = match read {
        Some(read) if read.is_surely_exact() => Some(true),
        Some(read) => read.is_shortest(),
        None => None,
    };
    Ok((length, exact.unwrap_or_else(|| text.get(..length).is_some_and(is_exact_anyway))))
}

/// The same where the digits alone do not tell.
#[inline(never)]
fn is_exact_anyway(text: &str) -> bool {
    if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
        return true;
    }
    let decimal = Decimal::new(text);
    decimal.is_zero()
        || decimal
            .integer()
            .is_some_and(|size| size <= u128::from(u64::MAX) && fits(&decimal, size))
        || decimal.precision() <= 17 && decimal.power().is_some() && prints_back(text, &decimal)
}

/// Whether an integer of this size is an `i64` or a `u64`.
fn fits(decimal: &Decimal<'_>, size: u128) -> bool {
    !decimal.is_negative() || size <= u128::from(i64::MIN.unsigned_abs())
}

/// The double nearest to a number; none when that is not finite.
fn nearest(text: &str) -> Option<f64> {
    let read = Scaled::new(text).and_then(Scaled::nearest);
    read.or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()))
}

/// Whether the shortest text of the nearest double is this number.
fn prints_back(text: &str, decimal: &Decimal<'_>) -> bool {
    nearest(text).is_some_and(|value| Decimal::new(&format!("{value:e}")) == *decimal)
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.text.as_bytes() == other.text.as_bytes()
            || Decimal::new(self.as_str()) == Decimal::new(other.as_str())
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Decimal::new(self.as_str()).hash(state);
    }
}

/// The number that the text writes, as [`Number::from_text`] reads it.
impl FromStr for Number {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::from_text(text)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({})", self.as_str())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self::from_json(&value.to_string())
            }
        }
    )*};
}

from_integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

#[cfg(test)]
mod tests;
