//! The exact value of a number's text, for comparing and converting.
//!
//! A value is a sign, significant digits without zeros at either end, and a power of ten. The power
//! is the written exponent, which may be longer than any machine integer, and a shift that comes from
//! the place of the point.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::NumberText;

/// The exact value of a number, whatever its size: order and equality of decimal texts.
///
/// ```
/// use toolweir_rjson::Decimal;
///
/// assert_eq!(Decimal::new("50e-1"), Decimal::new("5.0"));
/// assert!(Decimal::new("1e400") < Decimal::new("123e399"));
/// assert_eq!(Decimal::new("1.50e1").integer(), Some(15));
/// assert_eq!(Decimal::new("-0.25").to_string(), "-25e-2");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'t> {
    negative: bool,
    /// Before and after the point, outer zeros cut.
    int: &'t str,
    fraction: &'t str,
    /// The written exponent: sign, digits without leading zeros.
    exponent: (bool, &'t str),
    /// What the last significant digit's power is beyond the written exponent.
    shift: i128,
}

impl<'t> Decimal<'t> {
    /// The value of the text of a number of the JSON grammar. A plus sign before it may stand too, and
    /// the digits before or after its point may be missing; anything else has no meaning.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let NumberText { negative, int, fraction, exponent, .. } = NumberText::of(text);
        let (negative_exponent, exponent) = sign(exponent.get(1..).unwrap_or_default());
        let fraction = fraction.unwrap_or_default().trim_end_matches('0');
        let (mut int, mut fraction, mut shift) =
            (int.trim_start_matches('0'), fraction, -(fraction.len() as i128));
        if int.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        if fraction.is_empty() {
            let trimmed = int.trim_end_matches('0');
            shift += (int.len() - trimmed.len()) as i128;
            int = trimmed;
        }
        let exponent = (negative_exponent, exponent.trim_start_matches('0'));
        Self { negative, int, fraction, exponent, shift }
    }

    /// Whether the value is zero, with a sign or without.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.int.is_empty() && self.fraction.is_empty()
    }

    /// Whether the value is below zero or a zero with a sign.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// How many significant digits there are.
    #[must_use]
    pub fn precision(&self) -> usize {
        self.int.len() + self.fraction.len()
    }

    /// The significant digits, as characters: from the first to the last that is not 0.
    pub fn digits(&self) -> impl Iterator<Item = u8> + 't {
        self.int.bytes().chain(self.fraction.bytes())
    }

    /// The power of ten of the last significant digit; none when it is beyond all use.
    #[must_use]
    pub fn power(&self) -> Option<i128> {
        let (negative, digits) = self.exponent;
        if digits.len() > 30 {
            return None;
        }
        let exponent: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        Some(if negative { -exponent } else { exponent } + self.shift)
    }

    /// Whether the value is an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match self.power() {
            _ if self.is_zero() => true,
            Some(power) => power >= 0,
            // An exponent this long outweighs any shift.
            None => !self.exponent.0,
        }
    }

    /// The size of the value without its sign, if it is an integer below 2^128.
    #[must_use]
    pub fn integer(&self) -> Option<u128> {
        if self.is_zero() {
            return Some(0);
        }
        let power = u32::try_from(self.power()?).ok()?;
        if self.precision() > 39 {
            return None;
        }
        let mut value: u128 = 0;
        for digit in self.digits() {
            value = value.checked_mul(10)?.checked_add(u128::from(digit.wrapping_sub(b'0')))?;
        }
        value.checked_mul(10u128.checked_pow(power)?)
    }

    /// The power of ten of the digit so many places before the last one, as sign and digits, however
    /// long the exponent is.
    fn long_power(&self, places: usize) -> (bool, String) {
        let places = places as i128;
        if let Some(power) = self.power() {
            return (power + places < 0, (power + places).unsigned_abs().to_string());
        }
        // So long an exponent keeps its sign, whatever is added.
        let (negative, digits) = self.exponent;
        let shift = self.shift + places;
        let (mut carry, mut sum) =
            (if negative { -shift } else { shift }, Vec::with_capacity(digits.len() + 1));
        for digit in digits.bytes().rev() {
            let value = i128::from(digit.wrapping_sub(b'0')) + carry;
            // A remainder of ten is a digit.
            sum.push(b'0' + value.rem_euclid(10) as u8);
            carry = value.div_euclid(10);
        }
        while carry > 0 {
            sum.push(b'0' + (carry % 10) as u8);
            carry /= 10;
        }
        let sum: String = sum.iter().rev().map(|&digit| char::from(digit)).collect();
        (negative, sum.trim_start_matches('0').to_string())
    }

    /// The order of two sizes, neither of which is zero.
    fn compare_sizes(&self, other: &Self) -> Ordering {
        let tops = match (self.power(), other.power()) {
            (Some(own), Some(other_power)) => {
                (own + self.precision() as i128).cmp(&(other_power + other.precision() as i128))
            }
            _ => {
                let (own, other) =
                    (self.long_power(self.precision()), other.long_power(other.precision()));
                let sizes = (own.1.len(), &own.1).cmp(&(other.1.len(), &other.1));
                match (own.0, other.0) {
                    (false, false) => sizes,
                    (true, true) => sizes.reverse(),
                    (own, other) => other.cmp(&own),
                }
            }
        };
        tops.then_with(|| self.digits().cmp(other.digits()))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let negative = |decimal: &Self| decimal.negative && !decimal.is_zero();
        match (negative(self), negative(other)) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (true, true) => other.compare_sizes(self),
            (false, false) => match (self.is_zero(), other.is_zero()) {
                (false, false) => self.compare_sizes(other),
                (own, other) => other.cmp(&own),
            },
        }
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Decimal<'_> {}

/// The same for all texts of one value: its significant digits and their power of ten.
impl fmt::Display for Decimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        let (negative, power) = self.long_power(0);
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}{}e", self.int, self.fraction)?;
        write!(f, "{}{power}", if negative { "-" } else { "" })
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && other.is_zero();
        }
        self.negative == other.negative
            && self.precision() == other.precision()
            && self.digits().eq(other.digits())
            && self.long_power(0) == other.long_power(0)
    }
}

/// The same for all texts of one value.
impl Hash for Decimal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.is_zero() {
            return;
        }
        self.negative.hash(state);
        for digit in self.digits() {
            state.write_u8(digit);
        }
        // Beyond this a value may be written with an exponent that `power` reads and with one that it
        // does not.
        self.power().filter(|power| power.unsigned_abs() < 10_u128.pow(28)).hash(state);
    }
}

pub(super) fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}
