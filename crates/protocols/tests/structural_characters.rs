//! One structural character or tag of a call left out or written twice, in every format: it runs with
//! what was meant, or not at all, or with a warning; and how it is cut into chunks changes nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{Protocol, Registry, Request, Tool, ToolCall, ToolSet, decode_chunks};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{Fold, Severity, StreamEnd, Turn};

const SCHEMA: &str = r#"{
    "required": ["title"],
    "properties": {
        "title": {"type": "string"},
        "days": {"type": "integer"},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "level": {"type": "integer"}}
        },
        "guests": {
            "type": "array",
            "items": {
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "role": {"type": "string"}}
            }
        }
    }
}"#;

/// JSON calls whose strings hold no structural characters.
const CALLS: &[&str] = &[
    r#"{"name": "plan", "arguments": {"guests": [{"name": "Ida", "role": "host"}, {"name": "Ole"}], "title": "Regatta", "days": 3, "open": true, "tags": ["sea", "ebb"]}}"#,
    r#"{"name":"plan","arguments":{"title":"Regatta","note":{"text":"bring oars","level":2},"tags":["sea"],"guests":[{"name":"Ida"}]}}"#,
    "{\n  \"name\": \"plan\",\n  \"arguments\": {\n    \"tags\": [\n      \"sea\",\n      \"ebb\"\n    ],\n    \"title\": \"Regatta\"\n  }\n}",
];

/// Arguments that each format writes in its own way.
const ARGUMENTS: &[&str] = &[
    r#"{"title":"Regatta","days":3,"open":true,"tags":["sea","ebb"]}"#,
    r#"{"tags":["sea"],"note":{"text":"oars","level":2},"title":"Regatta"}"#,
    r#"{"days":12,"title":"Sea","open":false}"#,
];

/// Formats with decoders of their own, which the engine does not read yet.
const OTHER_DECODERS: &[&str] = &["segments-xml"];

fn value(json: &str) -> Value {
    parse(json, Mode::Strict).unwrap().value
}

fn request() -> Request {
    Request::new(ToolSet::new([Tool::new("plan").parameters(value(SCHEMA))]).unwrap())
}

fn turn<'t>(
    protocol: &dyn Protocol,
    request: &Request,
    chunks: impl IntoIterator<Item = &'t str>,
) -> Turn {
    let mut fold = Fold::new();
    decode_chunks(protocol, chunks, StreamEnd::Stop, request, &mut fold).unwrap();
    fold.into_turn()
}

/// The text with a piece of it left out, and with it written twice.
fn damaged(text: &str, at: usize, len: usize) -> [String; 2] {
    let (before, from) = text.split_at(at);
    let (piece, after) = from.split_at(len);
    [format!("{before}{after}"), format!("{before}{piece}{from}")]
}

/// The characters of a text that are no letters or digits, and its tags.
fn structure(text: &str) -> Vec<(usize, usize)> {
    let signs = text.char_indices().filter(|(_, c)| !c.is_alphanumeric());
    let mut found: Vec<_> = signs.map(|(at, c)| (at, c.len_utf8())).collect();
    for (at, _) in text.match_indices('<') {
        let (_, tag) = text.split_at(at);
        let end = tag.find('>').filter(|end| !tag.chars().take(*end).skip(1).any(|c| c == '<'));
        found.extend(end.map(|end| (at, end + 1)));
    }
    found
}

#[test]
fn json_gives_what_was_meant_or_no_call() {
    let registry = Registry::builtin();
    let request = request();
    let (mut all, mut run) = (0, 0);
    for format in ["hermes", "json-mix"] {
        let protocol = registry.get(format).unwrap();
        for call in CALLS {
            let meant = value(call);
            let meant = meant.pointer("/arguments").unwrap();
            for (at, sign) in call.match_indices(['"', '{', '}', '[', ']', ',', ':']) {
                for text in damaged(call, at, sign.len()) {
                    all += 1;
                    let text = format!("<tool_call>\n{text}\n</tool_call>\n");
                    for found in turn(&**protocol, &request, [text.as_str()]).calls() {
                        assert_eq!(&value(found.arguments), meant, "{format}: {text}");
                        run += 1;
                    }
                }
            }
        }
    }
    assert!(run * 3 > all, "many single slips are mended: {run} of {all}");
}

/// Whether arguments are what was meant, but for a sign at the edge of a text: a text may hold it.
fn is_meant(found: &Value, meant: &Value) -> bool {
    let edges = ['<', '>', ']', '\n'];
    match (found, meant) {
        (Value::String(found), Value::String(meant)) => found.trim_matches(edges) == meant,
        (Value::Array(found), Value::Array(meant)) => {
            found.len() == meant.len()
                && found.iter().zip(meant.iter()).all(|(f, m)| is_meant(f, m))
        }
        (Value::Object(found), Value::Object(meant)) => {
            let same = |(key, value)| found.get(key).is_some_and(|found| is_meant(found, value));
            found.len() == meant.len() && meant.iter().all(same)
        }
        _ => found == meant,
    }
}

/// A comma is missing between two texts of a list: in Python these are one.
fn is_joined(text: &str) -> bool {
    text.contains("=[\"sea\" \"ebb\"]")
}

#[test]
fn every_format_gives_what_was_meant_or_a_warning_or_no_call() {
    let registry = Registry::builtin();
    let request = request();
    let mut written = 0;
    for format in registry.names().filter(|format| !OTHER_DECODERS.contains(format)) {
        let protocol = &**registry.get(format).unwrap();
        for arguments in ARGUMENTS {
            let Ok(text) = protocol.format_tool_calls(&[ToolCall::new("plan", *arguments)]) else {
                continue;
            };
            written += 1;
            let meant = value(arguments);
            for (at, len) in structure(&text) {
                for text in damaged(&text, at, len).iter().filter(|text| !is_joined(text)) {
                    let whole = turn(protocol, &request, [text.as_str()]);
                    let warned = whole.diagnostics.iter().any(|d| d.severity > Severity::Info);
                    let calls: Vec<&str> = whole.calls().map(|call| call.arguments).collect();
                    for call in &calls {
                        let right = warned || is_meant(&value(call), &meant);
                        assert!(right, "{format}: {text:?} ran with {call}");
                    }
                    let cut = turn(protocol, &request, text.split_inclusive(|_| true));
                    let same = cut.calls().map(|call| call.arguments).eq(calls);
                    assert!(same, "{format}: {text:?} depends on its chunks");
                }
            }
        }
    }
    assert!(written > 180, "most formats write calls: {written}");
}
