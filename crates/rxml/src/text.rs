//! The text of string properties and scalars, once it is delimited.

use std::borrow::Cow;

use toolweir_schema_coerce::references;

use crate::error::{Code, Diagnostic, Error, ParseErrorKind};
use crate::tags::{CDATA, CDATA_END};

/// The value of raw text: the joined text of CDATA sections where it consists, whitespace aside, of
/// nothing else; otherwise the text with its references decoded.
pub(crate) fn string_value(
    raw: &str,
    start: usize,
    repair: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<String, Error> {
    match sections(raw) {
        Sections::Whole(text) => return Ok(text),
        Sections::Open(at, mut text) => {
            let span = start + at..start + at + CDATA.len();
            if !repair {
                return Err(Error::parse(ParseErrorKind::UnclosedMarkup, span));
            }
            diagnostics.push(Code::CdataOpen.at(span));
            text.push_str(raw.get(at + CDATA.len()..).unwrap_or(""));
            return Ok(text);
        }
        Sections::None => {}
    }
    let mut out = String::with_capacity(raw.len());
    decode_into(&mut out, raw, start, diagnostics);
    Ok(out)
}

/// Appends text with its references decoded; `start` is its offset.
pub(crate) fn decode_into(
    out: &mut String,
    text: &str,
    start: usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    references::decode_into(out, text, |span| {
        diagnostics.push(Code::BadReference.at(start + span.start..start + span.end));
    });
}

/// Text with its references decoded; `start` is its offset.
pub(crate) fn decoded<'t>(
    text: &'t str,
    start: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Cow<'t, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    decode_into(&mut out, text, start, diagnostics);
    Cow::Owned(out)
}

/// Whether text that has come so far may turn out to be CDATA sections only.
pub(crate) fn may_be_sections(text: &str) -> bool {
    let text = text.trim_start_matches(WHITESPACE);
    text.starts_with(CDATA) || CDATA.starts_with(text)
}

enum Sections {
    /// Not only sections.
    None,
    Whole(String),
    /// The section at this place has no end; the text of those before it.
    Open(usize, String),
}

fn sections(raw: &str) -> Sections {
    let mut rest = raw.trim_start_matches(WHITESPACE);
    if !rest.starts_with(CDATA) {
        return Sections::None;
    }
    let mut text = String::new();
    while let Some(inside) = rest.strip_prefix(CDATA) {
        let Some((section, after)) = inside.split_once(CDATA_END) else {
            return Sections::Open(raw.len() - rest.len(), text);
        };
        text.push_str(section);
        rest = after.trim_start_matches(WHITESPACE);
    }
    if is_all_whitespace(rest) { Sections::Whole(text) } else { Sections::None }
}

/// XML's whitespace.
pub(crate) const fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// XML's whitespace, as a pattern for `str` methods.
pub(crate) const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Whether the text holds nothing but whitespace.
pub(crate) fn is_all_whitespace(text: &str) -> bool {
    text.bytes().all(is_whitespace)
}

/// Whether a name may begin with the byte; digits may only begin a name of digits.
pub(crate) const fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether the byte may stand inside a name.
pub(crate) const fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':' | 0x80..)
}

/// Whether the text is a name of an element or attribute.
pub(crate) fn is_name(text: &str) -> bool {
    let Some(&first) = text.as_bytes().first() else { return false };
    if first.is_ascii_digit() {
        return is_digits(text);
    }
    begins_name(first) && text.bytes().all(continues_name)
}

/// Whether the text is a name of digits only.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(raw: &str, repair: bool) -> Result<String, Error> {
        string_value(raw, 0, repair, &mut Vec::new())
    }

    #[test]
    fn only_a_whole_value_of_sections_is_unwrapped() {
        assert_eq!(value(" <![CDATA[a&lt;]]> <![CDATA[b]]>\n", false).unwrap(), "a&lt;b");
        assert_eq!(value("<![CDATA[a]]> b &lt;", false).unwrap(), "<![CDATA[a]]> b <");
        assert_eq!(value("a <![CDATA[b]]>", false).unwrap(), "a <![CDATA[b]]>");
    }

    #[test]
    fn a_section_without_end_is_repaired_or_refused() {
        assert_eq!(value("<![CDATA[1<2", true).unwrap(), "1<2");
        assert_eq!(value("<![CDATA[1<2", false).unwrap_err().class(), "parse");
    }
}

#[cfg(test)]
mod chars_tests {
    use super::*;

    #[test]
    fn names_are_words_or_digits() {
        for name in ["a", "_x", "a:b", "item-1.2", "città", "0", "12"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", "1a", "-a", "a b", ":a", "a>"] {
            assert!(!is_name(text), "{text}");
        }
    }
}
