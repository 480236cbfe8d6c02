//! One line of a vector file.

use std::path::Path;

use toolweir_protocols::Tool;
use toolweir_rjson::{Mode, Object, Value, parse};

use super::keys;
use crate::case::read_tool;

/// A case, read. Keys that its kind does not read are errors.
pub(super) struct Vector {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) format: String,
    /// The file says that `format` is a reasoning family.
    pub(super) reasoning_file: bool,
    pub(super) tools: Vec<Tool>,
    /// The whole text, from `text`, or joined from `chunks`.
    pub(super) text: String,
    pub(super) chunks: Vec<String>,
    /// The chunks as values, where one holds more than text.
    pub(super) native: Vec<Value>,
    /// Why the case cannot be run, where its chunks hold what is not text.
    pub(super) unsupported: Option<String>,
    pub(super) input: Option<Value>,
    pub(super) value: Option<Value>,
    pub(super) schema: Option<Value>,
    pub(super) mode: Option<String>,
    pub(super) options: Vec<(String, Value)>,
    pub(super) expect: Option<Value>,
    pub(super) expect_error: bool,
    /// The kind of the error, where the case names it.
    pub(super) expect_error_kind: Option<String>,
    pub(super) informative: bool,
    /// Whether anything is expected of it beside the laws.
    pub(super) expects: bool,
    /// The note says that text and reasoning are compared without white space at both ends.
    pub(super) trimmed: bool,
}

impl Vector {
    /// Reads a line. `Err` says what is wrong with it.
    pub(super) fn read(file: &Path, line: usize, source: &str) -> Result<Self, String> {
        let value = parse(source, Mode::Strict).map_err(|e| format!("no JSON: {e}"))?.value;
        let object = value.as_object().ok_or("the line is no object")?;
        let kind = object.get("kind").and_then(Value::as_str);
        let kind = kind.unwrap_or_else(|| infer_kind(object)).to_owned();
        keys::check(&kind, object)?;
        let text_of = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let is_true = |key: &str| object.get(key).and_then(Value::as_bool) == Some(true);
        let items = |key: &str| object.get(key).and_then(Value::as_array).into_iter().flatten();
        let folder = file.parent().and_then(Path::file_name);
        let expects_error = |v: &Value| !matches!(v, Value::Null | Value::Bool(false));
        let stream = object.get("text").is_some() || object.get("chunks").is_some();
        let mut vector = Self {
            id: text_of("id").unwrap_or_else(|| format!("line {line}")),
            kind,
            format: text_of("format").unwrap_or_default(),
            reasoning_file: folder.is_some_and(|name| name == "reasoning")
                || file.file_name().is_some_and(|name| name == "reasoning.jsonl"),
            tools: items("tools").filter_map(read_tool).collect(),
            text: text_of("text").unwrap_or_default(),
            chunks: Vec::new(),
            native: Vec::new(),
            unsupported: None,
            input: object.get("input").cloned(),
            value: object.get("value").cloned(),
            schema: object.get("schema").cloned(),
            mode: text_of("mode"),
            options: object.get("options").map(members).unwrap_or_default(),
            expect: object.get("expect").cloned(),
            expect_error: object.get("expect_error").is_some_and(expects_error),
            expect_error_kind: text_of("expect_error"),
            informative: is_true("informative"),
            expects: object.get("expect_error").is_some()
                || object.get("expect").is_some_and(|expect| !is_empty_object(expect, stream)),
            trimmed: text_of("note").is_some_and(|note| note.contains("trimming both ends")),
        };
        if items("chunks").any(|chunk| chunk.get("delta").is_some()) {
            vector.native = items("chunks").cloned().collect();
        }
        for chunk in items("chunks") {
            match chunk_text(chunk) {
                Ok(text) => vector.chunks.push(text),
                Err(why) => vector.unsupported = Some(why),
            }
        }
        if !object.iter().any(|(key, _)| key == "text") {
            vector.text = vector.chunks.concat();
        } else if !vector.chunks.is_empty() && vector.chunks.concat() != vector.text {
            vector.unsupported.get_or_insert("its chunks do not join to its text".into());
        }
        Ok(vector)
    }
}

/// What a case without `kind` is.
fn infer_kind(object: &Object) -> &'static str {
    let has = |key| object.get(key).is_some();
    let expects = |key| object.get("expect").is_some_and(|e| e.get(key).is_some());
    if has("value") {
        "coerce"
    } else if has("mode") {
        "rjson"
    } else if has("text") || has("chunks") {
        match () {
            () if expects("segments") || expects("invocations") => "segments",
            () if expects("events") => "agent-events",
            () => "protocol",
        }
    } else {
        "rxml"
    }
}

/// Whether an expectation of a decoded stream says nothing; any other may expect an empty object.
fn is_empty_object(expect: &Value, stream: bool) -> bool {
    stream && expect.as_object().is_some_and(Object::is_empty)
}

fn members(value: &Value) -> Vec<(String, Value)> {
    let object = value.as_object().into_iter().flat_map(Object::iter);
    object.map(|(key, value)| (key.to_string(), value.clone())).collect()
}

/// The text of a chunk: a string, or `{"delta": {"content"}}` without anything else that counts.
fn chunk_text(chunk: &Value) -> Result<String, String> {
    if let Some(text) = chunk.as_str() {
        return Ok(text.to_owned());
    }
    let delta = chunk.get("delta").map(members).ok_or("a chunk is neither text nor a delta")?;
    let mut text = String::new();
    for (key, value) in delta {
        match (key.as_str(), &value) {
            ("content", Value::String(content)) => text.push_str(content),
            ("role", _) | (_, Value::Null) => {}
            _ => return Err(format!("chunks with `{key}` deltas are not built yet")),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vector {
        Vector::read(Path::new("formats/x.jsonl"), 3, line).unwrap()
    }

    #[test]
    fn kind_is_inferred_from_the_keys() {
        for (line, kind) in [
            (r#"{"value": 1, "schema": {}}"#, "coerce"),
            (r#"{"mode": "strict", "input": "1"}"#, "rjson"),
            (r#"{"format": "x", "text": "a"}"#, "protocol"),
            (r#"{"format": "x", "chunks": ["a"], "expect": {"segments": []}}"#, "segments"),
            (r#"{"format": "x", "text": "a", "expect": {"invocations": []}}"#, "segments"),
            (r#"{"format": "x", "text": "a", "expect": {"events": []}}"#, "agent-events"),
            (r#"{"input": "<a/>"}"#, "rxml"),
            (r#"{"kind": "api", "input": "a"}"#, "api"),
        ] {
            assert_eq!(read(line).kind, kind, "{line}");
        }
    }

    #[test]
    fn chunks_may_be_deltas_with_content() {
        let vector = read(
            r#"{"format": "x", "chunks": ["a", {"delta": {"content": "b", "role": "x"}}, {"delta": {}}]}"#,
        );
        assert_eq!((vector.text.as_str(), vector.unsupported), ("ab", None));
        let native = read(r#"{"format": "x", "chunks": [{"delta": {"tool_calls": [1]}}]}"#);
        assert!(native.unsupported.unwrap().contains("tool_calls"));
        assert!(read(r#"{"format": "x", "text": "ab", "chunks": ["a"]}"#).unsupported.is_some());
    }

    #[test]
    fn lines_that_are_no_cases_are_refused() {
        assert!(Vector::read(Path::new("x.jsonl"), 1, "{").is_err());
        assert!(Vector::read(Path::new("x.jsonl"), 1, "[]").is_err());
        assert_eq!(read("{}").id, "line 3");
    }
}
