//! Values from the tokens of a machine.
//!
//! A member's key goes into its object at once, with `null` beside it until the value comes. The
//! places of keys, which only the diagnostic of a repeated one needs, are one list for all open objects.

use alloc::string::String;
use alloc::vec::Vec;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Error, Span};
use crate::escape::unescape_into;
use crate::machine::{Kind, Machine, Token};
use crate::number;
use crate::options::{Duplicates, Options};
use crate::value::{Array, Object, Slot, Value};

/// The most members that an object gets room for before they come, and the room of the outermost.
const USUAL: usize = 16;
const FIRST: usize = 8;

/// Bytes of a decoded string that is not copied.
const LONG: usize = 4096;

/// Builds the value of a token stream, one token at a time.
///
/// ```
/// use toolweir_rjson::{Machine, Options, TreeBuilder};
///
/// let options = Options::default();
/// let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(&options));
/// for mut input in ["{\"k\":[1,", "2]}"] {
///     while let Some(token) = machine.next(&mut input)? {
///         tree.push(&token)?;
///     }
/// }
/// assert_eq!(tree.take().unwrap().to_string(), r#"{"k":[1,2]}"#);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TreeBuilder {
    duplicates: Duplicates,
    /// The innermost container whose end has not come, and those around it.
    open: Open,
    outer: Vec<Open>,
    /// Where the keys of the open objects stand.
    spans: Spans,
    /// The text of the string that is read.
    pub(crate) text: String,
    root: Option<Value>,
    diagnostics: Diagnostics,
    /// The members of the last object, if not too many: mostly the next one has as many.
    usual: usize,
}

#[derive(Debug, Clone)]
enum Open {
    /// No container.
    Root,
    Array(Array),
    Object {
        object: Object,
        /// Where its keys begin in the list of places.
        spans: usize,
        /// Where the value of the last key goes.
        place: usize,
    },
}

/// The place of a value that goes nowhere.
const NOWHERE: usize = usize::MAX;

impl TreeBuilder {
    /// A builder that treats repeated keys as the options say.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            duplicates: options.duplicates,
            open: Open::Root,
            outer: Vec::new(),
            spans: Spans::default(),
            text: String::new(),
            root: None,
            diagnostics: Diagnostics::new(options),
            usual: FIRST,
        }
    }

    /// Adds what the machine makes of a chunk: the same in the end as [`push`](Self::push) of each
    /// [`next`](Machine::next) token, only faster. True: a value is complete, to be
    /// [taken](Self::take) before reading on; false: the machine wants more text, or the value was
    /// complete before.
    ///
    /// In repair mode up to some hundred bytes at the end of the chunk may wait in the machine for
    /// the text after them.
    ///
    /// # Errors
    /// Those of both.
    ///
    /// ```
    /// use toolweir_rjson::{Machine, Options, TreeBuilder};
    ///
    /// let options = Options::default();
    /// let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(&options));
    /// let mut input = "{\"k\":[1,2]} and more";
    /// assert!(tree.read(&mut machine, &mut input)?);
    /// assert_eq!(tree.take().unwrap().to_string(), r#"{"k":[1,2]}"#);
    /// assert_eq!(input, " and more");
    /// # Ok::<(), toolweir_rjson::Error>(())
    /// ```
    pub fn read(&mut self, machine: &mut Machine, input: &mut &str) -> Result<bool, Error> {
        let before = if self.root.is_some() { self.root.take() } else { None };
        loop {
            let waits = machine.fast_path(input, self)?;
            if self.root.is_some() {
                return Ok(true);
            }
            let token = if waits { None } else { machine.next(input)? };
            let Some(token) = token else {
                self.root = before;
                return Ok(false);
            };
            self.push(&token)?;
        }
    }

    /// Adds the next token.
    ///
    /// # Errors
    /// [`DuplicateKey`](crate::ErrorKind::DuplicateKey) under [`Duplicates::Error`], at the later key.
    #[inline]
    pub fn push(&mut self, token: &Token<'_>) -> Result<(), Error> {
        match token.kind {
            Kind::Whitespace | Kind::Comma | Kind::Colon => {}
            Kind::ObjectStart => self.begin(true),
            Kind::ArrayStart => self.begin(false),
            Kind::ObjectEnd | Kind::ArrayEnd => self.end(),
            Kind::Key(key) => return self.key(key, token.span),
            Kind::StringStart => self.text.clear(),
            Kind::StringDelta => unescape_into(&mut self.text, token.wire),
            Kind::StringEnd => {
                let text = core::mem::take(&mut self.text);
                self.add(Value::String(text));
            }
            Kind::Number => {
                if !number::is_exact(token.wire) {
                    self.diagnostic(Code::NumberPrecision, token.span);
                }
                self.number(token.wire);
            }
            Kind::True => self.add(Value::Bool(true)),
            Kind::False => self.add(Value::Bool(false)),
            Kind::Null => self.add(Value::Null),
            Kind::Diagnostic(code) => self.diagnostic(code, token.span),
        }
        Ok(())
    }

    /// The value, once its last token has come; the builder is then ready for another one.
    pub fn take(&mut self) -> Option<Value> {
        self.root.take()
    }

    /// The diagnostics since they were last taken: those among the tokens, repeated keys, and
    /// numbers that no machine type holds.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }

    #[inline]
    pub(crate) fn begin(&mut self, object: bool) {
        let open = if object {
            Open::Object { object: Object::new(), spans: self.spans.len(), place: NOWHERE }
        } else {
            Open::Array(Array::new())
        };
        let outer = core::mem::replace(&mut self.open, open);
        if !matches!(outer, Open::Root) {
            self.outer.push(outer);
        }
    }

    #[inline]
    pub(crate) fn end(&mut self) {
        let outer = self.outer.pop().unwrap_or(Open::Root);
        match &mut self.open {
            Open::Root => {}
            Open::Array(array) => {
                let array = core::mem::take(array);
                self.leave(outer);
                self.add(Value::Array(array));
            }
            Open::Object { object, spans, .. } => {
                let object = core::mem::take(object);
                self.spans.truncate(*spans);
                self.usual = object.len().min(USUAL);
                self.leave(outer);
                self.add(Value::Object(object));
            }
        }
    }

    /// Leaves a container whose content has been taken.
    #[inline]
    fn leave(&mut self, outer: Open) {
        // Empty, so there is nothing to free.
        core::mem::forget(core::mem::replace(&mut self.open, outer));
    }

    #[inline]
    pub(crate) fn key(&mut self, name: &str, span: Span) -> Result<(), Error> {
        let Open::Object { object, place, .. } = &mut self.open else { return Ok(()) };
        if object.is_empty() {
            object.make_room(self.usual);
            // What is inside is mostly smaller, and its end may never come.
            self.usual = (self.usual / 2).max(1);
        } else if let Some(position) = object.position(name) {
            return self.repeated(position, span);
        }
        *place = object.len();
        object.push_name(name);
        self.spans.push(span);
        Ok(())
    }

    #[cold]
    fn repeated(&mut self, position: usize, span: Span) -> Result<(), Error> {
        let Open::Object { spans, place, .. } = &mut self.open else { return Ok(()) };
        *place = if self.duplicates == Duplicates::Last { position } else { NOWHERE };
        let first = self.spans.get(*spans + position);
        self.diagnostics.repeated_key(first, span)
    }

    #[inline]
    pub(crate) fn number(&mut self, wire: &str) {
        if let Some(slot) = self.slot() {
            slot.set_number(wire);
        }
    }

    /// Puts a complete value where it belongs.
    #[inline]
    fn add(&mut self, value: Value) {
        if let Some(slot) = self.slot() {
            slot.set(value);
        }
    }

    /// Where the next value goes, if anywhere. It is made there: a value made elsewhere and moved is
    /// read back before the processor has written it.
    #[inline(always)]
    fn slot(&mut self) -> Option<Slot<'_>> {
        match &mut self.open {
            Open::Root => Some(Slot::new(self.root.insert(Value::Null))),
            Open::Array(array) => array.push_slot(),
            Open::Object { object, place, .. } => object.value_at_mut(*place).map(Slot::new),
        }
    }
}

/// What only the fast path gives.
impl TreeBuilder {
    /// A string: its content, or what has been decoded.
    #[inline]
    pub(crate) fn string(&mut self, content: Option<&str>) {
        let text = match content {
            Some(content) => String::from(content),
            None if self.text.len() < LONG => String::from(self.text.as_str()),
            None => self.long_string(),
        };
        self.add(Value::String(text));
    }

    /// What has been decoded goes out itself, and its room with it.
    #[cold]
    fn long_string(&mut self) -> String {
        let mut text = core::mem::take(&mut self.text);
        text.shrink_to_fit();
        text
    }

    #[cold]
    pub(crate) fn diagnostic(&mut self, code: Code, span: Span) {
        self.diagnostics.push(Diagnostic::new(code, span));
    }

    /// A truth value, or `null`.
    #[inline]
    pub(crate) fn literal(&mut self, literal: Option<bool>) {
        self.add(literal.map_or(Value::Null, Value::Bool));
    }
}

/// Those in place.
const NEAR: usize = 8;
/// Those there is room for at once after them.
const FAR: usize = 16;

/// Where the keys of the open objects stand: the first few in place, so that small calls need no heap for
/// them.
#[derive(Debug, Clone, Default)]
struct Spans {
    near: [Span; NEAR],
    far: Vec<Span>,
    count: usize,
}

impl Spans {
    fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn push(&mut self, span: Span) {
        match self.near.get_mut(self.count) {
            Some(place) => *place = span,
            None => self.push_far(span),
        }
        self.count += 1;
    }

    fn push_far(&mut self, span: Span) {
        if self.far.is_empty() {
            self.far.reserve(FAR);
        }
        self.far.push(span);
    }

    #[inline]
    fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.far.truncate(self.count.saturating_sub(NEAR));
    }

    fn get(&self, place: usize) -> Option<Span> {
        let known = place < self.count;
        let far = || self.far.get(place.checked_sub(NEAR)?);
        self.near.get(place).or_else(far).copied().filter(|_| known)
    }
}

#[cfg(test)]
mod tests;
