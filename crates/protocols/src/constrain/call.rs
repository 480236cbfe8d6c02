//! One call by one pattern, for one tool: the parts that the writer writes, with every value open.

use std::sync::Arc;

use toolweir_rjson::{Object, Value};

use super::ConstraintError;
use super::node::{Node, Rules};
use super::params::Param;
use super::pieces::{digits, id, references, word};
use super::schema::{Schemas, required};
use super::shapes::{admits, enumerated, resolved, without_strings};
use super::syntax::Syntax;
use crate::error::Unsaid;
use crate::pattern::{Args, At, AttributeValue, Part, Pattern, Slots, Tag, Template, any};
use crate::program::Patterns;
use crate::render::stops::{Run, runs};
use crate::render::{
    After, carries_name, escaped, is_attribute, is_element, is_keyword, is_text_key, yaml_key,
};
use crate::spec::{Entities, FormatSpec, Tags};
use crate::tools::Tool;

/// What readers of elements decode.
pub(super) const ELEMENT: &[(char, &str)] = &[('<', "&lt;"), ('&', "&amp;")];
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

pub(super) type Made = Result<Node, ConstraintError>;

/// What is known of the row while its calls are made.
pub(super) struct Row<'a> {
    pub(super) spec: &'a FormatSpec,
    pub(super) patterns: &'a Patterns,
    /// What ends the calls of a turn.
    pub(super) ends: Vec<Run>,
    /// What begins a wrapper, a call or a message.
    pub(super) openers: Vec<Run>,
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
    /// Whether arguments that need not be there may be left out, and told.
    pub(super) leaves_out: bool,
    /// Arguments with a place of their own.
    placed: Vec<String>,
    /// The parameter that is made.
    pub(super) param: Option<Param<'a>>,
    /// The schemas of the elements that it stands in.
    pub(super) nesting: Vec<&'a Value>,
    /// Whitespace goes with arguments that are not there.
    skip_space: bool,
    /// The name is that of an element.
    element: bool,
}

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
            leaves_out: false,
            placed: Vec::new(),
            param: None,
            nesting: Vec::new(),
            skip_space: false,
            element: false,
        }
    }

    /// The text of a call by these parts.
    pub(super) fn make(&mut self, parts: &'a [Part]) -> Made {
        self.element = any(parts, |part| matches!(part, Part::Args(Args::Elements | Args::Yaml)));
        let node = self.parts(parts, None)?;
        let all = any(parts, |part| match part {
            Part::Args(_) => true,
            Part::Call(template) => template.has_args(),
            _ => false,
        });
        let declared = self.members().get("properties").and_then(Value::as_object);
        let keys = required(self.members()).into_iter();
        let keys = keys.chain(declared.into_iter().flat_map(Object::keys));
        let keys: Vec<&str> = keys.filter(|key| !self.placed.iter().any(|p| p == key)).collect();
        for key in keys.into_iter().filter(|_| !all) {
            self.left_out(key, format!("no place for the argument `{key}`"))?;
        }
        Ok(node)
    }

    pub(super) fn refuse(&self, why: impl Into<String>) -> ConstraintError {
        ConstraintError::Tool {
            format: self.row.spec.name.clone(),
            tool: self.tool.name.clone(),
            why: why.into(),
        }
    }

    /// An argument that cannot be written: told, or an error.
    fn left_out(&mut self, key: &str, why: impl Into<String>) -> Result<(), ConstraintError> {
        if !self.leaves_out || required(self.members()).contains(&key) {
            return Err(self.refuse(why));
        }
        self.tell(self.path(&format!("/properties/{key}")), "no call can have it");
        Ok(())
    }

    /// What an argument is written with; none: it is left out.
    pub(super) fn written(
        &mut self,
        key: &str,
        made: Made,
    ) -> Result<Option<Node>, ConstraintError> {
        match made {
            Err(ConstraintError::Tool { why, .. }) => self.left_out(key, why).map(|()| None),
            made => made.map(Some),
        }
    }

    /// Notes what the grammar does not say.
    pub(super) fn tell(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.unsaid.push(Unsaid { path: path.into(), what: what.into() });
    }

    pub(super) fn members(&self) -> &'a Object {
        static NONE: Object = Object::new();
        self.schema.as_object().unwrap_or(&NONE)
    }

    pub(super) fn path(&self, inner: &str) -> String {
        format!("{}{inner}", self.tool.name)
    }

    pub(super) fn schemas<'s>(&'s mut self, syntax: &'s Syntax) -> Schemas<'s> {
        Schemas::new(self.rules, self.unsaid, (self.schema, self.number), syntax)
    }

    pub(super) fn parts(&mut self, parts: &'a [Part], outer: Option<&After<'_>>) -> Made {
        let mut nodes = Vec::new();
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            let node = self.part(part, After { parts: after, outer })?;
            if node == Node::empty() && matches!(part, Part::Args(Args::Elements | Args::Yaml)) {
                // Whitespace beside them goes where there can be none, and an element is empty.
                self.skip_space = true;
                nodes.pop_if(|_| *part == Part::Args(Args::Elements));
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
            Part::Name => self.name()?,
            Part::Id(None) => id(),
            Part::Id(Some(pattern)) => self.parts(&pattern.parts, Some(&after))?,
            Part::Index => digits(1, 9),
            Part::Args(args) => self.args(args, after)?,
            Part::Key => self.key(is_text_key)?,
            Part::Value(kind) => self.value(*kind, after)?,
            Part::Type(words) => Node::text(self.type_word(words.as_ref())),
            Part::Arg { key, pattern } => self.arg(key, pattern.as_ref(), after)?,
            Part::Content => return Err(self.refuse("`{arg}` has no grammar")),
            Part::Call(template) => self.template(template)?,
            Part::Any(patterns) => {
                let first = patterns.first().map_or(&[][..], |pattern| &pattern.parts);
                self.parts(first, Some(&after))?
            }
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

    /// The name, where it can stand.
    fn name(&self) -> Made {
        let free = self.row.spec.tags == Tags::Words;
        match carries_name(&self.tool.name, self.element, free) {
            true => Ok(Node::text(&self.tool.name)),
            false => Err(self.refuse("the format cannot carry its name")),
        }
    }

    /// A key, where it can stand.
    pub(super) fn fitting(&self, key: &str, fits: fn(&str) -> bool) -> Result<(), ConstraintError> {
        if fits(key) { Ok(()) } else { Err(self.no_key(key)) }
    }

    fn no_key(&self, key: &str) -> ConstraintError {
        self.refuse(format!("the format cannot carry the key `{key}`"))
    }

    fn args(&mut self, args: &'a Args, after: After<'_>) -> Made {
        let (schema, path) = (self.schema, self.path(""));
        match args {
            Args::Json => Ok(self.json()),
            Args::Pattern(pattern) => self.params(pattern, schema, after),
            Args::Python => self.keywords(),
            Args::Gemma(delimiter) => {
                let syntax = Syntax::Gemma(delimiter.clone());
                Ok(self.schemas(&syntax).value(schema, &path))
            }
            Args::Yaml => self.entries(Node::text("\n"), |maker, key, schema, path| {
                let value = maker.schemas(&Syntax::OneLine(YAML)).value(schema, path);
                Ok(Node::seq([Node::text(format!("{}: ", yaml_key(key))), value]))
            }),
            Args::Elements => self.entries(Node::text("\n"), Self::element),
        }
    }

    /// The arguments as JSON.
    fn json(&mut self) -> Node {
        let (schema, path) = (self.schema, self.path(""));
        let node = self.schemas(&Syntax::Json).value(schema, &path);
        Node::Json(Arc::new(schema.clone()), Box::new(node))
    }

    /// `key=value, …`.
    fn keywords(&mut self) -> Made {
        let comma = Node::seq([Node::text(","), Node::opt(Node::text(" "))]);
        self.entries(comma, |maker, key, schema, path| {
            maker.fitting(key, is_keyword)?;
            let value = maker.schemas(&Syntax::Python).value(schema, path);
            Ok(Node::seq([Node::text(format!("{key}=")), value]))
        })
    }

    /// The declared arguments in their order.
    fn entries(
        &mut self,
        comma: Node,
        mut one: impl FnMut(&mut Self, &str, &'a Value, &str) -> Made,
    ) -> Made {
        let members = self.members();
        let Some(declared) = members.get("properties").and_then(Value::as_object) else {
            self.tell(self.path(""), "declares no arguments: none are let through");
            return Ok(Node::empty());
        };
        let needed = required(members);
        let mut pairs = Vec::new();
        for (key, schema) in declared.iter() {
            let path = self.path(&format!("/properties/{key}"));
            let made = one(self, key, schema, &path);
            let pair = self.written(key, made)?;
            pairs.extend(pair.map(|pair| (pair, needed.contains(&key))));
        }
        Ok(self.rules.listed(&pairs, &comma))
    }

    /// `<key>value</key>`.
    fn element(&mut self, key: &str, schema: &'a Value, path: &str) -> Made {
        self.fitting(key, is_element)?;
        let schema = resolved(schema, self.schema);
        let names = ["number", "integer", "boolean", "object", "array", "null"];
        let others = names.iter().filter(|name| admits(schema, self.schema, name)).count();
        let mut kinds = Vec::new();
        if admits(schema, self.schema, "string") {
            kinds.push(match enumerated(schema, self.schema) {
                Some(texts) => Node::any(texts.into_iter().map(|text| Node::text(escaped(text)))),
                None => references(),
            });
        }
        // Text is read by the schema: where any value may stand, any text may.
        if others > 0 && (others < names.len() || kinds.is_empty()) {
            let schema = without_strings(schema, self.schema);
            kinds.push(self.schemas(&Syntax::Escaped(ELEMENT)).value(&schema, path));
        }
        let value = Node::any(kinds);
        Ok(Node::seq([Node::text(format!("<{key}>")), value, Node::text(format!("</{key}>"))]))
    }

    /// `{arg:KEY}`: one argument as text.
    fn arg(&mut self, key: &'a str, pattern: Option<&'a Pattern>, after: After<'_>) -> Made {
        self.placed.push(key.to_owned());
        let (own, stops) = self.stops(None, &after);
        match pattern {
            None => {
                let text = self.rules.until(&stops, &own, false, false);
                Ok(Node::Until(text, None))
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
                    let text = self.rules.until(&[], &runs(rest, None, None), false, false);
                    let line = rest.first() == Some(&Part::At(At::Line));
                    let end = if line { "\n" } else { "" };
                    Node::seq([Node::Until(text, None), Node::text(end)])
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
                    value = self.schemas(&Syntax::Json).string_of();
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
                    Part::Name => {
                        self.name()?;
                        Node::text(self.spelled(&self.tool.name))
                    }
                    Part::Key => match self.param.as_ref().and_then(|param| param.key.as_ref()) {
                        Some(key) => {
                            let spelled = self.spelled(key);
                            if !is_attribute(&spelled, self.row.spec.entities) {
                                return Err(self.no_key(key));
                            }
                            Node::text(spelled)
                        }
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
