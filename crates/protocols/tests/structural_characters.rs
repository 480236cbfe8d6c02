//! One structural character of a JSON call left out or written twice: it runs with what was meant, or not at all.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{ProtocolExt as _, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Value, parse};

const SCHEMA: &str = r#"{
    "required": ["title"],
    "properties": {
        "title": {"type": "string"},
        "days": {"type": "integer"},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"properties": {"text": {"type": "string"}, "level": {"type": "integer"}}},
        "guests": {
            "type": "array",
            "items": {
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "role": {"type": "string"}}
            }
        }
    }
}"#;

/// Calls whose strings hold no structural characters.
const CALLS: &[&str] = &[
    r#"{"name": "plan", "arguments": {"guests": [{"name": "Ida", "role": "host"}, {"name": "Ole"}], "title": "Regatta", "days": 3, "open": true, "tags": ["sea", "ebb"]}}"#,
    r#"{"name":"plan","arguments":{"title":"Regatta","note":{"text":"bring oars","level":2},"tags":["sea"],"guests":[{"name":"Ida"}]}}"#,
    "{\n  \"name\": \"plan\",\n  \"arguments\": {\n    \"tags\": [\n      \"sea\",\n      \"ebb\"\n    ],\n    \"title\": \"Regatta\"\n  }\n}",
];

fn value(json: &str) -> Value {
    parse(json, Mode::Strict).unwrap().value
}

/// The text with each structural character left out, and with it written twice.
fn damaged(call: &str) -> impl Iterator<Item = String> {
    let found = call.match_indices(['"', '{', '}', '[', ']', ',', ':']);
    found.flat_map(|(at, character)| {
        let (before, behind) = call.split_at(at);
        let rest = behind.strip_prefix(character).unwrap_or_default();
        [format!("{before}{rest}"), format!("{before}{character}{behind}")]
    })
}

#[test]
fn one_character_too_few_or_too_many_gives_what_was_meant_or_no_call() {
    let registry = Registry::builtin();
    let tools = ToolSet::new([Tool::new("plan").parameters(value(SCHEMA))]).unwrap();
    let request = Request::new(tools);
    let (mut all, mut run) = (0, 0);
    for format in ["hermes", "json-mix"] {
        let protocol = registry.get(format).unwrap();
        for call in CALLS {
            let meant = value(call);
            let meant = meant.pointer("/arguments").unwrap();
            for text in damaged(call) {
                all += 1;
                let turn = protocol
                    .parse(&format!("<tool_call>\n{text}\n</tool_call>\n"), &request)
                    .unwrap();
                for found in turn.calls() {
                    assert_eq!(&value(found.arguments), meant, "{format}: {text}");
                    run += 1;
                }
            }
        }
    }
    assert!(run * 3 > all, "many single slips are mended: {run} of {all}");
}
