use toolweir_segments::Turn;

use crate::protocol::ProtocolExt as _;
use crate::{Registry, Request};

/// Bytes of visible text that are searched.
const WITHIN: usize = 4 << 10;

const JSON: &str = "<tool_call>\n{\"name\": \"dice\", \"arguments\": {}}\n</tool_call>";
const TAGS: &str = "<tool_call>\n<function=dice>\n</function>\n</tool_call>";

fn turn(format: &str, text: &str) -> Turn {
    Registry::builtin().union(format).unwrap().parse(text, &Request::default()).unwrap()
}

/// The formats that were named.
fn named(format: &str, text: &str) -> Vec<String> {
    let turn = turn(format, text);
    let found = turn.diagnostics_with("engine::other-format");
    let named =
        |d: &toolweir_segments::Diagnostic<'_>| d.message.split('`').nth(3).unwrap().to_owned();
    found.map(named).collect()
}

#[test]
fn the_format_that_a_text_looks_like_is_named_once() {
    for (active, text, format) in [
        ("mistral", JSON, "hermes"),
        ("hermes", TAGS, "qwen3-coder"),
        ("hermes", "Well. [TOOL_CALLS][{\"name\": \"dice\"}]", "mistral"),
        ("hermes", "Well. [TOOL_CALLS]dice[ARGS]{}", "mistral-v11"),
        ("morph-xml", JSON, "hermes"),
        ("hermes", "<|tool_calls_section_begin|><|tool_call_begin|>functions.dice:0", "kimi-k2"),
        ("hermes", "<minimax:tool_call>\n<invoke name=\"dice\">", "minimax-m2"),
        ("hermes,mistral", TAGS, "qwen3-coder"),
    ] {
        assert_eq!(named(active, text), [format], "{active} {text}");
        assert_eq!(named(active, &format!("One. {text} Two. {text}")), [format], "{active} {text}");
        assert_eq!(turn(active, text).text(), text, "it stays text");
    }
}

#[test]
fn what_is_read_or_is_prose_is_not_named() {
    for (active, text) in [
        ("hermes", JSON),
        ("hermes", "<tool_call>oops</tool_call>"),
        ("json-mix", "<tool_call>{\"arguments\": {}}</tool_call>"),
        ("agent-prompt", "<tool_call>[1]</tool_call>"),
        ("qwen3-coder", TAGS),
        ("hermes,qwen3-coder", TAGS),
        ("harmony", "<|start|>assistant to=container.exec<|channel|>commentary<|message|>ls"),
        ("hermes", "A list [1, 2], a tag <b>, a fence:\n```json\n{\"name\": \"dice\"}\n```\n"),
        ("hermes", "a < b, and <tool> too; functions.dice; call: <invoked name=a>"),
    ] {
        assert!(named(active, text).is_empty(), "{active} {text}: {:?}", named(active, text));
    }
}

#[test]
fn the_place_is_that_of_the_opener() {
    let turn = turn("mistral", &format!("é. {JSON}"));
    let found = turn.diagnostics_with("engine::other-format").next().unwrap();
    assert_eq!((found.span.start, found.span.end), (4, 17));
    assert_eq!(found.severity, toolweir_segments::Severity::Info);
}

#[test]
fn only_the_first_stretch_of_text_counts() {
    let after = |bytes: usize| format!("{}{JSON}", "x".repeat(bytes));
    assert_eq!(named("mistral", &after(WITHIN - 100)), ["hermes"]);
    assert!(named("mistral", &after(WITHIN)).is_empty());
    assert!(named("mistral", &after(WITHIN - 5)).is_empty(), "an opener that leaves it");
}

#[test]
fn chunks_do_not_matter_and_all_is_as_without_it() {
    for (active, text) in [("mistral", JSON), ("hermes", TAGS)] {
        let near = WITHIN - text.len() - 3;
        for text in [format!("a <b <{text} c"), format!("{}{text}", "<".repeat(near))] {
            let whole = turn(active, &text);
            assert_eq!(whole.text(), text);
            for size in [1, 2, 7, 64, 1000] {
                let mut decoder =
                    Registry::builtin().get(active).unwrap().decoder(&Request::default()).unwrap();
                let mut fold = toolweir_segments::Fold::new();
                let characters: Vec<char> = text.chars().collect();
                for chunk in characters.chunks(size) {
                    let chunk: String = chunk.iter().collect();
                    decoder.push(crate::Chunk::text(&chunk), &mut fold);
                }
                decoder.finish(toolweir_segments::StreamEnd::Stop, &mut fold);
                assert_eq!(*fold.turn(), whole, "{active} by {size}");
            }
        }
    }
}
