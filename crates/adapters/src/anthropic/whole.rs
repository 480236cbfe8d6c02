//! The message, from the same steps as the events.

use serde::Serialize;
use toolweir_segments::{Event, StreamEnd};

use super::types::{Block, MessageError, MessageObject};
use super::{Envelope, MessageOptions, WireWriter};
use crate::envelope::{CallsAs, Ending};
use crate::flow::{Channel, Flow, Settings, Step};
use crate::json;
use crate::projection::Projection;
use crate::wire::SseItem;

/// What a request without a stream is answered with.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum MessageReply {
    /// The message.
    Message(MessageObject),
    /// The answer broke off: [`FailureKind::status`](crate::FailureKind::status) is its status.
    Error(MessageError),
}

impl SseItem for MessageReply {}

/// The projection to one message, which comes with the last event. Calls that do not run are not in it,
/// so [`MessageOptions::calls`] has no effect.
#[derive(Clone, Debug)]
pub struct MessageAnswer {
    flow: Flow,
    body: Body,
}

#[derive(Clone, Debug, Default)]
struct Body {
    options: MessageOptions,
    content: Vec<Block>,
    text: String,
}

impl Default for MessageAnswer {
    fn default() -> Self {
        Self::new(MessageOptions::default())
    }
}

impl MessageAnswer {
    /// As the options say.
    #[must_use]
    pub fn new(options: MessageOptions) -> Self {
        let flow = Flow::new(Settings { calls: CallsAs::Whole, keep: true, native_ids: false });
        Self { flow, body: Body { options, ..Body::default() } }
    }
}

impl Body {
    fn step(&mut self, step: &Step<'_>, out: &mut dyn FnMut(MessageReply)) {
        match step {
            Step::Delta { delta, .. } => self.text.push_str(delta),
            Step::End { channel, .. } => {
                let text = std::mem::take(&mut self.text);
                match channel {
                    Channel::Text => self.content.push(Block::text(&text)),
                    Channel::Reasoning if self.options.thinking => {
                        self.content.push(Block::thinking(&text));
                    }
                    Channel::Reasoning => {}
                }
            }
            Step::CallEnd { call, arguments } => {
                self.content.push(Block::tool_use(call.id, call.name, json::raw(arguments)));
            }
            Step::Finish(facts) => out(match self.options.envelope.ending(facts) {
                Ending::Failed(failure) => MessageReply::Error(MessageError::of(&failure)),
                Ending::Whole(reason) | Ending::Cut(reason) => {
                    let content = std::mem::take(&mut self.content);
                    let stop = self.options.stop(reason);
                    MessageReply::Message(self.options.message(content, stop))
                }
            }),
            _ => {}
        }
    }
}

impl Projection for MessageAnswer {
    type Item = MessageReply;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(MessageReply)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}

impl WireWriter for MessageAnswer {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.body.options.envelope
    }

    fn begin(&mut self, _out: &mut dyn FnMut(MessageReply)) {}
}
