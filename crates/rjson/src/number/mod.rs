//! Numbers as text: nothing is rounded, whatever the size; only a conversion can fail. And doubles and numbers of few
//! digits, without going through text.
//!
//! Both questions asked of those (which double is nearest, and whether printing it gives the number back)
//! are answered with integers: a number `m / 10^k` and a double `s * 2^e` are compared as
//! `m * 2^-(e + k)` and `s * 5^k`, whose difference fits into 64 bits for `k` up to 22. What is rare (other
//! exponents, ties, doubles beside a power of two) goes through text.

mod shortest;
mod text;

use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use self::text::leading_digits;
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
        let (kind, at) = match json_length(text.as_bytes()) {
            Ok(length) if length == text.len() => return Ok(Self::from_json(text)),
            Ok(length) => (ErrorKind::TrailingData, length),
            Err(_) if text.is_empty() => (ErrorKind::NoValue, 0),
            Err(length) if length == text.len() => (ErrorKind::UnexpectedEnd, length),
            Err(length) => (ErrorKind::Syntax { expected: "a digit" }, length),
        };
        Err(Error::new(kind, at as u64))
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
    let (length, exact) = match Scaled::read(text.as_bytes()) {
        Some(read) if read.is_surely_exact() => (read.length, Some(true)),
        Some(read) => (read.length, read.is_shortest()),
        None => (json_length(text.as_bytes())?, None),
    };
    Ok((length, exact.unwrap_or_else(|| text.get(..length).is_some_and(is_exact_anyway))))
}

/// The same where the digits alone do not tell.
#[inline(never)]
fn is_exact_anyway(text: &str) -> bool {
    let decimal = Decimal::new(text);
    let most = if decimal.is_negative() { i64::MIN.unsigned_abs() } else { u64::MAX };
    decimal.integer().is_some_and(|size| size <= u128::from(most))
        || decimal.precision() <= 17
            && nearest(text).is_some_and(|double| shortest::is_shortest(&decimal, double))
}

/// The double nearest to a number; none when that is not finite.
fn nearest(text: &str) -> Option<f64> {
    let read = Scaled::new(text).and_then(Scaled::nearest);
    read.or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()))
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

/// The powers of ten that are doubles.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// The integers below which every one is a double.
const WHOLE: u64 = 1 << 53;
/// The lowest significand of a double that is not subnormal.
const LOWEST: u64 = 1 << 52;

/// The powers of ten that make room for some digits of a word.
const ROOM: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// The powers of five that belong to [`TENS`].
#[expect(clippy::indexing_slicing, reason = "a constant with a wrong place does not compile")]
const FIVES: [i64; 23] = {
    let (mut fives, mut at) = ([1; 23], 1);
    while at < fives.len() {
        fives[at] = 5 * fives[at - 1];
        at += 1;
    }
    fives
};

/// A number, read in one pass: its digits as an integer, and the power of ten it is to be multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) negative: bool,
    pub(crate) digits: u64,
    pub(crate) power: i32,
    /// There is neither a point nor an exponent.
    pub(crate) plain: bool,
    /// The bytes of its text.
    pub(crate) length: usize,
}

impl Scaled {
    /// Reads the number of the JSON grammar at the front of a text; none if there is none, if its digits are no
    /// integer of 64 bits, or those of its exponent more than four. In line, so that its parts stay in registers.
    #[inline(always)]
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let negative = bytes.first() == Some(&b'-');
        let unsigned = bytes.get(usize::from(negative)..)?;
        let (mut digits, whole) = run(0, unsigned);
        if whole == 0 || (whole > 1 && unsigned.first() == Some(&b'0')) {
            return None;
        }
        let (mut at, mut power, mut count) = (whole, 0, whole);
        if unsigned.get(at) == Some(&b'.') {
            let fraction = unsigned.get(at + 1..)?;
            let zeros = if digits == 0 { zeros(fraction) } else { 0 };
            let (all, more) = run(digits, fraction.get(zeros..)?);
            if zeros + more == 0 {
                return None;
            }
            digits = all;
            count = if zeros > 0 { more } else { count + more };
            at += 1 + zeros + more;
            power = -i32::try_from(zeros + more).ok()?;
        }
        // Of 20 digits the integer may be one of 64 bits where the first is 1; less than it is what overflows.
        let long = unsigned.first() == Some(&b'1') && digits >= 10_u64.pow(19);
        if count > 20 || (count == 20 && !long) {
            return None;
        }
        if let Some(b'e' | b'E') = unsigned.get(at) {
            let (exponent, length) = exponent(unsigned.get(at + 1..)?)?;
            power = power.checked_add(exponent)?;
            at += 1 + length;
        }
        let length = at + usize::from(negative);
        Some(Self { negative, digits, power, plain: at == whole, length })
    }

    /// The same of a text that is a number and nothing else.
    #[inline(never)]
    pub(crate) fn new(text: &str) -> Option<Self> {
        Self::read(text.as_bytes()).filter(|number| number.length == text.len())
    }

    /// The same number without zeros at the end of its digits.
    fn trimmed(mut self) -> Self {
        if self.digits == 0 {
            self.power = 0;
        }
        while self.digits != 0 && self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.power += 1;
        }
        self
    }

    /// The nearest double, if that is quickly told.
    #[inline]
    pub(crate) fn nearest(self) -> Option<f64> {
        let size = if self.digits > WHOLE {
            Near::new(self)?.value()
        } else {
            let ten = *TENS.get(usize::try_from(self.power.unsigned_abs()).ok()?)?;
            // Both are doubles, so that the result is rounded once.
            let digits = self.digits as f64;
            if self.power < 0 { digits / ten } else { digits * ten }
        };
        Some(if self.negative { -size } else { size })
    }

    /// Whether it is an integer of 64 bits, or has so few digits that its nearest double prints them.
    #[inline]
    pub(crate) fn is_surely_exact(self) -> bool {
        let integer = self.plain && (!self.negative || self.digits <= i64::MIN.unsigned_abs());
        integer || (self.digits < LOWEST && (-290..=270).contains(&self.power))
    }

    /// Whether the shortest text of the nearest double is this number, if that is quickly told.
    #[inline]
    pub(crate) fn is_shortest(self) -> Option<bool> {
        let number = self.trimmed();
        if number.digits < LOWEST && (-290..=290).contains(&number.power) {
            // Numbers of so few digits lie farther apart than the doubles around them.
            return Some(true);
        }
        if number.digits >= 10_u64.pow(17) {
            return None;
        }
        Near::new(number)?.is_shortest(number.digits)
    }

    /// The nearest double, if it is quickly told that its shortest text is this number.
    #[inline]
    pub(crate) fn shortest(self) -> Option<f64> {
        let number = self.trimmed();
        if number.is_shortest()? { number.nearest() } else { None }
    }
}

/// Appends the digits at the front to an integer, which may overflow, and counts them.
#[inline]
fn run(before: u64, bytes: &[u8]) -> (u64, usize) {
    let (mut digits, mut count) = (before, 0);
    while let Some(eight) = bytes.get(count..).and_then(<[u8]>::first_chunk) {
        let (word, found) = (u64::from_le_bytes(*eight), leading_digits(*eight));
        // Bytes that are no digits are shifted out; the zeros shifted in are leading ones.
        let Some(room) = ROOM.get(found) else {
            digits = digits.wrapping_mul(100_000_000).wrapping_add(joined(word));
            count += 8;
            continue;
        };
        let value = joined(word << (8 * (7 - found)) << 8);
        return (digits.wrapping_mul(*room).wrapping_add(value), count + found);
    }
    for byte in bytes.get(count..).unwrap_or_default() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (digits, count)
}

/// The value of the eight digits of a word, the first in its lowest byte; a byte of zero is one too.
#[inline]
fn joined(word: u64) -> u64 {
    // Neighbours are joined: first into pairs, then into fours, then into eight.
    let ones = word & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = (ones.wrapping_mul(10 << 8 | 1) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

fn zeros(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b'0').count()
}

/// The exponent at the front and its length.
fn exponent(bytes: &[u8]) -> Option<(i32, usize)> {
    let (negative, sign) = match bytes.first()? {
        b'-' => (true, 1),
        b'+' => (false, 1),
        _ => (false, 0),
    };
    let (size, count) = run(0, bytes.get(sign..)?);
    let size = i32::try_from(size).ok().filter(|_| (1..=4).contains(&count))?;
    Some((if negative { -size } else { size }, sign + count))
}

/// The double nearest to a number, and how far away that is.
struct Near {
    significand: u64,
    exponent: i32,
    /// Half the distance between doubles, the number less the double, and one in its last digit: in
    /// the same unit.
    half: i64,
    off: i64,
    last: i64,
}

impl Near {
    #[inline]
    fn new(number: Scaled) -> Option<Self> {
        let places = number.power.checked_neg().filter(|places| (1..=22).contains(places))?;
        let place = usize::try_from(places).ok()?;
        let (ten, half) = (*TENS.get(place)?, *FIVES.get(place)?);
        // At most two doubles away.
        let bits = (number.digits as f64 / ten).to_bits();
        let mut significand = (bits & (LOWEST - 1)) | LOWEST;
        let exponent = i32::try_from(bits >> 52).ok()? - 1075;
        let shift = u32::try_from(1 - (exponent + places)).ok()?;
        let last = 1_i64.checked_shl(shift)?;
        // Both are longer than 64 bits, but their difference is not: what is above is the same.
        let exact = number.digits.wrapping_mul(last.unsigned_abs());
        let double = (2 * significand).wrapping_mul(half.unsigned_abs());
        let mut off = exact.wrapping_sub(double).cast_signed();
        // Without branches, which could not be foreseen.
        let beyond = |halves: i64| i64::from(off > halves * half) - i64::from(off < -halves * half);
        let steps = beyond(1) + beyond(3);
        significand = significand.wrapping_add_signed(steps);
        off -= 2 * steps * half;
        let told = off.abs() < half && LOWEST < significand && significand < WHOLE;
        told.then_some(Self { significand, exponent, half, off, last })
    }

    fn value(&self) -> f64 {
        let exponent = u64::from((self.exponent + 1075).unsigned_abs());
        f64::from_bits(exponent << 52 | (self.significand & (LOWEST - 1)))
    }

    /// Whether no number of less digits, and none of as many that is nearer, reads as the double; of 16 or
    /// 17 digits.
    fn is_shortest(&self, digits: u64) -> Option<bool> {
        // Just above a power of ten the numbers below lie close together.
        if digits.wrapping_sub(10_u64.pow(16)) < 32 {
            return None;
        }
        let last = (digits % 10).cast_signed();
        // From the double down and up to the next numbers with one digit less.
        let below = last * self.last - self.off;
        let above = (10 - last) * self.last + self.off;
        match (2 * self.off.abs()).cmp(&self.last) {
            _ if below == self.half || above == self.half => None,
            _ if below < self.half || above < self.half => Some(false),
            Ordering::Less => Some(true),
            Ordering::Equal => None,
            Ordering::Greater => Some(false),
        }
    }
}

#[cfg(test)]
mod tests;
