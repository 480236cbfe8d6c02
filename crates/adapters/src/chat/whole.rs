//! The completion, from the same steps as the chunks.

use std::sync::Arc;

use serde::Serialize;
use toolweir_segments::{Event, StreamEnd};

use super::types::{
    ChatCall, ChatChoice, ChatCompletion, ChatError, ChatFunction, ChatMessage, ChatUsage,
};
use super::{ChatOptions, Envelope, WireWriter};
use crate::envelope::{CallsAs, Ending, Facts};
use crate::flow::{Channel, Flow, Settings, Step};
use crate::projection::Projection;
use crate::wire::SseItem;

/// What a request without a stream is answered with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ChatReply {
    /// The completion.
    Completion(ChatCompletion),
    /// The answer broke off: [`FailureKind::status`](crate::FailureKind::status) is its status.
    Error(ChatError),
}

impl SseItem for ChatReply {}

/// The projection to one completion, which comes with the last event. Calls that do not run are not in
/// it, so [`ChatOptions::calls`] has no effect.
#[derive(Clone, Debug)]
pub struct ChatAnswer {
    flow: Flow,
    body: Body,
}

#[derive(Clone, Debug, Default)]
struct Body {
    options: ChatOptions,
    text: String,
    reasoning: String,
    calls: Vec<ChatCall>,
}

impl Default for ChatAnswer {
    fn default() -> Self {
        Self::new(ChatOptions::default())
    }
}

impl ChatAnswer {
    /// As the options say.
    #[must_use]
    pub fn new(options: ChatOptions) -> Self {
        let native_ids = options.native_ids;
        let flow = Flow::new(Settings { calls: CallsAs::Whole, keep: true, native_ids });
        Self { flow, body: Body { options, ..Body::default() } }
    }
}

impl Body {
    fn step(&mut self, step: &Step<'_>, out: &mut dyn FnMut(ChatReply)) {
        match step {
            Step::Delta { channel: Channel::Text, delta, .. } => self.text.push_str(delta),
            Step::Delta { channel: Channel::Reasoning, delta, .. } => {
                self.reasoning.push_str(delta);
            }
            Step::CallEnd { call, arguments } => {
                let (name, arguments) = (call.name.to_owned(), (*arguments).to_owned());
                let function = ChatFunction { name, arguments };
                self.calls.push(ChatCall { id: call.id.to_owned(), r#type: "function", function });
            }
            Step::Finish(facts) => {
                let reply = self.reply(facts);
                out(reply);
            }
            _ => {}
        }
    }

    fn reply(&mut self, facts: &Facts) -> ChatReply {
        let reason = match self.options.envelope.ending(facts) {
            Ending::Failed(failure) => return ChatReply::Error(ChatError::of(&failure)),
            Ending::Whole(reason) | Ending::Cut(reason) => reason,
        };
        let text = std::mem::take(&mut self.text);
        let reasoning = std::mem::take(&mut self.reasoning);
        let (reasoning_content, reasoning) = if reasoning.is_empty() {
            (None, None)
        } else {
            self.options.reasoning.keys(&reasoning)
        };
        let message = ChatMessage {
            role: "assistant",
            content: (!text.is_empty()).then_some(text),
            refusal: None,
            reasoning_content,
            reasoning,
            tool_calls: std::mem::take(&mut self.calls),
        };
        let finish_reason = self.options.finish_word(reason);
        let index = self.options.choice;
        let Envelope { id, model, created, usage, .. } = &self.options.envelope;
        ChatReply::Completion(ChatCompletion {
            id: Arc::clone(id),
            object: "chat.completion",
            created: *created,
            model: Arc::clone(model),
            choices: vec![ChatChoice { index, message, logprobs: None, finish_reason }],
            usage: usage.map(ChatUsage::of),
        })
    }
}

impl Projection for ChatAnswer {
    type Item = ChatReply;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(ChatReply)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}

impl WireWriter for ChatAnswer {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.body.options.envelope
    }

    fn begin(&mut self, _out: &mut dyn FnMut(ChatReply)) {}
}
