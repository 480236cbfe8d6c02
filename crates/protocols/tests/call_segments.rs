//! The exact source of each call, in every format.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use toolweir_protocols::{ProtocolExt, Registry, Request, Tool, ToolCall, ToolSet};

fn request() -> Request {
    Request::new(ToolSet::new([Tool::new("loom_set"), Tool::new("dice")]).unwrap())
}

fn sources(format: &str, text: &str) -> Vec<(String, String)> {
    let registry = Registry::builtin();
    let segments = registry.get(format).unwrap().tool_call_segments(text, &request()).unwrap();
    for segment in &segments {
        let (start, end) = (segment.span.start as usize, segment.span.end as usize);
        assert_eq!(
            text.get(start..end),
            Some(segment.source),
            "{format}: the span is the source's"
        );
    }
    // Line breaks that a template prints before a call are its markup.
    segments.into_iter().map(|segment| (segment.name, segment.source.trim().to_owned())).collect()
}

/// Formats without calls in text, or whose answer is nothing but one document.
const WITHOUT_PROSE: [&str; 4] = ["agent-native", "pass-through", "segments-api", "tool-choice"];

#[test]
fn a_rendered_call_is_its_own_source_in_every_format() {
    let registry = Registry::builtin();
    let mut seen = 0;
    for name in registry.names().filter(|name| !WITHOUT_PROSE.contains(name)) {
        let protocol = registry.get(name).unwrap();
        let first = ToolCall::new("loom_set", r#"{"shafts":"eight"}"#);
        let second = ToolCall::new("dice", r#"{"sides":"six, or more"}"#);
        let [Ok(first), Ok(second)] = [first, second].map(|call| protocol.format_tool_call(&call))
        else {
            continue;
        };
        let text = format!("Before.\n{first}\nBetween.\n{second}\nBehind.");
        let found = sources(name, &text);
        let expected = [
            ("loom_set".to_owned(), first.trim().to_owned()),
            ("dice".to_owned(), second.trim().to_owned()),
        ];
        assert_eq!(found, expected, "{name}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen} formats");
}

#[test]
fn calls_between_one_pair_of_markers_share_it() {
    let text = "A <tool_call>[{\"name\": \"loom_set\", \"arguments\": {}}, \
                {\"name\": \"dice\", \"arguments\": {}} ]</tool_call> B";
    let found = sources("hermes", text);
    assert_eq!(found[0].1, "<tool_call>[{\"name\": \"loom_set\", \"arguments\": {}}");
    assert_eq!(found[1].1, "{\"name\": \"dice\", \"arguments\": {}} ]</tool_call>");
}

#[test]
fn what_would_not_run_is_no_segment() {
    let text = "<tool_call>{\"name\": \"dice\", \"arguments\": {\"a\": }</tool_call> \
                <tool_call>{\"name\": \"dice\", \"argu";
    assert!(sources("hermes", text).is_empty());
}
