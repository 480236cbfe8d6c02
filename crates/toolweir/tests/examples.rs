//! The examples run, and the test kit proves what they show.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, dead_code, unreachable_pub)]

#[path = "../examples/custom_protocol.rs"]
mod custom_protocol;
#[path = "../examples/file_preview.rs"]
mod file_preview;
#[path = "../examples/first_turn.rs"]
mod first_turn;
#[cfg(feature = "toml")]
#[path = "../examples/spec_file.rs"]
mod spec_file;
#[cfg(feature = "schemars")]
#[path = "../examples/typed.rs"]
mod typed;

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

/// A screen that says how much of it is there at any time.
struct Screen<'a>(&'a mut Vec<String>);

impl std::io::Write for Screen<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let shown = self.0.last().cloned().unwrap_or_default();
        self.0.push(shown + std::str::from_utf8(bytes).unwrap());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_preview_grows_while_the_file_is_written() {
    let mut screens = Vec::new();
    file_preview::preview(file_preview::answer(), Screen(&mut screens)).unwrap();
    assert_eq!(
        screens.last().unwrap(),
        "Here is the pattern.\n\n--- writing loom/pattern.txt\ntwill 2/2\nwarp:  1 2 3 4\n\
         weft:  4 3 2 1\n--- complete\n\nShall I print it?"
    );
    let seen = |end: &str| screens.iter().any(|screen| screen.ends_with(end));
    assert!(seen("--- writing loom/pattern.txt\n") && seen("weft:  4 3"));
    // A chunk cut anywhere shows the same in the end.
    let whole = file_preview::answer().concat();
    let mut other = Vec::new();
    file_preview::preview(&whole.split_inclusive(|_| true).collect::<Vec<_>>(), Screen(&mut other))
        .unwrap();
    assert_eq!(other.last(), screens.last());
}

#[test]
fn the_examples_run() {
    custom_protocol::main().unwrap();
    first_turn::main().unwrap();
    file_preview::main().unwrap();
    #[cfg(feature = "schemars")]
    typed::main().unwrap();
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
