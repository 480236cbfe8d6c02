//! Hostile streams: depth on a small stack, every limit, misuse. A limit is an outcome, never a
//! crash, and the rest of the stream is still decoded (C7).

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a thread with a small stack; a test that cannot be set up fails"
)]

use toolweir_protocols::{Chunk, ProtocolExt, Registry, Request, Tool, ToolSet};
use toolweir_segments::{Check, CheckOptions, Event, EventSink, Fold, StreamEnd, Tee, Turn};

/// Formats with the text of a call whose only argument is `value`, raw.
const CALLS: [(&str, &str, &str); 4] = [
    ("hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":", "}}</tool_call>"),
    ("qwen25", "<tool_call>\n{\"name\":\"f\",\"arguments\":{\"a\":", "}}\n</tool_call>"),
    ("json-mix", "<tool_call>[{\"name\":\"f\",\"arguments\":{\"a\":", "}}]</tool_call>"),
    ("qwen3-coder", "<tool_call><function=f><parameter=a>", "</parameter></function></tool_call>"),
];

fn decode(format: &str, request: &Request, text: &str, chunk: usize) -> Turn {
    let mut request = request.clone();
    request.emit.markup = true;
    let mut decoder = registry().get(format).unwrap().decoder(&request).unwrap();
    let mut sink = Tee(Fold::new(), Check::new(CheckOptions::default()));
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = chunk.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (now, later) = rest.split_at(at);
        decoder.push(Chunk::text(now), &mut sink);
        rest = later;
    }
    decoder.finish(StreamEnd::Stop, &mut sink);
    sink.1.finish_checks(text.len() as u64);
    assert_eq!(sink.1.violations(), [], "{format}");
    sink.0.into_turn()
}

fn registry() -> &'static Registry {
    static BUILTIN: std::sync::OnceLock<Registry> = std::sync::OnceLock::new();
    BUILTIN.get_or_init(Registry::builtin)
}

fn with_limit(key: &str, value: &str) -> Request {
    let mut request = Request::default();
    request.set(key, value).unwrap();
    request
}

fn codes(turn: &Turn) -> Vec<&str> {
    turn.diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn a_million_brackets_do_not_overflow_a_small_stack() {
    let run = || {
        let deep = "[".repeat(1_000_000);
        for (format, open, close) in CALLS {
            let text = format!("{open}{deep}{close} rest");
            let turn = decode(format, &Request::default(), &text, 64 << 10);
            assert!(turn.text().ends_with(" rest"), "{format}");
        }
    };
    // Formats are compiled once, on a stack of usual size; streams are decoded on a small one.
    registry();
    std::thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn depth_beyond_the_limit_abandons_the_call_and_reading_goes_on() {
    for (format, open, close) in CALLS.iter().take(3) {
        let good = format!("{open}1{close}");
        let text = format!("{open}{}{close} mid {good}", "[".repeat(200));
        let turn = decode(format, &Request::default(), &text, 7);
        assert_eq!(turn.calls().count(), 1, "{format}");
        assert!(codes(&turn).contains(&"limit::max_depth"), "{format}");
        assert!(turn.text().contains(" mid "), "{format}");
    }
}

#[test]
fn a_name_beyond_the_limit_is_no_call() {
    let name = "n".repeat(300);
    for text in [
        ("hermes", format!("<tool_call>{{\"name\":\"{name}\",\"arguments\":{{}}}}</tool_call>")),
        ("qwen3-coder", format!("<tool_call><function={name}></function></tool_call>")),
    ] {
        let turn = decode(text.0, &Request::default(), &text.1, 5);
        assert_eq!(turn.calls().count(), 0);
        assert_eq!(turn.text(), text.1);
        assert!(turn.has_errors());
    }
}

#[test]
fn calls_beyond_the_limit_are_text_with_one_diagnostic() {
    let request = with_limit("max_calls", "2");
    for (format, open, close) in CALLS {
        let call = format!("{open}1{close}");
        let turn = decode(format, &request, &call.repeat(5), 3);
        assert_eq!(turn.calls().count(), 2, "{format}");
        assert_eq!(turn.text(), call.repeat(3), "{format}");
        assert_eq!(codes(&turn), ["limit::max_calls"], "{format}");
    }
}

#[test]
fn no_call_is_allowed_behind_the_prompt_either() {
    let request = with_limit("max_calls", "0");
    for chunk in [1, 4096] {
        let turn = decode("functionary-v32", &request, "dice\n{\"sides\": 6}", chunk);
        assert_eq!(turn.calls().count(), 0);
        assert_eq!(turn.text(), "dice\n{\"sides\": 6}");
        assert_eq!(codes(&turn), ["limit::max_calls"]);
    }
}

#[test]
fn a_call_beyond_its_size_is_abandoned() {
    let request = with_limit("max_call_bytes", "100");
    for (format, open, close) in CALLS {
        let long = format!("{open}\"{}\"{close}", "x".repeat(200));
        let good = format!("{open}1{close}");
        for chunk in [1, 16, 4096] {
            let turn = decode(format, &request, &format!("{long}{good}"), chunk);
            assert_eq!(turn.calls().count(), 1, "{format}");
            assert_eq!(codes(&turn), ["limit::max_call_bytes"], "{format}");
        }
    }
}

#[test]
fn what_cannot_stream_is_held_up_to_the_limit() {
    let schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}";
    let schema = toolweir_rjson::parse(schema, toolweir_rjson::Mode::Strict).unwrap().value;
    let mut request = with_limit("max_held_bytes", "64");
    request.tools = ToolSet::new([Tool::new("f").parameters(schema)]).unwrap();
    for (format, open, close) in CALLS {
        let text = format!("{open}{}{close}", "1".repeat(200));
        let turn = decode(format, &request, &text, 9);
        assert_eq!(codes(&turn), ["limit::max_held_bytes"], "{format}");
        assert!(turn.text().contains("111"), "{format}");
    }
    let early = format!(
        "<tool_call>{{\"arguments\":{{\"a\":\"{}\"}},\"name\":\"f\"}}</tool_call>",
        "y".repeat(200)
    );
    let turn = decode("hermes", &request, &early, 9);
    assert_eq!(codes(&turn), ["limit::max_held_bytes"]);
    assert_eq!(turn.text(), early);
}

/// An object where a number should stand waits whole; white space in it counts the same however
/// it arrives.
#[test]
fn the_limit_of_a_waiting_value_strikes_at_one_place() {
    let schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}";
    let schema = toolweir_rjson::parse(schema, toolweir_rjson::Mode::Strict).unwrap().value;
    let mut request = with_limit("max_held_bytes", "16");
    request.tools = ToolSet::new([Tool::new("f").parameters(schema)]).unwrap();
    let begun = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":{\n\"kkkkkkkkk\" :  ";
    for text in [begun.to_owned(), format!("{begun}    1}}}}}}</tool_call>")] {
        let found = |chunk| format!("{:?}", decode("hermes", &request, &text, chunk).diagnostics);
        let whole = found(4096);
        for chunk in 1..20 {
            assert_eq!(found(chunk), whole, "chunks of {chunk}");
        }
    }
}

/// Whether a call that comes whole is read by the strict machine or by repair mode: a limit strikes at the
/// same place, with the same words.
#[test]
fn a_limit_strikes_a_whole_call_as_it_strikes_its_chunks() {
    let values = [
        "[[{\"b\": [1, {\"c\": {}}]}], \"x\"]",
        "{\"one\": 1, \"two\": \"2\", \"three\": {\"four\": null, \"five\": [true]}}",
        "\"a text \\\"with\\\" quotes, and\\nlines\"",
        "1234567890123456789012345.5e10",
        "  \t\n  {   \"k\"   :    \"v\"   }    ",
    ];
    let limits = [
        ("max_depth", 1, 9),
        ("max_keys", 1, 7),
        ("max_held_bytes", 1, 90),
        ("max_name_bytes", 1, 4),
        ("max_call_bytes", 1, 140),
        ("max_calls", 1, 3),
    ];
    for (format, open, close) in CALLS.iter().take(3) {
        for (value, (limit, first, last)) in values.iter().flat_map(|v| limits.map(|l| (v, l))) {
            for most in first..=last {
                let request = with_limit(limit, &most.to_string());
                let text = format!("{open}{value}{close} and {open}{value}{close}");
                let found = |chunk| format!("{:?}", decode(format, &request, &text, chunk));
                let whole = found(4096);
                for chunk in [1, 7, 60] {
                    assert_eq!(found(chunk), whole, "{format}, {limit} = {most}: {value}");
                }
            }
        }
    }
}

/// What shows whether an object without a marker is a call may be the last thing in it that fits.
#[test]
fn an_object_that_may_be_a_call_is_judged_alike_in_any_chunks() {
    let heads = [
        r#"{"name": "f", arguments"#,
        r#"{"name": "f", "arguments""#,
        r#"{"arguments": {}, "name": "f""#,
        r#"{'type': true, name: 'f', parameters"#,
        r#"{"name": 5"#,
        r#"{"name": NaN"#,
        r#"{"other": null"#,
        r#"{"name": {"b": 1}"#,
        r#"[{"name": "f", arguments"#,
        "[5",
        "{",
    ];
    let tails = ["", "<", "x", "€", "]", "}", ",", ":", " : {\"a\": 1}}", ": {}}", "\n\"b\": 2}"];
    let request = Request::new(ToolSet::new([Tool::new("f")]).unwrap());
    for (format, head) in ["llama3-json", "host-json"].iter().flat_map(|f| heads.map(|h| (f, h))) {
        for tail in tails {
            let text = format!("{head}{tail} and {head}{tail}\n{head}{tail}");
            let found = |chunk| format!("{:?}", decode(format, &request, &text, chunk));
            let whole = found(4096);
            for chunk in [1, 2, 3, 7, 20] {
                assert_eq!(found(chunk), whole, "{format}: {text}");
            }
        }
    }
}

#[test]
fn blanks_inside_a_tag_are_held_up_to_the_limit() {
    let request = with_limit("max_held_bytes", "64");
    let text = format!("<function=f><{}parameter=a>1</parameter></function>", " ".repeat(200));
    for chunk in [1, 7, 4096] {
        let turn = decode("qwen3-coder", &request, &text, chunk);
        assert_eq!(codes(&turn), ["limit::max_held_bytes"]);
        assert_eq!(turn.text(), text);
    }
}

#[test]
fn text_behind_a_parameter_is_looked_at_for_a_while() {
    let text = |blanks: usize, words: usize| {
        let (blanks, words) = (" ".repeat(blanks), "and ".repeat(words));
        format!("<function=f><parameter=a>1</parameter>{blanks}{words}")
    };
    for chunk in [1, 7, 100, 1 << 20] {
        let request = Request::default();
        let short = decode("qwen3-coder", &request, &text(3, 900), chunk);
        assert_eq!(codes(&short), ["engine::missing-closer"]);
        assert_eq!(short.text(), format!("   {}", "and ".repeat(900)));
        // Whitespace that is too long to wait belongs to the call.
        let blanks = decode("qwen3-coder", &request, &text(5000, 10), chunk);
        assert_eq!(codes(&blanks), ["engine::missing-closer"]);
        assert_eq!(blanks.text(), "and ".repeat(10));
        let long = decode("qwen3-coder", &request, &text(3, 1100), chunk);
        assert_eq!(codes(&long), ["engine::unreadable-call"]);
        assert_eq!(long.text(), text(3, 1100));
    }
}

#[test]
fn members_beyond_the_limit_abandon_the_call() {
    let request = with_limit("max_keys", "3");
    let json =
        "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4}}</tool_call>";
    let param = |k| format!("<parameter={k}>1</parameter>");
    let tags: String = ["a", "b", "c", "d"].map(param).concat();
    let tagged = format!("<tool_call><function=f>{tags}</function></tool_call>");
    for (format, text) in [("hermes", json), ("qwen3-coder", tagged.as_str())] {
        let turn = decode(format, &request, text, 4);
        assert_eq!(codes(&turn), ["limit::max_keys"], "{format}");
        assert_eq!(turn.text(), text, "{format}");
    }
}

#[test]
fn diagnostics_beyond_the_limit_are_counted() {
    let mut request = with_limit("max_diagnostics", "3");
    request.set("json", "strict").unwrap();
    let turn = decode("hermes", &request, &"<tool_call>{]</tool_call>".repeat(10), 6);
    assert_eq!(turn.diagnostics.len(), 4);
    assert_eq!(codes(&turn).last(), Some(&"limit::max_diagnostics"));
    assert!(turn.diagnostics[3].message.starts_with("7 more"));
}

#[test]
fn a_hundred_thousand_empty_calls_are_all_reported() {
    let request = with_limit("max_calls", "100000");
    for (format, call) in [
        ("hermes", "<tool_call>{\"name\":\"f\"}</tool_call>"),
        ("qwen3-coder", "<function=f></function>"),
    ] {
        let mut calls = 0_u32;
        let mut count =
            |event: Event<'_>| calls += u32::from(matches!(event, Event::Invocation(_)));
        let registry = Registry::builtin();
        let mut decoder = registry.get(format).unwrap().decoder(&request).unwrap();
        for _ in 0..100_000 {
            decoder.push(Chunk::text(call), &mut count);
        }
        decoder.finish(StreamEnd::Stop, &mut count);
        assert_eq!(calls, 100_000, "{format}");
    }
}

#[test]
fn a_push_after_finish_is_not_read_and_says_so_once() {
    let registry = Registry::builtin();
    let hermes = registry.get("hermes").unwrap();
    let mut decoder = hermes.decoder(&Request::default()).unwrap();
    let mut events: Vec<Event<'static>> = Vec::new();
    let sink: &mut dyn EventSink = &mut events;
    decoder.finish(StreamEnd::Stop, sink);
    decoder.push(Chunk::text("late"), sink);
    decoder.push(Chunk::text("later"), sink);
    decoder.finish(StreamEnd::Stop, sink);
    assert_eq!(events.len(), 2);
    assert!(matches!(&events[0], Event::Finish));
    assert!(matches!(&events[1], Event::Diagnostic(d) if d.code == "engine::push-after-finish"));
}

#[test]
fn wrong_options_are_typed_errors() {
    let registry = Registry::builtin();
    let mut request = Request::default();
    assert!(request.set("malformd", "text").unwrap_err().to_string().contains("malformed"));
    assert!(request.set("malformed", "no").unwrap_err().to_string().contains("text, drop"));
    request.set("start_marker", "").unwrap();
    assert!(registry.get("json-mix").unwrap().decoder(&request).is_err());
    request.set("start_marker", "<x>").unwrap();
    assert!(registry.get("hermes").unwrap().decoder(&request).is_err());
    request.options.clear();
    request.set("reasoning", "quen3").unwrap();
    let error = registry.get("hermes").unwrap().parse("x", &request).unwrap_err();
    assert!(error.to_string().contains("qwen3"), "{error}");
}
