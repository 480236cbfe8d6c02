//! Reads a YAML mapping as the text of a JSON object, typed by the tool's schema.
//!
//! The scanner is saphyr-parser's, whose scalars are source text: a plain scalar is what the schema
//! makes of its text, so `0123` for a string stays `0123`, and it is a null only where one is
//! allowed. A quoted or block scalar is a string. `body` says what is read when; it hands the scanner
//! parts of the body that mean the same without the rest. Nothing recurses; aliases are copied within the
//! limit of what may be held, so that they cannot multiply without end.

mod block;
mod body;
mod elements;
mod end;
mod escape;
mod keyed;
mod source;

use std::collections::HashSet;
use std::ops::Range;

use litemap::LiteMap;
use saphyr_parser::{Event, Parser, ScalarStyle};
use toolweir_rjson::{Mode, Value, parse as parse_json, write_string};
use toolweir_schema_coerce::{Node, NodeId, Schema, TextStyle};

pub(super) use self::body::Body;
use self::source::Source;
use super::declares;
use super::typed::without_stray_signs;
use crate::diagnostics::{AMBIGUOUS_CALL, LIMIT_DEPTH, LIMIT_HELD, UNREADABLE_CALL};
use crate::engine::{Ctx, Fault, Result, shown};

const WHITESPACE: [char; 2] = [' ', '\t'];

/// What a body is read for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a, 'c> {
    pub(super) schema: &'a Schema,
    pub(super) ctx: &'a Ctx<'c>,
}

/// Arguments as a JSON object.
struct Arguments {
    json: String,
    /// Keys whose values are no YAML and were taken as they stand.
    raw: Vec<String>,
    /// Backslashes that begin no escape were kept.
    kept: bool,
}

impl Arguments {
    const fn of(json: String) -> Self {
        Self { json, raw: Vec::new(), kept: false }
    }
}

/// A body that is no YAML, read as what else it may be; `given`: keys of what stands before it.
fn salvage(text: &str, given: &[String], scope: Scope<'_, '_>) -> Option<Result<Arguments>> {
    if let Some(read) = kept(text, scope) {
        return Some(read.map(|json| Arguments { kept: true, ..Arguments::of(json) }));
    }
    let elements = elements::read(text, scope).map(|read| read.map(Arguments::of));
    elements.or_else(|| keyed::read(text, given, scope))
}

/// What is YAML once its backslashes are kept.
fn kept(text: &str, scope: Scope<'_, '_>) -> Option<Result<String>> {
    let text = escape::keep_backslashes(text)?;
    match Builder::new(scope).read(&text) {
        Ok(json) => Some(Ok(json)),
        Err(Trouble::Fault(fault)) => Some(Err(fault)),
        Err(Trouble::Unreadable(_)) => None,
    }
}

fn no_mapping(why: &str) -> Fault {
    Fault::new(UNREADABLE_CALL, format!("the body of the call is no YAML mapping: {why}"))
}

/// Lines without the indent that all of them share.
fn dedented(body: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(WHITESPACE).len();
    let lines = body.split_inclusive('\n');
    let filled = lines.clone().filter(|line| !line.trim().is_empty());
    let mut common: Option<&str> = None;
    for line in filled {
        let own = line.get(..indent(line)).unwrap_or_default();
        let shared = common.unwrap_or(own);
        let same = shared.bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
        common = shared.get(..same);
    }
    let common = common.unwrap_or_default();
    let inner = |line: &'_ str| {
        line.strip_prefix(common).unwrap_or(line.trim_start_matches(WHITESPACE)).to_owned()
    };
    lines.map(inner).collect()
}

/// Whether a value that is no YAML may be taken as text.
fn takes_text(node: Node<'_>) -> bool {
    node.is_untyped() || node.allows_string()
}

/// Why a body is not read as YAML.
enum Trouble {
    Unreadable(String),
    Fault(Fault),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn unreadable(why: &str) -> Trouble {
    Trouble::Unreadable(why.to_owned())
}

/// An open mapping or sequence.
struct Level {
    node: Option<NodeId>,
    /// Of a sequence: the entries so far.
    entries: Option<usize>,
    /// Of a mapping: the schema of the value that is due, once its key is written.
    value: Option<Option<NodeId>>,
    any: bool,
    anchor: usize,
    start: usize,
}

struct Builder<'a, 'c> {
    schema: &'a Schema,
    ctx: &'a Ctx<'c>,
    out: String,
    stack: Vec<Level>,
    /// What anchors name, as ranges of the text.
    anchors: LiteMap<usize, Range<usize>>,
    done: bool,
    /// Lines of the body before the text.
    lines: usize,
    /// Keys of the body.
    keys: HashSet<String>,
    /// The last scalar is plain and ends in the tag of a tool.
    after_tag: bool,
}

impl<'a, 'c> Builder<'a, 'c> {
    fn new(Scope { schema, ctx }: Scope<'a, 'c>) -> Self {
        let (out, stack, anchors) = (String::new(), Vec::new(), LiteMap::new());
        let keys = HashSet::new();
        Self { schema, ctx, out, stack, anchors, done: false, lines: 0, keys, after_tag: false }
    }

    fn read(&mut self, text: &str) -> Result<String, Trouble> {
        if !text.trim().is_empty() {
            let mut source = Source::new(text);
            for event in Parser::new_from_str(text) {
                let (event, span) = event.map_err(|error| self.place(&error))?;
                if let Event::Scalar(text, style, anchor, tag) = &event {
                    if *style == ScalarStyle::Plain
                        && source::has_stray_quote(text, self.is_value())
                    {
                        return Err(damaged(text).into());
                    }
                    let named = tag.as_deref().is_some_and(|tag| !tag.is_yaml_core_schema());
                    match self.is_value() {
                        true => {
                            let marks = (*anchor > 0, named);
                            source.check(self.due(), text, *style, marks, span, self)?;
                        }
                        false => source.key(span),
                    }
                } else if matches!(event, Event::MappingStart(..) | Event::SequenceStart(..)) {
                    Source::check_open(self.due())?;
                }
                self.event(event)?;
            }
        }
        if self.out.is_empty() {
            self.out.push_str("{}");
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Where the scanner stopped; its message may quote the body.
    fn place(&self, error: &saphyr_parser::ScanError) -> Trouble {
        let (line, column) = (self.lines + error.marker().line(), error.marker().col() + 1);
        Trouble::Unreadable(format!("line {line}, column {column}"))
    }

    /// Whether a scalar would be a value, and no key.
    fn is_value(&self) -> bool {
        self.stack.last().is_some_and(|level| level.entries.is_some() || level.value.is_some())
    }

    /// The schema of the value that is due, where it has one.
    fn due(&self) -> Option<Node<'a>> {
        let level = self.stack.last()?;
        match level.entries {
            Some(index) => self.node(level.node)?.item(index),
            None => self.node(level.value.flatten()),
        }
    }

    /// Whether an open mapping declares the key.
    fn declares(&self, key: &str) -> bool {
        let mut nodes = self.stack.iter().filter_map(|level| self.node(level.node));
        nodes.any(|node| declares(node, key))
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), Trouble> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.suffix == "str");
                let plain = style == ScalarStyle::Plain && !is_text;
                self.scalar(&text, plain, anchor)
            }
            Event::MappingStart(anchor, _) => self.open(anchor, false),
            Event::SequenceStart(anchor, _) => self.open(anchor, true),
            Event::MappingEnd | Event::SequenceEnd => {
                self.close();
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor),
            Event::DocumentStart(_) if self.done => Err(unreadable("a second document")),
            _ => Ok(()),
        }
    }

    fn node(&self, id: Option<NodeId>) -> Option<Node<'a>> {
        id.map(|id| self.schema.node(id))
    }

    /// What comes before a value, and its schema.
    fn before_value(&mut self) -> Result<Option<NodeId>, Trouble> {
        let schema = self.schema;
        let Some(level) = self.stack.last_mut() else {
            return Ok(Some(schema.root().id()));
        };
        if let Some(place) = &mut level.entries {
            let index = *place;
            *place += 1;
            if std::mem::replace(&mut level.any, true) {
                self.out.push(',');
            }
            let node = level.node.map(|id| schema.node(id));
            return Ok(node.and_then(|node| node.item(index)).map(Node::id));
        }
        level.value.take().ok_or_else(|| unreadable("a key that is no text"))
    }

    fn open(&mut self, anchor: usize, sequence: bool) -> Result<(), Trouble> {
        if sequence && self.stack.is_empty() {
            return Err(unreadable("a list"));
        }
        if self.stack.len() >= self.ctx.request.limits.max_depth {
            return Err(Fault::new(LIMIT_DEPTH, "the body of the call nests too deep").into());
        }
        let node = self.before_value()?;
        let start = self.out.len();
        self.out.push(if sequence { '[' } else { '{' });
        let entries = sequence.then_some(0);
        self.stack.push(Level { node, entries, value: None, any: false, anchor, start });
        Ok(())
    }

    fn close(&mut self) {
        let Some(level) = self.stack.pop() else { return };
        self.out.push(if level.entries.is_some() { ']' } else { '}' });
        self.name(level.anchor, level.start);
        self.done = self.stack.is_empty();
    }

    fn name(&mut self, anchor: usize, start: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, start..self.out.len());
        }
    }

    fn scalar(&mut self, text: &str, plain: bool, anchor: usize) -> Result<(), Trouble> {
        let Some(level) = self.stack.last_mut() else {
            let empty = plain && text.is_empty();
            return if empty { Ok(()) } else { Err(unreadable("text without a key")) };
        };
        if level.entries.is_none() && level.value.is_none() {
            return self.key(text);
        }
        self.after_tag = plain && self.ends_in_tag(text);
        let node = self.before_value()?;
        let start = self.out.len();
        let node = self.node(node);
        let typed = node.is_some_and(|node| !node.is_untyped());
        match node.filter(|_| plain && typed) {
            None if plain => self.out.push_str(&native(text)),
            Some(node) if is_null(text) && takes_null(node, text) => self.out.push_str("null"),
            // What does not fit stays text, and is judged with all the rest; nothing is null.
            Some(node) => {
                let typed = node.read_text(text, TextStyle::Bare);
                if self.after_tag && typed.problem.is_some() && self.ctx.refuses_guesses() {
                    return Err(begun_again().into());
                }
                let nothing = text.is_empty() && typed.problem.is_some();
                self.out.push_str(if nothing { "null" } else { &typed.json });
            }
            None => write_string(&mut self.out, text),
        }
        self.name(anchor, start);
        self.check_size()
    }

    /// Whether a text ends in the tag of a tool.
    fn ends_in_tag(&self, text: &str) -> bool {
        let name = text.strip_suffix('>').and_then(|text| text.rsplit_once('<'));
        name.is_some_and(|(_, name)| self.ctx.request.tools.schema(name).is_some())
    }

    fn key(&mut self, key: &str) -> Result<(), Trouble> {
        self.ctx.check_key(key)?;
        let schema = self.schema;
        let Some(level) = self.stack.last_mut() else { return Ok(()) };
        let node = level.node.map(|id| schema.node(id));
        let declares = |key: &str| node.is_some_and(|node| declares(node, key));
        if without_stray_signs(key, declares).len() < key.len() {
            return Err(damaged(key).into());
        }
        level.value = Some(node.and_then(|node| node.member(key).node()).map(Node::id));
        if self.stack.len() == 1 {
            let given = !self.keys.insert(key.to_owned());
            let another = given || !self.declares(key);
            if std::mem::take(&mut self.after_tag) && another && self.ctx.refuses_guesses() {
                return Err(begun_again().into());
            }
        }
        if self.stack.last_mut().is_some_and(|level| std::mem::replace(&mut level.any, true)) {
            self.out.push(',');
        }
        write_string(&mut self.out, key);
        self.out.push(':');
        self.check_size()
    }

    fn alias(&mut self, anchor: usize) -> Result<(), Trouble> {
        // An anchor that is still open would hold itself.
        let known = self.anchors.get(&anchor).cloned();
        let named = known.ok_or_else(|| unreadable("an alias that names nothing"))?;
        self.before_value()?;
        if self.out.len() + named.len() > self.ctx.request.limits.max_held_bytes {
            return Err(too_long().into());
        }
        self.out.extend_from_within(named);
        Ok(())
    }

    fn check_size(&self) -> Result<(), Trouble> {
        let within = self.out.len() <= self.ctx.request.limits.max_held_bytes;
        if within { Ok(()) } else { Err(too_long().into()) }
    }
}

/// A plain scalar with a sign too many, or a quoted one with a quote too few.
fn damaged(text: &str) -> Fault {
    let message = format!("a quote or sign in `{}` has no counterpart", shown(text));
    Fault::new(UNREADABLE_CALL, message)
}

fn begun_again() -> Fault {
    let message = "a value ends in the tag of a tool before a key of another call";
    Fault::new(AMBIGUOUS_CALL, message)
}

fn too_long() -> Fault {
    Fault::new(LIMIT_HELD, "the body of the call is longer than the limit")
}

/// A plain scalar without a schema: what YAML takes it for, as far as JSON spells it so.
fn native(text: &str) -> String {
    let number =
        || parse_json(text, Mode::Strict).is_ok_and(|parsed| parsed.value.as_number().is_some());
    match text {
        _ if is_null(text) => "null".to_owned(),
        "true" | "True" | "TRUE" => "true".to_owned(),
        "false" | "False" | "FALSE" => "false".to_owned(),
        _ if number() => text.to_owned(),
        _ => Value::from(text).to_string(),
    }
}

/// Whether null is what a word for it says: where null is taken, and where no text is.
fn takes_null(node: Node<'_>, text: &str) -> bool {
    node.allows_null() || !(node.allows_string() || text.is_empty())
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn node_text(text: &str, node: Node<'_>) -> String {
    if node.is_untyped() {
        return Value::from(text).to_string();
    }
    node.read_text(text, TextStyle::Bare).json
}
