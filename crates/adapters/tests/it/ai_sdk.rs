//! Stream parts of the AI SDK.

use toolweir_adapters::{AiSdk, AiSdkVersion, KindIds};
use toolweir_segments::{CallClass, Event, Outcome, StreamEnd};

use crate::support::{decode, delta, end, project, runs, start, text, write_file};

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
    assert_eq!(lines[2], format!("{{\"type\":\"tool-input-delta\",{id},\"delta\":\"{input}\"}}"));
    let call = &lines[lines.len() - 2];
    let head = "{\"type\":\"tool-call\",\"toolCallId\":\"call_1\",\"toolName\":\"write_file\"";
    assert_eq!(*call, format!("{head},\"input\":\"{input}\"}}"));
}

#[test]
fn a_call_that_does_not_run_ends_its_input_and_gives_no_call() {
    for outcome in [Outcome::Truncated, Outcome::Abandoned] {
        let lines = project(write_file(outcome), KindIds::default(), AiSdk::default());
        assert!(lines.iter().all(|line| !line.contains("\"tool-call\"")));
        assert!(lines[lines.len() - 3].contains("tool-input-end"));
        assert!(lines[lines.len() - 2].starts_with(r#"{"type":"error","error":"#));
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
        r#"{"type":"tool-input-start","id":"call_1_1","toolName":"b"}"#,
        r#"{"type":"tool-input-delta","id":"call_1_1","delta":"{}"}"#,
        r#"{"type":"tool-input-end","id":"call_1_1"}"#,
        r#"{"type":"tool-call","toolCallId":"call_1_1","toolName":"b","input":"{}"}"#,
    ];
    assert_eq!(lines[..8], wanted);
}

/// The types of the parts but the first and the last, and the joined text of each text part.
fn parts_of(chunks: &[&str], end: StreamEnd) -> (Vec<String>, Vec<String>) {
    let parts = decode("hermes", chunks, end, AiSdk::default());
    let types = parts[1..parts.len() - 1].iter().map(|part| text(part, "type")).collect();
    let mut texts: Vec<(String, String)> = Vec::new();
    for part in &parts {
        match part["type"].as_str() {
            Some("text-start") => texts.push((text(part, "id"), String::new())),
            Some("text-delta") => {
                let last = texts.last_mut().unwrap();
                assert_eq!(last.0, text(part, "id"));
                last.1.push_str(&text(part, "delta"));
            }
            _ => {}
        }
    }
    (types, texts.into_iter().map(|(_, text)| text).collect())
}

#[test]
fn text_around_a_failed_block_is_one_text_part() {
    // The block fails before its name is known: nothing of a call is to be seen.
    let answer = "Before. <tool_call>{\"arguments\": {\"a\": 1}}</tool_call> Behind.";
    let (types, texts) = parts_of(&[answer], StreamEnd::Stop);
    assert_eq!(texts, [answer]);
    assert_eq!(
        (types.first().unwrap().as_str(), types.last().unwrap().as_str()),
        ("text-start", "text-end")
    );
    assert_eq!(types.iter().filter(|kind| *kind != "text-delta").count(), 2);
    let by_character: Vec<String> = answer.chars().map(String::from).collect();
    let by_character: Vec<&str> = by_character.iter().map(String::as_str).collect();
    assert_eq!(parts_of(&by_character, StreamEnd::Stop).1, [answer]);
    // What has been seen of a call is not taken back: its input stands between two parts.
    let seen = "Before. <tool_call>{\"name\": \"dice\", \"arguments\": {\"a\": }}</tool_call>";
    let (types, texts) = parts_of(&[seen], StreamEnd::Stop);
    assert_eq!(texts.concat(), seen);
    assert!(
        types.contains(&"tool-input-end".to_owned()) && !types.contains(&"tool-call".to_owned())
    );
}

#[test]
fn text_ends_before_what_follows_it() {
    let call = "<tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";
    let (types, texts) = parts_of(&["One.", call, "Two."], StreamEnd::Stop);
    assert_eq!(texts, ["One.", "Two."]);
    let end = types.iter().position(|kind| kind == "text-end").unwrap();
    assert_eq!(types[end + 1], "tool-input-start");
}
