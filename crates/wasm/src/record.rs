//! JSON objects, written member by member: what goes back to JavaScript.
//!
//! Keys are ours and in camel case; texts are escaped by the JSON writer of `rjson`.

use toolweir::Span;
use toolweir::rjson::{Mode, Options, parse_with, to_string, write_string};

/// One JSON object.
#[derive(Debug)]
pub(crate) struct Record(String);

impl Record {
    /// An object without members.
    pub(crate) fn new() -> Self {
        Self(String::from("{"))
    }

    /// An object whose first member is its type.
    pub(crate) fn of(kind: &str) -> Self {
        Self::new().text("type", kind)
    }

    /// With a member that holds a text.
    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        write_string(&mut self.0, value);
        self
    }

    /// With a member that holds a text, where there is one.
    pub(crate) fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// With a member that holds a text, unless the text is empty.
    pub(crate) fn filled(self, key: &str, value: &str) -> Self {
        self.maybe(key, (!value.is_empty()).then_some(value))
    }

    /// With a member whose value is JSON text already.
    pub(crate) fn json(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.0.push_str(value);
        self
    }

    /// With a member that is a number.
    pub(crate) fn number(self, key: &str, value: u64) -> Self {
        self.json(key, &value.to_string())
    }

    /// With a member that is true or false.
    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        self.json(key, if value { "true" } else { "false" })
    }

    /// With a span, as `[start,end]`.
    pub(crate) fn span(self, key: &str, span: Span) -> Self {
        self.json(key, &format!("[{},{}]", span.start, span.end))
    }

    /// With an array of JSON texts.
    pub(crate) fn list(self, key: &str, items: impl IntoIterator<Item = String>) -> Self {
        let items = array(items);
        self.json(key, &items)
    }

    /// The object's text.
    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_string(&mut self.0, key);
        self.0.push(':');
    }
}

/// An array of JSON texts.
pub(crate) fn array(items: impl IntoIterator<Item = String>) -> String {
    let mut out = List::new();
    items.into_iter().for_each(|item| out.push(&item));
    out.end()
}

/// An array that grows.
#[derive(Debug)]
pub(crate) struct List(String);

impl List {
    /// An array without entries.
    pub(crate) fn new() -> Self {
        Self(String::from("["))
    }

    /// Adds a JSON text.
    pub(crate) fn push(&mut self, item: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(item);
    }

    /// The array's text.
    pub(crate) fn end(mut self) -> String {
        self.0.push(']');
        self.0
    }
}

/// A JSON string.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

/// An arguments document as strict JSON. One that is not even relaxed JSON (possible under
/// `deltas = source`) comes back as a string that holds it.
pub(crate) fn arguments(document: &str) -> String {
    // The decoder has applied the limits of the request; here they must not be tighter.
    let options = Options::new(Mode::Relaxed)
        .with_max_depth(usize::MAX)
        .with_max_held_bytes(usize::MAX)
        .with_max_keys(usize::MAX);
    match parse_with(document, &options) {
        Ok(parsed) => to_string(&parsed.value),
        Err(_) => string(document),
    }
}
