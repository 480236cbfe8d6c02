//! `toolweir diff`: where two answers differ.
//!
//! A file holds the text of a model, which is decoded, or events as `parse` prints them. Both become
//! events, one a line, with neighbouring deltas joined and, unless `--spans` asks for them, without places
//! and the messages that name them: two answers are the same where a program that reads events does the
//! same. Lines of the first are marked `-`, those of the second `+`.

use std::io::{Cursor, Read as _};
use std::path::Path;

use toolweir::rjson::{Mode, Object, Value, parse, to_string};
use toolweir_testkit::diff;

use crate::args::DiffArgs;
use crate::failure::{Failure, Verdict};
use crate::input;
use crate::parse::decode;
use crate::term::{Look, Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &DiffArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let left = events(args, &args.left)?;
    let right = events(args, &args.right)?;
    if left == right {
        return Ok(Verdict::Fine);
    }
    for line in diff::lines(&left.join("\n"), &right.join("\n")).lines() {
        let paint = match line.as_bytes().first() {
            Some(b'-') => Paint::Red,
            Some(b'+') => Paint::Green,
            _ => Paint::Dim,
        };
        out.text(paint, line)?;
        out.line("")?;
    }
    Ok(Verdict::Findings)
}

/// The events of a file, one a line.
fn events(args: &DiffArgs, path: &Path) -> Result<Vec<String>, Failure> {
    let mut bytes = Vec::new();
    let read = input::open(Some(path))?.read_to_end(&mut bytes);
    read.map_err(|error| input::unreadable(&input::name(Some(path)), &error))?;
    let listed = match recorded(&bytes) {
        Some(values) => values,
        None => decoded(args, path, bytes)?,
    };
    let mut joined: Vec<Value> = Vec::new();
    for mut event in listed {
        if !args.spans
            && let Value::Object(members) = &mut event
        {
            for key in ["span", "message", "help"] {
                members.remove(key);
            }
        }
        let continues = joined.last_mut().is_some_and(|last| join(last, &event));
        if !continues {
            joined.push(event);
        }
    }
    Ok(joined.iter().map(to_string).collect())
}

/// The values of a file of events; `None` where it is none.
fn recorded(bytes: &[u8]) -> Option<Vec<Value>> {
    let said = std::str::from_utf8(bytes).ok()?;
    let lines = said.lines().filter(|line| !line.trim().is_empty());
    let values: Option<Vec<Value>> = lines.map(event).collect();
    // A whole message of a provider has a type as well, of its own.
    let is_event = |value: &Value| text(value, "type").is_some_and(|kind| TYPES.contains(&kind));
    values.filter(|values| values.first().is_some_and(is_event))
}

/// What a file of events may begin with.
const TYPES: [&str; 12] = [
    "start",
    "name",
    "meta",
    "delta",
    "args",
    "raw",
    "field",
    "markup",
    "end",
    "invocation",
    "diagnostic",
    "finish",
];

/// The line as an event, which is an object with a type.
fn event(line: &str) -> Option<Value> {
    let value = parse(line, Mode::Strict).ok()?.value;
    matches!(value.get("type"), Some(Value::String(_))).then_some(value)
}

fn decoded(args: &DiffArgs, path: &Path, bytes: Vec<u8>) -> Result<Vec<Value>, Failure> {
    let mut lines = Vec::new();
    let parse_args = args.parse(path);
    decode(&parse_args, &mut Cursor::new(bytes), &mut Out::new(&mut lines, Look::default()))?;
    Ok(String::from_utf8_lossy(&lines).lines().filter_map(event).collect())
}

/// Adds a delta to the one before it, if it goes on.
fn join(last: &mut Value, event: &Value) -> bool {
    let kind = text(event, "type");
    let same = kind == text(last, "type") && text(event, "path") == text(last, "path");
    if !same || !matches!(kind, Some("delta" | "args" | "raw" | "field")) {
        return false;
    }
    let more = text(event, "text").unwrap_or_default();
    match last {
        Value::Object(members) => grow(members, more),
        _ => false,
    }
}

fn grow(members: &mut Object, more: &str) -> bool {
    match members.get_mut("text") {
        Some(Value::String(text)) => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    match value.get(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}
