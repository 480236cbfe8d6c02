//! Markers that ordinary text may begin with: whatever surrounds fenced calls, the laws hold, and
//! structure is nothing but markers, brackets of lists, fences and white space.
//!
//! `TOOLWEIR_CASES` says how many inputs each is tried on (256).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use proptest::prelude::*;
use toolweir_protocols::{Registry, Request, Tool, ToolSet};
use toolweir_segments::StreamEnd;
use toolweir_testkit::{CheckOptions, Splits, check, generate};

/// Values of the options `start_marker` and `end_marker`.
type Pair = (&'static str, &'static str);

const PAIRS: [Pair; 5] = [
    ("```tool_call", "```"),
    ("```tool_call\n", "\n```"),
    (r#"["```tool_call", "```json"]"#, "```"),
    ("<<", ">>"),
    ("%c", "%"),
];

/// Pieces of a stream; `OPEN` and `END` stand for the markers.
const PIECES: [&str; 22] = [
    "OPEN\n{\"name\":\"f\",\"arguments\":{}}\nEND",
    "OPEN{\"name\":\"f\",\"arguments\":{\"a\":\"END\"}}END",
    "OPEN\n{\"name\":\"f\",\"arguments\":{}}\n",
    "OPEN\n[{\"name\":\"f\",\"arguments\":{}},{\"name\":\"f\",\"arguments\":{}}]\nEND",
    "OPEN\n{\"name\":\"f\",\"arguments\":{\"a\":\"say \"hi\"\"}}\nEND",
    "OPEN\n{\"name\":\"f\",\"arguments\":{\"a\":\"b}}\nEND",
    "OPEN",
    "END",
    "END\n",
    "\nEND\n",
    "END python\n",
    "ENDpython\n",
    "\n",
    " ",
    "\r\n",
    "`",
    "``",
    "prose",
    "é😀",
    "{",
    "]",
    "\"",
];

/// The only opener, or the first.
fn opener((open, _): Pair) -> &'static str {
    open.trim_start_matches("[\"").split('"').next().unwrap_or_default().trim_end()
}

fn stream(pieces: &[&str], pair: Pair) -> String {
    pieces.concat().replace("OPEN", opener(pair)).replace("END", pair.1.trim_start())
}

/// What is left of structure without markers, brackets, fences and white space.
fn strange(markup: &str, (open, end): Pair) -> String {
    let quoted = open.split('"').filter(|opener| !matches!(*opener, "[" | ", " | "]"));
    let mut rest = markup.to_owned();
    for marker in quoted.chain([end]) {
        rest = rest.replace(marker.trim(), "");
    }
    rest = rest.replace("```", "");
    rest.retain(|c| !" \t\r\n{}[],".contains(c));
    rest
}

proptest! {
    #![proptest_config(generate::config())]

    #[test]
    fn nothing_is_lost_around_fenced_calls(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..10),
        pair in prop::sample::select(PAIRS.to_vec()),
        unclosed in prop::sample::select(vec!["accept", "text"]),
        malformed in prop::sample::select(vec!["text", "drop"]),
        text in prop::sample::select(vec!["preserve", "preserve-all", "trim-edges"]),
        end in prop::sample::select(vec![StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted]),
    ) {
        let registry = Registry::builtin();
        let protocol = &**registry.get("json-mix").unwrap();
        let mut request = Request::new(ToolSet::new([Tool::new("f")]).unwrap());
        let settings = [
            ("start_marker", pair.0),
            ("end_marker", pair.1),
            ("unclosed", unclosed),
            ("malformed", malformed),
            ("text", text),
        ];
        for (key, value) in settings {
            request.set(key, value).unwrap();
        }
        let stream = stream(&pieces, pair);
        let mut options = CheckOptions::with_splits(Splits::few(6));
        // White space at the inner edge of a marker need not come.
        options.markers = vec![opener(pair).to_owned(), pair.1.trim_start().to_owned()];
        let turn = check(protocol, &request, &stream, end, &options);
        let turn = turn.map_err(|report| TestCaseError::fail(report.to_string()))?;
        for span in &turn.markup {
            let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
            let markup = stream.get(at(span.start)..at(span.end)).unwrap_or_default();
            // A cut end marker at the end of the stream is structure as well.
            let cut = span.end == stream.len() as u64;
            let left = strange(markup, pair);
            let is_cut = cut && pair.1.trim_start().starts_with(&left);
            prop_assert!(left.is_empty() || is_cut, "{markup:?} is no structure of {stream:?}");
        }
    }
}
