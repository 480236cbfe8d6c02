//! Chunks of a provider: text, reasoning and native tool calls side by side.
//!
//! The pieces of one chunk are one delta of the shape that chat completions stream; they have no
//! splits of their own, so a case is run on its own chunks alone.

use toolweir_adapters::{Agent, KindIds, Project};
use toolweir_protocols::Request;
use toolweir_protocols::segments::{Classes, NativeCalls, NativeDelta};
use toolweir_rjson::Value;
use toolweir_segments::{EventSink, Fold, StreamEnd, Tee, Turn};

use super::agent::{Seen, take};
use super::vector::Vector;

/// What came of the chunks: the turn, and the calls as an interface puts them together.
pub(super) fn decode(
    vector: &Vector,
    request: &Request,
    end: Option<StreamEnd>,
) -> (Turn, Vec<Seen>, StreamEnd) {
    let classes = (vector.format == "segments-api").then(Classes::default);
    let mut decoder = NativeCalls::new(classes, request);
    let (mut fold, mut calls) = (Fold::new(), Vec::new());
    let mut agent =
        Project::new(Agent::default().streaming_tool_calls(), KindIds::default(), |event| {
            take(&mut calls, event);
        });
    let mut reason = None;
    for chunk in &vector.native {
        let mut sink = Tee(&mut fold, &mut agent);
        push(&mut decoder, chunk, &mut sink);
        reason = chunk.get("finish_reason").and_then(Value::as_str).or(reason);
        agent.chunk_end();
    }
    let end = end.unwrap_or(match reason {
        Some("length") => StreamEnd::Length,
        Some("stop" | "tool_calls" | "function_call") => StreamEnd::Stop,
        _ => StreamEnd::Aborted,
    });
    agent.ends_with(end);
    decoder.finish(end, &mut Tee(&mut fold, &mut agent));
    drop(agent);
    (fold.into_turn(), calls, end)
}

/// One chunk: reasoning first, then text, then calls.
fn push(decoder: &mut NativeCalls, chunk: &Value, sink: &mut dyn EventSink) {
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
