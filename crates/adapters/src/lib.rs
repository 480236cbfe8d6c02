//! Events in the shapes of the outside world.
//!
//! A [`Projection`] takes events one by one, each with the id of its segment, and gives the items of
//! one outside shape. Items are mirror types: they implement [`serde::Serialize`], and their JSON is
//! the shape. [`Project`] makes a sink of a projection, so that a decoder writes straight into it.
//!
//! | projection | item | shape |
//! | --- | --- | --- |
//! | [`AiSdk`] | [`StreamPart`] | stream parts of the Vercel AI SDK |
//! | [`Segments`] | [`SegmentEvent`] | `SEGMENT_START`, `SEGMENT_CONTENT`, `SEGMENT_END` |
//! | [`Agent`] | [`AgentEvent`] | events of an agent runner, `assistant_streaming_tool_call` among them |
//! | [`Host`] | [`HostToken`] | narrative and tool calls of a chat host |
//!
//! [`Accumulator`] goes the other way for calls that grow; [`json_line`] and [`SseFrames`] write items.
//! [`read`] reads the streams of providers, damaged ones too; [`SseReader`] is the codec below it.
//!
//! # Invariants
//! - Ids, clocks and generators are the caller's; the same events give the same items (C3: joined
//!   deltas do not depend on how the stream was cut).
//! - Text is closed before a call begins; no empty text goes out; nothing comes behind the end.
//! - Joined argument deltas are the final input, for every call that runs (C6); a call that does not
//!   run has no final item (never lie).
//! - Nothing is kept but the open call's arguments and what the last item of a shape must repeat.
//!
//! # Absent on purpose
//! Transports. Items are values or text; a server sends them as it likes.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

mod accumulate;
mod agent;
mod ai_sdk;
mod chat;
mod envelope;
mod flow;
mod host;
mod ids;
mod json;
mod projection;
pub mod read;
mod segments;
mod sse;
mod wire;

pub use accumulate::{Accumulator, Change, Preview};
pub use agent::{
    Agent, AgentEvent, AgentEventKind, AgentToolCall, AgentToolFunction, CallView, CountedStamps,
    GrowingCalls, Stamps, StoredEvent, WholeCalls,
};
pub use ai_sdk::{AiSdk, AiSdkFinish, AiSdkVersion, StreamPart, Tokens, Usage};
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
pub use segments::{Facts, SegmentEvent, SegmentPayload, Segments};
pub use sse::{FrameTooLong, SseFrame, SseReader};
pub use toolweir_segments::FinishReason;
pub use wire::{KEEP_ALIVE, SseFrames, SseItem, WireWriter, json_line, sse_frame};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
