//! Events of an agent runner.

use serde_json::Value;
use toolweir_adapters::{Agent, AgentEvent, CountedStamps, GrowingCalls, StoredEvent};
use toolweir_segments::{Outcome, StreamEnd};

use crate::support::{decode, project, text, write_file};

fn agent() -> Agent<CountedStamps, GrowingCalls> {
    whole().streaming_tool_calls()
}

/// With calls when they are whole.
fn whole() -> Agent {
    Agent::new("msg_7", CountedStamps::default())
}

fn updates(events: &[Value]) -> Vec<(String, bool)> {
    let streaming = events.iter().filter(|e| e["type"] == "assistant_streaming_tool_call");
    streaming.map(|e| (text(e, "arguments"), e["isComplete"] == true)).collect()
}

#[test]
fn five_deltas_for_the_location_boston() {
    // Cut as the model's tokens were: the arguments come in five pieces.
    let deltas = ["{\"", "location", "\":\"", "Boston", "\"}"];
    let mut chunks = vec!["<tool_call>{\"name\": \"getWeather\", \"parameters\": "];
    chunks.extend(deltas);
    chunks.push("}</tool_call>");
    let events = decode("agent-prompt", &chunks, StreamEnd::Stop, agent());
    let mut wanted = vec![(String::new(), false)];
    wanted.extend(deltas.map(|delta| (delta.to_owned(), false)));
    wanted.push((String::new(), true));
    assert_eq!(updates(&events), wanted);
    assert_eq!(deltas.concat(), r#"{"location":"Boston"}"#);
    assert_eq!(text(events.last().unwrap(), "name"), "getWeather");
}

#[test]
fn updates_of_one_chunk_are_one_event() {
    let chunks =
        ["<tool_call>{\"name\": \"a\", \"arguments\": {\"n\": 1, \"m\": [2]}}</tool_call>"];
    let events = decode("hermes", &chunks, StreamEnd::Stop, agent());
    let wanted = [("{\"n\": 1, \"m\": [2]}".to_owned(), false), (String::new(), true)];
    assert_eq!(updates(&events), wanted);
}

#[test]
fn the_answer_and_its_calls_come_whole_at_the_end() {
    let chunks = ["<think>Hm.</think>Rolling.<tool_call>{\"name\": \"dice\"}</tool_call>"];
    let events = decode("hermes", &chunks, StreamEnd::Stop, agent());
    let types: Vec<String> = events.iter().map(|e| text(e, "type")).collect();
    let wanted = [
        "assistant_streaming_thinking_message",
        "assistant_thinking_message",
        "assistant_streaming_message",
        "assistant_streaming_tool_call",
        "assistant_streaming_tool_call",
        "assistant_message",
        "tool_call",
    ];
    assert_eq!(types, wanted);
    let message = &events[5];
    assert_eq!(
        (text(message, "content"), text(message, "finishReason")),
        ("Rolling.".into(), "tool_calls".into())
    );
    assert_eq!(message["toolCalls"][0]["function"]["arguments"], "{}");
    let streaming = text(&events[3], "toolCallId");
    assert_eq!(
        (text(&events[6], "toolCallId"), text(&events[6], "name")),
        (streaming, "dice".into())
    );
    assert!(events[..5].iter().all(|e| e["messageId"] == "msg_7"));
    let ids: Vec<String> = events.iter().map(|e| text(e, "id")).collect();
    assert_eq!(ids[6], "evt_7");
}

#[test]
fn a_call_that_is_cut_is_never_complete_and_leaves_nothing_behind() {
    let chunks = ["Hi<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6"];
    let events = decode("hermes", &chunks, StreamEnd::Length, agent());
    assert!(updates(&events).iter().all(|(_, complete)| !complete));
    assert!(events.iter().all(|e| e["type"] != "tool_call"));
    let message = events.iter().find(|e| e["type"] == "assistant_message").unwrap();
    assert_eq!(text(message, "finishReason"), "length");
    assert!(message.get("toolCalls").is_none());
}

#[test]
fn an_answer_that_is_only_a_call_that_does_not_run_ends_all_the_same() {
    let cut = "<tool_call>{\"name\": \"dice\", \"parameters\": {\"sides\": 6";
    let refused = "<tool_call>{\"name\": \"dice\", \"parameters\": [1]}</tool_call>";
    for (format, answer, end, reason) in [
        ("agent-prompt", cut, StreamEnd::Length, "length"),
        ("agent-prompt", refused, StreamEnd::Stop, "stop"),
        ("hermes", cut, StreamEnd::Aborted, "error"),
    ] {
        for (events, view) in [
            (decode(format, &[answer], end, agent()), "growing"),
            (decode(format, &[answer], end, whole()), "whole"),
        ] {
            let last = events.last().unwrap_or_else(|| panic!("{format} {view}: no event"));
            assert_eq!(text(last, "type"), "assistant_message", "{format} {view}");
            assert_eq!(text(last, "finishReason"), reason, "{format} {view}");
            assert!(last.get("toolCalls").is_none(), "{format} {view}");
            let mut previews = toolweir_adapters::Accumulator::default();
            for event in &events {
                if event["type"] == "assistant_streaming_tool_call" {
                    let (message, id) = (text(event, "messageId"), text(event, "toolCallId"));
                    previews.update(&message, &id, "dice", &text(event, "arguments"));
                }
            }
            previews.message_ended(&text(last, "messageId"), []);
            assert!(previews.is_empty());
        }
    }
}

#[test]
fn switched_off_nothing_else_changes() {
    let chunks = ["Rolling.<tool_call>{\"name\": \"dice\", \"argum", "ents\": {}}</tool_call>"];
    let strip = |mut events: Vec<Value>| {
        events.retain(|e| e["type"] != "assistant_streaming_tool_call");
        for event in &mut events {
            event["id"] = Value::Null;
        }
        events
    };
    let on = decode("hermes", &chunks, StreamEnd::Stop, agent());
    let off = decode("hermes", &chunks, StreamEnd::Stop, whole());
    assert!(updates(&off).is_empty());
    assert_eq!(strip(on), strip(off));
}

#[test]
fn piped_content_streams_as_arguments() {
    let lines =
        project(write_file(Outcome::Complete), toolweir_segments::Counter::default(), agent());
    let events: Vec<Value> = lines.iter().map(|l| serde_json::from_str(l).unwrap()).collect();
    let joined: String = updates(&events).into_iter().map(|(delta, _)| delta).collect();
    let last = events.last().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&joined).unwrap(), last["arguments"]);
    assert_eq!(text(last, "toolCallId"), "seg_1");
}

#[test]
fn streaming_events_are_marked_as_not_for_storage() {
    let mut stored: Vec<StoredEvent> = Vec::new();
    let mut refused = 0;
    let mut sink = toolweir_adapters::Project::new(
        agent(),
        toolweir_segments::Counter::default(),
        |event: AgentEvent| {
            refused += usize::from(event.name().contains("streaming"));
            stored.extend(event.stored());
        },
    );
    for event in write_file(Outcome::Complete) {
        toolweir_segments::EventSink::event(&mut sink, event);
    }
    drop(sink);
    let names: Vec<&str> = stored.iter().map(|stored| stored.event().name()).collect();
    assert_eq!(names, ["assistant_message", "tool_call"]);
    assert_eq!(refused, 2, "an update and the completion");
    // The mark is in the type alone: the JSON is that of the event.
    let json = serde_json::to_value(&stored[0]).unwrap();
    assert_eq!(json, serde_json::to_value(stored[0].event()).unwrap());
}
