//! The push parser: elements to a raw value, by the schema, in one pass.
//!
//! A stack of frames ([`frame`]) reads the input. Objects, undeclared elements and the whole input
//! are read child by child ([`content`], [`child`], [`close`]); strings and scalars are delimited by
//! counting tags of their own name ([`text_element`], [`decide`]); the elements of list properties are
//! delimited at once and read when their parent closes, when it is known how many there are ([`list`]).
//! The index of tags is shared by all, so nothing is scanned again.
//!
//! Every decision depends only on input up to a byte, never on where a chunk ends: where more input
//! could change it, the machine waits. Scalars stay text until the end, when the whole value is made
//! to fit its schema once.

mod child;
mod children;
mod close;
mod content;
mod event;
mod frame;
mod inside;
mod list;
mod members;
mod text_element;
mod text_end;

use std::collections::BTreeMap;
use std::ops::Range;

use toolweir_rjson::Value;
use toolweir_schema_coerce::{Node, NodeId, Schema};

pub use self::event::Event;
use self::frame::{Body, Frame, Key, Members, Use};
pub use self::inside::Repeats;
use crate::error::{Code, Diagnostic, Error, ParseErrorKind};
use crate::fit;
use crate::options::Options;
use crate::tags::{Buf, Tags};

/// A value and what is worth knowing about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// The value: an object.
    pub value: Value,
    /// What was repaired, dropped or assumed, in the order it was met.
    pub diagnostics: Vec<Diagnostic>,
}

/// Open elements that there is room for at first.
const LEVELS: usize = 4;

/// Bytes of a chunk that are taken at once: what is known of their tags takes many times the room.
const PIECE: usize = 16 << 10;

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
///     machine.push(chunk, |event| seen.push(event.into_owned()))?;
/// }
/// let parsed = machine.finish(|event| seen.push(event.into_owned()))?;
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
    /// Places of the frames that have a limit: what is inside one gives no events.
    limits: Vec<usize>,
    /// How many frames have lists that are read when they close: their input is kept.
    listing: usize,
    around: inside::Around,
    /// Nobody listens.
    suppressed: bool,
    /// A string is open that lengthens by whatever holds no `<`.
    on_fast_path: bool,
    /// Next byte of content.
    pos: usize,
    /// A search from `pos` has come this far.
    searched: usize,
    /// Declarations that were met, by where they begin.
    skips: BTreeMap<usize, content::Skip>,
    diagnostics: Vec<Diagnostic>,
    reported: usize,
    events: Vec<Event<'static>>,
    /// The root element is read as a wrapper, and may turn out to be none: where it begins, and how
    /// many events waited before it.
    wrapper: Option<(usize, usize)>,
    /// How many diagnostics there were before it.
    reported_before_wrapper: usize,
    may_unwrap: bool,
    done: Option<Value>,
    failed: Option<Error>,
    /// What encloses the input.
    inside: Option<Box<inside::Inside>>,
}

impl Machine {
    /// A machine at the start of the inside of a call.
    #[must_use]
    pub fn new(schema: Schema, options: Options) -> Self {
        Self::observed(schema, options, true)
    }

    /// A machine that tells nothing before the end.
    pub(crate) fn suppressed(schema: Schema, options: Options) -> Self {
        Self::observed(schema, options, false)
    }

    fn observed(schema: Schema, options: Options, observed: bool) -> Self {
        let node = schema.root();
        let may_unwrap = node.property_names().next().is_some();
        let members =
            Members { is_root: true, by_schema: !node.is_untyped(), ..Members::default() };
        let root = Frame {
            key: Key::None,
            name: None,
            node: Some(node.id()),
            open: 0,
            tag: 0..0,
            limit: None,
            body: Body::Members(Box::new(members)),
        };
        let mut stack = Vec::with_capacity(LEVELS);
        stack.push(root);
        Self {
            tags: Tags::new(options.repair, &options.no_child_nodes, options.max_held),
            schema,
            options,
            buf: Buf::default(),
            stack,
            limits: Vec::new(),
            listing: 0,
            around: inside::Around::default(),
            suppressed: !observed,
            on_fast_path: false,
            pos: 0,
            searched: 0,
            skips: BTreeMap::new(),
            diagnostics: Vec::new(),
            reported: 0,
            events: Vec::new(),
            wrapper: None,
            reported_before_wrapper: 0,
            may_unwrap,
            done: None,
            failed: None,
            inside: None,
        }
    }

    /// Reads a chunk and gives what has become certain to `sink`. An element around all others whose
    /// name is no property holds events back until the end, as a second one would change its meaning.
    ///
    /// # Errors
    /// [`Error`] as soon as nothing that follows could repair it. It is given again by every later call.
    pub fn push(&mut self, chunk: &str, mut sink: impl FnMut(Event<'_>)) -> Result<(), Error> {
        if self.on_fast_path && self.fast_path(chunk, &mut sink) {
            return Ok(());
        }
        let mut rest = chunk;
        while rest.len() > PIECE && !self.suppressed {
            let at = (PIECE..rest.len()).find(|at| rest.is_char_boundary(*at));
            let (piece, more) =
                rest.split_at_checked(at.unwrap_or(rest.len())).unwrap_or((rest, ""));
            self.push_piece(piece, &mut sink)?;
            rest = more;
        }
        self.push_piece(rest, sink)
    }

    fn push_piece(&mut self, chunk: &str, sink: impl FnMut(Event<'_>)) -> Result<(), Error> {
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
    pub fn finish(mut self, sink: impl FnMut(Event<'_>)) -> Result<Parsed, Error> {
        self.end(sink)
    }

    pub(crate) fn end(&mut self, sink: impl FnMut(Event<'_>)) -> Result<Parsed, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let ran = self.run(true);
        self.wrapper = None;
        self.give(sink);
        ran?;
        let mut value = self.done.take().unwrap_or_default();
        if !self.options.partial {
            value = fit::fit(value, &self.schema, &self.options)?;
        }
        Ok(Parsed { value, diagnostics: std::mem::take(&mut self.diagnostics) })
    }

    /// What is certain so far: closed members, and open strings as far as they go. Costs as much as
    /// what is held; the machine is not changed.
    ///
    /// # Errors
    /// As [`push`](Self::push); never for the input being cut off.
    pub fn snapshot(&self) -> Result<Value, Error> {
        let mut copy = self.clone();
        copy.options.partial = true;
        copy.suppressed = true;
        let mut value = copy.finish(|_| {})?.value;
        // What was closed before is text still.
        if !self.options.partial {
            fit::fit_members(&mut value, &self.schema, &self.options);
        }
        Ok(value)
    }

    /// How many bytes have been examined to decide something, by scans and searches.
    #[cfg(feature = "meter")]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.tags.examined
    }

    /// [`finish`](Self::finish), and how many bytes have been examined by then.
    #[cfg(feature = "meter")]
    pub fn finish_metered(mut self, sink: impl FnMut(Event<'_>)) -> (Result<Parsed, Error>, u64) {
        let result = self.end(sink);
        (result, self.examined())
    }

    fn fail(&mut self, error: Error) -> Error {
        self.on_fast_path = false;
        self.failed = Some(error.clone());
        error
    }

    /// Hands events over, unless the wrapper may turn out to be none.
    fn give(&mut self, sink: impl FnMut(Event<'_>)) {
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
        if !self.suppressed {
            self.events.extend(new.iter().cloned().map(Event::Diagnostic));
        }
        // Whoever reads a call has them from the events.
        if self.inside.is_some() && self.wrapper.is_none() {
            self.diagnostics.clear();
        }
        self.reported = self.diagnostics.len();
    }

    fn run(&mut self, last: bool) -> Result<(), Error> {
        self.tags.scan(&self.buf, last);
        while self.done.is_none() && self.step(last)? == Step::On {}
        if self.done.is_some() {
            self.wrapper = None;
        } else if !last {
            self.may_wait()?;
        }
        // A whole text is let go of at once.
        if !last && !self.suppressed {
            self.forget();
        }
        self.on_fast_path = !last && self.may_take_fast_path();
        Ok(())
    }

    fn step(&mut self, last: bool) -> Result<Step, Error> {
        match self.stack.last().map(|frame| &frame.body) {
            Some(Body::Members(members)) if members.closing.is_some() => self.close_members(),
            Some(Body::Members(_)) => self.content(last),
            Some(Body::TextElement(_)) => self.text_element(last),
            Some(Body::List(_)) => self.list(),
            None => Ok(Step::Wait),
        }
    }

    /// Whether nothing open is read again when it closes.
    const fn may_forget(&self) -> bool {
        self.limits.is_empty() && self.listing == 0 && self.wrapper.is_none()
    }

    /// Lets go of input that no frame needs again.
    fn forget(&mut self) {
        if !self.may_forget() {
            return;
        }
        let text = match self.stack.last() {
            Some(Frame { body: Body::TextElement(element), open, .. })
                if element.purpose == Use::Text =>
            {
                let own = self.stack.last().map_or("", Frame::name);
                self.tags.forget_inside(*open, own, element.sent);
                element.sent
            }
            Some(Frame { body: Body::TextElement(element), tag, .. }) => {
                self.tags.forget(tag.start);
                // The tag is read again with the list: the attributes of an entry.
                if element.purpose == Use::Entry { tag.start } else { element.sent }
            }
            _ => {
                self.tags.forget(self.pos);
                self.pos
            }
        };
        // The index may be further back, inside a tag or a hidden section.
        self.buf.forget(text.min(self.tags.known_to()));
        // Signs that begin no tag have no partner that may still ask for them.
        self.tags.forget_others(text);
        while self.skips.first_key_value().is_some_and(|(start, _)| *start < self.pos) {
            self.skips.pop_first();
        }
    }

    /// Where the content that is read ends, if that is known: inside an entry of a list.
    fn limit(&self) -> Option<usize> {
        let frame = self.limits.last().and_then(|place| self.stack.get(*place))?;
        frame.limit.map(|(end, _)| end)
    }

    fn node(&self, id: Option<NodeId>) -> Option<Node<'_>> {
        id.map(|id| self.schema.node(id))
    }

    /// Whether events are wanted: somebody listens, and what is open is more than an entry of a list.
    fn is_observed(&self) -> bool {
        !self.suppressed && self.limits.is_empty() && !self.is_hidden()
    }

    /// Adds an event, if it is wanted.
    fn emit(&mut self, event: impl FnOnce() -> Event<'static>) {
        if self.is_observed() {
            self.report();
            self.events.push(event());
        }
    }

    fn note(&mut self, code: Code, span: Range<usize>) {
        self.diagnostics.push(code.at(span));
    }

    fn push_frame(&mut self, frame: Frame) -> Result<(), Error> {
        // The root is no element.
        if self.stack.len() > self.options.max_depth {
            return Err(Error::parse(ParseErrorKind::TooDeep, frame.tag));
        }
        if frame.limit.is_some() {
            self.limits.push(self.stack.len());
        }
        self.stack.push(frame);
        Ok(())
    }

    fn pop_frame(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        if frame.limit.is_some() {
            self.limits.pop();
        }
        self.listing -= usize::from(frame.members().is_some_and(|m| !m.lists.is_empty()));
        self.around.leave(self.stack.len(), &frame);
        Some(frame)
    }

    /// A coercion error at the member `key` of what is open.
    fn misfit(&self, key: &str, kind: &str) -> Error {
        let keys = self.stack.iter().map(|frame| frame.key.to_name());
        let keys = keys.chain([key.to_owned()]).filter(|key| !key.is_empty());
        let path = fit::pointer(keys);
        Error::Coercion { kind: kind.to_owned(), instance_path: path, schema_path: String::new() }
    }
}
