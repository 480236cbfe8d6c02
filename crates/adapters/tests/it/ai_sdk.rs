//! Stream parts of the AI SDK.

use toolweir_adapters::{AiSdk, AiSdkVersion, KindIds};
use toolweir_segments::{CallClass, Event, Outcome, StreamEnd};

use crate::support::{decode, delta, end, project, runs, start, write_file};

const CHUNKS: [&str; 3] = [
    "<think>Hm.</think>Rolling. <tool_call>{\"name\": \"dice\", \"argum",
    "ents\": {\"sides\": 6, \"label\": \"a\\\"b",
    "\"}}</tool_call>",
];

fn lines(end: StreamEnd) -> Vec<String> {
    let parts = decode("hermes", &CHUNKS, end, AiSdk::default());
    parts.iter().map(ToString::to_string).collect()
}

#[test]
fn reasoning_text_and_a_call_in_order() {
    let lines = lines(StreamEnd::Stop);
    let types = |line: &String| {
        line.split("\"type\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let order: Vec<String> = lines.iter().map(types).collect();
    let wanted = [
        "stream-start",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "text-start",
        "text-delta",
        "text-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-delta",
        "tool-input-end",
        "tool-call",
        "finish",
    ];
    let mut merged = order.clone();
    merged.dedup();
    let mut wanted_merged = wanted.to_vec();
    wanted_merged.dedup();
    assert_eq!(merged, wanted_merged, "{lines:#?}");
    assert!(
        lines.iter().any(|l| l.contains("\"toolName\":\"dice\"") && l.contains("tool-input-start"))
    );
}

#[test]
fn the_finish_reason_has_the_shape_of_the_version() {
    for (end, reason) in [
        (StreamEnd::Stop, "tool-calls"),
        (StreamEnd::Length, "length"),
        (StreamEnd::Aborted, "error"),
    ] {
        let v3 = decode("hermes", &CHUNKS, end, AiSdk::default());
        let finish = v3.last().unwrap();
        assert_eq!(finish["finishReason"]["unified"], reason);
        assert!(finish["usage"]["inputTokens"].is_object());
        let v2 = decode("hermes", &CHUNKS, end, AiSdk::new(AiSdkVersion::V2));
        assert_eq!(v2.last().unwrap()["finishReason"], reason);
    }
    let plain = decode("hermes", &["Hello"], StreamEnd::Stop, AiSdk::default());
    assert_eq!(plain.last().unwrap()["finishReason"]["unified"], "stop");
}

#[test]
fn the_stream_begins_once_and_before_all_else() {
    let start = |projection| {
        let parts = decode("hermes", &CHUNKS, StreamEnd::Stop, projection);
        let is_start = |part: &&serde_json::Value| part["type"] == "stream-start";
        (parts[0].to_string(), parts.iter().filter(is_start).count())
    };
    assert_eq!(start(AiSdk::default()), (r#"{"type":"stream-start","warnings":[]}"#.to_owned(), 1));
    assert_eq!(start(AiSdk::default().without_start()).1, 0);
    let empty = decode("hermes", &[], StreamEnd::Stop, AiSdk::default());
    let types: Vec<_> = empty.iter().map(|part| part["type"].clone()).collect();
    assert_eq!(types, ["stream-start", "finish"]);
}

#[test]
fn piped_content_goes_out_as_the_text_of_its_arguments() {
    let lines = project(write_file(Outcome::Complete), KindIds::default(), AiSdk::default());
    let id = "\"id\":\"call_1\"";
    let input = r#"{\"path\":\"/srv/a.py\",\"content\":\"print('hi')\\n\",\"executable\":true}"#;
    assert_eq!(
        lines[1],
        format!("{{\"type\":\"tool-input-start\",{id},\"toolName\":\"write_file\"}}")
    );
    let first = r#"{\"path\":\"/srv/a.py\""#;
    assert_eq!(lines[2], format!("{{\"type\":\"tool-input-delta\",{id},\"delta\":\"{first}\"}}"));
    let call = &lines[lines.len() - 2];
    let head = "{\"type\":\"tool-call\",\"toolCallId\":\"call_1\",\"toolName\":\"write_file\"";
    assert_eq!(*call, format!("{head},\"input\":\"{input}\"}}"));
}

#[test]
fn a_call_that_does_not_run_ends_its_input_and_gives_no_call() {
    for outcome in [Outcome::Truncated, Outcome::Abandoned] {
        let lines = project(write_file(outcome), KindIds::default(), AiSdk::default());
        assert!(lines.iter().all(|line| !line.contains("\"tool-call\"")));
        assert!(lines[lines.len() - 2].contains("tool-input-end"));
    }
}

#[test]
fn calls_of_one_segment_have_inputs_of_their_own() {
    let events = vec![
        start(CallClass::Generic),
        delta("[{\"name\":\"a\"},{\"name\":\"b\"}]"),
        end(Outcome::Complete),
        runs(0, "a", Some("{\"n\":1}")),
        runs(1, "b", Some("{}")),
        Event::Finish,
    ];
    let lines = project(events, KindIds::default(), AiSdk::default().without_start());
    let wanted = [
        r#"{"type":"tool-input-start","id":"call_1","toolName":"a"}"#,
        r#"{"type":"tool-input-delta","id":"call_1","delta":"{\"n\":1}"}"#,
        r#"{"type":"tool-input-end","id":"call_1"}"#,
        r#"{"type":"tool-call","toolCallId":"call_1","toolName":"a","input":"{\"n\":1}"}"#,
        r#"{"type":"tool-input-start","id":"call_1.1","toolName":"b"}"#,
        r#"{"type":"tool-input-delta","id":"call_1.1","delta":"{}"}"#,
        r#"{"type":"tool-input-end","id":"call_1.1"}"#,
        r#"{"type":"tool-call","toolCallId":"call_1.1","toolName":"b","input":"{}"}"#,
    ];
    assert_eq!(lines[..8], wanted);
}
