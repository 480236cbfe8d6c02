//! JSON string text: escaping it and taking the escapes away.
//!
//! Escaping touches only what JSON forbids in a string: the quote, the backslash and control
//! characters, with the short escapes where there are any. All else, DEL and text outside ASCII
//! included, is copied as it is.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::scan;

/// Appends `text` as the content of a JSON string, without quotes.
///
/// Pieces can be escaped one after the other: the results concatenate to the escaped whole.
///
/// ```
/// let mut out = String::new();
/// toolweir_rjson::escape_into(&mut out, "a \"b\"\n");
/// assert_eq!(out, r#"a \"b\"\n"#);
/// ```
pub fn escape_into(out: &mut String, text: &str) {
    escape_from(out, text, scan::stop(text.as_bytes()));
}

/// `text` as the content of a JSON string, without quotes: itself where nothing has to be escaped,
/// else `scratch`, whose former content goes.
///
/// ```
/// let mut scratch = String::new();
/// assert_eq!(toolweir_rjson::escaped(&mut scratch, "plain"), "plain");
/// assert_eq!(toolweir_rjson::escaped(&mut scratch, "a\tb"), r"a\tb");
/// ```
#[inline]
pub fn escaped<'a>(scratch: &'a mut String, text: &'a str) -> &'a str {
    let stop = scan::stop(text.as_bytes());
    if stop == text.len() {
        return text;
    }
    scratch.clear();
    escape_from(scratch, text, stop);
    scratch
}

/// Escapes `text`, whose first byte to escape is at `stop`: as [`escape_to`] does, which through a writer that
/// may fail costs three instructions in a hundred of a long argument.
fn escape_from(out: &mut String, text: &str, stop: usize) {
    let (mut rest, mut stop) = (text, stop);
    loop {
        // The stop is ASCII, so both cuts are char boundaries.
        let Some((plain, tail)) = rest.split_at_checked(stop) else { return };
        out.push_str(plain);
        let mut tail = tail.chars();
        let Some(special) = tail.next() else { return };
        push_char(out, special);
        rest = tail.as_str();
        stop = scan::stop(rest.as_bytes());
    }
}

/// Appends `text` as a JSON string with its quotes.
///
/// ```
/// let mut out = String::new();
/// toolweir_rjson::write_string(&mut out, "tab\t");
/// assert_eq!(out, r#""tab\t""#);
/// ```
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    escape_into(out, text);
    out.push('"');
}

/// `text` as a JSON string with its quotes.
///
/// ```
/// assert_eq!(toolweir_rjson::quoted("a \"b\""), r#""a \"b\"""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

pub(crate) fn escape_to<W: fmt::Write + ?Sized>(out: &mut W, text: &str) -> fmt::Result {
    let mut rest = text;
    loop {
        let at = scan::stop(rest.as_bytes());
        // The stop is ASCII, so both cuts are char boundaries.
        let Some((plain, tail)) = rest.split_at_checked(at) else { return Ok(()) };
        if !plain.is_empty() {
            out.write_str(plain)?;
        }
        let mut tail = tail.chars();
        let Some(special) = tail.next() else { return Ok(()) };
        escape_char_to(out, special)?;
        rest = tail.as_str();
    }
}

/// Appends one character, escaped if it must be.
pub(crate) fn push_char(out: &mut String, c: char) {
    // Writing to a `String` cannot fail.
    let _ = escape_char_to(out, c);
}

fn escape_char_to<W: fmt::Write + ?Sized>(out: &mut W, c: char) -> fmt::Result {
    out.write_str(match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        c if c < ' ' => return write!(out, "\\u{:04x}", u32::from(c)),
        c => return out.write_char(c),
    })
}

/// The bytes [`push_char`] appends.
pub(crate) const fn escaped_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        c if (c as u32) < 0x20 => 6,
        c => c.len_utf8(),
    }
}

/// The text after the content of a JSON string, such as the wire text of a
/// [`StringDelta`](crate::Kind::StringDelta).
///
/// Meant for valid content, which a machine gives; of anything else, what is no escape of JSON stays
/// as it is and half a surrogate pair becomes U+FFFD.
///
/// ```
/// use toolweir_rjson::unescape;
///
/// assert_eq!(unescape(r"caf\u00e9 \ud83c\udf0a\n"), "café 🌊\n");
/// assert!(matches!(unescape("plain"), std::borrow::Cow::Borrowed("plain")));
/// ```
#[must_use]
pub fn unescape(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    unescape_into(&mut out, text);
    Cow::Owned(out)
}

/// Appends what [`unescape`] gives.
pub(crate) fn unescape_into(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let Some((plain, tail)) = rest.split_at_checked(at) else { break };
        out.push_str(plain);
        rest = match take_strict_escape(out, tail) {
            Some(after) => after,
            None => take_broken_escape(out, tail),
        };
    }
    out.push_str(rest);
}

/// Decodes the escape of strict JSON at the front of `text`, if it is whole; gives what follows it.
#[inline]
pub(crate) fn take_strict_escape<'t>(out: &mut String, text: &'t str) -> Option<&'t str> {
    // The usual ones first, whose characters are known to be of one byte.
    let usual = match text.as_bytes() {
        [b'\\', b'n', ..] => '\n',
        [b'\\', b'"', ..] => '"',
        [b'\\', b'\\', ..] => '\\',
        [b'\\', b't', ..] => '\t',
        _ => return take_other_escape(out, text),
    };
    out.push(usual);
    text.get(2..)
}

#[inline(never)]
fn take_other_escape<'t>(out: &mut String, text: &'t str) -> Option<&'t str> {
    let (length, c) = strict_escape(text.as_bytes())?;
    out.push(c);
    text.get(length..)
}

/// Reads what begins with a backslash and is no escape of strict JSON; gives what follows it.
#[cold]
fn take_broken_escape<'t>(out: &mut String, text: &'t str) -> &'t str {
    if let [b'\\', b'u', digits @ ..] = text.as_bytes()
        && digits.first_chunk().copied().and_then(hex4).is_some()
    {
        out.push(char::REPLACEMENT_CHARACTER);
        return text.get(6..).unwrap_or_default();
    }
    let mut chars = text.chars();
    chars.nth(1);
    let rest = chars.as_str();
    out.push_str(text.get(..text.len() - rest.len()).unwrap_or_default());
    rest
}

/// The length of the escape of strict JSON at the front of `bytes`, if it is whole, and its character.
pub(crate) fn strict_escape(bytes: &[u8]) -> Option<(usize, char)> {
    match bytes {
        [b'\\', b'u', digits @ ..] => {
            let (first, rest) = digits.split_first_chunk()?;
            let first = hex4(*first)?;
            if let Some(c) = char::from_u32(first) {
                return Some((6, c));
            }
            let [b'\\', b'u', digits @ ..] = rest else { return None };
            let second = hex4(*digits.first_chunk()?)?;
            join_surrogates(first, second).map(|c| (12, c))
        }
        [b'\\', letter, ..] => short_escape(char::from(*letter)).map(|c| (2, c)),
        _ => None,
    }
}

/// The value of four hexadecimal digits.
fn hex4(digits: [u8; 4]) -> Option<u32> {
    let mut value = 0;
    for digit in digits {
        value = value << 4 | char::from(digit).to_digit(16)?;
    }
    Some(value)
}

/// What the escape of strict JSON with this letter stands for, `u` aside.
pub(crate) const fn short_escape(letter: char) -> Option<char> {
    Some(match letter {
        '"' | '\\' | '/' => letter,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}

/// The character of a surrogate pair.
pub(crate) fn join_surrogates(high: u32, low: u32) -> Option<char> {
    let high = high.checked_sub(0xd800).filter(|&high| high < 0x400)?;
    let low = low.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
    char::from_u32(0x1_0000 + (high << 10) + low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn only_what_json_forbids_is_escaped() {
        let mut out = String::new();
        escape_into(&mut out, "\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"/\\\u{7f}\u{80}é\u{2028}🌊");
        assert_eq!(
            out,
            "\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"/\\\\\u{7f}\u{80}é\u{2028}🌊"
        );
    }

    #[test]
    fn escaping_agrees_with_serde_json_and_is_undone() {
        for c in ('\0'..=char::MAX).step_by(7).chain('\0'..'\u{300}') {
            let text = format!("{c}x{c}{c}");
            let mut out = String::new();
            write_string(&mut out, &text);
            assert_eq!(out, serde_json::to_string(&text).unwrap());
            assert_eq!(unescape(&out[1..out.len() - 1]), text);
            let mut one = String::new();
            push_char(&mut one, c);
            assert_eq!(one.len(), escaped_len(c));
        }
    }

    #[test]
    fn pieces_concatenate() {
        let text = "a\"b\\c\nd\u{1}é";
        let mut whole = String::new();
        escape_into(&mut whole, text);
        let mut pieces = String::new();
        for c in text.chars() {
            escape_into(&mut pieces, c.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(whole, pieces);
    }

    #[test]
    fn every_escape_is_read() {
        assert_eq!(unescape(r#"\"\\\/\b\f\n\r\tA\u00e9\uD83C\udf0A"#), "\"\\/\u{8}\u{c}\n\r\tAé🌊");
    }

    #[test]
    fn broken_escapes_never_panic() {
        for (text, gives) in [
            ("\\", "\\"),
            ("a\\", "a\\"),
            ("\\q", "\\q"),
            ("\\u", "\\u"),
            ("\\u12", "\\u12"),
            ("\\u12é4", "\\u12é4"),
            ("\\u+123", "\\u+123"),
            ("\\ud800", "\u{fffd}"),
            ("\\ud800x", "\u{fffd}x"),
            ("\\ud800\\n", "\u{fffd}\n"),
            ("\\ud800\\ue000", "\u{fffd}\u{e000}"),
            ("\\udc00\\ud800", "\u{fffd}\u{fffd}"),
            ("\\ud800\\ud83c\\udf0a", "\u{fffd}🌊"),
        ] {
            assert_eq!(unescape(text), gives, "{text}");
        }
    }
}
