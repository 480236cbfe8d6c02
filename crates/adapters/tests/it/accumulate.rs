//! Calls put together again from their updates.

use toolweir_adapters::{
    Accumulator, Agent, AgentEvent, AgentEventKind, Change, CountedStamps, KindIds, Project,
};
use toolweir_protocols::{Chunk, Registry, Request};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::StreamEnd;

/// The events of one message, calls shown while they grow.
pub(crate) fn events(message: &str, chunks: &[&str], end: StreamEnd) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    let agent = Agent::new(message, CountedStamps::default()).streaming_tool_calls();
    let mut sink = Project::new(agent, KindIds::default(), |event| events.push(event));
    let registry = Registry::builtin();
    let protocol = registry.get("agent-prompt").unwrap();
    let mut decoder = protocol.decoder(&Request::default()).unwrap();
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut sink);
        sink.chunk_end();
    }
    sink.ends_with(end);
    decoder.finish(end, &mut sink);
    drop(sink);
    events
}

fn value(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

#[test]
fn five_chunks_of_a_location_make_its_arguments() {
    let head = "<tool_call>{\"name\": \"getWeather\", \"parameters\": ";
    let chunks = [head, "{\"", "location", "\":\"", "Boston", "\"}", "}</tool_call>"];
    let mut calls = Accumulator::new();
    let mut seen = Vec::new();
    for event in events("msg_1", &chunks, StreamEnd::Stop) {
        if let Change::Grown(preview) = calls.event(&event) {
            let shown = preview.value().map(Value::to_string).unwrap_or_default();
            seen.push((preview.arguments().to_owned(), shown, preview.is_complete()));
        }
    }
    let wanted = [
        ("", "", false),
        ("{\"", "{}", false),
        ("{\"location", "{}", false),
        ("{\"location\":\"", r#"{"location":""}"#, false),
        ("{\"location\":\"Boston", r#"{"location":"Boston"}"#, false),
        ("{\"location\":\"Boston\"}", r#"{"location":"Boston"}"#, false),
        ("{\"location\":\"Boston\"}", r#"{"location":"Boston"}"#, true),
    ];
    let wanted = wanted.map(|(text, shown, done)| (text.to_owned(), shown.to_owned(), done));
    assert_eq!(seen, wanted);
    assert!(calls.is_empty());
}

#[test]
fn two_calls_letter_by_letter_are_fourteen_updates() {
    let text = concat!(
        "<tool_call>{\"name\": \"first\", \"parameters\": {}}</tool_call>",
        "<tool_call>{\"name\": \"second\", \"parameters\": {\"x\": 1}}</tool_call>"
    );
    let letters: Vec<&str> = text.split_inclusive(|_| true).collect();
    let mut updates = Vec::new();
    for event in events("msg_1", &letters, StreamEnd::Stop) {
        if let AgentEventKind::AssistantStreamingToolCall {
            tool_name,
            arguments,
            is_complete,
            ..
        } = event.kind
        {
            updates.push((tool_name, arguments, is_complete));
        }
    }
    assert_eq!(updates.len(), 14);
    for (name, whole, from, to) in [("first", "{}", 0, 4), ("second", "{\"x\": 1}", 4, 14)] {
        let of_call = &updates[from..to];
        assert!(of_call.iter().all(|(tool, _, _)| tool == name));
        let joined: String = of_call.iter().map(|(_, delta, _)| delta.as_str()).collect();
        assert_eq!(joined, whole);
        assert_eq!(of_call.first(), Some(&(name.to_owned(), String::new(), false)));
        assert_eq!(of_call.last(), Some(&(name.to_owned(), String::new(), true)));
        assert_eq!(of_call.iter().filter(|(_, _, complete)| *complete).count(), 1);
    }
}

/// Whether `late` can be what `early` grew into.
fn grew(early: &Value, late: &Value) -> bool {
    match (early, late) {
        (Value::String(early), Value::String(late)) => late.starts_with(early.as_str()),
        (Value::Array(early), Value::Array(late)) => {
            early.len() <= late.len() && early.iter().zip(late.iter()).all(|(e, l)| grew(e, l))
        }
        (Value::Object(early), Value::Object(late)) => {
            early.iter().all(|(key, value)| late.get(key).is_some_and(|late| grew(value, late)))
        }
        _ => early == late,
    }
}

#[test]
fn a_preview_only_grows() {
    let arguments = r#"{"path": "src/ä.rs", "lines": [1, 20, {"to": -1.5e3}], "content": "a \"b\"\n\u00e9😀", "run": true, "none": null}"#;
    let mut calls = Accumulator::new();
    let mut last: Option<Value> = None;
    for letter in arguments.split_inclusive(|_| true) {
        let preview = calls.update("m", "c", "write_file", letter);
        let shown = preview.value().cloned();
        if let (Some(early), Some(late)) = (&last, &shown) {
            assert!(grew(early, late), "{early} became {late}");
        }
        assert!(shown.is_some() || last.is_none());
        last = shown;
    }
    assert_eq!(last, Some(value(arguments)));
}

#[test]
fn what_stops_being_json_keeps_its_value_and_its_text() {
    let mut calls = Accumulator::new();
    for delta in ["{\"a\": \"kept\", ", "]", " and more"] {
        calls.update("m", "c", "t", delta);
    }
    let preview = calls.preview("m", "c").unwrap();
    assert!(preview.is_broken());
    assert_eq!(preview.string("a"), Some("kept"));
    assert_eq!(preview.arguments(), "{\"a\": \"kept\", ] and more");
}

#[test]
fn a_call_that_never_completes_leaves_nothing_behind() {
    let cut = ["Hm.<tool_call>{\"name\": \"dice\", \"parameters\": {\"sides\": 6"];
    let mut calls = Accumulator::new();
    for event in events("msg_1", &cut, StreamEnd::Length) {
        let is_message = event.name() == "assistant_message";
        if let Change::Gone(gone) = calls.event(&event) {
            assert!(is_message);
            assert_eq!((gone.len(), gone[0].is_complete()), (1, false));
            assert_eq!(gone[0].name(), "dice");
        }
    }
    assert!(calls.is_empty());
}

#[test]
fn answers_that_run_side_by_side_do_not_mix() {
    let one = ["<tool_call>{\"name\": \"dice\", \"parameters\": {\"n\": ", "1}}</tool_call>"];
    let two = ["<tool_call>{\"name\": \"loom\", \"parameters\": {\"n\": ", "2}}</tool_call>"];
    let first = events("msg_1", &one, StreamEnd::Stop);
    let second = events("msg_2", &two, StreamEnd::Stop);
    // Segments are counted in each message, so that both calls have the same id.
    let mut calls = Accumulator::new();
    let half = 3;
    for event in first[..half].iter().chain(&second[..half]) {
        calls.event(event);
    }
    assert_eq!(calls.len(), 2);
    assert_eq!(calls.preview("msg_1", "call_1").unwrap().name(), "dice");
    assert_eq!(calls.preview("msg_2", "call_1").unwrap().arguments(), "{\"n\": 2}");
    // The first answer ends and runs its call; the other's stays.
    for event in &first[half..] {
        calls.event(event);
    }
    assert!(calls.preview("msg_1", "call_1").is_none());
    assert!(calls.preview("msg_2", "call_1").is_some_and(|call| call.name() == "loom"));
    for event in &second[half..] {
        calls.event(event);
    }
    assert!(calls.is_empty());
}

#[test]
fn a_final_call_that_comes_before_its_message_takes_its_entry() {
    let mut calls = Accumulator::new();
    calls.update("m", "c1", "dice", "{}");
    calls.update("m", "c2", "dice", "{}");
    assert!(calls.called("c1").is_none(), "it is not complete");
    assert!(calls.complete("m", "c1", "dice").is_complete());
    assert_eq!(calls.called("c1").unwrap().arguments(), "{}");
    assert_eq!(calls.len(), 1);
    assert_eq!(calls.message_ended("m", ["c1"]).len(), 1);
    assert!(calls.is_empty());
}
