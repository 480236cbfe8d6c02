//! Tool calls for models that only read and write text: prompts in, turns out.
//!
//! A [`Middleware`] stands between a caller who speaks of tools, calls and results, and a model that
//! knows only text. [`prepare`](Middleware::prepare) writes the tools into the system prompt and the
//! history as text; a [`Session`] reads the answer while it arrives.
//!
//! # Invariants
//! - No IO, no clock, no randomness: everything is a function of its input.
//! - Preparing what has been prepared changes nothing; what was rendered reads back as the same calls
//!   (C11); nothing of the history is lost: what the wire format cannot say stays readable as text.
//! - Whole answers are streams of one chunk (C4). What was cut is never run.
//!
//! # Map
//! - In: [`Conversation`], [`Message`], [`Declaration`], [`ToolChoice`].
//! - Ready made: [`presets`].
//! - Agents: [`engine`], three ways to get calls out of a model, seen as one.
//! - Between: [`Middleware`], [`Recovering`], [`Template`], [`Placement`], [`Media`].
//! - Out: [`Prepared`], [`Session`], [`Answer`], [`Report`], [`Warning`].
//! - Looking on: [`debug`].
//!
//! # Absent on purpose
//! Providers, HTTP, async, the shapes of other programs.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

mod choice;
mod constraint;
pub mod debug;
pub mod engine;
mod error;
mod history;
mod kept;
mod message;
mod middleware;
mod prepare;
pub mod presets;
mod recovery;
mod report;
mod results;
mod session;
mod template;
mod tools;

pub use choice::ResponseFormat;
pub use error::{PrepareError, SessionError, Warning};
pub use kept::KeptParts;
pub use message::{
    ContentPart, File, FileSource, HistoryCall, MediaKind, Message, MessagePart, Role, ToolOutput,
    ToolResult,
};
pub use middleware::Middleware;
pub use prepare::{Conversation, NativeTools, Prepared, Reading};
pub use recovery::{RECOVERED_CALL, Recovering};
pub use report::{DropReason, Report, feedback};
pub use results::Media;
pub use session::{Answer, Session};
pub use template::{Placement, Rendered, Template};
pub use tools::{Declaration, OriginalTool, ToolChoice};
pub use toolweir_segments::FinishReason;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
