//! Unquoted scalars: literals and numbers, exactly.

use toolweir_rjson::{Number, NumberText};

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

/// The most digits of a number in another base.
const MAX_DIGITS: usize = 4096;
/// What could have stood in the place of a text that is no scalar.
const VALUE: &str = "a value";

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
    let radix = match body.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => return decimal(body, wire),
    };
    let digits = body.get(2..).unwrap_or_default();
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    let known = |c: char| c == '_' || c.is_digit(radix);
    if digits.is_empty() || !digits.chars().all(known) || !separates_digits(digits, radix) {
        return syntax(VALUE);
    }
    let short = (digits.len() <= MAX_DIGITS).then(|| digits.replace('_', ""));
    let number = short.and_then(|digits| Number::from_digits(&digits, radix));
    let number = number.ok_or(ExprErrorKind::TooLarge)?;
    wire.push_str(number.as_str());
    Ok(Scalar::Number)
}

/// Reads an unquoted Gemma value: what strict JSON takes for a scalar is one, and a literal of Python, which
/// templates print; all else is text.
pub(super) fn gemma(word: &str) -> Scalar {
    let number = || Number::from_text(word).map_or(Scalar::Text, |_| Scalar::Number);
    literal(word).unwrap_or_else(number)
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
    if body.starts_with(['-', '+']) || !separates_digits(body, 10) {
        return syntax(VALUE);
    }
    let body = body.replace('_', "");
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 1 && body.starts_with('0') {
        // The grammar has no such number: it is one but for its zeros.
        let other = NumberText::new(&format!("1{body}")).is_some();
        return if other { Ok(Scalar::Text) } else { syntax(VALUE) };
    }
    let Some(number) = NumberText::new(&body) else { return syntax(VALUE) };
    wire.push_str(&number.to_json().replace('E', "e"));
    Ok(Scalar::Number)
}

/// Whether every underscore stands between two digits.
fn separates_digits(text: &str, radix: u32) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at)).is_some_and(|&byte| char::from(byte).is_digit(radix))
    };
    text.match_indices('_').all(|(at, _)| digit(at.checked_sub(1)) && digit(Some(at + 1)))
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
