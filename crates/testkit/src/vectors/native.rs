//! Chunks of a provider: text, reasoning and native tool calls side by side.
//!
//! The pieces of one chunk are one delta of the shape that chat completions stream; they have no
//! splits of their own, so a case is run on its own chunks alone.

use std::cell::{Cell, RefCell};

use toolweir_adapters::{Agent, KindIds, Project, SegmentEvent, Segments};
use toolweir_protocols::Request;
use toolweir_protocols::segments::{Classes, NativeCalls, NativeDelta};
use toolweir_rjson::Value;
use toolweir_segments::{Counter, EventSink, Fold, StreamEnd, Tee, Turn};

use super::agent::{Seen, take};
use super::vector::Vector;

/// How the case says that its stream ends.
pub(super) fn end_option(vector: &Vector) -> Option<StreamEnd> {
    let named = vector.options.iter().find(|(key, _)| key == "end");
    named.and_then(|(_, end)| end.as_str()?.parse().ok())
}

/// How the stream ends: as the case says, else as its last reason does.
fn end_of(vector: &Vector, named: Option<StreamEnd>) -> StreamEnd {
    let reason =
        |chunk: &Value| chunk.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
    let reason = vector.native.iter().rev().find_map(reason);
    named.unwrap_or(match reason.as_deref() {
        Some("length") => StreamEnd::Length,
        Some("stop" | "tool_calls" | "function_call") => StreamEnd::Stop,
        // Chunks of plain text name no reason.
        None if vector.native.is_empty() => StreamEnd::Stop,
        _ => StreamEnd::Aborted,
    })
}

/// The calls of the format that a case names.
fn decoder(vector: &Vector, request: &Request) -> NativeCalls {
    let classes = (vector.format == "segments-api").then(Classes::default);
    NativeCalls::new(classes, request)
}

/// What came of the chunks as segments: the turn, and each event with the number of its chunk.
pub(super) fn segments(
    vector: &Vector,
    request: &Request,
    end: Option<StreamEnd>,
) -> (Turn, Vec<(usize, SegmentEvent)>) {
    let mut decoder = decoder(vector, request);
    let (mut fold, events) = (Fold::new(), RefCell::new(Vec::new()));
    let at = Cell::new(0);
    let mut project = Project::new(Segments::default(), Counter::default(), |event| {
        events.borrow_mut().push((at.get(), event));
    });
    if vector.native.is_empty() {
        decoder.text(&vector.text, &mut Tee(&mut fold, &mut project));
    }
    for (number, chunk) in vector.native.iter().enumerate() {
        at.set(number);
        push(&mut decoder, chunk, &mut Tee(&mut fold, &mut project));
        project.chunk_end();
    }
    let end = end_of(vector, end);
    project.ends_with(end);
    decoder.finish(end, &mut Tee(&mut fold, &mut project));
    drop(project);
    (fold.into_turn(), events.into_inner())
}

/// What came of the chunks: the turn, and the calls as an interface puts them together.
pub(super) fn decode(
    vector: &Vector,
    request: &Request,
    end: Option<StreamEnd>,
) -> (Turn, Vec<Seen>, StreamEnd) {
    let mut decoder = decoder(vector, request);
    let (mut fold, mut calls) = (Fold::new(), Vec::new());
    let mut agent =
        Project::new(Agent::default().streaming_tool_calls(), KindIds::default(), |event| {
            take(&mut calls, event);
        });
    for chunk in &vector.native {
        let mut sink = Tee(&mut fold, &mut agent);
        push(&mut decoder, chunk, &mut sink);
        agent.chunk_end();
    }
    let end = end_of(vector, end);
    agent.ends_with(end);
    decoder.finish(end, &mut Tee(&mut fold, &mut agent));
    drop(agent);
    (fold.into_turn(), calls, end)
}

/// One chunk: reasoning first, then text, then calls.
fn push(decoder: &mut NativeCalls, chunk: &Value, sink: &mut dyn EventSink) {
    if let Some(text) = chunk.as_str() {
        return decoder.text(text, sink);
    }
    let Some(delta) = chunk.get("delta") else { return };
    let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
    decoder.reasoning(text("reasoning_content"), sink);
    decoder.text(text("content"), sink);
    for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let function = call.get("function");
        let member = |key: &str| function.and_then(|f| f.get(key)).and_then(Value::as_str);
        let index = call.get("index").and_then(Value::as_u64).unwrap_or_default();
        let delta = NativeDelta {
            index,
            id: call.get("id").and_then(Value::as_str),
            name: member("name"),
            arguments: member("arguments").unwrap_or_default(),
        };
        decoder.call(delta, sink);
    }
}
