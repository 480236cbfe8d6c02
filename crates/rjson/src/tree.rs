//! Values from the tokens of a machine.
//!
//! A member's key goes into its object at once, with `null` beside it until the value comes. The
//! places of keys, which only the note of a repeated one needs, are one list for all open objects.

mod spans;

use alloc::string::String;
use alloc::vec::Vec;

use self::spans::Spans;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::escape::unescape_into;
use crate::machine::{Kind, Machine, Token, Whole};
use crate::number::Number;
use crate::options::{Duplicates, Options};
use crate::value::{Array, Object, Value};

/// The most members that an object gets room for before they come.
const USUAL: usize = 16;

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
    text: String,
    root: Option<Value>,
    diagnostics: Vec<Diagnostic>,
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
        place: Place,
    },
}

/// Where the value of a key goes.
#[derive(Debug, Clone, Copy)]
enum Place {
    Last,
    At(usize),
    Nowhere,
}

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
            diagnostics: Vec::new(),
            usual: 0,
        }
    }

    /// Adds what the machine makes of a chunk: the same in the end as [`push`](Self::push) of each
    /// [`next`](Machine::next) token, only faster. True: a value is complete, to be
    /// [taken](Self::take) before reading on; false: the machine wants more text, or the value was
    /// complete before.
    ///
    /// In repair mode up to some hundred bytes at the end of the chunk may wait in the machine for
    /// the text behind them.
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
        let before = self.root.take();
        loop {
            let waits = machine.burst(input, self)?;
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
    /// [`DuplicateKey`](ErrorKind::DuplicateKey) under [`Duplicates::Error`], at the later key.
    #[inline]
    pub fn push(&mut self, token: &Token<'_>) -> Result<(), Error> {
        match token.kind {
            Kind::Blank | Kind::Comma | Kind::Colon => {}
            Kind::ObjectStart => self.begin(true),
            Kind::ArrayStart => self.begin(false),
            Kind::ObjectEnd | Kind::ArrayEnd => self.end(),
            Kind::Key(key) => return self.key(key, (token.start, token.end)),
            Kind::StringStart => self.text.clear(),
            Kind::StringDelta => unescape_into(&mut self.text, token.wire),
            Kind::StringEnd => {
                let text = core::mem::take(&mut self.text);
                self.add(Value::String(text));
            }
            Kind::Number => self.number(token.wire, (token.start, token.end)),
            Kind::True => self.add(Value::Bool(true)),
            Kind::False => self.add(Value::Bool(false)),
            Kind::Null => self.add(Value::Null),
            Kind::Note(note) => self.diagnostics.push(note),
        }
        Ok(())
    }

    /// The value, once its last token has come; the builder is then ready for another one.
    pub fn take(&mut self) -> Option<Value> {
        self.root.take()
    }

    /// The diagnostics since they were last taken: the notes among the tokens, repeated keys, and
    /// numbers that no machine type holds.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        core::mem::take(&mut self.diagnostics)
    }

    #[inline]
    fn begin(&mut self, object: bool) {
        let open = if object {
            Open::Object { object: Object::new(), spans: self.spans.len(), place: Place::Nowhere }
        } else {
            Open::Array(Array::new())
        };
        let outer = core::mem::replace(&mut self.open, open);
        if !matches!(outer, Open::Root) {
            self.outer.push(outer);
        }
    }

    #[inline]
    fn end(&mut self) {
        let outer = self.outer.pop().unwrap_or(Open::Root);
        match core::mem::replace(&mut self.open, outer) {
            Open::Root => {}
            Open::Array(array) => self.add(Value::Array(array)),
            Open::Object { object, spans, .. } => {
                self.spans.truncate(spans);
                self.usual = object.len().min(USUAL);
                self.add(Value::Object(object));
            }
        }
    }

    #[inline]
    fn key(&mut self, name: &str, span: (u64, u64)) -> Result<(), Error> {
        let Open::Object { object, place, .. } = &mut self.open else { return Ok(()) };
        if let Some(position) = object.position(name) {
            return self.repeated(position, span);
        }
        if object.is_empty() {
            object.reserve(self.usual);
        }
        object.push_new(String::from(name), Value::Null);
        *place = Place::Last;
        self.spans.push(span);
        Ok(())
    }

    #[cold]
    fn repeated(&mut self, position: usize, span: (u64, u64)) -> Result<(), Error> {
        let Open::Object { spans, place, .. } = &mut self.open else { return Ok(()) };
        let note = match self.duplicates {
            Duplicates::Last => {
                *place = Place::At(position);
                Diagnostic::duplicate_replaced(span.0, span.1)
            }
            Duplicates::First => {
                *place = Place::Nowhere;
                Diagnostic::duplicate_ignored(span.0, span.1)
            }
            Duplicates::Error => return Err(Error::new(ErrorKind::DuplicateKey, span.0)),
        };
        let related = self.spans.get(*spans + position);
        self.diagnostics.push(Diagnostic { related, ..note });
        Ok(())
    }

    #[inline]
    fn number(&mut self, wire: &str, span: (u64, u64)) {
        let number = Number::from_json(wire);
        if !number.is_exact() {
            self.diagnostics.push(Diagnostic::number_precision(span.0, span.1));
        }
        self.add(Value::Number(number));
    }

    /// Puts a complete value where it belongs.
    #[inline]
    fn add(&mut self, value: Value) {
        match &mut self.open {
            Open::Root => self.root = Some(value),
            Open::Array(array) => array.push(value),
            Open::Object { object, place, .. } => match *place {
                Place::Last => object.replace_last(value),
                Place::At(position) => object.replace_at(position, value),
                Place::Nowhere => {}
            },
        }
    }
}

impl Whole for TreeBuilder {
    #[inline]
    fn begin(&mut self, object: bool) {
        self.begin(object);
    }

    #[inline]
    fn end(&mut self) {
        self.end();
    }

    #[inline]
    fn key(&mut self, name: &str, span: (u64, u64)) -> Result<(), Error> {
        self.key(name, span)
    }

    #[inline]
    fn string(&mut self, content: &str, escaped: bool) {
        let text = if escaped {
            let mut text = String::with_capacity(content.len());
            unescape_into(&mut text, content);
            text
        } else {
            String::from(content)
        };
        self.add(Value::String(text));
    }

    #[inline]
    fn number(&mut self, wire: &str, span: (u64, u64)) {
        self.number(wire, span);
    }

    fn note(&mut self, note: Diagnostic) {
        self.diagnostics.push(note);
    }

    #[inline]
    fn literal(&mut self, literal: Option<bool>) {
        self.add(literal.map_or(Value::Null, Value::Bool));
    }
}

#[cfg(test)]
mod tests;
