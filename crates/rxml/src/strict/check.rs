//! The rules of XML 1.0 for single tokens, on their source text.

use std::collections::{BTreeMap, BTreeSet};

use toolweir_schema_coerce::references::named;

use super::not;
use crate::error::Error;

/// Attributes of a tag, values normalised.
pub(super) type Attributes = Vec<(String, String)>;

/// Every character of the document must be one of XML.
pub(super) fn characters(text: &str) -> Result<(), Error> {
    // What the others are encoded with: control characters, and the first byte of U+F000 to U+FFFF.
    let odd = |byte: &u8| matches!(byte, 0..=8 | 11 | 12 | 14..=31 | 0xef);
    let mut blocks = text.as_bytes().chunks(64);
    if !blocks.any(|block| block.iter().fold(false, |found, byte| found | odd(byte))) {
        return Ok(());
    }
    match text.char_indices().find(|(_, c)| !is_char(*c)) {
        Some((at, c)) => Err(not(at..at + c.len_utf8(), "character that XML does not allow")),
        None => Ok(()),
    }
}

/// `Char` of XML 1.0.
const fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// `NameStartChar` without the colon.
const fn begins_name(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '_' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}'
        | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}'
        | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

/// `NameChar` without the colon.
const fn continues_name(c: char) -> bool {
    begins_name(c)
        || matches!(c, '0'..='9' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// A name without a colon.
pub(super) fn is_plain_name(name: &str) -> bool {
    let ascii = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.as_bytes().iter().all(ascii) {
        return name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    }
    let mut chars = name.chars();
    chars.next().is_some_and(begins_name) && chars.all(continues_name)
}

/// A name with at most one prefix.
fn is_name(name: &str) -> bool {
    match name.split_once(':') {
        Some((prefix, local)) => is_plain_name(prefix) && is_plain_name(local),
        None => is_plain_name(name),
    }
}

fn skip_whitespace(text: &str) -> &str {
    text.trim_start_matches(crate::text::is_space)
}

/// The inside of a comment.
pub(super) fn comment(raw: &str) -> Option<&str> {
    let inside = raw.strip_prefix("<!--")?.strip_suffix("-->")?;
    if inside.contains("--") || inside.ends_with('-') { None } else { Some(inside) }
}

/// A processing instruction.
pub(super) fn instruction(raw: &str) -> Result<(), &'static str> {
    let inside = raw.strip_prefix("<?").and_then(|raw| raw.strip_suffix("?>"));
    let inside = inside.ok_or("processing instruction")?;
    let end = inside.find(crate::text::is_space).unwrap_or(inside.len());
    let target = inside.get(..end).unwrap_or("");
    if target.eq_ignore_ascii_case("xml") {
        return Err("reserved target of a processing instruction");
    }
    if is_plain_name(target) { Ok(()) } else { Err("target of a processing instruction") }
}

/// The XML declaration.
pub(super) fn declaration(raw: &str) -> Result<(), &'static str> {
    const WRONG: &str = "XML declaration";
    let inside = raw.strip_prefix("<?xml").and_then(|raw| raw.strip_suffix("?>")).ok_or(WRONG)?;
    let rest = field(inside, "version", is_version).map_err(|()| WRONG)?.ok_or(WRONG)?;
    let encoding = field(rest, "encoding", is_encoding).map_err(|()| WRONG)?;
    let rest = encoding.unwrap_or(rest);
    let standalone = field(rest, "standalone", |value| matches!(value, "yes" | "no"));
    let rest = standalone.map_err(|()| WRONG)?.unwrap_or(rest);
    if skip_whitespace(rest).is_empty() { Ok(()) } else { Err(WRONG) }
}

/// What follows ` name = "value"`; none where another name or nothing comes.
fn field<'t>(
    text: &'t str,
    name: &str,
    holds: impl Fn(&str) -> bool,
) -> Result<Option<&'t str>, ()> {
    let after = skip_whitespace(text);
    let Some(rest) = after.strip_prefix(name) else { return Ok(None) };
    if after.len() == text.len() {
        return Err(());
    }
    let value = skip_whitespace(skip_whitespace(rest).strip_prefix('=').ok_or(())?);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or(())?;
    let (value, rest) = value.get(1..).and_then(|v| v.split_once(quote)).ok_or(())?;
    if holds(value) { Ok(Some(rest)) } else { Err(()) }
}

fn is_version(value: &str) -> bool {
    let minor = value.strip_prefix("1.").unwrap_or("");
    !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())
}

/// An encoding name; the text has been decoded already, so UTF-8 is what it names in earnest.
fn is_encoding(value: &str) -> bool {
    let mut bytes = value.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The character that `&…;` stands for.
pub(super) fn reference(raw: &str) -> Option<char> {
    let name = raw.strip_prefix('&')?.strip_suffix(';')?;
    if let Some(c) = named(name) {
        return Some(c);
    }
    let digits = name.strip_prefix('#')?;
    let (digits, radix) = match digits.strip_prefix('x') {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    let digits = digits.trim_start_matches('0');
    if digits.len() > 8 || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).filter(|c| is_char(*c))
}

/// Names of attributes that no set is made for.
const FEW: usize = 8;

/// Name and attributes of an opening or self-closed tag.
pub(super) fn tag(raw: &str) -> Result<(&str, Attributes), &'static str> {
    let inside = raw.strip_prefix('<').and_then(|raw| raw.strip_suffix('>')).ok_or("tag")?;
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    let end = inside.find(crate::text::is_space).unwrap_or(inside.len());
    let (name, mut rest) = inside.split_at_checked(end).ok_or("tag")?;
    if !is_name(name) {
        return Err("name of an element");
    }
    let mut attributes = Attributes::new();
    let mut names = BTreeSet::new();
    loop {
        let next = skip_whitespace(rest);
        if next.is_empty() {
            return Ok((name, attributes));
        }
        if next.len() == rest.len() {
            return Err("attributes without white space between them");
        }
        let end = next.find(|c: char| c == '=' || crate::text::is_space(c));
        let (key, value) = next.split_at_checked(end.unwrap_or(next.len())).ok_or("attribute")?;
        if !is_name(key) {
            return Err("name of an attribute");
        }
        let value = skip_whitespace(
            skip_whitespace(value).strip_prefix('=').ok_or("attribute without a value")?,
        );
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let quote = quote.ok_or("attribute value without quotes")?;
        let value = value.get(1..).and_then(|value| value.split_once(quote));
        let (value, after) = value.ok_or("attribute value without its end")?;
        // The first few are compared one by one.
        let few = attributes.iter().take(FEW).any(|(known, _): &(String, String)| known == key);
        if few || (attributes.len() >= FEW && !names.insert(key)) {
            return Err("attribute given twice");
        }
        attributes.push((key.to_owned(), attribute_value(value)?));
        rest = after;
    }
}

/// The value with references decoded and whitespace normalised.
fn attribute_value(value: &str) -> Result<String, &'static str> {
    let special = |byte: &u8| matches!(byte, b'<' | b'&' | b'\r' | b'\n' | b'\t');
    if !value.as_bytes().iter().any(special) {
        return Ok(value.to_owned());
    }
    if value.contains('<') {
        return Err("< in an attribute value");
    }
    let mut out = String::with_capacity(value.len());
    let plain = value.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
    let mut rest = plain.as_str();
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, after) = after.split_once(';').ok_or("reference without a semicolon")?;
        let c = reference(&format!("&{name};")).ok_or("undefined reference in an attribute")?;
        out.push(c);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The name in a closing tag.
pub(super) fn closing(raw: &str) -> Option<&str> {
    let inside = raw.strip_prefix("</")?.strip_suffix('>')?;
    let name = inside.trim_end_matches(crate::text::is_space);
    if is_name(name) { Some(name) } else { None }
}

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The prefixes in force.
#[derive(Debug, Default)]
pub(super) struct Spaces {
    /// Name spaces by prefix, the innermost last.
    bound: BTreeMap<String, Vec<String>>,
    /// The prefixes that each open element binds.
    open: Vec<Vec<String>>,
}

impl Spaces {
    /// Binds what a tag declares, and checks its names.
    pub(super) fn open(
        &mut self,
        name: &str,
        attributes: &[(String, String)],
    ) -> Result<(), &'static str> {
        let mut own = Vec::new();
        for (key, value) in attributes {
            let prefix = match key.strip_prefix("xmlns:") {
                Some(prefix) => prefix,
                None if key == "xmlns" => "",
                None => continue,
            };
            check_binding(prefix, value)?;
            self.bound.entry(prefix.to_owned()).or_default().push(value.clone());
            own.push(prefix.to_owned());
        }
        self.open.push(own);
        self.expand(name)?;
        let mut seen = BTreeSet::new();
        for (key, _) in attributes {
            if key == "xmlns" || key.starts_with("xmlns:") {
                continue;
            }
            if let Some(space) = self.expand(key)? {
                let local = key.split_once(':').map_or("", |(_, local)| local);
                if !seen.insert((space, local)) {
                    return Err("attribute given twice");
                }
            }
        }
        Ok(())
    }

    pub(super) fn close(&mut self) {
        for prefix in self.open.pop().unwrap_or_default() {
            if let Some(spaces) = self.bound.get_mut(&prefix) {
                spaces.pop();
            }
        }
    }

    /// The name space of a prefixed name; none without a prefix.
    fn expand(&self, name: &str) -> Result<Option<&str>, &'static str> {
        match name.split_once(':') {
            None => Ok(None),
            Some(("xml", _)) => Ok(Some(XML)),
            Some((prefix, _)) => {
                let space = self.bound.get(prefix).and_then(|spaces| spaces.last());
                space.map(|space| Some(space.as_str())).ok_or("prefix that is not bound")
            }
        }
    }
}

fn check_binding(prefix: &str, space: &str) -> Result<(), &'static str> {
    match (prefix, space) {
        ("xml", XML) => Ok(()),
        ("xml", _) => Err("prefix xml bound to another name space"),
        ("xmlns", _) => Err("prefix xmlns bound"),
        (_, XML | XMLNS) => Err("reserved name space bound to another prefix"),
        ("", _) => Ok(()),
        (_, "") => Err("prefix bound to nothing"),
        _ if is_plain_name(prefix) => Ok(()),
        _ => Err("name of a prefix"),
    }
}
