//! The push parser: elements to a raw value, by the schema, in one pass.
//!
//! A stack of frames ([`frame`]) reads the input. Objects, undeclared elements and the whole input
//! are read child by child ([`content`]); strings and scalars are delimited by counting tags of
//! their own name ([`leaf`]); the elements of list properties are delimited at once and read when
//! their parent closes, when it is known how many there are ([`list`]). The index of tags is shared
//! by all, so nothing is scanned again.
//!
//! Every decision depends only on input up to a byte, never on where a chunk ends: where more input
//! could change it, the machine waits. Scalars stay text until the end, when the whole value is made
//! to fit its schema once.

mod content;
mod event;
mod frame;
mod leaf;
mod list;
mod members;

use std::ops::Range;

use toolweir_rjson::Value;
use toolweir_schema_coerce::{Node, NodeId, Schema};

pub use self::event::Event;
use self::frame::{Body, Frame, Members};
use crate::buf::Buf;
use crate::error::{self, Diagnostic, Error, ParseErrorKind};
use crate::fit;
use crate::options::Options;
use crate::tags::Tags;

/// A value and what is worth knowing about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// The value: an object.
    pub value: Value,
    /// What was mended, dropped or assumed, in the order it was met.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a step came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Something was done.
    On,
    /// More input is needed.
    Wait,
}

/// Reads elements as they come.
///
/// Any way of cutting the input gives the same value, the same error and, text joined, the same
/// events; a diagnostic comes before the piece of text that it speaks of.
///
/// ```
/// use toolweir_rxml::{Event, Machine, Options};
/// use toolweir_schema_coerce::Schema;
///
/// let mut machine = Machine::new(Schema::any(), Options::default());
/// let mut seen = Vec::new();
/// for chunk in ["<path>a.", "txt</path>"] {
///     machine.push(chunk, |event| seen.push(event))?;
/// }
/// let parsed = machine.finish(|event| seen.push(event))?;
/// assert_eq!(parsed.value.to_string(), r#"{"path":"a.txt"}"#);
/// assert!(matches!(&seen[0], Event::Open { name, .. } if name == "path"));
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    schema: Schema,
    options: Options,
    buf: Buf,
    tags: Tags,
    stack: Vec<Frame>,
    /// Next byte of content.
    pos: usize,
    /// A search from `pos` has come this far.
    searched: usize,
    skip: content::Skip,
    diagnostics: Vec<Diagnostic>,
    reported: usize,
    events: Vec<Event>,
    /// The root element is read as a wrapper, and may turn out to be none: where it begins, and how
    /// many events waited before it.
    wrapper: Option<(usize, usize)>,
    /// How many diagnostics there were before it.
    reported_before_wrapper: usize,
    may_unwrap: bool,
    done: Option<Value>,
    failed: Option<Error>,
}

impl Machine {
    /// A machine at the start of the inside of a call.
    #[must_use]
    pub fn new(schema: Schema, options: Options) -> Self {
        let node = schema.root();
        let may_unwrap = node.property_names().next().is_some();
        let members =
            Members { is_root: true, by_schema: !node.is_untyped(), ..Members::default() };
        let root = Frame {
            key: Box::default(),
            name: Box::default(),
            node: Some(node.id()),
            open: 0,
            tag: 0..0,
            limit: None,
            body: Body::Members(Box::new(members)),
        };
        Self {
            tags: Tags::new(options.repair, &options.no_child_nodes),
            schema,
            options,
            buf: Buf::default(),
            stack: vec![root],
            pos: 0,
            searched: 0,
            skip: content::Skip::default(),
            diagnostics: Vec::new(),
            reported: 0,
            events: Vec::new(),
            wrapper: None,
            reported_before_wrapper: 0,
            may_unwrap,
            done: None,
            failed: None,
        }
    }

    /// Reads a chunk and gives what has become certain to `sink`. An element around all others whose
    /// name is no property holds events back until the end, as a second one would change its meaning.
    ///
    /// # Errors
    /// [`Error`] as soon as nothing that follows could mend it. It is given again by every later call.
    pub fn push(&mut self, chunk: &str, sink: impl FnMut(Event)) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let most = self.options.max_bytes;
        if chunk.len() > most.saturating_sub(self.buf.end()) {
            let room = most.saturating_sub(self.buf.end());
            let cut = (0..=room.min(chunk.len())).rev().find(|at| chunk.is_char_boundary(*at));
            self.buf.push(chunk.get(..cut.unwrap_or(0)).unwrap_or(""));
            let ran = self.run(false);
            self.give(sink);
            let error = ran.err().unwrap_or(Error::parse(ParseErrorKind::TooLarge, most..most));
            return Err(self.fail(error));
        }
        self.buf.push(chunk);
        let ran = self.run(false);
        self.give(sink);
        ran.map_err(|error| self.fail(error))
    }

    /// Ends the input: the value, made to fit the schema.
    ///
    /// # Errors
    /// [`Error`] when the input gives no value, or none that fits.
    pub fn finish(mut self, sink: impl FnMut(Event)) -> Result<Parsed, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let ran = self.run(true);
        self.wrapper = None;
        self.give(sink);
        ran?;
        let value = self.done.take().unwrap_or_default();
        if self.options.partial {
            return Ok(Parsed { value, diagnostics: self.diagnostics });
        }
        let value = fit::fit(value, &self.schema, &self.options)?;
        Ok(Parsed { value, diagnostics: self.diagnostics })
    }

    /// What is certain so far: closed members, and open strings as far as they go. Costs as much as
    /// what is held; the machine is not changed.
    ///
    /// # Errors
    /// As [`push`](Self::push); never for the input being cut off.
    pub fn snapshot(&self) -> Result<Value, Error> {
        let mut copy = self.clone();
        copy.options.partial = true;
        copy.finish(|_| {}).map(|parsed| parsed.value)
    }

    /// How many bytes the scanner has looked at.
    #[cfg(feature = "meter")]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.tags.examined
    }

    fn fail(&mut self, error: Error) -> Error {
        self.failed = Some(error.clone());
        error
    }

    /// Hands events over, unless the wrapper may turn out to be none.
    fn give(&mut self, sink: impl FnMut(Event)) {
        self.report();
        let sure = match &mut self.wrapper {
            Some((_, events)) => std::mem::take(events),
            None => self.events.len(),
        };
        self.events.drain(..sure).for_each(sink);
    }

    /// Makes events of new diagnostics.
    fn report(&mut self) {
        let new = self.diagnostics.get(self.reported..).unwrap_or_default();
        self.events.extend(new.iter().cloned().map(Event::Diagnostic));
        self.reported = self.diagnostics.len();
    }

    fn run(&mut self, last: bool) -> Result<(), Error> {
        self.tags.scan(&self.buf, last);
        while self.done.is_none() && self.step(last)? == Step::On {}
        self.forget();
        Ok(())
    }

    fn step(&mut self, last: bool) -> Result<Step, Error> {
        match self.stack.last().map(|frame| &frame.body) {
            Some(Body::Members(members)) if members.closing.is_some() => self.close_members(),
            Some(Body::Members(_)) => self.content(last),
            Some(Body::Leaf(_)) => self.leaf(last),
            Some(Body::List(_)) => self.list(),
            None => Ok(Step::Wait),
        }
    }

    /// Lets go of input that no frame needs again.
    fn forget(&mut self) {
        let held = |frame: &Frame| {
            frame.limit.is_some() || frame.members().is_some_and(|m| !m.lists.is_empty())
        };
        if self.wrapper.is_some() || self.stack.iter().any(held) {
            return;
        }
        let (text, tags) = match self.stack.last().map(|frame| (&frame.body, &frame.tag)) {
            Some((Body::Leaf(leaf), tag)) => (leaf.sent, tag.start),
            _ => (self.pos, self.pos),
        };
        // The index may be further back, inside a tag or a hidden section.
        self.buf.forget(text.min(self.tags.known_to()));
        self.tags.forget(tags);
    }

    fn node(&self, id: Option<NodeId>) -> Option<Node<'_>> {
        id.map(|id| self.schema.node(id))
    }

    /// Adds an event, unless what is open is only an entry of a list.
    fn emit(&mut self, event: Event) {
        if self.stack.iter().all(|frame| frame.limit.is_none()) {
            self.report();
            self.events.push(event);
        }
    }

    fn note(&mut self, rule: error::Rule, span: Range<usize>) {
        self.diagnostics.push(rule.at(span));
    }

    fn push_frame(&mut self, frame: Frame) -> Result<(), Error> {
        // The root is no element.
        if self.stack.len() > self.options.max_depth {
            return Err(Error::parse(ParseErrorKind::TooDeep, frame.tag));
        }
        self.stack.push(frame);
        Ok(())
    }

    /// A coercion error at the member `key` of what is open.
    fn misfit(&self, key: &str, kind: &str) -> Error {
        let keys = self.stack.iter().map(|frame| &*frame.key).filter(|key| !key.is_empty());
        let path = fit::pointer(keys.chain((!key.is_empty()).then_some(key)));
        Error::Coercion { kind: kind.to_owned(), instance_path: path, schema_path: String::new() }
    }
}
