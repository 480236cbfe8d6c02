//! Numbers spelled in text, re-spelled without ever going through a double.
//!
//! A number with an exponent must have a finite double: it is the one way to write a value of any size in
//! few characters.

use alloc::borrow::Cow;
use alloc::string::String;

use toolweir_rjson::NumberText;

/// The number that a text is, if it has at most so many digits before its exponent and is within the range
/// of a double: digits written out are kept whatever their number.
pub(crate) fn number(text: &str, max_digits: usize) -> Option<NumberText<'_>> {
    let number = NumberText::new(text).filter(|number| number.digits() <= max_digits)?;
    let finite = !number.has_exponent() || text.parse::<f64>().is_ok_and(f64::is_finite);
    finite.then_some(number)
}

/// The number in JSON spelling, its digits as written.
pub(crate) fn as_number<'t>(number: &NumberText<'t>) -> Cow<'t, str> {
    match number.to_json() {
        Cow::Owned(text) => Cow::Owned(text.replace('E', "e")),
        text => text,
    }
}

/// The value as an integer without point and exponent; none if it is not whole or would have more than
/// `max_digits` digits.
pub(crate) fn as_integer<'t>(number: &NumberText<'t>, max_digits: usize) -> Option<Cow<'t, str>> {
    if number.is_plain_integer() {
        return Some(as_number(number));
    }
    let decimal = number.decimal();
    let zeros = match decimal.is_zero() {
        true => 0,
        false => usize::try_from(decimal.power()?).ok()?,
    };
    let length = decimal.precision().max(1).saturating_add(zeros);
    if length > max_digits {
        return None;
    }
    let mut out = String::with_capacity(length.saturating_add(1));
    out.push_str(if decimal.is_negative() { "-" } else { "" });
    if decimal.is_zero() {
        out.push('0');
    }
    out.extend(decimal.digits().map(char::from));
    out.extend(core::iter::repeat_n('0', zeros));
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        number(text, 4_300).map(|n| as_number(&n).into_owned())
    }

    fn integer(text: &str) -> Option<String> {
        as_integer(&number(text, 4_300)?, 4_300).map(Cow::into_owned)
    }

    #[test]
    fn numbers_take_json_spelling_and_keep_their_digits() {
        for (text, spelled) in [
            ("8", "8"),
            ("-2", "-2"),
            ("6.250", "6.250"),
            ("4e-2", "4e-2"),
            ("4E+2", "4E+2"),
            ("-0", "-0"),
            ("+8", "8"),
            (".75", "0.75"),
            ("-.75", "-0.75"),
            ("6.", "6.0"),
            ("+6.e5", "6.0e5"),
            ("6.E5", "6.0e5"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(json(text).as_deref(), Some(spelled), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "", "+", "-", ".", "e5", "1e", "1e+", "09", "-007", "00", "0x10", "9,500", "9kg",
            "--1", "+-1", "1.2.3", "1e2e3", "1e2.5", "1_0", "NaN", "Infinity", "٣", "1 2", " 1",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[test]
    fn only_whole_values_are_integers() {
        for (text, json) in [
            ("6.0", "6"),
            ("6.", "6"),
            ("5e2", "500"),
            ("1.50e1", "15"),
            ("100e-2", "1"),
            ("-20.00", "-20"),
            ("0.0", "0"),
            ("-0.0", "-0"),
            ("0e99999999999999999999", "0"),
            ("+7", "7"),
        ] {
            assert_eq!(integer(text).as_deref(), Some(json), "{text}");
        }
        for text in ["6.5", "1e-1", "1.05e1", "105e-2", "1e-99999999999999999999", "1e5000"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn digits_are_bounded_and_exponents_must_have_a_double() {
        assert!(number(&"9".repeat(4_300), 4_300).is_some());
        assert!(number(&"9".repeat(4_301), 4_300).is_none());
        let finite = |text| number(text, 4_300).is_some();
        assert!(finite("1e308"));
        assert!(!finite("3e400"));
        assert!(!finite("-1e99999999999999999999"));
        assert!(finite(&"9".repeat(400)));
    }
}
