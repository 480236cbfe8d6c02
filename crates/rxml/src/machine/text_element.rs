//! Strings, scalars and the elements of lists: delimited by counting tags of their own name.
//!
//! The closing tag that brings the count back to zero ends the element, if it comes before the
//! enclosing element ends; else the first closing tag does. With repair, an element without any ends
//! at the first of: a closing tag that nothing inside it opened, the opening tag of another declared
//! property of its parent, the end of the enclosing element, the end of the input.

use std::ops::Range;

use toolweir_rjson::Value;
use toolweir_schema_coerce::NodeId;
use toolweir_schema_coerce::references::open_reference;

use super::close::Decision;
use super::frame::{Body, End, Extent, Frame, Key, Seen, Use};
use super::{Event, Machine, Repeats, Step};
use crate::error::{Code, Error, ParseErrorKind};
use crate::fit;
use crate::options::{Kind, declared};
use crate::tags::{Seq, Tag, TagKind};
use crate::text::{
    WHITESPACE, decode_into, is_all_whitespace, is_whitespace, may_be_sections, string_value,
};

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
            return self.end_leaf(found);
        }
        if last || limit.is_some() {
            let end = limit.unwrap_or_else(|| self.buf.end());
            let Decision { found, enclosing, examined } = self.decide(frame, end, false);
            self.tags.count_examined(examined);
            self.enclosing_end(enclosing);
            return match found {
                Some(found) => self.end_leaf(found),
                // Cut off: what was certain before the end has gone out already.
                None if self.options.partial => self.cut_leaf(),
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
            return self.end_leaf(found);
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
    /// one; none while there is none. No byte is looked at twice.
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
    fn send(&mut self, span: Range<usize>) {
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
    fn tell(&mut self, from: usize) {
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

    /// The end of the element on top is known.
    fn end_leaf(&mut self, end: End) -> Result<Step, Error> {
        let Some(frame) = self.stack.last() else { return Ok(Step::Wait) };
        let Body::TextElement(element) = &frame.body else { return Ok(Step::Wait) };
        let (start, sent, purpose) = (element.start, element.sent, element.purpose);
        let mut start = start;
        let mut end = end;
        let mut inner = end.inner.max(start);
        let mut doubt = None;
        if end.assumed {
            end = self.cut_end(frame.name(), sent..inner).unwrap_or(end);
            let text = self.buf.slice(sent..end.inner.max(start));
            inner = sent + text.trim_end_matches(WHITESPACE).len();
            match self.reopened(frame.name(), frame.open + 1, inner) {
                // What went out stands, so where a string ends must not be in doubt.
                Some(tag) if purpose != Use::Text && tag.end == inner => {
                    end.note = Some(Code::OpenForClose);
                    (end.inner, inner) = (tag.start, tag.start);
                }
                None => {}
                Some(_) if self.inside.is_none() => {}
                // C3: after what may have gone out before.
                Some(tag) => doubt = Some(tag.start..tag.end),
            }
        } else if purpose == Use::Scalar
            || purpose == Use::Entry && Kind::of(self.node(frame.node)) != Kind::Texts
        {
            let doubled = self.doubled(frame.name(), frame.open, start..inner);
            let whole = self.wrapped(frame.name(), frame.open, start..inner);
            start = self.leave_out(doubled, start);
            if let Some(whole) = whole.filter(|_| purpose == Use::Scalar) {
                self.note(Code::DoubledOpen, start..whole.start);
                (start, inner) = (whole.start, whole.end);
            }
        } else if purpose == Use::Text && self.inside.is_some() {
            doubt = self.reopened_at_once(frame, inner);
        }
        self.pos = end.after.max(inner);
        self.searched = self.pos;
        if purpose != Use::Text
            && let Some(span) = doubt.take()
        {
            self.note(Code::DoubtfulClose, span);
        }
        match purpose {
            Use::Text => self.end_text(start, sent, inner, doubt.take())?,
            Use::Scalar => self.end_scalar(start..inner)?,
            Use::Nothing => {
                self.pop_frame();
            }
            Use::Entry => {
                let Some(frame) = self.pop_frame() else { return Ok(Step::Wait) };
                if self.shows_list_at_once(&frame, start..inner)? {
                    self.diagnostics.extend(end.note.map(|code| code.at(end.inner..end.after)));
                    return Ok(Step::On);
                }
                let Key::Name(key) = frame.key else { return Ok(Step::Wait) };
                let extent = Extent { name: 0..0, tag: frame.tag, inner: start..inner };
                self.add_extent(key, frame.node, extent);
            }
        }
        self.diagnostics.extend(end.note.map(|code| code.at(end.inner..end.after)));
        Ok(Step::On)
    }

    /// `doubt`: a tag in it because of which it may have been meant to end elsewhere.
    fn end_text(
        &mut self,
        start: usize,
        sent: usize,
        inner: usize,
        doubt: Option<Range<usize>>,
    ) -> Result<(), Error> {
        if sent == start {
            let raw = self.buf.slice(start..inner);
            let text = string_value(raw, start, self.options.repair, &mut self.diagnostics)?;
            if let Some(element) = self.stack.last_mut().and_then(Frame::text_element_mut) {
                element.out = text;
            }
            self.tell(0);
        } else {
            self.send(sent..inner);
        }
        if let Some(span) = doubt {
            self.note(Code::DoubtfulClose, span);
        }
        self.close_text(self.pos);
        Ok(())
    }

    /// Hands the string on top over.
    fn close_text(&mut self, at: usize) {
        let Some(frame) = self.pop_frame() else { return };
        let Body::TextElement(element) = frame.body else { return };
        self.emit(|| Event::Close { name: frame.key.to_name().into(), at });
        let may_repeat = !element.declared || self.repeats() == Repeats::List;
        let value = self.text_value(frame.node, element.out);
        self.deliver(frame.key, value, may_repeat);
    }

    /// A string, or inside a call what its text is by a schema that allows more than strings.
    pub(super) fn text_value(&self, node: Option<NodeId>, text: String) -> Value {
        let node = self.node(node).filter(|node| !node.is_string_only());
        match node.filter(|_| self.inside.is_some() && !self.stack.is_empty()) {
            Some(node) => fit::typed(&text, Some(node)),
            None => Value::from(text),
        }
    }

    fn end_scalar(&mut self, inner: Range<usize>) -> Result<(), Error> {
        let Some(frame) = self.pop_frame() else { return Ok(()) };
        let Body::TextElement(element) = frame.body else { return Ok(()) };
        let value = self.scalar(&frame.key, frame.node, &frame.tag, inner)?;
        self.give_value(frame.node, &value);
        let at = self.pos;
        self.emit(|| Event::Close { name: frame.key.to_name().into(), at });
        self.deliver(frame.key, value, !element.declared);
        Ok(())
    }

    /// The text of a scalar, which may hold no element.
    pub(super) fn scalar(
        &mut self,
        key: &Key,
        node: Option<NodeId>,
        tag: &Range<usize>,
        inner: Range<usize>,
    ) -> Result<Value, Error> {
        let raw = self.buf.slice(inner.clone());
        if raw.is_empty() {
            return Ok(self.empty(Kind::Scalar, node, tag));
        }
        let text = match self.text_of(inner.clone(), Some(key)) {
            // The caller judges what does not fit.
            Err(Error::Coercion { .. }) if self.inside.is_some() => {
                let raw = self.buf.slice(inner.clone());
                string_value(raw, inner.start, self.options.repair, &mut self.diagnostics)?
            }
            read => read?,
        };
        let typed = self.options.partial.then(|| fit::typed(&text, self.node(node)));
        Ok(typed.unwrap_or_else(|| Value::from(text)))
    }

    /// The input was cut inside the element on top: an open string stays as far as it went.
    fn cut_leaf(&mut self) -> Result<Step, Error> {
        let text = matches!(self.stack.last(), Some(Frame { body: Body::TextElement(element), .. })
            if element.purpose == Use::Text);
        let end = self.buf.end();
        if text {
            self.close_text(end);
        } else {
            self.pop_frame();
        }
        self.pos = end;
        Ok(Step::On)
    }
}

impl Machine {
    /// The end at a closing tag of the element's own that lacks only its `>`, where it has no other.
    pub(super) fn cut_end(&self, name: &str, span: Range<usize>) -> Option<End> {
        let cut = self.tags.cut_close(&self.buf, name, span)?;
        Some(assumed(cut.start, cut.end, Code::AssumedClose))
    }

    /// The last opening tag of the element's own name in it that nothing closes, before an offset. An
    /// element without a closing tag in which one stands was perhaps to end there.
    pub(super) fn reopened(&self, name: &str, from: Seq, end: usize) -> Option<Tag> {
        let before = |seq: Seq| self.tags.get(seq).filter(|tag| tag.start < end);
        // By the index: the text of a name may have been let go of.
        let own = |seq: Seq| {
            let tag = before(self.tags.first_open(name, seq).filter(|first| *first == seq)?)?;
            let closed = tag.matching.is_some_and(|matching| before(matching).is_some());
            (tag.kind == TagKind::Open && !closed).then(|| tag.clone())
        };
        let last = self.tags.from(end).checked_sub(1).filter(|seq| *seq >= from);
        last.and_then(own).or_else(|| own(self.tags.first_open(name, from)?))
    }
}

impl Machine {
    /// In repair: the opening tags that an element begins with which are its own written again:
    /// directly after it stands the same, and one closing tag comes for both. Not of texts, which may
    /// hold any tag.
    pub(super) fn doubled(&self, own: &str, open: Seq, inner: Range<usize>) -> Vec<Range<usize>> {
        let mut doubled = Vec::new();
        let closed = self.tags.get(open).and_then(|tag| self.tags.get(tag.matching?));
        if !self.options.repair || closed.is_some_and(|close| close.start <= inner.end) {
            return doubled;
        }
        let mut start = inner.start;
        let mut after = open + 1;
        while let Some(tag) = self.tags.get(after).filter(|tag| tag.whole && tag.end <= inner.end) {
            let same = tag.kind == TagKind::Open && self.buf.slice(tag.name.clone()) == own;
            if !same || !is_all_whitespace(self.buf.slice(start..tag.start)) {
                break;
            }
            start = tag.end;
            after += 1;
            doubled.push(tag.start..tag.end);
        }
        doubled
    }

    /// In repair: the inside of an element of the same name that is all its content. Asked of scalars,
    /// which hold no element: both tags were written twice.
    fn wrapped(&self, own: &str, open: Seq, inner: Range<usize>) -> Option<Range<usize>> {
        let tag = self.tags.get(open + 1).filter(|_| self.options.repair)?;
        let close = self.tags.get(tag.matching?).filter(|close| close.end <= inner.end)?;
        let same = tag.kind == TagKind::Open && self.buf.slice(tag.name.clone()) == own;
        let alone = self.tags.get(open + 2).is_some_and(|next| next.start == close.start);
        let around = [inner.start..tag.start, close.end..inner.end];
        let whitespace = |range: Range<usize>| is_all_whitespace(self.buf.slice(range));
        (same && alone && around.into_iter().all(whitespace)).then_some(tag.end..close.start)
    }

    /// The element's own opening tag that a text begins with, if one closing tag comes for both: it was
    /// written twice, or is the text's.
    fn reopened_at_once(&self, frame: &Frame, inner: usize) -> Option<Range<usize>> {
        let Body::TextElement(element) = &frame.body else { return None };
        let first = self.tags.first_open(frame.name(), frame.open + 1)?;
        let tag = self.tags.get(first).filter(|tag| first == frame.open + 1 && tag.end <= inner)?;
        let begins = tag.start == element.solid.map_or(element.start, |(lead, _)| lead);
        let closed = tag
            .matching
            .and_then(|matching| self.tags.get(matching))
            .is_some_and(|m| m.end <= inner);
        (begins && !closed).then_some(tag.start..tag.end)
    }

    /// Where the content begins after such tags, which are said.
    pub(super) fn leave_out(&mut self, doubled: Vec<Range<usize>>, start: usize) -> usize {
        let after = doubled.last().map_or(start, |tag| tag.end);
        for tag in doubled {
            self.note(Code::DoubledOpen, tag);
        }
        after
    }
}

pub(super) fn own_end(tag: &Tag) -> End {
    let spaced = tag.name.start != tag.start + 2;
    let note = spaced.then_some(Code::CloseSpacing);
    End { inner: tag.start, after: tag.end, note, assumed: false, by_case: false }
}

/// A closing tag that nothing inside opened, taken for the element's own.
pub(super) fn foreign_end(tag: &Tag, own: &str, name: &str) -> End {
    let by_case = own.eq_ignore_ascii_case(name);
    let code = if by_case { Code::CloseCase } else { Code::AssumedClose };
    End { assumed: !by_case, by_case, ..assumed(tag.start, tag.end, code) }
}

pub(super) const fn assumed(inner: usize, after: usize, code: Code) -> End {
    End { inner, after, note: Some(code), assumed: true, by_case: false }
}
