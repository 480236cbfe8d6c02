//! Doubles and numbers of few digits, without going through text.
//!
//! Both questions asked here (which double is nearest, and whether printing it gives the number back)
//! are answered with integers: a number `m / 10^k` and a double `s * 2^e` are compared as
//! `m * 2^-(e + k)` and `s * 5^k`, which fit into 128 bits for `k` up to 22. What is rare (other
//! exponents, ties, doubles beside a power of two) is left to the caller.

/// The powers of ten that are doubles.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// The integers below which every one is a double.
const WHOLE: u64 = 1 << 53;
/// The lowest significand of a double that is not subnormal.
const LOWEST: u64 = 1 << 52;

/// The digits of a number as an integer, without zeros at its end, and the power of ten it is to be
/// multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) digits: u64,
    pub(crate) power: i32,
}

impl Scaled {
    /// Reads a number of the JSON grammar without its sign; none if it has more than 19 significant
    /// digits, or an exponent of more than four.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let (mut digits, mut count, mut power, mut zeros) = (0_u64, 0, 0_i32, 0_u32);
        let (mut fraction, mut rest) = (false, text.as_bytes().iter());
        for &byte in rest.by_ref() {
            match byte {
                b'0' => {
                    zeros += u32::from(count > 0);
                    power -= i32::from(fraction);
                }
                b'1'..=b'9' => {
                    count += zeros + 1;
                    if count > 19 {
                        return None;
                    }
                    digits = digits.wrapping_mul(10_u64.checked_pow(zeros + 1)?);
                    digits = digits.wrapping_add(u64::from(byte - b'0'));
                    zeros = 0;
                    power -= i32::from(fraction);
                }
                b'.' => fraction = true,
                b'e' | b'E' => {
                    power = power.checked_add(exponent(rest.as_slice())?)?;
                    break;
                }
                _ => return None,
            }
        }
        Some(Self { digits, power: power.checked_add_unsigned(zeros)? })
    }

    /// The nearest double, if that is quickly told.
    #[inline]
    pub(crate) fn nearest(self) -> Option<f64> {
        let ten = *TENS.get(usize::try_from(self.power.unsigned_abs()).ok()?)?;
        if self.digits <= WHOLE {
            // Both are doubles, so that the result is rounded once.
            let digits = self.digits as f64;
            return Some(if self.power < 0 { digits / ten } else { digits * ten });
        }
        Near::new(self).map(|near| near.value())
    }

    /// Whether the shortest text of the nearest double is this number, if that is quickly told. Not
    /// meant for numbers of less than 16 digits, which all are.
    pub(crate) fn is_shortest(self) -> Option<bool> {
        if self.digits < LOWEST && (-290..=290).contains(&self.power) {
            // Numbers of so many digits lie farther apart than the doubles around them.
            return Some(true);
        }
        if self.digits.is_multiple_of(10) {
            return None;
        }
        Near::new(self)?.is_shortest(self.digits)
    }
}

fn exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.len() > 4 {
        return None;
    }
    let size = digits.iter().fold(0, |size, digit| size * 10 + i32::from(digit.wrapping_sub(b'0')));
    Some(if negative { -size } else { size })
}

/// The double nearest to a number, and how far away that is.
struct Near {
    significand: u64,
    exponent: i32,
    /// Half the distance between doubles, the number less the double, and one in its last digit: in
    /// the same unit.
    half: u128,
    off: i128,
    shift: u32,
}

impl Near {
    fn new(number: Scaled) -> Option<Self> {
        let places = number.power.checked_neg().filter(|places| (1..=22).contains(places))?;
        let ten = *TENS.get(usize::try_from(places).ok()?)?;
        // At most two doubles away.
        let bits = (number.digits as f64 / ten).to_bits();
        let mut significand = (bits & (LOWEST - 1)) | LOWEST;
        let exponent = i32::try_from(bits >> 52).ok()? - 1075;
        let shift = u32::try_from(-(exponent + places)).ok()?;
        let half = 5_u128.pow(places.unsigned_abs());
        let exact = i128::try_from(u128::from(number.digits) << (shift + 1)).ok()?;
        let off = |significand: u64| {
            let double = i128::try_from(2 * u128::from(significand) * half).ok()?;
            Some(exact - double)
        };
        for _ in 0..4 {
            let off = off(significand)?;
            match off.unsigned_abs().cmp(&half) {
                core::cmp::Ordering::Equal => return None,
                core::cmp::Ordering::Less if significand <= LOWEST || significand >= WHOLE => {
                    return None;
                }
                core::cmp::Ordering::Less => {
                    return Some(Self { significand, exponent, half, off, shift: shift + 1 });
                }
                core::cmp::Ordering::Greater if off > 0 => significand += 1,
                core::cmp::Ordering::Greater => significand -= 1,
            }
        }
        None
    }

    fn value(&self) -> f64 {
        let exponent = u64::from((self.exponent + 1075).unsigned_abs());
        f64::from_bits(exponent << 52 | (self.significand & (LOWEST - 1)))
    }

    /// Whether no number of less digits, and none of as many that is nearer, reads as the double.
    fn is_shortest(&self, digits: u64) -> Option<bool> {
        // Just above a power of ten the numbers below lie closer together.
        if digits - 10_u64.pow(digits.ilog10()) < 32 {
            return None;
        }
        let unit = 1_u128 << self.shift;
        let last = u128::from(digits % 10);
        // From the double down and up to the next numbers with one digit less.
        let below = (last * unit).checked_add_signed(-self.off)?;
        let above = ((10 - last) * unit).checked_add_signed(self.off)?;
        match (2 * self.off.unsigned_abs()).cmp(&unit) {
            _ if below == self.half || above == self.half => None,
            _ if below < self.half || above < self.half => Some(false),
            core::cmp::Ordering::Less => Some(true),
            core::cmp::Ordering::Equal => None,
            core::cmp::Ordering::Greater => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};

    use proptest::prelude::*;

    fn check(text: &str) {
        let Some(scaled) = Scaled::new(text) else { return };
        let double: f64 = text.parse().unwrap();
        if let Some(found) = scaled.nearest() {
            assert_eq!(found.to_bits(), double.to_bits(), "{text}");
        }
        let digits = scaled.digits.to_string().len();
        if (16..=17).contains(&digits)
            && let Some(found) = scaled.is_shortest()
        {
            assert_eq!(found, Scaled::new(&format!("{double:e}")) == Some(scaled), "{text}");
        }
    }

    #[test]
    fn digits_and_power_are_read() {
        for (text, digits, power) in [
            ("0", 0, 0),
            ("0.000", 0, -3),
            ("120", 12, 1),
            ("0.00120", 12, -4),
            ("1.50e3", 15, 2),
            ("1e-9999", 1, -9999),
            ("1234567890123456789", 1_234_567_890_123_456_789, 0),
            ("100000000000000000000000", 1, 23),
        ] {
            let found = Scaled::new(text).unwrap();
            let zero = digits == 0;
            assert_eq!((found.digits, found.power), (digits, power), "{text}");
            assert!(zero || !found.digits.is_multiple_of(10));
        }
        for text in ["12345678901234567891", "1e99999", "1.00000000000000000001"] {
            assert_eq!(Scaled::new(text), None);
        }
    }

    #[test]
    fn known_hard_numbers_are_read_as_the_standard_library_reads_them() {
        for text in [
            "9007199254740993.5",
            "9007199254740992.5",
            "4503599627370496.5",
            "4503599627370497.5",
            "0.30000000000000004",
            "0.1000000000000000055",
            "0.9999999999999999",
            "1.0000000000000002",
            "2.2250738585072011e-308",
            "179769313486231570e291",
            "8.41e21",
            "9.5367431640625e-7",
            "0.50000000000000006",
            "5e-324",
            "123456789012345.67",
        ] {
            check(text);
        }
    }

    #[test]
    fn most_printed_doubles_are_told_quickly() {
        let (mut seed, mut told) = (7_u64, 0);
        for _ in 0..10_000 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let double = (seed >> 11) as f64 / (1_u64 << 53) as f64 * 180.0;
            let text = format!("{double:?}");
            check(&text);
            let scaled = Scaled::new(&text).unwrap();
            told += usize::from(scaled.digits.ilog10() < 15 || scaled.is_shortest() == Some(true));
        }
        assert!(told > 9_900, "{told}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn doubles_are_told_as_the_standard_library_tells_them(
            whole in "[1-9][0-9]{0,8}|0", fraction in "[0-9]{1,18}", exponent in -30..30_i32
        ) {
            check(&format!("{whole}.{fraction}"));
            check(&format!("{whole}.{fraction}e{exponent}"));
        }

        #[test]
        fn neighbours_of_printed_doubles_too(bits in any::<u64>(), off in -30..30_i64) {
            let double = f64::from_bits(bits % (1 << 62));
            let text: String = format!("{double:e}");
            check(&text);
            if let Some(scaled) = Scaled::new(&text) {
                let near = scaled.digits.saturating_add_signed(off);
                check(&format!("{near}e{}", scaled.power));
                check(&format!("{near}e{}", -(off.unsigned_abs() as i32)));
            }
        }
    }
}
