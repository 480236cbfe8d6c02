//! Values from the tokens of a machine.

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::escape::unescape_into;
use crate::machine::{Kind, Token};
use crate::number::Number;
use crate::options::{Duplicates, Options};
use crate::value::{Array, Object, Value};

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
    open: Vec<Open>,
    text: String,
    root: Option<Value>,
    diagnostics: Vec<Diagnostic>,
}

/// A container whose end has not come.
#[derive(Debug, Clone)]
enum Open {
    Array(Array),
    Object {
        object: Object,
        /// Where the key of each member stands.
        spans: Vec<(u64, u64)>,
        /// The key whose value is due, and what is to become of that value.
        key: String,
        place: Place,
    },
}

/// Where the value of a key goes.
#[derive(Debug, Clone, Copy)]
enum Place {
    New,
    Replace(usize),
    Ignore,
}

impl TreeBuilder {
    /// A builder that treats repeated keys as the options say.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            duplicates: options.duplicates,
            open: Vec::new(),
            text: String::new(),
            root: None,
            diagnostics: Vec::new(),
        }
    }

    /// Adds the next token.
    ///
    /// # Errors
    /// [`DuplicateKey`](ErrorKind::DuplicateKey) under [`Duplicates::Error`], at the later key.
    pub fn push(&mut self, token: &Token<'_>) -> Result<(), Error> {
        match token.kind {
            Kind::Blank | Kind::Comma | Kind::Colon => {}
            Kind::ObjectStart => self.open.push(Open::Object {
                object: Object::new(),
                spans: Vec::new(),
                key: String::new(),
                place: Place::New,
            }),
            Kind::ArrayStart => self.open.push(Open::Array(Array::new())),
            Kind::ObjectEnd | Kind::ArrayEnd => match self.open.pop() {
                Some(Open::Array(array)) => self.add(Value::Array(array)),
                Some(Open::Object { object, .. }) => self.add(Value::Object(object)),
                None => {}
            },
            Kind::Key(key) => return self.key(key, (token.start, token.end)),
            Kind::StringStart => self.text.clear(),
            Kind::StringDelta => unescape_into(&mut self.text, token.wire),
            Kind::StringEnd => {
                let text = core::mem::take(&mut self.text);
                self.add(Value::String(text));
            }
            Kind::Number => {
                let number = Number::from_json(token.wire.to_string());
                if !number.is_exact() {
                    let note = Diagnostic::number_precision(token.start, token.end);
                    self.diagnostics.push(note);
                }
                self.add(Value::Number(number));
            }
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

    fn key(&mut self, name: &str, span: (u64, u64)) -> Result<(), Error> {
        let Some(Open::Object { object, spans, key, place }) = self.open.last_mut() else {
            return Ok(());
        };
        *place = Place::New;
        if let Some(position) = object.position(name) {
            let note = match self.duplicates {
                Duplicates::Last => {
                    *place = Place::Replace(position);
                    Diagnostic::duplicate_replaced(span.0, span.1)
                }
                Duplicates::First => {
                    *place = Place::Ignore;
                    Diagnostic::duplicate_ignored(span.0, span.1)
                }
                Duplicates::Error => return Err(Error::new(ErrorKind::DuplicateKey, span.0)),
            };
            let related = spans.get(position).copied();
            self.diagnostics.push(Diagnostic { related, ..note });
        } else {
            spans.push(span);
            name.clone_into(key);
        }
        Ok(())
    }

    /// Puts a complete value where it belongs.
    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::Array(array)) => array.push(value),
            Some(Open::Object { object, key, place, .. }) => match *place {
                Place::New => object.push_new(core::mem::take(key), value),
                Place::Replace(position) => object.replace_at(position, value),
                Place::Ignore => {}
            },
        }
    }
}
