//! What a push parser tells while it reads.

use std::borrow::Cow;
use std::ops::Range;

use toolweir_rjson::{Span, Value};

use super::Machine;
use super::frame::{Body, Frame, Key, Seen};
use crate::error::{Code, Diagnostic, Error, ParseErrorKind};
use crate::tags::{CDATA, CDATA_END, Seq};
use crate::text::{decode_into, is_space, string_value};

/// Something that has become certain. It may borrow from the chunk and from the machine; see
/// [`into_owned`](Self::into_owned).
///
/// Between `Open` and `Close` of an element come, by its kind: `Text` pieces of a string, one
/// `Value`, or the events of its members. List properties come whole, when their parent closes; what
/// is inside them gives no events of its own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A member begins.
    Open {
        /// Its key.
        name: Cow<'a, str>,
        /// The opening tag; of a list the first.
        span: Span,
    },
    /// A piece of a string, decoded.
    Text {
        /// Never empty.
        text: Cow<'a, str>,
    },
    /// A value other than a string or an object, typed as far as its own schema says.
    Value {
        /// The value.
        value: Value,
    },
    /// The member that was opened last ends.
    Close {
        /// Its key.
        name: Cow<'a, str>,
        /// Where it ends.
        at: usize,
    },
    /// Trouble.
    Diagnostic(Diagnostic),
}

impl Event<'_> {
    /// The same event, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Open { name, span } => Event::Open { name: owned(name), span },
            Self::Text { text } => Event::Text { text: owned(text) },
            Self::Value { value } => Event::Value { value },
            Self::Close { name, at } => Event::Close { name: owned(name), at },
            Self::Diagnostic(note) => Event::Diagnostic(note),
        }
    }
}

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
        let sections = raw.trim_start_matches(is_space).strip_prefix(CDATA);
        // One that is not closed has rules of its own.
        if !marked || sections.is_some_and(|rest| !rest.contains(CDATA_END)) {
            return string_value(raw, inner.start, self.options.repair, &mut self.diagnostics);
        }
        let mut text = String::with_capacity(raw.len());
        let mut from = inner.start;
        while from < inner.end {
            let raw = self.buf.slice(from..inner.end);
            let angle = memchr::memchr(b'<', raw.as_bytes()).unwrap_or(raw.len());
            let before = raw.get(..angle).unwrap_or("");
            decode_into(&mut text, before, from, &mut self.diagnostics);
            let at = from + angle;
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
        if let Some(after) = self.after_skipped(at, end) {
            let section = self.buf.slice(at..after).strip_prefix(CDATA);
            text.push_str(section.and_then(|text| text.strip_suffix(CDATA_END)).unwrap_or(""));
            return Ok(after);
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
        self.note(Code::TextLt, at..at + 1);
        text.push('<');
        Ok(at + 1)
    }
}

/// Bytes of [`Options::max_held`](crate::Options::max_held) for which one tag may be kept.
const BYTES_A_TAG: usize = 32;

impl Machine {
    /// The same at the end of what is known.
    pub(super) fn may_wait(&self) -> Result<(), Error> {
        let seen = match self.stack.last() {
            Some(Frame { body: Body::TextElement(element), .. }) => Some(&element.seen),
            _ => None,
        };
        self.may_hold(seen, self.tags.known_to(), self.tags.end())?;
        // What comes later in the input is told last.
        self.tags.too_long().map_or(Ok(()), |start| Err(self.holds_too_much(start)))
    }

    /// Whether so much may be held when reading has come to an offset and a tag: of a string that
    /// waits for its end, of an element whose closing tag is looked for, of what may turn out to be no
    /// wrapper, and the tags of these and of lists, which are read when they close.
    pub(super) fn may_hold(&self, seen: Option<&Seen>, at: usize, seq: Seq) -> Result<(), Error> {
        let seen = seen.filter(|seen| !seen.is_certain());
        let look = self.stack.last().and_then(|frame| frame.members()?.look);
        if seen.is_none() && look.is_none() && self.listing == 0 && self.wrapper.is_none() {
            return Ok(());
        }
        let most = self.options.max_held;
        let close = seen.and_then(|seen| self.tags.get(seen.first_close?)).map(|tag| tag.start);
        let end = seen.and_then(|seen| Some(seen.assumed.as_ref()?.inner));
        let cut = seen.and_then(|seen| seen.cut);
        let wrapper = self.wrapper.map(|(start, _)| start);
        let look = look.map(|_| self.pos);
        let waits = [close, end, cut, wrapper, look].into_iter().flatten().min();
        if let Some(start) = waits.filter(|start| at.saturating_sub(*start) > most) {
            return Err(self.holds_too_much(start));
        }
        let mut lists = self.stack.iter().filter_map(|frame| frame.members()?.lists.first());
        let listed = lists.next().map(|list| list.first.tag.start);
        let start = waits.into_iter().chain(listed).min();
        match start.filter(|start| seq - self.tags.from(*start).min(seq) > most / BYTES_A_TAG) {
            Some(start) => Err(self.holds_too_much(start)),
            None => Ok(()),
        }
    }

    fn holds_too_much(&self, start: usize) -> Error {
        let end = start.saturating_add(self.options.max_held);
        Error::parse(ParseErrorKind::TooLarge, start..end)
    }
}
