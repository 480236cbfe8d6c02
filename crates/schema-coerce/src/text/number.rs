//! Numbers spelled in text: recognised and re-spelled without ever going through a double.
//!
//! ```text
//! number = [ "+" | "-" ] ( int [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//! int    = "0" | "1".."9" { "0".."9" }
//! ```
//!
//! ASCII digits only; a leading zero makes no number. A number with an exponent must have a finite
//! double: it is the one way to write a value of any size in few characters.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::{Decimal, Diagnostic, Mode, Value, parse, to_string};

/// A text that is a number, taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberText<'t> {
    /// The whole text, sign included.
    text: &'t str,
    sign: &'t str,
    int: &'t str,
    point: bool,
    fraction: &'t str,
    /// What stands behind `e`, its sign included.
    exponent: Option<&'t str>,
}

impl<'t> NumberText<'t> {
    /// Takes a text apart that is nothing but a number of at most `max_digits` digits before its
    /// exponent.
    pub(crate) fn parse(text: &'t str, max_digits: usize) -> Option<Self> {
        let signed = text.starts_with(['+', '-']);
        let (sign, unsigned) = text.split_at_checked(usize::from(signed))?;
        let (int, rest) = digits(unsigned);
        let behind_point = rest.strip_prefix('.');
        let point = behind_point.is_some();
        let (fraction, rest) = digits(behind_point.unwrap_or(rest));
        let exponent = rest.strip_prefix(['e', 'E']);
        let good = (exponent.is_some() || rest.is_empty())
            && !(int.is_empty() && fraction.is_empty())
            && !(int.len() > 1 && int.starts_with('0'))
            && int.len().saturating_add(fraction.len()) <= max_digits
            && exponent.is_none_or(is_exponent);
        good.then_some(Self { text, sign, int, point, fraction, exponent })
    }

    /// Whether JSON spells it so.
    pub(crate) fn is_json(&self) -> bool {
        self.sign != "+" && !self.int.is_empty() && !(self.point && self.fraction.is_empty())
    }

    /// Whether it is spelled as an integer: no point, no exponent.
    pub(crate) fn is_plain_integer(&self) -> bool {
        !self.point && self.exponent.is_none()
    }

    /// Whether the value is whole, however it is spelled.
    pub(crate) fn is_whole(&self) -> bool {
        if self.is_plain_integer() {
            return true;
        }
        Decimal::new(self.text).is_integer()
    }

    /// Whether the value is within the range of a double. Only an exponent puts that in doubt:
    /// digits written out are kept whatever their number.
    pub(crate) fn is_finite(&self) -> bool {
        self.exponent.is_none() || self.text.parse::<f64>().is_ok_and(f64::is_finite)
    }

    /// The number in JSON spelling, its digits as written.
    pub(crate) fn as_number(&self) -> Cow<'t, str> {
        if self.is_json() {
            return Cow::Borrowed(self.text);
        }
        let mut out = String::with_capacity(self.text.len().saturating_add(1));
        self.push_sign(&mut out);
        out.push_str(if self.int.is_empty() { "0" } else { self.int });
        if self.point {
            out.push('.');
            out.push_str(if self.fraction.is_empty() { "0" } else { self.fraction });
        }
        if let Some(exponent) = self.exponent {
            out.push('e');
            out.push_str(exponent);
        }
        Cow::Owned(out)
    }

    /// The value as an integer without point and exponent; none if it is not whole or would have
    /// more than `max_digits` digits.
    pub(crate) fn as_integer(&self, max_digits: usize) -> Option<Cow<'t, str>> {
        if self.is_plain_integer() {
            return Some(self.as_number());
        }
        let decimal = Decimal::new(self.text);
        let zeros = match decimal.is_zero() {
            true => 0,
            false => usize::try_from(decimal.power()?).ok()?,
        };
        let length = decimal.precision().max(1).saturating_add(zeros);
        if length > max_digits {
            return None;
        }
        let mut out = String::with_capacity(length.saturating_add(1));
        self.push_sign(&mut out);
        if decimal.is_zero() {
            out.push('0');
        }
        out.extend(decimal.digits().map(char::from));
        out.extend(core::iter::repeat_n('0', zeros));
        Some(Cow::Owned(out))
    }

    fn push_sign(&self, out: &mut String) {
        if self.sign == "-" {
            out.push('-');
        }
    }
}

/// The digits that a text begins with, and what follows them.
fn digits(text: &str) -> (&str, &str) {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at_checked(length).unwrap_or((text, ""))
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && all_digits(digits)
}

/// A container read from text.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) value: Value,
    pub(super) json: String,
    /// The text was not strict JSON.
    pub(super) changed: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Container {
    /// Reads `trimmed` as strict JSON, then by the relaxed grammar, which has the Python literals.
    /// Scalars are not containers. `offset` is where `trimmed` begins in the text.
    pub(super) fn read(trimmed: &str, offset: usize) -> Option<Self> {
        // A bracket, or a comment or byte order mark before one.
        if !trimmed.starts_with(['{', '[', '/', '#', '\u{feff}']) {
            return None;
        }
        let (parsed, changed) = match parse(trimmed, Mode::Strict) {
            Ok(parsed) => (parsed, false),
            Err(_) => (parse(trimmed, Mode::Relaxed).ok()?, true),
        };
        if !matches!(parsed.value, Value::Object(_) | Value::Array(_)) {
            return None;
        }
        let json = if changed { to_string(&parsed.value) } else { trimmed.to_string() };
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        let mut diagnostics = parsed.diagnostics;
        for diagnostic in &mut diagnostics {
            diagnostic.start = diagnostic.start.saturating_add(offset);
            diagnostic.end = diagnostic.end.saturating_add(offset);
            diagnostic.related = diagnostic
                .related
                .map(|(start, end)| (start.saturating_add(offset), end.saturating_add(offset)));
        }
        Some(Self { value: parsed.value, json, changed, diagnostics })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<String> {
        NumberText::parse(text, 4_300).map(|n| n.as_number().into_owned())
    }

    fn integer(text: &str) -> Option<String> {
        NumberText::parse(text, 4_300)?.as_integer(4_300).map(Cow::into_owned)
    }

    #[test]
    fn numbers_take_json_spelling_and_keep_their_digits() {
        for (text, json) in [
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
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(number(text).as_deref(), Some(json), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "", "+", "-", ".", "e5", "1e", "1e+", "09", "-007", "00", "0x10", "9,500", "9kg",
            "--1", "+-1", "1.2.3", "1e2e3", "1e2.5", "1_0", "NaN", "Infinity", "٣", "1 2", " 1",
        ] {
            assert_eq!(number(text), None, "{text}");
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
        assert!(NumberText::parse(&"9".repeat(4_300), 4_300).is_some());
        assert!(NumberText::parse(&"9".repeat(4_301), 4_300).is_none());
        let finite = |text| NumberText::parse(text, 4_300).is_some_and(|n| n.is_finite());
        assert!(finite("1e308"));
        assert!(!finite("3e400"));
        assert!(!finite("-1e99999999999999999999"));
        assert!(finite(&"9".repeat(400)));
    }
}
