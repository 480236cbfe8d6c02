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

/// The digits of a number as an integer, and the power of ten it is to be multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) digits: u64,
    pub(crate) power: i32,
}

/// The most digits that surely fit into the integer.
const MOST: usize = 19;

impl Scaled {
    /// Reads a number of the JSON grammar without its sign; none if it has more than 19 digits, zeros
    /// at the front not counted, or an exponent of more than four.
    #[inline]
    pub(crate) fn new(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mut digits, whole) = run(0, bytes);
        let (mut at, mut power, mut count) = (whole, 0, whole);
        if bytes.get(at) == Some(&b'.') {
            let fraction = bytes.get(at + 1..)?;
            let zeros = if digits == 0 { zeros(fraction) } else { 0 };
            let (all, more) = run(digits, fraction.get(zeros..)?);
            digits = all;
            count = if zeros > 0 { more } else { count + more };
            at += 1 + zeros + more;
            power = -i32::try_from(zeros + more).ok()?;
        }
        if count > MOST {
            return None;
        }
        match bytes.get(at) {
            None => Some(Self { digits, power }),
            Some(b'e' | b'E') => {
                let power = power.checked_add(exponent(bytes.get(at + 1..)?)?)?;
                Some(Self { digits, power })
            }
            Some(_) => None,
        }
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
        if self.digits > WHOLE {
            return Near::new(self).map(|near| near.value());
        }
        let ten = *TENS.get(usize::try_from(self.power.unsigned_abs()).ok()?)?;
        // Both are doubles, so that the result is rounded once.
        let digits = self.digits as f64;
        Some(if self.power < 0 { digits / ten } else { digits * ten })
    }

    /// Whether the shortest text of the nearest double is this number, if that is quickly told.
    #[inline]
    pub(crate) fn is_shortest(self) -> Option<bool> {
        let Self { digits, power } = self.trimmed();
        if digits < LOWEST && (-290..=290).contains(&power) {
            // Numbers of so few digits lie farther apart than the doubles around them.
            return Some(true);
        }
        if digits >= 10_u64.pow(17) {
            return None;
        }
        Near::new(Self { digits, power })?.is_shortest(digits)
    }

    /// The nearest double, if it is quickly told that its shortest text is this number.
    #[inline]
    pub(crate) fn shortest(self) -> Option<f64> {
        let number = self.trimmed();
        if number.digits < LOWEST {
            return number.nearest();
        }
        if number.digits >= 10_u64.pow(17) {
            return None;
        }
        let near = Near::new(number)?;
        near.is_shortest(number.digits)?.then(|| near.value())
    }
}

/// Appends the digits at the front to an integer, which may overflow, and counts them.
#[inline]
fn run(before: u64, bytes: &[u8]) -> (u64, usize) {
    let (mut digits, mut count) = (before, 0);
    let mut rest = bytes;
    while let Some((eight, more)) = rest.split_first_chunk() {
        let Some(value) = eight_digits(*eight) else { break };
        digits = digits.wrapping_mul(100_000_000).wrapping_add(value);
        (count, rest) = (count + 8, more);
    }
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (digits, count)
}

/// The value of eight digits.
#[inline]
fn eight_digits(bytes: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(bytes);
    let high = word & 0xF0F0_F0F0_F0F0_F0F0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0;
    if high != 0x3030_3030_3030_3030 || carried != high {
        return None;
    }
    // Neighbours are joined: first into pairs, then into fours, then into eight.
    let ones = word & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = (ones.wrapping_mul(10 << 8 | 1) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_FFFF_0000_FFFF;
    Some(fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}

fn zeros(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b'0').count()
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
        let half = u128::from(5_u64.pow(places.unsigned_abs()));
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
        // Just above a power of ten the numbers below lie close together.
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
    use alloc::string::String;

    use proptest::prelude::*;

    fn check(text: &str) {
        let Some(scaled) = Scaled::new(text) else { return };
        let double: f64 = text.parse().unwrap();
        if let Some(found) = scaled.nearest() {
            assert_eq!(found.to_bits(), double.to_bits(), "{text}");
        }
        if let Some(found) = scaled.is_shortest() {
            let printed = Scaled::new(&format!("{double:e}")).map(Scaled::trimmed);
            assert_eq!(found, printed == Some(scaled.trimmed()), "{text}");
        }
        if let Some(found) = scaled.shortest() {
            assert_eq!(found.to_bits(), double.to_bits(), "{text}");
            assert_eq!(scaled.is_shortest(), Some(true), "{text}");
        }
    }

    #[test]
    fn digits_and_power_are_read() {
        for (text, digits, power) in [
            ("0", 0, 0),
            ("0.000", 0, -3),
            ("120", 120, 0),
            ("0.00120", 120, -5),
            ("1.50e3", 150, 1),
            ("1e-9999", 1, -9999),
            ("1234567890123456789", 1_234_567_890_123_456_789, 0),
            ("0.00001234567890123456789", 1_234_567_890_123_456_789, -23),
            ("12345678.12345678", 1_234_567_812_345_678, -8),
            ("9876543210123456.789", 9_876_543_210_123_456_789, -3),
        ] {
            let found = Scaled::new(text).unwrap();
            assert_eq!((found.digits, found.power), (digits, power), "{text}");
        }
        let trimmed = Scaled::new("0.00120").unwrap().trimmed();
        assert_eq!((trimmed.digits, trimmed.power), (12, -4));
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
            told += usize::from(scaled.shortest().is_some());
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
