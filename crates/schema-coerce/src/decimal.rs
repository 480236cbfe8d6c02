//! Whole multiples of exact decimal numbers; order and equality are those of [`Decimal`].

use core::cmp::Ordering;

use toolweir_rjson::Decimal;

/// The order of two numbers.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    Decimal::new(a).cmp(&Decimal::new(b))
}

/// The divisor of `multipleOf`, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Divisor {
    digits: u64,
    power: i128,
}

impl Divisor {
    /// None for zero, negative numbers and those of more than 18 digits.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let decimal = Decimal::new(text);
        if decimal.is_negative() || decimal.is_zero() || decimal.precision() > 18 {
            return None;
        }
        let digit = |digits: u64, digit: u8| digits * 10 + u64::from(digit.wrapping_sub(b'0'));
        Some(Self { digits: decimal.digits().fold(0, digit), power: decimal.power()? })
    }

    /// Whether the number is a whole multiple.
    pub(crate) fn divides(&self, text: &str) -> bool {
        let decimal = Decimal::new(text);
        if decimal.is_zero() {
            return true;
        }
        // Beyond all use, an exponent is as good as the longest.
        let power =
            decimal.power().unwrap_or(if decimal.is_integer() { i128::MAX } else { i128::MIN });
        // The last digit is not 0, so a value with more places than the divisor is no multiple of it.
        let zeros = power.saturating_sub(self.power);
        if zeros < 0 {
            return false;
        }
        let mut zeros = u64::try_from(zeros).unwrap_or(u64::MAX);
        let modulus = u128::from(self.digits);
        let mut rest = decimal.digits().fold(0u128, |rest, digit| {
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
