//! The wire of Anthropic's Messages: events while the answer comes ([`MessageEvents`]), or one message
//! ([`MessageAnswer`]).
//!
//! # Invariants
//! - Blocks have indices from 0 without gaps, one after the other; a delta is of the kind of its block.
//! - The stream ends in `message_delta` and `message_stop`, or in `error`; nothing follows either.
//! - The SDKs read the input of a block as far as it came, `{}` where nothing did. So the block of a call
//!   that does not run has no `content_block_stop`: `error` comes in its place, at once. Where the token
//!   limit or a filter cut the call the block stops, and the stop reason says so.
//!
//! Shapes: the published types and accumulators of the SDKs.

mod types;
mod whole;

use std::sync::Arc;

use toolweir_segments::{Event, FinishReason, StreamEnd};

use crate::envelope::{CallsAs, Ending, Envelope, Facts, Failure};
use crate::flow::{Channel, Flow, Settings, Shown, Step};
use crate::json;
use crate::projection::Projection;
use crate::wire::{SseItem, WireWriter};

pub use types::{
    Block, BlockDelta, MessageError, MessageErrorBody, MessageEvent, MessageObject, MessageStop,
    MessageUsage,
};
pub use whole::{MessageAnswer, MessageReply};

/// What the writers of messages can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageOptions {
    /// Id, model and usage. Default: the id `msg_1`. Tokens that are not known are 0.
    pub envelope: Envelope,
    /// Whether reasoning goes out, as `thinking` blocks. Default: yes. Their signature is `""`: Anthropic's
    /// own service refuses a history with such blocks.
    pub thinking: bool,
    /// When calls go out: as they come, or whole. Default: as they come.
    pub calls: CallsAs,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self { envelope: Envelope::new("msg_1"), thinking: true, calls: CallsAs::Live }
    }
}

impl MessageOptions {
    /// `stop_reason` and `stop_sequence`.
    fn stop(&self, reason: FinishReason) -> MessageStop {
        let sequence = &self.envelope.stop_sequence;
        let (word, sequence) = match reason {
            FinishReason::ToolCalls => ("tool_use", None),
            FinishReason::Length => ("max_tokens", None),
            FinishReason::ContentFilter => ("refusal", None),
            _ if sequence.is_some() => ("stop_sequence", sequence.clone()),
            _ => ("end_turn", None),
        };
        MessageStop { stop_reason: Some(word), stop_sequence: sequence }
    }

    fn message(&self, content: Vec<Block>, stop: MessageStop) -> MessageObject {
        let Envelope { id, model, usage, .. } = &self.envelope;
        MessageObject {
            id: Arc::clone(id),
            r#type: "message",
            role: "assistant",
            model: Arc::clone(model),
            content,
            stop,
            usage: MessageUsage::of(usage.unwrap_or_default()),
        }
    }
}

/// The projection to events. Ids of calls are the ids of their segments:
/// [`WireIds::anthropic`](crate::WireIds::anthropic).
#[derive(Clone, Debug, Default)]
pub struct MessageEvents {
    flow: Flow,
    body: Body,
}

#[derive(Clone, Debug, Default)]
struct Body {
    options: MessageOptions,
    end: StreamEnd,
    /// The index of the next block.
    next: u32,
    over: bool,
}

type Out<'o> = &'o mut dyn FnMut(MessageEvent);

impl MessageEvents {
    /// As the options say.
    #[must_use]
    pub fn new(options: MessageOptions) -> Self {
        let flow = Flow::new(Settings { calls: options.calls, ..Settings::default() });
        Self { flow, body: Body { options, ..Body::default() } }
    }
}

impl Body {
    fn step(&mut self, step: &Step<'_>, out: Out<'_>) {
        if self.over {
            return;
        }
        match step {
            Step::Start { channel: Channel::Reasoning, .. }
            | Step::Delta { channel: Channel::Reasoning, .. }
            | Step::End { channel: Channel::Reasoning, .. }
                if !self.options.thinking => {}
            Step::Begin => {
                let message = self.options.message(Vec::new(), MessageStop::default());
                out(MessageEvent::MessageStart { message });
            }
            Step::Start { channel: Channel::Text, .. } => self.start(Block::text(""), out),
            Step::Start { channel: Channel::Reasoning, .. } => {
                self.start(Block::thinking(""), out);
            }
            Step::Delta { channel, delta, .. } => self.delta(BlockDelta::of(*channel, delta), out),
            Step::CallStart(Shown { id, name, .. }) => {
                self.start(Block::tool_use(id, name, json::raw("{}")), out);
            }
            Step::Args { delta, .. } => {
                let partial_json = (*delta).to_owned();
                self.delta(BlockDelta::InputJsonDelta { partial_json }, out);
            }
            Step::End { .. } | Step::CallEnd { .. } => self.stop(out),
            Step::CallCut { why, .. } => self.cut(why, out),
            Step::Finish(facts) => self.finish(facts, out),
        }
    }

    fn start(&mut self, content_block: Block, out: Out<'_>) {
        out(MessageEvent::ContentBlockStart { index: self.next, content_block });
    }

    fn delta(&self, delta: BlockDelta, out: Out<'_>) {
        out(MessageEvent::ContentBlockDelta { index: self.next, delta });
    }

    fn stop(&mut self, out: Out<'_>) {
        out(MessageEvent::ContentBlockStop { index: self.next });
        self.next = self.next.saturating_add(1);
    }

    /// A call that does not run: the answer is an error here, unless the end says that it was cut.
    fn cut(&mut self, why: &Failure, out: Out<'_>) {
        let facts = Facts { end: self.end, calls: false, unsound: Some(why.clone()) };
        match self.options.envelope.ending(&facts) {
            Ending::Failed(failure) => self.fail(&failure, out),
            Ending::Whole(_) | Ending::Cut(_) => self.stop(out),
        }
    }

    fn finish(&mut self, facts: &Facts, out: Out<'_>) {
        let reason = match self.options.envelope.ending(facts) {
            Ending::Failed(failure) => return self.fail(&failure, out),
            Ending::Whole(reason) | Ending::Cut(reason) => reason,
        };
        self.over = true;
        let usage = MessageUsage::of(self.options.envelope.usage.unwrap_or_default());
        out(MessageEvent::MessageDelta { delta: self.options.stop(reason), usage });
        out(MessageEvent::MessageStop);
    }

    fn fail(&mut self, failure: &Failure, out: Out<'_>) {
        self.over = true;
        out(MessageEvent::Error { error: MessageErrorBody::of(failure) });
    }
}

impl Projection for MessageEvents {
    type Item = MessageEvent;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(MessageEvent)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(MessageEvent)) {
        let Self { flow, body } = self;
        flow.chunk_end(&mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
        self.body.end = end;
    }
}

impl WireWriter for MessageEvents {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.body.options.envelope
    }

    fn begin(&mut self, out: &mut dyn FnMut(MessageEvent)) {
        let Self { flow, body } = self;
        flow.begin(&mut |step| body.step(&step, out));
    }
}

impl SseItem for MessageEvent {
    fn event_name(&self) -> Option<&str> {
        Some(self.name())
    }
}
