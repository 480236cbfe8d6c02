//! `toolweir render`: tools, calls and responses as a wire format writes them.
//!
//! What is printed is the text itself, with nothing after it in a pipe, so that `toolweir parse` reads
//! back what was written. What a format cannot write unchanged is a finding: exit code 1.

use std::path::Path;
use std::sync::Arc;

use toolweir::rjson::{Mode, Value, parse, to_string};
use toolweir::{FormatError, Protocol, Request, ToolCall, ToolResponse};

use crate::args::{Format, RenderArgs, What};
use crate::failure::{Failure, Verdict};
use crate::input;
use crate::parse::{apply, find};
use crate::source;
use crate::specs;
use crate::term::{Out, Paint};
use crate::tools;

const CALL: &str = "write {\"name\", \"arguments\", \"id\"}, or a list of such calls";
const RESPONSE: &str = "write {\"name\", \"content\", \"id\"}";

/// Runs the command.
pub(crate) fn run(args: &RenderArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let protocol = writer(&args.format)?;
    let (name, text) = source::read(args.file.as_deref(), "JSON is UTF-8 text")?;
    let written = match args.what {
        What::Tools => {
            let tools = tools::read(&text)
                .map_err(|wrong| Failure::Usage(format!("tools in {name}: {wrong}")))?;
            protocol.format_tools(&tools)
        }
        What::Call => match calls(&json(&name, &text)?).as_deref() {
            Some([call]) => protocol.format_tool_call(call),
            Some(calls) if !calls.is_empty() => protocol.format_tool_calls(calls),
            _ => return Err(Failure::usage(format_args!("no call in {name}"), CALL)),
        },
        What::Response => match response(&json(&name, &text)?) {
            Some(response) => protocol.format_tool_response(&response),
            None => return Err(Failure::usage(format_args!("no response in {name}"), RESPONSE)),
        },
    };
    out.text(Paint::Plain, &written.map_err(|error| cannot(&error))?)?;
    if out.look.terminal {
        out.line("")?;
    }
    Ok(Verdict::Fine)
}

/// The format of the arguments, with the delimiters that its options set.
pub(crate) fn writer(format: &Format) -> Result<Arc<dyn Protocol>, Failure> {
    let protocol = protocol(format)?;
    let mut request = Request::default();
    apply(&mut request, &format.options)?;
    let delimited = protocol.delimited(&request).map_err(|error| {
        Failure::usage(
            format_args!("format `{}`: {error}", protocol.name()),
            "set other options, or none",
        )
    })?;
    Ok(delimited.unwrap_or(protocol))
}

/// The format that is named, or that the patterns describe.
pub(crate) fn protocol(format: &Format) -> Result<Arc<dyn Protocol>, Failure> {
    if !format.patterns.calls.is_empty() {
        return specs::nameless(&format.patterns);
    }
    match &format.format {
        Some(name) => find(&specs::registry(&format.specs)?, name),
        None => Err(Failure::usage(
            "no format is named",
            "say --format NAME or --pattern PATTERN; `toolweir formats` lists the names",
        )),
    }
}

fn cannot(error: &FormatError) -> Failure {
    Failure::Finding(format!("{error}; it cannot be written so that it reads back the same"))
}

/// Strict JSON of a file.
pub(crate) fn json(name: &str, text: &str) -> Result<Value, Failure> {
    let text = input::without_mark(text);
    let parsed = parse(text, Mode::Strict).map_err(|error| {
        let (line, column) = error.line_column(text);
        Failure::usage(
            format_args!("{name}: line {line} column {column}: {}", error.kind),
            "the file must be strict JSON",
        )
    })?;
    Ok(parsed.value)
}

/// The calls of a list, of an object with `tool_calls`, or the one that stands there alone.
fn calls(value: &Value) -> Option<Vec<ToolCall>> {
    match value.get("tool_calls").unwrap_or(value) {
        Value::Array(list) => list.iter().map(call).collect(),
        value => Some(vec![call(value)?]),
    }
}

/// A call: `{name, arguments, id}`, or the same inside `function`. Arguments are an object or its text.
pub(crate) fn call(value: &Value) -> Option<ToolCall> {
    let inner = value.get("function").filter(|inner| inner.as_object().is_some()).unwrap_or(value);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let arguments = match inner.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(value) => to_string(value),
        None => "{}".to_owned(),
    };
    let mut call = ToolCall::new(text(inner, "name")?, arguments);
    call.native_id = text(value, "id");
    Some(call)
}

/// A response; content that is no string is written as JSON.
fn response(value: &Value) -> Option<ToolResponse> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let content = match value.get("content")? {
        Value::String(text) => text.clone(),
        value => to_string(value),
    };
    let mut response = ToolResponse::new(text("name")?, content);
    response.native_id = text("id").or_else(|| text("tool_call_id")).map(str::to_owned);
    Some(response)
}

/// The content of a file, for whoever reads JSON from it.
pub(crate) fn read(path: &Path) -> Result<(String, Value), Failure> {
    let (name, text) = source::read(Some(path), "JSON is UTF-8 text")?;
    let value = json(&name, &text)?;
    Ok((name, value))
}
