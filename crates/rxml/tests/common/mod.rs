//! Schemas and readings for the tests.
#![allow(dead_code, reason = "each test file takes what it needs")]

use toolweir_rjson::{Mode, Value, parse as json};
use toolweir_rxml::{Error, Event, Machine, Options, Parsed, parse};
use toolweir_schema_coerce::{Schema, SchemaLimits};

/// How a law is tried: as often as `TOOLWEIR_CASES` says, else so many times. Failures write no
/// files: they become tests.
#[allow(clippy::disallowed_methods, reason = "the number of cases is the caller's to choose")]
pub(crate) fn cases(otherwise: u32) -> proptest::prelude::ProptestConfig {
    let cases = std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok());
    let cases = cases.unwrap_or(otherwise);
    proptest::prelude::ProptestConfig {
        cases,
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    }
}

pub(crate) fn schema(source: &str) -> Schema {
    let source = json(source, Mode::Relaxed).unwrap().value;
    Schema::compile(&source, &SchemaLimits::default()).unwrap().schema
}

/// An open object schema with these properties.
pub(crate) fn properties(source: &str) -> Schema {
    schema(&format!("{{type:'object',properties:{source}}}"))
}

pub(crate) fn repairing() -> Options {
    let mut options = Options::default();
    options.repair = true;
    options
}

/// The value as JSON text, or the class of the error.
pub(crate) fn read(text: &str, schema: &Schema, options: &Options) -> String {
    shown(&checked(text, schema, options))
}

pub(crate) fn shown(result: &Result<Parsed, Error>) -> String {
    match result {
        Ok(parsed) => parsed.value.to_string(),
        Err(error) => error.class().to_owned(),
    }
}

pub(crate) fn codes(text: &str, schema: &Schema, options: &Options) -> Vec<&'static str> {
    let parsed = checked(text, schema, options).unwrap();
    parsed.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

/// Parses, and holds every two-way split and character by character against the whole.
pub(crate) fn checked(text: &str, schema: &Schema, options: &Options) -> Result<Parsed, Error> {
    let whole = by_chunks(&[text], schema, options);
    for at in text.char_indices().map(|(at, _)| at) {
        let parts = by_chunks(&[&text[..at], &text[at..]], schema, options);
        assert_eq!(whole, parts, "{text:?} cut at {at}");
    }
    let chars: Vec<String> = text.chars().map(String::from).collect();
    let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
    assert_eq!(whole, by_chunks(&chars, schema, options), "{text:?} by characters");
    assert_eq!(whole.0, parse(text, schema, options));
    whole.0
}

/// The result and the events, adjacent text joined. Diagnostics come before the piece of text they
/// speak of, so how they fall among pieces is not compared; the result has them in order.
pub(crate) fn by_chunks(
    chunks: &[&str],
    schema: &Schema,
    options: &Options,
) -> (Result<Parsed, Error>, Vec<Event<'static>>) {
    let mut machine = Machine::new(schema.clone(), options.clone());
    let mut events: Vec<Event<'static>> = Vec::new();
    for chunk in chunks {
        if let Err(error) = machine.push(chunk, |event| add(&mut events, event)) {
            return (Err(error), events);
        }
    }
    let result = machine.finish(|event| add(&mut events, event));
    (result, events)
}

fn add(events: &mut Vec<Event<'static>>, event: Event<'_>) {
    if matches!(event, Event::Diagnostic(_)) {
        return;
    }
    if let (Event::Text { text: more }, Some(Event::Text { text })) = (&event, events.last_mut()) {
        text.to_mut().push_str(more);
    } else {
        events.push(event.into_owned());
    }
}

pub(crate) fn value(text: &str) -> Value {
    json(text, Mode::Relaxed).unwrap().value
}
