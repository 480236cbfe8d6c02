//! List properties, read when their parent closes: by then the number of their elements is known.

use std::collections::BTreeSet;
use std::ops::Range;

use toolweir_rjson::{Array, Value};
use toolweir_schema_coerce::NodeId;

use super::frame::{Body, Extent, Frame, Key, List, ListShape, Members};
use super::{Event, Machine, Step};
use crate::error::{Error, ParseErrorKind};
use crate::fit;
use crate::kind::{Kind, declared};
use crate::tags::{CDATA, Mark, Seq, TagKind};
use crate::text::string_value;

/// The direct child elements of a stretch of content.
#[derive(Default)]
struct Children {
    extents: Vec<Extent>,
    /// There is text beside them.
    text: bool,
}

impl List {
    pub(super) fn new(children: Vec<Extent>, shape: ListShape) -> Self {
        Self { children, next: 0, shape, entries: Array::new(), whole: None }
    }

    /// A list that needs no more reading.
    fn known(whole: Value) -> Self {
        Self { whole: Some(whole), ..Self::new(Vec::new(), ListShape::Other) }
    }
}

impl Machine {
    /// How the content of one element for a list property is read.
    pub(super) fn list_of(
        &mut self,
        node: Option<NodeId>,
        element: &Extent,
    ) -> Result<List, Error> {
        let kind = Kind::of(self.node(node));
        let inner = element.inner.clone();
        let children = match self.children(inner.clone()) {
            Ok(children) => children,
            // Text that only looks like markup.
            Err(_) if kind == Kind::Texts => Children { text: true, ..Children::default() },
            Err(error) => return Err(error),
        };
        let name = |child: &Extent| self.buf.slice(child.name.clone());
        let items = !children.text && children.extents.iter().all(|child| name(child) == "item");
        if kind == Kind::Texts && (children.extents.is_empty() || !items) {
            if children.extents.is_empty() && fit::is_json_list(self.buf.slice(inner.clone())) {
                return self.text_list(node, inner);
            }
            return self.one_text(inner);
        }
        if children.extents.is_empty() {
            return self.text_list(node, inner);
        }
        if items {
            return Ok(List::new(children.extents, ListShape::Entries));
        }
        if !children.text && is_tuple(children.extents.iter().map(name)) {
            let mut extents = children.extents;
            extents.sort_by_key(|child| name(child).parse::<usize>().unwrap_or(usize::MAX));
            return Ok(List::new(extents, ListShape::Entries));
        }
        let entry = self.node(node).and_then(|node| node.item(0));
        let known = |child: &Extent| declared(entry, name(child)).is_some();
        if Kind::of(entry) == Kind::Object && children.extents.iter().any(known) {
            return Ok(List::new(vec![element.clone()], ListShape::Object));
        }
        let first = children.extents.first().map(name);
        let same = children.extents.iter().all(|child| Some(name(child)) == first);
        if !children.text && same {
            return Ok(List::new(children.extents, ListShape::Entries));
        }
        Ok(List::new(vec![element.clone()], ListShape::Other))
    }

    /// A list of strings that holds one, or none.
    fn one_text(&mut self, inner: Range<usize>) -> Result<List, Error> {
        let less = self.tags.less(&self.buf, inner.end);
        let blank = self.is_blank(inner.clone(), less);
        let raw = self.buf.slice(inner.clone());
        let mut entries = Array::new();
        if !blank {
            let repair = self.options.repair;
            entries.push(string_value(raw, inner.start, repair, &mut self.diagnostics)?);
        }
        Ok(List::known(Value::from(entries)))
    }

    /// Content without elements: blank, or text to make a list of.
    fn text_list(&mut self, node: Option<NodeId>, inner: Range<usize>) -> Result<List, Error> {
        let less = self.tags.less(&self.buf, inner.end);
        let blank = self.is_blank(inner.clone(), less);
        let raw = self.buf.slice(inner.clone());
        if blank {
            return Ok(List::known(Value::from(Array::new())));
        }
        let repair = self.options.repair;
        let text = string_value(raw, inner.start, repair, &mut self.diagnostics)?;
        let typed = self.options.partial.then(|| fit::typed(&text, self.node(node)));
        Ok(List::known(typed.unwrap_or_else(|| Value::from(text))))
    }

    /// The next entry of the list on top, or its end.
    pub(super) fn list(&mut self) -> Result<Step, Error> {
        let Some(Frame { body: Body::List(list), node, .. }) = self.stack.last_mut() else {
            return Ok(Step::Wait);
        };
        let (index, node, shape) = (list.next, *node, list.shape);
        let Some(child) = list.children.get(index).cloned() else { return self.finish_list() };
        list.next += 1;
        let entry = match shape {
            ListShape::Other => None,
            ListShape::Object => self.node(node).and_then(|node| node.item(0)),
            ListShape::Entries => self.node(node).and_then(|node| node.item(index)),
        };
        let (kind, entry) = (Kind::of(entry), entry.map(toolweir_schema_coerce::Node::id));
        let key = if shape == ListShape::Entries { Key::Place(index) } else { Key::None };
        if shape == ListShape::Entries
            && !matches!(kind, Kind::Object | Kind::Generic)
            && let Some(seq) = self.tags.at(child.tag.start)
        {
            self.ignore_attributes(seq);
        }
        match kind {
            Kind::Text => {
                let raw = self.buf.slice(child.inner.clone());
                let (start, repair) = (child.inner.start, self.options.repair);
                let text = string_value(raw, start, repair, &mut self.diagnostics)?;
                self.deliver(key, Value::from(text), false);
            }
            Kind::Scalar => {
                let value = self.scalar(&key, entry, &child.tag, child.inner)?;
                self.deliver(key, value, false);
            }
            Kind::Texts | Kind::List => {
                let list = self.list_of(entry, &child)?;
                return self.push_list(key, entry, child.tag, list);
            }
            Kind::Object | Kind::Generic => {
                let attributes = shape == ListShape::Entries;
                return self.entry(key, entry, child, kind == Kind::Object, attributes);
            }
        }
        Ok(Step::On)
    }

    /// Reads an entry by its members.
    fn entry(
        &mut self,
        key: Key,
        node: Option<NodeId>,
        child: Extent,
        by_schema: bool,
        attributes: bool,
    ) -> Result<Step, Error> {
        self.pos = child.inner.start;
        self.searched = self.pos;
        let start = child.tag.start;
        self.push_frame(Frame {
            key,
            name: None,
            node,
            open: 0,
            tag: child.tag,
            limit: Some((child.inner.end, child.inner.end)),
            body: Body::Members(Box::new(Members { by_schema, ..Members::default() })),
        })?;
        if attributes && let Some(seq) = self.tags.at(start) {
            self.place_attributes(seq)?;
        }
        Ok(Step::On)
    }

    fn finish_list(&mut self) -> Result<Step, Error> {
        let Some(frame) = self.pop_frame() else { return Ok(Step::Wait) };
        let Body::List(list) = frame.body else { return Ok(Step::Wait) };
        let value = match (list.shape, list.whole) {
            (ListShape::Entries, _) => Value::from(list.entries),
            (ListShape::Object, whole) => Value::from(vec![whole.unwrap_or_default()]),
            (ListShape::Other, whole) => whole.unwrap_or_default(),
        };
        let value = self.fitting(value, frame.node);
        let end = frame.limit.map_or(frame.tag.end, |(_, after)| after);
        if self.is_heard() {
            let shown = fit::fit_node(&value, self.node(frame.node), &self.options);
            self.emit(|| Event::Value { value: shown });
            self.emit(|| Event::Close { name: frame.key.to_name(), at: end });
        }
        self.deliver(frame.key, value, false);
        Ok(Step::On)
    }

    /// Cut input is not made to fit as a whole: its lists are, on their own.
    fn fitting(&self, value: Value, node: Option<NodeId>) -> Value {
        if self.options.partial {
            fit::fit_node(&value, self.node(node), &self.options)
        } else {
            value
        }
    }

    /// The direct child elements, delimited by counting tags of their own name.
    fn children(&mut self, inner: Range<usize>) -> Result<Children, Error> {
        let mut children = Children::default();
        let mut at = inner.start;
        while at < inner.end {
            let less = self.tags.less(&self.buf, at);
            let text = at..less.map_or(inner.end, |less| less.at.min(inner.end));
            self.tags.reach(text.end);
            children.text |= !text.is_empty() && !self.is_blank(text.clone(), less);
            at = text.end;
            if at >= inner.end {
                break;
            }
            if let Some((behind, is_text)) = self.skipped_child(at, inner.end) {
                children.text |= is_text;
                at = behind;
                continue;
            }
            match self.tags.at(at) {
                Some(seq) => {
                    let child = self.child_extent(seq, inner.end)?;
                    at = child.after;
                    children.extents.push(child);
                }
                None if self.options.repair => {
                    children.text = true;
                    at += 1;
                }
                None => return Err(Error::parse(ParseErrorKind::BadTag, at..at + 1)),
            }
        }
        Ok(children)
    }

    /// Offset behind the comment, CDATA section, processing instruction or declaration at an
    /// offset, and whether it counts as text.
    fn skipped_child(&mut self, at: usize, end: usize) -> Option<(usize, bool)> {
        let marks = [
            ("<!--", Mark::Comment, false),
            (CDATA, Mark::Section, true),
            ("<?", Mark::Instruction, false),
        ];
        let markup = self.buf.slice(at..end);
        for (begin, mark, text) in marks {
            if markup.starts_with(begin) {
                let behind = self.tags.behind(mark, at + begin.len());
                return Some((behind.unwrap_or(end).min(end), text));
            }
        }
        let declaration = markup.starts_with("<!");
        declaration.then(|| (self.behind_declaration(at, end).unwrap_or(end), false))
    }

    fn child_extent(&self, seq: Seq, end: usize) -> Result<Extent, Error> {
        let bad = |kind, span| Err(Error::parse(kind, span));
        let Some(tag) = self.tags.get(seq) else {
            return bad(ParseErrorKind::BadTag, end..end);
        };
        let span = tag.start..tag.end;
        if !tag.whole || tag.end > end {
            return bad(ParseErrorKind::BadTag, span);
        }
        let name = tag.name.clone();
        match tag.kind {
            TagKind::Close => return bad(ParseErrorKind::StrayClose, span),
            TagKind::SelfClosed => {
                let (inner, after) = (tag.end..tag.end, tag.end);
                return Ok(Extent { name, tag: span, inner, after });
            }
            TagKind::Open => {}
        }
        let mate = tag.mate.filter(|mate| self.tags.get(*mate).is_some_and(|t| t.start < end));
        let own = self.buf.slice(name.clone());
        let close = mate.or_else(|| self.tags.first_close(own, seq + 1, end));
        match close.and_then(|seq| self.tags.get(seq)) {
            Some(close) => {
                let (inner, after) = (tag.end..close.start, close.end);
                Ok(Extent { name, tag: span, inner, after })
            }
            None if self.options.repair => {
                Ok(Extent { name, tag: span, inner: tag.end..end, after: end })
            }
            None => bad(ParseErrorKind::Unclosed, span),
        }
    }
}

/// Whether the names are `0` to `n - 1`, each once.
fn is_tuple<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> bool {
    let count = names.len();
    let places: BTreeSet<usize> = names
        .filter(|name| crate::chars::is_digits(name))
        .filter(|name| name.len() == 1 || !name.starts_with('0'))
        .filter_map(|name| name.parse().ok())
        .collect();
    places.len() == count && places.last().is_none_or(|last| *last + 1 == count)
}
