//! The UI message stream of the Vercel AI SDK (`ai` 6 and 7): what a server sends to `useChat`.
//!
//! # Invariants
//! - `start` and `start-step` come first; `finish-step`, `finish` and `[DONE]`, or `error`, last.
//! - The input of a call ends in `tool-input-available` where it may run, and in `tool-input-error`
//!   where it does not.
//!
//! Frames are `data:` alone; the answer has the header [`UI_MESSAGE_STREAM_HEADER`]. Shapes: the
//! published types of `ai`.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use toolweir_segments::{Event, FinishReason, StreamEnd};

use crate::envelope::{CallsAs, Ending, Envelope, Facts, FailureKind};
use crate::flow::{Channel, Flow, Settings, Step};
use crate::json;
use crate::projection::Projection;
use crate::wire::{SseItem, WireWriter};

/// The header by which a client knows the stream: name and value.
pub const UI_MESSAGE_STREAM_HEADER: (&str, &str) = ("x-vercel-ai-ui-message-stream", "v1");

/// What the writer of UI message streams can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UiMessageOptions {
    /// The id of the message. Default: `msg-1`. Nothing else of the envelope is in the stream.
    pub envelope: Envelope,
    /// When calls go out: as they come, or whole. Default: as they come.
    pub calls: CallsAs,
    /// Whether the tools are known to the server alone (`dynamic` parts). Default: no.
    pub dynamic: bool,
}

impl Default for UiMessageOptions {
    fn default() -> Self {
        Self { envelope: Envelope::new("msg-1"), calls: CallsAs::Live, dynamic: false }
    }
}

/// One part of the stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum UiItem {
    /// A part.
    Part(UiPart),
    /// `[DONE]`. As JSON, a string.
    Done,
}

impl Serialize for UiItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Part(part) => part.serialize(serializer),
            Self::Done => serializer.serialize_str("[DONE]"),
        }
    }
}

impl SseItem for UiItem {
    fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }
}

/// A part of a UI message stream.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "members are those of the wire and mean the same everywhere")]
pub enum UiPart {
    /// The message begins.
    Start { message_id: String },
    /// An answer of the model begins.
    StartStep,
    /// A run of visible text begins.
    TextStart { id: String },
    /// More text.
    TextDelta { id: String, delta: String },
    /// The run ends.
    TextEnd { id: String },
    /// A reasoning section begins.
    ReasoningStart { id: String },
    /// More reasoning.
    ReasoningDelta { id: String, delta: String },
    /// The section ends.
    ReasoningEnd { id: String },
    /// The input of a call begins.
    ToolInputStart {
        tool_call_id: String,
        tool_name: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        dynamic: bool,
    },
    /// More JSON text of the input.
    ToolInputDelta { tool_call_id: String, input_text_delta: String },
    /// The call may run.
    ToolInputAvailable {
        tool_call_id: String,
        tool_name: String,
        input: Box<RawValue>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        dynamic: bool,
    },
    /// The call does not run; `input` is the text as far as it came.
    ToolInputError {
        tool_call_id: String,
        tool_name: String,
        input: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        dynamic: bool,
        error_text: String,
    },
    /// The answer of the model ends.
    FinishStep,
    /// The message is over.
    Finish { finish_reason: &'static str },
    /// The answer broke off. Last.
    Error { error_text: String },
}

/// The projection. Ids of text, reasoning and calls are the ids of their segments.
#[derive(Clone, Debug)]
pub struct UiMessage {
    flow: Flow,
    options: UiMessageOptions,
}

impl Default for UiMessage {
    fn default() -> Self {
        Self::new(UiMessageOptions::default())
    }
}

impl UiMessage {
    /// As the options say.
    #[must_use]
    pub fn new(options: UiMessageOptions) -> Self {
        let settings = Settings { calls: options.calls, keep: true, native_ids: false };
        Self { flow: Flow::new(settings), options }
    }
}

impl UiMessageOptions {
    fn step(&self, step: &Step<'_>, out: &mut dyn FnMut(UiItem)) {
        let dynamic = self.dynamic;
        let part = match step {
            Step::Begin => {
                out(UiItem::Part(UiPart::Start { message_id: self.envelope.id.to_string() }));
                UiPart::StartStep
            }
            Step::Start { channel, id } => start(*channel, id),
            Step::Delta { channel, id, delta } => more(*channel, id, delta),
            Step::End { channel, id, .. } => end(*channel, id),
            Step::CallStart(call) => UiPart::ToolInputStart {
                tool_call_id: call.id.to_owned(),
                tool_name: call.name.to_owned(),
                dynamic,
            },
            Step::Args { call, delta } => UiPart::ToolInputDelta {
                tool_call_id: call.id.to_owned(),
                input_text_delta: (*delta).to_owned(),
            },
            Step::CallEnd { call, arguments } => UiPart::ToolInputAvailable {
                tool_call_id: call.id.to_owned(),
                tool_name: call.name.to_owned(),
                input: json::raw(arguments),
                dynamic,
            },
            Step::CallCut { call, arguments, why } => UiPart::ToolInputError {
                tool_call_id: call.id.to_owned(),
                tool_name: call.name.to_owned(),
                input: (*arguments).to_owned(),
                dynamic,
                error_text: why.message.clone(),
            },
            Step::Finish(facts) => return self.finish(facts, out),
        };
        out(UiItem::Part(part));
    }

    fn finish(&self, facts: &Facts, out: &mut dyn FnMut(UiItem)) {
        let reason = match self.envelope.ending(facts) {
            Ending::Whole(reason) | Ending::Cut(reason) => reason,
            // The part of the call has told.
            Ending::Failed(failure)
                if matches!(failure.kind, FailureKind::CutCall | FailureKind::RefusedCall) =>
            {
                FinishReason::Error
            }
            Ending::Failed(failure) => {
                return out(UiItem::Part(UiPart::Error { error_text: failure.message }));
            }
        };
        out(UiItem::Part(UiPart::FinishStep));
        out(UiItem::Part(UiPart::Finish { finish_reason: reason.hyphenated() }));
        out(UiItem::Done);
    }
}

fn start(channel: Channel, id: &str) -> UiPart {
    let id = id.to_owned();
    match channel {
        Channel::Text => UiPart::TextStart { id },
        Channel::Reasoning => UiPart::ReasoningStart { id },
    }
}

fn more(channel: Channel, id: &str, delta: &str) -> UiPart {
    let (id, delta) = (id.to_owned(), delta.to_owned());
    match channel {
        Channel::Text => UiPart::TextDelta { id, delta },
        Channel::Reasoning => UiPart::ReasoningDelta { id, delta },
    }
}

fn end(channel: Channel, id: &str) -> UiPart {
    let id = id.to_owned();
    match channel {
        Channel::Text => UiPart::TextEnd { id },
        Channel::Reasoning => UiPart::ReasoningEnd { id },
    }
}

impl Projection for UiMessage {
    type Item = UiItem;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(UiItem)) {
        let Self { flow, options } = self;
        flow.event(id, event, &mut |step| options.step(&step, out));
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(UiItem)) {
        let Self { flow, options } = self;
        flow.chunk_end(&mut |step| options.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}

impl WireWriter for UiMessage {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.options.envelope
    }

    fn begin(&mut self, out: &mut dyn FnMut(UiItem)) {
        let Self { flow, options } = self;
        flow.begin(&mut |step| options.step(&step, out));
    }
}
