//! The fast path of JSON calls says nothing that the careful reader does not say: after every prefix of a
//! call, what went out is a beginning of what that reader has sent, and at the end both are the same.
//!
//! Limits close to those of the fast path switch it off and change nothing else in texts as short as these.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use proptest::prelude::*;
use toolweir_protocols::{Decoder, Names, Protocol, Registry, Request, Tool, ToolCall, ToolSet};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{Event, StreamEnd};

const SCHEMA: &str = r#"{
    "required": ["title"],
    "properties": {
        "title": {"type": "string"},
        "kind": {"enum": ["race", "cruise"]},
        "days": {"type": "integer"},
        "open": {"type": ["boolean", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "guests": {
            "type": "array",
            "items": {"properties": {"name": {"type": "string"}, "role": {"type": "string"}}}
        },
        "note": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "level": {"type": "number"}},
            "additionalProperties": false
        },
        "any": {}
    }
}"#;

/// Arguments that fit as they stand, and some that do not.
const ARGUMENTS: &[&str] = &[
    r#"{"title": "Regatta", "days": 3, "open": true, "tags": ["sea", "ebb, flow"]}"#,
    r#"{"kind":"race","title":"Sea } and ] shore, ","note":{"text":"oars","level":2.5e3},"open":null}"#,
    r#"{"title":"a \"b\" \\ c\n","any":{"a":[1,[],{}],"a b":""},"tags":[]}"#,
    r#"{"days":12,"title":"`x` y `z`, `","open":false}"#,
    "{\n  \"title\": \"Größe 30 °\",\n  \"tags\": [\n    \"\",\n    \" \"\n  ]\n}",
    r#"{"title":"x","days":"4"}"#,
    r#"{"title":"x","title":"y","more":1}"#,
    r#"{"title":"\u00e9\ud83d\ude00","kind":"other"}"#,
    r#"{"guests":[{"name":"Ida, Ole","role":"host"},{"name":"Åse"},{}],"title":"x","any":[{"a":"b"},["c"]]}"#,
    r#"{"days":1}"#,
    "{}",
    r#"{"title":"a < b [x] <b> < \" f > [","days":2}"#,
];

/// What may stand where a call goes on.
const AFTER: &[&str] = &[
    "\"",
    "}",
    "}}",
    ",",
    "]",
    ":",
    " x",
    "\\",
    "\n",
    "'",
    "\": \"",
    "\", \"days\": 1",
    "<tool_call>",
    "</tool_call>",
    "\"}}",
    "\"}}\n</tool_call>",
    "}}\n</tool_call>",
    "}\n</tool_call>",
    "`",
    " ```",
    "{",
    "[",
    "1",
    "\u{e9}",
    "\"title\": \"again\"",
    "\", \"title\": \"again\"}}</tool_call>",
    "// c",
    "#",
    "; {\"name\": \"plan\"",
    "}; {\"name\": \"plan\", \"parameters\": {}}",
    "}} , {\"name\": \"plan\", \"parameters\": {}}",
    "}}]",
    "}}\n",
    "}} and so",
    "<",
    "<a>",
    "[TOOL",
    "[x]",
];

fn value(json: &str) -> Value {
    parse(json, Mode::Strict).unwrap().value
}

/// A request, with the fast path or without.
fn request(tools: &ToolSet, fast: bool) -> Request {
    let mut request = Request::new(tools.clone());
    request.limits.max_keys = if fast { 10_000 } else { 2_047 };
    request
}

/// What a decoder says, fragments joined.
fn said(decoder: &mut dyn Decoder, chunks: &[&str], end: Option<StreamEnd>) -> Vec<Event<'static>> {
    let mut events: Vec<Event<'static>> = Vec::new();
    let mut sink = |event: Event<'_>| match (events.last_mut(), event) {
        (Some(Event::Args(before)), Event::Args(more)) => before.to_mut().push_str(&more),
        (Some(Event::Delta(before)), Event::Delta(more)) => before.to_mut().push_str(&more),
        (_, event) => events.push(event.into_owned()),
    };
    for chunk in chunks {
        decoder.push((*chunk).into(), &mut sink);
    }
    if let Some(end) = end {
        decoder.finish(end, &mut sink);
    }
    events
}

/// Whether events may go on as the others do.
fn begins(part: &[Event<'_>], whole: &[Event<'_>]) -> bool {
    let Some((last, before)) = part.split_last() else { return true };
    let open = match (last, whole.get(before.len())) {
        (Event::Args(part), Some(Event::Args(whole)))
        | (Event::Delta(part), Some(Event::Delta(whole))) => whole.starts_with(part.as_ref()),
        (last, other) => Some(last) == other,
    };
    open && whole.starts_with(before)
}

struct Pair<'p> {
    protocol: &'p dyn Protocol,
    fast: Request,
    careful: Request,
}

impl Pair<'_> {
    fn both(&self, chunks: &[&str], end: Option<StreamEnd>) -> [Vec<Event<'static>>; 2] {
        [&self.fast, &self.careful].map(|request| {
            let mut decoder = self.protocol.decoder(request).unwrap();
            said(decoder.as_mut(), chunks, end)
        })
    }

    /// Compares both after every prefix of a text, and with other text after it.
    fn compare(&self, text: &str) {
        let name = self.protocol.name();
        let ends: Vec<_> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        for (index, end) in ends.iter().enumerate() {
            let (prefix, _) = text.split_at(*end);
            let characters: Vec<&str> = prefix.split_inclusive(|_: char| true).collect();
            let [fast, careful] = self.both(&characters, None);
            assert!(
                begins(&fast, &careful),
                "{name}, after {prefix:?}:\n  fast    {fast:?}\n  careful {careful:?}",
            );
            // All of it in one format, a part of it in the others, another after each character.
            let step = if name == "hermes" { 1 } else { 7 };
            for after in AFTER.iter().skip(index % step).step_by(step) {
                let [fast, careful] = self.both(&[prefix, after], Some(StreamEnd::Stop));
                assert_eq!(fast, careful, "{name}: {prefix}{after}");
            }
            // What ends the call, as the format writes it or without its first signs; or nothing.
            let after = text.rfind('}').map_or("", |at| text.get(at + 1..).unwrap_or_default());
            let (after, stream_end) = match index % 4 {
                0 => (after, StreamEnd::Stop),
                1 => (after.trim_start_matches([']', '\n', ' ']), StreamEnd::Stop),
                2 => ("", StreamEnd::Length),
                _ => ("", StreamEnd::Aborted),
            };
            let [fast, careful] = self.both(&[prefix, after], Some(stream_end));
            assert_eq!(fast, careful, "{name}: {prefix}{after}, {stream_end:?}");
        }
        let [fast, careful] = self.both(&[text], Some(StreamEnd::Stop));
        assert_eq!(fast, careful, "{name}: {text:?}");
    }
}

fn compare_all(tools: &ToolSet) {
    let registry = Registry::builtin();
    for format in registry.names() {
        let protocol = registry.get(format).unwrap();
        let pair = Pair {
            protocol: protocol.as_ref(),
            fast: request(tools, true),
            careful: request(tools, false),
        };
        let calls = ARGUMENTS.iter().map(|arguments| vec![ToolCall::new("plan", *arguments)]);
        let two = [r#"{"title":"x"}"#, r#"{"days": 1}"#]
            .map(|arguments| ToolCall::new("plan", arguments));
        for calls in calls.chain([two.to_vec()]) {
            let Ok(text) = protocol.format_tool_calls(&calls) else { continue };
            if text.contains("{\"") || text.contains("{\n") {
                pair.compare(&text);
            }
        }
    }
}

#[test]
fn with_a_schema_both_readers_say_the_same() {
    let tool = Tool::new("plan").parameters(value(SCHEMA));
    compare_all(&ToolSet::new([tool]).unwrap());
}

#[test]
fn without_tools_both_readers_say_the_same() {
    compare_all(&ToolSet::default());
}

#[test]
fn what_follows_an_entry_of_a_list_is_not_lost_in_any_two_chunks() {
    let registry = Registry::builtin();
    let protocol = &**registry.get("cohere-command").unwrap();
    let tools = ToolSet::default();
    let pair = Pair { protocol, fast: request(&tools, true), careful: request(&tools, false) };
    for pad in 0..4 {
        let second = format!(r#"{{"{}":"{}"}}"#, "x".repeat(pad), "€".repeat(40));
        let calls = ["{}".to_owned(), second].map(|arguments| ToolCall::new("plan", arguments));
        let text = protocol.format_tool_calls(&calls).unwrap();
        for (at, _) in text.char_indices() {
            let (before, after) = text.split_at(at);
            let [fast, careful] = pair.both(&[before, after], Some(StreamEnd::Stop));
            assert_eq!(fast, careful, "{before} | {after}");
        }
    }
}

/// What one edit puts into a text, or nothing for one that takes a character out.
const EDITS: &[&str] =
    &["", "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "'", "`", "a", "7", "<", "ß"];

/// The text with some edits, each at a share of its length.
fn edited(text: &str, edits: &[(f64, usize)]) -> String {
    let mut characters: Vec<String> = text.chars().map(String::from).collect();
    for (share, edit) in edits {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a short text"
        )]
        let at = (characters.len() as f64 * share) as usize;
        match EDITS.get(*edit).filter(|edit| !edit.is_empty()) {
            Some(edit) => characters.insert(at, (*edit).to_owned()),
            None if at < characters.len() => drop(characters.remove(at)),
            None => {}
        }
    }
    characters.concat()
}

/// The text in pieces of these lengths, over and over.
fn pieces<'t>(text: &'t str, lengths: &[usize]) -> Vec<&'t str> {
    let (mut rest, mut pieces) = (text, Vec::new());
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let end = rest.char_indices().nth(*length).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

proptest! {
    #[test]
    fn damaged_calls_in_any_chunks_are_the_same_to_both_readers(
        format in prop::sample::select(vec![
            "hermes", "json-mix", "llama3-json", "mistral", "deepseek-v31", "kimi-k2", "cohere-command",
        ]),
        first in 0..ARGUMENTS.len(),
        second in prop::option::of(0..ARGUMENTS.len()),
        edits in prop::collection::vec((0.0..1.0, 0..EDITS.len()), 0..4),
        lengths in prop::collection::vec(1_usize..40, 1..6),
        declared: bool,
        strict: bool,
    ) {
        let tool = Tool::new("plan").parameters(value(SCHEMA));
        let tools = ToolSet::new(declared.then_some(tool)).unwrap();
        let registry = Registry::builtin();
        let protocol = &**registry.get(format).unwrap();
        let calls: Vec<_> = [Some(first), second]
            .into_iter()
            .flatten()
            .filter_map(|at| Some(ToolCall::new("plan", *ARGUMENTS.get(at)?)))
            .collect();
        let text = edited(&protocol.format_tool_calls(&calls).unwrap_or_default(), &edits);
        let [fast, careful] = [true, false].map(|fast| {
            let mut request = request(&tools, fast);
            request.policies.names = strict.then_some(Names::Declared);
            request
        });
        let pair = Pair { protocol, fast, careful };
        let [fast, careful] = pair.both(&pieces(&text, &lengths), Some(StreamEnd::Stop));
        prop_assert_eq!(fast, careful, "{}: {}", format, text);
    }
}
