//! Opening tags: what a child element is, and how reading goes on inside it.

use std::ops::Range;

use toolweir_rjson::Value;
use toolweir_schema_coerce::{Node, NodeId};

use super::frame::{Body, Extent, Frame, Key, Members, Seen, TextElement, Use, empty_value};
use super::{Event, Machine, Repeats, Step};
use crate::error::{Code, Error, ParseErrorKind};
use crate::fit;
use crate::options::{Kind, declared, declared_by_case};
use crate::tags::{Seq, TagKind};

/// A child element whose opening tag has been read.
struct Child {
    seq: Seq,
    tag: Range<usize>,
    /// The name as written, where that is not the key.
    name: Option<Box<str>>,
    key: Box<str>,
    /// Declared by name: given once only, unless it is a list.
    declared: bool,
    kind: Kind,
    node: Option<NodeId>,
}

impl Machine {
    /// An opening tag.
    pub(super) fn open(&mut self, seq: Seq, last: bool) -> Result<Step, Error> {
        let Some(tag) = self.tags.get(seq) else { return Ok(Step::Wait) };
        let closed = tag.kind == TagKind::SelfClosed;
        if self.opens_other(self.buf.slice(tag.name.clone())) {
            return Err(Error::parse(ParseErrorKind::Foreign, tag.start..tag.start));
        }
        match self.opens_for_close(seq, last)? {
            None => return Ok(Step::Wait),
            Some(false) => {}
            Some(true) => {
                let span = self.tags.get(seq).map_or(0..0, |tag| tag.start..tag.end);
                self.note(Code::OpenForClose, span.clone());
                self.end_members(span.end);
                return Ok(Step::On);
            }
        }
        let Some(tag) = self.tags.get(seq) else { return Ok(Step::Wait) };
        if self.is_of_the_parent(self.buf.slice(tag.name.clone())) {
            match self.own_close(last)? {
                None => return Ok(Step::Wait),
                Some(true) => {}
                Some(false) => {
                    self.assume_close(self.pos..self.pos, self.pos);
                    return Ok(Step::On);
                }
            }
        }
        if self.stack.len() == 1 && self.is_second_root() {
            return Ok(Step::On);
        }
        let Some(child) = self.child(seq) else { return Ok(Step::Wait) };
        let depth = self.stack.len();
        let Some(members) = self.top_members() else { return Ok(Step::Wait) };
        members.elements += 1;
        let first = depth == 1 && members.elements == 1;
        if first && self.may_unwrap && !child.declared {
            return self.unwrap_root(child, closed);
        }
        if child.name.is_some() {
            self.note(Code::NameCase, child.tag.clone());
        }
        self.pos = child.tag.end;
        self.enter(child, closed)
    }

    fn child(&self, seq: Seq) -> Option<Child> {
        let tag = self.tags.get(seq)?;
        let frame = self.stack.last();
        let node = self.node(frame.and_then(|frame| frame.node));
        let taken = |key: &str| {
            frame.and_then(Frame::members).is_some_and(|members| members.object.contains_key(key))
        };
        let written = self.buf.slice(tag.name.clone());
        let (mut key, mut name) = (written, None);
        let mut member = declared(node, written);
        if member.is_none()
            && self.options.repair
            && let Some(known) = declared_by_case(node, written).filter(|known| !taken(known))
        {
            (key, name) = (known, Some(written.into()));
            member = declared(node, known);
        }
        let declared = member.is_some();
        let member = member.or_else(|| node?.member(written).node());
        let (kind, node) = (Kind::of(member), member.map(Node::id));
        Some(Child { seq, tag: tag.start..tag.end, name, key: key.into(), declared, kind, node })
    }

    /// In repair: whether the name is a property of the element around the one on top, and not of
    /// that one.
    fn is_of_the_parent(&self, name: &str) -> bool {
        if !self.options.repair {
            return false;
        }
        let mut frames = self.stack.iter().rev();
        let (Some(frame), Some(parent)) = (frames.next(), frames.next()) else { return false };
        let own = frame.name();
        !own.is_empty()
            && own != name
            && parent.members().is_some()
            && declared(self.node(parent.node), name).is_some()
            && declared(self.node(frame.node), name).is_none()
            && !frame.members().is_some_and(|members| members.is_root)
    }

    /// A second element beside the one that was taken for a wrapper: it was none. Begins again.
    pub(super) fn is_second_root(&mut self) -> bool {
        let Some((start, events)) = self.wrapper.take() else { return false };
        self.may_unwrap = false;
        self.diagnostics.truncate(self.reported_before_wrapper);
        self.reported = self.diagnostics.len();
        self.events.truncate(events);
        if let Some(members) = self.top_members() {
            let (by_schema, listed) = (members.by_schema, usize::from(!members.lists.is_empty()));
            *members = Members { is_root: true, by_schema, ..Members::default() };
            self.listing -= listed;
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
        self.note(Code::Unwrapped, child.tag.clone());
        self.ignore_attributes(child.seq);
        self.pos = child.tag.end;
        if closed {
            return Ok(Step::On);
        }
        let members = Members { is_root: true, by_schema: true, ..Members::default() };
        self.push_frame(Frame {
            key: Key::None,
            name: Some(child.name.unwrap_or(child.key)),
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
            // Where an entry can have members, the list decides when it closes.
            kind if kind.is_list() && self.entries_have_members(child.node) => {}
            _ => self.ignore_attributes(child.seq),
        }
        if closed && child.kind.is_list() {
            let extent = Extent { name: 0..0, tag: child.tag, inner: inner..inner };
            self.add_extent(child.key, child.node, extent);
            return Ok(Step::On);
        }
        if !child.kind.is_list() {
            let (name, span) = (&child.key, &child.tag);
            self.emit(|| Event::Open { name: name.to_string().into(), span: span.clone().into() });
        }
        if closed {
            let value = self.empty(child.kind, child.node, &child.tag);
            self.give_value(child.node, &value);
            self.emit(|| Event::Close { name: child.key.to_string().into(), at: inner });
            self.deliver(Key::Name(child.key), value, !child.declared);
            return Ok(Step::On);
        }
        let purpose = match child.kind {
            Kind::Text => Use::Text,
            Kind::Scalar => Use::Scalar,
            _ => Use::Entry,
        };
        self.push_text_element(child, purpose)
    }

    fn push_text_element(&mut self, child: Child, purpose: Use) -> Result<Step, Error> {
        let start = child.tag.end;
        let element = TextElement {
            purpose,
            start,
            sent: start,
            out: String::new(),
            seen: Seen::from(child.seq + 1),
            examined: start,
            solid: None,
            declared: child.declared,
        };
        self.push_child(child, Body::TextElement(element))?;
        Ok(Step::On)
    }

    fn push_child(&mut self, child: Child, body: Body) -> Result<(), Error> {
        self.push_frame(Frame {
            key: Key::Name(child.key),
            name: child.name,
            node: child.node,
            open: child.seq,
            tag: child.tag,
            limit: None,
            body,
        })
    }

    /// Whether a declared member that may come once comes for the first time.
    fn first_time(&mut self, child: &Child) -> Result<bool, Error> {
        let Some(members) = self.top_members() else { return Ok(true) };
        let Some(place) = members.object.position(&child.key) else {
            // It will be the next member.
            members.once.push((members.object.len(), child.tag.clone()));
            return Ok(true);
        };
        let known = members.once.binary_search_by_key(&place, |(place, _)| *place);
        let Some((_, first)) = known.ok().and_then(|at| members.once.get(at)).cloned() else {
            return Ok(true);
        };
        if child.kind != Kind::Text && self.inside.is_some() || self.repeats() != Repeats::Refuse {
            return Ok(true);
        }
        if child.kind != Kind::Text {
            return Err(self.misfit(&child.key, "element repeated for a property that is no list"));
        }
        if self.options.throw_on_duplicate_string_tags {
            let (name, spans) = (child.key.to_string(), (first.into(), child.tag.clone().into()));
            return Err(Error::DuplicateStringTag { name, spans });
        }
        Ok(false)
    }

    fn discard(&mut self, child: Child, closed: bool) -> Result<Step, Error> {
        self.note(Code::DuplicateString, child.tag.clone());
        if closed { Ok(Step::On) } else { self.push_text_element(child, Use::Nothing) }
    }

    fn enter_members(&mut self, child: Child, closed: bool) -> Result<Step, Error> {
        let (name, span) = (&child.key, &child.tag);
        self.emit(|| Event::Open { name: name.to_string().into(), span: span.clone().into() });
        let (seq, by_schema, declared) = (child.seq, child.kind == Kind::Object, child.declared);
        let members = Members { by_schema, declared, ..Members::default() };
        self.push_child(child, Body::Members(Box::new(members)))?;
        self.place_attributes(seq)?;
        if closed {
            self.end_members(self.pos);
        }
        Ok(Step::On)
    }

    /// The value of an element without content.
    pub(super) fn empty(&mut self, kind: Kind, node: Option<NodeId>, tag: &Range<usize>) -> Value {
        let flag = kind == Kind::Scalar
            && self.options.repair
            && self.node(node).is_some_and(fit::takes_boolean);
        if flag {
            self.note(Code::Flag, tag.clone());
            return Value::from(true);
        }
        empty_value(kind)
    }
}
