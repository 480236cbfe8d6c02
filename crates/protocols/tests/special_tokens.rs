//! `markers = special-only` in every row: markers that are special tokens count where the source says so,
//! and nowhere else.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::ops::Range;

use toolweir_protocols::{
    Chunk, FormatSpec, MarkerPolicy, Protocol, Registry, Request, Special, Tool, ToolCall, ToolSet,
    formats,
};
use toolweir_rjson::{Mode, parse};
use toolweir_segments::{Fold, StreamEnd, Turn};

fn request() -> Request {
    let schema = r#"{"type": "object", "properties": {"shed": {"type": "string"}}}"#;
    let schema = parse(schema, Mode::Strict).unwrap().value;
    let tools = ToolSet::new([Tool::new("loom_set").parameters(schema)]).unwrap();
    let mut request = Request::new(tools);
    request.policies.markers = MarkerPolicy::SpecialOnly;
    request
}

/// Where the texts stand in a text; of those that overlap the first and longest.
fn places(text: &str, tokens: &[String]) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = tokens
        .iter()
        .filter(|token| !token.is_empty())
        .flat_map(|token| text.match_indices(token.as_str()))
        .map(|(at, found)| at..at + found.len())
        .collect();
    places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    let mut end = 0;
    places.retain(|place| {
        let apart = place.start >= end;
        end = if apart { place.end } else { end };
        apart
    });
    places
}

fn decode(protocol: &dyn Protocol, text: &str, special: &[Range<usize>]) -> Turn {
    let mut decoder = protocol.decoder(&request()).unwrap();
    let mut fold = Fold::new();
    decoder.push(Chunk::attributed(text, special), &mut fold);
    decoder.finish(StreamEnd::Stop, &mut fold);
    fold.into_turn()
}

/// Rows whose calls may begin without a marker too.
fn begins_unmarked(row: &FormatSpec) -> bool {
    let bare = |pattern: &str| pattern.starts_with(['{', '[']);
    row.call.iter().any(|call| bare(&call.pattern)) && row.wrap.iter().all(|wrap| bare(wrap))
}

#[test]
fn special_tokens_count_where_the_source_says_so() {
    let registry = Registry::builtin();
    let call = ToolCall::new("loom_set", r#"{"shed":"rib"}"#);
    for row in formats::specs().iter().filter(|row| row.special != Special::None) {
        let protocol = registry.get(&row.name).unwrap();
        let text = protocol.format_tool_calls(std::slice::from_ref(&call)).unwrap();
        let tokens = protocol.special_markers();
        let special = places(&text, &tokens);
        let turn = decode(&**protocol, &text, &special);
        let found: Vec<&str> = turn.calls().map(|call| call.name).collect();
        assert_eq!(found, ["loom_set"], "{}: {text}\n{special:?}", row.name);
        if begins_unmarked(row) {
            continue;
        }
        assert!(!special.is_empty(), "{}: {text}", row.name);
        // One token elsewhere: the source attributes, and these are spelled out.
        let text = format!("<|bos|>{text}");
        let elsewhere = std::iter::once(0..7).collect::<Vec<_>>();
        let turn = decode(&**protocol, &text, &elsewhere);
        assert_eq!(turn.calls().count(), 0, "{}: {text}", row.name);
        assert_eq!(turn.text(), text, "{}", row.name);
    }
}

#[test]
fn a_row_knows_each_token_of_its_lines() {
    let registry = Registry::builtin();
    let tokens = |format: &str| registry.get(format).unwrap().special_markers();
    let kimi = [
        "<|tool_calls_section_begin|>",
        "<|tool_call_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_section_end|>",
        "<|tool_call_begin|>",
        "<|tool_call_argument_begin|>",
        "<|tool_call_end|>",
        "<|im_end|>",
    ];
    assert_eq!(tokens("kimi-k2"), kimi);
    assert_eq!(tokens("mistral-v11"), ["[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"]);
    assert!(tokens("functiongemma").iter().any(|token| token == "<escape>"));
    let harmony = ["<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|call|>"];
    assert_eq!(tokens("harmony")[..5], harmony);
    assert_eq!(tokens("minicpm5"), ["<function", "<param", "</param>", "</function>"]);
    assert!(tokens("hermes").is_empty());
    for row in formats::specs() {
        let mut tokens = tokens(&row.name);
        let words = tokens.iter().all(|token| !token.contains([' ', '\n']) && !token.is_empty());
        let count = tokens.len();
        tokens.sort();
        tokens.dedup();
        assert!(words && count == tokens.len(), "{}: {tokens:?}", row.name);
        assert_eq!(count == 0, row.special == Special::None, "{}", row.name);
    }
}
