//! JSON string text: escaping it and taking the escapes away, at once or as its text comes.
//!
//! Escaping touches only what JSON forbids in a string: the quote, the backslash and control
//! characters, with the short escapes where there are any. All else, DEL and text outside ASCII
//! included, is copied as it is.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Write as _;

use crate::chars::{Quote, floor_boundary};

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
    escape_from(out, text, Quote::Double.plain_run(text.as_bytes()));
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
    let stop = Quote::Double.plain_run(text.as_bytes());
    if stop == text.len() {
        return text;
    }
    scratch.clear();
    escape_from(scratch, text, stop);
    scratch
}

/// Escapes `text`, whose first byte to escape is at `stop`.
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
        stop = Quote::Double.plain_run(rest.as_bytes());
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

/// Appends one character, escaped if it must be.
pub(crate) fn push_char(out: &mut String, c: char) {
    out.push_str(match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        c if c < ' ' => {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
            return;
        }
        c => return out.push(c),
    });
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

/// One escape of a string or an identifier while it is being read, however it is cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct Escape {
    is_open: bool,
    /// What has been read, backslash first.
    text: String,
}

/// The most bytes that decide what an escape is: a surrogate pair whose last digit is a character of four bytes.
const LONGEST: usize = 15;

/// Which escapes are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    Strict,
    Relaxed,
    /// `\uXXXX` only.
    Identifier,
}

/// What a text makes of the escape that it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fed {
    /// The escape goes on after it.
    NeedMore,
    /// The escape is complete.
    Done(Unit),
    /// The character after so many bytes fits nowhere; what would have fitted.
    Fail(usize, &'static str),
}

/// A complete escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The bytes of it, and those of its last character, unless it is complete only by what follows.
    pub(crate) length: usize,
    pub(crate) last: usize,
    /// The character it stands for; none for a line continuation.
    pub(crate) decoded: Option<char>,
    /// Whether strict JSON has it: then [`Escape::text`] is its text.
    pub(crate) strict: bool,
    /// It is no escape: a backslash that is data, and where a digit follows `\0`, the zero.
    pub(crate) invalid: bool,
}

impl Unit {
    pub(crate) const fn new(length: usize, decoded: Option<char>) -> Self {
        Self { length, last: 1, decoded, strict: false, invalid: false }
    }

    const fn strict(length: usize, decoded: Option<char>) -> Self {
        Self { strict: true, ..Self::new(length, decoded) }
    }

    /// What the next character, which is no part of it, makes complete.
    const fn before(length: usize, decoded: Option<char>) -> Self {
        Self { last: 0, ..Self::new(length, decoded) }
    }

    /// A backslash that begins no escape. `last`: the last character of what is data.
    const fn invalid(length: usize, last: char) -> Self {
        Self { invalid: true, ..Self::before(length, Some(last)) }
    }
}

impl Escape {
    pub(crate) fn clear(&mut self) {
        self.is_open = false;
        self.text.clear();
    }

    /// Whether an escape has begun and is not complete.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The source of the last escape.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Reads on with a text, or begins with the backslash at its front: what it comes to, and how many bytes are
    /// of the escape. What fits nowhere changes nothing, so it can be offered again.
    pub(crate) fn feed(&mut self, text: &str, rules: Rules) -> (Fed, usize) {
        if !self.is_open {
            self.text.clear();
        }
        let before = self.text.len();
        self.text.push_str(text.get(..floor_boundary(text, LONGEST)).unwrap_or_default());
        let fed = read_escape(&self.text, rules);
        let length = match fed {
            Fed::NeedMore => self.text.len(),
            Fed::Done(Unit { length, .. }) | Fed::Fail(length, _) => length,
        };
        self.text.truncate(length);
        self.is_open = !matches!(fed, Fed::Done(_));
        (fed, length - before)
    }
}

const HEX: &str = "a hexadecimal digit";
const LOW: &str = "the second half of a surrogate pair";
const HIGH: &str = "a first half of a surrogate pair before its second half";

/// Reads the escape whose backslash `text` begins with.
pub(crate) fn read_escape(text: &str, rules: Rules) -> Fed {
    let mut chars = text.chars();
    let Some(letter) = chars.nth(1) else { return Fed::NeedMore };
    let short = short_escape(letter);
    Fed::Done(match letter {
        'u' => return unicode_escape(text),
        _ if rules == Rules::Identifier => return Fed::Fail(1, "`u`"),
        _ if short.is_some() => Unit::strict(2, short),
        _ if rules == Rules::Strict => return Fed::Fail(1, "an escape"),
        '\'' => Unit::new(2, Some(letter)),
        'v' => Unit::new(2, Some('\u{b}')),
        '\n' => Unit::new(2, None),
        '\u{2028}' | '\u{2029}' => Unit { last: 3, ..Unit::new(4, None) },
        // It may take an LF with it.
        '\r' => match chars.next() {
            None => return Fed::NeedMore,
            Some('\n') => Unit::new(3, None),
            Some(_) => Unit::before(2, None),
        },
        // No digit may follow it.
        '0' => match chars.next() {
            None => return Fed::NeedMore,
            Some('0'..='9') => Unit::invalid(2, '0'),
            Some(_) => Unit::before(2, Some('\0')),
        },
        'x' => {
            let mut digits = chars.take(2);
            if let Some(at) = digits.position(|c| !c.is_ascii_hexdigit()) {
                return Fed::Fail(2 + at, HEX);
            }
            let Some(digits) = text.get(2..4) else { return Fed::NeedMore };
            Unit::new(4, u8::from_str_radix(digits, 16).ok().map(char::from))
        }
        _ => Unit::invalid(1, '\\'),
    })
}

/// Reads `\uXXXX`, and two of them where the first is the first half of a surrogate pair.
fn unicode_escape(text: &str) -> Fed {
    let (mut high, mut value) = (0, 0);
    for (at, c) in text.char_indices().skip(2) {
        match (at, c) {
            (6, '\\') | (7, 'u') => continue,
            (6 | 7, _) => return Fed::Fail(at, LOW),
            _ => {}
        }
        let Some(digit) = c.to_digit(16) else { return Fed::Fail(at, HEX) };
        value = value << 4 | digit;
        // A unit begins with D8 to DB in the first half of a pair, with DC to DF in the second.
        match (at, value) {
            (3, 0xdc..=0xdf) => return Fed::Fail(at, HIGH),
            (5, _) => match char::from_u32(value) {
                None => (high, value) = (value, 0),
                decoded => return Fed::Done(Unit::strict(6, decoded)),
            },
            (8, _) if value != 0xd => return Fed::Fail(at, LOW),
            (9, 0..0xdc) => return Fed::Fail(at, LOW),
            (11, _) => return Fed::Done(Unit::strict(12, join_surrogates(high, value))),
            _ => {}
        }
    }
    Fed::NeedMore
}

#[cfg(test)]
mod tests;
