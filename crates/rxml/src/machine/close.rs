//! Closing tags, and what repair makes of those that are missing or close nothing.

use std::ops::Range;

use super::frame::Frame;
use super::{Machine, Step};
use crate::error::{self, Error, ParseErrorKind};
use crate::tags::Seq;

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
        } else if self.is_ancestor(name) {
            self.assume_close(span.start..span.start, span.start);
        } else if nameless {
            self.note(error::STRAY_CLOSE, span.clone());
            self.pos = span.end;
        } else {
            match self.own_close(last) {
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

    /// Whether the element on top has a closing tag of its own before the enclosing element ends;
    /// none while that is not known. Asks the index once for each name that is open, so that a row
    /// of elements without closing tags stays linear.
    pub(super) fn own_close(&mut self, last: bool) -> Option<bool> {
        let pos = self.pos;
        let (here, end) = (self.tags.from(pos), self.tags.end());
        let frame = self.stack.last()?;
        let members = frame.members()?;
        if let Some(known) = members.own_close
            && known.is_none_or(|at| at >= pos)
        {
            return Some(known.is_some());
        }
        let from = match members.look {
            Some((_, seen)) if seen == end && !last => return None,
            Some((from, _)) => from,
            None => here,
        };
        let own = self.tags.outer_close(frame.name(), from);
        let outer = self.ancestors().filter_map(|name| self.tags.outer_close(name, from)).min();
        let found = match (own, outer) {
            (Some(own), outer) if outer.is_none_or(|outer| own <= outer) => {
                Some(self.tags.get(own).map(|tag| tag.start))
            }
            (_, Some(_)) => Some(None),
            _ => last.then_some(None),
        };
        let members = self.stack.last_mut().and_then(Frame::members_mut)?;
        members.look = found.is_none().then_some((from, end));
        members.own_close = found;
        found.map(|at| at.is_some())
    }
}
