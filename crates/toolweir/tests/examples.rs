//! The examples run, and the test kit proves what they show.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, dead_code, unreachable_pub)]

#[path = "../examples/custom_protocol.rs"]
mod custom_protocol;
#[cfg(feature = "toml")]
#[path = "../examples/spec_file.rs"]
mod spec_file;

use toolweir::{Protocol, Request, StreamEnd, ToolCall};
use toolweir_testkit::{CheckOptions, RoundTrip, check, round_trip};

/// The number of calls that run, after every law held at every split.
fn calls(protocol: &dyn Protocol, text: &str, end: StreamEnd) -> usize {
    let turn = check(protocol, &Request::default(), text, end, &options());
    turn.unwrap_or_else(|report| panic!("{report}")).calls().count()
}

/// A decoder may withhold the beginning of a marker: this is the one of the custom protocol.
fn options() -> CheckOptions {
    let mut options = CheckOptions::default();
    options.markers.push("@tool ".to_owned());
    options
}

fn comes_back(protocol: &dyn Protocol, call: &ToolCall) {
    let back = round_trip(protocol, &Request::default(), call, &options());
    assert!(matches!(back, Ok(RoundTrip::Same(_))), "{back:?}");
}

#[test]
fn the_custom_protocol_keeps_every_law() {
    let protocol = custom_protocol::AtLines;
    for (text, stop, length) in [
        ("Rolling.\n@tool dice {\"sides\": 6}\nDone.", 1, 1),
        ("@tool dice {}\n@tool dice {\"a\": \"@tool x\"}\n", 2, 2),
        ("Mail me @tool dice {}\n @tool dice {}", 0, 0),
        ("@tool dice {\"sides\": 6}", 1, 0),
        ("@tool dice {\"sides\": ", 0, 0),
        ("@tool dice [1]\n@too\n@tool\n", 0, 0),
        ("@", 0, 0),
        ("", 0, 0),
    ] {
        assert_eq!(calls(&protocol, text, StreamEnd::Stop), stop, "{text:?}");
        assert_eq!(calls(&protocol, text, StreamEnd::Length), length, "{text:?}");
    }
    let call = ToolCall::new("dice", "{\"label\": \"two\\nlines\"}");
    comes_back(&protocol, &call);
    assert!(protocol.format_tool_call(&ToolCall::new("dice", "[]")).is_err());
    assert!(protocol.format_tool_call(&ToolCall::new("two words", "{}")).is_err());
}

#[test]
fn the_examples_run() {
    custom_protocol::main().unwrap();
    #[cfg(feature = "toml")]
    spec_file::main().unwrap();
}

#[cfg(feature = "toml")]
#[test]
fn the_format_of_the_file_keeps_every_law() {
    let registry = spec_file::registry().unwrap();
    let protocol = registry.get("brackets").unwrap();
    let text =
        "Hi\n[[call]]\n{\"name\": \"dice\", \"with\": {\"s\": \"[[/call]]\"}}\n[[/call]]\nDone";
    assert_eq!(calls(&**protocol, text, StreamEnd::Stop), 1);
    comes_back(&**protocol, &ToolCall::new("dice", "{}"));
}
