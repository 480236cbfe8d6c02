//! The tools as the prompt lists them.

use toolweir_rjson::{Object, Style, Value, WriteOptions, to_string_with};

use super::args::gemma;
use super::{Format, fixed};
use crate::error::FormatError;
use crate::pattern::{Part, Pattern, PatternError, PatternErrorKind};
use crate::tools::Tool;

/// Writes lists of tools by the pattern of a spec.
#[derive(Debug)]
pub(super) struct ToolsWriter {
    before: String,
    layout: Option<Layout>,
    /// What stands around the texts of declarations.
    delimiter: String,
    after: String,
}

/// How the tools are laid out.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// `{"name","description","parameters"}`; `wrapped`: in the shape `{"type":"function","function":{…}}`.
    Json { wrapped: bool, shape: Shape },
    /// A heading with the name, the description and the schema in a fence for each tool.
    Headings,
    /// A smaller heading, the description and the schema on lines of their own.
    Sections,
    /// Nested tags: `<function><name>…</name>…<parameters>…`.
    Tags,
    /// Gemma's: `NAME{description:…,parameters:{…}}`, each between what stands around all others.
    Declarations,
}

/// How JSON objects follow each other.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// One a line.
    Lines,
    /// One list.
    Array,
    /// One list, a tool a line, each with the member `responses`.
    Responses,
    /// Each over lines of its own, an empty line between two.
    Indented,
    /// One a line, between `<tool>` and `</tool>`.
    Tagged,
}

const LAYOUTS: [(&str, Layout); 12] = [
    ("openai-lines", Layout::Json { wrapped: true, shape: Shape::Lines }),
    ("openai-array", Layout::Json { wrapped: true, shape: Shape::Array }),
    ("openai-indented", Layout::Json { wrapped: true, shape: Shape::Indented }),
    ("openai-tagged", Layout::Json { wrapped: true, shape: Shape::Tagged }),
    ("lines", Layout::Json { wrapped: false, shape: Shape::Lines }),
    ("tagged", Layout::Json { wrapped: false, shape: Shape::Tagged }),
    ("array", Layout::Json { wrapped: false, shape: Shape::Array }),
    ("responses", Layout::Json { wrapped: false, shape: Shape::Responses }),
    ("headings", Layout::Headings),
    ("sections", Layout::Sections),
    ("tags", Layout::Tags),
    (DECLARATIONS, Layout::Declarations),
];

/// The layout that has a delimiter after it.
const DECLARATIONS: &str = "declarations";

/// Whitespace for a level of indented JSON: what templates print.
const INDENT: usize = 4;

impl ToolsWriter {
    /// An empty pattern shows no tools.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, PatternError> {
        let mut sides = pattern.parts.split(|part| matches!(part, Part::Tools(_)));
        let mut side = || fixed(sides.next().unwrap_or_default());
        let (before, after) = (side(), side());
        let word = pattern.parts.iter().find_map(|part| match part {
            Part::Tools(word) => Some(word),
            _ => None,
        });
        let Some(word) = word else {
            if pattern.is_empty() {
                return Ok(Self { before, layout: None, delimiter: String::new(), after });
            }
            let (hole, place) = ("{tools}".to_owned(), "inside a hole");
            return Err(error(PatternErrorKind::OutOfPlace { hole, place }, pattern, "{tools:"));
        };
        let head = word.split_once(' ').filter(|(name, _)| *name == DECLARATIONS);
        let (name, delimiter) = head.unwrap_or((word, ""));
        let known = LAYOUTS.iter().find(|(known, _)| *known == name);
        let known = known.filter(|_| (name == DECLARATIONS) != delimiter.is_empty());
        let layout = Some(known.ok_or_else(|| unknown(pattern, word))?.1);
        Ok(Self { before, layout, delimiter: delimiter.to_owned(), after })
    }

    pub(super) fn write(&self, format: &Format, tools: &[Tool]) -> Result<String, FormatError> {
        let Self { before, layout, after, .. } = self;
        if matches!(layout, Some(Layout::Declarations)) {
            return self.declarations(format, tools);
        }
        let joined = |line: &dyn Fn(&Tool) -> String, between: &str| {
            tools.iter().map(line).collect::<Vec<_>>().join(between)
        };
        let body = match layout {
            Some(Layout::Json { wrapped, shape }) => {
                let value = |tool: &Tool| {
                    let value = tool.with_parameters(tool.parameters.as_ref().map(unwrapped));
                    let wrap = |value| [("type", Value::from("function")), ("function", value)];
                    if *wrapped { Value::Object(wrap(value).into_iter().collect()) } else { value }
                };
                let indented = WriteOptions::new(Style::Pretty { indent: INDENT });
                match shape {
                    Shape::Lines => joined(&|tool| format.json(&value(tool)), "\n"),
                    Shape::Array => format.json(&Value::Array(tools.iter().map(value).collect())),
                    Shape::Responses => {
                        let line = |tool: &Tool| {
                            let mut value = value(tool);
                            // It says nothing of what it gives back.
                            if let Some(tool) = value.as_object_mut() {
                                tool.insert("responses", Value::Null);
                            }
                            format!("    {}", format.json(&value))
                        };
                        format!("[\n{}\n]", joined(&line, ",\n"))
                    }
                    Shape::Indented => {
                        joined(&|tool| to_string_with(&value(tool), &indented), "\n\n")
                    }
                    Shape::Tagged => {
                        joined(&|tool| format!("<tool>{}</tool>", format.json(&value(tool))), "\n")
                    }
                }
            }
            Some(Layout::Headings) => joined(&|tool| heading(format, tool), "\n\n"),
            Some(Layout::Sections) => joined(&|tool| section(format, tool), "\n\n"),
            Some(Layout::Tags) => joined(&tool_tags, "\n"),
            Some(Layout::Declarations) | None => String::new(),
        };
        // A description that closes the block would forge the prompt.
        format.refuse_marker(&body, before.trim())?;
        format.refuse_marker(&body, after.trim())?;
        Ok(format!("{before}{body}{after}"))
    }

    /// Each tool between the markers.
    fn declarations(&self, format: &Format, tools: &[Tool]) -> Result<String, FormatError> {
        let mut out = String::new();
        for tool in tools {
            let description = tool.description.as_deref();
            let description = description.map(|text| ("description", Value::from(text)));
            let schema = tool.parameters.as_ref().map(unwrapped);
            let schema = schema.map(|schema| ("parameters", declared(schema)));
            let members: Object = description.into_iter().chain(schema).collect();
            let body = format!("{}{}", tool.name, gemma(format, &self.delimiter, &members)?);
            for marker in [&self.before, &self.after] {
                format.refuse_marker(&body, marker.trim())?;
            }
            out.extend([self.before.as_str(), &body, &self.after]);
        }
        Ok(out)
    }
}

/// A schema as declarations have it: types in capitals.
fn declared(schema: &Value) -> Value {
    let capitals = |value: &Value| {
        value.as_str().map_or_else(|| value.clone(), |text| Value::from(text.to_ascii_uppercase()))
    };
    match schema {
        Value::Object(members) => {
            let member = |(key, value): (&str, &Value)| {
                let value = match (key, value) {
                    ("enum" | "const" | "default" | "example" | "examples", _) => value.clone(),
                    ("type", Value::Array(types)) => {
                        Value::Array(types.iter().map(capitals).collect())
                    }
                    ("type", Value::String(_)) => capitals(value),
                    _ => declared(value),
                };
                (key.to_owned(), value)
            };
            Value::Object(members.iter().map(member).collect())
        }
        Value::Array(entries) => Value::Array(entries.iter().map(declared).collect()),
        other => other.clone(),
    }
}

fn unknown(pattern: &Pattern, word: &str) -> PatternError {
    let allowed = "`openai-lines`, `openai-array`, `openai-indented`, `openai-tagged`, `lines`, \
                   `array`, `responses`, `tagged`, `headings`, `sections`, `tags` and `declarations \
                   DELIMITER`";
    let kind =
        PatternErrorKind::UnknownWord { hole: "tools".into(), word: word.to_owned(), allowed };
    error(kind, pattern, "{tools:")
}

/// An error at the first place of that text in the pattern as it prints.
fn error(kind: PatternErrorKind, pattern: &Pattern, place: &str) -> PatternError {
    let text = pattern.to_string();
    let at = text.find(place).unwrap_or_default();
    let snippet = text.get(at..).unwrap_or_default().chars().take(16).collect();
    PatternError { kind, at, snippet }
}

/// The schema itself, where it is wrapped into `jsonSchema`.
fn unwrapped(schema: &Value) -> &Value {
    match schema {
        Value::Object(o) if o.len() == 1 => o.get("jsonSchema").unwrap_or(schema),
        _ => schema,
    }
}

/// A tool as a heading, its description and its schema in a fence.
fn heading(format: &Format, tool: &Tool) -> String {
    let mut out = format!("## {}\n\n", tool.name);
    if let Some(description) = &tool.description {
        out.push_str(&format!("Description: {}\n\n", description.trim()));
    }
    out.push_str(&format!("Parameters JSON Schema:\n```json\n{}\n```", schema(format, tool)));
    out
}

/// The schema of a tool as JSON.
fn schema(format: &Format, tool: &Tool) -> String {
    let schema = tool.parameters.as_ref().map(unwrapped);
    schema.map_or_else(|| "{}".to_owned(), |schema| format.json(schema))
}

/// A tool as a heading below one of all tools, its description and its schema.
fn section(format: &Format, tool: &Tool) -> String {
    let schema = schema(format, tool);
    let description = tool.description.as_deref().unwrap_or_default().trim();
    format!("### {}\nDescription: {description}\n\nParameters: {schema}", tool.name)
}

/// A tool as nested tags, one a line.
fn tool_tags(tool: &Tool) -> String {
    let mut out = format!("<function>\n<name>{}</name>\n", tool.name);
    if let Some(description) = &tool.description {
        out.push_str(&format!("<description>{}</description>\n", description.trim()));
    }
    out.push_str("<parameters>\n");
    let schema = tool.parameters.as_ref().map(unwrapped);
    let properties = schema.and_then(|s| s.get("properties")).and_then(Value::as_object);
    for (name, property) in properties.into_iter().flat_map(Object::iter) {
        out.push_str(&format!("<parameter>\n<name>{name}</name>\n"));
        for (key, value) in property.as_object().into_iter().flat_map(Object::iter) {
            let text = match value {
                Value::String(text) => text.trim().to_owned(),
                other => toolweir_rjson::to_string(other),
            };
            out.push_str(&format!("<{key}>{text}</{key}>\n"));
        }
        out.push_str("</parameter>\n");
    }
    for (key, value) in schema.and_then(Value::as_object).into_iter().flat_map(Object::iter) {
        if !matches!(key, "type" | "properties") {
            out.push_str(&format!("<{key}>{}</{key}>\n", toolweir_rjson::to_string(value)));
        }
    }
    out.push_str("</parameters>\n</function>");
    out
}
