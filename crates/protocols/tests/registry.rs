//! Formats by name, and decoding through the one call that does all of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{Chunk, ProtocolExt, Registry, Request, Tool, ToolSet, decode_chunks};
use toolweir_segments::{Event, Fold, Outcome, StreamEnd};

fn request() -> Request {
    Request::new(ToolSet::new([Tool::new("note")]).unwrap())
}

const TEXT: &str =
    "Look: <tool_call>\n{\"name\": \"note\", \"arguments\": {\"rank\": 4}}\n</tool_call>";

#[test]
fn chunks_are_decoded_as_the_whole_text_is() {
    let registry = Registry::builtin();
    let hermes = registry.get("hermes").unwrap();
    let whole = hermes.parse(TEXT, &request()).unwrap();
    assert_eq!(whole.calls().count(), 1);
    for length in [1, 7, TEXT.len()] {
        let chars: Vec<char> = TEXT.chars().collect();
        let chunks: Vec<String> = chars.chunks(length).map(|c| c.iter().collect()).collect();
        let mut fold = Fold::new();
        let chunks = chunks.iter().map(String::as_str);
        decode_chunks(&**hermes, chunks, StreamEnd::Stop, &request(), &mut fold).unwrap();
        assert_eq!(fold.into_turn(), whole, "chunks of {length}");
    }
}

#[test]
fn a_stream_that_was_broken_off_says_so_at_its_end() {
    let registry = Registry::builtin();
    let (cut, _) = TEXT.split_once(" 4}}").unwrap();
    let hermes = registry.get("hermes").unwrap();
    let mut ends = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::End { outcome, .. } = event {
            ends.push(outcome);
        }
    };
    decode_chunks(&**hermes, [cut], StreamEnd::Aborted, &request(), &mut sink).unwrap();
    // The text before the call, the call, and its source given back as text.
    assert_eq!(ends, [Outcome::Complete, Outcome::Truncated, Outcome::Complete]);
}

#[test]
fn an_option_that_a_format_lacks_is_refused_before_anything_is_read() {
    let registry = Registry::builtin();
    let mut request = request();
    request.options.insert("colour".into(), "weld".into());
    for name in ["hermes", "tool-choice", "segments-json"] {
        let mut events = 0;
        let mut sink = |_: Event<'_>| events += 1;
        let protocol = &**registry.get(name).unwrap();
        let refused = decode_chunks(protocol, [TEXT], StreamEnd::Stop, &request, &mut sink);
        assert!(refused.unwrap_err().to_string().contains("colour"), "{name}");
        assert_eq!(events, 0, "{name}");
    }
}

#[test]
fn aliases_lead_to_the_same_format_until_one_is_registered_under_their_name() {
    let mut registry = Registry::builtin();
    for name in registry.names().map(str::to_owned).collect::<Vec<_>>() {
        for alias in registry.aliases_of(&name) {
            assert_eq!(registry.get(alias).unwrap().name(), name, "{alias}");
        }
    }
    assert!(registry.aliases_of("hermes").any(|alias| alias == "nous"));
    registry.alias("house", "json-mix");
    assert_eq!(registry.get("house").unwrap().name(), "json-mix");
    registry.alias("house", "hermes");
    assert_eq!(registry.get("house").unwrap().name(), "hermes");
    registry.alias("nowhere", "no-such-format");
    assert!(registry.get("nowhere").is_err());
    let shown = format!("{registry:?}");
    assert!(shown.contains("json-mix") && shown.contains("\"house\": \"hermes\""), "{shown}");
}

#[test]
fn a_name_that_is_not_there_is_told_what_it_looks_like() {
    let registry = Registry::builtin();
    let unknown = registry.get("herms").err().unwrap();
    assert_eq!(
        (unknown.name.as_str(), unknown.near.first().unwrap().as_str()),
        ("herms", "hermes")
    );
    assert!(registry.get("zzzzzzzzzzzz").err().unwrap().near.is_empty());
    assert!(Registry::empty().get("hermes").is_err());
}

#[test]
fn what_comes_behind_the_end_is_told_of_once_and_not_read() {
    let registry = Registry::builtin();
    for name in registry.names() {
        let mut decoder = registry.get(name).unwrap().decoder(&request()).unwrap();
        let mut events: Vec<Event<'static>> = Vec::new();
        decoder.push(Chunk::text("{\"name\": \"note\", \"arguments\": {}}"), &mut events);
        decoder.finish(StreamEnd::Stop, &mut events);
        events.clear();
        decoder.push(Chunk::text(TEXT), &mut events);
        decoder.push(Chunk::text(TEXT), &mut events);
        let [Event::Diagnostic(told)] = events.as_slice() else {
            panic!("{name}: {events:?}");
        };
        assert_eq!(told.code, "engine::push-after-finish", "{name}");
        events.clear();
        decoder.finish(StreamEnd::Stop, &mut events);
        assert_eq!(events, [], "{name}: an end is an end");
    }
}
