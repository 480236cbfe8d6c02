//! Streams through a decoder and a projection, as JSON.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;
use toolweir_adapters::{KindIds, Project, Projection};
use toolweir_protocols::{Chunk, Registry, Request};
use toolweir_segments::{
    CallClass, Event, EventSink, IdGenerator, Invocation, Kind, MetaRole, Outcome, Reason, Span,
    StreamEnd,
};

/// Chunks through the decoder of `format`, as items of the projection.
pub(crate) fn decode<P: Projection<Item: Serialize>>(
    format: &str,
    chunks: &[&str],
    end: StreamEnd,
    projection: P,
) -> Vec<Value> {
    let lines = decode_lines(format, chunks, end, KindIds::default(), projection);
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same, as lines of JSON.
pub(crate) fn decode_lines<P: Projection<Item: Serialize>>(
    format: &str,
    chunks: &[&str],
    end: StreamEnd,
    ids: impl IdGenerator,
    projection: P,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut sink = Project::new(projection, ids, |item: P::Item| {
        lines.push(serde_json::to_string(&item).unwrap());
    });
    let mut request = Request::default();
    request.emit.raw = true;
    let mut decoder = REGISTRY.get(format).unwrap().decoder(&request).unwrap();
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut sink);
        sink.chunk_end();
    }
    sink.ends_with(end);
    decoder.finish(end, &mut sink);
    lines
}

pub(crate) static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

/// The events of chunks through the decoder of `format`.
pub(crate) fn decode_into(format: &str, chunks: &[&str], end: StreamEnd) -> Vec<Event<'static>> {
    decode_request(format, chunks, end, &Request::default())
}

/// The same for a request.
pub(crate) fn decode_request(
    format: &str,
    chunks: &[&str],
    end: StreamEnd,
    request: &Request,
) -> Vec<Event<'static>> {
    let mut events = Vec::new();
    let mut sink = |event: Event<'_>| events.push(event.into_owned());
    let mut decoder = REGISTRY.get(format).unwrap().decoder(request).unwrap();
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut sink);
    }
    decoder.finish(end, &mut sink);
    events
}

/// Events through a projection, as lines of JSON.
pub(crate) fn project<P: Projection<Item: Serialize>>(
    events: Vec<Event<'static>>,
    ids: impl IdGenerator,
    projection: P,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut sink = Project::new(projection, ids, |item: P::Item| {
        lines.push(serde_json::to_string(&item).unwrap());
    });
    for event in events {
        sink.event(event);
    }
    lines
}

pub(crate) fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

pub(crate) fn start(class: CallClass) -> Event<'static> {
    Event::Start { kind: Kind::Call(class), span: Span::new(0, 10) }
}

pub(crate) fn name(name: &'static str, body: Option<&'static str>) -> Event<'static> {
    Event::Name { name: name.into(), native_id: None, body: body.map(Into::into) }
}

pub(crate) fn meta(key: &'static str, value: &'static str, role: MetaRole) -> Event<'static> {
    Event::Meta { key: key.into(), value: value.into(), role }
}

pub(crate) fn delta(text: &'static str) -> Event<'static> {
    Event::Delta(text.into())
}

pub(crate) fn end(outcome: Outcome) -> Event<'static> {
    Event::End { outcome, reason: Reason::Closed, span: Span::new(0, 90) }
}

pub(crate) fn runs(
    ordinal: u32,
    name: &'static str,
    arguments: Option<&'static str>,
) -> Event<'static> {
    let arguments = arguments.map(Into::into);
    Event::Invocation(Invocation { resolved: arguments, ..Invocation::new(ordinal, name) })
}

/// A file that is written: its path known at the start, a fact learnt after the content.
pub(crate) fn write_file(outcome: Outcome) -> Vec<Event<'static>> {
    let mut events = vec![
        start(CallClass::WriteFile),
        name("write_file", Some("content")),
        meta("path", "/srv/a.py", MetaRole::Text),
        delta("print('hi')"),
        delta("\n"),
        meta("executable", "true", MetaRole::Literal),
        end(outcome),
    ];
    events.extend(outcome.is_runnable().then(|| runs(0, "write_file", None)));
    events.push(Event::Finish);
    events
}
