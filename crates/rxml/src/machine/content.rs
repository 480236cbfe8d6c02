//! Content between tags: text and markup that is skipped.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};
use toolweir_schema_coerce::references::{may_refer, open_reference};

use super::frame::{Body, Frame, TextElement, Use};
use super::{Event, Machine, Step};
use crate::attrs::Declaration;
use crate::error::{Code, Error, ParseErrorKind};
use crate::tags::{Angle, CDATA, Mark, TagKind};
use crate::text::{decode_into, decoded, is_all_whitespace, is_whitespace};

/// A declaration that is being skipped: how far that has come, and where it was found to end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skip {
    at: usize,
    inside: Declaration,
    after: Option<usize>,
}

impl Machine {
    /// One piece of text, markup or tag of the frame on top, which is read by its members.
    pub(super) fn content(&mut self, last: bool) -> Result<Step, Error> {
        if let Some(step) = self.row_step(last) {
            return Ok(step);
        }
        let limit = self.limit();
        let end = limit.unwrap_or_else(|| self.buf.end());
        let whole = last || limit.is_some();
        if self.pos >= end {
            return if whole { self.end_of_content(limit) } else { Ok(Step::Wait) };
        }
        if self.buf.byte(self.pos) == Some(b'<') {
            self.may_hold(None, self.pos, self.tags.from(self.pos))?;
            return self.markup(end, whole, last);
        }
        let angle = self.tags.angle(&self.buf, self.pos);
        let at = angle.map_or(end, |angle| angle.at.min(end));
        if at == end && !whole {
            return Ok(Step::Wait);
        }
        let whitespace = self.is_whitespace(self.pos..at, angle);
        self.add_text(self.pos..at, whitespace, true);
        self.pos = at;
        Ok(Step::On)
    }

    /// Whether text is all whitespace, where `angle` is the first `<` that may come after it.
    pub(super) fn is_whitespace(&mut self, span: Range<usize>, angle: Option<Angle>) -> bool {
        let known = angle.filter(|angle| angle.at == span.end).and_then(|angle| angle.whitespace);
        known.map_or_else(
            || {
                let spaces = self.buf.bytes(span.clone());
                let spaces = spaces.iter().take_while(|byte| is_whitespace(**byte)).count();
                self.tags.count_examined(spaces);
                spaces == span.len()
            },
            |from| from <= span.start,
        )
    }

    fn markup(&mut self, end: usize, whole: bool, last: bool) -> Result<Step, Error> {
        if matches!(self.buf.bytes(self.pos + 1..end).first(), Some(b'!' | b'?')) {
            return self.skipped(end, whole);
        }
        let Some(seq) = self.tags.reach(self.pos) else {
            let known = last || self.tags.known_to() > self.pos;
            return if known { self.no_tag(end, last) } else { Ok(Step::Wait) };
        };
        match self.tags.get(seq) {
            Some(tag) if tag.whole && tag.end <= end => {
                if tag.kind == TagKind::Close {
                    self.close(seq, last)
                } else {
                    self.open(seq, last)
                }
            }
            _ => self.no_tag(end, last),
        }
    }

    /// Markup that is no tag.
    fn skipped(&mut self, end: usize, whole: bool) -> Result<Step, Error> {
        let rest = self.buf.slice(self.pos..end);
        let open = |mark: &str| !whole && rest.len() < mark.len() && mark.starts_with(rest);
        if open("<!--") || open(CDATA) {
            return Ok(Step::Wait);
        }
        if rest.starts_with("<!--") {
            return self.skip_to("<!--", Mark::Comment, end, whole);
        }
        if rest.starts_with(CDATA) {
            return self.skip_to(CDATA, Mark::Section, end, whole);
        }
        if rest.starts_with("<?") {
            return self.skip_to("<?", Mark::Instruction, end, whole);
        }
        self.skip_declaration(end, whole)
    }

    /// Skips markup up to its end; the content of a CDATA section is text.
    fn skip_to(&mut self, begin: &str, mark: Mark, end: usize, whole: bool) -> Result<Step, Error> {
        let inside = self.pos + begin.len();
        if let Some(after) = self.tags.after(mark, inside).filter(|after| *after <= end) {
            if begin == CDATA {
                self.add_section(inside..after - mark.text().len());
            }
            self.pos = after;
            return Ok(Step::On);
        }
        if !whole {
            return Ok(Step::Wait);
        }
        if self.options.partial {
            self.pos = end;
            return Ok(Step::On);
        }
        let span = self.pos..inside;
        if begin != CDATA || !self.options.repair {
            return Err(Error::parse(ParseErrorKind::UnclosedMarkup, span));
        }
        let name = self.stack.last().map_or("", Frame::name);
        let close = self.tags.first_close(name, self.tags.from(self.pos), end);
        let stop = close.and_then(|seq| self.tags.get(seq)).map_or(end, |tag| tag.start);
        self.note(Code::CdataOpen, span);
        self.add_section(inside..stop.max(inside));
        self.pos = stop.max(inside);
        Ok(Step::On)
    }

    /// Skips `<!…>`, an internal subset included.
    fn skip_declaration(&mut self, end: usize, whole: bool) -> Result<Step, Error> {
        if let Some(after) = self.after_declaration(self.pos, end) {
            self.pos = after;
            return Ok(Step::On);
        }
        if !whole {
            return Ok(Step::Wait);
        }
        if self.options.partial {
            self.pos = end;
            return Ok(Step::On);
        }
        Err(Error::parse(ParseErrorKind::UnclosedMarkup, self.pos..self.pos + 2))
    }

    /// Offset after the declaration at an offset, if it ends before another. Goes on where it
    /// stopped, and remembers what it found for whoever reads the same again.
    pub(super) fn after_declaration(&mut self, start: usize, end: usize) -> Option<usize> {
        let skip =
            self.skips.entry(start).or_insert_with(|| Skip { at: start + 2, ..Skip::default() });
        while skip.after.is_none()
            && let Some(byte) = self.buf.byte(skip.at).filter(|_| skip.at < end)
        {
            skip.at += 1;
            self.tags.count_examined(1);
            skip.after = skip.inside.ends_at(byte).then_some(skip.at);
        }
        skip.after.filter(|after| *after <= end)
    }

    /// A `<` that begins no tag.
    fn no_tag(&mut self, end: usize, last: bool) -> Result<Step, Error> {
        let span = self.pos..self.pos + 1;
        if self.options.partial && last && !self.buf.slice(span.end..end).contains('<') {
            // The beginning of a tag that was cut off.
            self.pos = end;
            return Ok(Step::On);
        }
        if !self.options.repair {
            return Err(Error::parse(ParseErrorKind::BadTag, span));
        }
        let own = self.stack.last().filter(|_| self.stack.len() > 1).map_or("", Frame::name);
        let cut = self.tags.cut_close(&self.buf, own, span.clone());
        if let Some(cut) = cut.filter(|_| !own.is_empty()) {
            match self.own_close(last)? {
                None => return Ok(Step::Wait),
                Some(true) => {}
                Some(false) => {
                    self.assume_close(cut.clone(), cut.end);
                    return Ok(Step::On);
                }
            }
        }
        self.note(Code::TextLt, span.clone());
        self.add_text(span.clone(), false, false);
        self.pos = span.end;
        Ok(Step::On)
    }

    fn add_section(&mut self, span: Range<usize>) {
        let whitespace = self.is_whitespace(span.clone(), None);
        self.add_text(span, whitespace, false);
    }

    /// Takes text into the frame on top.
    fn add_text(&mut self, span: Range<usize>, whitespace: bool, decode: bool) {
        let raw = self.buf.slice(span.clone());
        let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) else { return };
        if whitespace {
            if !members.is_root {
                members.text.push_str(raw);
            }
            return;
        }
        let text = match decode {
            true => decoded(raw, span.start, &mut self.diagnostics),
            false => Cow::Borrowed(raw),
        };
        self.tags.count_examined(if decode { span.len() } else { 0 });
        let whitespace = matches!(&text, Cow::Owned(text) if is_all_whitespace(text));
        if !members.is_root {
            members.text.push_str(&text);
            if !whitespace {
                members.pieces.push_str(&text);
            }
        }
        if !whitespace {
            let first = members.piece.as_ref().map_or(span.start, |piece| piece.start);
            members.piece = Some(first..span.end);
            if members.is_root {
                self.note(Code::StrayText, span);
            }
        }
    }

    fn end_of_content(&mut self, limit: Option<usize>) -> Result<Step, Error> {
        let Some(frame) = self.stack.last() else { return Ok(Step::Wait) };
        if frame.limit.is_some() || self.stack.len() == 1 {
            self.end_members(self.pos);
            return Ok(Step::On);
        }
        if self.options.partial && limit.is_none() {
            return self.cut_members();
        }
        if !self.options.repair {
            return Err(Error::parse(ParseErrorKind::Unclosed, frame.tag.clone()));
        }
        self.assume_close(self.pos..self.pos, self.pos);
        Ok(Step::On)
    }
}

impl Machine {
    /// Whether chunks may take the fast path: asked once after each step, as that changes nothing of it.
    pub(super) fn may_take_fast_path(&self) -> bool {
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last() else {
            return false;
        };
        self.is_observed()
            && self.may_forget()
            && self.tags.is_between(self.buf.end())
            && element.goes_on()
    }

    /// Takes a chunk for the string that is open; false where it has to be read step by step.
    #[inline]
    pub(super) fn fast_path(&mut self, chunk: &str, sink: impl FnMut(Event<'_>)) -> bool {
        let end = self.buf.end();
        let room = chunk.len() <= self.options.max_bytes.saturating_sub(end);
        // In repair, whitespace at an end may go.
        let solid =
            !self.options.repair || chunk.as_bytes().last().is_some_and(|b| !is_whitespace(*b));
        if !room || !solid {
            return false;
        }
        let Some(reference) = look(chunk.as_bytes()) else { return false };
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last_mut() else {
            return false;
        };
        self.tags.pass(chunk.len());
        element.examined = end + chunk.len();
        if self.options.repair
            && let Some((_, last)) = &mut element.solid
        {
            *last = element.examined;
        }
        if reference || element.sent < end {
            self.flow_decoded(chunk, sink);
            return true;
        }
        element.sent = element.examined;
        self.buf.pass(element.sent);
        if self.inside.is_none() {
            element.out.push_str(chunk);
        }
        tell(chunk, sink);
        true
    }

    /// The same where there are references, or the beginning of one waits.
    fn flow_decoded(&mut self, chunk: &str, mut sink: impl FnMut(Event<'_>)) {
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last_mut() else {
            return;
        };
        let held = element.sent < self.buf.end();
        if held {
            self.buf.push(chunk);
        }
        let text = if held { self.buf.from(element.sent) } else { chunk };
        let told = text.len() - open_reference(text);
        let (from, known) = (element.out.len(), self.diagnostics.len());
        let text = text.get(..told).unwrap_or("");
        decode_into(&mut element.out, text, element.sent, &mut self.diagnostics);
        element.sent += told;
        if held {
            self.buf.forget(element.sent);
        } else {
            self.buf.restart(element.sent, chunk.get(told..).unwrap_or(""));
        }
        if self.diagnostics.len() > known {
            self.give(&mut sink);
        }
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last_mut() else {
            return;
        };
        tell(element.out.get(from..).unwrap_or(""), sink);
        if self.inside.is_some() {
            element.out.clear();
        }
    }
}

fn tell(text: &str, mut sink: impl FnMut(Event<'_>)) {
    if !text.is_empty() {
        sink(Event::Text { text: text.into() });
    }
}

impl TextElement {
    /// Something of the string was told, so it is not CDATA, and no tag has put in doubt what
    /// follows.
    const fn goes_on(&self) -> bool {
        matches!(self.purpose, Use::Text) && self.sent > self.start && self.seen.is_certain()
    }
}

/// Whether there may be a reference in a chunk, or the beginning of one; none where there is a `<`.
#[inline]
fn look(chunk: &[u8]) -> Option<bool> {
    // A search costs more than the few bytes that a token is: these are examined as one or two
    // words, which overlap.
    match chunk.len() {
        0..=3 => judge(chunk, chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
        4..=7 => {
            let first = chunk.first_chunk().copied().map_or(0, u32::from_le_bytes);
            let last = chunk.last_chunk().copied().map_or(0, u32::from_le_bytes);
            judge(chunk, u64::from(first) << 32 | u64::from(last), 0)
        }
        8..=16 => {
            let first = chunk.first_chunk().copied().map_or(0, u64::from_le_bytes);
            let last = chunk.last_chunk().copied().map_or(0, u64::from_le_bytes);
            judge(chunk, first, last)
        }
        _ => {
            let special = memchr2(b'<', b'&', chunk).and_then(|at| chunk.get(at..));
            let special = special.unwrap_or_default();
            memchr(b'<', special).is_none().then_some(!special.is_empty())
        }
    }
}

/// The same for a chunk whose bytes these two words are made of.
#[inline]
fn judge(chunk: &[u8], one: u64, other: u64) -> Option<bool> {
    if is_in(one, b'<') || is_in(other, b'<') {
        return None;
    }
    Some((is_in(one, b'&') || is_in(other, b'&')) && may_refer(chunk))
}

/// Whether one of the eight bytes of a word is this one.
#[inline]
const fn is_in(word: u64, byte: u8) -> bool {
    let ones = u64::from_le_bytes([1; 8]);
    let zero_if_it = word ^ ones.wrapping_mul(byte as u64);
    zero_if_it.wrapping_sub(ones) & !zero_if_it & ones << 7 != 0
}
