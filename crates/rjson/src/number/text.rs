//! The grammar of numbers, strict and relaxed, the parts of a number's text, and its exact value.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::{self, Write as _};
use core::hash::{Hash, Hasher};

/// How far a number has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numeral {
    Start,
    Sign,
    Zero,
    Int,
    /// After a point without digits before it.
    LeadingPoint,
    /// After the point.
    Point,
    Fraction,
    /// After `e`.
    Exponent,
    ExponentSign,
    ExponentDigits,
    /// In a hexadecimal number: the digits so far.
    Hex(usize),
}

impl Numeral {
    /// Reads on: how many bytes belong to the number, and the state after them. The parts of a number stand
    /// in one order, so each is passed where the state stands at it. Always in line: where the number begins
    /// the state is known.
    #[inline(always)]
    pub(crate) fn read(self, bytes: &[u8], relaxed: bool) -> (usize, Self) {
        let (mut state, mut at) = (self, 0);
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        if state == Self::Start && (byte(at) == b'-' || (relaxed && byte(at) == b'+')) {
            (state, at) = (Self::Sign, at + 1);
        }
        if matches!(state, Self::Start | Self::Sign) {
            match byte(at) {
                b'0' => (state, at) = (Self::Zero, at + 1),
                b'1'..=b'9' => (state, at) = (Self::Int, at + 1),
                b'.' if relaxed => (state, at) = (Self::LeadingPoint, at + 1),
                _ => return (at, state),
            }
        }
        if state == Self::Int {
            at = digits(bytes, at);
        }
        if relaxed && state == Self::Zero && matches!(byte(at), b'x' | b'X') {
            (state, at) = (Self::Hex(0), at + 1);
        }
        if let Self::Hex(before) = state {
            let hex = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_hexdigit()).count();
            return (at + hex, Self::Hex(before + hex));
        }
        if matches!(state, Self::Zero | Self::Int) && byte(at) == b'.' {
            (state, at) = (Self::Point, at + 1);
        }
        if matches!(state, Self::LeadingPoint | Self::Point | Self::Fraction) {
            let end = digits(bytes, at);
            (state, at) = (if end > at { Self::Fraction } else { state }, end);
        }
        let may_have = matches!(state, Self::Zero | Self::Int | Self::Fraction)
            || (relaxed && state == Self::Point);
        if may_have && matches!(byte(at), b'e' | b'E') {
            (state, at) = (Self::Exponent, at + 1);
        }
        if state == Self::Exponent && matches!(byte(at), b'+' | b'-') {
            (state, at) = (Self::ExponentSign, at + 1);
        }
        if matches!(state, Self::Exponent | Self::ExponentSign | Self::ExponentDigits) {
            let end = digits(bytes, at);
            (state, at) = (if end > at { Self::ExponentDigits } else { state }, end);
        }
        (at, state)
    }

    /// Whether a number may end here.
    #[inline]
    pub(crate) fn is_complete(self, relaxed: bool) -> bool {
        match self {
            Self::Zero | Self::Int | Self::Fraction | Self::ExponentDigits => true,
            Self::Point => relaxed,
            Self::Hex(digits) => digits > 0,
            _ => false,
        }
    }
}

/// Where the digits that begin at a place end.
#[inline]
fn digits(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let count = leading_digits(*eight);
        at += count;
        if count < 8 {
            return at;
        }
    }
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// How many of eight bytes are digits before the first that is none.
#[inline]
pub(super) fn leading_digits(bytes: [u8; 8]) -> usize {
    // A digit becomes its value; what is 10 or more reaches the top bit. A carry comes only after such a byte.
    let values = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    others.trailing_zeros() as usize / 8
}

/// The length of the JSON number at the front, or where it stops being one.
#[inline]
pub(crate) fn json_length(bytes: &[u8]) -> Result<usize, usize> {
    let (length, state) = Numeral::Start.read(bytes, false);
    let leading = state == Numeral::Zero && bytes.get(length).is_some_and(u8::is_ascii_digit);
    if state.is_complete(false) && !leading { Ok(length) } else { Err(length) }
}

/// Whether a text is a JSON number.
pub(crate) fn is_json(text: &str) -> bool {
    json_length(text.as_bytes()) == Ok(text.len())
}

/// The text of a decimal number, taken apart: one of JSON, or one of JSON5 that has a plus sign or
/// leaves out the digits on one side of its point.
///
/// ```
/// use toolweir_rjson::NumberText;
///
/// let number = NumberText::new("+.50e3").unwrap();
/// assert_eq!(number.to_json(), "0.50e3");
/// assert_eq!(number.decimal().integer(), Some(500));
/// assert!(!number.is_json() && NumberText::new("6.25").unwrap().is_json());
/// assert!(NumberText::new("007").is_none() && NumberText::new("0x1F").is_none());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NumberText<'t> {
    text: &'t str,
    pub(super) negative: bool,
    pub(super) int: &'t str,
    pub(super) fraction: Option<&'t str>,
    /// With `e`.
    pub(super) exponent: &'t str,
}

impl<'t> NumberText<'t> {
    /// The parts of a text that is a number and nothing else.
    #[must_use]
    pub fn new(text: &'t str) -> Option<Self> {
        let (length, state) = Numeral::Start.read(text.as_bytes(), true);
        if length < text.len() || !state.is_complete(true) {
            return None;
        }
        match state {
            Numeral::Hex(_) => None,
            Numeral::Zero | Numeral::Int => {
                let (negative, int) = sign(text);
                Some(Self { text, negative, int, fraction: None, exponent: "" })
            }
            _ => Some(Self::of(text)),
        }
    }

    /// The parts of what is known to be a number.
    pub(super) fn of(text: &'t str) -> Self {
        let (negative, unsigned) = sign(text);
        let end = unsigned.find(['e', 'E']).unwrap_or(unsigned.len());
        let (mantissa, exponent) = unsigned.split_at_checked(end).unwrap_or((unsigned, ""));
        let (int, fraction) = match mantissa.split_once('.') {
            Some((int, fraction)) => (int, Some(fraction)),
            None => (mantissa, None),
        };
        Self { text, negative, int, fraction, exponent }
    }

    /// How many digits stand before the exponent.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.int.len() + self.fraction.map_or(0, str::len)
    }

    /// Whether there is an exponent.
    #[must_use]
    pub fn has_exponent(&self) -> bool {
        !self.exponent.is_empty()
    }

    /// Whether there is neither a point nor an exponent.
    #[must_use]
    pub fn is_plain_integer(&self) -> bool {
        self.fraction.is_none() && !self.has_exponent()
    }

    /// Whether JSON writes it so.
    #[must_use]
    pub fn is_json(&self) -> bool {
        !self.text.starts_with('+') && !self.int.is_empty() && self.fraction != Some("")
    }

    /// How JSON writes it: with the same digits, and a zero where they are left out.
    #[must_use]
    pub fn to_json(&self) -> Cow<'t, str> {
        if self.is_json() {
            return Cow::Borrowed(self.text);
        }
        let mut out = String::with_capacity(self.text.len() + 1);
        self.push_json(&mut out);
        Cow::Owned(out)
    }

    fn push_json(&self, out: &mut String) {
        let or_zero = |digits: &'t str| if digits.is_empty() { "0" } else { digits };
        out.push_str(if self.negative { "-" } else { "" });
        out.push_str(or_zero(self.int));
        if let Some(fraction) = self.fraction {
            out.push('.');
            out.push_str(or_zero(fraction));
        }
        out.push_str(self.exponent);
    }

    /// Its exact value.
    #[must_use]
    pub fn decimal(&self) -> Decimal<'t> {
        Decimal::new(self.text)
    }
}

/// Appends the JSON spelling of a number of the relaxed grammar.
pub(crate) fn respell(text: &str, out: &mut String) {
    let (negative, unsigned) = sign(text);
    match unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        Some(digits) => {
            out.push_str(if negative { "-" } else { "" });
            push_digits(digits, 16, out);
        }
        None => NumberText::of(text).push_json(out),
    }
}

/// The most digits a number in another base may have: making them decimal takes time that grows with
/// the square of their count, and this keeps it within some tens of steps a digit.
pub(crate) const MAX_DIGITS: usize = 4096;

/// Decimal digits of one limb are nine.
const LIMB: u64 = 1_000_000_000;

/// Appends the decimal digits of a number given in a base from 2 to 36; what is no such digit counts as
/// zero.
pub(super) fn push_digits(digits: &str, radix: u32, out: &mut String) {
    // As many digits at a time as a limb surely holds.
    let step = LIMB.ilog(u64::from(radix)) as usize;
    // Lowest limb first.
    let mut limbs: Vec<u32> = Vec::new();
    for digits in digits.as_bytes().chunks(step) {
        let (mut carry, mut factor) = (0, 1);
        for &digit in digits {
            let value = char::from(digit).to_digit(radix).unwrap_or(0);
            carry = carry * u64::from(radix) + u64::from(value);
            factor *= u64::from(radix);
        }
        for limb in &mut limbs {
            let value = u64::from(*limb) * factor + carry;
            // Below `LIMB`, which is below 2^32.
            *limb = (value % LIMB) as u32;
            carry = value / LIMB;
        }
        if carry > 0 {
            // The carry is below `factor`, which is at most `LIMB`.
            limbs.push(carry as u32);
        }
    }
    let mut limbs = limbs.iter().rev();
    // Writing to a `String` cannot fail.
    let _ = write!(out, "{}", limbs.next().unwrap_or(&0));
    for limb in limbs {
        let _ = write!(out, "{limb:09}");
    }
}

/// The exact value of a number, whatever its size: order and equality of decimal texts.
///
/// It is a sign, significant digits without zeros at either end, and a power of ten: the written exponent, which
/// may be longer than any machine integer, and a shift that comes from the place of the point.
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
        let signum = |decimal: &Self| match decimal.negative {
            _ if decimal.is_zero() => 0,
            true => -1,
            false => 1,
        };
        match (signum(self), signum(other)) {
            (1, 1) => self.compare_sizes(other),
            (-1, -1) => other.compare_sizes(self),
            (own, other) => own.cmp(&other),
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
        self.cmp(other).is_eq()
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn a_number_may_be_cut_anywhere() {
        for text in ["-12.50E+07x", "0xFFg", "+.5e1", "1.e5e5", "00", "1e-2.5", "-.", "9e", "4..5"]
        {
            for relaxed in [false, true] {
                let whole = Numeral::Start.read(text.as_bytes(), relaxed);
                for cut in 0..=whole.0 {
                    let (front, rest) = text.as_bytes().split_at(cut);
                    let (length, state) = Numeral::Start.read(front, relaxed);
                    assert_eq!(length, cut, "{text}");
                    let (more, state) = state.read(rest, relaxed);
                    assert_eq!((cut + more, state), whole, "{text} at {cut}");
                }
            }
        }
    }

    #[test]
    fn digits_end_at_the_first_other_byte() {
        for length in 0..20 {
            for other in 0..=u8::MAX {
                let mut bytes = b"01234567890123456789x98765".to_vec();
                bytes.insert(length, other);
                let expected = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
                assert_eq!(digits(&bytes, 0), expected, "{other} at {length}");
            }
        }
    }

    #[test]
    fn other_bases_agree_with_the_machine() {
        for value in (0..2000u128).chain((0..128).flat_map(|bit| {
            let power = 1u128 << bit;
            [power - 1, power, power + (power >> 1)]
        })) {
            for (digits, radix) in
                [(format!("{value:x}"), 16), (format!("{value:o}"), 8), (format!("{value:b}"), 2)]
            {
                let mut out = String::new();
                push_digits(&digits, radix, &mut out);
                assert_eq!(out, format!("{value}"));
            }
        }
    }

    #[test]
    fn leading_zeros_and_long_numbers_are_exact() {
        let mut out = String::new();
        push_digits(&format!("{}1{}", "0".repeat(100), "0".repeat(50)), 16, &mut out);
        // 16^50
        assert_eq!(out, "1606938044258990275541962092341162602522202993782792835301376");
    }
}
