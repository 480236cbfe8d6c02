//! Answers without sockets: what upstreams send, on every wire, cut at every byte.

mod cases;
pub(crate) mod client;
mod constrain;
mod modes;

use std::fmt::Write as _;
use std::sync::Arc;

use toolweir_adapters::{Envelope, Failure};

use super::{Answer, Plan, UniqueId};
use crate::config::Settings;
use crate::plan::Planner;
use crate::request::Asked;
use crate::wire::Wire;
use client::Seen;

pub(crate) const WIRES: [Wire; 3] = [Wire::Chat, Wire::Responses, Wire::Messages];

/// How an upstream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    Cleanly,
    Reset,
}

/// A planner of these settings, `KEY = VALUE` lines of a file.
fn planner(settings: &str) -> Planner {
    let settings = format!("upstream = 'http://127.0.0.1:1'\n{settings}");
    let config = Settings::from_toml(&settings).unwrap().into_config().unwrap();
    Planner::new(Arc::new(config)).unwrap()
}

/// A request that declares two tools; `more` are members of the wire's request.
pub(crate) fn request(wire: Wire, more: &str) -> String {
    let schema =
        r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}"#;
    match wire {
        Wire::Chat => format!(
            r#"{{"model":"m","stream":true,"stream_options":{{"include_usage":true}},"messages":[{{"role":"user","content":"Hi"}}],
            "tools":[{{"type":"function","function":{{"name":"search","parameters":{schema}}}}},{{"type":"function","function":{{"name":"clock","parameters":{{"type":"object","properties":{{}}}}}}}}]{more}}}"#
        ),
        Wire::Responses => format!(
            r#"{{"model":"m","stream":true,"input":"Hi",
            "tools":[{{"type":"function","name":"search","parameters":{schema}}},{{"type":"function","name":"clock"}}]{more}}}"#
        ),
        Wire::Messages => format!(
            r#"{{"model":"m","stream":true,"max_tokens":100,"messages":[{{"role":"user","content":"Hi"}}],
            "tools":[{{"name":"search","input_schema":{schema}}},{{"name":"clock","input_schema":{{"type":"object"}}}}]{more}}}"#
        ),
    }
}

/// An answer to that request.
fn answer(planner: &Planner, wire: Wire, request: &str) -> Result<(String, Answer), Failure> {
    let asked = Asked::read(wire, request.as_bytes())?;
    let planned = planner.plan(&asked)?;
    let plan = Plan {
        wire,
        dialect: planner.dialect(),
        stream: asked.stream,
        usage_chunk: asked.usage_chunk,
        n: asked.n,
        envelope: Envelope::new("answer_1"),
        echo: asked.echo.clone(),
        reading: planned.reading,
        estimated_input: asked.estimated_tokens(),
        max_bytes: 1 << 30,
    };
    let mut count = 0;
    let ids = || -> UniqueId {
        count += 1000;
        let mut count = count;
        Box::new(move || {
            count += 1;
            count.to_string()
        })
    };
    Ok((planned.body, Answer::new(&plan, ids).unwrap()))
}

/// What the client gets, for these pieces of the upstream.
fn output<'a>(
    planner: &Planner,
    wire: Wire,
    request: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    close: Close,
) -> String {
    let (_, mut answer) = answer(planner, wire, request).unwrap();
    let mut out = String::new();
    answer.begin(&mut out);
    for piece in pieces {
        answer.push(piece, &mut out);
    }
    match close {
        Close::Cleanly => answer.close(&mut out),
        Close::Reset => answer.abort(&mut out),
    }
    assert!(answer.is_over());
    out
}

/// What a client of that wire sees: the same whole, and in pieces of one and of three bytes.
fn seen(planner: &Planner, wire: Wire, request: &str, upstream: &str, close: Close) -> Seen {
    let bytes = upstream.as_bytes();
    let whole = client::stream(wire, &output(planner, wire, request, [bytes], close));
    for size in [1, 3] {
        let pieces = output(planner, wire, request, bytes.chunks(size), close);
        // An answer that ends with its first call may end before the usage comes.
        let pieces = Seen { usage: whole.usage, ..client::stream(wire, &pieces) };
        assert_eq!(pieces, whole, "{wire:?} in pieces of {size}");
    }
    whole
}

/// Chat chunks of these deltas.
pub(crate) fn chunks(deltas: &[&str]) -> String {
    let mut text = String::new();
    for delta in deltas {
        write!(
            text,
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
        )
        .unwrap();
    }
    text
}

/// The chunk that finishes, and `[DONE]`.
pub(crate) fn end(reason: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n\
         data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":7,\"completion_tokens\":9}}}}\n\ndata: [DONE]\n\n"
    )
}

/// Chat chunks that write this text, some characters each.
pub(crate) fn written(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for piece in characters.chunks(5) {
        let piece: String = piece.iter().collect();
        let content = serde_json::Value::from(piece);
        out.push_str(&chunks(&[&format!("{{\"content\":{content}}}")]));
    }
    out
}
