//! Strings, scalars and the elements of lists: delimited by counting tags of their own name.
//!
//! The closing tag that brings the count back to zero ends the element, if it comes before the
//! enclosing element ends; else the first closing tag does. With repair, an element without any ends
//! at the first of: a closing tag that nothing inside it opened, the opening tag of another declared
//! property of its parent, the end of the enclosing element, the end of the input.

use std::ops::Range;

use toolweir_schema_coerce::references::open_reference;

use super::close::Decision;
use super::frame::{Body, End, Frame, Key, Seen, Use};
use super::text_end::{assumed, foreign_end, own_end};
use super::{Event, Machine, Step};
use crate::error::{Code, Error, ParseErrorKind};
use crate::options::declared;
use crate::tags::{Seq, Tag, TagKind};
use crate::text::{decode_into, is_whitespace, may_be_sections};

impl Machine {
    /// Finds the end of the element on top, or gives what is certain of it.
    pub(super) fn text_element(&mut self, last: bool) -> Result<Step, Error> {
        self.look_around();
        let Some(frame) = self.stack.last() else { return Ok(Step::Wait) };
        let Body::TextElement(element) = &frame.body else { return Ok(Step::Wait) };
        // The stretch of content that the parent is read from.
        let parent = self.stack.iter().rev().nth(1);
        let limit = self.limit();
        let scope = parent.and_then(Frame::members).and_then(|members| members.scope);
        let scope = scope.filter(|scope| *scope >= element.start);
        if let Some(scope) = scope
            && let Decision { found: Some(found), enclosing, examined } =
                self.decide(frame, scope, true)
        {
            self.tags.count_examined(examined);
            self.enclosing_end(enclosing);
            return self.end_text_element(found);
        }
        if last || limit.is_some() {
            let end = limit.unwrap_or_else(|| self.buf.end());
            let Decision { found, enclosing, examined } = self.decide(frame, end, false);
            self.tags.count_examined(examined);
            self.enclosing_end(enclosing);
            return match found {
                Some(found) => self.end_text_element(found),
                // Cut off: what was certain before the end has gone out already.
                None if self.options.partial => self.cut_text_element(),
                None => {
                    let tag = self.stack.last().map_or(0..0, |frame| frame.tag.clone());
                    Err(Error::parse(ParseErrorKind::Unclosed, tag))
                }
            };
        }
        let mut seen = element.seen.clone();
        let first = seen.next;
        let (mut found, mut enclosing) = (None, None);
        let mut room = Ok(());
        let mut from = element.sent;
        while let Some(tag) = self.tags.get(seen.next) {
            if seen.is_certain() {
                let cut = self.tags.cut_close(&self.buf, frame.name(), from..tag.start);
                seen.cut = cut.map(|cut| cut.start);
                from = tag.start;
            }
            room = self.may_hold(Some(&seen), tag.start, seen.next);
            if room.is_err() {
                break;
            }
            found = self.consider(frame, &mut seen, tag, &mut enclosing);
            if found.is_some() {
                break;
            }
            seen.next += 1;
        }
        self.tags.count_examined(seen.next - first);
        self.enclosing_end(enclosing);
        if let Some(found) = found {
            return self.end_text_element(found);
        }
        if let Some(element) = self.stack.last_mut().and_then(Frame::text_element_mut) {
            element.seen = seen;
        }
        self.stream();
        room.map(|()| Step::Wait)
    }

    /// Remembers where the enclosing element ends, for the elements that follow in it.
    fn enclosing_end(&mut self, end: Option<usize>) {
        let parent = self.stack.iter_mut().rev().nth(1).and_then(Frame::members_mut);
        if let (Some(end), Some(parent)) = (end, parent) {
            parent.scope = Some(end);
        }
    }

    /// Whether a tag ends the element; remembers what may end it later.
    fn consider(
        &self,
        frame: &Frame,
        seen: &mut Seen,
        tag: &Tag,
        enclosing: &mut Option<usize>,
    ) -> Option<End> {
        let (own, name) = (frame.name(), self.buf.slice(tag.name.clone()));
        let repair = self.options.repair;
        let open = seen.first_close.is_none() && seen.assumed.is_none();
        if tag.kind != TagKind::Close {
            if repair && open && self.is_sibling(frame, name) {
                seen.assumed = Some(assumed(tag.start, tag.start, Code::AssumedClose).into());
            }
            return None;
        }
        if own == name {
            if tag.matching == Some(frame.open) {
                return Some(own_end(tag));
            }
            seen.first_close.get_or_insert(seen.next);
            return None;
        }
        let opened_inside = tag.matching.is_some_and(|matching| matching > frame.open);
        if opened_inside {
            return None;
        }
        if self.is_ancestor(name) {
            let first = seen.first_close.and_then(|seq| self.tags.get(seq)).map(own_end);
            let assumed_end = seen.assumed.as_deref().cloned();
            let cased = assumed_end.clone().filter(|end| end.by_case && frame.is_entry());
            let found = cased.or(first).or_else(|| {
                let here = || assumed(tag.start, tag.start, Code::AssumedClose);
                repair.then(|| assumed_end.unwrap_or_else(here))
            });
            // Without a closing tag or repair this is text: code may hold any tag.
            *enclosing = found.as_ref().map(|_| tag.start).or(*enclosing);
            return found;
        }
        if repair && open {
            let end = self.scalar_end(frame, seen.next);
            if end.is_some() {
                return end;
            }
            seen.assumed = Some(foreign_end(tag, own, name).into());
        }
        None
    }

    /// In repair: the end of a scalar at a closing tag in another letter case, where that is the first
    /// tag in it. A scalar holds no tags, so nothing else can be meant.
    pub(super) fn scalar_end(&self, frame: &Frame, seq: Seq) -> Option<End> {
        let Body::TextElement(element) = &frame.body else { return None };
        let scalar = element.purpose == Use::Scalar && seq == frame.open + 1 && self.options.repair;
        let tag = self.tags.get(seq).filter(|tag| scalar && tag.kind == TagKind::Close)?;
        let (own, name) = (frame.name(), self.buf.slice(tag.name.clone()));
        let end = foreign_end(tag, own, name);
        (own != name && end.by_case && !self.is_ancestor(name)).then_some(end)
    }

    /// Whether the name is another declared property of the same parent.
    pub(super) fn is_sibling(&self, frame: &Frame, name: &str) -> bool {
        let parent = self.stack.iter().rev().nth(1);
        let key = matches!(&frame.key, Key::Name(key) if **key == *name);
        frame.name() != name
            && !key
            && declared(self.node(parent.and_then(|parent| parent.node)), name).is_some()
    }

    /// Gives the part of a string that nothing can change any more.
    pub(super) fn stream(&mut self) {
        let Some(frame) = self.stack.last() else { return };
        let Body::TextElement(element) = &frame.body else { return };
        if element.purpose != Use::Text {
            return;
        }
        let concerns = |name: &str, whole: bool| {
            let own = frame.name();
            let own = if whole { own == name } else { own.starts_with(name) };
            own || self.options.repair && (!whole || self.is_sibling(frame, name))
        };
        let mut hold = self.tags.certain_to(&self.buf, concerns);
        if let Some(close) = element.seen.first_close.and_then(|seq| self.tags.get(seq)) {
            hold = hold.min(close.start);
        }
        if let Some(end) = &element.seen.assumed {
            hold = hold.min(end.inner);
        }
        let cut = self.tags.cut_close(&self.buf, frame.name(), element.sent..hold);
        if let Some(cut) = cut {
            hold = cut.start;
            if let Some(element) = self.stack.last_mut().and_then(Frame::text_element_mut) {
                element.seen.cut.get_or_insert(cut.start);
            }
        }
        let Some((lead, solid)) = self.solid(hold) else { return };
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last() else {
            return;
        };
        if element.sent == element.start && may_be_sections(self.buf.slice(lead..hold)) {
            return;
        }
        let to = if self.options.repair { solid.min(hold) } else { hold };
        let text = self.buf.slice(element.sent..to);
        let text = text.get(..text.len() - open_reference(text)).unwrap_or(text);
        let (from, to) = (element.sent, element.sent + text.len());
        self.send(from..to);
    }

    /// Where the first byte of the string on top that is no whitespace is, and the end of the last
    /// one; none while there is none. No byte is examined twice.
    fn solid(&mut self, hold: usize) -> Option<(usize, usize)> {
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last_mut() else {
            return None;
        };
        let from = element.examined.max(element.start);
        let new = self.buf.bytes(from..hold);
        element.examined = hold.max(from);
        let solid = |byte: &u8| !is_whitespace(*byte);
        let lead = element.solid.map(|(lead, _)| lead);
        let first = lead.or_else(|| Some(from + new.iter().position(solid)?));
        let last = first.and_then(|_| new.iter().rposition(solid));
        if let (Some(first), Some(last)) = (first, last) {
            element.solid = Some((first, from + last + 1));
        }
        let skipped =
            if lead.is_none() { first.map_or(new.len(), |first| first - from) } else { 0 };
        let after = if first.is_some() { new.len() - last.map_or(0, |last| last) } else { 0 };
        self.tags.count_examined(skipped + after);
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last() else {
            return None;
        };
        element.solid
    }

    /// Sends a piece of the string on top.
    pub(super) fn send(&mut self, span: Range<usize>) {
        let raw = self.buf.slice(span.clone());
        let Some(element) = self.stack.last_mut().and_then(Frame::text_element_mut) else { return };
        let from = element.out.len();
        decode_into(&mut element.out, raw, span.start, &mut self.diagnostics);
        element.sent = span.end;
        self.tell(from);
        if self.only_shows()
            && let Some(element) = self.stack.last_mut().and_then(Frame::text_element_mut)
        {
            element.out.clear();
        }
    }

    /// The event for what has been added to the string on top.
    pub(super) fn tell(&mut self, from: usize) {
        if !self.is_observed() {
            return;
        }
        let Some(Frame { body: Body::TextElement(element), .. }) = self.stack.last() else {
            return;
        };
        let text = element.out.get(from..).unwrap_or("").to_owned();
        if !text.is_empty() {
            self.emit(|| Event::Text { text: text.into() });
        }
    }
}
