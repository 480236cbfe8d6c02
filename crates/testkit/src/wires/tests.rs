//! Each rule of a grammar with a stream that breaks it and nothing else.

use super::*;

fn frame(event: Option<&str>, data: &str) -> Frame {
    Frame { event: event.map(str::to_owned), data: data.to_owned() }
}

/// Chunks with those deltas, a finish reason at the end of one where there is a word after `|`.
fn chunks(deltas: &[&str]) -> Vec<Frame> {
    let chunk = |text: &&str| {
        if text.starts_with('[') || text.starts_with("{\"error\"") {
            return frame(None, text);
        }
        let (delta, reason) = match text.split_once('|') {
            Some((delta, reason)) => (delta, format!("\"{reason}\"")),
            None => (*text, "null".to_owned()),
        };
        frame(
            None,
            &format!(
                r#"{{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
            ),
        )
    };
    deltas.iter().map(chunk).collect()
}

const ROLE: &str = r#"{"role":"assistant","content":""}"#;
const CALL: &str = r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"n","arguments":""}}]}"#;
const OPEN: &str = r#"{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}"#;
const CLOSE: &str = r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#;
const DONE: &str = "[DONE]";

fn chat(deltas: &[&str]) -> Result<Reduced, String> {
    Wire::Chat.stream(&chunks(deltas)).map_err(|breach| breach.message)
}

#[test]
fn a_chat_stream_that_keeps_the_grammar() {
    let found = chat(&[ROLE, CALL, OPEN, CLOSE, "{}|tool_calls", DONE]).unwrap();
    assert!(found.calls[0].whole && found.end == WireEnd::ToolCalls);
    let cut = chat(&[ROLE, CALL, OPEN, "{}|length", DONE]).unwrap();
    assert!(!cut.calls[0].whole && cut.end == WireEnd::Length);
    let error = r#"{"error":{"message":"no","type":"t"}}"#;
    assert_eq!(chat(&[ROLE, CALL, error]).unwrap().end, WireEnd::Error("no".into()));
}

#[test]
fn chat_streams_that_clients_stumble_over() {
    let call = |from: &str, to: &str| CALL.replace(from, to);
    let one = call(r#""index":0"#, r#""index":1"#);
    let nameless = call("\"n\"", "\"\"");
    let untyped = call(r#""type":"function","#, "");
    let parsed = OPEN.replace("\"{\"", "{}");
    let error = r#"{"error":{"message":"no","type":"t"}}"#;
    for deltas in [
        vec![ROLE, "{}|stop"],
        vec![ROLE, DONE],
        vec![ROLE, "{}|stop", DONE, DONE],
        vec!["{}|stop", DONE],
        vec![ROLE, ROLE, "{}|stop", DONE],
        vec![ROLE, "{}|stop", "{}|stop", DONE],
        vec![ROLE, "{}|tool_calls", DONE],
        vec![ROLE, "{}|end_turn", DONE],
        vec![ROLE, r#"{"tool_calls":[]}"#, "{}|stop", DONE],
        vec![ROLE, r#"{"content":null}"#, "{}|stop", DONE],
        vec![ROLE, &one, OPEN, CLOSE, "{}|tool_calls", DONE],
        vec![ROLE, &nameless, OPEN, CLOSE, "{}|tool_calls", DONE],
        vec![ROLE, &untyped, OPEN, CLOSE, "{}|tool_calls", DONE],
        vec![ROLE, CALL, CALL, OPEN, CLOSE, "{}|tool_calls", DONE],
        vec![ROLE, CALL, &parsed, "{}|length", DONE],
        vec![ROLE, CALL, OPEN, "{}|tool_calls", DONE],
        vec![ROLE, CALL, OPEN, "{}|stop", DONE],
        vec![ROLE, CALL, "{}|stop", DONE],
        vec![ROLE, CALL, error, DONE],
        vec![ROLE, CALL, OPEN],
    ] {
        chat(&deltas).expect_err(&deltas.join("\n"));
    }
    let mut other = chunks(&[ROLE, "{}|stop", DONE]);
    other[1].data = other[1].data.replace("\"c\"", "\"d\"");
    assert!(Wire::Chat.stream(&other).is_err(), "the id changed");
}

#[test]
fn frames_are_read_as_they_are_written() {
    let found = frames(": idle\n\nevent: a\ndata: {}\n\ndata: [DONE]\n\n").unwrap();
    assert_eq!(found, [frame(Some("a"), "{}"), frame(None, "[DONE]")]);
    for broken in ["data: {}\n", "data: 1\ndata: 2\n\n", "event: a\n\n", "x\n\n"] {
        assert!(frames(broken).is_err(), "{broken:?}");
    }
}

/// A Messages stream of those events, each `type rest-of-the-object`.
fn messages(events: &[&str]) -> Result<Reduced, String> {
    let frames: Vec<Frame> = events
        .iter()
        .map(|event| {
            let (kind, rest) = event.split_once(' ').unwrap_or((event, ""));
            let comma = if rest.is_empty() { "" } else { "," };
            frame(Some(kind), &format!(r#"{{"type":"{kind}"{comma}{rest}}}"#))
        })
        .collect();
    Wire::Anthropic.stream(&frames).map_err(|breach| breach.message)
}

const BEGIN: &str = r#"message_start "message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":0}}"#;
const TOOL: &str = r#"content_block_start "index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}"#;
const INPUT: &str =
    r#"content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}"#;
const PART: &str =
    r#"content_block_delta "index":0,"delta":{"type":"input_json_delta","partial_json":"{"}"#;
const STOP: &str = r#"content_block_stop "index":0"#;
const USED: &str =
    r#"message_delta "delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}"#;
const LIMIT: &str =
    r#"message_delta "delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":3}"#;
const TURN: &str =
    r#"message_delta "delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}"#;
const FAIL: &str = r#"error "error":{"type":"api_error","message":"no"}"#;

#[test]
fn a_messages_stream_that_keeps_the_grammar() {
    let found = messages(&[BEGIN, "ping", TOOL, INPUT, STOP, USED, "message_stop"]).unwrap();
    assert!(found.calls[0].whole && found.end == WireEnd::ToolCalls);
    let cut = messages(&[BEGIN, TOOL, PART, STOP, LIMIT, "message_stop"]).unwrap();
    assert!(!cut.calls[0].whole && cut.end == WireEnd::Length);
    let error = messages(&[BEGIN, TOOL, INPUT, FAIL]).unwrap();
    assert!(!error.calls[0].whole, "the block did not stop");
}

#[test]
fn messages_streams_that_clients_stumble_over() {
    let one = TOOL.replace("\"index\":0", "\"index\":1");
    let text = r#"content_block_start "index":0,"content_block":{"type":"text","text":""}"#;
    for events in [
        vec![BEGIN],
        vec![BEGIN, BEGIN, TURN, "message_stop"],
        vec![TURN, "message_stop"],
        vec![BEGIN, "message_stop"],
        vec![BEGIN, TURN],
        vec![BEGIN, &one, INPUT, STOP, USED, "message_stop"],
        vec![BEGIN, TOOL, INPUT, USED, "message_stop"],
        vec![BEGIN, TOOL, PART, STOP, USED, "message_stop"],
        vec![BEGIN, TOOL, INPUT, STOP, TURN, "message_stop"],
        vec![BEGIN, USED, "message_stop"],
        vec![BEGIN, text, INPUT, STOP, TURN, "message_stop"],
        vec![BEGIN, TOOL, TOOL, INPUT, STOP, USED, "message_stop"],
        vec![BEGIN, TURN, TOOL, INPUT, STOP, "message_stop"],
        vec![BEGIN, FAIL, "message_stop"],
        vec![BEGIN, TOOL, PART, STOP, FAIL],
        vec![BEGIN, "message_pause", TURN, "message_stop"],
    ] {
        messages(&events).expect_err(&events.join("\n"));
    }
}
