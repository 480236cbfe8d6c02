//! Content between tags: text, markup that is skipped, and the tags of child elements.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::frame::{Body, Extent, Frame, Leaf, Members, Use, empty_value};
use super::{Event, Machine, Step};
use crate::chars::is_all_blank;
use crate::declaration::Declaration;
use crate::error::{self, Error, ParseErrorKind};
use crate::fit;
use crate::kind::{Kind, declared, declared_by_case};
use crate::tags::{CDATA, CDATA_END, Seq, TagKind};
use crate::text::decode_into;

/// A declaration that is being skipped: where it begins and how far that has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skip {
    start: usize,
    at: usize,
    inside: Declaration,
}

/// A child element whose opening tag has been read.
struct Child {
    seq: Seq,
    tag: Range<usize>,
    name: Box<str>,
    key: Box<str>,
    /// Declared by name: given once only, unless it is a list.
    declared: bool,
    kind: Kind,
    node: Option<toolweir_schema_coerce::NodeId>,
}

impl Machine {
    /// One piece of text, markup or tag of the frame on top, which is read by its members.
    pub(super) fn content(&mut self, last: bool) -> Result<Step, Error> {
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
        let at = match memchr(b'<', self.buf.bytes(from..end)) {
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
        if rest.starts_with("<!") {
            return self.skip_declaration(end, whole);
        }
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
        let found = memmem::find(self.buf.bytes(from..end), finish.as_bytes());
        if let Some(found) = found {
            if begin == CDATA {
                self.add_text(inside..from + found, false);
            }
            self.pos = from + found + finish.len();
            return Ok(Step::On);
        }
        if !whole {
            self.searched = end.saturating_sub(finish.len() - 1).max(inside);
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
        let name = self.stack.last().map_or("", |frame| &frame.name);
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
        let mut text = String::new();
        let raw = self.buf.slice(span.clone());
        if decode {
            decode_into(&mut text, raw, span.start, &mut self.diagnostics);
        } else {
            text.push_str(raw);
        }
        let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) else { return };
        let blank = is_all_blank(&text);
        if !members.is_root {
            members.text.push_str(&text);
            if !blank {
                members.pieces.push_str(&text);
            }
        }
        if !blank {
            let first = members.piece.clone().map_or(span.start, |piece| piece.start);
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

    pub(super) fn assume_close(&mut self, span: Range<usize>, after: usize) {
        self.note(error::ASSUMED_CLOSE, span);
        self.end_members(after);
    }

    /// A closing tag.
    fn close(&mut self, seq: Seq, last: bool) -> Result<Step, Error> {
        let Some(tag) = self.tags.get(seq) else { return Ok(Step::Wait) };
        let (span, spaced) = (tag.start..tag.end, tag.name.start != tag.start + 2);
        let name = self.buf.slice(tag.name.clone());
        let Some(frame) = self.stack.last() else { return Ok(Step::Wait) };
        let nameless = frame.name.is_empty();
        if !nameless && *frame.name == *name {
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
        if !nameless && frame.name.eq_ignore_ascii_case(name) {
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

    /// Whether an element around the one on top, in the same stretch of content, has the name.
    pub(super) fn is_ancestor(&self, name: &str) -> bool {
        let mut frames = self.stack.iter().rev();
        if frames.next().is_none_or(|frame| frame.limit.is_some()) {
            return false;
        }
        for frame in frames {
            if *frame.name == *name {
                return true;
            }
            if frame.limit.is_some() {
                return false;
            }
        }
        false
    }

    /// Whether the element on top has a closing tag of its own before the enclosing element ends;
    /// none while that is not known. Looked up once, tag by tag.
    fn own_close(&mut self, last: bool) -> Option<bool> {
        let (from, tags) = (self.tags.from(self.pos), &self.tags);
        let pos = self.pos;
        let frame = self.stack.last()?;
        let members = frame.members()?;
        if let Some(known) = members.own_close
            && known.is_none_or(|at| at >= pos)
        {
            return Some(known.is_some());
        }
        let (base, mut next) = members.look.unwrap_or((from, from));
        let mut found = None;
        while let Some(tag) = tags.get(next) {
            let opened = tag.mate.is_some_and(|mate| mate >= base);
            if tag.kind == TagKind::Close && !opened {
                let name = self.buf.slice(tag.name.clone());
                if *name == *frame.name {
                    found = Some(Some(tag.start));
                    break;
                } else if self.is_ancestor(name) {
                    found = Some(None);
                    break;
                }
            }
            next += 1;
        }
        let found = found.or(last.then_some(None));
        let members = self.stack.last_mut().and_then(Frame::members_mut)?;
        members.look = found.is_none().then_some((base, next));
        members.own_close = found;
        found.map(|at| at.is_some())
    }

    /// An opening tag.
    fn open(&mut self, seq: Seq, last: bool) -> Result<Step, Error> {
        let Some(tag) = self.tags.get(seq) else { return Ok(Step::Wait) };
        let closed = tag.kind == TagKind::SelfClosed;
        let name: Box<str> = self.buf.slice(tag.name.clone()).into();
        if self.is_of_the_parent(&name) {
            match self.own_close(last) {
                None => return Ok(Step::Wait),
                Some(true) => {}
                Some(false) => {
                    self.assume_close(self.pos..self.pos, self.pos);
                    return Ok(Step::On);
                }
            }
        }
        let child = self.child(seq, name);
        if self.stack.len() == 1 && self.is_second_root() {
            return Ok(Step::On);
        }
        let depth = self.stack.len();
        let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) else {
            return Ok(Step::Wait);
        };
        members.elements += 1;
        let first = depth == 1 && members.elements == 1;
        if first && self.may_unwrap && !child.declared {
            return self.unwrap_root(child, closed);
        }
        if child.key != child.name {
            self.note(error::NAME_CASE, child.tag.clone());
        }
        self.pos = child.tag.end;
        self.enter(child, closed)
    }

    fn child(&self, seq: Seq, name: Box<str>) -> Child {
        let frame = self.stack.last();
        let node = self.node(frame.and_then(|frame| frame.node));
        let taken = |key: &str| {
            frame.and_then(Frame::members).is_some_and(|members| members.object.contains_key(key))
        };
        let mut key = name.clone();
        let mut member = declared(node, &name);
        if member.is_none()
            && self.options.repair
            && let Some(known) = declared_by_case(node, &name).filter(|known| !taken(known))
        {
            key = known.into();
            member = declared(node, known);
        }
        let declared = member.is_some();
        let member = member.or_else(|| node?.member(&name).node());
        let (kind, node) = (Kind::of(member), member.map(toolweir_schema_coerce::Node::id));
        let tag = self.tags.get(seq).map_or(0..0, |tag| tag.start..tag.end);
        Child { seq, tag, name, key, declared, kind, node }
    }

    /// In repair: whether the name is a property of the element around the one on top, and not of
    /// that one.
    fn is_of_the_parent(&self, name: &str) -> bool {
        let mut frames = self.stack.iter().rev();
        let (Some(frame), Some(parent)) = (frames.next(), frames.next()) else { return false };
        self.options.repair
            && frame.limit.is_none()
            && !frame.name.is_empty()
            && *frame.name != *name
            && parent.members().is_some()
            && declared(self.node(parent.node), name).is_some()
            && declared(self.node(frame.node), name).is_none()
            && !(frame.members().is_some_and(|members| members.is_root))
    }

    /// A second element beside the one that was taken for a wrapper: it was none. Begins again.
    fn is_second_root(&mut self) -> bool {
        let Some((start, events)) = self.wrapper.take() else { return false };
        self.may_unwrap = false;
        self.diagnostics.truncate(self.reported_before_wrapper);
        self.reported = self.diagnostics.len();
        self.events.truncate(events);
        if let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) {
            let by_schema = members.by_schema;
            *members = Members { is_root: true, by_schema, ..Members::default() };
        }
        self.pos = start;
        self.searched = start;
        true
    }

    /// Reads the inside of the first element as the whole input.
    fn unwrap_root(&mut self, child: Child, closed: bool) -> Result<Step, Error> {
        self.report();
        self.reported_before_wrapper = self.diagnostics.len();
        self.wrapper = Some((child.tag.start, self.events.len()));
        self.note(error::UNWRAPPED, child.tag.clone());
        self.ignore_attributes(child.seq);
        self.pos = child.tag.end;
        if closed {
            return Ok(Step::On);
        }
        let members = Members { is_root: true, by_schema: true, ..Members::default() };
        self.push_frame(Frame {
            key: Box::default(),
            name: child.name,
            node: Some(self.schema.root().id()),
            open: child.seq,
            tag: child.tag,
            limit: None,
            body: Body::Members(Box::new(members)),
        })?;
        Ok(Step::On)
    }

    /// Begins to read a child element.
    fn enter(&mut self, child: Child, closed: bool) -> Result<Step, Error> {
        if !child.kind.is_list() && child.declared && !self.first_time(&child)? {
            return self.discard(child, closed);
        }
        let inner = child.tag.end;
        match child.kind {
            Kind::Object | Kind::Generic => return self.enter_members(child, closed),
            _ => self.ignore_attributes(child.seq),
        }
        if closed && child.kind.is_list() {
            let extent =
                Extent { name: child.name, tag: child.tag, inner: inner..inner, after: inner };
            self.add_extent(&child.key, child.node, extent);
            return Ok(Step::On);
        }
        if !child.kind.is_list() {
            self.emit(Event::Open { name: child.key.to_string(), span: child.tag.clone() });
        }
        if closed {
            let value = self.empty(child.kind, child.node, &child.tag);
            self.give_value(&child.key, &value);
            self.emit(Event::Close { name: child.key.to_string(), at: inner });
            self.deliver(&child.key, value, !child.declared);
            return Ok(Step::On);
        }
        let purpose = match child.kind {
            Kind::Text => Use::Text,
            Kind::Scalar => Use::Scalar,
            _ => Use::Entry,
        };
        self.push_leaf(child, purpose)
    }

    fn push_leaf(&mut self, child: Child, purpose: Use) -> Result<Step, Error> {
        let start = child.tag.end;
        let leaf = Leaf {
            purpose,
            start,
            sent: start,
            out: String::new(),
            next: child.seq + 1,
            first_close: None,
            assumed: None,
            looked: start,
            solid: None,
            declared: child.declared,
        };
        self.push_frame(Frame {
            key: child.key,
            name: child.name,
            node: child.node,
            open: child.seq,
            tag: child.tag,
            limit: None,
            body: Body::Leaf(Box::new(leaf)),
        })?;
        Ok(Step::On)
    }

    /// Whether a declared member that may come once comes for the first time.
    fn first_time(&mut self, child: &Child) -> Result<bool, Error> {
        let members = self.stack.last().and_then(Frame::members);
        let first = members.and_then(|members| members.once.get(&child.key)).cloned();
        let Some(first) = first else {
            if let Some(members) = self.stack.last_mut().and_then(Frame::members_mut) {
                members.once.insert(child.key.clone(), child.tag.clone());
            }
            return Ok(true);
        };
        if child.kind != Kind::Text {
            return Err(self.misfit(&child.key, "element repeated for a property that is no list"));
        }
        if self.options.throw_on_duplicate_string_tags {
            let (name, spans) = (child.key.to_string(), (first, child.tag.clone()));
            return Err(Error::DuplicateStringTag { name, spans });
        }
        Ok(false)
    }

    fn discard(&mut self, child: Child, closed: bool) -> Result<Step, Error> {
        self.note(error::DUPLICATE_STRING, child.tag.clone());
        if closed { Ok(Step::On) } else { self.push_leaf(child, Use::Nothing) }
    }

    fn enter_members(&mut self, child: Child, closed: bool) -> Result<Step, Error> {
        let by_schema = child.kind == Kind::Object;
        self.emit(Event::Open { name: child.key.to_string(), span: child.tag.clone() });
        let seq = child.seq;
        self.push_frame(Frame {
            key: child.key,
            name: child.name,
            node: child.node,
            open: seq,
            tag: child.tag,
            limit: None,
            body: Body::Members(Box::new(Members {
                by_schema,
                declared: child.declared,
                ..Members::default()
            })),
        })?;
        self.place_attributes(seq)?;
        if closed {
            self.end_members(self.pos);
        }
        Ok(Step::On)
    }

    /// The value of an element without content.
    pub(super) fn empty(
        &mut self,
        kind: Kind,
        node: Option<toolweir_schema_coerce::NodeId>,
        tag: &Range<usize>,
    ) -> toolweir_rjson::Value {
        let flag = kind == Kind::Scalar
            && self.options.repair
            && self.node(node).is_some_and(fit::takes_boolean);
        if flag {
            self.note(error::FLAG, tag.clone());
            return toolweir_rjson::Value::from(true);
        }
        empty_value(kind)
    }
}
