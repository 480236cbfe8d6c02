//! Members of an element: attributes, values of child elements, and what the end makes of them.

use std::ops::Range;

use toolweir_rjson::Value;
use toolweir_schema_coerce::{Member, NodeId};

use super::frame::{Body, Extent, Frame, Key, List, ListShape, Listed, Members};
use super::{Event, Machine, Step};
use crate::attrs::{self, Attr};
use crate::error::{Code, Error, ParseErrorKind};
use crate::fit;
use crate::options::declared;
use crate::tags::Seq;
use crate::text::is_space;

/// What becomes of an attribute.
enum Place {
    Member(String),
    /// It may be the member of its plain name, if no child gives that.
    Spare,
    Nowhere,
}

impl Machine {
    /// Reports the attributes of an element that has no place for them.
    pub(super) fn ignore_attributes(&mut self, seq: Seq) {
        let Some(tag) = self.tags.get(seq) else { return };
        let span = tag.name.end..tag.end.saturating_sub(1);
        self.tags.count_examined(span.len());
        let text = self.buf.slice(span.clone());
        let text = text.trim_end_matches(is_space);
        let text = text.strip_suffix('/').unwrap_or(text).trim_end_matches(is_space);
        let skipped = text.len() - text.trim_start_matches(is_space).len();
        if skipped < text.len() {
            let place = span.start + skipped..span.start + text.len();
            self.note(Code::IgnoredAttribute, place);
        }
    }

    /// Makes members of the attributes of the element on top.
    pub(super) fn place_attributes(&mut self, seq: Seq) -> Result<(), Error> {
        for attr in self.attributes(seq)? {
            match self.attribute_place(&attr, true) {
                Place::Nowhere => self.note(Code::IgnoredAttribute, attr.span),
                Place::Spare => {
                    if let Some(members) = self.top_members() {
                        members.spare.push(attr);
                    }
                }
                Place::Member(key) => self.place_attribute(key, attr),
            }
        }
        Ok(())
    }

    fn place_attribute(&mut self, key: String, attr: Attr) {
        let known = self.top_members().is_none_or(|m| m.object.contains_key(&key));
        if known {
            self.note(Code::DuplicateAttribute, attr.span);
            return;
        }
        let node = self.stack.last().and_then(|frame| frame.node);
        let member = self.node(node).and_then(|node| node.member(&key).node());
        let typed = fit::typed(&attr.value, member);
        let kept = if self.options.partial { typed.clone() } else { Value::from(attr.value) };
        self.emit_whole(&key, &attr.span, typed);
        if let Some(members) = self.top_members() {
            members.object.insert(key, kept);
        }
    }

    /// The events of a member that comes whole.
    fn emit_whole(&mut self, name: &str, span: &Range<usize>, value: Value) {
        self.emit(|| Event::Open { name: name.to_owned().into(), span: span.clone().into() });
        self.emit(|| Event::Value { value });
        self.emit(|| Event::Close { name: name.to_owned().into(), at: span.end });
    }

    pub(super) fn top_members(&mut self) -> Option<&mut Members> {
        self.stack.last_mut().and_then(Frame::members_mut)
    }

    fn attributes(&mut self, seq: Seq) -> Result<Vec<Attr>, Error> {
        let Some(tag) = self.tags.get(seq) else { return Ok(Vec::new()) };
        let span = tag.name.end..tag.end.saturating_sub(1);
        self.tags.count_examined(span.len());
        match attrs::read(self.buf.slice(span.clone()), span.start) {
            Ok(attrs) if attrs.len() > self.options.max_attributes => {
                Err(Error::parse(ParseErrorKind::TooManyAttributes, span))
            }
            Ok(attrs) => Ok(attrs),
            Err(_) if self.options.repair => {
                self.note(Code::IgnoredAttribute, span);
                Ok(Vec::new())
            }
            Err(at) => Err(Error::parse(ParseErrorKind::BadTag, self.buf.char_at(at))),
        }
    }

    /// `spare`: what children will give is not known yet.
    fn attribute_place(&self, attr: &Attr, spare: bool) -> Place {
        let key = format!("@_{}", attr.name);
        let frame = self.stack.last();
        let node = self.node(frame.and_then(|frame| frame.node));
        let by_schema = frame.and_then(Frame::members).is_some_and(|members| members.by_schema);
        let Some(node) = node.filter(|_| by_schema) else { return Place::Member(key) };
        let member = node.member(&key);
        if matches!(member, Member::Declared(_)) {
            return Place::Member(key);
        }
        if spare && self.options.repair && declared(Some(node), &attr.name).is_some() {
            return Place::Spare;
        }
        if matches!(member, Member::Closed) { Place::Nowhere } else { Place::Member(key) }
    }

    /// Takes the value of a child into the frame on top.
    pub(super) fn deliver(&mut self, key: Key, value: Value, may_repeat: bool) {
        let Some(frame) = self.stack.last_mut() else {
            self.done = Some(value);
            return;
        };
        match (&mut frame.body, key) {
            (Body::Members(members), Key::Name(key)) => members.add(key, value, may_repeat),
            (Body::List(list), _) if list.shape == ListShape::Entries => list.entries.push(value),
            (Body::List(list), _) => list.whole = Some(value),
            _ => {}
        }
    }

    /// The event for a value that is complete.
    pub(super) fn give_value(&mut self, node: Option<NodeId>, value: &Value) {
        if !self.is_observed() {
            return;
        }
        let member = self.node(node);
        let value = match value.as_str() {
            Some("") if member.is_none_or(|node| node.allows_string()) => return,
            Some(text) => fit::typed(text, member),
            None => value.clone(),
        };
        self.emit(|| Event::Value { value });
    }

    pub(super) fn add_extent(&mut self, key: Box<str>, node: Option<NodeId>, extent: Extent) {
        let Some(members) = self.top_members() else { return };
        let (object, lists) = (&mut members.object, &mut members.lists);
        let known = object.position(&key);
        let known = known.and_then(|at| lists.binary_search_by_key(&at, |list| list.place).ok());
        if let Some(list) = known.and_then(|at| lists.get_mut(at)) {
            list.more.push(extent);
            return;
        }
        // The key keeps the place at which it was first seen.
        let place = object.len();
        object.insert(key, Value::Null);
        let first = usize::from(lists.is_empty());
        lists.push(Listed { place, node, first: extent, more: Vec::new() });
        self.listing += first;
    }

    /// The content of the frame on top has ended; its lists are next.
    pub(super) fn end_members(&mut self, after: usize) {
        let node = self.stack.last().and_then(|frame| frame.node);
        let Some(members) = self.top_members() else { return };
        members.closing = Some(0);
        members.after = after;
        for attr in std::mem::take(&mut members.spare) {
            let known = self.top_members().is_none_or(|m| m.object.contains_key(&attr.name));
            if known {
                // A child gives that: it is what it would be without repair.
                match self.attribute_place(&attr, false) {
                    Place::Member(key) => self.place_attribute(key, attr),
                    _ => self.note(Code::IgnoredAttribute, attr.span),
                }
                continue;
            }
            self.note(Code::AttributeMember, attr.span.clone());
            let member = declared(self.node(node), &attr.name);
            let typed = fit::typed(&attr.value, member);
            let kept = if self.options.partial { typed.clone() } else { Value::from(attr.value) };
            self.emit_whole(&attr.name, &attr.span, typed);
            if let Some(members) = self.top_members() {
                members.object.insert(attr.name, kept);
            }
        }
    }

    /// One list, or the end.
    pub(super) fn close_members(&mut self) -> Result<Step, Error> {
        let Some(members) = self.top_members() else { return Ok(Step::Wait) };
        let done = members.closing.unwrap_or(0);
        if let Some(list) = members.lists.get_mut(done) {
            let (node, first) = (list.node, list.first.clone());
            let more = std::mem::take(&mut list.more);
            let key = members.object.entry_at(list.place).map_or("", |(key, _)| key).into();
            members.closing = Some(done + 1);
            return self.begin_list(key, node, first, more);
        }
        self.finish_members()
    }

    fn finish_members(&mut self) -> Result<Step, Error> {
        let Some(frame) = self.pop_frame() else { return Ok(Step::Wait) };
        let Body::Members(mut members) = frame.body else { return Ok(Step::Wait) };
        self.pos = frame.limit.map_or(members.after, |(_, after)| after);
        self.searched = self.pos;
        if members.is_root {
            return self.finish_root(*members);
        }
        let closed = |machine: &Self| {
            let text = &machine.options.text_node_name;
            let node = machine.node(frame.node).filter(|_| members.by_schema);
            node.is_some_and(|node| matches!(node.member(text), Member::Closed))
        };
        let value = if members.object.is_empty() && !members.by_schema {
            Value::from(std::mem::take(&mut members.text))
        } else if members.object.is_empty() && members.piece.is_some() {
            let text = std::mem::take(&mut members.text);
            let typed = self.options.partial.then(|| fit::typed(&text, self.node(frame.node)));
            typed.unwrap_or_else(|| Value::from(text))
        } else {
            if let Some(piece) = members.piece.take() {
                if closed(self) {
                    self.note(Code::DroppedText, piece);
                } else {
                    let text = members.pieces.trim_matches(is_space);
                    if frame.limit.is_none() {
                        self.tell_text(frame.node, piece, text);
                    }
                    members.object.insert(self.options.text_node_name.clone(), text);
                }
            }
            Value::from(std::mem::take(&mut members.object))
        };
        let declared = members.declared;
        if frame.limit.is_none() && self.is_observed() {
            if let Some(text) = value.as_str() {
                let value = fit::typed(text, self.node(frame.node));
                self.emit(|| Event::Value { value });
            } else if self.inside.is_some() {
                self.emit(|| Event::Value { value: value.clone() });
            }
            self.emit(|| Event::Close { name: frame.key.to_name().into(), at: members.after });
        }
        self.deliver(frame.key, value, !declared);
        Ok(Step::On)
    }

    /// The events for the text beside the members of an element.
    fn tell_text(&mut self, node: Option<NodeId>, piece: Range<usize>, text: &str) {
        if self.inside.is_some() || !self.is_observed() {
            return;
        }
        let name = self.options.text_node_name.clone();
        let member = self.node(node).and_then(|node| node.member(&name).node());
        self.emit_whole(&name, &piece, fit::typed(text, member));
    }

    /// The end of the input, or of the element around it all.
    fn finish_root(&mut self, members: Members) -> Result<Step, Error> {
        let bare = members.bare || (members.elements == 0 && members.piece.is_some());
        if bare && self.inside.is_some() && self.is_second_root() {
            // What was taken for a wrapper holds text alone: it is a member.
            return Ok(Step::On);
        }
        if let Some(root) = self.top_members() {
            root.object = members.object;
            root.bare = bare;
            return Ok(Step::On);
        }
        if bare && !self.options.partial {
            let span = members.piece.unwrap_or(0..self.pos);
            return Err(Error::parse(ParseErrorKind::NoElement, span));
        }
        self.done = Some(Value::from(members.object));
        Ok(Step::On)
    }

    /// The input was cut inside the element on top: what it has is kept.
    pub(super) fn cut_members(&mut self) -> Result<Step, Error> {
        let nothing = self.stack.last().and_then(Frame::members).is_some_and(|members| {
            !members.is_root && !members.by_schema && members.object.is_empty()
        });
        if nothing {
            // Whether it is a string or an object is not known.
            self.pop_frame();
            return Ok(Step::On);
        }
        if let Some(members) = self.top_members() {
            (members.text, members.pieces, members.piece) = Default::default();
        }
        self.end_members(self.pos);
        Ok(Step::On)
    }

    fn begin_list(
        &mut self,
        key: Box<str>,
        node: Option<NodeId>,
        first: Extent,
        more: Vec<Extent>,
    ) -> Result<Step, Error> {
        let tag = first.tag.clone();
        self.emit(|| Event::Open { name: key.to_string().into(), span: tag.clone().into() });
        let list = if more.is_empty() {
            let told = !self.entries_have_members(node);
            self.list_of_one(node, &first, told)?
        } else {
            let mut extents = more;
            extents.insert(0, first);
            List::new(extents, ListShape::Entries)
        };
        self.push_list(Key::Name(key), node, tag, list)
    }

    pub(super) fn push_list(
        &mut self,
        key: Key,
        node: Option<NodeId>,
        tag: Range<usize>,
        list: List,
    ) -> Result<Step, Error> {
        self.push_frame(Frame {
            key,
            name: None,
            node,
            open: 0,
            limit: Some((tag.end, self.pos)),
            tag,
            body: Body::List(list),
        })?;
        Ok(Step::On)
    }
}

impl Members {
    /// Adds a member; one that may be repeated becomes a list when it is.
    fn add(&mut self, key: Box<str>, value: Value, may_repeat: bool) {
        // A list already has its place.
        let known =
            if may_repeat && self.closing.is_none() { self.object.position(&key) } else { None };
        let Some(place) = known else {
            self.object.insert(key, value);
            return;
        };
        let Some(known) = self.object.get_mut(&key) else { return };
        if self.repeated.insert(place) {
            *known = Value::from(vec![std::mem::take(known)]);
        }
        match known {
            Value::Array(entries) => entries.push(value),
            other => *other = Value::from(vec![value]),
        }
    }
}
