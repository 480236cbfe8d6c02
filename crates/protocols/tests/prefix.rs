//! What the prompt has written of the message: wherever it ends, the same calls are read, and nothing of
//! it is shown.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{
    Protocol, ProtocolExt, Registry, Request, Tool, ToolCall, ToolSet, formats,
};
use toolweir_rjson::{Mode, parse};
use toolweir_segments::{Kind, StreamEnd, Turn};
use toolweir_testkit::{CheckOptions, Splits, check};

fn request(prefix: &str) -> Request {
    let schema = r#"{"type": "object", "properties": {"shed": {"type": "string"}}}"#;
    let schema = parse(schema, Mode::Strict).unwrap().value;
    let tools = ToolSet::new([Tool::new("loom_set").parameters(schema)]).unwrap();
    let mut request = Request::new(tools);
    request.prefix = prefix.to_owned();
    request
}

fn calls(turn: &Turn) -> Vec<(String, String)> {
    turn.calls().map(|call| (call.name.to_owned(), call.arguments.to_owned())).collect()
}

/// The visible text whose source stands after an offset.
fn text_from(turn: &Turn, source: &str, at: usize) -> String {
    let texts = turn.parts.iter().filter(|part| part.kind == Kind::Text);
    let spans = texts.map(|part| (part.span.start as usize, part.span.end as usize));
    spans.filter_map(|(start, end)| source.get(start.max(at)..end)).collect()
}

fn each(protocol: &dyn Protocol, text: &str) {
    let name = protocol.name();
    let whole = protocol.parse(text, &request("")).unwrap();
    for (at, _) in text.char_indices().skip(1) {
        let (prefix, rest) = text.split_at(at);
        let turn = protocol.parse(rest, &request(prefix)).unwrap();
        assert_eq!(calls(&turn), calls(&whole), "{name}: {prefix:?} | {rest:?}");
        if !protocol.decodes_text(&request("")) {
            let shown = text_from(&whole, text, at);
            assert_eq!(turn.text(), shown, "{name}: {prefix:?} | {rest:?}");
        }
    }
}

#[test]
fn a_message_goes_on_wherever_the_prompt_ends() {
    let registry = Registry::builtin();
    let call = ToolCall::new("loom_set", r#"{"shed":"rib"}"#);
    for row in formats::specs().iter().filter(|row| row.prompt.is_empty()) {
        let protocol = registry.get(&row.name).unwrap();
        // One row is that of a single tool.
        let Ok(text) = protocol.format_tool_calls(&[call.clone(), call.clone()]) else { continue };
        each(&**protocol, &format!("Weft.\n{text}"));
    }
}

#[test]
fn the_laws_hold_behind_a_prefix() {
    let registry = Registry::builtin();
    let options = CheckOptions::with_splits(Splits::few(2));
    let text = "Weft. <think>I\nweave</think> So.\n<tool_call>\n{\"name\": \"loom_set\", \
                \"arguments\": {\"shed\": \"rib\"}}\n</tool_call> <tool_call>{\"nam";
    let hermes = registry.get("hermes").unwrap();
    for (at, _) in text.char_indices() {
        let (prefix, rest) = text.split_at(at);
        check(&**hermes, &request(prefix), rest, StreamEnd::Stop, &options).unwrap();
    }
    let cut = hermes.parse("x", &request("<tool_call>{\"name\": \"loom_set\", ")).unwrap();
    assert_eq!((cut.calls().count(), cut.text()), (0, "x".to_owned()));
    let empty = hermes.parse("", &request("Weft. <think>So")).unwrap();
    assert_eq!((empty.text(), empty.reasoning()), (String::new(), String::new()));
}

/// Messages of the formats that are read by hand, and how many calls each holds.
const BY_HAND: &[(&str, usize, &str)] = &[
    (
        "segments-xml",
        2,
        "Weft <b>\n<think>so</think>\n<tool name=\"loom_set\"><arguments><arg name=\"shed\">rib</arg>\
         </arguments></tool> and <write_file path=\"a.txt\">\none <two>\n</write_file>\ndone",
    ),
    (
        "segments-json",
        1,
        "Weft. <think>I\nweave</think> {\"tool\": \"loom_set\", \"arguments\": {\"shed\": \"rib\"}} {x} end",
    ),
    (
        "segments-sentinel",
        1,
        "Weft [x [[SEG_START {\"type\":\"tool\",\"tool_name\":\"loom_set\"}]]{\"shed\": \"rib\"}\
         [[SEG_END]] end",
    ),
    ("segments-api", 0, "Weft. <think>I weave</think> done"),
    (
        "tool-choice",
        1,
        "<think>I\nweave</think>\nSure: {\"name\": \"loom_set\", \"arguments\": {\"shed\": \"rib\"}}",
    ),
    ("tool-choice", 1, "{\"loom\": [1]} none"),
    (
        "aider-diff",
        1,
        "Weft.\n<think>so\n</think>\n\na.py\n```\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\nb.py\n\
         ```\n<<<<<<< SEARCH\n=======\n",
    ),
];

#[test]
fn decoders_by_hand_go_on_wherever_the_prompt_ends() {
    let registry = Registry::builtin();
    let options = CheckOptions::with_splits(Splits::few(2));
    for (name, count, text) in BY_HAND {
        let protocol = registry.get(name).unwrap();
        each(&**protocol, text);
        let whole = protocol.parse(text, &request("")).unwrap();
        assert_eq!(whole.every_call().count(), *count, "{name}");
        for (at, _) in text.char_indices() {
            let (prefix, rest) = text.split_at(at);
            let turn = check(&**protocol, &request(prefix), rest, StreamEnd::Stop, &options)
                .unwrap_or_else(|report| panic!("{name}: {prefix:?} | {rest:?}\n{report}"));
            let ends = |turn: &Turn| {
                let parts = turn.parts.iter().filter(|part| matches!(part.kind, Kind::Call(_)));
                parts.map(|part| (part.outcome, part.reason)).collect::<Vec<_>>()
            };
            assert_eq!(ends(&turn), ends(&whole), "{name}: {prefix:?} | {rest:?}");
            assert!(whole.reasoning().ends_with(&turn.reasoning()), "{name}: {prefix:?}");
        }
        let empty = protocol.parse("", &request(text)).unwrap();
        assert_eq!((empty.text(), empty.reasoning()), (String::new(), String::new()));
        assert_eq!(calls(&empty), calls(&whole), "{name}");
    }
}
