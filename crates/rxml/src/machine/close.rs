//! Closing tags, and what repair makes of those that are missing or close nothing.

use std::ops::Range;

use super::frame::Frame;
use super::{Machine, Step};
use crate::chars::is_all_blank;
use crate::error::{self, Error, ParseErrorKind};
use crate::kind::declared;
use crate::tags::{Seq, TagKind};

impl Machine {
    pub(super) fn assume_close(&mut self, span: Range<usize>, after: usize) {
        self.note(error::ASSUMED_CLOSE, span);
        self.end_members(after);
    }

    /// A closing tag.
    pub(super) fn close(&mut self, seq: Seq, last: bool) -> Result<Step, Error> {
        self.look_around();
        let Some(tag) = self.tags.get(seq) else { return Ok(Step::Wait) };
        let (span, spaced) = (tag.start..tag.end, tag.name.start != tag.start + 2);
        let name = self.buf.slice(tag.name.clone());
        let Some(frame) = self.stack.last() else { return Ok(Step::Wait) };
        let own = frame.name();
        let nameless = own.is_empty();
        if !nameless && own == name {
            if spaced {
                self.note(error::CLOSE_SPACING, span.clone());
            }
            self.end_members(span.end);
            return Ok(Step::On);
        }
        if !self.options.repair {
            let kind =
                if nameless { ParseErrorKind::StrayClose } else { ParseErrorKind::Mismatched };
            return Err(Error::parse(kind, span));
        }
        if !nameless && own.eq_ignore_ascii_case(name) {
            self.note(error::CLOSE_CASE, span.clone());
            self.end_members(span.end);
        } else if self.lacks_its_opening_tag(name, span.start) {
            self.note(error::DOUBTFUL_CLOSE, span.clone());
            self.pos = span.end;
        } else if self.is_ancestor(name) {
            self.assume_close(span.start..span.start, span.start);
        } else if nameless || self.is_foreign(name) {
            self.note(error::STRAY_CLOSE, span.clone());
            self.pos = span.end;
        } else {
            match self.own_close(last)? {
                None => return Ok(Step::Wait),
                Some(true) => {
                    self.note(error::STRAY_CLOSE, span.clone());
                    self.pos = span.end;
                }
                Some(false) => self.assume_close(span.clone(), span.end),
            }
        }
        Ok(Step::On)
    }

    /// Whether a closing tag that closes nothing is certainly no misspelt one of the element on top: that
    /// element is the call itself, whose own tag alone ends it, or it is the tag of another call.
    fn is_foreign(&self, name: &str) -> bool {
        self.inside.is_some() && (self.stack.len() == 1 || self.is_other(name))
    }

    /// Whether the text before a closing tag that closes nothing was to be the property that it names.
    fn lacks_its_opening_tag(&self, name: &str, start: usize) -> bool {
        let Some(frame) = self.stack.last() else { return false };
        let text = frame.members().and_then(|members| members.piece.as_ref());
        self.inside.is_some()
            && text.is_some_and(|text| text.end == start)
            && declared(self.node(frame.node), name).is_some()
            && !self.is_ancestor(name)
    }

    /// Whether an opening tag of the same name as the element on top stands where its closing tag is
    /// due: before what ends it, and no other closing tag comes. None while that is not known.
    pub(super) fn opens_for_close(&mut self, seq: Seq, last: bool) -> Result<Option<bool>, Error> {
        let Some(tag) = self.tags.get(seq) else { return Ok(None) };
        let (span, kind) = (tag.start..tag.end, tag.kind);
        let name = self.buf.slice(tag.name.clone());
        let Some(frame) = self.stack.last() else { return Ok(Some(false)) };
        let is_own = self.stack.len() > 1 && kind == TagKind::Open && frame.name() == name;
        if !self.options.repair || !is_own || declared(self.node(frame.node), name).is_some() {
            return Ok(Some(false));
        }
        match self.own_close(last)? {
            None => return Ok(None),
            Some(true) => return Ok(Some(false)),
            Some(false) => {}
        }
        self.look_around();
        let (Some(next), Some(frame)) = (self.tags.get(seq + 1), self.stack.last()) else {
            return Ok(last.then_some(false));
        };
        let name = self.buf.slice(next.name.clone());
        let ends = match next.kind {
            TagKind::Close => self.is_ancestor(name),
            _ => self.is_sibling(frame, name),
        };
        if ends && is_all_blank(self.buf.slice(span.end..next.start)) {
            return Ok(Some(true));
        }
        if self.inside.is_some() {
            self.note(error::DOUBTFUL_CLOSE, span);
        }
        Ok(Some(false))
    }

    /// Whether the element on top has a closing tag of its own before the enclosing element ends;
    /// none while that is not known. Asks the index once for each name that is open, so that a row
    /// of elements without closing tags stays linear.
    pub(super) fn own_close(&mut self, last: bool) -> Result<Option<bool>, Error> {
        let pos = self.pos;
        let (here, end) = (self.tags.from(pos), self.tags.end());
        let Some(frame) = self.stack.last() else { return Ok(None) };
        let Some(members) = frame.members() else { return Ok(None) };
        if let Some(known) = members.own_close
            && known.is_none_or(|at| at >= pos)
        {
            return Ok(Some(known.is_some()));
        }
        let from = match members.look {
            Some((_, seen)) if seen == end && !last => return Ok(None),
            Some((from, _)) => from,
            None => here,
        };
        if let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) {
            members.look = Some((from, end));
        }
        let name = self.stack.last().map_or("", Frame::name);
        let own = self.tags.outer_close(name, from);
        let outer = self.ancestors().filter_map(|name| self.tags.outer_close(name, from)).min();
        if let Some(seq) = own.into_iter().chain(outer).min()
            && let Some(at) = self.tags.get(seq).map(|tag| tag.start)
        {
            self.may_hold(None, at, seq)?;
        }
        let found = match (own, outer) {
            (Some(own), outer) if outer.is_none_or(|outer| own <= outer) => {
                Some(self.tags.get(own).map(|tag| tag.start))
            }
            (_, Some(_)) => Some(None),
            _ => last.then_some(None),
        };
        if let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) {
            members.look = members.look.filter(|_| found.is_none());
            members.own_close = found;
        }
        Ok(found.map(|at| at.is_some()))
    }
}
