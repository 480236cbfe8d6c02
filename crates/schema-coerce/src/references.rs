//! Character and entity references, decoded once: for elements in a text that should be an object, and for
//! the readers of markup.
//!
//! Known are the five names of XML and references to a Unicode scalar other than NUL, decimal or
//! hexadecimal, of at most 12 bytes in all. Everything else stays as it is: unknown names,
//! names without a semicolon, and references to no scalar (these are reported).

use alloc::string::String;
use core::ops::Range;

use memchr::memchr;

/// Bytes that are examined one by one.
const SHORT: usize = 24;

/// Bytes of the longest reference that is looked for, `&` and `;` counted.
const LONGEST: usize = 12;

/// Appends `text` with its references decoded. `bad` is called with the place of each reference to
/// no Unicode scalar.
pub fn decode_into(out: &mut String, text: &str, mut bad: impl FnMut(Range<usize>)) {
    // What is before `from` was taken, what is before `at` was examined.
    let (mut from, mut at) = (0, 0);
    while let Some(found) = next_reference(text.as_bytes(), at) {
        let Some((name, after)) = split_reference(text.get(found..).unwrap_or("")) else {
            at = found + 1;
            continue;
        };
        at = text.len() - after.len();
        match scalar(name) {
            Scalar::Char(c) => {
                out.push_str(text.get(from..found).unwrap_or(""));
                out.push(c);
                from = at;
            }
            Scalar::Bad => bad(found..at),
            Scalar::Unknown => {}
        }
    }
    out.push_str(text.get(from..).unwrap_or(""));
}

/// Whether there is a `&` that a name follows, or that the text ends in.
#[must_use]
pub fn may_refer(text: &[u8]) -> bool {
    let mut open = false;
    for byte in text {
        if open && is_named_by(*byte) {
            return true;
        }
        open = *byte == b'&';
    }
    open
}

/// The next `&` that a name may follow.
fn next_reference(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        // A search costs more than the few bytes of a short text.
        at += match rest.len() {
            0..=SHORT => rest.iter().position(|byte| *byte == b'&')?,
            _ => memchr(b'&', rest)?,
        };
        if text.get(at + 1).is_some_and(|byte| is_named_by(*byte)) {
            return Some(at);
        }
        at += 1;
    }
}

/// The text with its character and entity references decoded, once: the five names of XML and numbers.
/// Everything else stays as it is.
#[must_use]
pub fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    decode_into(&mut out, text, |_| {});
    out
}

/// How many bytes at the end of `text` may be the beginning of a reference: with what follows they are
/// decoded, or not.
#[must_use]
pub fn open_reference(text: &str) -> usize {
    let tail = text.as_bytes().iter().rev().take(LONGEST - 1);
    let named = tail.take_while(|byte| is_named_by(**byte)).count();
    let before = text.len().checked_sub(named + 1);
    let opens = before.is_some_and(|at| text.as_bytes().get(at) == Some(&b'&'));
    if opens && named + 1 < LONGEST { named + 1 } else { 0 }
}

/// Whether the name of a reference may hold the byte.
const fn is_named_by(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'#'
}

/// The name between `&` and `;`, and what follows. A name holds no `&` and no whitespace.
fn split_reference(text: &str) -> Option<(&str, &str)> {
    let window = text.as_bytes().get(1..)?;
    let window = window.get(..(LONGEST - 1).min(window.len()))?;
    let end = memchr(b';', window)?;
    let name = text.get(1..end + 1)?;
    let plain = !name.is_empty() && name.bytes().all(is_named_by);
    if plain { Some((name, text.get(end + 2..)?)) } else { None }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Char(char),
    /// A numeric reference to nothing.
    Bad,
    Unknown,
}

fn scalar(name: &str) -> Scalar {
    named(name).map_or_else(|| numeric(name), Scalar::Char)
}

/// The character that one of the five names of XML stands for.
#[must_use]
pub fn named(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

fn numeric(name: &str) -> Scalar {
    let Some(digits) = name.strip_prefix('#') else { return Scalar::Unknown };
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Scalar::Unknown;
    }
    let c = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    c.filter(|c| *c != '\0').map_or(Scalar::Bad, Scalar::Char)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn references_are_decoded_once() {
        assert_eq!(decode("&lt;a&gt; &amp;gt; &quot;&apos;"), "<a> &gt; \"'");
        assert_eq!(decode("&#65;&#x42;&#X1F600;"), "AB😀");
    }

    #[test]
    fn everything_else_stays() {
        for text in ["&company;", "&lt", "& &", "&;", "&#;", "&#x;", "&#0;", "&#xD800;", "a&"] {
            assert_eq!(decode(text), text);
        }
        let mut bad = Vec::new();
        decode_into(&mut String::new(), "x&#0;&#99999999;", |span| bad.push(span));
        assert_eq!(bad, [1..5, 5..16]);
    }

    #[test]
    fn an_open_reference_waits() {
        assert_eq!(open_reference("a &l"), 2);
        assert_eq!(open_reference("a &lt;"), 0);
        assert_eq!(open_reference("&abcdefghijklmnop"), 0);
        assert_eq!((open_reference("a && b"), open_reference("a &")), (0, 1));
    }
}
