//! Numbers as text: nothing is rounded, whatever the size; only a conversion can fail.

mod decimal;
mod hex;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use self::decimal::Decimal;
pub(crate) use self::hex::MAX_HEX;
use crate::error::{Error, ErrorKind};

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
    text: String,
}

impl Number {
    /// The number that `text` writes in strict JSON, without blanks.
    ///
    /// # Errors
    /// The text is not a number of the JSON grammar; the offset is the first byte that fits nowhere.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let end = text.len() as u64;
        match json_length(text.as_bytes()) {
            Ok(length) if length == text.len() => Ok(Self::from_json(text.to_string())),
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
    pub(crate) fn from_json(text: String) -> Self {
        Self { text }
    }

    /// The number for a double; none for infinities and what is not a number. The text is the
    /// shortest that reads back as the same double.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self::from_json(format!("{value:?}")))
    }

    /// The text, as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The value, if it is an integer that fits; `5.0` and `5e0` are.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.text.parse().ok().or_else(|| {
            let decimal = Decimal::new(&self.text);
            let size = i128::try_from(decimal.integer()?).ok()?;
            i64::try_from(if decimal.is_negative() { -size } else { size }).ok()
        })
    }

    /// The value, if it is an integer from 0 that fits; `5.0`, `5e0` and `-0` are.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.text.parse().ok().or_else(|| {
            let decimal = Decimal::new(&self.text);
            let size = decimal.integer()?;
            (!decimal.is_negative() || size == 0).then(|| u64::try_from(size).ok())?
        })
    }

    /// The double nearest to the value; none when that is not finite.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether the value is an integer, however large.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        let decimal = Decimal::new(&self.text);
        decimal.is_zero() || decimal.is_integral()
    }

    /// Whether an `i64`, a `u64` or an `f64` holds the value such that printing it gives an equal
    /// number back.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        if self.text.parse::<i64>().is_ok() || self.text.parse::<u64>().is_ok() {
            return true;
        }
        let decimal = Decimal::new(&self.text);
        if decimal.is_zero() {
            return true;
        }
        // The shortest text of a double has at most 17 digits.
        if decimal.digits() > 17 {
            return self.as_i64().is_some() || self.as_u64().is_some();
        }
        let Some(power) = decimal.power() else { return false };
        // Each decimal of at most 15 digits in the normal range survives the way through a double.
        if decimal.digits() <= 15 && (-290..=290).contains(&power) {
            return true;
        }
        self.as_i64().is_some()
            || self.as_u64().is_some()
            || self.as_f64().is_some_and(|value| Decimal::new(&format!("{value:e}")) == decimal)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || Decimal::new(&self.text) == Decimal::new(&other.text)
    }
}

impl Eq for Number {}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({})", self.text)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self::from_json(value.to_string())
            }
        }
    )*};
}

from_integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// The length of the JSON number at the front, or where it stops being one.
fn json_length(bytes: &[u8]) -> Result<usize, usize> {
    let digits =
        |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match (bytes.get(at), digits(at)) {
        (_, 0) => return Err(at),
        (Some(b'0'), 2..) => return Err(at + 1),
        (_, count) => count,
    };
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        at += match digits(at) {
            0 => return Err(at),
            count => count,
        };
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at += match digits(at) {
            0 => return Err(at),
            count => count,
        };
    }
    Ok(at)
}

/// Whether a number of the relaxed grammar is spelled as strict JSON does not.
pub(crate) fn needs_respelling(text: &str) -> bool {
    match text.strip_prefix('-').unwrap_or(text).as_bytes() {
        [b'+' | b'.', ..] | [b'0', b'x' | b'X', ..] => true,
        digits => match memchr::memchr(b'.', digits) {
            Some(point) => !digits.get(point + 1).is_some_and(u8::is_ascii_digit),
            None => false,
        },
    }
}

/// Appends the JSON spelling of a number of the relaxed grammar.
pub(crate) fn respell(text: &str, out: &mut String) {
    let text = match text.strip_prefix('-') {
        Some(rest) => {
            out.push('-');
            rest
        }
        None => text.strip_prefix('+').unwrap_or(text),
    };
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        hex::push_decimal(digits, out);
        return;
    }
    let Some((int, rest)) = text.split_once('.') else {
        out.push_str(text);
        return;
    };
    out.push_str(if int.is_empty() { "0" } else { int });
    out.push('.');
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        out.push('0');
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests;
