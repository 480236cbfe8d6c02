//! Formats by name, and decoding through the one call that does all of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up fails")]

use std::sync::Arc;

use toolweir_protocols::{
    Chunk, FormatSpec, ProtocolExt, Registry, Request, SpecError, SpecProtocol, Tool, ToolSet,
    decode_chunks,
};
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
fn aliases_lead_to_the_same_format_and_a_taken_one_is_refused() {
    let mut registry = Registry::builtin();
    for name in registry.names().map(str::to_owned).collect::<Vec<_>>() {
        for alias in registry.aliases_of(&name) {
            assert_eq!(registry.get(alias).unwrap().name(), name, "{alias}");
        }
    }
    assert!(registry.aliases_of("hermes").any(|alias| alias == "nous"));
    registry.alias("house", "json-mix").unwrap();
    assert_eq!(registry.get("house").unwrap().name(), "json-mix");
    registry.alias("house", "json-mix").unwrap();
    let taken = |name: &str, by: &str| SpecError::Taken { name: name.into(), by: by.into() };
    assert_eq!(registry.alias("house", "hermes"), Err(taken("house", "json-mix")));
    assert_eq!(registry.alias("hermes", "json-mix"), Err(taken("hermes", "hermes")));
    assert_eq!(registry.get("house").unwrap().name(), "json-mix");
    registry.alias("nowhere", "no-such-format").unwrap();
    assert!(registry.get("nowhere").is_err());
    let shown = format!("{registry:?}");
    assert!(shown.contains("json-mix") && shown.contains("\"house\": \"json-mix\""), "{shown}");
}

/// Calls between `[own]` and `[/own]`, under a name of the test.
fn own(name: &str, aliases: &[&str]) -> FormatSpec {
    FormatSpec {
        name: name.into(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        call: vec!["[own]{call}[/own]".into()],
        ..FormatSpec::default()
    }
}

fn calls(registry: &Registry, name: &str, text: &str) -> usize {
    registry.get(name).unwrap().parse(text, &request()).unwrap().calls().count()
}

const OWN: &str = "[own]{\"name\": \"note\"}[/own]";

#[test]
fn a_spec_with_a_taken_name_or_alias_is_refused_and_changes_nothing() {
    let mut registry = Registry::builtin();
    let before = format!("{registry:?}");
    for (spec, message) in [
        (own("hermes", &[]), "the name `hermes` is taken by the format `hermes`"),
        (own("nous", &[]), "the name `nous` is taken by the format `hermes`"),
        (own("own", &["json-mix"]), "the name `json-mix` is taken by the format `json-mix`"),
        (own("own", &["fine", "xml"]), "the name `xml` is taken by the format `morph-xml`"),
        (own("tool-choice", &[]), "the name `tool-choice` is taken by the format `tool-choice`"),
    ] {
        assert_eq!(registry.register_spec(&spec).unwrap_err().to_string(), message);
        let protocol = Arc::new(SpecProtocol::new(&spec).unwrap());
        if spec.aliases.is_empty() {
            assert_eq!(registry.register(protocol).unwrap_err().to_string(), message);
        }
    }
    assert_eq!(format!("{registry:?}"), before);
    registry.register_spec(&own("own", &["house"])).unwrap();
    assert_eq!(calls(&registry, "house", OWN), 1);
    let again = registry.register_spec(&own("other", &["house"])).unwrap_err();
    assert_eq!(again.to_string(), "the name `house` is taken by the format `own`");
}

#[test]
fn replace_shadows_a_name_or_alias_and_gives_the_old_format_back() {
    let mut registry = Registry::builtin();
    let old = registry.replace_spec(&own("hermes", &[])).unwrap().unwrap();
    assert_eq!(old.parse(TEXT, &request()).unwrap().calls().count(), 1);
    assert_eq!((calls(&registry, "hermes", TEXT), calls(&registry, "hermes", OWN)), (0, 1));
    assert!(registry.get("nous").is_err(), "its aliases went with it");
    // Under an alias only that name changes hands.
    let old = registry.replace_spec(&own("qwq", &[])).unwrap().unwrap();
    assert_eq!((old.name(), registry.get("qwq").unwrap().name()), ("qwen25", "qwq"));
    assert_eq!((calls(&registry, "qwq", OWN), calls(&registry, "qwen2.5", TEXT)), (1, 1));
    let protocol = Arc::new(SpecProtocol::new(&own("json-mix", &[])).unwrap());
    assert_eq!(registry.replace(protocol).unwrap().name(), "json-mix");
    assert_eq!(calls(&registry, "json-mix", OWN), 1);
    let before = format!("{registry:?}");
    let taken = registry.replace_spec(&own("morph-xml", &["more", "qwq"])).err().unwrap();
    assert_eq!(taken.to_string(), "the name `qwq` is taken by the format `qwq`");
    assert_eq!(format!("{registry:?}"), before, "nothing is half replaced");
    let protocol = Arc::new(SpecProtocol::new(&own("new", &[])).unwrap());
    assert!(registry.replace(protocol).is_none());
}

#[test]
fn formats_and_reasoning_families_have_name_spaces_of_their_own() {
    let mut registry = Registry::builtin();
    assert_eq!(
        calls(&registry, "kimi-k2", "<|tool_call_begin|>note:0<|tool_call_argument_begin|>{}"),
        1
    );
    assert_eq!(calls(&registry, "reasoning:kimi-k2", TEXT), 0);
    assert_eq!(registry.reasoning("kimi-k2").unwrap().name(), "kimi-k2");
    // A format may take the name of a family, which keeps it in its own name space.
    assert_eq!(calls(&registry, "qwen3", OWN), 0);
    registry.register_spec(&own("qwen3", &["think-tags"])).unwrap();
    assert_eq!(calls(&registry, "qwen3", OWN), 1);
    assert_eq!(calls(&registry, "reasoning:qwen3", OWN), 0);
    let turn = registry.reasoning("basic").unwrap().parse("<think>a</think>b", &request()).unwrap();
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("a", "b"));
    assert!(registry.reasoning("hermes").is_err());
}

#[test]
fn a_row_reads_others_that_are_there_already() {
    let mut registry = Registry::builtin();
    let mut spec = own("own", &[]);
    spec.reads = vec!["hermes".into(), "own-too".into()];
    let missing = registry.register_spec(&spec).unwrap_err().to_string();
    assert_eq!(missing, "format `own`: `reads` = `own-too`: no format of patterns has that name");
    registry
        .register_spec(&FormatSpec {
            call: vec!["<own>{call}</own>".into()],
            ..own("own-too", &[])
        })
        .unwrap();
    registry.register_spec(&spec).unwrap();
    let all = format!("{OWN}{TEXT}<own>{{\"name\": \"note\"}}</own>");
    assert_eq!(calls(&registry, "own", &all), 3);
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
