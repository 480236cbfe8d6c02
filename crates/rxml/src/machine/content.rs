//! Content between tags: text and markup that is skipped.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::frame::Frame;
use super::{Machine, Step};
use crate::chars::is_all_blank;
use crate::declaration::Declaration;
use crate::error::{self, Error, ParseErrorKind};
use crate::tags::{CDATA, CDATA_END, TagKind};
use crate::text::decoded;

/// A declaration that is being skipped: where it begins and how far that has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skip {
    start: usize,
    at: usize,
    inside: Declaration,
}

impl Machine {
    /// One piece of text, markup or tag of the frame on top, which is read by its members.
    pub(super) fn content(&mut self, last: bool) -> Result<Step, Error> {
        if let Some(step) = self.row_step(last) {
            return Ok(step);
        }
        let limit = self.stack.last().and_then(|frame| frame.limit).map(|(end, _)| end);
        let end = limit.unwrap_or_else(|| self.buf.end());
        let whole = last || limit.is_some();
        if self.pos >= end {
            return if whole { self.end_of_content(limit.is_some()) } else { Ok(Step::Wait) };
        }
        if self.buf.byte(self.pos) == Some(b'<') {
            return self.markup(end, whole, last);
        }
        let from = self.searched.clamp(self.pos, end);
        let found = memchr(b'<', self.buf.bytes(from..end));
        self.tags.looked(found.unwrap_or(end - from));
        let at = match found {
            Some(found) => from + found,
            None if whole => end,
            None => {
                self.searched = end;
                return Ok(Step::Wait);
            }
        };
        self.add_text(self.pos..at, true);
        self.pos = at;
        Ok(Step::On)
    }

    fn markup(&mut self, end: usize, whole: bool, last: bool) -> Result<Step, Error> {
        if matches!(self.buf.bytes(self.pos + 1..end).first(), Some(b'!' | b'?')) {
            return self.skipped(end, whole);
        }
        self.tags.reach(self.pos);
        let Some(seq) = self.tags.at(self.pos) else {
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
            return self.skip_to("<!--", "-->", end, whole);
        }
        if rest.starts_with(CDATA) {
            return self.skip_to(CDATA, CDATA_END, end, whole);
        }
        if rest.starts_with("<?") {
            return self.skip_to("<?", "?>", end, whole);
        }
        self.skip_declaration(end, whole)
    }

    /// Skips markup up to its end; the content of a CDATA section is text.
    fn skip_to(
        &mut self,
        begin: &str,
        finish: &str,
        end: usize,
        whole: bool,
    ) -> Result<Step, Error> {
        let inside = self.pos + begin.len();
        let from = self.searched.max(inside);
        // Where one section has no end, those behind it have none.
        let endless = begin == CDATA && self.endless.start <= from && end <= self.endless.end;
        let found = if endless { None } else { self.buf.behind(finish, inside, from, end) };
        self.tags.looked(if endless { 0 } else { found.unwrap_or(end).saturating_sub(from) });
        if let Some(behind) = found {
            if begin == CDATA {
                self.add_text(inside..behind - finish.len(), false);
            }
            self.pos = behind;
            return Ok(Step::On);
        }
        if !whole {
            self.searched = end.max(inside);
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
        if !endless {
            self.endless = from..end;
        }
        let name = self.stack.last().map_or("", Frame::name);
        let close = self.tags.first_close(name, self.tags.from(self.pos), end);
        let stop = close.and_then(|seq| self.tags.get(seq)).map_or(end, |tag| tag.start);
        self.note(error::CDATA_OPEN, span);
        self.add_text(inside..stop.max(inside), false);
        self.pos = stop.max(inside);
        Ok(Step::On)
    }

    /// Skips `<!…>`, an internal subset included.
    fn skip_declaration(&mut self, end: usize, whole: bool) -> Result<Step, Error> {
        if self.skip.at <= self.pos || self.skip.start != self.pos {
            let inside = Declaration::default();
            self.skip = Skip { start: self.pos, at: self.pos + 2, inside };
        }
        while let Some(byte) = self.buf.byte(self.skip.at).filter(|_| self.skip.at < end) {
            self.skip.at += 1;
            self.tags.looked(1);
            if self.skip.inside.ends_at(byte) {
                self.pos = self.skip.at;
                return Ok(Step::On);
            }
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
        self.note(error::TEXT_LT, span.clone());
        self.add_text(span.clone(), false);
        self.pos = span.end;
        Ok(Step::On)
    }

    /// Takes text into the frame on top.
    fn add_text(&mut self, span: Range<usize>, decode: bool) {
        self.tags.looked(span.len());
        let raw = self.buf.slice(span.clone());
        let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) else { return };
        if is_all_blank(raw) {
            if !members.is_root {
                members.text.push_str(raw);
            }
            return;
        }
        let text = match decode {
            true => decoded(raw, span.start, &mut self.diagnostics),
            false => Cow::Borrowed(raw),
        };
        let blank = is_all_blank(&text);
        if !members.is_root {
            members.text.push_str(&text);
            if !blank {
                members.pieces.push_str(&text);
            }
        }
        if !blank {
            let first = members.piece.as_ref().map_or(span.start, |piece| piece.start);
            members.piece = Some(first..span.end);
            if members.is_root {
                self.note(error::STRAY_TEXT, span);
            }
        }
    }

    fn end_of_content(&mut self, limited: bool) -> Result<Step, Error> {
        if limited || self.stack.len() == 1 {
            self.end_members(self.pos);
            return Ok(Step::On);
        }
        if self.options.partial {
            return self.cut_members();
        }
        let tag = self.stack.last().map_or(0..0, |frame| frame.tag.clone());
        if !self.options.repair {
            return Err(Error::parse(ParseErrorKind::Unclosed, tag));
        }
        self.assume_close(self.pos..self.pos, self.pos);
        Ok(Step::On)
    }
}
