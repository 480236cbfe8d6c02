//! Tokens of a chat host.

use serde_json::{Value, json};
use toolweir_adapters::{Host, HostMode};
use toolweir_segments::{CallClass, Counter, Event, Outcome, StreamEnd};

use crate::support::{decode, end, name, project, runs, start};

const CHUNKS: [&str; 2] = [
    "<think>Hm.</think>Rolling.",
    "<tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>",
];

fn host(mode: HostMode) -> Vec<Value> {
    decode("hermes", &CHUNKS, StreamEnd::Stop, Host::new(mode))
}

#[test]
fn calls_are_hidden_tokens_of_their_own_and_reasoning_is_not_shown() {
    let call = json!({"ToolCall": "{\"name\": \"dice\", \"arguments\": {}}"});
    assert_eq!(host(HostMode::Smart), [json!({"Narrative": "Rolling."}), call]);
}

#[test]
fn a_placeholder_stands_for_the_call() {
    let shown = host(HostMode::Placeholders("[Working...]".into()));
    assert_eq!(shown, [json!({"Narrative": "Rolling."}), json!({"Narrative": "[Working...]"})]);
    assert_eq!(host(HostMode::Placeholders(String::new())).len(), 1);
}

#[test]
fn without_source_the_call_is_written_in_the_shape_of_the_host() {
    let events = vec![
        start(CallClass::Generic),
        name("list_files", None),
        Event::Args("{\"path\":\".\"}".into()),
        end(Outcome::Complete),
        runs(0, "list_files", None),
    ];
    let lines = project(events, Counter::default(), Host::default());
    assert_eq!(lines, [r#"{"ToolCall":"{\"tool\":\"list_files\",\"params\":{\"path\":\".\"}}"}"#]);
}

#[test]
fn a_call_that_is_cut_gives_nothing_and_one_that_is_broken_its_source() {
    let events =
        |outcome| vec![start(CallClass::Generic), Event::Raw("{\"tool\": ?".into()), end(outcome)];
    let project = |outcome| project(events(outcome), Counter::default(), Host::default());
    assert_eq!(project(Outcome::Truncated), Vec::<String>::new());
    assert_eq!(project(Outcome::Abandoned), [r#"{"Narrative":"{\"tool\": ?"}"#]);
}
