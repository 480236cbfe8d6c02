//! The end of a text element: where its content begins and ends, and the value it is.

use std::ops::Range;

use toolweir_rjson::Value;
use toolweir_schema_coerce::NodeId;

use super::frame::{Body, End, Extent, Frame, Key, Use};
use super::{Event, Machine, Repeats, Step};
use crate::error::{Code, Error};
use crate::fit;
use crate::options::Kind;
use crate::tags::{Seq, Tag, TagKind};
use crate::text::{is_all_whitespace, is_space, string_value};

impl Machine {
    /// The end of the element on top is known.
    pub(super) fn end_text_element(&mut self, end: End) -> Result<Step, Error> {
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
            inner = sent + text.trim_end_matches(is_space).len();
            let open = frame.open;
            match self.reopened(frame.name(), open + 1, inner) {
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
            if doubt.is_none() && purpose != Use::Text {
                doubt = self.left_open(open, &end);
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
    pub(super) fn cut_text_element(&mut self) -> Result<Step, Error> {
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

    /// In a call: the tag of an element inside that is open where a closing tag of another name was taken for
    /// the end of the one around it, whose it may be.
    pub(super) fn left_open(&self, open: Seq, end: &End) -> Option<Range<usize>> {
        let takes_tag = self.inside.is_some() && end.after > end.inner;
        let mut seq = self.tags.at(end.inner).filter(|_| takes_tag)?;
        while let Some(tag) = seq.checked_sub(1).and_then(|seq| self.tags.get(seq)) {
            seq -= 1;
            let matching = tag.matching.filter(|matching| *matching > open);
            match (tag.kind, matching.and_then(|matching| self.tags.get(matching))) {
                _ if seq <= open => break,
                (TagKind::Open, Some(close)) if close.start < end.inner => {}
                (TagKind::Open, _) => return Some(tag.start..tag.end),
                (TagKind::Close, Some(_)) => seq = matching.unwrap_or(seq),
                _ => {}
            }
        }
        None
    }

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
