//! The exact value of a number's text, for comparing and converting.
//!
//! A value is a sign, significant digits without zeros at either end, and a power of ten. The power
//! is the written exponent, which may be longer than any machine integer, and a shift that comes from
//! the place of the point.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal<'t> {
    negative: bool,
    /// Before and behind the point, outer zeros cut.
    int: &'t str,
    fraction: &'t str,
    /// The written exponent: sign, digits without leading zeros.
    exponent: (bool, &'t str),
    /// What the last significant digit's power is beyond the written exponent.
    shift: i128,
}

impl<'t> Decimal<'t> {
    /// Reads the text of a number of the JSON grammar.
    pub(crate) fn new(text: &'t str) -> Self {
        let (negative, text) = sign(text);
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
        let (negative_exponent, exponent) = sign(exponent);
        let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
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

    pub(crate) fn is_zero(&self) -> bool {
        self.int.is_empty() && self.fraction.is_empty()
    }

    /// Whether the value is below zero or a zero with a sign.
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// How many significant digits there are.
    pub(crate) fn digits(&self) -> usize {
        self.int.len() + self.fraction.len()
    }

    /// The power of ten of the last significant digit; none when it is beyond all use.
    pub(crate) fn power(&self) -> Option<i128> {
        let (negative, digits) = self.exponent;
        if digits.len() > 30 {
            return None;
        }
        let exponent: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        Some(if negative { -exponent } else { exponent } + self.shift)
    }

    /// Whether a value other than zero is an integer.
    pub(crate) fn is_integral(&self) -> bool {
        match self.power() {
            Some(power) => power >= 0,
            // An exponent this long outweighs any shift.
            None => !self.exponent.0,
        }
    }

    /// The size of the value without its sign, if it is an integer below 2^128.
    pub(crate) fn integer(&self) -> Option<u128> {
        if self.is_zero() {
            return Some(0);
        }
        let power = u32::try_from(self.power()?).ok()?;
        if self.digits() > 39 {
            return None;
        }
        let mut value: u128 = 0;
        for digit in self.int.bytes().chain(self.fraction.bytes()) {
            value = value.checked_mul(10)?.checked_add(u128::from(digit.wrapping_sub(b'0')))?;
        }
        value.checked_mul(10u128.checked_pow(power)?)
    }

    /// The whole power of ten as sign and digits, however long the exponent is.
    fn long_power(&self) -> (bool, String) {
        if let Some(power) = self.power() {
            return (power < 0, power.unsigned_abs().to_string());
        }
        // The written exponent is at least 10^30, far beyond any shift, so its sign stays.
        let (negative, digits) = self.exponent;
        let shift = if negative { -self.shift } else { self.shift };
        let (mut carry, mut sum) = (shift, Vec::with_capacity(digits.len() + 1));
        for digit in digits.bytes().rev() {
            let value = i128::from(digit.wrapping_sub(b'0')) + carry;
            // A remainder by ten is one digit.
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
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && other.is_zero();
        }
        self.negative == other.negative
            && self.digits() == other.digits()
            && self
                .int
                .bytes()
                .chain(self.fraction.bytes())
                .eq(other.int.bytes().chain(other.fraction.bytes()))
            && self.long_power() == other.long_power()
    }
}

/// The same for all texts of one value.
impl Hash for Decimal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.is_zero() {
            return;
        }
        self.negative.hash(state);
        for digit in self.int.bytes().chain(self.fraction.bytes()) {
            state.write_u8(digit);
        }
        // Beyond this a value may be written with an exponent that `power` reads and with one that it
        // does not.
        self.power().filter(|power| power.unsigned_abs() < 10_u128.pow(28)).hash(state);
    }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}
