//! Views of a value that is still coming: a snapshot that grows, and a pointer that is watched.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::escape::{unescape, unescape_into};
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
    /// How many containers are open.
    depth: usize,
    /// A key whose value has not begun.
    key: Option<(String, (u64, u64))>,
    /// Containers are not shown from this depth on: they belong to a repeated key.
    hidden: Option<usize>,
    hidden_string: bool,
    /// The position added last in the innermost container.
    latest: usize,
    diagnostics: Vec<Diagnostic>,
}

impl PartialValue {
    /// A view of nothing yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let view = View {
            duplicates: options.duplicates,
            roots: Vec::new(),
            path: Vec::new(),
            depth: 0,
            key: None,
            hidden: None,
            hidden_string: false,
            latest: 0,
            diagnostics: Vec::new(),
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
        &self.view.diagnostics
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
            Kind::Blank | Kind::Comma | Kind::Colon => {}
            Kind::Note(note) => self.diagnostics.push(note),
            Kind::Key(key) => self.key = Some((key.to_owned(), (token.start, token.end))),
            Kind::ObjectStart => return self.open(Value::Object(Object::new())),
            Kind::ArrayStart => return self.open(Value::Array(Array::new())),
            Kind::ObjectEnd | Kind::ArrayEnd => self.close(),
            Kind::StringStart => {
                let shown = self.add(Value::String(String::new()))?;
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
                let number = Number::from_json(token.wire.to_string());
                if !number.is_exact() {
                    let note = Diagnostic::number_precision(token.start, token.end);
                    self.diagnostics.push(note);
                }
                self.add(Value::Number(number))?;
            }
            Kind::True | Kind::False => {
                self.add(Value::Bool(token.kind == Kind::True))?;
            }
            Kind::Null => {
                self.add(Value::Null)?;
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

    /// Adds a value where it belongs; gives its position unless it is hidden.
    fn add(&mut self, value: Value) -> Result<Option<usize>, Error> {
        if self.hidden.is_some() {
            return Ok(None);
        }
        if self.depth == 0 {
            self.roots.push(value);
            return Ok(Some(0));
        }
        let key = self.key.take();
        let duplicates = self.duplicates;
        let mut note = None;
        let position = match (self.innermost(), key) {
            (Some(Value::Array(array)), _) => {
                array.push(value);
                Some(array.len() - 1)
            }
            (Some(Value::Object(object)), Some((key, span))) => match object.position(&key) {
                None => {
                    object.push_new(key, value);
                    Some(object.len() - 1)
                }
                Some(position) => match duplicates {
                    Duplicates::Last => {
                        note = Some(Diagnostic::duplicate_replaced(span.0, span.1));
                        object.replace_at(position, value);
                        Some(position)
                    }
                    Duplicates::First => {
                        note = Some(Diagnostic::duplicate_ignored(span.0, span.1));
                        None
                    }
                    Duplicates::Error => {
                        return Err(Error::new(ErrorKind::DuplicateKey, span.0));
                    }
                },
            },
            _ => None,
        };
        self.diagnostics.extend(note);
        self.latest = position.unwrap_or(self.latest);
        Ok(position)
    }

    fn open(&mut self, value: Value) -> Result<(), Error> {
        let position = self.add(value)?;
        match position {
            Some(position) if self.depth > 0 => self.path.push(position),
            Some(_) => {}
            None => self.hidden = self.hidden.or(Some(self.depth)),
        }
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        match self.hidden {
            Some(depth) if depth == self.depth => self.hidden = None,
            Some(_) => {}
            None => {
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

/// Follows one place of a value through its tokens.
///
/// ```
/// use toolweir_rjson::{Machine, Mode, Options, Watch};
///
/// let mut machine = Machine::new(Options::new(Mode::Relaxed));
/// let mut content = Watch::new("/file/content").unwrap();
/// let mut shown = String::new();
/// for mut input in ["{\"file\": {\"content\": \"fn ma", "in() {}\\n\", \"mode\": \"w\"}}"] {
///     while let Some(token) = machine.next(&mut input)? {
///         if let Some(text) = content.text(&token) {
///             shown.push_str(&text);
///         }
///     }
/// }
/// assert_eq!(shown, "fn main() {}\n");
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Watch {
    segments: Vec<String>,
    /// Open containers.
    depth: usize,
    /// How many of them lie on the way to the place, from the root.
    matched: usize,
    /// How many values have begun in each of those; none for an object.
    index: Vec<Option<usize>>,
    /// The key that came last, if it is the one on the way.
    key_fits: bool,
    /// The depth at which the place's own value began.
    inside: Option<usize>,
}

impl Watch {
    /// A watch of a JSON Pointer (RFC 6901), such as `/a/0`; the empty one is the whole value. None
    /// where the text is no pointer.
    #[must_use]
    pub fn new(pointer: &str) -> Option<Self> {
        let segments = match pointer {
            "" => Vec::new(),
            _ => {
                let unescape = |part: &str| part.replace("~1", "/").replace("~0", "~");
                pointer.strip_prefix('/')?.split('/').map(unescape).collect()
            }
        };
        Some(Self {
            segments,
            depth: 0,
            matched: 0,
            index: Vec::new(),
            key_fits: false,
            inside: None,
        })
    }

    /// Whether the token is part of the value at the place. Every token must be shown, in order. Of a
    /// key given twice, each value is one.
    pub fn covers(&mut self, token: &Token<'_>) -> bool {
        let inside = self.inside.is_some();
        match token.kind {
            Kind::Key(key) => {
                let on_way = self.depth == self.matched;
                let wanted = self.matched.checked_sub(1).and_then(|at| self.segments.get(at));
                self.key_fits = on_way && wanted.is_some_and(|segment| segment == key);
                inside
            }
            Kind::ObjectStart | Kind::ArrayStart => {
                let fits = self.begins();
                if fits == Some(true) {
                    self.inside = Some(self.depth);
                } else if fits == Some(false) {
                    self.matched += 1;
                    self.index.push((token.kind == Kind::ArrayStart).then_some(0));
                }
                self.key_fits = false;
                self.depth += 1;
                inside || fits == Some(true)
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth = self.depth.saturating_sub(1);
                if self.inside == Some(self.depth) {
                    self.inside = None;
                } else if self.depth < self.matched {
                    self.matched = self.depth;
                    self.index.pop();
                }
                inside
            }
            Kind::StringStart => {
                let fits = self.begins() == Some(true);
                if fits {
                    self.inside = Some(self.depth);
                }
                inside || fits
            }
            Kind::StringEnd => {
                if self.inside == Some(self.depth) {
                    self.inside = None;
                }
                inside
            }
            Kind::Number | Kind::True | Kind::False | Kind::Null => {
                let fits = self.begins() == Some(true);
                inside || fits
            }
            _ => inside,
        }
    }

    /// The token's share of the value at the place: decoded text of a string value, the wire text of
    /// anything else. None for other tokens and where nothing is added.
    pub fn text<'t>(&mut self, token: &Token<'t>) -> Option<Cow<'t, str>> {
        let string = self.inside.is_some_and(|depth| depth == self.depth);
        if !self.covers(token) {
            return None;
        }
        match token.kind {
            Kind::StringDelta if string => Some(unescape(token.wire)),
            Kind::StringStart | Kind::StringEnd if string || self.inside == Some(self.depth) => {
                None
            }
            _ if token.wire.is_empty() => None,
            _ => Some(Cow::Borrowed(token.wire)),
        }
    }

    /// A value begins: whether it is the one at the place, or only on the way; none if neither.
    fn begins(&mut self) -> Option<bool> {
        if self.inside.is_some() || self.depth != self.matched {
            return None;
        }
        if self.depth > 0 {
            let index = self.index.last_mut()?;
            let place = *index;
            *index = place.map(|place| place + 1);
            let wanted = self.segments.get(self.matched - 1)?;
            let fits = self.key_fits || place.is_some_and(|place| is_index(wanted, place));
            self.key_fits = false;
            if !fits {
                return None;
            }
        }
        Some(self.matched == self.segments.len())
    }
}

/// Whether a segment names this position of an array.
fn is_index(segment: &str, place: usize) -> bool {
    (segment == "0" || !segment.starts_with('0')) && segment.parse() == Ok(place)
}
