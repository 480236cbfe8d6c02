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

/// Two calls that a row can write: its own tool, where it has one.
fn calls_of(row: &FormatSpec) -> [ToolCall; 2] {
    match row.name.as_str() {
        "apply-patch" => ["a", "b"].map(|path| {
            let patch = format!("*** Begin Patch\\n*** Delete File: {path}\\n*** End Patch");
            ToolCall::new("apply_patch", format!("{{\"input\":\"{patch}\"}}"))
        }),
        _ => [r#"{"shed":"rib"}"#, "{}"].map(|args| ToolCall::new("loom_set", args)),
    }
}

#[test]
fn every_two_rows_read_the_calls_of_both() {
    let (registry, request) = (Registry::builtin(), request());
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
            let text = alone.format_tool_calls(&calls_of(row)).unwrap();
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
                // Where both read it the first one counts.
                let first = registry.get(&first.name).unwrap();
                let same = |turn: &toolweir_segments::Turn| {
                    let first = first.parse(text, &request).unwrap();
                    calls(turn).len() == 2 && calls(&first) == calls(turn)
                };
                if calls(&turn) != *expected && !same(&turn) {
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

/// Names and arguments of the calls, and the text.
fn told(turn: &toolweir_segments::Turn) -> (Vec<(String, String)>, String) {
    let calls = turn.calls().map(|c| (c.name.to_owned(), c.arguments.to_owned()));
    (calls.collect(), turn.text())
}

#[test]
fn auto_reads_the_calls_of_every_row_that_can_be_read_beside_others() {
    let (registry, request) = (Registry::builtin(), request());
    let auto = registry.union("auto").unwrap();
    let mut wrong = String::new();
    for row in formats::specs() {
        // Objects that carry text, and tags of declared tools.
        let hidden = |call: &toolweir_protocols::CallPattern| {
            call.pattern.contains("\"content\": text") || call.pattern.contains("<{name}>")
        };
        if row.call.iter().any(hidden) {
            continue;
        }
        let alone = registry.get(&row.name).unwrap();
        let written = alone.format_tool_calls(&calls_of(&row)).unwrap();
        for text in [written.clone(), format!("Two.\n\n{written}\n\nDone.")] {
            let expected = told(&alone.parse(&text, &request).unwrap());
            let found = told(&auto.parse(&text, &request).unwrap());
            if found.0 != expected.0 {
                writeln!(wrong, "{}: {text:?}: {found:?}, not {expected:?}", row.name).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_format_of_the_first_call_reads_on_alone() {
    let registry = Registry::builtin();
    let qwen =
        "<tool_call><function=loom_set><parameter=shed>rib</parameter></function></tool_call>";
    let mistral = "[TOOL_CALLS][{\"name\": \"loom_set\", \"arguments\": {}}]";
    for names in ["mistral,qwen3-coder", "qwen3-coder,mistral", "auto"] {
        let union = registry.union(names).unwrap();
        for (first, second) in [(qwen, mistral), (mistral, qwen)] {
            let text = format!("One. {first} Two. {second}");
            let (calls, shown) = told(&union.parse(&text, &request()).unwrap());
            assert_eq!(calls.len(), 1, "{names}: {text}");
            assert_eq!(shown, format!("One.  Two. {second}"), "{names}");
        }
    }
}

#[test]
fn once_it_is_chosen_a_format_is_read_as_freely_as_alone() {
    let registry = Registry::builtin();
    let union = registry.union("hermes,qwen3-coder").unwrap();
    // The second call is in letters and with an attribute that only the free reading knows.
    let text = "<tool_call><function=loom_set></function></tool_call>\
                <TOOL_CALL><function name=\"loom_set\"><param name=\"shed\">rib</param></function></TOOL_CALL>";
    let alone = registry.get("qwen3-coder").unwrap();
    let expected = told(&alone.parse(text, &request()).unwrap());
    assert_eq!(expected.0.len(), 2);
    assert_eq!(told(&union.parse(text, &request()).unwrap()), expected);
    // Before a call is there, a tag is read as it is spelled.
    let (calls, shown) = told(&union.parse("<TOOL_CALL>loom_set</TOOL_CALL>", &request()).unwrap());
    assert_eq!((calls.len(), shown.as_str()), (0, "<TOOL_CALL>loom_set</TOOL_CALL>"));
}

#[test]
fn plain_words_open_calls_at_the_start_of_a_message_only() {
    let registry = Registry::builtin();
    let union = registry.union("hermes,phi4-mini").unwrap();
    let call = "functools[{\"name\": \"loom_set\", \"arguments\": {}}]";
    assert_eq!(told(&union.parse(call, &request()).unwrap()).0.len(), 1);
    let text = format!("Use {call}");
    assert_eq!(told(&union.parse(&text, &request()).unwrap()), (Vec::new(), text.clone()));
    // Alone it is no such word.
    let alone = registry.get("phi4-mini").unwrap();
    assert_eq!(told(&alone.parse(&text, &request()).unwrap()).0.len(), 1);
}

#[test]
fn chunks_do_not_matter_to_the_choice() {
    let union = Registry::builtin().union("auto").unwrap();
    let text = "<think>Hm.</think>Two.\n\n<tool_call>\n<function=loom_set>\n<parameter=shed>\nrib\n\
                </parameter>\n</function>\n</tool_call> [TOOL_CALLS] ok";
    let mut request = request();
    request.emit.markup = true;
    let whole = union.parse(text, &request).unwrap();
    assert_eq!((whole.calls().count(), whole.reasoning().as_str()), (1, "Hm."));
    for at in (1..text.len()).filter(|at| text.is_char_boundary(*at)) {
        let mut fold = toolweir_segments::Fold::new();
        let (left, right) = text.split_at(at);
        let end = toolweir_segments::StreamEnd::Stop;
        toolweir_protocols::decode_chunks(&*union, [left, right], end, &request, &mut fold)
            .unwrap();
        assert_eq!(fold.into_turn(), whole, "at {at}");
    }
}
