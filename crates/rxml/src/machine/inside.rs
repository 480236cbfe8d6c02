//! Inside an element whose opening tag was read elsewhere: the call of a protocol.
//!
//! The element's own closing tag ends the input, wherever the chunks are cut; what stands after it
//! is not looked at as content. A *row* has no opening tag: it is a row of elements that also ends
//! at text, at a tag that opens something else, and at any closing tag.
//!
//! What opens something else is known by name. Inside an element such a tag, where an element is due,
//! shows that the element around it will not be closed: reading fails at the tag.
//!
//! Nothing is made to fit as a whole, since the caller does that while it hands the members on: text
//! where a scalar is wanted and a scalar given twice are for it to judge. Strings of the first level
//! go out as they come and are not kept; every other member of the first level comes whole, as one
//! [`Event::Value`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use toolweir_rjson::Value;
use toolweir_schema_coerce::Schema;

use super::frame::Frame;
use super::{Event, Machine, Step};
use crate::error::{Error, ParseErrorKind};
use crate::fit;
use crate::options::{Options, declared, declared_by_case};
use crate::tags::TagKind;
use crate::text::{is_whitespace, string_value};

/// What becomes of a second element for a string property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repeats {
    /// As [`Options::throw_on_duplicate_string_tags`] says.
    #[default]
    Refuse,
    /// It is given like the first; below the first level the last one counts.
    Give,
    /// It is given like the first; below the first level they are a list.
    List,
}

/// What the machine is inside of.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    row: bool,
    /// The names that open something else, unless they are properties; sorted.
    others: Arc<[Box<str>]>,
    pub(super) repeats: Repeats,
}

impl Machine {
    /// A machine after the opening tag of an element of that name.
    ///
    /// ```
    /// use toolweir_rxml::{Event, Machine, Options, Repeats};
    /// use toolweir_schema_coerce::Schema;
    ///
    /// let options = Options::default();
    /// let mut machine = Machine::inside("note", Schema::any(), options, Repeats::Refuse);
    /// machine.push("<to>Ada</to></note> and", |_| {})?;
    /// assert_eq!(machine.closed_at(), Some(19));
    /// # Ok::<(), toolweir_rxml::Error>(())
    /// ```
    #[must_use]
    pub fn inside(name: &str, schema: Schema, options: Options, repeats: Repeats) -> Self {
        let mut machine = Self::new(schema, options);
        if let Some(root) = machine.stack.first_mut() {
            root.name = Some(name.into());
        }
        machine.inside = Some(Box::new(Inside { repeats, ..Inside::default() }));
        machine
    }

    /// The same, where elements of some names are no part of this one unless they are properties:
    /// where an element is due, the opening tag of one ends a row, and inside an element it is an
    /// error before that tag. The names are sorted.
    ///
    /// ```
    /// use toolweir_rxml::{Machine, Options, Repeats};
    /// use toolweir_schema_coerce::Schema;
    ///
    /// let options = Options::default();
    /// let machine = Machine::inside("note", Schema::any(), options, Repeats::Refuse);
    /// let mut machine = machine.with_others(["list".into(), "note".into()].into());
    /// assert!(machine.push("<to>Ada</to> then <note>", |_| {}).is_err());
    /// assert_eq!(machine.failed_at(), Some(18));
    /// ```
    #[must_use]
    pub fn with_others(mut self, others: Arc<[Box<str>]>) -> Self {
        if let Some(inside) = &mut self.inside {
            inside.others = others;
        }
        self
    }

    /// A machine at a row of elements that belong together without an element around them; a closing
    /// tag of that name ends it and is part of it.
    #[must_use]
    pub fn row(name: &str, schema: Schema, options: Options, repeats: Repeats) -> Self {
        let mut machine = Self::inside(name, schema, options, repeats);
        machine.inside = Some(Box::new(Inside { row: true, repeats, ..Inside::default() }));
        machine.may_unwrap = false;
        machine
    }

    /// Where the element ended, after its closing tag: the offset in what was pushed. A row ends
    /// after its last element, or after a closing tag of its own.
    #[must_use]
    pub fn closed_at(&self) -> Option<usize> {
        self.done.as_ref().map(|_| self.pos)
    }

    /// The offset up to which everything pushed was read and decided.
    #[must_use]
    pub fn decided_to(&self) -> usize {
        if let Some((start, _)) = self.wrapper {
            // A second element beside it would have it read again.
            return start;
        }
        match self.stack.last() {
            Some(Frame { body: super::Body::TextElement(element), .. }) => element.sent,
            _ => self.pos,
        }
    }

    /// Where reading failed: whatever the chunks, nothing after this offset was needed to tell.
    #[must_use]
    pub fn failed_at(&self) -> Option<usize> {
        let error = self.failed.as_ref()?;
        // Lists are read when what holds them has closed.
        let closing = self.stack.iter().filter_map(Frame::members).find(|m| m.closing.is_some());
        Some(match (closing, error) {
            (Some(members), _) => members.after,
            (None, Error::Parse { kind: ParseErrorKind::NoElement, .. }) => self.pos,
            (None, Error::Parse { span, .. }) => span.as_range().end,
            (None, Error::DuplicateStringTag { spans, .. }) => spans.1.as_range().end,
            (None, Error::Coercion { .. }) => self.pos,
        })
    }

    /// Whether reading failed after the end of the element: for what is in it, or for its having
    /// nothing.
    #[must_use]
    pub fn failed_at_end(&self) -> bool {
        let empty =
            matches!(&self.failed, Some(Error::Parse { kind: ParseErrorKind::NoElement, .. }));
        let closing = |frame: &Frame| frame.members().is_some_and(|m| m.closing.is_some());
        empty || self.failed.is_some() && self.stack.first().is_some_and(closing)
    }

    /// Whether no member is open.
    #[must_use]
    pub fn is_between_members(&self) -> bool {
        self.stack.len() <= 1
    }

    /// Ends an element whose closing tag did not come, and gives what its end makes certain.
    ///
    /// # Errors
    /// [`Error::Parse`] when what came cannot be read.
    pub fn end_open(&mut self, sink: impl FnMut(Event<'_>)) -> Result<(), Error> {
        let ran = self.run(true);
        self.wrapper = None;
        self.give(sink);
        ran.map_err(|error| self.fail(error))
    }

    /// A list of the first level that is written as JSON is one value, and need not wait for others.
    pub(super) fn shows_list_at_once(
        &mut self,
        frame: &Frame,
        inner: Range<usize>,
    ) -> Result<bool, Error> {
        let raw = self.buf.slice(inner.clone());
        if self.inside.is_none() || !self.is_observed() || !fit::is_json_list(raw) {
            return Ok(false);
        }
        let (start, repair) = (inner.start, self.options.repair);
        let text = string_value(raw, start, repair, &mut self.diagnostics)?;
        if self.entries_have_members(frame.node) {
            self.ignore_attributes(frame.open);
        }
        let value = fit::fit_node(&Value::from(text), self.node(frame.node), &self.options);
        let (name, at) = (frame.key.to_name(), self.pos);
        self.emit(|| Event::Open { name: name.clone().into(), span: frame.tag.clone().into() });
        self.emit(|| Event::Value { value });
        self.emit(|| Event::Close { name: name.into(), at });
        Ok(true)
    }

    /// Whether what is read now gives no events of its own: it is below the first level.
    pub(super) fn is_hidden(&self) -> bool {
        let below = |frame: &Frame| frame.members().is_some_and(|members| !members.is_root);
        // The root, a wrapper, a list and its entry: what is not below by then is not below at all.
        self.inside.is_some() && self.stack.iter().take(4).any(below)
    }

    /// Whether the text of the string on top need not be kept: it went out.
    pub(super) fn only_shows(&self) -> bool {
        self.inside.is_some() && self.is_observed()
    }

    pub(super) fn repeats(&self) -> Repeats {
        self.inside.as_ref().map_or(Repeats::Refuse, |inside| inside.repeats)
    }

    /// Whether the name opens something else.
    pub(super) fn is_other(&self, name: &str) -> bool {
        let others = self.inside.as_ref().map(|inside| &inside.others);
        others.is_some_and(|others| others.binary_search_by(|other| (**other).cmp(name)).is_ok())
    }

    /// Whether an opening tag, where a child of the element on top is due, opens something else.
    pub(super) fn opens_other(&self, name: &str) -> bool {
        if !self.is_other(name) {
            return false;
        }
        let Some(frame) = self.stack.last() else { return false };
        let node = self.node(frame.node);
        if declared(node, name).is_some()
            || self.options.repair && declared_by_case(node, name).is_some()
        {
            return false;
        }
        // An element below may have children of any name, but for that of the whole.
        let named = node.is_some_and(|node| node.property_names().next().is_some());
        let free = !named || node.is_some_and(|node| node.member(name).node().is_some());
        let root = frame.members().is_some_and(|members| members.is_root);
        root || !free || self.stack.first().is_some_and(|first| first.name() == name)
    }

    /// Whether a row goes on at the place that is read next; none where that is for the content to
    /// say.
    pub(super) fn row_step(&mut self, last: bool) -> Option<Step> {
        if !self.inside.as_ref()?.row || self.stack.len() != 1 {
            return None;
        }
        let from = self.searched.max(self.pos);
        let spaces = self.buf.from(from).bytes().take_while(|byte| is_whitespace(*byte)).count();
        let at = from + spaces;
        self.searched = at;
        let on = match self.buf.byte(at) {
            None if !last => return Some(Step::Wait),
            Some(b'<') => match self.tags.at(at).and_then(|seq| self.tags.get(seq)) {
                None if !last && self.tags.known_to() <= at => return Some(Step::Wait),
                Some(tag) if tag.whole => {
                    let name = self.buf.slice(tag.name.clone());
                    match tag.kind {
                        TagKind::Close => self.stack.first().is_some_and(|f| f.name() == name),
                        _ => !self.opens_other(name),
                    }
                }
                _ => false,
            },
            _ => false,
        };
        if on {
            self.pos = at;
            return None;
        }
        // The whitespace is not the row's.
        self.end_members(self.pos);
        Some(Step::On)
    }
}

/// Frames that are walked rather than looked up.
const SHALLOW: usize = 8;

/// The places of the frames of each name, as far as they have been asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// The innermost one of each name.
    places: BTreeMap<String, usize>,
    /// For each frame from the bottom the next one around it of its name.
    outer: Vec<Option<usize>>,
}

impl Around {
    fn update(&mut self, stack: &[Frame]) {
        for (place, frame) in stack.iter().enumerate().skip(self.outer.len()) {
            self.outer.push(self.places.insert(frame.name().to_owned(), place));
        }
    }

    /// A frame has left the stack.
    pub(super) fn leave(&mut self, place: usize, frame: &Frame) {
        match self.outer.get(place) {
            None => return,
            Some(None) => self.places.remove(frame.name()),
            Some(Some(outer)) => self.places.insert(frame.name().to_owned(), *outer),
        };
        self.outer.truncate(place);
    }

    /// The innermost frame of a name below a place.
    fn below(&self, top: usize, name: &str) -> Option<usize> {
        let innermost = self.places.get(name).copied();
        let outer = |place: &usize| self.outer.get(*place).copied().flatten();
        core::iter::successors(innermost, outer).find(|place| *place < top)
    }
}

impl Machine {
    /// Has to come before [`is_ancestor`](Self::is_ancestor), where frames have been added.
    pub(super) fn look_around(&mut self) {
        if self.stack.len() > SHALLOW {
            self.around.update(&self.stack);
        }
    }

    /// Whether an element around the one on top, in the same stretch of content, has the name.
    pub(super) fn is_ancestor(&self, name: &str) -> bool {
        let top = self.stack.len().saturating_sub(1);
        if top < SHALLOW {
            return self.ancestors().any(|ancestor| ancestor == name);
        }
        let place = self.around.below(top, name);
        place.is_some_and(|place| self.limits.last().is_none_or(|limit| place > *limit))
    }

    /// The names of the elements around the one on top, in the same stretch of content.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = &str> {
        let top = self.stack.len().saturating_sub(1);
        let from = self.limits.last().map_or(0, |limit| limit + 1).min(top);
        self.stack.get(from..top).unwrap_or_default().iter().rev().map(Frame::name)
    }
}
