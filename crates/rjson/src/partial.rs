//! What can be shown of a value while it comes: all of it as a snapshot that grows, one place, or string members of
//! the root.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use alloc::vec::Vec;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Error, Span};
use crate::escape::{unescape, unescape_into};
use crate::machine::{Kind, Machine, Token};
use crate::number::Number;
use crate::options::{Duplicates, Options};
use crate::value::index::pointer;
use crate::value::{Array, Object, Value};

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
    /// How many values have begun in the innermost of those, if it is an array that still may hold the place.
    index: Option<usize>,
    /// The key that came last, if it is the one on the way.
    key_fits: bool,
    /// The depth at which the place's own value began.
    inside: Option<usize>,
}

impl Watch {
    /// A watch of a JSON Pointer (RFC 6901), such as `/a/0`; the empty one is the whole value. None
    /// where the text is no pointer.
    #[must_use]
    pub fn new(path: &str) -> Option<Self> {
        let segments = pointer::tokens(path)?.map(Cow::into_owned).collect();
        Some(Self { segments, depth: 0, matched: 0, index: None, key_fits: false, inside: None })
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
            Kind::ObjectStart => self.opens(None) || inside,
            Kind::ArrayStart => self.opens(Some(0)) || inside,
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth = self.depth.saturating_sub(1);
                if self.inside == Some(self.depth) {
                    self.inside = None;
                } else if self.depth < self.matched {
                    self.matched = self.depth;
                    self.index = None;
                }
                inside
            }
            Kind::StringStart | Kind::Number | Kind::True | Kind::False | Kind::Null => {
                let fits = self.begins() == Some(true);
                if fits && token.kind == Kind::StringStart {
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

    /// A container opens, with the position of its first entry; whether it is the one at the place.
    fn opens(&mut self, first: Option<usize>) -> bool {
        let fits = self.begins();
        if fits == Some(true) {
            self.inside = Some(self.depth);
        } else if fits == Some(false) {
            self.matched += 1;
            self.index = first;
        }
        self.key_fits = false;
        self.depth += 1;
        fits == Some(true)
    }

    /// A value begins: whether it is the one at the place, or only on the way; none if neither.
    fn begins(&mut self) -> Option<bool> {
        if self.inside.is_some() || self.depth != self.matched {
            return None;
        }
        if self.depth > 0 {
            let place = self.index;
            self.index = place.map(|place| place + 1);
            let wanted = self.segments.get(self.matched - 1)?;
            let fits =
                self.key_fits || place.is_some_and(|place| pointer::place(wanted) == Some(place));
            self.key_fits = false;
            if !fits {
                return None;
            }
        }
        Some(self.matched == self.segments.len())
    }
}

/// Follows string members of the object at the root, by key.
///
/// Only members of the root count, only strings, and every escape is decoded, surrogates in two pieces
/// too. Of a key given twice, each string is one.
///
/// ```
/// use toolweir_rjson::{FieldPiece, Machine, Options, StringFields};
///
/// let mut fields = StringFields::new(&["content"], &["path"]);
/// let mut machine = Machine::new(Options::default());
/// let (mut content, mut path) = (String::new(), String::new());
/// for mut input in ["{\"path\": \"a.txt\", \"con", "tent\": \"one\\n", "two\"}"] {
///     while let Some(token) = machine.next(&mut input)? {
///         fields.token(&token, &mut |piece| match piece {
///             FieldPiece::Delta { text, .. } => content.push_str(&text),
///             FieldPiece::Whole { text, .. } => path.push_str(text),
///         });
///     }
/// }
/// assert_eq!((content.as_str(), path.as_str()), ("one\ntwo", "a.txt"));
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct StringFields {
    fields: Vec<Field>,
    /// Containers that are open.
    depth: usize,
    /// The member whose key came last in the root.
    last: Option<usize>,
    /// What came of its string, where it is wanted whole.
    text: String,
}

/// What a token adds to a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPiece<'a> {
    /// More of a member that streams.
    Delta {
        /// The key.
        key: &'a str,
        /// The further text, decoded.
        text: Cow<'a, str>,
    },
    /// A member that was asked for whole.
    Whole {
        /// The key.
        key: &'a str,
        /// Its text, decoded.
        text: &'a str,
    },
}

#[derive(Debug, Clone)]
struct Field {
    key: String,
    streams: bool,
    whole: bool,
}

impl StringFields {
    /// Members that stream, and members that are wanted whole; a key may be in both.
    #[must_use]
    pub fn new(stream: &[&str], whole: &[&str]) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        for key in stream.iter().chain(whole) {
            if !fields.iter().any(|field| field.key == **key) {
                let (streams, whole) = (stream.contains(key), whole.contains(key));
                fields.push(Field { key: (*key).into(), streams, whole });
            }
        }
        Self { fields, depth: 0, last: None, text: String::new() }
    }

    /// Takes the next token; every token must be shown, in order.
    pub fn token(&mut self, token: &Token<'_>, emit: &mut dyn FnMut(FieldPiece<'_>)) {
        match token.kind {
            Kind::ObjectStart | Kind::ArrayStart => self.depth += 1,
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth = self.depth.saturating_sub(1);
                self.last = self.last.filter(|_| self.depth > 0);
            }
            Kind::Key(key) if self.depth == 1 => {
                self.last = self.fields.iter().position(|field| field.key == key);
            }
            Kind::StringStart => self.text.clear(),
            Kind::StringDelta | Kind::StringEnd if self.depth == 1 => {
                if let Some(field) = self.last.and_then(|last| self.fields.get(last)) {
                    field.string(token, &mut self.text, emit);
                }
            }
            _ => {}
        }
    }
}

impl Field {
    /// More of the member, or its end; `whole` is what came of it.
    fn string(&self, token: &Token<'_>, whole: &mut String, emit: &mut dyn FnMut(FieldPiece<'_>)) {
        let key = &self.key;
        if token.kind == Kind::StringEnd {
            if self.whole {
                emit(FieldPiece::Whole { key, text: whole });
            }
            return;
        }
        if self.streams {
            emit(FieldPiece::Delta { key, text: unescape(token.wire) });
        }
        if self.whole {
            unescape_into(whole, token.wire);
        }
    }
}

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

#[derive(Debug, Clone, Default)]
struct View {
    duplicates: Duplicates,
    roots: Vec<Value>,
    /// The positions of the open containers and the open string, each in the one around it, the root's apart.
    path: Vec<usize>,
    /// Where each key stands, for each of those that is shown.
    keys: Vec<Vec<Span>>,
    /// How many containers and strings are open.
    depth: usize,
    /// A key whose value has not begun.
    key: Option<Key>,
    /// What opens is not shown from this depth on: it belongs to a repeated key.
    hidden: Option<usize>,
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
        let (duplicates, diagnostics) = (options.duplicates, Diagnostics::new(options));
        let view = View { duplicates, diagnostics, ..View::default() };
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
            Kind::Diagnostic(code) => self.diagnostics.push(Diagnostic::new(code, token.span)),
            Kind::Key(key) => return self.key(key, token.span),
            Kind::ObjectStart => self.open(Value::Object(Object::new())),
            Kind::ArrayStart => self.open(Value::Array(Array::new())),
            Kind::StringStart => self.open(Value::String(String::new())),
            Kind::ObjectEnd | Kind::ArrayEnd | Kind::StringEnd => self.close(),
            Kind::StringDelta if self.hidden.is_some() => {}
            Kind::StringDelta => {
                if let Some(Value::String(text)) = self.innermost() {
                    unescape_into(text, token.wire);
                }
            }
            Kind::Number => {
                let number = Number::from_json(token.wire);
                if !number.is_exact() {
                    let note = Diagnostic::new(Code::NumberPrecision, token.span);
                    self.diagnostics.push(note);
                }
                self.add(Value::Number(number));
            }
            Kind::True => _ = self.add(Value::Bool(true)),
            Kind::False => _ = self.add(Value::Bool(false)),
            Kind::Null => _ = self.add(Value::Null),
        }
        Ok(())
    }

    /// The innermost open value that is shown.
    fn innermost(&mut self) -> Option<&mut Value> {
        self.path.iter().try_fold(self.roots.last_mut()?, |value, &position| match value {
            Value::Array(array) => array.get_mut(position),
            Value::Object(object) => object.value_at_mut(position),
            _ => None,
        })
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
            self.diagnostics.repeated_key(first, span)?;
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
        match (self.innermost()?, key) {
            (Value::Array(array), _) => {
                array.push(value);
                Some(array.len() - 1)
            }
            (Value::Object(object), Some(Key { name, span, before: None })) => {
                object.push_new(&name, value);
                let last = object.len() - 1;
                self.keys.last_mut()?.push(span);
                Some(last)
            }
            (Value::Object(object), Some(Key { before: Some(position), .. })) => {
                let replaced = object.value_at_mut(position);
                *replaced.filter(|_| duplicates == Duplicates::Last)? = value;
                Some(position)
            }
            _ => None,
        }
    }

    /// Adds a container or a string that grows.
    fn open(&mut self, value: Value) {
        match self.add(value) {
            Some(position) => {
                self.keys.push(Vec::new());
                self.path.extend((self.depth > 0).then_some(position));
            }
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

#[cfg(test)]
mod fields_tests {
    use super::*;
    use crate::machine::Machine;
    use crate::options::Options;
    use alloc::format;

    /// Streamed text and whole members, `;` after each.
    fn run(chunks: &[&str]) -> (String, String) {
        let mut fields = StringFields::new(&["content"], &["path", "content"]);
        let mut machine = Machine::new(Options::default());
        let (mut deltas, mut whole) = (String::new(), String::new());
        for chunk in chunks {
            let mut input = *chunk;
            while let Ok(Some(token)) = machine.next(&mut input) {
                fields.token(&token, &mut |piece| match piece {
                    FieldPiece::Delta { text, .. } => deltas.push_str(&text),
                    FieldPiece::Whole { key, text } => whole.push_str(&format!("{key}={text};")),
                });
            }
        }
        (deltas, whole)
    }

    #[test]
    fn only_strings_of_the_root_count() {
        let text = r#"{"meta":{"content":"in"},"path":["a"],"content":"out","path":"b"}"#;
        assert_eq!(run(&[text]), ("out".into(), "content=out;path=b;".into()));
        assert_eq!(
            run(&[r#"{"path":{"path":"x","content":"y"}}"#]),
            (String::new(), String::new())
        );
        let text = r#"{"path":"\"content\":\"no\"","content":""}"#;
        assert_eq!(run(&[text]), (String::new(), "path=\"content\":\"no\";content=;".into()));
    }

    #[test]
    fn escapes_may_be_cut_anywhere() {
        let text = "{\"content\":\"\\b\\f\\/\\u00e9\\ud83d\\ude80\\\\\"}";
        for cut in 0..text.len() {
            let (head, tail) = text.split_at(cut);
            assert_eq!(run(&[head, tail]).0, "\u{8}\u{c}/é🚀\\", "{cut}");
        }
    }
}
