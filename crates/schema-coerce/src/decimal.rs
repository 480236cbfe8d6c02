//! Exact decimal arithmetic on the texts of numbers: order, equality, whole multiples.
//!
//! A number is `0.d1d2d3… · 10^top` with `d1` not 0; nothing goes through a double.

use alloc::format;
use alloc::string::String;
use core::cmp::Ordering;

use crate::text::NumberText;

/// A number taken apart.
struct Parts {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// The power of ten of the digit before the first one.
    top: i64,
}

fn parts(text: &str) -> Option<Parts> {
    let number = NumberText::parse(text, usize::MAX)?;
    let digits = number.significant();
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let negative = text.starts_with('-') && !digits.is_empty();
    let top = if digits.is_empty() { 0 } else { number.shift().saturating_add(length) };
    Some(Parts { negative, digits, top })
}

/// A text that is the same for equal numbers.
pub(crate) fn canonical(text: &str) -> String {
    match parts(text) {
        Some(p) if p.digits.is_empty() => String::from("0"),
        Some(p) => format!("{}{}e{}", if p.negative { "-" } else { "" }, p.digits, p.top),
        None => String::from(text),
    }
}

/// The order of two numbers.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (Some(a), Some(b)) = (parts(a), parts(b)) else { return Ordering::Equal };
    let size = || match (a.digits.is_empty(), b.digits.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => a.top.cmp(&b.top).then_with(|| a.digits.cmp(&b.digits)),
    };
    match (a.negative, b.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => size(),
        (true, true) => size().reverse(),
    }
}

/// The divisor of `multipleOf`, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Divisor {
    digits: u64,
    shift: i64,
}

impl Divisor {
    /// None for zero, negative numbers and those of more than 18 digits.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let parts = parts(text)?;
        if parts.negative || parts.digits.is_empty() || parts.digits.len() > 18 {
            return None;
        }
        let length = i64::try_from(parts.digits.len()).ok()?;
        Some(Self { digits: parts.digits.parse().ok()?, shift: parts.top.checked_sub(length)? })
    }

    /// Whether the number is a whole multiple.
    pub(crate) fn divides(&self, text: &str) -> bool {
        let Some(parts) = parts(text) else { return false };
        if parts.digits.is_empty() {
            return true;
        }
        let length = i64::try_from(parts.digits.len()).unwrap_or(i64::MAX);
        let shift = parts.top.saturating_sub(length).saturating_sub(self.shift);
        // The last digit is not 0, so a value with more places than the divisor is no multiple of it.
        let Ok(mut zeros) = u64::try_from(shift) else { return false };
        let modulus = u128::from(self.digits);
        let mut rest = parts.digits.bytes().fold(0u128, |rest, digit| {
            rest.wrapping_mul(10).wrapping_add(u128::from(digit.wrapping_sub(b'0'))) % modulus
        });
        // rest · 10^zeros by squaring; the modulus is below 2^64, so no product overflows.
        let mut power = 10u128 % modulus;
        while zeros > 0 {
            if zeros & 1 == 1 {
                rest = rest.wrapping_mul(power) % modulus;
            }
            power = power.wrapping_mul(power) % modulus;
            zeros >>= 1;
        }
        rest == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_by_value() {
        for (a, b) in [("-1", "0"), ("2", "10"), ("0.1", "0.11"), ("-10", "-2"), ("1e3", "1e400")] {
            assert_eq!(compare(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare(b, a), Ordering::Greater, "{a} {b}");
        }
        for (a, b) in [("0", "-0.0"), ("5", "50e-1"), ("1000", "1E3")] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} {b}");
            assert_eq!(canonical(a), canonical(b));
        }
    }

    #[test]
    fn multiples_are_exact() {
        let divides = |d: &str, n: &str| Divisor::new(d).unwrap().divides(n);
        for (d, n) in
            [("0.01", "19.99"), ("3", "9e30"), ("7", "0"), ("2.5", "-7.5"), ("10", "1e400")]
        {
            assert!(divides(d, n), "{n} is a multiple of {d}");
        }
        for (d, n) in [("0.01", "1.005"), ("3", "1e30"), ("2", "3"), ("10", "5")] {
            assert!(!divides(d, n), "{n} is no multiple of {d}");
        }
        assert!(Divisor::new("0").is_none());
        assert!(Divisor::new("-2").is_none());
    }
}
