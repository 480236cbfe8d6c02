//! Tools from a JSON file, in the shapes that are about.
//!
//! An array of tools, or an object whose `tools` is one. A tool is `{"name", "description",
//! "parameters"}`, or the same inside `{"type": "function", "function": {…}}`; the schema may also
//! be called `input_schema` or `inputSchema`.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

use toolweir::rjson::{Array, Mode, Object, Value, parse};
use toolweir::{Tool, ToolSet};

use crate::failure::Failure;
use crate::{input, term};

const SHAPE: &str = "write an array of {\"name\", \"description\", \"parameters\"}";

/// Reads and compiles the tools of a file. Schemas that cannot be compiled are a warning each on
/// standard error; those tools then take anything.
pub(crate) fn load(path: &Path) -> Result<ToolSet, Failure> {
    let (tools, warnings) = ToolSet::lenient(list(path)?);
    for warning in &warnings {
        term::complain(&format!("warning: {warning}; that tool takes any arguments"));
    }
    for note in tools.notes() {
        term::complain(&format!("warning: {note}"));
    }
    Ok(tools)
}

/// Reads the tools of a file, schemas not compiled yet.
pub(crate) fn list(path: &Path) -> Result<Vec<Tool>, Failure> {
    let name = input::name(Some(path));
    let mut bytes = Vec::new();
    let fail = |error| input::unreadable(&name, &error);
    input::open(Some(path))?.read_to_end(&mut bytes).map_err(fail)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(
            format_args!("tools in {name}: byte {at} is not UTF-8"),
            "save the file as UTF-8",
        )
    })?;
    read(&text).map_err(|wrong| Failure::Usage(format!("tools in {name}: {wrong}")))
}

/// Why a text holds no tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    what: String,
    fix: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.fix)
    }
}

/// The tools of a JSON text, schemas not compiled yet.
pub(crate) fn read(text: &str) -> Result<Vec<Tool>, Wrong> {
    let text = input::without_mark(text);
    let parsed = parse(text, Mode::Strict).map_err(|error| {
        let (line, column) = error.line_column(text);
        Wrong {
            what: format!("line {line} column {column}: {}", error.kind),
            fix: "the file must be strict JSON",
        }
    })?;
    let listed = array_of(&parsed.value)
        .ok_or_else(|| Wrong { what: String::from("no list of tools"), fix: SHAPE })?;
    listed.iter().enumerate().map(|(number, entry)| tool(number, entry)).collect()
}

fn array_of(value: &Value) -> Option<&Array> {
    match value {
        Value::Array(array) => Some(array),
        Value::Object(object) => match object.get("tools") {
            Some(Value::Array(array)) => Some(array),
            _ => None,
        },
        _ => None,
    }
}

fn tool(number: usize, entry: &Value) -> Result<Tool, Wrong> {
    let wrong =
        |what: &str| Wrong { what: format!("tool {number} (counted from 0) {what}"), fix: SHAPE };
    let Value::Object(outer) = entry else {
        return Err(wrong("is not an object"));
    };
    let object = match outer.get("function") {
        Some(Value::Object(inner)) => inner,
        _ => outer,
    };
    let Some(Value::String(name)) = object.get("name") else {
        return Err(wrong("has no name"));
    };
    let mut tool = Tool::new(name.as_str());
    if let Some(Value::String(description)) = object.get("description") {
        tool = tool.description(description.as_str());
    }
    if let Some(schema) = schema_of(object) {
        tool = tool.parameters(schema.clone());
    }
    Ok(tool)
}

fn schema_of(object: &Object) -> Option<&Value> {
    let named =
        ["parameters", "input_schema", "inputSchema"].into_iter().find_map(|key| object.get(key));
    named.filter(|schema| !matches!(schema, Value::Null))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, bool)> {
        let tools = read(text).unwrap();
        tools.into_iter().map(|tool| (tool.name, tool.parameters.is_some())).collect()
    }

    #[test]
    fn every_shape_is_read() {
        let expected = [(String::from("dice"), true)];
        for text in [
            r#"[{"name":"dice","description":"rolls","parameters":{}}]"#,
            r#"[{"type":"function","function":{"name":"dice","parameters":{}}}]"#,
            r#"{"tools":[{"name":"dice","input_schema":{}}]}"#,
            r#"[{"type":"function","name":"dice","inputSchema":{}}]"#,
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
        assert_eq!(
            names(r#"[{"name":"clock","parameters":null}]"#),
            [(String::from("clock"), false)]
        );
        assert!(names("[]").is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let what = |text| read(text).unwrap_err().what;
        assert_eq!(what("[\n  {\"name\": }\n]"), "line 2 column 12: expected a value");
        assert_eq!(what("{}"), "no list of tools");
        assert_eq!(what("[{\"name\":\"a\"},1]"), "tool 1 (counted from 0) is not an object");
        assert_eq!(what("[{\"function\":{}}]"), "tool 0 (counted from 0) has no name");
    }
}
