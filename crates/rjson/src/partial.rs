//! A view of a value that is still coming: a snapshot that grows.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Error, Span};
use crate::escape::unescape_into;
use crate::machine::{Kind, Machine, Token};
use crate::number::Number;
use crate::options::{Duplicates, Options};
use crate::value::{Array, Object, Value};

/// What is certain of a value so far, kept up to date without reading anything twice.
///
/// Open containers and open strings are shown as far as they have come; a number, a literal, a key
/// and half an escape wait until they are whole. What was shown stays: strings grow, members and
/// entries are added. The one exception is a repeated key, whose later value takes the place of the
/// earlier one (see [`Duplicates`]). Without [`finish`](Self::finish) this is *partial* reading: any
/// beginning of a text has a snapshot.
///
/// ```
/// use toolweir_rjson::{Mode, Options, PartialValue};
///
/// let mut partial = PartialValue::new(&Options::new(Mode::Relaxed));
/// partial.push("{\"path\": \"src/l")?;
/// assert_eq!(partial.value().unwrap().to_string(), r#"{"path":"src/l"}"#);
/// partial.push("ib.rs\", \"lines\": [1, 2")?;
/// assert_eq!(partial.value().unwrap().to_string(), r#"{"path":"src/lib.rs","lines":[1]}"#);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PartialValue {
    machine: Machine,
    view: View,
}

#[derive(Debug, Clone)]
struct View {
    duplicates: Duplicates,
    roots: Vec<Value>,
    /// The positions of the open containers, each in the one around it, the root's apart.
    path: Vec<usize>,
    /// Where each key stands, for each open container that is shown.
    keys: Vec<Vec<Span>>,
    /// How many containers are open.
    depth: usize,
    /// A key whose value has not begun.
    key: Option<Key>,
    /// Containers are not shown from this depth on: they belong to a repeated key.
    hidden: Option<usize>,
    hidden_string: bool,
    /// The position added last in the innermost container.
    latest: usize,
    diagnostics: Diagnostics,
}

/// A key whose value has not begun.
#[derive(Debug, Clone)]
struct Key {
    name: String,
    span: Span,
    /// Where its object has it already.
    before: Option<usize>,
}

impl PartialValue {
    /// A view of nothing yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let view = View {
            duplicates: options.duplicates,
            roots: Vec::new(),
            path: Vec::new(),
            keys: Vec::new(),
            depth: 0,
            key: None,
            hidden: None,
            hidden_string: false,
            latest: 0,
            diagnostics: Diagnostics::new(options),
        };
        Self { machine: Machine::new(options.clone()), view }
    }

    /// Reads a chunk.
    ///
    /// # Errors
    /// As [`Machine::next`] and [`Machine::trailing`]; what was shown stays.
    pub fn push(&mut self, chunk: &str) -> Result<(), Error> {
        let mut input = chunk;
        while let Some(token) = self.machine.next(&mut input)? {
            self.view.see(&token)?;
        }
        self.machine.trailing(&mut input)
    }

    /// Ends the input: the value is complete.
    ///
    /// # Errors
    /// As [`Machine::finish`].
    pub fn finish(&mut self) -> Result<(), Error> {
        while let Some(token) = self.machine.finish()? {
            self.view.see(&token)?;
        }
        Ok(())
    }

    /// The value as far as it is certain; of several roots, the first.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.view.roots.first()
    }

    /// All roots so far: repair mode may give several.
    #[must_use]
    pub fn roots(&self) -> &[Value] {
        &self.view.roots
    }

    /// Whether the value is complete.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.machine.is_done()
    }

    /// What is worth knowing so far. A repeated key is announced before its value changes.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.view.diagnostics.list()
    }

    /// The machine that reads.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}

impl View {
    fn see(&mut self, token: &Token<'_>) -> Result<(), Error> {
        match token.kind {
            Kind::Whitespace | Kind::Comma | Kind::Colon => {}
            Kind::Diagnostic(code) => {
                self.diagnostics.push(Diagnostic::new(code, token.span));
            }
            Kind::Key(key) => return self.key(key, token.span),
            Kind::ObjectStart => self.open(Value::Object(Object::new())),
            Kind::ArrayStart => self.open(Value::Array(Array::new())),
            Kind::ObjectEnd | Kind::ArrayEnd => self.close(),
            Kind::StringStart => {
                let shown = self.add(Value::String(String::new()));
                self.hidden_string = shown.is_none();
            }
            Kind::StringDelta if self.hidden_string => {}
            Kind::StringDelta => {
                if let Some(Value::String(text)) = self.last() {
                    unescape_into(text, token.wire);
                }
            }
            Kind::StringEnd => self.hidden_string = false,
            Kind::Number => {
                let number = Number::from_json(token.wire);
                if !number.is_exact() {
                    let note = Diagnostic::new(Code::NumberPrecision, token.span);
                    self.diagnostics.push(note);
                }
                self.add(Value::Number(number));
            }
            Kind::True | Kind::False => {
                self.add(Value::Bool(token.kind == Kind::True));
            }
            Kind::Null => {
                self.add(Value::Null);
            }
        }
        Ok(())
    }

    /// The innermost open container that is shown.
    fn innermost(&mut self) -> Option<&mut Value> {
        let mut value = self.roots.last_mut()?;
        for &position in &self.path {
            value = child(value, position)?;
        }
        Some(value)
    }

    /// The value added last to the innermost container, or the root.
    fn last(&mut self) -> Option<&mut Value> {
        if self.depth == 0 {
            return self.roots.last_mut();
        }
        let position = self.latest;
        child(self.innermost()?, position)
    }

    /// A key; one that is repeated is told of at once, as `parse` does it, and not with its value:
    /// what is repaired between the two has notes of its own.
    fn key(&mut self, name: &str, span: Span) -> Result<(), Error> {
        if self.hidden.is_some() {
            return Ok(());
        }
        let Some(Value::Object(object)) = self.innermost() else { return Ok(()) };
        let before = object.position(name);
        if let Some(position) = before {
            let first = self.keys.last().and_then(|keys| keys.get(position)).copied();
            self.diagnostics.repeated_key(self.duplicates, first, span)?;
        }
        self.key = Some(Key { name: name.to_owned(), span, before });
        Ok(())
    }

    /// Adds a value where it belongs; gives its position unless it is hidden.
    fn add(&mut self, value: Value) -> Option<usize> {
        if self.hidden.is_some() {
            return None;
        }
        if self.depth == 0 {
            self.roots.push(value);
            return Some(0);
        }
        let (key, duplicates) = (self.key.take(), self.duplicates);
        let position = match (self.innermost(), key) {
            (Some(Value::Array(array)), _) => {
                array.push(value);
                Some(array.len() - 1)
            }
            (Some(Value::Object(object)), Some(key)) => match key.before {
                None => {
                    object.push_new(&key.name, value);
                    let last = object.len() - 1;
                    if let Some(keys) = self.keys.last_mut() {
                        keys.push(key.span);
                    }
                    Some(last)
                }
                Some(position) if duplicates == Duplicates::Last => {
                    object.replace_at(position, value);
                    Some(position)
                }
                Some(_) => None,
            },
            _ => None,
        };
        self.latest = position.unwrap_or(self.latest);
        position
    }

    fn open(&mut self, value: Value) {
        let position = self.add(value);
        if position.is_some() {
            self.keys.push(Vec::new());
        }
        match position {
            Some(position) if self.depth > 0 => self.path.push(position),
            Some(_) => {}
            None => self.hidden = self.hidden.or(Some(self.depth)),
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        match self.hidden {
            Some(depth) if depth == self.depth => self.hidden = None,
            Some(_) => {}
            None => {
                self.keys.pop();
                self.path.pop();
            }
        }
    }
}

fn child(value: &mut Value, position: usize) -> Option<&mut Value> {
    match value {
        Value::Array(array) => array.get_mut(position),
        Value::Object(object) => object.value_at_mut(position),
        _ => None,
    }
}
