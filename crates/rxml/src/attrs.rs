//! The attributes of one tag.
//!
//! `name="value"`, `name='value'`, `name=value` (to whitespace or the end of the tag) and `name` alone,
//! which stands for `true`. References in values are decoded.

use std::ops::Range;

use toolweir_schema_coerce::references::decode;

use crate::text::{is_name, is_space, is_whitespace};

/// One attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attr {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) span: Range<usize>,
}

/// Reads what stands between the name of a tag and its `>`. `start` is its offset.
///
/// `Err` holds the offset of the first byte that fits nowhere.
pub(crate) fn read(text: &str, start: usize) -> Result<Vec<Attr>, usize> {
    read_as(text, start, decode)
}

/// The same with whitespace in values normalised as XML demands: line ends and tabs become spaces.
pub(crate) fn read_normalized(text: &str, start: usize) -> Result<Vec<Attr>, usize> {
    read_as(text, start, |value| {
        // Mostly there is nothing to be replaced.
        match memchr::memchr3(b'\r', b'\n', b'\t', value.as_bytes()) {
            Some(_) => decode(&value.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ")),
            None => decode(value),
        }
    })
}

fn read_as(
    text: &str,
    start: usize,
    mut decoded: impl FnMut(&str) -> String,
) -> Result<Vec<Attr>, usize> {
    let text_end = text.trim_end_matches(is_space);
    let text = text_end.strip_suffix('/').unwrap_or(text_end);
    let mut attrs = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let from = start + (text.len() - rest.len());
        let name_end =
            rest.bytes().position(|b| is_whitespace(b) || b == b'=').unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(name_end).ok_or(from)?;
        if !is_name(name) {
            return Err(from);
        }
        let (value, after) = value(after).ok_or(from)?;
        let end = start + (text.len() - after.len());
        attrs.push(Attr { name: name.to_owned(), value: decoded(value), span: from..end });
        rest = after.trim_start_matches(is_space);
    }
    Ok(attrs)
}

/// The value after a name, and what follows it; none for a quote that is not closed.
fn value(after: &str) -> Option<(&str, &str)> {
    let Some(value) = after.trim_start_matches(is_space).strip_prefix('=') else {
        return Some(("true", after));
    };
    let value = value.trim_start_matches(is_space);
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            return quoted.split_once(quote);
        }
    }
    value.split_at_checked(value.bytes().position(is_whitespace).unwrap_or(value.len()))
}

/// A declaration that is being skipped, byte by byte, from after its `<!`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Declaration {
    /// Open `<` inside.
    nested: usize,
    /// Between `[` and `]`.
    subset: bool,
    quote: Option<u8>,
    /// How much of `<!--` has just been seen.
    mark: usize,
    /// In a comment: dashes just seen.
    comment: Option<usize>,
}

impl Declaration {
    /// Takes a byte; true for the `>` that ends the declaration.
    pub(crate) fn ends_at(&mut self, byte: u8) -> bool {
        if let Some(dashes) = self.comment {
            self.comment = match byte {
                b'-' => Some(dashes + 1),
                b'>' if dashes >= 2 => {
                    self.nested = self.nested.saturating_sub(1);
                    None
                }
                _ => Some(0),
            };
            return false;
        }
        if let Some(quote) = self.quote {
            if quote == byte {
                self.quote = None;
            }
            return false;
        }
        self.mark = match (self.mark, byte) {
            (_, b'<') => 1,
            (1, b'!') => 2,
            (2 | 3, b'-') => self.mark + 1,
            _ => 0,
        };
        match byte {
            _ if self.mark == 4 => (self.mark, self.comment) = (0, Some(0)),
            b'"' | b'\'' => self.quote = Some(byte),
            b'<' => self.nested += 1,
            b'[' if self.nested == 0 => self.subset = true,
            b']' if self.nested == 0 => self.subset = false,
            b'>' if self.nested > 0 => self.nested -= 1,
            b'>' => return !self.subset,
            _ => {}
        }
        false
    }
}

/// Length of the declaration that `text` begins with, `<!` and `>` counted.
pub(crate) fn length(text: &str) -> Option<usize> {
    let mut skip = Declaration::default();
    let end = text.bytes().skip(2).position(|byte| skip.ends_at(byte))?;
    Some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        read(text, 0).unwrap().into_iter().map(|attr| (attr.name, attr.value)).collect()
    }

    #[test]
    fn every_way_of_quoting_is_read() {
        let read = pairs(r#" a="1 &lt; 2" b = 'x"y' lang=de checked /"#);
        let wanted = [("a", "1 < 2"), ("b", "x\"y"), ("lang", "de"), ("checked", "true")];
        assert_eq!(read, wanted.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert!(pairs(" / ").is_empty());
    }

    #[test]
    fn what_is_no_attribute_has_a_place() {
        assert_eq!(read(" a=\"1", 10), Err(11));
        assert_eq!(read(" a , b", 10), Err(13));
    }
}

#[cfg(test)]
mod declaration_tests {
    use super::*;

    #[test]
    fn the_end_is_outside_of_everything() {
        for text in [
            "<!DOCTYPE a>",
            "<!DOCTYPE a [<!ELEMENT a (b)> <!ENTITY x ']>'>]>",
            "<!DOCTYPE a [<!-- it's ]> -->]>",
            "<!DOCTYPE a [ ]] ]>",
        ] {
            assert_eq!(length(&format!("{text} <b>")), Some(text.len()), "{text}");
        }
        assert_eq!(length("<!DOCTYPE a ["), None);
    }
}
