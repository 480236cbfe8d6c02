//! The objects of the wire, as they are written.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::envelope::{Failure, TokenUsage, shared};

/// One event of the stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResponseEvent {
    /// What it says.
    #[serde(flatten)]
    pub kind: ResponseEventKind,
    /// Its place in the stream, from 0 without gaps.
    pub sequence_number: u64,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
#[allow(missing_docs, reason = "members are those of the wire and mean the same everywhere")]
pub enum ResponseEventKind {
    /// The response is there.
    #[serde(rename = "response.created")]
    Created { response: ResponseObject },
    /// The model writes.
    #[serde(rename = "response.in_progress")]
    InProgress { response: ResponseObject },
    /// An item begins.
    #[serde(rename = "response.output_item.added")]
    OutputItemAdded { output_index: u32, item: OutputItem },
    /// An item is as it will be.
    #[serde(rename = "response.output_item.done")]
    OutputItemDone { output_index: u32, item: OutputItem },
    /// A part of an item begins.
    #[serde(rename = "response.content_part.added")]
    ContentPartAdded { item_id: String, output_index: u32, content_index: u32, part: OutputPart },
    /// A part is as it will be.
    #[serde(rename = "response.content_part.done")]
    ContentPartDone { item_id: String, output_index: u32, content_index: u32, part: OutputPart },
    /// More visible text.
    #[serde(rename = "response.output_text.delta")]
    OutputTextDelta {
        item_id: String,
        output_index: u32,
        content_index: u32,
        delta: String,
        logprobs: [(); 0],
    },
    /// The whole text of a part.
    #[serde(rename = "response.output_text.done")]
    OutputTextDone {
        item_id: String,
        output_index: u32,
        content_index: u32,
        text: String,
        logprobs: [(); 0],
    },
    /// More reasoning.
    #[serde(rename = "response.reasoning_text.delta")]
    ReasoningTextDelta { item_id: String, output_index: u32, content_index: u32, delta: String },
    /// The whole reasoning of a part.
    #[serde(rename = "response.reasoning_text.done")]
    ReasoningTextDone { item_id: String, output_index: u32, content_index: u32, text: String },
    /// A part of a summary begins.
    #[serde(rename = "response.reasoning_summary_part.added")]
    ReasoningSummaryPartAdded {
        item_id: String,
        output_index: u32,
        summary_index: u32,
        part: OutputPart,
    },
    /// A part of a summary is as it will be.
    #[serde(rename = "response.reasoning_summary_part.done")]
    ReasoningSummaryPartDone {
        item_id: String,
        output_index: u32,
        summary_index: u32,
        part: OutputPart,
    },
    /// More of a summary.
    #[serde(rename = "response.reasoning_summary_text.delta")]
    ReasoningSummaryTextDelta {
        item_id: String,
        output_index: u32,
        summary_index: u32,
        delta: String,
    },
    /// The whole text of a part of a summary.
    #[serde(rename = "response.reasoning_summary_text.done")]
    ReasoningSummaryTextDone {
        item_id: String,
        output_index: u32,
        summary_index: u32,
        text: String,
    },
    /// More JSON text of the arguments of a call.
    #[serde(rename = "response.function_call_arguments.delta")]
    FunctionCallArgumentsDelta { item_id: String, output_index: u32, delta: String },
    /// The arguments of a call that may run.
    #[serde(rename = "response.function_call_arguments.done")]
    FunctionCallArgumentsDone {
        item_id: String,
        output_index: u32,
        name: String,
        arguments: String,
    },
    /// The answer is whole. Last.
    #[serde(rename = "response.completed")]
    Completed { response: ResponseObject },
    /// A limit or a filter cut the answer. Last.
    #[serde(rename = "response.incomplete")]
    Incomplete { response: ResponseObject },
    /// The answer is an error. Last.
    #[serde(rename = "response.failed")]
    Failed { response: ResponseObject },
}

impl ResponseEventKind {
    /// Its type: the name of its frame.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Created { .. } => "response.created",
            Self::InProgress { .. } => "response.in_progress",
            Self::OutputItemAdded { .. } => "response.output_item.added",
            Self::OutputItemDone { .. } => "response.output_item.done",
            Self::ContentPartAdded { .. } => "response.content_part.added",
            Self::ContentPartDone { .. } => "response.content_part.done",
            Self::OutputTextDelta { .. } => "response.output_text.delta",
            Self::OutputTextDone { .. } => "response.output_text.done",
            Self::ReasoningTextDelta { .. } => "response.reasoning_text.delta",
            Self::ReasoningTextDone { .. } => "response.reasoning_text.done",
            Self::ReasoningSummaryPartAdded { .. } => "response.reasoning_summary_part.added",
            Self::ReasoningSummaryPartDone { .. } => "response.reasoning_summary_part.done",
            Self::ReasoningSummaryTextDelta { .. } => "response.reasoning_summary_text.delta",
            Self::ReasoningSummaryTextDone { .. } => "response.reasoning_summary_text.done",
            Self::FunctionCallArgumentsDelta { .. } => "response.function_call_arguments.delta",
            Self::FunctionCallArgumentsDone { .. } => "response.function_call_arguments.done",
            Self::Completed { .. } => "response.completed",
            Self::Incomplete { .. } => "response.incomplete",
            Self::Failed { .. } => "response.failed",
        }
    }
}

/// An item of the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputItem {
    /// Visible text.
    Message {
        /// Its id.
        id: String,
        /// `in_progress`, `completed` or `incomplete`.
        status: &'static str,
        /// `assistant`.
        role: &'static str,
        /// One part; none where the item begins.
        content: Vec<OutputPart>,
    },
    /// Reasoning.
    Reasoning {
        /// Its id.
        id: String,
        /// `in_progress`, `completed` or `incomplete`.
        status: &'static str,
        /// One part where reasoning is shown as a summary.
        summary: Vec<OutputPart>,
        /// One part where it is shown as text.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<OutputPart>,
    },
    /// A call.
    FunctionCall {
        /// The id of the item.
        id: String,
        /// The id that the result quotes.
        call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text; `""` where the item begins.
        arguments: String,
        /// `in_progress`, `completed` or `incomplete`.
        status: &'static str,
    },
}

/// A part of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputPart {
    /// Visible text.
    OutputText {
        /// The text.
        text: String,
        /// Always none.
        annotations: [(); 0],
        /// Always none.
        logprobs: [(); 0],
    },
    /// Reasoning.
    ReasoningText {
        /// The text.
        text: String,
    },
    /// Reasoning shown as a summary.
    SummaryText {
        /// The text.
        text: String,
    },
}

/// A response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResponseObject {
    /// Its id.
    #[serde(serialize_with = "shared")]
    pub id: Arc<str>,
    /// `response`.
    pub object: &'static str,
    /// Unix time in seconds.
    pub created_at: u64,
    /// `in_progress`, `completed`, `incomplete` or `failed`.
    pub status: &'static str,
    /// What went wrong.
    pub error: Option<ResponseError>,
    /// What cut it.
    pub incomplete_details: Option<IncompleteDetails>,
    /// The model.
    #[serde(serialize_with = "shared")]
    pub model: Arc<str>,
    /// The items; none before the end.
    pub output: Vec<OutputItem>,
    /// The tokens used; `null` where they are not known.
    pub usage: Option<ResponseUsage>,
    /// What it repeats of the request.
    #[serde(flatten)]
    pub request: Map<String, Value>,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ResponseError {
    /// `server_error` or `rate_limit_exceeded`: the wire has a closed list.
    pub code: &'static str,
    /// One line for people.
    pub message: String,
}

impl ResponseError {
    /// The error of a failure.
    #[must_use]
    pub fn of(failure: &Failure) -> Self {
        let code = match failure.kind.code() {
            "rate_limit_exceeded" => "rate_limit_exceeded",
            _ => "server_error",
        };
        Self { code, message: failure.message.clone() }
    }
}

/// What cut a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IncompleteDetails {
    /// `max_output_tokens` or `content_filter`.
    pub reason: &'static str,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ResponseUsage {
    /// Of the prompt.
    pub input_tokens: u64,
    /// Of the prompt: what came from a cache.
    pub input_tokens_details: super::CachedTokens,
    /// Of the answer.
    pub output_tokens: u64,
    /// Of the answer: what was reasoning.
    pub output_tokens_details: super::ReasoningTokens,
    /// Both.
    pub total_tokens: u64,
}

impl ResponseUsage {
    pub(super) fn of(usage: TokenUsage) -> Self {
        let cached_tokens = usage.cached.unwrap_or_default();
        let reasoning_tokens = usage.reasoning.unwrap_or_default();
        Self {
            input_tokens: usage.input,
            input_tokens_details: super::CachedTokens { cached_tokens },
            output_tokens: usage.output,
            output_tokens_details: super::ReasoningTokens { reasoning_tokens },
            total_tokens: usage.input.saturating_add(usage.output),
        }
    }
}
