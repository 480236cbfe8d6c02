//! Tokens of a chat host.

use serde_json::{Value, json};
use toolweir_adapters::{Host, HostMode, HostToken, Project};
use toolweir_protocols::{Chunk, Registry, Request, decode_chunks};
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
fn a_call_that_does_not_run_gives_nothing_of_its_own() {
    let events =
        |outcome| vec![start(CallClass::Generic), Event::Raw("{\"tool\": ?".into()), end(outcome)];
    assert!(project(events(Outcome::Abandoned), Counter::default(), Host::default()).is_empty());
    let hiding = Host::default().hiding_malformed(true);
    assert!(project(events(Outcome::Truncated), Counter::default(), hiding).is_empty());
}

/// The narrative of an answer, under a policy.
fn narrative(text: &str, key: &str, value: &str) -> String {
    let mut request = Request::default();
    request.set(key, value).unwrap();
    request.emit.raw = true;
    let host = Registry::builtin().get("host-json").unwrap().clone();
    let mut shown = String::new();
    let out = |token| {
        if let HostToken::Narrative(text) = token {
            shown.push_str(&text);
        }
    };
    let mut sink = Project::new(Host::default(), Counter::default(), out);
    decode_chunks(&*host, [text], StreamEnd::Stop, &request, &mut sink).unwrap();
    drop(sink);
    shown
}

#[test]
fn a_broken_call_is_shown_unless_a_policy_hides_it() {
    let broken = "a {\"tool\": \"echo\", \"params\": {\"k\": 1} oops} b";
    assert_eq!(narrative(broken, "malformed", "text"), broken);
    assert_eq!(narrative(broken, "malformed", "drop"), "a oops} b");
    let denied = "a {\"tool\": \"echo\", \"params\": {\"secret\": 1}} b";
    assert!(!narrative(denied, "deny_keys", "secret").contains("secret"));
}

/// What each token of an answer brings: narrative joined, and calls.
fn token_by_token(tokens: &[&str]) -> Vec<(String, Vec<String>)> {
    let mut request = Request::default();
    request.emit.raw = true;
    let mut decoder = Registry::builtin().get("host-json").unwrap().decoder(&request).unwrap();
    let brought = std::cell::RefCell::new(Vec::new());
    let mut sink = Project::new(Host::default(), Counter::default(), |token| {
        let mut brought = brought.borrow_mut();
        let (shown, calls): &mut (String, Vec<String>) = brought.last_mut().unwrap();
        match token {
            HostToken::Narrative(text) => shown.push_str(&text),
            HostToken::ToolCall(source) => calls.push(source),
            _ => unreachable!("a host has two sorts of tokens"),
        }
    });
    for token in tokens {
        brought.borrow_mut().push((String::new(), Vec::new()));
        decoder.push(Chunk::text(token), &mut sink);
        sink.chunk_end();
    }
    brought.borrow_mut().push((String::new(), Vec::new()));
    decoder.finish(StreamEnd::Stop, &mut sink);
    drop(sink);
    let mut brought = brought.into_inner();
    assert_eq!(brought.pop(), Some((String::new(), Vec::new())), "nothing waits for the end");
    brought
}

fn shown(text: &str) -> (String, Vec<String>) {
    (text.to_owned(), Vec::new())
}

fn called(source: &str) -> (String, Vec<String>) {
    (String::new(), vec![source.to_owned()])
}

#[test]
fn founding_example_of_a_clean_call_token_by_token() {
    let tokens = ["Let me check.\n\n", "{\"tool\": \"ls\",", " \"params\": {}", "}"];
    let wanted = [shown("Let me check.\n\n"), shown(""), shown(""), called(&tokens[1..].concat())];
    assert_eq!(token_by_token(&tokens), wanted);
}

#[test]
fn founding_example_of_mixed_content_token_by_token() {
    let call = ["{\"tool\":", " \"calc\", ", "\"params\":", " {\"expr\":", " \"2+2\"}}"];
    let mut tokens = vec!["I'll use "];
    tokens.extend(call);
    tokens.push(" to help.");
    let mut wanted = vec![shown("I'll use ")];
    wanted.extend(call[1..].iter().map(|_| shown("")));
    wanted.push(called(&call.concat()));
    wanted.push(shown(" to help."));
    assert_eq!(token_by_token(&tokens), wanted);
}

#[test]
fn founding_example_of_a_false_positive_token_by_token() {
    let tokens = ["The JSON format ", "{ key: value } ", "is common."];
    assert_eq!(token_by_token(&tokens), tokens.map(shown));
}

#[test]
fn a_cut_call_is_shown_as_far_as_it_came_and_is_never_a_call() {
    let cut = "Let me see. {\"tool\": \"write\", \"params\": {\"path\": \"/a\", \"text\": \"half";
    for (hides, wanted) in [(false, cut), (true, "Let me see. ")] {
        for end in [StreamEnd::Length, StreamEnd::Aborted, StreamEnd::Stop] {
            let mut request = Request::default();
            request.emit.raw = true;
            let host = Registry::builtin().get("host-json").unwrap().clone();
            let mut shown = String::new();
            let projection = Host::default().hiding_malformed(hides);
            let mut sink = Project::new(projection, Counter::default(), |token| match token {
                HostToken::Narrative(text) => shown.push_str(&text),
                other => panic!("{other:?} of a call that was cut"),
            });
            decode_chunks(&*host, [cut], end, &request, &mut sink).unwrap();
            drop(sink);
            assert_eq!(shown, wanted, "hides {hides}, {end}");
        }
    }
}
