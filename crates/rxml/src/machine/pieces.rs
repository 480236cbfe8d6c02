//! The text of an element that is no string and no object: what is left when markup is taken out.

use std::ops::Range;

use super::Machine;
use super::frame::Key;
use crate::chars::BLANKS;
use crate::error::{self, Error, ParseErrorKind};
use crate::tags::{CDATA, CDATA_END};
use crate::text::{decode_into, string_value};

impl Machine {
    /// The text of a scalar with that key, which may hold no element, or of a list written as text.
    /// Comments and instructions are left out, sections are text, references are decoded.
    pub(super) fn text_of(
        &mut self,
        inner: Range<usize>,
        scalar: Option<&Key>,
    ) -> Result<String, Error> {
        let raw = self.buf.slice(inner.clone());
        let marked = memchr::memchr(b'<', raw.as_bytes()).is_some();
        let sections = raw.trim_start_matches(BLANKS).strip_prefix(CDATA);
        // One that is not closed has rules of its own.
        if !marked || sections.is_some_and(|rest| !rest.contains(CDATA_END)) {
            return string_value(raw, inner.start, self.options.repair, &mut self.diagnostics);
        }
        let mut text = String::with_capacity(raw.len());
        let mut from = inner.start;
        while from < inner.end {
            let raw = self.buf.slice(from..inner.end);
            let less = memchr::memchr(b'<', raw.as_bytes()).unwrap_or(raw.len());
            let before = raw.get(..less).unwrap_or("");
            decode_into(&mut text, before, from, &mut self.diagnostics);
            let at = from + less;
            from = if at < inner.end {
                self.markup_in_text(at, inner.end, scalar, &mut text)?
            } else {
                at
            };
        }
        Ok(text)
    }

    /// Takes a `<` in such a text; where reading goes on.
    fn markup_in_text(
        &mut self,
        at: usize,
        end: usize,
        scalar: Option<&Key>,
        text: &mut String,
    ) -> Result<usize, Error> {
        if let Some(behind) = self.behind_skipped(at, end) {
            let section = self.buf.slice(at..behind).strip_prefix(CDATA);
            text.push_str(section.and_then(|text| text.strip_suffix(CDATA_END)).unwrap_or(""));
            return Ok(behind);
        }
        let tag = self.tags.at(at).and_then(|seq| self.tags.get(seq));
        if let Some(key) = scalar
            && tag.is_some_and(|tag| tag.whole && tag.end <= end)
        {
            return Err(self.misfit(&key.to_name(), "element inside a scalar"));
        }
        if !self.options.repair {
            return Err(Error::parse(ParseErrorKind::BadTag, at..at + 1));
        }
        self.note(error::TEXT_LT, at..at + 1);
        text.push('<');
        Ok(at + 1)
    }
}
