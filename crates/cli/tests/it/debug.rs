//! Looking on while an answer is read, by variables of the environment.

use super::{run, run_with};

const LEVEL: &str = "DEBUG_PARSER_MW";
const TEXT: &str =
    "Now.\u{1b}[2J<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";
const WORDS: [&str; 4] = ["parse", "--format", "hermes", "--raw"];

#[test]
fn off_is_silent_and_the_default() {
    let plain = run(&WORDS, TEXT);
    assert_eq!((plain.code, plain.stderr.as_str()), (0, ""));
    let off = run_with(&[(LEVEL, "off")], &WORDS, TEXT);
    assert_eq!((off.stdout, off.stderr), (plain.stdout, plain.stderr));
}

#[test]
fn stream_tells_chunks_and_events_in_order_and_changes_no_output() {
    let plain = run(&WORDS, TEXT);
    for word in ["stream", "1", "true", "yes"] {
        let told = run_with(&[(LEVEL, word)], &WORDS, TEXT);
        assert_eq!(told.stdout, plain.stdout);
        let lines: Vec<&str> = told.stderr.lines().collect();
        assert!(lines[0].starts_with("chunk     \"Now.\\u{1b}[2J<tool_call>"), "{word}: {lines:?}");
        assert_eq!(lines.last(), Some(&"finish"));
        assert!(!told.stderr.contains('\u{1b}'));
    }
}

#[test]
fn parse_ends_with_a_summary() {
    for word in ["parse", "2"] {
        let told = run_with(&[(LEVEL, word)], &WORDS, TEXT);
        let (_, summary) = told.stderr.split_once("finish\n").expect("a summary after the events");
        assert!(summary.starts_with("Now.\\u{1b}[2J\u{ab}<tool_call>"), "{summary}");
        assert!(summary.ends_with("\u{bb}\ncall dice {\"sides\": 6}\n"), "{summary}");
    }
}

#[test]
fn a_word_that_is_not_known_is_off_with_one_warning() {
    let told = run_with(&[(LEVEL, "loud")], &WORDS, TEXT);
    assert_eq!(told.complaint(), "warning: DEBUG_PARSER_MW: `loud` is none of off, stream, parse");
    assert_eq!(told.code, 0);
    let styled = run_with(&[("DEBUG_PARSER_MW_STYLE", "blink")], &WORDS, TEXT);
    assert!(styled.complaint().contains("`blink` is none of bg, inverse, underline, bold"));
}
