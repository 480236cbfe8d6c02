//! Unquoted scalars: literals and numbers, exactly.

use std::fmt::Write as _;

use toolweir_rjson::Number;

use super::{ExprErrorKind, syntax};

/// What an unquoted text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    True,
    False,
    Null,
    /// Infinite, or no number.
    NonFinite,
    /// Its JSON spelling is in the buffer.
    Number,
    /// Digits with a leading zero, or any other text.
    Text,
}

/// The most digits of a number in another base: making them decimal takes time that grows with the
/// square of their count.
const MAX_DIGITS: usize = 4096;
/// What could have stood in the place of a text that is no scalar.
const VALUE: &str = "a value";
/// Bits taken at a time.
const STEP_BITS: usize = 28;
/// Decimal digits of one limb are nine.
const LIMB: u64 = 1_000_000_000;

/// Reads a scalar of Python or JSON; the JSON spelling of a number goes to `wire`.
pub(super) fn python(word: &str, wire: &mut String) -> Result<Scalar, ExprErrorKind> {
    wire.clear();
    if let Some(literal) = literal(word) {
        return Ok(literal);
    }
    let negative = word.starts_with('-');
    let body = word.strip_prefix(['-', '+']).unwrap_or(word);
    if is_non_finite(body) {
        return Ok(Scalar::NonFinite);
    }
    if negative {
        wire.push('-');
    }
    let bits = match body.as_bytes() {
        [b'0', b'x' | b'X', ..] => 4,
        [b'0', b'o' | b'O', ..] => 3,
        [b'0', b'b' | b'B', ..] => 1,
        _ => return decimal(body, wire),
    };
    let digits = body.get(2..).unwrap_or_default();
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    if !is_digits(digits, 1 << bits) {
        return syntax(VALUE);
    }
    if digits.len() > MAX_DIGITS {
        return Err(ExprErrorKind::TooLarge);
    }
    push_decimal(digits, bits, wire);
    Ok(Scalar::Number)
}

/// Reads an unquoted Gemma value: what strict JSON takes for a scalar is one, all else is text.
pub(super) fn gemma(word: &str) -> Scalar {
    match word {
        "true" => Scalar::True,
        "false" => Scalar::False,
        "null" => Scalar::Null,
        word if Number::from_text(word).is_ok() => Scalar::Number,
        _ => Scalar::Text,
    }
}

/// Whether a word that does not begin as a number is a value.
pub(super) fn is_literal(word: &str) -> bool {
    literal(word).is_some() || is_non_finite(word)
}

fn literal(word: &str) -> Option<Scalar> {
    Some(match word {
        "True" | "true" => Scalar::True,
        "False" | "false" => Scalar::False,
        "None" | "null" => Scalar::Null,
        _ => return None,
    })
}

fn is_non_finite(word: &str) -> bool {
    ["inf", "infinity", "nan"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

fn decimal(body: &str, wire: &mut String) -> Result<Scalar, ExprErrorKind> {
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => body.split_at_checked(at).unwrap_or((body, "")),
        None => (body, ""),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.get(1..).map(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        (exponent, is_digits(digits, 10))
    });
    let fits = |digits: &str| digits.is_empty() || is_digits(digits, 10);
    let fraction_digits = fraction.unwrap_or_default();
    if !fits(whole)
        || !fits(fraction_digits)
        || (whole.is_empty() && fraction_digits.is_empty())
        || exponent.is_some_and(|(_, fits)| !fits)
    {
        return syntax(VALUE);
    }
    if whole.len() > 1 && whole.starts_with('0') {
        return Ok(Scalar::Text);
    }
    push_digits(if whole.is_empty() { "0" } else { whole }, wire);
    if fraction.is_some() {
        wire.push('.');
        push_digits(if fraction_digits.is_empty() { "0" } else { fraction_digits }, wire);
    }
    if let Some((exponent, _)) = exponent {
        wire.push('e');
        push_digits(exponent, wire);
    }
    Ok(Scalar::Number)
}

/// Digits with single underscores between them.
fn is_digits(text: &str, base: u32) -> bool {
    let mut digit_before = false;
    let all = text.chars().all(|c| {
        let digit = c.is_digit(base);
        let fits = digit || (c == '_' && digit_before);
        digit_before = digit;
        fits
    });
    all && digit_before
}

fn push_digits(text: &str, wire: &mut String) {
    wire.extend(text.chars().filter(|c| *c != '_'));
}

/// Appends the decimal digits of a number whose digits have `bits` bits each.
fn push_decimal(digits: &str, bits: usize, wire: &mut String) {
    // Lowest limb first.
    let mut limbs: Vec<u32> = Vec::new();
    let values: Vec<u64> =
        digits.chars().filter_map(|c| c.to_digit(1 << bits)).map(u64::from).collect();
    for step in values.chunks(STEP_BITS / bits) {
        let mut carry = step.iter().fold(0, |carry, digit| (carry << bits) | digit);
        let factor = 1u64 << (bits * step.len());
        for limb in &mut limbs {
            let value = u64::from(*limb) * factor + carry;
            // Below `LIMB`, which is below 2^32.
            *limb = (value % LIMB) as u32;
            carry = value / LIMB;
        }
        if carry > 0 {
            // The carry is below `factor`, which is at most 2^28, hence below `LIMB`.
            limbs.push(carry as u32);
        }
    }
    let mut limbs = limbs.iter().rev();
    // Writing to a `String` cannot fail.
    let _ = write!(wire, "{}", limbs.next().unwrap_or(&0));
    for limb in limbs {
        let _ = write!(wire, "{limb:09}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(word: &str) -> Result<(Scalar, String), ExprErrorKind> {
        let mut wire = String::new();
        python(word, &mut wire).map(|scalar| (scalar, wire))
    }

    #[test]
    fn numbers_are_exact() {
        for (word, wire) in [
            ("1_000", "1000"),
            ("+3", "3"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1.e5", "1.0e5"),
            ("1E+05", "1e+05"),
            ("0x1F", "31"),
            ("-0x_ff", "-255"),
            ("0o17", "15"),
            ("0b1_01", "5"),
            ("0x0", "0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("0xffffffffffffffffffff", "1208925819614629174706175"),
        ] {
            assert_eq!(read(word), Ok((Scalar::Number, wire.to_owned())), "{word}");
        }
        for value in (0..200u128).chain((0..128).map(|bit| (1u128 << bit) + 7)) {
            for word in [format!("{value:#x}"), format!("{value:#o}"), format!("{value:#b}")] {
                assert_eq!(read(&word), Ok((Scalar::Number, value.to_string())));
            }
        }
    }

    #[test]
    fn leading_zeros_are_text() {
        for word in ["007", "-01", "00", "0_0", "00.5"] {
            assert_eq!(read(word).map(|read| read.0), Ok(Scalar::Text), "{word}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for word in
            ["1__0", "_1", "1_", "0x", "0xg", ".", "-", "1e", "1e_5", "5-3", "--5", "1j", "x"]
        {
            assert_eq!(read(word), syntax(VALUE), "{word}");
        }
        assert_eq!(read(&format!("0x{}", "f".repeat(5000))), Err(ExprErrorKind::TooLarge));
    }
}
