//! `{args:PATTERN}`: the parameters of a tool, and where their values end.

use std::sync::Arc;

use toolweir_rjson::{Object, Value};

use super::call::{CallGrammar, ELEMENT, Made};
use super::node::{Matching, Node};
use super::pieces::{CDATA_END, cdata, referenced, word};
use super::schema::required;
use super::shapes::{ANY_TYPE, Shape, admits, enumerated, only, resolved, shapes, without_strings};
use super::syntax::Syntax;
use crate::pattern::{Part, Pattern, ValueKind, is_word};
use crate::render::stops::{Opener, Run, opener, runs};
use crate::render::{After, cdata as cdata_of, is_tag_name};
use crate::spec::{Entities, Tags};

/// A parameter.
#[derive(Clone)]
pub(super) struct Param<'a> {
    /// None: any key.
    pub(super) key: Option<String>,
    schema: &'a Value,
    path: String,
    /// What the value is: the word of `{type}` and the text.
    shape: Option<(&'static str, Shape)>,
    pattern: &'a Pattern,
}

static ANY: Value = Value::Bool(true);

impl<'a> CallGrammar<'a> {
    /// `{args:PATTERN}`.
    pub(super) fn params(
        &mut self,
        pattern: &'a Pattern,
        schema: &'a Value,
        after: After<'_>,
    ) -> Made {
        let members = schema.as_object().unwrap_or(self.members());
        let Some(declared) = members.get("properties").and_then(Value::as_object) else {
            // Where a key stands twice, it has to be the same.
            if pattern.flat().filter(|part| **part == Part::Key).count() > 1 {
                self.tell(self.path(""), "declares no arguments: none are let through");
                return Ok(Node::empty());
            }
            let free = Param { key: None, schema: &ANY, path: self.path(""), shape: None, pattern };
            return Ok(Node::many(self.one(free, after)?, 0, None));
        };
        let (needed, is_argument) = (required(members), self.nesting.is_empty());
        let mut nodes = Vec::new();
        for (key, schema) in declared.iter() {
            let path = self.path(&format!("/properties/{key}"));
            let param = Param { key: Some(key.to_owned()), schema, path, shape: None, pattern };
            let made = self.one(param, after);
            let node = if is_argument { self.written(key, made)? } else { Some(made?) };
            let optional = !needed.contains(&key);
            nodes.extend(node.map(|node| if optional { Node::opt(node) } else { node }));
        }
        Ok(Node::seq(nodes))
    }

    /// One parameter: by each shape that its value can have.
    fn one(&mut self, param: Param<'a>, after: After<'_>) -> Made {
        let shapes = shapes(param.schema, self.schema, param.pattern);
        let mut made = Vec::new();
        for shape in shapes {
            let outer = self.param.replace(Param { shape: Some(shape), ..param.clone() });
            let node = self.parts(&param.pattern.parts, Some(&after));
            self.param = outer;
            made.push(node?);
        }
        Ok(Node::any(made))
    }

    /// The key, which has to fit where it stands, and whatever the pattern has before it.
    pub(super) fn key(&self, fits: fn(&str) -> bool) -> Made {
        let Some(Param { key: Some(key), pattern, .. }) = &self.param else { return Ok(word()) };
        self.fitting(key, fits)?;
        let at = pattern.parts.iter().position(|part| *part == Part::Key);
        let before = at.and_then(|at| pattern.parts.get(at.checked_sub(1)?));
        match before {
            Some(Part::Literal(text)) if text.ends_with('<') => {
                self.fitting(key, |key| key.chars().all(is_word))?;
            }
            Some(Part::Literal(text)) if text.ends_with('=') => self.fitting(key, is_tag_name)?,
            _ => {}
        }
        Ok(Node::text(key))
    }

    pub(super) fn type_word(&self, words: Option<&'a (String, String)>) -> &'a str {
        let shape = self.param.as_ref().and_then(|param| param.shape);
        let (name, shape) = shape.unwrap_or(("string", Shape::Text));
        match (words, shape) {
            (Some((text, _)), Shape::Text) => text,
            (Some((_, json)), Shape::Json) => json,
            (None, _) if name == ANY_TYPE => self.only_type(),
            (None, _) => name,
        }
    }

    /// The type of a parameter that has one.
    fn only_type(&self) -> &'static str {
        let schema = self.param.as_ref().map_or(&ANY, |param| resolved(param.schema, self.schema));
        let others = ["boolean", "object", "array", "null"];
        others.into_iter().find(|name| admits(schema, self.schema, name)).unwrap_or("number")
    }

    /// `{value}`.
    pub(super) fn value(&mut self, kind: ValueKind, after: After<'_>) -> Made {
        let Some(mut param) = self.param.clone() else { return Ok(Node::empty()) };
        param.schema = resolved(param.schema, self.schema);
        let members = param.schema.as_object();
        if kind == ValueKind::Nested
            && members.is_some_and(|m| m.contains_key("properties") || m.contains_key("items"))
        {
            return self.nested(param, after);
        }
        let (own, stops) = self.stops(Some((&param, kind)), &after);
        let fold = self.row.spec.tags == Tags::Words;
        let file = param.key.as_ref().is_some_and(|key| self.row.spec.file_text.contains(key));
        let edge = if file { "\n" } else { "" };
        let value = match param.shape {
            Some((name, Shape::Json)) => {
                let schema = match name {
                    ANY_TYPE => without_strings(param.schema, self.schema),
                    name => only(param.schema, self.schema, name),
                };
                if self.row.spec.entities == Entities::Text {
                    let plain = Syntax::Escaped(ELEMENT);
                    let plain = self.schemas(&plain).value(&schema, &param.path);
                    let within = self.within(&[], &[Run::new(CDATA_END)], false);
                    let section = self.schemas(&within).value(&schema, &param.path);
                    Node::any([plain, cdata(section)])
                } else {
                    let within = self.within(&stops, &own, fold);
                    self.schemas(&within).value(&schema, &param.path)
                }
            }
            _ => self.text(&param, &stops, &own, fold),
        };
        Ok(Node::seq([Node::text(edge), value, Node::text(edge)]))
    }

    /// A value whose members or entries are elements of their own.
    fn nested(&mut self, param: Param<'a>, after: After<'_>) -> Made {
        if self.nesting.iter().any(|outer| std::ptr::eq(*outer, param.schema)) {
            return Err(
                self.refuse("its schema stands inside itself, where every value is an element")
            );
        }
        self.nesting.push(param.schema);
        let made = match param.schema.get("items") {
            Some(items) if param.schema.get("properties").is_none() => {
                let path = format!("{}/items", param.path);
                let item = Param { key: Some("item".into()), schema: items, path, ..param };
                self.one(item, after).map(|item| Node::many(item, 0, None))
            }
            _ => self.params(param.pattern, param.schema, after),
        };
        self.nesting.pop();
        made
    }

    /// JSON that holds none of these markers.
    fn within(&mut self, stops: &[Run], own: &[Run], fold: bool) -> Syntax {
        let until = self.rules.until(stops, own, fold, true);
        let node = Node::Until(Arc::clone(&until), None);
        let known = self.rules.iter().filter(|(name, _)| name.starts_with("within-"));
        let known: Vec<&Node> = known.map(|(_, node)| node).collect();
        let number = known.iter().position(|known| **known == node).unwrap_or(known.len());
        self.rules.named(&format!("within-{number}"), || node);
        Syntax::Within(until, number)
    }

    /// A string that stands in the text as it is.
    fn text(&mut self, param: &Param<'_>, stops: &[Run], own: &[Run], fold: bool) -> Node {
        let decoded = self.row.spec.entities == Entities::Text;
        if let Some(texts) = enumerated(param.schema, self.schema).filter(|_| decoded) {
            return Node::any(texts.into_iter().map(|text| Node::text(cdata_of(text))));
        }
        if decoded {
            return referenced();
        }
        if let Some(texts) = enumerated(param.schema, self.schema) {
            let fits = |text: &&str| !stops.iter().chain(own).any(|run| text.contains(&run.text));
            return Node::any(texts.into_iter().filter(fits).map(Node::text));
        }
        for key in ["minLength", "maxLength", "format"] {
            if param.schema.get(key).is_some() {
                let what = format!("`{key}` is not followed before a closing delimiter");
                self.tell(&param.path, what);
            }
        }
        let pattern = param.schema.get("pattern").and_then(Value::as_str);
        let matching = pattern
            .filter(|regex| is_followed(regex))
            .map(|regex| Arc::new(Matching { regex: regex.to_owned(), path: param.path.clone() }));
        if pattern.is_some() && matching.is_none() {
            let what = "`pattern` is not followed: it has anchors or groups that no grammar has";
            self.tell(&param.path, what);
        }
        Node::Until(self.rules.until(stops, own, fold, false), matching)
    }

    /// The markers that end a value: those that follow it, and others.
    pub(super) fn stops(
        &self,
        param: Option<(&Param<'_>, ValueKind)>,
        after: &After<'_>,
    ) -> (Vec<Run>, Vec<Run>) {
        let name = self.tool.name.as_str();
        let key = param.and_then(|(param, _)| param.key.as_deref());
        let own = runs(after.parts, Some(name), key);
        let mut stops = after.outer_runs(name);
        stops.extend(self.row.ends.iter().cloned());
        if own.is_empty() {
            stops.extend(self.row.openers.iter().cloned());
        }
        if let Some((param, kind)) = param {
            let nested = kind == ValueKind::Nested;
            match opener(&param.pattern.parts, name, key, nested) {
                Opener::Runs(runs) => stops.extend(runs),
                Opener::Key => {
                    let declared = self.members().get("properties").and_then(Value::as_object);
                    let keys = declared.into_iter().flat_map(Object::keys);
                    let tag = |key: &str| Run { text: format!("<{key}>"), line: !nested };
                    stops.extend(keys.map(tag));
                }
            }
        }
        (own, stops)
    }
}

/// Whether an engine of derivatives follows a regular expression: it has no lookaround, boundaries or
/// references, and anchors only at the ends of the whole.
fn is_followed(regex: &str) -> bool {
    let inner = regex.strip_prefix('^').unwrap_or(regex);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let anchored = inner.len() < regex.len();
    let (mut chars, mut class) = (inner.chars().peekable(), false);
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('b' | 'B' | '1'..='9' | 'k' | 'p' | 'P' | 'c') | None => return false,
                Some(_) => {}
            },
            '[' => class = true,
            ']' => class = false,
            '^' | '$' if !class => return false,
            // An anchor is of the first or the last alternative alone.
            '|' if anchored => return false,
            '(' if !class && chars.peek() == Some(&'?') => return false,
            _ => {}
        }
    }
    true
}
