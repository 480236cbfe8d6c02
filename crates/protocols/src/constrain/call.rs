//! One call by one pattern, for one tool: the parts that the writer writes, with every value open.

use std::sync::Arc;

use toolweir_rjson::{Object, Value};

use super::ConstraintError;
use super::node::{Node, Rules};
use super::schema::{Schemas, Syntax, kinds, required};
use super::until::{Class, Until};
use crate::error::Unsaid;
use crate::pattern::{Args, At, AttributeValue, Part, Pattern, Slots, Tag, Template, ValueKind};
use crate::render::stops::{Opener, Run, opener, runs};
use crate::render::{cdata as cdata_of, escaped, is_name_char};
use crate::spec::{Entities, FormatSpec, Tags};
use crate::tools::Tool;

/// What readers of elements decode.
const ELEMENT: &[(char, &str)] = &[('<', "&lt;"), ('&', "&amp;")];
/// What the text of a YAML value holds only as escapes.
const YAML: &[(char, &str)] = &[
    ('<', "\\u003c"),
    ('\u{7f}', ""),
    ('\u{80}', ""),
    ('\u{85}', ""),
    ('\u{2028}', ""),
    ('\u{2029}', ""),
    ('\u{feff}', ""),
];
/// Stands for a hole in a template while it is written.
const ARGS: &str = "\u{1}";
const ID: &str = "\u{2}";
const TEXT: &str = "\u{3}";

type Made = Result<Node, ConstraintError>;

/// What is known of the row while its calls are made.
pub(super) struct Row<'a> {
    pub(super) spec: &'a FormatSpec,
    /// What ends the calls of a turn.
    pub(super) ends: &'a [Run],
    /// What begins a wrapper, a call or a message.
    pub(super) openers: &'a [Run],
}

/// Makes the call of one tool.
pub(super) struct CallGrammar<'a> {
    pub(super) row: &'a Row<'a>,
    pub(super) tool: &'a Tool,
    /// The place of the tool among its kin, for the names of rules.
    pub(super) number: usize,
    /// The schema that arguments are typed by.
    pub(super) schema: &'a Value,
    pub(super) rules: &'a mut Rules,
    pub(super) unsaid: &'a mut Vec<Unsaid>,
    /// Arguments with a place of their own.
    placed: Vec<String>,
    /// The parameter that is made.
    param: Option<Param<'a>>,
    /// Whitespace goes with arguments that are not there.
    skip_space: bool,
}

#[derive(Clone)]
struct Param<'a> {
    /// None: any key.
    key: Option<String>,
    schema: &'a Value,
    path: String,
    /// What the value is: the word of `{type}` and the text.
    shape: Option<(&'static str, Shape)>,
    pattern: &'a Pattern,
}

/// How the value of a parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A string as it is.
    Text,
    /// Any other value, as JSON.
    Json,
}

/// What follows a pattern inside a hole, outwards.
#[derive(Clone, Copy)]
struct After<'p> {
    parts: &'p [Part],
    outer: Option<&'p After<'p>>,
}

static ANY: Value = Value::Bool(true);

impl<'a> CallGrammar<'a> {
    pub(super) fn new(
        row: &'a Row<'a>,
        (number, tool): (usize, &'a Tool),
        schema: &'a Value,
        rules: &'a mut Rules,
        unsaid: &'a mut Vec<Unsaid>,
    ) -> Self {
        Self {
            row,
            tool,
            number,
            schema,
            rules,
            unsaid,
            placed: Vec::new(),
            param: None,
            skip_space: false,
        }
    }

    /// The text of a call by these parts.
    pub(super) fn make(&mut self, parts: &'a [Part]) -> Made {
        let node = self.parts(parts, None)?;
        let holds = |test: fn(&Part) -> bool| {
            let mut found = false;
            parts.iter().for_each(|part| part.visit(&mut |part| found |= test(part)));
            found
        };
        let all = holds(|part| match part {
            Part::Args(_) => true,
            Part::Call(template) => template.has_args(),
            _ => false,
        });
        if !all {
            let keys = required(self.members()).into_iter();
            if let Some(key) = keys.map(str::to_owned).find(|key| !self.placed.contains(key)) {
                return Err(self.refuse(format!("no place for the argument `{key}`")));
            }
        }
        Ok(node)
    }

    fn refuse(&self, why: impl Into<String>) -> ConstraintError {
        ConstraintError::Tool {
            format: self.row.spec.name.clone(),
            tool: self.tool.name.clone(),
            why: why.into(),
        }
    }

    fn members(&self) -> &'a Object {
        static NONE: Object = Object::new();
        self.schema.as_object().unwrap_or(&NONE)
    }

    fn path(&self, inner: &str) -> String {
        format!("{}{inner}", self.tool.name)
    }

    fn schemas(&mut self) -> Schemas<'_> {
        Schemas::new(self.rules, self.unsaid, self.schema, self.number)
    }

    fn parts(&mut self, parts: &'a [Part], outer: Option<&After<'_>>) -> Made {
        let mut nodes = Vec::new();
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            let node = self.part(part, After { parts: after, outer })?;
            // An element without any is empty.
            if node == Node::empty() && *part == Part::Args(Args::Elements) {
                nodes.pop();
            }
            nodes.push(node);
            rest = after;
        }
        Ok(Node::seq(nodes))
    }

    fn part(&mut self, part: &'a Part, after: After<'_>) -> Made {
        let skip_space = std::mem::take(&mut self.skip_space);
        Ok(match part {
            Part::Space(_) if skip_space => Node::empty(),
            Part::Literal(text) | Part::Space(text) => Node::text(text),
            Part::Name => Node::text(&self.tool.name),
            Part::Id(None) => id(),
            Part::Id(Some(pattern)) => self.parts(&pattern.parts, Some(&after))?,
            Part::Index => digits(),
            Part::Args(args) => self.args(args, after)?,
            Part::Key => self.key(),
            Part::Value(kind) => self.value(*kind, after)?,
            Part::Type(words) => Node::text(self.type_word(words.as_ref())),
            Part::Arg { key, pattern } => self.arg(key, pattern.as_ref(), after)?,
            Part::Content => return Err(self.refuse("`{arg}` has no grammar")),
            Part::Call(template) => self.template(template)?,
            Part::Any(patterns) => match patterns.first() {
                Some(pattern) => self.parts(&pattern.parts, Some(&after))?,
                None => Node::empty(),
            },
            Part::Opt(pattern) => self.group(pattern, after)?,
            Part::Tag(tag) => self.tag(tag)?,
            _ => Node::empty(),
        })
    }

    /// `{opt:…}`: what the writer leaves out where a hole in it is silent.
    fn group(&mut self, pattern: &'a Pattern, after: After<'_>) -> Made {
        if pattern.any(|part| *part == Part::Skip) {
            return Ok(Node::empty());
        }
        let placed = |part: &Part| match part {
            Part::Arg { key, .. } => Some(key.clone()),
            _ => None,
        };
        let keys: Vec<String> = pattern.parts.iter().filter_map(placed).collect();
        let declared = self.members().get("properties").and_then(Value::as_object);
        let known = |key: &String| declared.is_some_and(|declared| declared.contains_key(key));
        if !keys.iter().all(known) {
            return Ok(Node::empty());
        }
        let needed = required(self.members());
        let must = !keys.is_empty() && keys.iter().all(|key| needed.contains(&key.as_str()));
        let silent = pattern.any(|part| matches!(part, Part::Id(None) | Part::Arg { .. }));
        let node = self.parts(&pattern.parts, Some(&after))?;
        Ok(if silent && !must { Node::opt(node) } else { node })
    }

    fn args(&mut self, args: &'a Args, after: After<'_>) -> Made {
        let (schema, path) = (self.schema, self.path(""));
        match args {
            Args::Json => Ok(self.json()),
            Args::Pattern(pattern) => self.params(pattern, schema, after),
            Args::Python => self.keywords(),
            Args::Gemma(delimiter) => {
                let syntax = Syntax::Gemma(delimiter.clone());
                Ok(self.schemas().value(schema, &syntax, &path))
            }
            Args::Yaml => self.lines("\n", |maker, key, schema, path| {
                let value = maker.schemas().value(schema, &Syntax::OneLine(YAML), path);
                Ok(Node::seq([Node::text(format!("{key}: ")), value]))
            }),
            Args::Elements => self.lines("\n", Self::element),
        }
    }

    /// The arguments as JSON.
    fn json(&mut self) -> Node {
        let (schema, path) = (self.schema, self.path(""));
        let node = self.schemas().value(schema, &Syntax::Json, &path);
        Node::Json(Arc::new(schema.clone()), Box::new(node))
    }

    /// `key=value, …`.
    fn keywords(&mut self) -> Made {
        let comma = Node::seq([Node::text(","), Node::opt(Node::text(" "))]);
        self.entries(comma, |maker, key, schema, path| {
            let value = maker.schemas().value(schema, &Syntax::Python, path);
            Ok(Node::seq([Node::text(format!("{key}=")), value]))
        })
    }

    /// An entry on a line of its own; whitespace beside them goes where there can be none.
    fn lines(
        &mut self,
        comma: &str,
        one: impl FnMut(&mut Self, &str, &'a Value, &str) -> Made,
    ) -> Made {
        let node = self.entries(Node::text(comma), one)?;
        self.skip_space = node == Node::empty();
        Ok(node)
    }

    /// The declared arguments in their order.
    fn entries(
        &mut self,
        comma: Node,
        mut one: impl FnMut(&mut Self, &str, &'a Value, &str) -> Made,
    ) -> Made {
        let members = self.members();
        let Some(declared) = members.get("properties").and_then(Value::as_object) else {
            self.unsaid.push(Unsaid {
                path: self.path(""),
                what: "declares no arguments: none are let through".into(),
            });
            return Ok(Node::empty());
        };
        let needed = required(members);
        let mut pairs = Vec::new();
        for (key, schema) in declared.iter() {
            let path = self.path(&format!("/properties/{key}"));
            pairs.push((one(self, key, schema, &path)?, needed.contains(&key)));
        }
        Ok(self.schemas().listed(&pairs, &comma))
    }

    /// `<key>value</key>`.
    fn element(&mut self, key: &str, schema: &'a Value, path: &str) -> Made {
        let schema = resolved(schema, self.schema);
        let names = ["number", "integer", "boolean", "object", "array", "null"];
        let others = names.iter().filter(|name| admits(schema, name)).count();
        let mut kinds = Vec::new();
        if admits(schema, "string") {
            kinds.push(match enumerated(schema) {
                Some(texts) => Node::any(texts.into_iter().map(|text| Node::text(escaped(text)))),
                None => references(),
            });
        }
        // Text is read by the schema: where any value may stand, any text may.
        if others > 0 && (others < names.len() || kinds.is_empty()) {
            let schema = without_strings(schema);
            kinds.push(self.schemas().value(&schema, &Syntax::Escaped(ELEMENT), path));
        }
        let value = Node::any(kinds);
        Ok(Node::seq([Node::text(format!("<{key}>")), value, Node::text(format!("</{key}>"))]))
    }

    /// `{args:PATTERN}`.
    fn params(&mut self, pattern: &'a Pattern, schema: &'a Value, after: After<'_>) -> Made {
        let members = schema.as_object().unwrap_or(self.members());
        let Some(declared) = members.get("properties").and_then(Value::as_object) else {
            // Where a key stands twice, it has to be the same.
            let keys = pattern.parts.iter().map(|part| {
                let mut count = 0;
                part.visit(&mut |part| count += usize::from(*part == Part::Key));
                count
            });
            if keys.sum::<usize>() > 1 {
                self.unsaid.push(Unsaid {
                    path: self.path(""),
                    what: "declares no arguments: none are let through".into(),
                });
                return Ok(Node::empty());
            }
            let free = Param { key: None, schema: &ANY, path: self.path(""), shape: None, pattern };
            return Ok(Node::many(self.one(free, after)?, 0, None));
        };
        let needed = required(members);
        let mut nodes = Vec::new();
        for (key, schema) in declared.iter() {
            let path = self.path(&format!("/properties/{key}"));
            let param = Param { key: Some(key.to_owned()), schema, path, shape: None, pattern };
            let node = self.one(param, after)?;
            nodes.push(if needed.contains(&key) { node } else { Node::opt(node) });
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

    fn key(&self) -> Node {
        match self.param.as_ref().map(|param| &param.key) {
            Some(Some(key)) => Node::text(key),
            _ => word(),
        }
    }

    fn type_word(&self, words: Option<&'a (String, String)>) -> &'a str {
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
        others.into_iter().find(|name| admits(schema, name)).unwrap_or("number")
    }

    /// `{value}`.
    fn value(&mut self, kind: ValueKind, after: After<'_>) -> Made {
        let Some(mut param) = self.param.clone() else { return Ok(Node::empty()) };
        param.schema = resolved(param.schema, self.schema);
        let members = param.schema.as_object();
        if kind == ValueKind::Nested
            && let Some(members) = members
        {
            if members.get("properties").is_some() {
                return self.params(param.pattern, param.schema, after);
            }
            if let Some(items) = members.get("items") {
                let path = format!("{}/items", param.path);
                let item = Param { key: Some("item".into()), schema: items, path, ..param };
                return Ok(Node::many(self.one(item, after)?, 0, None));
            }
        }
        let (own, stops) = self.stops(Some((&param, kind)), &after);
        let fold = self.row.spec.tags == Tags::Words;
        let file = param.key.as_ref().is_some_and(|key| self.row.spec.file_text.contains(key));
        let edge = if file { "\n" } else { "" };
        let value = match param.shape {
            Some((name, Shape::Json)) => {
                let schema = match name {
                    ANY_TYPE => without_strings(param.schema),
                    name => only(param.schema, name),
                };
                if self.row.spec.entities == Entities::Text {
                    let plain = Syntax::Escaped(ELEMENT);
                    let plain = self.schemas().value(&schema, &plain, &param.path);
                    let within = self.within(&[], &[Run::new(CDATA_END)], false);
                    let section = self.schemas().value(&schema, &within, &param.path);
                    Node::any([plain, cdata(section)])
                } else {
                    let within = self.within(&stops, &own, fold);
                    self.schemas().value(&schema, &within, &param.path)
                }
            }
            _ => self.text(&param, &stops, &own, fold),
        };
        Ok(Node::seq([Node::text(edge), value, Node::text(edge)]))
    }

    /// JSON that holds none of these markers.
    fn within(&mut self, stops: &[Run], own: &[Run], fold: bool) -> Syntax {
        let until = Until::new(stops, own, fold, true);
        let known = self.rules.iter().filter(|(name, _)| name.starts_with("within-"));
        let at = known.enumerate().find_map(|(at, (_, node))| match node {
            Node::Until(known, _) if **known == until => Some(at),
            _ => None,
        });
        let until = Arc::new(until);
        let number = at.unwrap_or_else(|| {
            let count = self.rules.iter().filter(|(name, _)| name.starts_with("within-")).count();
            let node = Node::Until(Arc::clone(&until), None);
            self.rules.named(&format!("within-{count}"), || node);
            count
        });
        Syntax::Within(until, number)
    }

    /// A string that stands in the text as it is.
    fn text(&mut self, param: &Param<'_>, stops: &[Run], own: &[Run], fold: bool) -> Node {
        let decoded = self.row.spec.entities == Entities::Text;
        if let Some(texts) = enumerated(param.schema).filter(|_| decoded) {
            return Node::any(texts.into_iter().map(|text| Node::text(cdata_of(text))));
        }
        if decoded {
            return referenced();
        }
        if let Some(texts) = enumerated(param.schema) {
            let fits = |text: &&str| !stops.iter().chain(own).any(|run| text.contains(&run.text));
            return Node::any(texts.into_iter().filter(fits).map(Node::text));
        }
        let word = |key: &str| param.schema.get(key).and_then(Value::as_str).map(str::to_owned);
        for key in ["minLength", "maxLength", "format"] {
            if param.schema.get(key).is_some() {
                let what = format!("`{key}` is not followed beside an end marker");
                self.unsaid.push(Unsaid { path: param.path.clone(), what });
            }
        }
        let text = Until::new(stops, own, fold, false);
        Node::Until(Arc::new(text), word("pattern"))
    }

    /// The markers that end a value: those that follow it, and others.
    fn stops(
        &self,
        param: Option<(&Param<'_>, ValueKind)>,
        after: &After<'_>,
    ) -> (Vec<Run>, Vec<Run>) {
        let name = Some(self.tool.name.as_str());
        let key = param.and_then(|(param, _)| param.key.as_deref());
        let own = runs(after.parts, name, key);
        let mut stops: Vec<Run> = Vec::new();
        let mut next = after.outer;
        while let Some(level) = next {
            stops.extend(runs(level.parts, name, None).into_iter().filter(Run::is_telling));
            next = level.outer;
        }
        stops.extend(self.row.ends.iter().cloned());
        if own.is_empty() {
            stops.extend(self.row.openers.iter().cloned());
        }
        if let Some((param, kind)) = param {
            let nested = kind == ValueKind::Nested;
            let anywhere = nested || self.row.spec.tags == Tags::Words;
            match opener(&param.pattern.parts, &self.tool.name, anywhere) {
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

    /// `{arg:KEY}`: one argument as text.
    fn arg(&mut self, key: &'a str, pattern: Option<&'a Pattern>, after: After<'_>) -> Made {
        self.placed.push(key.to_owned());
        let (own, stops) = self.stops(None, &after);
        match pattern {
            None => {
                let text = Until::new(&stops, &own, false, false);
                Ok(Node::Until(Arc::new(text), None))
            }
            Some(pattern) => self.whole(&pattern.parts),
        }
    }

    /// An argument that holds its own literals.
    fn whole(&mut self, parts: &'a [Part]) -> Made {
        let mut nodes = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            nodes.push(match part {
                Part::Literal(text) | Part::Space(text) => Node::text(text),
                Part::Any(patterns) => {
                    let each = patterns.iter().map(|pattern| self.whole(&pattern.parts));
                    Node::any(each.collect::<Result<Vec<_>, _>>()?)
                }
                Part::Value(_) => {
                    let rest = parts.get(at + 1..).unwrap_or_default();
                    let text = Until::new(&[], &runs(rest, None, None), false, false);
                    let line = rest.first() == Some(&Part::At(At::Line));
                    let end = if line { "\n" } else { "" };
                    Node::seq([Node::Until(Arc::new(text), None), Node::text(end)])
                }
                _ => Node::empty(),
            });
        }
        Ok(Node::seq(nodes))
    }

    /// JSON that names itself.
    fn template(&mut self, template: &Template) -> Made {
        let with = |id: bool, text: bool| {
            let slots = Slots {
                name: &self.tool.name,
                args: ARGS,
                id: id.then_some(ID),
                text: text.then_some(TEXT),
            };
            template.render_all(&[slots])
        };
        let mut written = vec![with(false, false)];
        written.extend(template.id_key().map(|_| with(true, false)));
        written.extend(template.text_key().map(|_| with(false, true)));
        let each: Vec<Node> = written.iter().map(|text| self.filled(text)).collect();
        Ok(Node::any(each))
    }

    /// Written JSON with its holes as nodes.
    fn filled(&mut self, written: &str) -> Node {
        let mut nodes = Vec::new();
        let mut rest = written;
        let holes = [(ARGS, ARGS), (r"\u0002", ID), (r"\u0003", TEXT)];
        let first = |text: &str| {
            let found = holes
                .iter()
                .filter_map(|(text_of, hole)| Some((text.find(text_of)?, text_of.len(), *hole)));
            found.min_by_key(|(at, ..)| *at)
        };
        while let Some((at, length, hole)) = first(rest) {
            let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
            rest = found.get(length..).unwrap_or_default();
            let (mut before, mut value) = (before, id());
            match hole {
                ARGS => value = self.json(),
                TEXT => {
                    // The quotes of the template are those of the string.
                    value = self.schemas().string_of(&Syntax::Json);
                    before = before.strip_suffix('"').unwrap_or(before);
                    rest = rest.strip_prefix('"').unwrap_or(rest);
                }
                _ => {}
            }
            nodes.extend([Node::text(before), value]);
        }
        nodes.push(Node::text(rest));
        Node::seq(nodes)
    }

    /// A tag with attributes, in double quotes.
    fn tag(&mut self, tag: &'a Tag) -> Made {
        let mut nodes = vec![Node::text(&tag.open)];
        for attribute in &tag.attributes {
            nodes.push(Node::text(format!("{}{}=\"", attribute.space, attribute.key)));
            nodes.push(match &attribute.value {
                AttributeValue::Fixed(text) => Node::text(text),
                AttributeValue::Hole(hole) => match &**hole {
                    Part::Name => Node::text(self.spelled(&self.tool.name)),
                    Part::Key => match self.param.as_ref().and_then(|param| param.key.as_ref()) {
                        Some(key) => Node::text(self.spelled(key)),
                        None => word(),
                    },
                    hole => self.part(hole, After { parts: &[], outer: None })?,
                },
            });
            nodes.push(Node::text("\""));
        }
        nodes.push(Node::text(&tag.close));
        Ok(Node::seq(nodes))
    }

    fn spelled(&self, text: &str) -> String {
        match self.row.spec.entities {
            Entities::Verbatim => text.to_owned(),
            _ => escaped(text),
        }
    }
}

/// The schema of the arguments of a tool: that of an object, whatever it says.
pub(super) fn arguments(tool: &Tool) -> Value {
    let schema = tool.original_schema.as_ref().or(tool.parameters.as_ref());
    let mut members = schema.and_then(Value::as_object).cloned().unwrap_or_default();
    let says = ["$ref", "anyOf", "oneOf", "allOf", "const", "enum"];
    if !says.iter().any(|word| members.contains_key(word)) {
        members.insert("type", "object");
    }
    Value::Object(members)
}

/// The shapes that a value of a schema can have: of a pattern that names types, one for each, else a text
/// and JSON.
fn shapes(schema: &Value, root: &Value, pattern: &Pattern) -> Vec<(&'static str, Shape)> {
    let schema = resolved(schema, root);
    let admits = |name: &str| admits(schema, name) || name == "number" && admits(schema, "integer");
    let others = ["number", "boolean", "object", "array", "null"];
    let mut names: Vec<&'static str> = others.into_iter().filter(|name| admits(name)).collect();
    let anything = names.len() == others.len() && admits("string");
    let typed = |test: fn(&Part) -> bool| pattern.any(test);
    if typed(|part| matches!(part, Part::Type(Some(_)))) {
        names.truncate(1);
    } else if !typed(|part| matches!(part, Part::Type(None))) {
        // Text is read by the schema: where any value may stand, any text may.
        names.truncate(usize::from(!anything));
    }
    let one = names.len() == 1;
    let text = admits("string").then_some(("string", Shape::Text));
    let json = names.into_iter().map(|name| (if one { ANY_TYPE } else { name }, Shape::Json));
    text.into_iter().chain(json).collect()
}

/// In place of a type: whatever the schema lets through.
const ANY_TYPE: &str = "";

/// A schema that is only a reference, followed.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..16 {
        let pointer = schema.get("$ref").and_then(Value::as_str);
        match pointer.and_then(|p| p.strip_prefix('#')).and_then(|inner| root.pointer(inner)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// Whether a schema lets values of that type through, as far as it says.
fn admits(schema: &Value, kind: &str) -> bool {
    let Some(members) = schema.as_object() else { return true };
    if let Some(value) = members.get("const") {
        return value.type_name() == kind;
    }
    if let Some(values) = members.get("enum").and_then(Value::as_array) {
        return values.iter().any(|value| value.type_name() == kind);
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(list) = members.get(word).and_then(Value::as_array) {
            return list.iter().any(|schema| admits(schema, kind));
        }
    }
    let kinds = kinds(members);
    let nullable = kind == "null" && members.get("nullable").and_then(Value::as_bool) == Some(true);
    kinds.is_empty() || kinds.contains(&kind) || nullable
}

/// The strings that a schema lists.
fn enumerated(schema: &Value) -> Option<Vec<&str>> {
    let value = schema.get("const").and_then(Value::as_str).map(|text| vec![text]);
    let list = || Some(schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect());
    value.or_else(list)
}

/// The schema without the strings, which are written in another way.
fn without_strings(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(members) = schema.as_object_mut() else {
        return schema;
    };
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        let kept = kinds.iter().filter(|kind| kind.as_str() != Some("string"));
        let kept: Vec<Value> = kept.cloned().collect();
        members.insert("type", kept);
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        let kept = values.iter().filter(|value| value.as_str().is_none());
        let kept: Vec<Value> = kept.cloned().collect();
        members.insert("enum", kept);
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(list)) = members.get_mut(word) {
            let text = |schema: &&Value| {
                let kinds = schema.as_object().map(kinds).unwrap_or_default();
                kinds != ["string"] && schema.get("const").and_then(Value::as_str).is_none()
            };
            let kept: Vec<Value> = list.iter().filter(text).map(without_strings).collect();
            members.insert(word, kept);
        }
    }
    schema
}

/// The schema for values of one type.
fn only(schema: &Value, name: &str) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        let whole = name == "number" && kinds(members).contains(&"integer");
        members.insert("type", if whole { "integer" } else { name });
        schema
    } else {
        Value::Object([("type", Value::from(name))].into_iter().collect())
    }
}

/// Text with references.
fn references() -> Node {
    let plain = Node::Class(Class::but(&[('<', '<'), ('&', '&')]));
    let each = ["&amp;", "&lt;", "&gt;", "&quot;"].map(Node::text);
    Node::many(Node::any([plain].into_iter().chain(each)), 0, None)
}

/// Text with references, or a CDATA section.
fn referenced() -> Node {
    let section = Until::new(&[], &[Run::new(CDATA_END)], false, false);
    Node::any([references(), cdata(Node::Until(Arc::new(section), None))])
}

const CDATA_END: &str = "]]>";

fn cdata(content: Node) -> Node {
    Node::seq([Node::text("<![CDATA["), content, Node::text(CDATA_END)])
}

/// A key where none is declared.
fn word() -> Node {
    let first = Node::Class(Class::of(&[('A', 'Z'), ('_', '_'), ('a', 'z')]));
    let rest = Class::of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
    Node::seq([first, Node::many(Node::Class(rest), 0, None)])
}

/// An id.
fn id() -> Node {
    let ranges = [('-', '-'), ('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    debug_assert!(ranges.iter().all(|(c, _)| is_name_char(*c)), "readers take it for an id");
    Node::many(Node::Class(Class::of(&ranges)), 1, Some(64))
}

fn digits() -> Node {
    Node::many(Node::Class(Class::of(&[('0', '9')])), 1, Some(9))
}
