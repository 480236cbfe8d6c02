//! Events in the shapes of the outside world.
//!
//! A [`Projection`] takes events one by one, each with the id of its segment, and gives the items of
//! one outside shape. Items are mirror types: they implement [`serde::Serialize`], and their JSON is
//! the shape. [`Project`] makes a sink of a projection, so that a decoder writes straight into it.
//!
//! | projection | item | shape |
//! | --- | --- | --- |
//! | [`ChatChunks`], [`ChatAnswer`] | [`ChatItem`], [`ChatReply`] | chunks of OpenAI's chat completions, one completion |
//! | [`ResponseEvents`], [`ResponseAnswer`] | [`ResponseEvent`], [`ResponseReply`] | events of OpenAI's Responses, one response |
//! | [`MessageEvents`], [`MessageAnswer`] | [`MessageEvent`], [`MessageReply`] | events of Anthropic's Messages, one message |
//! | [`AiSdk`] | [`StreamPart`] | stream parts of the Vercel AI SDK, as a provider gives them |
//! | [`UiMessage`] | [`UiItem`] | the UI message stream of the Vercel AI SDK |
//! | [`AgUi`] | [`AgUiEvent`] | events of AG-UI |
//! | [`Segments`] | [`SegmentEvent`] | `SEGMENT_START`, `SEGMENT_CONTENT`, `SEGMENT_END` |
//! | [`Agent`] | [`AgentEvent`] | events of an agent runner, `assistant_streaming_tool_call` among them |
//! | [`Host`] | [`HostToken`] | narrative and tool calls of a chat host |
//!
//! [`Accumulator`] goes the other way for calls that grow; [`json_line`], [`sse_frame`] and [`SseFrames`]
//! write items. Writers of the wires between servers and clients are [`WireWriter`]s: their [`Envelope`] has
//! what no event tells (id, model, usage, what broke), their ids come from [`WireIds`].
//! [`read`] reads the streams of providers, damaged ones too; [`SseReader`] is the codec below it.
//!
//! # Invariants
//! - Ids, clocks and generators are the caller's; the same events give the same items (C3: joined
//!   deltas do not depend on how the stream was cut).
//! - Text is closed before a call begins; no empty text goes out; nothing comes after the end.
//! - Joined argument deltas are the final input, for every call that runs (C6); a call that does not
//!   run has no final item, and what went out of its arguments does not parse (never lie).
//! - On every wire an answer ends as whole only where nothing was cut and every call that was shown may
//!   run. Where it was cut by a limit the wire says so; all else that is not whole is an error of the
//!   wire's own.
//! - Nothing is kept but the open call's arguments and what the last item of a shape must repeat.
//!
//! # Features
//! `async-openai`: chunks and completions become the types of that crate (`From`). For rig and genai there are
//! packages: `toolweir-rig`, `toolweir-genai`. Of other clients: their types are read from our JSON by serde.
//!
//! # Absent on purpose
//! Transports. Items are values or text; a server sends them as it likes.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

mod accumulate;
mod ag_ui;
mod agent;
mod ai_sdk;
mod anthropic;
#[cfg(feature = "async-openai")]
mod async_openai;
mod chat;
mod envelope;
mod flow;
mod host;
mod ids;
mod json;
mod projection;
pub mod read;
mod responses;
mod segments;
mod sse;
mod ui_message;
mod wire;

pub use accumulate::{Accumulator, Change, Preview};
pub use ag_ui::{
    AgUi, AgUiEvent, AgUiNotRun, AgUiOptions, AgUiOutcome, AgUiUsage, TOOL_CALL_NOT_RUN,
};
pub use agent::{
    Agent, AgentEvent, AgentEventKind, AgentToolCall, AgentToolFunction, CallView, CountedStamps,
    GrowingCalls, Stamps, StoredEvent, WholeCalls,
};
pub use ai_sdk::{AiSdk, AiSdkFinish, AiSdkVersion, StreamPart, Tokens, Usage};
pub use anthropic::{
    Block, BlockDelta, MessageAnswer, MessageError, MessageErrorBody, MessageEvent, MessageEvents,
    MessageObject, MessageOptions, MessageReply, MessageStop, MessageUsage,
};
pub use chat::{
    CachedTokens, ChatAnswer, ChatCall, ChatCallDelta, ChatChoice, ChatChunk, ChatChunkChoice,
    ChatChunks, ChatCompletion, ChatDelta, ChatError, ChatErrorBody, ChatFunction,
    ChatFunctionDelta, ChatItem, ChatMessage, ChatOptions, ChatReasoning, ChatReply, ChatUsage,
    ReasoningTokens,
};
pub use envelope::{CallsAs, Envelope, Failure, FailureKind, TokenUsage};
pub use host::{Host, HostMode, HostToken};
pub use ids::{Count, KindIds, WireIds};
pub use projection::{Project, Projection};
pub use responses::{
    IncompleteDetails, OutputItem, OutputPart, ResponseAnswer, ResponseError, ResponseEvent,
    ResponseEventKind, ResponseEvents, ResponseObject, ResponseOptions, ResponseReasoning,
    ResponseReply, ResponseUsage,
};
pub use segments::{Facts, SegmentEvent, SegmentPayload, Segments};
pub use sse::{FrameTooLong, SseFrame, SseReader};
pub use toolweir_segments::FinishReason;
pub use ui_message::{UI_MESSAGE_STREAM_HEADER, UiItem, UiMessage, UiMessageOptions, UiPart};
pub use wire::{KEEP_ALIVE, SseFrames, SseItem, WireWriter, json_line, sse_frame};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
