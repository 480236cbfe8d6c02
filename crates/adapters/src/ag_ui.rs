//! The events of AG-UI 1.0: one run of an agent for a user interface.
//!
//! # Invariants
//! - `RUN_STARTED` is the first event; `RUN_FINISHED` or `RUN_ERROR` the last. The protocol has no word
//!   for an answer that a limit cut: that is `RUN_ERROR`, too, with the code `length`.
//! - A call that does not run ends in `TOOL_CALL_END` and a `CUSTOM` event; what came of its arguments
//!   does not parse, it is not among the pending calls, and the run ends in `RUN_ERROR`.
//!
//! Frames are `data:` alone. Shapes: the published types of `@ag-ui/core`.

use serde::Serialize;
use toolweir_segments::{Event, FinishReason, StreamEnd};

use crate::envelope::{CallsAs, Ending, Envelope, Facts, Failure, TokenUsage};
use crate::flow::{Channel, Flow, Settings, Shown, Step};
use crate::projection::Projection;
use crate::wire::{SseItem, WireWriter};

/// The name of the `CUSTOM` event for a call that does not run.
pub const TOOL_CALL_NOT_RUN: &str = "toolweir.tool_call_not_run";

/// What the writer of AG-UI events can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgUiOptions {
    /// The id of the run, the model and the usage. Default: the id `run-1`.
    pub envelope: Envelope,
    /// The id of the thread. Default: `thread-1`.
    pub thread: String,
    /// When calls go out: as they come, or whole. Default: as they come.
    pub calls: CallsAs,
}

impl Default for AgUiOptions {
    fn default() -> Self {
        let envelope = Envelope::new("run-1");
        Self { envelope, thread: "thread-1".to_owned(), calls: CallsAs::Live }
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "members are those of the protocol and mean the same everywhere")]
pub enum AgUiEvent {
    /// The run begins.
    RunStarted { thread_id: String, run_id: String },
    /// A message begins.
    TextMessageStart { message_id: String, role: &'static str },
    /// More of its text.
    TextMessageContent { message_id: String, delta: String },
    /// It ends.
    TextMessageEnd { message_id: String },
    /// Reasoning begins.
    ReasoningStart { message_id: String },
    /// A message of reasoning begins.
    ReasoningMessageStart { message_id: String, role: &'static str },
    /// More reasoning.
    ReasoningMessageContent { message_id: String, delta: String },
    /// The message ends.
    ReasoningMessageEnd { message_id: String },
    /// Reasoning ends.
    ReasoningEnd { message_id: String },
    /// A call begins.
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_message_id: Option<String>,
    },
    /// More JSON text of its arguments.
    ToolCallArgs { tool_call_id: String, delta: String },
    /// No more arguments come.
    ToolCallEnd { tool_call_id: String },
    /// The call before it does not run.
    Custom { name: &'static str, value: AgUiNotRun },
    /// The run is over.
    RunFinished {
        thread_id: String,
        run_id: String,
        outcome: AgUiOutcome,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<AgUiUsage>,
    },
    /// The run is over and the answer is not whole.
    RunError {
        message: String,
        code: &'static str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<AgUiUsage>,
    },
}

/// Which call does not run, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgUiNotRun {
    /// The id of the call.
    pub tool_call_id: String,
    /// A stable word.
    pub code: &'static str,
    /// One line for people.
    pub message: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum AgUiOutcome {
    /// It is whole.
    Success {
        /// The calls that may run.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pending_tool_call_ids: Vec<String>,
    },
}

/// Tokens used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgUiUsage {
    /// The model.
    pub model: String,
    /// Of the prompt, cached ones counted.
    pub input_tokens: u64,
    /// Of the answer, reasoning counted.
    pub output_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// Of the answer: what was reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Of the prompt: what came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
}

/// The projection. Ids of messages and calls are the ids of their segments; calls belong to the last
/// message of the run, where there is one.
#[derive(Clone, Debug, Default)]
pub struct AgUi {
    flow: Flow,
    body: Body,
}

#[derive(Clone, Debug, Default)]
struct Body {
    options: AgUiOptions,
    /// The id of the last message.
    message: Option<String>,
    pending: Vec<String>,
}

type Out<'o> = &'o mut dyn FnMut(AgUiEvent);

impl AgUi {
    /// As the options say.
    #[must_use]
    pub fn new(options: AgUiOptions) -> Self {
        let flow = Flow::new(Settings { calls: options.calls, ..Settings::default() });
        Self { flow, body: Body { options, ..Body::default() } }
    }
}

impl Body {
    fn step(&mut self, step: &Step<'_>, out: Out<'_>) {
        match step {
            Step::Begin => {
                let (thread_id, run_id) = self.ids();
                out(AgUiEvent::RunStarted { thread_id, run_id });
            }
            Step::Start { channel, id } => self.start(*channel, id, out),
            Step::Delta { channel, id, delta } => {
                let (message_id, delta) = ((*id).to_owned(), (*delta).to_owned());
                out(match channel {
                    Channel::Text => AgUiEvent::TextMessageContent { message_id, delta },
                    Channel::Reasoning => AgUiEvent::ReasoningMessageContent { message_id, delta },
                });
            }
            Step::End { channel: Channel::Text, id, .. } => {
                out(AgUiEvent::TextMessageEnd { message_id: (*id).to_owned() });
            }
            Step::End { channel: Channel::Reasoning, id, .. } => {
                out(AgUiEvent::ReasoningMessageEnd { message_id: (*id).to_owned() });
                out(AgUiEvent::ReasoningEnd { message_id: (*id).to_owned() });
            }
            Step::CallStart(call) => out(AgUiEvent::ToolCallStart {
                tool_call_id: call.id.to_owned(),
                tool_call_name: call.name.to_owned(),
                parent_message_id: self.message.clone(),
            }),
            Step::Args { call, delta } => {
                let (tool_call_id, delta) = (call.id.to_owned(), (*delta).to_owned());
                out(AgUiEvent::ToolCallArgs { tool_call_id, delta });
            }
            Step::CallEnd { call, .. } => {
                self.pending.push(call.id.to_owned());
                out(AgUiEvent::ToolCallEnd { tool_call_id: call.id.to_owned() });
            }
            Step::CallCut { call, why, .. } => cut(*call, why, out),
            Step::Finish(facts) => {
                let last = self.finish(facts);
                out(last);
            }
        }
    }

    fn ids(&self) -> (String, String) {
        (self.options.thread.clone(), self.options.envelope.id.to_string())
    }

    fn start(&mut self, channel: Channel, id: &str, out: Out<'_>) {
        let message_id = id.to_owned();
        match channel {
            Channel::Text => {
                self.message = Some(message_id.clone());
                out(AgUiEvent::TextMessageStart { message_id, role: "assistant" });
            }
            Channel::Reasoning => {
                out(AgUiEvent::ReasoningStart { message_id: message_id.clone() });
                out(AgUiEvent::ReasoningMessageStart { message_id, role: "reasoning" });
            }
        }
    }

    fn finish(&mut self, facts: &Facts) -> AgUiEvent {
        let envelope = &self.options.envelope;
        let usage: Vec<AgUiUsage> =
            envelope.usage.map(|usage| AgUiUsage::of(&envelope.model, usage)).into_iter().collect();
        let (message, code) = match envelope.ending(facts) {
            Ending::Whole(_) => {
                let (thread_id, run_id) = self.ids();
                let pending_tool_call_ids = std::mem::take(&mut self.pending);
                let outcome = AgUiOutcome::Success { pending_tool_call_ids };
                return AgUiEvent::RunFinished { thread_id, run_id, outcome, usage };
            }
            Ending::Cut(FinishReason::Length) => {
                ("the token limit cut the answer".to_owned(), "length")
            }
            Ending::Cut(_) => {
                ("a filter of the provider cut the answer".to_owned(), "content_filter")
            }
            Ending::Failed(failure) => (failure.message, failure.kind.code()),
        };
        AgUiEvent::RunError { message, code, usage }
    }
}

fn cut(call: Shown<'_>, why: &Failure, out: Out<'_>) {
    out(AgUiEvent::ToolCallEnd { tool_call_id: call.id.to_owned() });
    let value = AgUiNotRun {
        tool_call_id: call.id.to_owned(),
        code: why.kind.code(),
        message: why.message.clone(),
    };
    out(AgUiEvent::Custom { name: TOOL_CALL_NOT_RUN, value });
}

impl AgUiUsage {
    fn of(model: &str, usage: TokenUsage) -> Self {
        Self {
            model: model.to_owned(),
            input_tokens: usage.input,
            output_tokens: usage.output,
            total_tokens: usage.input.saturating_add(usage.output),
            reasoning_tokens: usage.reasoning,
            cached_input_tokens: usage.cached,
        }
    }
}

impl Projection for AgUi {
    type Item = AgUiEvent;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(AgUiEvent)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(AgUiEvent)) {
        let Self { flow, body } = self;
        flow.chunk_end(&mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}

impl WireWriter for AgUi {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.body.options.envelope
    }

    fn begin(&mut self, out: &mut dyn FnMut(AgUiEvent)) {
        let Self { flow, body } = self;
        flow.begin(&mut |step| body.step(&step, out));
    }
}

impl SseItem for AgUiEvent {}
