//! Answers of several formats, cut at every character, on every wire: the grammar is kept, nothing runs
//! that was cut, and where the connection broke the client sees an error.

use toolweir_protocols::{Request, Tool, ToolCall, ToolSet};
use toolweir_segments::{Event, StreamEnd};
use toolweir_testkit::wires::{Reduced, WireEnd};

use crate::support::{REGISTRY, decode_request};
use crate::wires::{WIRES, streamed};
use toolweir_adapters::CallsAs;

const FORMATS: [&str; 9] = [
    "hermes",
    "qwen3-coder",
    "mistral-v11",
    "glm-xml",
    "deepseek-v31",
    "kimi-k2",
    "minimax-m2",
    "pythonic",
    "gemma4",
];

fn request() -> Request {
    let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}"#;
    let weather = Tool::new("weather").parameters(schema);
    let now = Tool::new("now").parameters(r#"{"type": "object", "properties": {}}"#);
    Request::new(ToolSet::new([weather, now]).unwrap())
}

/// Two calls, as the format has them, after some text where that may stand.
fn answer(format: &str) -> String {
    let calls =
        [ToolCall::new("weather", r#"{"city":"Žďár","days":3}"#), ToolCall::new("now", "{}")];
    let written = REGISTRY.get(format).unwrap().format_tool_calls(&calls).unwrap();
    if format == "pythonic" { written } else { format!("On it.\n{written}") }
}

/// Names and values of the calls that a client runs.
fn runs(reduced: &Reduced) -> Vec<(String, serde_json::Value)> {
    let whole = reduced.calls.iter().filter(|call| call.whole);
    whole.map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap())).collect()
}

/// What a client makes of those events, on every wire.
fn read(events: &[Event<'static>], why: StreamEnd, calls: CallsAs, place: &str) -> Vec<Reduced> {
    let of = |wire: toolweir_testkit::wires::Wire| {
        let frames = streamed(wire, events.to_vec(), why, calls);
        let read = wire.stream(&frames);
        read.unwrap_or_else(|breach| panic!("{place} {wire:?} {breach}: {frames:#?}"))
    };
    WIRES.map(of).to_vec()
}

#[test]
fn an_answer_cut_anywhere_is_never_a_lie() {
    let request = request();
    for format in FORMATS {
        let text = answer(format);
        let whole = decode_request(format, &[&text], StreamEnd::Stop, &request);
        let all = runs(&read(&whole, StreamEnd::Stop, CallsAs::Live, format)[0]);
        assert_eq!(all.len(), 2, "{format}: {text}");
        for (at, _) in text.char_indices() {
            for why in [StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted] {
                let place = format!("{format} at {at}, {why}:");
                let events = decode_request(format, &[&text[..at]], why, &request);
                let modes = [CallsAs::Live, CallsAs::Whole];
                // Whole calls differ where the wire has a word for the cut.
                for calls in modes.into_iter().take(if why == StreamEnd::Length { 2 } else { 1 }) {
                    for reduced in read(&events, why, calls, &place) {
                        let seen = runs(&reduced);
                        // Where the model itself stopped, a call whose values are closed stands (policy 3).
                        let stopped = why == StreamEnd::Stop;
                        assert!(stopped || all.starts_with(&seen), "{place} {seen:?}");
                        let error = matches!(reduced.end, WireEnd::Error(_));
                        match why {
                            StreamEnd::Aborted => assert!(error, "{place} {:?}", reduced.end),
                            StreamEnd::Length => {
                                assert!(error || reduced.end == WireEnd::Length, "{place}");
                            }
                            StreamEnd::Stop => {
                                let cut = reduced.calls.iter().any(|call| !call.whole);
                                assert_eq!(cut, error, "{place} {reduced:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
