//! Several formats at once: each reads what it reads alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toolweir_protocols::{
    FormatSpec, ProtocolExt, Registry, Request, Tool, ToolCall, ToolSet, formats,
};
use toolweir_rjson::{Mode, parse};

fn request() -> Request {
    let schema = r#"{"type": "object", "properties": {"shed": {"type": "string"}}}"#;
    let tool = Tool::new("loom_set").parameters(parse(schema, Mode::Strict).unwrap().value);
    Request::new(ToolSet::new([tool]).unwrap())
}

#[test]
fn every_two_rows_read_the_calls_of_both() {
    let (registry, request) = (Registry::builtin(), request());
    let call = ToolCall::new("loom_set", r#"{"shed":"rib"}"#);
    let mut wrong = String::new();
    let calls = |turn: &toolweir_segments::Turn| {
        let calls = turn.calls().map(|c| (c.name.to_owned(), c.arguments.to_owned()));
        calls.collect::<Vec<_>>()
    };
    let rows = formats::specs();
    let written: BTreeMap<String, _> = rows
        .iter()
        .map(|row| {
            let alone = registry.get(&row.name).unwrap();
            let text = alone.format_tool_calls(&[call.clone(), call.clone()]).unwrap();
            let expected = calls(&alone.parse(&text, &request).unwrap());
            (row.name.clone(), (text, expected))
        })
        .collect();
    for first in &rows {
        for second in &rows {
            let names = format!("{},{}", first.name, second.name);
            let Ok(both) = registry.union(&names) else {
                assert!(apart(first, second), "{names} cannot be read at once");
                continue;
            };
            assert!(!apart(first, second) || first.name == second.name, "{names}");
            for name in [&first.name, &second.name] {
                let (text, expected) = &written[name];
                let turn = both.parse(text, &request).unwrap();
                if calls(&turn) != *expected {
                    writeln!(wrong, "{names}: {name}: {text:?} gives {:?}", calls(&turn)).unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Whether two rows cannot be read at once: the objects of one carry visible text, or the tags of
/// declared tools open calls of both.
fn apart(first: &FormatSpec, second: &FormatSpec) -> bool {
    let any = |spec: &FormatSpec, part: &str| spec.call.iter().any(|c| c.pattern.contains(part));
    let carries = |spec: &FormatSpec| any(spec, "\"content\": text");
    let tags = |spec: &FormatSpec| any(spec, "<{name}>");
    carries(first) || carries(second) || tags(first) && tags(second)
}

#[test]
fn what_cannot_be_read_beside_others_is_refused() {
    let registry = Registry::builtin();
    let refused = |names: &str| registry.union(names).err().unwrap().to_string();
    assert_eq!(
        refused("hermes,tool-choice"),
        "`tool-choice` cannot be read beside other formats: its decoder is written by hand"
    );
    assert_eq!(refused("hermes,herms"), "unknown format `herms`; did you mean hermes?");
    assert_eq!(registry.union("nous").unwrap().name(), "hermes");
}
