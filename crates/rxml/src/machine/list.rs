//! List properties, read when their parent closes: by then the number of their elements is known.

use std::ops::Range;

use toolweir_rjson::{Array, Value};
use toolweir_schema_coerce::NodeId;

use super::children::Children;
use super::frame::{Body, Extent, Frame, Key, List, ListShape, Members};
use super::{Event, Machine, Step};
use crate::error::Error;
use crate::fit;
use crate::options::{Kind, declared, declared_by_case};
use crate::text::{is_all_whitespace, string_value};

impl List {
    pub(super) fn new(children: Vec<Extent>, shape: ListShape) -> Self {
        Self { children, next: 0, shape, entries: Array::new(), whole: None, told: false }
    }

    /// A list that needs no more reading.
    fn known(whole: Value) -> Self {
        Self { whole: Some(whole), ..Self::new(Vec::new(), ListShape::Other) }
    }
}

impl Machine {
    /// How the content of one element for a list property is read.
    fn list_of(&mut self, node: Option<NodeId>, element: &Extent) -> Result<List, Error> {
        let kind = Kind::of(self.node(node));
        let inner = element.inner.clone();
        let mut children = match self.children(inner.clone(), kind == Kind::Texts) {
            Ok(children) => children,
            // Text that only looks like markup.
            Err(_) if kind == Kind::Texts => Children { text: true, ..Children::default() },
            Err(error) => return Err(error),
        };
        let name = |child: &Extent| self.buf.slice(child.name.clone());
        let items = !children.text && children.extents.iter().all(|child| name(child) == "item");
        // In a call, closing tags that close nothing are no text beside entries.
        let strays = children.strays && (self.inside.is_none() || !items);
        if kind == Kind::Texts && (children.extents.is_empty() || strays || !items) {
            if children.extents.is_empty() && fit::is_json_list(self.buf.slice(inner.clone())) {
                return self.text_list(node, inner);
            }
            return self.one_text(inner);
        }
        if children.extents.is_empty() {
            return self.text_list(node, inner);
        }
        for child in &mut children.extents {
            if let Some(open) = self.tags.at(child.tag.start) {
                let own = self.buf.slice(child.name.clone());
                let doubled = self.doubled(own, open, child.inner.clone());
                child.inner.start = self.leave_out(doubled, child.inner.start);
            }
        }
        let name = |child: &Extent| self.buf.slice(child.name.clone());
        if items {
            return Ok(self.entries(children));
        }
        if !children.text && is_tuple(children.extents.iter().map(name)) {
            let mut places = vec![None; children.extents.len()];
            for child in children.extents.drain(..) {
                let place = name(&child).parse().ok();
                if let Some(place) = place.and_then(|place: usize| places.get_mut(place)) {
                    *place = Some(child);
                }
            }
            children.extents.extend(places.into_iter().flatten());
            return Ok(self.entries(children));
        }
        let entry = self.node(node).and_then(|node| node.item(0));
        let by_case = |name| self.options.repair && declared_by_case(entry, name).is_some();
        let known = |child: &Extent| {
            let name = name(child);
            declared(entry, name).is_some() || by_case(name)
        };
        if Kind::of(entry) == Kind::Object && children.extents.iter().any(known) {
            return Ok(List::new(vec![element.clone()], ListShape::Object));
        }
        let first = children.extents.first().map(name);
        let same = children.extents.iter().all(|child| Some(name(child)) == first);
        if !children.text && same {
            return Ok(self.entries(children));
        }
        Ok(List::new(vec![element.clone()], ListShape::Other))
    }

    /// The list that one element is, or that its children are. In the first case it has its attributes
    /// as an entry; else they are told of, unless they have been.
    pub(super) fn list_of_one(
        &mut self,
        node: Option<NodeId>,
        element: &Extent,
        told: bool,
    ) -> Result<List, Error> {
        let mut list = self.list_of(node, element)?;
        list.told = told;
        if list.shape != ListShape::Object
            && !told
            && let Some(seq) = self.tags.at(element.tag.start)
        {
            self.ignore_attributes(seq);
        }
        Ok(list)
    }

    /// A list with an entry for each child.
    fn entries(&mut self, children: Children) -> List {
        self.diagnostics.extend(children.notes);
        List::new(children.extents, ListShape::Entries)
    }

    /// A list of strings that holds one, or none.
    fn one_text(&mut self, inner: Range<usize>) -> Result<List, Error> {
        let angle = self.tags.angle(&self.buf, inner.end);
        let whitespace = self.is_whitespace(inner.clone(), angle);
        let raw = self.buf.slice(inner.clone());
        let mut entries = Array::new();
        if !whitespace {
            let repair = self.options.repair;
            entries.push(string_value(raw, inner.start, repair, &mut self.diagnostics)?);
        }
        Ok(List::known(Value::from(entries)))
    }

    /// Content without elements: whitespace, or text to make a list of.
    fn text_list(&mut self, node: Option<NodeId>, inner: Range<usize>) -> Result<List, Error> {
        let text = self.text_of(inner, None)?;
        if is_all_whitespace(&text) {
            return Ok(List::known(Value::from(Array::new())));
        }
        let typed = self.options.partial.then(|| fit::typed(&text, self.node(node)));
        Ok(List::known(typed.unwrap_or_else(|| Value::from(text))))
    }

    /// Whether the first entry of a list is one of members, so that attributes have a place there.
    pub(super) fn entries_have_members(&self, list: Option<NodeId>) -> bool {
        let entry = self.node(list).and_then(|node| node.item(0));
        matches!(Kind::of(entry), Kind::Object | Kind::Generic)
    }

    /// The next entry of the list on top, or its end.
    pub(super) fn list(&mut self) -> Result<Step, Error> {
        let Some(Frame { body: Body::List(list), node, .. }) = self.stack.last_mut() else {
            return Ok(Step::Wait);
        };
        let (index, list_node, shape, list_told) = (list.next, *node, list.shape, list.told);
        let Some(child) = list.children.get(index).cloned() else { return self.finish_list() };
        list.next += 1;
        let entry = match shape {
            ListShape::Other => None,
            ListShape::Object => self.node(list_node).and_then(|node| node.item(0)),
            ListShape::Entries => self.node(list_node).and_then(|node| node.item(index)),
        };
        let (kind, entry) = (Kind::of(entry), entry.map(toolweir_schema_coerce::Node::id));
        let key = if shape == ListShape::Entries { Key::Place(index) } else { Key::None };
        // Of the elements of the list itself this has been said, unless they could have had members.
        let told = child.name.is_empty() && !self.entries_have_members(list_node);
        if shape == ListShape::Entries
            && !told
            && matches!(kind, Kind::Text | Kind::Scalar)
            && let Some(seq) = self.tags.at(child.tag.start)
        {
            self.ignore_attributes(seq);
        }
        match kind {
            Kind::Text => {
                let raw = self.buf.slice(child.inner.clone());
                let (start, repair) = (child.inner.start, self.options.repair);
                let text = string_value(raw, start, repair, &mut self.diagnostics)?;
                let value = self.text_value(entry, text);
                self.deliver(key, value, false);
            }
            Kind::Scalar => {
                let value = self.scalar(&key, entry, &child.tag, child.inner)?;
                self.deliver(key, value, false);
            }
            Kind::Texts | Kind::List => {
                let list = self.list_of_one(entry, &child, told)?;
                return self.push_list(key, entry, child.tag, list);
            }
            Kind::Object | Kind::Generic => {
                let attributes = match shape {
                    ListShape::Entries => true,
                    ListShape::Object => !list_told,
                    ListShape::Other => false,
                };
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
        if self.is_observed() {
            let shown = fit::fit_node(&value, self.node(frame.node), &self.options);
            self.emit(|| Event::Value { value: shown });
            self.emit(|| Event::Close { name: frame.key.to_name().into(), at: end });
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
}

/// Whether the names are `0` to `n - 1`, each once.
fn is_tuple<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> bool {
    let count = names.len();
    let mut places = vec![false; count];
    for name in names {
        let number = crate::text::is_digits(name) && (name.len() == 1 || !name.starts_with('0'));
        let place = name.parse().ok().filter(|_| number);
        match place.and_then(|place: usize| places.get_mut(place)) {
            Some(taken @ false) => *taken = true,
            _ => return false,
        }
    }
    true
}
