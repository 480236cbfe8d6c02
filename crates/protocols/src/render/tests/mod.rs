//! What the rows write, and what they refuse.

pub(crate) mod rows;
mod specs;
mod today;
mod zoo;

use super::Renderer;
use crate::error::FormatError;
use crate::tools::{Tool, ToolCall, ToolResponse};
use toolweir_rjson::{Mode, Value, parse};

pub(crate) const PARAMETERS: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"What it says."},"rank":{"type":"integer"}},"required":["text"]}"#;

/// Names and arguments of calls.
pub(crate) const CALLS: &[(&str, &str)] = &[
    ("note", "{\"text\": \"a <b> & \\\"c\\\"\\nd\",  \"rank\":8 }\n"),
    ("list", ""),
    (
        "note",
        r#"{"empty": "", "n": 1.50, "b": false, "z": null, "l": ["x", 1], "o": {"k": {"d": []}, "s": "t"}, "texts": {"a": "b"}}"#,
    ),
];

/// Contents of responses of `note`.
pub(crate) const CONTENTS: &[&str] =
    &["four\nfive", r#"{"rank": 4, "tags": ["a", "b"]}"#, "a < b & c"];

fn json(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

fn renderer(format: &str) -> Renderer {
    Renderer::new(&rows::row(format)).unwrap()
}

fn tools() -> Vec<Tool> {
    let described = Tool::new("note").description("Shows a note.").parameters(json(PARAMETERS));
    vec![described, Tool::new("list")]
}
