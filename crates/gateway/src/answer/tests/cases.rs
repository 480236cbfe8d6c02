//! What upstreams do, right and wrong: what every client must see of it.

use super::client::Seen;
use super::{Close, WIRES, chunks, end, output, planner, request, seen, written};
use crate::wire::Wire;

const SEARCH: (&str, &str) = ("search", r#"{"city": "Žďár"}"#);
const CLOCK: (&str, &str) = ("clock", "{}");
const OPEN_CALL: &str = r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"search","arguments":""}}]}"#;
const HALF: &str = r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\": \"Ž"}}]}"#;
const REST: &str = r#"{"tool_calls":[{"index":0,"function":{"arguments":"ďár\"}"}}]}"#;
const SECOND: &str = r#"{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"clock","arguments":"{"}}]}"#;
const SECOND_REST: &str = r#"{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}"#;
const TEXT: &str = r#"{"content":"Hi."}"#;
const MARKUP: &str =
    "Hi.<tool_call>\n{\"name\": \"search\", \"arguments\": {\"city\": \"Žďár\"}}\n</tool_call>";

struct Case {
    name: &'static str,
    upstream: String,
    close: Close,
    text: &'static str,
    reasoning: &'static str,
    calls: &'static [(&'static str, &'static str)],
    /// `error` for any error.
    end: &'static str,
}

/// An answer that closes cleanly and has no reasoning.
fn case(
    name: &'static str,
    upstream: String,
    text: &'static str,
    calls: &'static [(&'static str, &'static str)],
    end: &'static str,
) -> Case {
    Case { name, upstream, close: Close::Cleanly, text, reasoning: "", calls, end }
}

fn cases() -> Vec<Case> {
    let whole = chunks(&[TEXT, OPEN_CALL, HALF, REST]);
    let half = chunks(&[TEXT, OPEN_CALL, HALF]);
    let one = &[SEARCH][..];
    let both = &[SEARCH, CLOCK][..];
    let (markup, cut_markup) = (written(MARKUP), written(MARKUP.split("ďár").next().unwrap()));
    let repeated: Vec<String> = ["{", "\\\"city\\\": ", "\\\"Žďár", "\\\"}"].iter().map(|part| {
        format!("{{\"tool_calls\":[{{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{{\"name\":\"search\",\"arguments\":\"{part}\"}}}}]}}")
    }).collect();
    let repeated: Vec<&str> = repeated.iter().map(String::as_str).collect();
    vec![
        case("text", chunks(&[TEXT]) + &end("stop"), "Hi.", &[], "stop"),
        Case {
            reasoning: "Hm.",
            ..case(
                "reasoning_content",
                chunks(&[r#"{"reasoning_content":"Hm."}"#, TEXT]) + &end("stop"),
                "Hi.",
                &[],
                "stop",
            )
        },
        case(
            "no [DONE]",
            chunks(&[TEXT]) + &end("stop").replace("data: [DONE]\n\n", ""),
            "Hi.",
            &[],
            "stop",
        ),
        case("one native call", whole.clone() + &end("tool_calls"), "Hi.", one, "tool_calls"),
        case(
            "two in a row",
            whole.clone() + &chunks(&[SECOND, SECOND_REST]) + &end("tool_calls"),
            "Hi.",
            both,
            "tool_calls",
        ),
        case(
            "two interleaved",
            chunks(&[TEXT, OPEN_CALL, SECOND, HALF, SECOND_REST, REST]) + &end("tool_calls"),
            "Hi.",
            both,
            "tool_calls",
        ),
        case("markup in text", markup.clone() + &end("stop"), "Hi.", one, "tool_calls"),
        case("markup, cut", cut_markup.clone(), "Hi.", &[], "error"),
        case("markup, length", cut_markup + &end("length"), "Hi.", &[], "length"),
        Case {
            reasoning: "Hm.",
            ..case(
                "<think> in text",
                written("<think>Hm.</think>Hi.") + &end("stop"),
                "Hi.",
                &[],
                "stop",
            )
        },
        case(
            "no index, two whole calls",
            chunks(&[
                TEXT,
                r#"{"tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"city\": \"Žďár\"}"}},{"id":"b","type":"function","function":{"name":"clock","arguments":"{}"}}]}"#,
            ]) + &end("tool_calls"),
            "Hi.",
            both,
            "tool_calls",
        ),
        case(
            "both on index 0",
            whole.clone()
                + &chunks(&[
                    r#"{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"clock","arguments":"{}"}}]}"#,
                ])
                + &end("tool_calls"),
            "Hi.",
            both,
            "tool_calls",
        ),
        case(
            "no id",
            (whole.clone() + &end("tool_calls")).replace("\"id\":\"a\",", ""),
            "Hi.",
            one,
            "tool_calls",
        ),
        case(
            "name repeated",
            chunks(&[TEXT]) + &chunks(&repeated) + &end("tool_calls"),
            "Hi.",
            one,
            "tool_calls",
        ),
        case(
            "arguments as an object",
            chunks(&[
                TEXT,
                r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"search","arguments":{"city": "Žďár"}}}]}"#,
            ]) + &end("tool_calls"),
            "Hi.",
            one,
            "tool_calls",
        ),
        case(
            "tool_calls: []",
            chunks(&[r#"{"content":"Hi.","tool_calls":[]}"#]) + &end("stop"),
            "Hi.",
            &[],
            "stop",
        ),
        case("stop with a call", whole.clone() + &end("stop"), "Hi.", one, "tool_calls"),
        case(
            "no arguments",
            chunks(&[
                TEXT,
                r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"clock"}}]}"#,
            ]) + &end("tool_calls"),
            "Hi.",
            &[CLOCK],
            "tool_calls",
        ),
        case("cut in a call, closed", half.clone(), "Hi.", &[], "error"),
        case("cut in a call, [DONE]", half.clone() + "data: [DONE]\n\n", "Hi.", &[], "error"),
        case("cut in a call, half a frame", half.clone() + "data: {\"choi", "Hi.", &[], "error"),
        case("cut in text", chunks(&[TEXT]), "Hi.", &[], "error"),
        Case { close: Close::Reset, ..case("reset in a call", half.clone(), "Hi.", &[], "error") },
        case(
            "an error frame",
            half.clone()
                + "data: {\"error\":{\"message\":\"out of memory\",\"type\":\"server_error\"}}\n\n",
            "Hi.",
            &[],
            "error",
        ),
        case("a page", "<html><body>Bad gateway</body></html>".to_owned(), "", &[], "error"),
        case("length in a call", half + &end("length"), "Hi.", &[], "length"),
        case(
            "broken arguments",
            chunks(&[
                TEXT,
                OPEN_CALL,
                HALF,
                r#"{"tool_calls":[{"index":0,"function":{"arguments":"\"]"}}]}"#,
            ]) + &end("tool_calls"),
            "Hi.",
            &[],
            "error",
        ),
    ]
}

#[test]
fn every_case_on_every_wire() {
    let planner = planner("");
    for case in cases() {
        for wire in WIRES {
            let seen = seen(&planner, wire, &request(wire, ""), &case.upstream, case.close);
            let Seen { text, reasoning, calls, end, .. } = &seen;
            let name = format!("{} on {wire:?}: {seen:?}", case.name);
            assert_eq!((text.as_str(), reasoning.as_str()), (case.text, case.reasoning), "{name}");
            let expected: Vec<(String, String)> = case
                .calls
                .iter()
                .map(|(name, arguments)| ((*name).to_owned(), (*arguments).to_owned()))
                .collect();
            assert_eq!(*calls, expected, "{name}");
            match case.end {
                "error" => assert!(end.starts_with("error "), "{name}"),
                expected => {
                    assert_eq!(end, expected, "{name}");
                    assert_eq!(seen.usage, Some((7, 9)), "{name}");
                }
            }
        }
    }
}

/// Never complete before its end, whatever byte is the last: text, reasoning, two calls.
#[test]
fn cut_at_every_byte() {
    let planner = planner("");
    let native = chunks(&[
        r#"{"reasoning_content":"Hm."}"#,
        TEXT,
        OPEN_CALL,
        HALF,
        REST,
        SECOND,
        SECOND_REST,
    ]) + &end("tool_calls");
    let marked = written(&format!("<think>Hm.</think>{MARKUP}\n{}", MARKUP.replace("Hi.", "")))
        + &end("stop");
    for upstream in [native, marked] {
        let ended = upstream.find("\"finish_reason\":\"").unwrap();
        // The frame may be read once it is whole, whether its blank line came or not.
        let ended = ended + upstream.get(ended..).unwrap().find('\n').unwrap();
        for wire in WIRES {
            let request = request(wire, "");
            for at in 0..=upstream.len() {
                let cut = &upstream.as_bytes()[..at];
                let out = output(&planner, wire, &request, [cut], Close::Cleanly);
                let seen = super::client::stream(wire, &out);
                if at < ended {
                    assert!(seen.end.starts_with("error "), "{wire:?} cut at {at}: {seen:?}");
                } else if upstream.is_char_boundary(at) && at == upstream.len() {
                    assert_eq!(
                        (seen.end.as_str(), seen.calls.len()),
                        ("tool_calls", 2),
                        "{wire:?}"
                    );
                }
            }
        }
    }
}

/// Argument bytes of a marked-up call leave before the call ends.
#[test]
fn arguments_are_live() {
    let planner = planner("");
    for wire in WIRES {
        let (_, mut answer) = super::answer(&planner, wire, &request(wire, "")).unwrap();
        let mut out = String::new();
        let upstream = written(MARKUP.split("ár\"}").next().unwrap());
        answer.push(upstream.as_bytes(), &mut out);
        assert!(out.contains("Ž"), "{wire:?}: {out}");
    }
}

#[test]
fn a_whole_answer_is_the_stream_folded() {
    let planner = planner("");
    let upstream = chunks(&[TEXT, OPEN_CALL, HALF, REST]) + &end("tool_calls");
    for wire in WIRES {
        let request = request(wire, "").replace("\"stream\":true", "\"stream\":false");
        let out = output(&planner, wire, &request, [upstream.as_bytes()], Close::Cleanly);
        let reply: serde_json::Value = serde_json::from_str(&out).unwrap();
        let (text, name, arguments, end) = match wire {
            Wire::Chat => (
                "/choices/0/message/content",
                "/choices/0/message/tool_calls/0/function/name",
                "/choices/0/message/tool_calls/0/function/arguments",
                "/choices/0/finish_reason",
            ),
            Wire::Responses => {
                ("/output/0/content/0/text", "/output/1/name", "/output/1/arguments", "/status")
            }
            Wire::Messages => {
                ("/content/0/text", "/content/1/name", "/content/1/input", "/stop_reason")
            }
        };
        let at = |pointer: &str| {
            reply.pointer(pointer).unwrap_or_else(|| panic!("{pointer} of {reply}"))
        };
        assert_eq!((at(text).as_str(), at(name).as_str()), (Some("Hi."), Some("search")));
        let expected = serde_json::json!({"city": "Žďár"});
        match at(arguments).as_str() {
            Some(text) => {
                assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), expected)
            }
            None => assert_eq!(*at(arguments), expected),
        }
        let words = ["tool_calls", "completed", "tool_use"];
        assert!(words.contains(&at(end).as_str().unwrap()), "{reply}");
        // A cut one is an error with a status of its own.
        let (_, mut answer) = super::answer(&planner, wire, &request).unwrap();
        let mut out = String::new();
        answer.push(chunks(&[TEXT, OPEN_CALL, HALF]).as_bytes(), &mut out);
        answer.close(&mut out);
        let reply: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert!(reply.get("error").is_some(), "{reply}");
        assert_eq!(answer.status(), 502, "{reply}");
    }
}
