//! The members of a response template, each of the kind that it has there.

use toolweir_rjson::{Mode, Value, parse, to_string};

use super::class::Class;
use super::level::{Level, MOST};
use super::lower::{self, Hole};
use super::regex::{self, What};
use super::{Report, ResponseTemplateError as Error};
use crate::pattern::{Part, Pattern, one_of};

const FIELD: &[&str] = &[
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
];

const ARGS: &[&str] = &[
    "strip",
    "unquoted_keys",
    "string_delims",
    "allow_non_json",
    "tag_pattern",
    "value_parser",
    "merge_duplicates",
    "line_sep",
    "kv_sep",
];

/// What a text describes answers by: an object, and what stands before its members in messages.
pub(super) struct Description {
    pub(super) root: Value,
    pub(super) prefix: &'static str,
    /// It is a schema, not a template.
    pub(super) is_schema: bool,
}

impl Description {
    /// The description in a text: the object itself, or a member of it. A template counts more.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let parsed = parse(text, Mode::Relaxed).map_err(|error| {
            let (line, column) = error.line_column(text);
            Error::Syntax(format!("line {line} column {column}: {}", error.kind))
        })?;
        let mut root = parsed.value;
        let Some(object) = root.as_object_mut() else {
            return Err(Error::Kind { path: String::new(), expected: "an object" });
        };
        let given = |value: Option<Value>| value.filter(|value| !value.is_null());
        let of = |root, prefix, is_schema| Ok(Self { root, prefix, is_schema });
        if let Some(template) = given(object.remove("response_template")) {
            return of(template, "response_template.", false);
        }
        if object.contains_key("fields") {
            return of(root, "", false);
        }
        match given(object.remove("response_schema")) {
            Some(schema) => of(schema, "response_schema.", true),
            None if object.contains_key("properties") => of(root, "", true),
            None => Err(Error::Absent),
        }
    }
}

/// What a template says.
impl<'v> Level<'v> {
    /// Reports members that say what no format does.
    pub(super) fn check(&self, report: &mut Report) -> Result<(), Error> {
        const KNOWN: &[&str] =
            &["version", "defaults", "start_anchor", "start_anchor_pattern", "fields"];
        if let Some(version) = self.object.get("version")
            && version.as_u64() != Some(1)
        {
            let found = to_string(version);
            return Err(Error::Version { path: self.place("version"), found });
        }
        self.report_unknown(KNOWN, report);
        let Some(defaults) = self.object.get("defaults") else { return Ok(()) };
        let defaults = defaults.as_object().ok_or_else(|| self.kind("defaults", "an object"))?;
        for (key, value) in defaults {
            let assistant = key == "role" && value.as_str() == Some("assistant");
            if !assistant && !is_empty(value) {
                report.add(format!("defaults.{key}"), "a turn has no fixed members");
            }
        }
        Ok(())
    }

    /// Reports members that are not among these.
    fn report_unknown(&self, known: &[&str], report: &mut Report) {
        for key in self.object.keys().filter(|key| !known.contains(key)) {
            report.add(self.at(key), "an unknown member");
        }
    }

    /// The texts after which the turn of the model begins.
    pub(super) fn anchors(&self) -> Vec<&'v str> {
        match self.object.get("start_anchor") {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).take(MOST).collect(),
            _ => Vec::new(),
        }
    }

    /// The fields; members that fields do not have are reported.
    pub(super) fn fields(&self, report: &mut Report) -> Result<Vec<Field<'v>>, Error> {
        let all = self.level("fields")?.ok_or_else(|| self.kind("fields", "an object"))?;
        if all.object.len() > MOST {
            return Err(Error::TooMany { path: self.place("fields"), most: MOST });
        }
        let mut fields = Vec::new();
        for name in all.object.keys() {
            let field = all.level(name)?.ok_or_else(|| all.kind(name, "an object"))?;
            field.report_unknown(FIELD, report);
            if let Some(args) = field.level("content_args")? {
                args.report_unknown(ARGS, report);
            }
            if !field.flag("optional", true)? {
                report.add(field.at("optional"), "no part of a turn is required");
            }
            fields.push(field);
        }
        Ok(fields)
    }
}

/// Whether a value says no more than its absence does.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}

/// How a field begins or ends.
pub(super) enum Delimiter<'v> {
    /// It does not say so.
    Absent,
    /// One of these texts.
    Texts(Vec<&'v str>),
    /// What an expression matches.
    Regex(&'v str),
}

/// One field of a template.
pub(super) type Field<'v> = Level<'v>;

impl<'v> Field<'v> {
    pub(super) fn name(&self) -> &str {
        self.path().strip_prefix("fields.").unwrap_or_default()
    }

    /// An argument of its content parser.
    pub(super) fn arg(&self, key: &str) -> Option<&'v Value> {
        self.value("content_args")?.get(key)
    }

    /// Whether whitespace at the edges of its text is dropped.
    pub(super) fn strips(&self) -> bool {
        self.arg("strip").and_then(Value::as_bool).unwrap_or(true)
    }

    /// What is under `open` or `close`, or in the expression beside it.
    pub(super) fn delimiter(&self, key: &str, regex: &str) -> Result<Delimiter<'v>, Error> {
        const EXPECTED: &str = "a string or a list of strings, none of them empty";
        let texts = match self.value(key) {
            None => return Ok(self.text(regex)?.map_or(Delimiter::Absent, Delimiter::Regex)),
            Some(Value::String(text)) => Some(vec![text.as_str()]),
            Some(Value::Array(list)) if list.len() > MOST => {
                return Err(Error::TooMany { path: self.at(key), most: MOST });
            }
            Some(Value::Array(list)) => list.iter().map(Value::as_str).collect(),
            Some(_) => None,
        };
        let fit =
            |texts: &Vec<&str>| !texts.is_empty() && texts.iter().all(|text| !text.is_empty());
        let texts = texts.filter(fit).ok_or_else(|| self.kind(key, EXPECTED))?;
        Ok(Delimiter::Texts(texts))
    }

    /// Whether text that no opener begins is its own.
    pub(super) fn is_implicit(&self) -> Result<bool, Error> {
        Ok(matches!(self.delimiter("open", "open_pattern")?, Delimiter::Absent))
    }

    /// The ways in which it opens, each as parts; those that cannot be said are reported.
    pub(super) fn opens(
        &self,
        hole: &dyn Fn(&str) -> Hole,
        report: &mut Report,
    ) -> Result<Vec<Vec<Part>>, Error> {
        let delimiter = self.delimiter("open", "open_pattern")?;
        let json = self.value("content").and_then(Value::as_str) == Some("json");
        let side = if json { Side::BeforeJson } else { Side::Plain };
        Ok(edge(delimiter, hole, side, &self.at("open_pattern"), report).ways)
    }

    /// The ways in which it closes. `ends_itself`: its content shows its own end, so that an edge
    /// without text says nothing.
    pub(super) fn closes(
        &self,
        hole: &dyn Fn(&str) -> Hole,
        ends_itself: bool,
        report: &mut Report,
    ) -> Result<Edge, Error> {
        let delimiter = self.delimiter("close", "close_pattern")?;
        let path = self.at("close_pattern");
        let side = if ends_itself { Side::AfterEnd } else { Side::Plain };
        Ok(edge(delimiter, hole, side, &path, report))
    }
}

/// How a field opens or closes.
#[derive(Default)]
pub(super) struct Edge {
    pub(super) ways: Vec<Vec<Part>>,
    /// It may do so without any of them.
    pub(super) optional: bool,
}

impl Edge {
    /// All of that as parts.
    pub(super) fn parts(&self) -> Vec<Part> {
        let close = Pattern::new(one_of(self.ways.clone()));
        if self.optional && !close.is_empty() { vec![Part::Opt(close)] } else { close.parts }
    }
}

/// What is known of the content beside a delimiter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Plain,
    /// JSON follows, which shows its beginning: that nothing else may follow need not be said.
    BeforeJson,
    /// What stands before shows its own end: an alternative without text says nothing.
    AfterEnd,
}

/// The alternatives of a delimiter; optional if some were left out because they say nothing.
fn edge(
    delimiter: Delimiter<'_>,
    hole: &dyn Fn(&str) -> Hole,
    side: Side,
    path: &str,
    report: &mut Report,
) -> Edge {
    let regex = match delimiter {
        Delimiter::Absent => return Edge::default(),
        Delimiter::Texts(texts) => {
            let way = |text: &str| vec![Part::Literal(text.to_owned())];
            let ways = longest_first(texts).into_iter().map(way).collect();
            return Edge { ways, optional: false };
        }
        Delimiter::Regex(regex) => regex,
    };
    let alternatives = match regex::parse(regex) {
        Ok(alternatives) => unwrapped(alternatives),
        Err(refusal) => {
            report.add(path, refusal.about(regex));
            return Edge::default();
        }
    };
    let mut edge = Edge::default();
    for way in alternatives.iter().take(MOST) {
        let takes = |node: &regex::Node| !matches!(node.what, What::Ahead(_) | What::End);
        let way = if side == Side::BeforeJson { without_json_ahead(way) } else { way };
        if side == Side::AfterEnd && !way.iter().any(takes) {
            edge.optional = true;
            continue;
        }
        let is_text = |part: &Part| matches!(part, Part::Literal(_) | Part::Any(_) | Part::Opt(_));
        match lower::parts(way, hole) {
            Ok(parts) if parts.iter().any(is_text) => edge.ways.push(parts),
            Ok(_) => report.add(path, "an alternative without text, which shows no place"),
            Err(refusal) => report.add(path, refusal.about(regex)),
        }
    }
    if alternatives.len() > MOST {
        report.add(path, format!("more than {MOST} alternatives"));
    }
    edge
}

/// A sequence without the lookahead at its end that asks for JSON.
fn without_json_ahead(way: &[regex::Node]) -> &[regex::Node] {
    let begins = |way: &regex::Sequence| {
        let first = way.iter().find(|node| match &node.what {
            What::Repeat { node, .. } => node.what != What::Class(Class::Space),
            _ => true,
        });
        first.is_some_and(|node| match &node.what {
            What::Char(c) => matches!(c, '{' | '['),
            What::Class(Class::Chars(chars)) => chars.iter().all(|c| matches!(c, '{' | '[')),
            _ => false,
        })
    };
    match way.split_last() {
        Some((regex::Node { what: What::Ahead(ways), .. }, before)) if ways.iter().all(begins) => {
            before
        }
        _ => way,
    }
}

/// Texts, each once, none after one that it begins with.
fn longest_first(texts: Vec<&str>) -> Vec<&str> {
    let mut sorted: Vec<&str> = Vec::new();
    for text in texts {
        let begins = |other: &&str| text.starts_with(*other);
        let at = sorted.iter().position(begins).unwrap_or(sorted.len());
        if sorted.get(at) != Some(&text) {
            sorted.insert(at, text);
        }
    }
    sorted
}

/// The alternatives of an expression that is one group without a name.
fn unwrapped(ways: Vec<regex::Sequence>) -> Vec<regex::Sequence> {
    if let [way] = ways.as_slice()
        && let [regex::Node { what: What::Group { name: None, ways: inner, .. }, .. }] =
            way.as_slice()
    {
        return inner.clone();
    }
    ways
}
