//! Response templates and schemas of checkpoints: what format each gives, what that does not say, and what it decodes
//! at every split.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod refused;
mod said;
mod schemas;

use proptest::prelude::*;
use toolweir_protocols::{FormatSpec, FromTemplate, Registry, Request, SpecProtocol, ToolCall};
use toolweir_segments::{StreamEnd, Turn};
use toolweir_testkit::{CheckOptions, RoundTrip, check, round_trip};

const TEMPLATES: &[&str] = &[
    include_str!("blocks.json"),
    include_str!("braces.json"),
    include_str!("channels.json"),
    include_str!("code.json"),
    include_str!("fenced.json"),
    include_str!("header.json"),
    include_str!("list.json"),
    include_str!("objects.json"),
    include_str!("tags.json"),
    include_str!("unsaid.json"),
    include_str!("schemas/answer.json"),
    include_str!("schemas/blocks.json"),
    include_str!("schemas/braces.json"),
    include_str!("schemas/channels.json"),
    include_str!("schemas/groups.json"),
    include_str!("schemas/headers.json"),
    include_str!("schemas/list.json"),
    include_str!("schemas/pairs.json"),
    include_str!("schemas/parameters.json"),
];

fn read(text: &str) -> FromTemplate {
    FormatSpec::from_response_template("own", text).unwrap()
}

/// What a format does not say, a line each.
fn unsaid(read: &FromTemplate) -> Vec<String> {
    read.unsaid.iter().map(ToString::to_string).collect()
}

/// The turn of a text, the same at every split, from the format as its file says it.
fn decoded(read: &FromTemplate, text: &str) -> Turn {
    let spec = FormatSpec::from_json(&read.spec.to_json()).unwrap();
    assert_eq!(spec, read.spec);
    let protocol = SpecProtocol::new(&spec).unwrap();
    let request = Request::default();
    check(&protocol, &request, text, StreamEnd::Stop, &CheckOptions::default())
        .unwrap_or_else(|report| panic!("{report}"))
}

/// The calls of a turn, as `name arguments`, with the id in front where there is one.
fn calls(turn: &Turn) -> Vec<String> {
    let calls = turn.calls().map(|call| {
        let id = call.native_id.map(|id| format!("{id} ")).unwrap_or_default();
        format!("{id}{} {}", call.name, call.arguments)
    });
    calls.collect()
}

const SURROUNDING: &str =
    "fields: text outside of every field is dropped there; here it is visible text";

/// A template of nothing but calls between `<c>` and `</c>` with these further members.
fn with_calls(members: &str) -> String {
    format!(
        r#"{{"fields": {{"content": {{}}, "tool_calls": {{"open": "<c>", "close": "</c>",
            "repeats": true, {members}}}}}}}"#
    )
}

#[test]
fn what_a_format_writes_it_reads_back() {
    for template in TEMPLATES {
        let read = read(template);
        let protocol = SpecProtocol::new(&read.spec).unwrap();
        let request = Request::default();
        for name in ["dice", "python"] {
            let mut call = ToolCall::new(name, r#"{"code": "6"}"#);
            let ids = read.spec.call[0].pattern.contains("{id}");
            call.native_id = ids.then(|| "a1".into());
            let options = CheckOptions::default();
            match round_trip(&protocol, &request, &call, &options) {
                Ok(RoundTrip::Same(_)) => {}
                Ok(RoundTrip::Refused(_)) => {
                    let pattern = &read.spec.call[0].pattern;
                    assert!(pattern.contains("{name=python}") && name == "dice", "{pattern}");
                }
                Ok(other) => panic!("{other:?}"),
                Err(report) => panic!("{report}"),
            }
        }
    }
}

#[test]
fn a_format_of_a_template_registers_like_any_other() {
    let mut registry = Registry::builtin();
    registry.register_json(&read(TEMPLATES[0]).spec.to_json()).unwrap();
    assert_eq!(registry.get("own").unwrap().name(), "own");
}

/// Texts that break templates in interesting ways.
const PIECES: &[&str] = &[
    "",
    "(",
    ")",
    "|",
    "\\\\",
    "[",
    "]",
    "{",
    "}",
    "*?",
    "(?P<name>",
    "(?:",
    "{content}",
    "{content.name}",
    "\"",
    "null",
    "[]",
    "{}",
    "true",
    "\\n",
    "^",
    "$",
    "é",
    "<",
    ">",
    "{name}",
    "||",
    ":",
    "{1,9}",
    ".*?",
];

/// The template with some places replaced.
fn damaged(template: &str, edits: &[(usize, usize, usize)]) -> String {
    let mut chars: Vec<char> = template.chars().collect();
    for (at, length, piece) in edits {
        let at = at % (chars.len() + 1);
        let end = (at + length).min(chars.len());
        chars.splice(at..end, PIECES[piece % PIECES.len()].chars());
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn a_damaged_template_gives_a_format_that_works_or_an_error(
        template in 0..TEMPLATES.len(),
        edits in prop::collection::vec((0..2000_usize, 0..6_usize, 0..100_usize), 1..4),
    ) {
        let text = damaged(TEMPLATES[template], &edits);
        match FormatSpec::from_response_template("own", &text) {
            Ok(read) => {
                let spec = FormatSpec::from_json(&read.spec.to_json()).unwrap();
                prop_assert_eq!(&spec, &read.spec);
                prop_assert!(SpecProtocol::new(&spec).is_ok());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
