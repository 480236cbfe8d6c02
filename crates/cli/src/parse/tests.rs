//! What is printed, at every cut, and that none of it acts on a terminal.

use clap::Parser as _;
use proptest::prelude::*;

use super::*;
use crate::args::{Cli, Command};

fn shown(words: &[&str], input: &[u8], look: Look) -> String {
    let cli = Cli::try_parse_from(["toolweir", "parse"].iter().chain(words)).unwrap();
    let Command::Parse(args) = cli.command else { panic!("not a parse command") };
    let (mut bytes, mut reader) = (Vec::new(), input);
    decode(&args, &mut reader, &mut Out::new(&mut bytes, look)).unwrap();
    String::from_utf8(bytes).unwrap()
}

const SHAPES: [&str; 11] = [
    "events",
    "turn",
    "segments",
    "openai",
    "responses",
    "anthropic",
    "ai-sdk",
    "ui-message",
    "ag-ui",
    "agent",
    "host",
];

/// Our own colours, taken out.
fn without_colours(text: &str) -> String {
    let colours = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[36m"];
    let cursor = ["7", "8", "[J", "[?7l", "[?7h"];
    (colours.iter().chain(&cursor))
        .fold(text.to_owned(), |text, code| text.replace(&format!("\x1b{code}"), ""))
}

/// Pieces that lead into every state, and characters that act on a terminal.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("<tool_call>{\"name\": \"a\u{1b}[2J\", \"arguments\": {".to_owned()),
        Just("<tool_call>{\"name\": \"dice\", \"arguments\": {\"a\": \"".to_owned()),
        Just("\"}}</tool_call>".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        "[\u{0}-\u{a0}\u{200b}-\u{202f}\u{2066}\u{feff}]{1,6}",
        "\\PC{0,4}",
    ];
    proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_of_the_model_acts_on_a_terminal(
        text in hostile(),
        shape in prop::sample::select(&SHAPES[..]),
        colour in any::<bool>(),
        view in prop::sample::select(&["each", "joined", "live"][..]),
    ) {
        let look = Look { terminal: true, colour };
        let mut words = vec!["--format", "hermes", "--as", shape, "--chunk", "random:1"];
        if shape == "events" {
            words.extend(["--view", view]);
        }
        let mut seen = shown(&words, text.as_bytes(), look);
        if colour {
            seen = without_colours(&seen);
        }
        let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
        prop_assert!(!seen.contains(acts), "{seen:?}");
    }
}

#[test]
fn raw_is_what_a_pipe_gets() {
    let terminal = Look { terminal: true, colour: true };
    let words = ["--format", "hermes"];
    let raw = ["--format", "hermes", "--raw"];
    let text = b"a \xc2\x9b <tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";
    assert_eq!(shown(&raw, text, terminal), shown(&words, text, Look::default()));
}

/// What is printed of a file that ends there.
fn cut_at(stream: &str, at: usize, shape: &str) -> String {
    let bytes = stream.as_bytes().get(..at).unwrap();
    shown(
        &["--as", shape, "--input", "openai-sse", "--format", "hermes,qwen3-coder"],
        bytes,
        Look::default(),
    )
}

/// A native call, a leaked one with its end marker, a leaked one that only its end of the stream
/// closes.
const STREAM: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hi.\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"dice\",\"arguments\":\"{\\\"a\\\": \"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call>{\\\"name\\\": \\\"spin\\\", \\\"arguments\\\": {}\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"}</tool_call>\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call><function=flip>\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
);

/// From which byte on each call stands, whatever comes: where something stands after a native call, and
/// where the arguments of a leaked one have closed.
#[test]
fn a_stream_cut_at_any_byte_never_shows_a_call_that_was_cut() {
    let after = |part: &str| STREAM.find(part).unwrap() + part.len();
    // A frame without its blank line counts: its line feed may be cut, its JSON may not.
    let stands = [
        ("\"name\":\"dice\"", after("{}\"}}]}"), "dice"),
        ("\"name\":\"spin\"", after(": {}\"}}]}"), "spin"),
    ];
    for at in 0..=STREAM.len() {
        let events = cut_at(STREAM, at, "events");
        for (line, from, name) in &stands {
            let runs = events
                .lines()
                .any(|shown| shown.starts_with("{\"type\":\"invocation\"") && shown.contains(line));
            assert_eq!(runs, at >= *from, "{name} at {at}: {events}");
        }
        assert!(!events.contains("\"name\":\"flip\"") || at >= after("flip>\"}}]}"), "{at}");
    }
}

#[test]
fn no_shape_makes_a_cut_stream_look_whole() {
    let finish = STREAM.find("\"stop\"}]}").unwrap() + "\"stop\"}]}".len();
    for at in 0..=STREAM.len() {
        let chat = cut_at(STREAM, at, "openai");
        let whole = chat.contains("\"finish_reason\":\"tool_calls\"")
            || chat.contains("\"finish_reason\":\"stop\"");
        assert!(!whole || at >= finish, "{at}: {chat}");
        let message = cut_at(STREAM, at, "anthropic");
        assert!(!message.contains("message_stop") || at >= finish, "{at}: {message}");
    }
}

#[test]
fn a_file_on_a_terminal_is_a_line_for_each_segment() {
    let terminal = Look { terminal: true, colour: false };
    let text = "<think>Six.</think>Rolling.\n<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\
                </tool_call><tool_call>{\"name\": \"dice\", \"argu";
    let of = |words: &[&str]| shown(words, text.as_bytes(), terminal);
    let joined = of(&["answer.txt", "--format", "hermes", "--chunk", "char"]);
    let mut lines = joined.lines();
    assert_eq!(lines.next(), Some("reasoning 0..19     \"Six.\""));
    assert_eq!(lines.next(), Some("text      19..28    \"Rolling.\\n\""));
    assert_eq!(lines.next(), Some("call      28..82    dice {\"sides\": 6} complete"));
    assert!(
        lines.next().unwrap().ends_with(" dice truncated stream-end: does not run"),
        "{joined}"
    );
    assert!(lines.next().unwrap().starts_with("error "), "{joined}");
    let each = of(&["--format", "hermes", "--chunk", "char"]);
    assert_eq!(
        each,
        of(&["answer.txt", "--format", "hermes", "--chunk", "char", "--view", "each"])
    );
    assert!(each.lines().count() > 20, "{each}");
    let piped = |words: &[&str]| shown(words, text.as_bytes(), Look::default());
    let words = ["answer.txt", "--format", "hermes", "--chunk", "char"];
    assert!(piped(&words).starts_with("{\"type\":\"start\""), "machines get what they got");
    assert_eq!(piped(&[&words[..], &["--view", "joined"]].concat()), joined);
}
