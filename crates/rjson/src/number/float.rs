//! Doubles and numbers of few digits, without going through text.
//!
//! Both questions asked here (which double is nearest, and whether printing it gives the number back)
//! are answered with integers: a number `m / 10^k` and a double `s * 2^e` are compared as
//! `m * 2^-(e + k)` and `s * 5^k`, whose difference fits into 64 bits for `k` up to 22. What is rare (other
//! exponents, ties, doubles beside a power of two) is left to the caller.

use core::cmp::Ordering;

use super::text::leading_digits;

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
        let told = number.digits < LOWEST || number.is_shortest()?;
        if told { number.nearest() } else { None }
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
mod tests {
    use super::*;
    use crate::number::json_length;
    use alloc::format;
    use alloc::string::String;

    use proptest::prelude::*;

    fn check(text: &str) {
        let Some(scaled) = Scaled::new(text) else { return };
        let double: f64 = text.parse().unwrap();
        if let Some(found) = scaled.nearest() {
            assert_eq!(found.to_bits(), double.to_bits(), "{text}");
        }
        if scaled.is_surely_exact() {
            let integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
            assert!(integer || scaled.is_shortest() == Some(true), "{text}");
        }
        if let Some(found) = scaled.is_shortest() {
            let printed = Scaled::new(&format!("{double:e}")).unwrap().trimmed();
            let own = scaled.trimmed();
            let same = (printed.digits, printed.power) == (own.digits, own.power);
            assert_eq!(found, same, "{text}");
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
            ("18446744073709551615", u64::MAX, 0),
            ("1.8446744073709551615", u64::MAX, -19),
        ] {
            let found = Scaled::new(text).unwrap();
            assert_eq!((found.digits, found.power), (digits, power), "{text}");
        }
        let trimmed = Scaled::new("0.00120").unwrap().trimmed();
        assert_eq!((trimmed.digits, trimmed.power), (12, -4));
        for text in ["18446744073709551616", "20000000000000000000", "1e99999", "1x"] {
            assert_eq!(Scaled::new(text), None);
        }
        let read = Scaled::read(b"-12.5e1,").unwrap();
        assert_eq!((read.negative, read.digits, read.power, read.length), (true, 125, 0, 7));
        assert_eq!(read.nearest(), Some(-125.0));
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
        fn the_grammar_is_that_of_json(text in "-?[0-9]{0,21}[.]?[0-9]{0,12}[eE]?[-+]?[0-9]{0,5}[-+.e,x]?") {
            if let Some(read) = Scaled::read(text.as_bytes()) {
                assert_eq!(json_length(text.as_bytes()), Ok(read.length), "{text}");
                let plain = text.as_bytes()[..read.length].iter().all(|byte| !b".eE".contains(byte));
                assert_eq!(read.plain, plain, "{text}");
            }
        }

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
