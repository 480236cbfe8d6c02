//! The wire of OpenAI's Responses: events while the answer comes ([`ResponseEvents`]), or one response
//! ([`ResponseAnswer`]).
//!
//! # Invariants
//! - `sequence_number` rises from 0 without gaps; output indices count items, reasoning too.
//! - Each item is added, grows, is done; the last event is `response.completed`, `response.incomplete`
//!   or `response.failed`, with every item as it was done.
//! - The arguments of a call that does not run are never `done`; its item is `incomplete`.
//!
//! Shapes: the published types and accumulators of the SDKs.

mod items;
mod types;
mod whole;

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolweir_segments::{Event, FinishReason, StreamEnd};

use crate::chat::{CachedTokens, ReasoningTokens};
use crate::envelope::{CallsAs, Ending, Envelope, Facts, Failure};
use crate::flow::{Flow, Settings, Step};
use crate::projection::Projection;
use crate::wire::{SseItem, WireWriter};

use items::Items;
pub use types::{
    IncompleteDetails, OutputItem, OutputPart, ResponseError, ResponseEvent, ResponseEventKind,
    ResponseObject, ResponseUsage,
};
pub use whole::{ResponseAnswer, ResponseReply};

/// How reasoning goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResponseReasoning {
    /// As reasoning text.
    #[default]
    Text,
    /// As a summary, which more clients show.
    Summary,
    /// Not at all.
    Hidden,
}

/// What the writers of responses can be told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResponseOptions {
    /// Id, model, time and usage. Default: the id `resp_1`.
    pub envelope: Envelope,
    /// How reasoning goes out. Default: as reasoning text.
    pub reasoning: ResponseReasoning,
    /// When calls go out: as they come, or whole. Default: as they come.
    pub calls: CallsAs,
    /// Whether the ids that the model gives its calls are used. Default: no. One that comes twice is used
    /// once.
    pub native_ids: bool,
    /// What the response repeats of the request (`tools`, `instructions`, `temperature`), on top of the
    /// defaults of the service. Members that the writer knows itself are left out.
    pub request: Map<String, Value>,
}

impl Default for ResponseOptions {
    fn default() -> Self {
        Self {
            envelope: Envelope::new("resp_1"),
            reasoning: ResponseReasoning::Text,
            calls: CallsAs::Live,
            native_ids: false,
            request: Map::new(),
        }
    }
}

/// The members of a response that are not of the request.
const OWN: [&str; 9] = [
    "created_at",
    "error",
    "id",
    "incomplete_details",
    "model",
    "object",
    "output",
    "status",
    "usage",
];

impl ResponseOptions {
    fn repeated(&self) -> Map<String, Value> {
        let defaults = json!({
            "instructions": null,
            "metadata": {},
            "parallel_tool_calls": true,
            "temperature": null,
            "tool_choice": "auto",
            "tools": [],
            "top_p": null,
        });
        let mut members = match defaults {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let known = |key: &str| OWN.contains(&key);
        let given = self.request.iter().filter(|(key, _)| !known(key));
        members.extend(given.map(|(key, value)| (key.clone(), value.clone())));
        members
    }
}

/// The projection to events. Ids of calls are the ids of their segments, those of items are made from
/// them: [`WireIds::openai`](crate::WireIds::openai).
#[derive(Clone, Debug)]
pub struct ResponseEvents {
    flow: Flow,
    body: Body,
}

#[derive(Clone, Debug)]
struct Body {
    options: ResponseOptions,
    request: Map<String, Value>,
    items: Items,
    next: u64,
}

type Out<'o> = &'o mut dyn FnMut(ResponseEvent);

impl Default for ResponseEvents {
    fn default() -> Self {
        Self::new(ResponseOptions::default())
    }
}

impl ResponseEvents {
    /// As the options say.
    #[must_use]
    pub fn new(options: ResponseOptions) -> Self {
        let (calls, native_ids) = (options.calls, options.native_ids);
        let flow = Flow::new(Settings { calls, keep: true, native_ids });
        let request = options.repeated();
        let items = Items::new(options.reasoning);
        Self { flow, body: Body { options, request, items, next: 0 } }
    }
}

impl Body {
    fn step(&mut self, step: &Step<'_>, out: Out<'_>) {
        match step {
            Step::Begin => {
                let response = self.response("in_progress");
                let kind = ResponseEventKind::Created { response: response.clone() };
                number(&mut self.next, kind, out);
                number(&mut self.next, ResponseEventKind::InProgress { response }, out);
            }
            Step::Finish(facts) => self.finish(facts, out),
            _ => {
                let Self { items, next, .. } = self;
                items.step(step, &mut |kind| number(next, kind, out));
            }
        }
    }

    fn response(&self, status: &'static str) -> ResponseObject {
        let Envelope { id, model, created, usage, .. } = &self.options.envelope;
        ResponseObject {
            id: Arc::clone(id),
            object: "response",
            created_at: *created,
            status,
            error: None,
            incomplete_details: None,
            model: Arc::clone(model),
            output: Vec::new(),
            usage: usage.filter(|_| status != "in_progress").map(ResponseUsage::of),
            request: self.request.clone(),
        }
    }

    fn finish(&mut self, facts: &Facts, out: Out<'_>) {
        let kind = match self.options.envelope.ending(facts) {
            Ending::Whole(_) => {
                ResponseEventKind::Completed { response: self.last("completed", None, None) }
            }
            Ending::Cut(reason) => {
                let reason = match reason {
                    FinishReason::ContentFilter => "content_filter",
                    _ => "max_output_tokens",
                };
                let response = self.last("incomplete", None, Some(IncompleteDetails { reason }));
                ResponseEventKind::Incomplete { response }
            }
            Ending::Failed(failure) => {
                ResponseEventKind::Failed { response: self.last("failed", Some(&failure), None) }
            }
        };
        number(&mut self.next, kind, out);
    }

    fn last(
        &mut self,
        status: &'static str,
        failure: Option<&Failure>,
        incomplete_details: Option<IncompleteDetails>,
    ) -> ResponseObject {
        let error = failure.map(ResponseError::of);
        let output = self.items.take();
        ResponseObject { error, incomplete_details, output, ..self.response(status) }
    }
}

fn number(next: &mut u64, kind: ResponseEventKind, out: Out<'_>) {
    out(ResponseEvent { kind, sequence_number: *next });
    *next = next.saturating_add(1);
}

impl Projection for ResponseEvents {
    type Item = ResponseEvent;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(ResponseEvent)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(ResponseEvent)) {
        let Self { flow, body } = self;
        flow.chunk_end(&mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}

impl WireWriter for ResponseEvents {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.body.options.envelope
    }

    fn begin(&mut self, out: &mut dyn FnMut(ResponseEvent)) {
        let Self { flow, body } = self;
        flow.begin(&mut |step| body.step(&step, out));
    }
}

impl SseItem for ResponseEvent {
    fn event_name(&self) -> Option<&str> {
        Some(self.kind.name())
    }
}
