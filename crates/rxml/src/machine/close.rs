//! Closing tags, and what repair makes of those that are missing or close nothing.

use std::ops::Range;

use super::frame::{End, Frame};
use super::text_end::{assumed, foreign_end, own_end};
use super::{Machine, Step};
use crate::error::{Code, Error, ParseErrorKind};
use crate::options::declared;
use crate::tags::{Seq, Tag, TagKind};
use crate::text::is_all_whitespace;

impl Machine {
    pub(super) fn assume_close(&mut self, span: Range<usize>, after: usize) {
        self.note(Code::AssumedClose, span);
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
                self.note(Code::CloseSpacing, span.clone());
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
            self.note(Code::CloseCase, span.clone());
            self.end_members(span.end);
        } else if self.lacks_its_opening_tag(name, span.start) {
            self.note(Code::DoubtfulClose, span.clone());
            self.pos = span.end;
        } else if self.is_ancestor(name) {
            self.assume_close(span.start..span.start, span.start);
        } else if nameless || self.is_foreign(name) {
            self.note(Code::StrayClose, span.clone());
            self.pos = span.end;
        } else {
            match self.own_close(last)? {
                None => return Ok(Step::Wait),
                Some(true) => {
                    self.note(Code::StrayClose, span.clone());
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
        if ends && is_all_whitespace(self.buf.slice(span.end..next.start)) {
            return Ok(Some(true));
        }
        if self.inside.is_some() {
            self.note(Code::DoubtfulClose, span);
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

/// Tags that are examined one after another before they are looked up by name.
const NEAR: usize = 8;

/// Where an element ends, if it does, and where the one around it was seen to end.
pub(super) struct Decision {
    pub(super) found: Option<End>,
    pub(super) enclosing: Option<usize>,
    /// Tags considered.
    pub(super) examined: usize,
}

impl Machine {
    /// The end of the element when every tag before `end` is known, and the end of the enclosing
    /// element where that was met. Goes from one closing tag that was not opened inside to the next:
    /// what is in order inside the element is not looked at.
    pub(super) fn decide(&self, frame: &Frame, end: usize, enclosed: bool) -> Decision {
        let before = |seq: &Seq| self.tags.get(*seq).is_some_and(|tag| tag.start < end);
        let tag = self.tags.get(frame.open);
        let matching = tag.and_then(|tag| tag.matching).filter(before);
        let outer = tag.and_then(|tag| tag.outer).filter(before);
        let own = |seq| self.tags.get(seq).map(own_end);
        if matching.is_some() && matching == outer {
            return Decision { found: matching.and_then(own), enclosing: None, examined: 1 };
        }
        let repair = self.options.repair;
        if let Some(found) =
            self.scalar_end(frame, frame.open + 1).filter(|found| found.inner < end)
        {
            return Decision { found: Some(found), enclosing: None, examined: 1 };
        }
        let Some(first) = self.tags.first_close(frame.name(), frame.open + 1, end) else {
            let assume = repair && (enclosed || !self.options.partial);
            return self.decide_open(frame, outer, end, assume);
        };
        if matching.is_none()
            && let Some(found) = self.cased_end(frame, outer, first)
        {
            return Decision { found: Some(found), enclosing: None, examined: NEAR };
        }
        let last = matching.unwrap_or(first);
        // Without repair, what is before the first closing tag of its own is text.
        let from = if repair { frame.open } else { first };
        let next = self.tags.get(from).and_then(|tag| tag.outer);
        let (ancestor, examined) = self.outer_of_ancestor(frame, next, last);
        let Some((at, ancestor)) = ancestor else {
            return Decision { found: own(last), enclosing: None, examined };
        };
        if at > first {
            return Decision { found: own(first), enclosing: Some(ancestor.start), examined };
        }
        let open = self.decide_open(frame, outer, ancestor.start + 1, true);
        Decision { enclosing: Some(ancestor.start), examined: examined + open.examined, ..open }
    }

    /// In repair: a closing tag in another letter case ends an element of a list, as the one of its
    /// own name may be that of the next.
    fn cased_end(&self, frame: &Frame, outer: Option<Seq>, first: Seq) -> Option<End> {
        let tag = self.tags.get(outer.filter(|seq| *seq < first)?)?;
        let end = foreign_end(tag, frame.name(), self.buf.slice(tag.name.clone()));
        let repairs = self.options.repair && frame.is_entry() && end.by_case;
        let free = repairs && self.first_sibling(frame, tag.start).0.is_none();
        free.then_some(end)
    }

    /// The end of an element without a closing tag of its own before `end`, where the first closing
    /// tag that nothing inside it opened is `outer`. Only repair has one.
    fn decide_open(&self, frame: &Frame, outer: Option<Seq>, end: usize, assume: bool) -> Decision {
        let nothing = Decision { found: None, enclosing: None, examined: 1 };
        if !self.options.repair {
            return nothing;
        }
        let outer = outer.and_then(|seq| self.tags.get(seq)).filter(|tag| tag.start < end);
        let to = outer.map_or(end, |tag| tag.start);
        let (sibling, examined) = self.first_sibling(frame, to);
        if let Some(start) = sibling {
            let found = assume.then(|| assumed(start, start, Code::AssumedClose));
            return Decision { found, examined, ..nothing };
        }
        let Some(tag) = outer else {
            let found = assume.then(|| assumed(end, end, Code::AssumedClose));
            return Decision { found, examined, ..nothing };
        };
        let name = self.buf.slice(tag.name.clone());
        if self.is_ancestor(name) {
            let found = Some(assumed(tag.start, tag.start, Code::AssumedClose));
            return Decision { found, enclosing: Some(tag.start), examined };
        }
        let found = assume.then(|| foreign_end(tag, frame.name(), name));
        Decision { found, examined, ..nothing }
    }

    /// The first closing tag before another that closes an element around the one on top and was not
    /// opened inside it, from a tag on.
    fn outer_of_ancestor(
        &self,
        frame: &Frame,
        next: Option<Seq>,
        end: Seq,
    ) -> (Option<(Seq, &Tag)>, usize) {
        let mut examined = 1;
        let mut next = next.filter(|_| self.ancestors().next().is_some());
        while let Some(seq) = next.filter(|seq| *seq < end) {
            if examined > NEAR && self.options.repair {
                return self.far_ancestor(frame, end);
            }
            let Some(tag) = self.tags.get(seq) else { break };
            let inside = tag.matching.is_some_and(|matching| matching > frame.open);
            let name = self.buf.slice(tag.name.clone());
            if !inside && name != frame.name() && self.is_ancestor(name) {
                return (Some((seq, tag)), examined);
            }
            next = tag.outer;
            examined += 1;
        }
        (None, examined)
    }

    /// The same by name. Only in repair.
    fn far_ancestor(&self, frame: &Frame, end: Seq) -> (Option<(Seq, &Tag)>, usize) {
        let mut examined = NEAR;
        let names = self.ancestors().filter(|name| !name.is_empty() && *name != frame.name());
        let first = names.filter_map(|name| {
            examined += 1;
            self.tags.outer_close(name, frame.open + 1)
        });
        let first = first.min().filter(|seq| *seq < end);
        (first.and_then(|seq| Some((seq, self.tags.get(seq)?))), examined)
    }

    /// Where the first opening tag inside the element on top begins that is another declared
    /// property of the same parent, before an offset.
    fn first_sibling(&self, frame: &Frame, end: usize) -> (Option<usize>, usize) {
        let mut examined = 0;
        let mut seq = self.tags.next(frame.open);
        while let Some(tag) = self.tags.get(seq).filter(|tag| tag.start < end) {
            examined += 1;
            if tag.kind != TagKind::Close
                && self.is_sibling(frame, self.buf.slice(tag.name.clone()))
            {
                return (Some(tag.start), examined);
            }
            seq += 1;
            if examined == NEAR {
                let (start, more) = self.far_sibling(frame, seq, end);
                return (start, examined + more);
            }
        }
        (None, examined)
    }

    /// The same from a tag on, by name.
    fn far_sibling(&self, frame: &Frame, from: Seq, end: usize) -> (Option<usize>, usize) {
        let parent = self.stack.iter().rev().nth(1);
        let Some(parent) = self.node(parent.and_then(|parent| parent.node)) else {
            return (None, 0);
        };
        let mut examined = 0;
        let names = parent.property_names().filter(|name| self.is_sibling(frame, name));
        let first = names.filter_map(|name| {
            examined += 1;
            self.tags.first_open(name, from)
        });
        let first = first.min().and_then(|seq| self.tags.get(seq));
        let start = first.map(|tag| tag.start).filter(|start| *start < end);
        (start, examined)
    }
}
