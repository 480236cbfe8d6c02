//! The response: the object of the last event.

use serde::Serialize;
use toolweir_segments::{Event, StreamEnd};

use super::types::{ResponseEventKind, ResponseObject};
use super::{Envelope, ResponseEvents, ResponseOptions, WireWriter};
use crate::chat::ChatError;
use crate::envelope::{CallsAs, Ending, Facts};
use crate::flow::Step;
use crate::projection::Projection;
use crate::wire::SseItem;

/// What a request without a stream is answered with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "one a request")]
pub enum ResponseReply {
    /// The response.
    Response(ResponseObject),
    /// The answer broke off: [`FailureKind::status`](crate::FailureKind::status) is its status.
    Error(ChatError),
}

impl SseItem for ResponseReply {}

/// The projection to one response, which comes with the last event. Calls that do not run are not in it,
/// so [`ResponseOptions::calls`] has no effect.
#[derive(Clone, Debug)]
pub struct ResponseAnswer {
    events: ResponseEvents,
}

impl Default for ResponseAnswer {
    fn default() -> Self {
        Self::new(ResponseOptions::default())
    }
}

impl ResponseAnswer {
    /// As the options say.
    #[must_use]
    pub fn new(mut options: ResponseOptions) -> Self {
        options.calls = CallsAs::Whole;
        Self { events: ResponseEvents::new(options) }
    }

    fn failed(&self, facts: &Facts) -> Option<ChatError> {
        match self.events.body.options.envelope.ending(facts) {
            Ending::Failed(failure) => Some(ChatError::of(&failure)),
            Ending::Whole(_) | Ending::Cut(_) => None,
        }
    }
}

impl Projection for ResponseAnswer {
    type Item = ResponseReply;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(ResponseReply)) {
        let ResponseEvents { flow, body } = &mut self.events;
        let mut last = None;
        flow.event(id, event, &mut |step| {
            if let Step::Finish(facts) = &step {
                last = Some(facts.clone());
            }
            body.step(&step, &mut |event| match event.kind {
                ResponseEventKind::Completed { response }
                | ResponseEventKind::Incomplete { response } => {
                    out(ResponseReply::Response(response));
                }
                _ => {}
            });
        });
        if let Some(error) = last.and_then(|facts| self.failed(&facts)) {
            out(ResponseReply::Error(error));
        }
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.events.ends_with(end);
    }
}

impl WireWriter for ResponseAnswer {
    fn envelope_mut(&mut self) -> &mut Envelope {
        self.events.envelope_mut()
    }

    fn begin(&mut self, _out: &mut dyn FnMut(ResponseReply)) {}
}
