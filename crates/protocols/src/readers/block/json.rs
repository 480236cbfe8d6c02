//! A JSON call, or a list of them: where it ends, and which calls it holds.
//!
//! The end is found by the machine of `rjson`, so braces in strings mean nothing. While it reads, an
//! outline of the few members that matter is noted, as places in the source; the calls are taken from
//! it at the end. One reader knows the shapes of all profiles; a profile only says what begins a call.
//!
//! ```text
//! root  = call | [ call… ] | { "tool_calls" | "tools": [ call… ] }
//! call  = { "tool": call } | { "function": { "name", ARGS } | NAME, ARGS } | { "name" | "tool": NAME, ARGS }
//! ARGS  = "arguments" | "parameters" | "args": object, or a string that holds one
//! ```

use toolweir_rjson::{Kind, Machine, Mode, Token, Value, parse, to_string};

use crate::engine::Fault;
use crate::limits::Limits;
use crate::meter::Meter;

const LISTS: [&str; 2] = ["tool_calls", "tools"];
const ARGUMENTS: [&str; 3] = ["arguments", "parameters", "args"];

/// One call as it was written.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: Option<String>,
    /// The arguments, as strict JSON.
    pub(super) arguments: String,
    /// They were given, but are no object.
    pub(super) replaced: bool,
}

impl Entry {
    fn empty() -> Self {
        Self { name: None, arguments: "{}".to_owned(), replaced: false }
    }
}

/// A call that is being read.
#[derive(Debug)]
pub(super) struct JsonCall {
    machine: Machine,
    source: String,
    outline: Outline,
    max_bytes: usize,
    too_long: bool,
    parsed: Meter,
}

/// The members that matter, as places in the source.
#[derive(Debug, Default)]
struct Outline {
    /// The offset of the first byte.
    base: u64,
    nodes: Vec<Node>,
    /// The open containers; none where one is not noted.
    open: Vec<Option<usize>>,
    key: Option<&'static str>,
    /// Entries of lists, and how many are noted at most.
    entries: usize,
    max_entries: usize,
}

#[derive(Debug)]
struct Node {
    parent: usize,
    key: Option<&'static str>,
    shape: Shape,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Object,
    Array,
    String,
    Null,
    Other,
}

impl JsonCall {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            machine: Machine::new(limits.json(Mode::Relaxed)),
            source: String::new(),
            outline: Outline { max_entries: limits.max_calls, ..Outline::default() },
            max_bytes: limits.max_call_bytes,
            too_long: false,
            parsed: Meter::default(),
        }
    }

    /// Begins at the offset `at`.
    pub(super) fn begin(&mut self, at: u64) {
        self.machine.reset(at);
        self.outline.base = at;
    }

    /// Reads on; `input` is moved past what is content. Whether the call is whole.
    pub(super) fn read(&mut self, input: &mut &str) -> Result<bool, Fault> {
        let before = *input;
        let result = self.tokens(input);
        let taken = before.len() - input.len();
        self.too_long |= self.source.len() + taken > self.max_bytes;
        if self.too_long {
            self.source = String::new();
        } else {
            self.source.push_str(before.get(..taken).unwrap_or_default());
        }
        result.map(|()| self.machine.is_done()).map_err(|error| Fault::json(&error))
    }

    fn tokens(&mut self, input: &mut &str) -> Result<(), toolweir_rjson::Error> {
        while let Some(token) = self.machine.next(input)? {
            self.outline.note(&token);
        }
        Ok(())
    }

    /// Whether it was not strict JSON.
    pub(super) fn is_mended(&self) -> bool {
        self.machine.deviated()
    }

    /// Whether its list has more entries than a turn may have calls.
    pub(super) fn has_too_many(&self) -> bool {
        self.outline.entries > self.outline.max_entries
    }

    /// The calls it holds, once it is whole.
    pub(super) fn entries(&mut self) -> Vec<Entry> {
        let root = match self.outline.nodes.first() {
            Some(node) if node.shape == Shape::Array => Some(0),
            _ => LISTS
                .iter()
                .filter_map(|key| self.child(0, key))
                .find(|at| self.shape(*at) == Some(Shape::Array)),
        };
        let entries: Vec<usize> = match root {
            Some(list) => {
                let inside = |(at, node): (usize, &Node)| (node.parent == list).then_some(at);
                self.outline.nodes.iter().enumerate().skip(1).filter_map(inside).collect()
            }
            None => vec![0],
        };
        entries.into_iter().map(|at| self.entry(at)).collect()
    }

    fn entry(&mut self, at: usize) -> Entry {
        let is = |at: &usize, shape| self.shape(*at) == Some(shape);
        let tool = self.child(at, "tool");
        let at = tool.filter(|t| is(t, Shape::Object)).unwrap_or(at);
        let function = self.child(at, "function");
        let inner = function.filter(|f| is(f, Shape::Object));
        let names =
            [inner.and_then(|f| self.child(f, "name")), function, self.child(at, "name"), tool];
        let name = names.into_iter().flatten().find(|at| is(at, Shape::String));
        let of = |at: usize| ARGUMENTS.iter().find_map(|key| self.child(at, key));
        let arguments = inner.and_then(of).or_else(|| of(at));
        let name = name.and_then(|at| self.string(at));
        let mut entry = arguments.map_or_else(Entry::empty, |at| self.arguments(at));
        entry.name = name;
        entry
    }

    fn arguments(&mut self, at: usize) -> Entry {
        let text = match self.shape(at) {
            Some(Shape::Null) => return Entry::empty(),
            Some(Shape::String) => self.string(at).unwrap_or_default(),
            Some(Shape::Object) => self.text(at).to_owned(),
            _ => return Entry { replaced: true, ..Entry::empty() },
        };
        if text.trim().is_empty() {
            return Entry::empty();
        }
        self.parsed.add(text.len() as u64);
        match parse(&text, Mode::Relaxed).map(|parsed| parsed.value) {
            Ok(Value::Object(arguments)) => {
                let mended = self.is_mended() || self.shape(at) == Some(Shape::String);
                let strict = !mended || parse(&text, Mode::Strict).is_ok();
                let written = || to_string(&Value::Object(arguments));
                Entry { arguments: if strict { text } else { written() }, ..Entry::empty() }
            }
            _ => Entry { replaced: true, ..Entry::empty() },
        }
    }

    /// The last member of that key.
    fn child(&self, at: usize, key: &str) -> Option<usize> {
        let fits = |node: &Node| node.parent == at && node.key == Some(key);
        let found = self.outline.nodes.iter().enumerate().skip(at + 1);
        // Members stand behind their object and before whatever follows it.
        let end = self.outline.nodes.get(at)?.end;
        found.take_while(|(_, node)| node.start < end).filter(|(_, n)| fits(n)).last().map(|f| f.0)
    }

    fn shape(&self, at: usize) -> Option<Shape> {
        self.outline.nodes.get(at).map(|node| node.shape)
    }

    fn text(&self, at: usize) -> &str {
        self.outline.nodes.get(at).and_then(|n| self.source.get(n.start..n.end)).unwrap_or_default()
    }

    fn string(&self, at: usize) -> Option<String> {
        match parse(self.text(at), Mode::Relaxed).ok()?.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.machine.examined() + self.parsed.bytes()
    }
}

impl Outline {
    fn note(&mut self, token: &Token<'_>) {
        let base = self.base;
        let place = |offset: u64| usize::try_from(offset - base).unwrap_or(usize::MAX);
        let shape = match token.kind {
            Kind::Key(name) => {
                let known = LISTS.iter().chain(&ARGUMENTS).chain(&["tool", "function", "name"]);
                self.key = known.copied().find(|known| *known == name);
                return;
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                let closed = self.open.pop().flatten();
                if let Some(node) = closed.and_then(|at| self.nodes.get_mut(at)) {
                    node.end = place(token.span.end);
                }
                return;
            }
            Kind::StringEnd => {
                let last = self.nodes.last_mut();
                if let Some(node) = last.filter(|n| n.shape == Shape::String && n.end == 0) {
                    node.end = place(token.span.end);
                }
                return;
            }
            Kind::ObjectStart => Shape::Object,
            Kind::ArrayStart => Shape::Array,
            Kind::StringStart => Shape::String,
            Kind::Null => Shape::Null,
            Kind::Number | Kind::True | Kind::False => Shape::Other,
            _ => return,
        };
        let whole = matches!(shape, Shape::Null | Shape::Other);
        self.value(shape, place(token.span.start), if whole { place(token.span.end) } else { 0 });
    }

    fn value(&mut self, shape: Shape, start: usize, end: usize) {
        let key = self.key.take();
        let parent = self.open.last().copied().flatten();
        let wanted = match parent.and_then(|at| self.nodes.get(at)) {
            None => self.nodes.is_empty(),
            // Arguments are a place, not an outline.
            Some(parent) if parent.key.is_some_and(|key| ARGUMENTS.contains(&key)) => false,
            Some(parent) if parent.shape == Shape::Array => {
                let is_entry = shape == Shape::Object;
                self.entries += usize::from(is_entry);
                is_entry && self.entries <= self.max_entries
            }
            Some(_) => key.is_some(),
        };
        if matches!(shape, Shape::Object | Shape::Array) {
            self.open.push(wanted.then_some(self.nodes.len()));
        }
        if wanted {
            let parent = parent.unwrap_or(usize::MAX);
            self.nodes.push(Node { parent, key, shape, start, end });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str) -> Vec<String> {
        let mut call = JsonCall::new(&Limits::default());
        call.begin(7);
        let mut input = text;
        assert_eq!(call.read(&mut input), Ok(true), "{text}");
        assert_eq!(input, "");
        let shown = |entry: Entry| {
            let arguments = parse(&entry.arguments, Mode::Strict).unwrap().value;
            format!("{} {arguments}", entry.name.unwrap_or_default())
        };
        call.entries().into_iter().map(shown).collect()
    }

    #[test]
    fn every_shape_is_read() {
        for text in [
            r#"{"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
            r#"{"tools":[{"name":"f","arguments":{"a":1}}]}"#,
            r#"{"tool":{"function":{"name":"f","arguments":{"a":1}}}}"#,
            r#"{"tool":{"function":"f","parameters":{"a":1}}}"#,
            r#"{"function":{"name":"f"},"arguments":{"a":1}}"#,
            r#"[{"function":"f","arguments":{"a":1}}]"#,
            r#"{"args":{"a":1},"name":"f"}"#,
            r#"{"tool":"f","args":{"a":1}}"#,
            r#"{"name":"g","name":"f","args":{"name":"x"},"args":{"a":1}}"#,
        ] {
            assert_eq!(calls(text), [r#"f {"a":1}"#], "{text}");
        }
    }

    #[test]
    fn every_entry_of_a_list_is_a_call() {
        let text = r#"[{"name":"f","args":{}}, 7, {"name":"g"}, {"args":{"name":"no"}}]"#;
        assert_eq!(calls(text), ["f {}", "g {}", " {\"name\":\"no\"}"]);
    }

    #[test]
    fn arguments_that_are_no_object_are_empty() {
        for text in ["null", "\"\"", "[1]", "7", "\"no\""] {
            assert_eq!(calls(&format!("{{\"name\":\"f\",\"args\":{text}}}")), ["f {}"], "{text}");
        }
    }
}
