//! Values by their JSON Schema, in JSON and in the syntaxes that are like it.
//!
//! Members stand in the order of the schema, Gemma's in that of their keys; an object whose members are declared has no others.
//! What a schema says beyond that (bounds, patterns, formats, exclusions) is told, not dropped.

use std::sync::Arc;

use toolweir_rjson::{Object, Value};

use super::node::{Node, Rules};
use super::pieces::{integer, number};
use super::syntax::{Syntax, spelled};
use super::until::{Class, Until};
use crate::error::Unsaid;
use crate::render::stops::Run;
use crate::render::{in_order, is_unquoted};

/// Schemas inside each other that are followed.
const MAX_DEPTH: usize = 64;
/// Keywords that say nothing about what may be written.
const SILENT: &[&str] = &[
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "nullable",
    "readOnly",
    "strict",
    "title",
    "writeOnly",
];

/// Keywords that narrow a value, and are followed.
const NARROWING: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "minItems",
    "minLength",
    "oneOf",
    "prefixItems",
    "properties",
    "required",
    "type",
];

/// Makes nodes of the schemas of one tool.
pub(super) struct Schemas<'a> {
    pub(super) rules: &'a mut Rules,
    pub(super) unsaid: &'a mut Vec<Unsaid>,
    /// The root, which references are looked up in.
    root: &'a Value,
    /// How values are spelled.
    syntax: &'a Syntax,
    /// The tool, for the names of rules.
    tool: usize,
    /// References that are followed without anything written between.
    bare: Vec<String>,
    depth: usize,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(
        rules: &'a mut Rules,
        unsaid: &'a mut Vec<Unsaid>,
        (root, tool): (&'a Value, usize),
        syntax: &'a Syntax,
    ) -> Self {
        Self { rules, unsaid, root, syntax, tool, bare: Vec::new(), depth: 0 }
    }

    /// A value of that schema. `path`: where the schema stands, for what cannot be said.
    pub(super) fn value(&mut self, schema: &Value, path: &str) -> Node {
        if self.depth >= MAX_DEPTH {
            self.tell(path, "nested too deeply: any value is let through");
            return self.anything();
        }
        self.depth += 1;
        let node = self.of(schema, path);
        self.depth -= 1;
        node
    }

    /// A value of each of these schemas.
    fn values(&mut self, list: &[Value], path: &str) -> Vec<Node> {
        let each = list.iter().enumerate();
        each.map(|(at, schema)| self.value(schema, &format!("{path}/{at}"))).collect()
    }

    fn tell(&mut self, path: &str, what: impl Into<String>) {
        let unsaid = Unsaid { path: path.to_owned(), what: what.into() };
        if !self.unsaid.contains(&unsaid) {
            self.unsaid.push(unsaid);
        }
    }

    fn of(&mut self, schema: &Value, path: &str) -> Node {
        let Some(members) = schema.as_object() else { return self.anything() };
        if let Some(pointer) = members.get("$ref").and_then(Value::as_str) {
            self.tell_beside("$ref", members, path);
            return self.reference(pointer, path);
        }
        if let Some(value) = members.get("const") {
            return self.literal(value);
        }
        if let Some(values) = members.get("enum").and_then(Value::as_array) {
            return Node::any(values.iter().map(|value| self.literal(value)));
        }
        self.tell_keywords(members, path);
        for word in ["anyOf", "oneOf"] {
            if let Some(list) = members.get(word).and_then(Value::as_array) {
                self.tell_beside(word, members, path);
                return Node::any(self.values(list, &format!("{path}/{word}")));
            }
        }
        if let Some(list) = members.get("allOf").and_then(Value::as_array) {
            return self.all_of(members, list, path);
        }
        let mut kinds = kinds(members);
        if members.get("nullable").and_then(Value::as_bool) == Some(true) && !kinds.is_empty() {
            kinds.push("null");
        }
        if kinds.is_empty() {
            return self.anything();
        }
        let each: Vec<Node> = kinds.iter().map(|kind| self.kind(kind, members, path)).collect();
        Node::any(each)
    }

    /// Keywords that narrow the values, and are not followed.
    fn tell_keywords(&mut self, members: &Object, path: &str) {
        let known = |key: &&str| SILENT.contains(key) || NARROWING.contains(key);
        for key in members.keys().filter(|key| !known(key)) {
            self.tell(path, format!("`{key}` is not followed"));
        }
        let open = |value: &Value| value.as_bool() != Some(false);
        let declared = members.get("properties").is_some();
        if declared && members.get("additionalProperties").is_some_and(open) {
            self.tell(path, "only declared members are let through");
        }
    }

    /// Keywords beside one that is followed alone.
    fn tell_beside(&mut self, word: &str, members: &Object, path: &str) {
        for key in members.keys().filter(|key| *key != word && NARROWING.contains(key)) {
            self.tell(path, format!("`{key}` beside `{word}` is not followed"));
        }
    }

    fn reference(&mut self, pointer: &str, path: &str) -> Node {
        let target = pointer.strip_prefix('#').and_then(|inner| self.root.pointer(inner));
        let Some(target) = target.filter(|_| !self.bare.iter().any(|known| known == pointer))
        else {
            self.tell(path, format!("`{pointer}` leads nowhere: any value is let through"));
            return self.anything();
        };
        let name = format!("ref-{}-{}-{}", self.syntax.word(), self.tool, plain(pointer));
        self.named(&name, |schemas, _| {
            schemas.bare.push(pointer.to_owned());
            let node = schemas.value(target, pointer);
            schemas.bare.pop();
            node
        })
    }

    /// The rule of that name. It has its place before it is made, so that it may name itself.
    fn named(&mut self, name: &str, make: impl FnOnce(&mut Self, &Node) -> Node) -> Node {
        let known = self.rules.contains(name);
        let rule = self.rules.named(name, Node::empty);
        if !known {
            let node = make(self, &rule);
            self.rules.set(&rule, node);
        }
        rule
    }

    fn all_of(&mut self, members: &Object, list: &[Value], path: &str) -> Node {
        let mut merged = members.clone();
        merged.remove("allOf");
        for (at, part) in list.iter().enumerate() {
            let pointer =
                part.get("$ref").and_then(Value::as_str).and_then(|p| p.strip_prefix('#'));
            let part = pointer.and_then(|inner| self.root.pointer(inner)).unwrap_or(part);
            let Some(part) = part.as_object() else { continue };
            for (key, value) in part.iter() {
                if !merge(&mut merged, key, value) {
                    self.tell(&format!("{path}/allOf/{at}"), format!("`{key}` is said twice"));
                }
            }
        }
        self.value(&Value::Object(merged), path)
    }

    fn kind(&mut self, kind: &str, members: &Object, path: &str) -> Node {
        match kind {
            "object" => self.object(members, path),
            "array" => self.array(members, path),
            "string" => self.string(members, path),
            "integer" => self.rules.named("integer", integer),
            "number" => self.rules.named("number", number),
            "boolean" => Node::any([true, false].map(|flag| self.literal(&Value::from(flag)))),
            "null" => self.literal(&Value::Null),
            other => {
                self.tell(path, format!("the type `{other}` is unknown: any value is let through"));
                self.anything()
            }
        }
    }

    fn object(&mut self, members: &Object, path: &str) -> Node {
        let bare = std::mem::take(&mut self.bare);
        let node = match members.get("properties").and_then(Value::as_object) {
            Some(declared) => {
                let required = required(members);
                let declared = match self.syntax {
                    Syntax::Gemma(_) => in_order(declared),
                    _ => declared.iter().collect(),
                };
                let pairs = declared.into_iter().map(|(key, schema)| {
                    let pair = self.pair(key, schema, &format!("{path}/properties/{key}"));
                    (pair, required.contains(&key))
                });
                let pairs: Vec<(Node, bool)> = pairs.collect();
                self.braces(&pairs)
            }
            None => {
                let value = match members.get("additionalProperties") {
                    Some(schema @ Value::Object(_)) => {
                        self.value(schema, &format!("{path}/additionalProperties"))
                    }
                    _ => self.anything(),
                };
                self.map(value)
            }
        };
        self.bare = bare;
        node
    }

    fn pair(&mut self, key: &str, schema: &Value, path: &str) -> Node {
        let value = self.value(schema, path);
        Node::seq([self.key(key), self.syntax.separators(self.rules).0, value])
    }

    fn key(&mut self, key: &str) -> Node {
        match self.syntax {
            Syntax::Gemma(_) if is_unquoted(key) => Node::text(key),
            _ => self.literal(&Value::from(key)),
        }
    }

    /// Members in their order, those that need not be there left out, between braces.
    fn braces(&mut self, pairs: &[(Node, bool)]) -> Node {
        let comma = self.syntax.separators(self.rules).1;
        let inside = self.rules.listed(pairs, &comma);
        self.between('{', inside, '}')
    }

    fn map(&mut self, value: Node) -> Node {
        let key = match self.syntax {
            Syntax::Gemma(_) => Node::any([
                self.rules.named("gemma-key", || Node::many(unquoted(), 1, None)),
                self.string_of(),
            ]),
            _ => self.string_of(),
        };
        let colon = self.syntax.separators(self.rules).0;
        self.enclosed(['{', '}'], Node::seq([key, colon, value]), (0, None))
    }

    fn array(&mut self, members: &Object, path: &str) -> Node {
        let bare = std::mem::take(&mut self.bare);
        let comma = self.syntax.separators(self.rules).1;
        let node = if let Some(list) = members.get("prefixItems").and_then(Value::as_array) {
            let items = self.values(list, &format!("{path}/prefixItems"));
            let items: Vec<(Node, bool)> = items.into_iter().map(|item| (item, true)).collect();
            // A list has all of them and no more, which other numbers do not allow.
            for (key, is_met) in [
                ("minItems", bound(members, "minItems").is_none_or(|least| least <= list.len())),
                ("maxItems", bound(members, "maxItems").is_none_or(|most| most >= list.len())),
            ] {
                if !is_met {
                    self.tell(path, format!("`{key}` is not followed"));
                }
            }
            let inside = self.rules.listed(&items, &comma);
            Node::seq([Node::text("["), inside, Node::text("]")])
        } else {
            let item = match members.get("items") {
                Some(schema) => self.value(schema, &format!("{path}/items")),
                None => self.anything(),
            };
            let item = self.rules.shared(item);
            let bounds = (bound(members, "minItems").unwrap_or(0), bound(members, "maxItems"));
            self.enclosed(['[', ']'], item, bounds)
        };
        self.bare = bare;
        node
    }

    fn string(&mut self, members: &Object, path: &str) -> Node {
        let (least, most) = (bound(members, "minLength"), bound(members, "maxLength"));
        if least.is_none() && most.is_none() {
            return self.string_of();
        }
        match self.char_of() {
            Some(one) => quoted(Node::many(one, least.unwrap_or(0), most)),
            None => {
                let what = "the length of a string is not followed before a closing delimiter";
                self.tell(path, what);
                self.string_of()
            }
        }
    }

    /// A string.
    pub(super) fn string_of(&mut self) -> Node {
        let name = format!("{}-string", self.syntax.word());
        match self.syntax {
            Syntax::Gemma(delimiter) => {
                let run = [Run::new(delimiter)];
                let text = Until::new(&[], &run, false, false);
                let ends = || Node::text(delimiter.as_str());
                Node::seq([ends(), Node::Until(Arc::new(text), None), ends()])
            }
            Syntax::Within(until, _) => quoted(Node::Until(Arc::clone(until), None)),
            _ => {
                let one = self.char_of().unwrap_or_else(Node::empty);
                self.rules.named(&name, || quoted(Node::many(one, 0, None)))
            }
        }
    }

    /// One character of a string, if strings are made of those.
    fn char_of(&mut self) -> Option<Node> {
        let mut plain = vec![('"', '"'), ('\\', '\\'), ('\0', '\u{1f}')];
        let hex = || Node::Class(Class::of(&[('0', '9'), ('a', 'f'), ('A', 'F')]));
        let simple = |chars: &str| {
            let ranges: Vec<(char, char)> = chars.chars().map(|c| (c, c)).collect();
            Node::Class(Class::of(&ranges))
        };
        let mut kinds = Vec::new();
        match self.syntax {
            Syntax::Python => {
                plain.push(('\u{7f}', '\u{7f}'));
                kinds.push(Node::seq([Node::text("\\"), simple("\"'\\nrt")]));
                kinds.push(Node::seq([Node::text("\\x"), Node::many(hex(), 2, Some(2))]));
                kinds.push(Node::seq([Node::text("\\u"), Node::many(hex(), 4, Some(4))]));
            }
            Syntax::Json | Syntax::Escaped(_) | Syntax::OneLine(_) => {
                kinds.push(Node::seq([Node::text("\\"), simple("\"\\/bfnrt")]));
                kinds.push(Node::seq([Node::text("\\u"), Node::many(hex(), 4, Some(4))]));
            }
            Syntax::Within(..) | Syntax::Gemma(_) => return None,
        }
        if let Syntax::Escaped(list) | Syntax::OneLine(list) = self.syntax {
            plain.extend(list.iter().map(|(c, _)| (*c, *c)));
            let spelled = list.iter().map(|(_, text)| text).filter(|text| !text.is_empty());
            kinds.extend(spelled.map(|text| Node::text(*text)));
        }
        kinds.insert(0, Node::Class(Class::but(&plain)));
        let name = format!("{}-char", self.syntax.word());
        Some(self.rules.named(&name, || Node::any(kinds)))
    }

    /// Entries between brackets.
    fn enclosed(
        &mut self,
        [open, close]: [char; 2],
        item: Node,
        (least, most): (usize, Option<usize>),
    ) -> Node {
        let comma = self.syntax.separators(self.rules).1;
        let more = Node::seq([comma, item.clone()]);
        let fewer = |count: usize| count.saturating_sub(1);
        let all = Node::seq([item, Node::many(more, fewer(least), most.map(fewer))]);
        let inside = match (least, most) {
            (_, Some(0)) => Node::empty(),
            (0, _) => Node::opt(all),
            _ => all,
        };
        self.between(open, inside, close)
    }

    fn between(&mut self, open: char, inside: Node, close: char) -> Node {
        let space = self.syntax.space(self.rules);
        Node::seq([Node::text(open), space.clone(), inside, space, Node::text(close)])
    }

    /// Any value.
    pub(super) fn anything(&mut self) -> Node {
        self.named(&format!("{}-value", self.syntax.word()), |schemas, value| {
            let words = [Value::Null, Value::from(true), Value::from(false)];
            let mut kinds: Vec<Node> = words.iter().map(|v| schemas.literal(v)).collect();
            kinds.extend([schemas.rules.named("number", number), schemas.string_of()]);
            kinds.push(schemas.enclosed(['[', ']'], value.clone(), (0, None)));
            kinds.push(schemas.map(value.clone()));
            Node::any(kinds)
        })
    }

    /// This value.
    pub(super) fn literal(&mut self, value: &Value) -> Node {
        Node::text(spelled(value, self.syntax))
    }
}

/// A character of a key that Gemma does not quote.
fn unquoted() -> Node {
    let ranges = [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('-', '-'), ('.', '.')];
    Node::Class(Class::of(&ranges))
}

/// A bound of a length.
fn bound(members: &Object, key: &str) -> Option<usize> {
    members.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
}

/// Text between quotes.
fn quoted(text: Node) -> Node {
    Node::seq([Node::text("\""), text, Node::text("\"")])
}

/// The types that a schema names, or shows by its other words.
pub(super) fn kinds(members: &Object) -> Vec<&str> {
    match members.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if members.get("properties").is_some() => vec!["object"],
        _ if members.get("items").is_some() => vec!["array"],
        _ => Vec::new(),
    }
}

pub(super) fn required(members: &Object) -> Vec<&str> {
    let list = members.get("required").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Takes a member of another schema up; false if it is there already and says something else.
fn merge(into: &mut Object, key: &str, value: &Value) -> bool {
    match (into.get_mut(key), value) {
        (None, value) => {
            into.insert(key, value.clone());
            true
        }
        (Some(known), value) if known == value => true,
        (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
            more.iter().fold(true, |fits, (key, value)| merge(known, key, value) && fits)
        }
        (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
            more.iter().for_each(|value| known.push(value.clone()));
            true
        }
        _ => false,
    }
}

/// A text as part of the name of a rule.
fn plain(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric();
    let known = text.chars().map(|c| if word(c) { c } else { '-' }).collect::<String>();
    // Two pointers that look alike then are told apart by their sums.
    let sum = text.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("{}-{sum:x}", known.trim_matches('-'))
}
