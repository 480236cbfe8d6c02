//! Runs the tool calls caught in a language model's text stream, while the text is still coming.
//!
//! [`ChatHost`] reads a stream of model text by any wire format, shows the text as it comes, runs each
//! call as soon as it is whole, and hands both over through one handle. [`Servers`] connects to MCP
//! servers (child processes, streamable HTTP) and is one [`Executor`]; a closure is another
//! ([`executor_fn`]), so nothing here needs a process to be tried or tested.
//!
//! ```
//! use toolweir_mcp::{ChatConfig, ChatHost, HostItem, ToolOutput, chunks, executor_fn};
//! use toolweir_protocols::{Tool, ToolSet};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::new([Tool::new("tide").description("Height of the water now")])?;
//! let executor = executor_fn(|_name, _arguments| async { Ok(ToolOutput::new("1.2 m")) });
//! let host = ChatHost::new(tools, executor, ChatConfig::default());
//!
//! let prompt = host.enhance_system_prompt("You know the harbour.")?;
//! assert!(prompt.contains("tide"));
//!
//! // What the model says comes from anywhere that gives text.
//! let answer = chunks(["Let me look. {\"tool\": \"tide\", \"par", "ams\": {}} One moment."]);
//! let mut response = host.process_streaming_response(answer)?;
//! let (mut shown, mut results) = (String::new(), Vec::new());
//! while let Some(item) = response.next().await {
//!     match item {
//!         HostItem::Narrative(text) => shown.push_str(&text),
//!         HostItem::Executed(tool) => results.push(tool.result?.content),
//!         _ => {}
//!     }
//! }
//! assert_eq!(shown, "Let me look.  One moment.");
//! assert_eq!(results, ["1.2 m"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//! - One answer: [`ChatHost::process_streaming_response`], [`StreamingResponseHandle`], [`HostItem`],
//!   and the two views [`TokenStream`] and [`ToolStream`].
//! - A conversation with results fed back: [`ChatHost::rounds`], [`Model`], [`Message`], [`RoundsReport`].
//! - What the model is told and how it is read: [`Middleware`], [`presets`].
//! - Tools: [`Executor`], [`Servers`], [`ToolOutput`], [`ToolFailure`].
//! - What happens to a call: [`Lifecycle`], [`Stage`], [`Approval`].
//! - Settings: [`ChatConfig`], [`CallLimits`]; a log: [`Recorder`].
//!
//! # Invariants
//! - One channel carries everything, in order; the last item is [`HostItem::Finished`]. No number of
//!   calls can block it: whoever reads the handle reads all there is to read. A reader that stops reading
//!   stops the model's stream, and tools beyond [`CallLimits::max_concurrent`].
//! - Every call has one life: `Requested`, then `Refused`, or `Approved`, `Executing`, `Finished`, all
//!   under the id of its segment. A call that was refused, is undeclared, or was cut off never reaches an
//!   executor.
//! - Every wait is bounded or cancelled: calls have time limits, rounds a number; dropping a handle stops
//!   the stream and every tool.
//! - A tool can do no more harm than fail: one that hangs, panics, dies or answers with too much is a
//!   [`ToolFailure`] that the model is told of.
//! - The log never holds a payload: names, sizes and times only. (The client library writes events of its own
//!   to `tracing`; at `debug` and `trace` those hold messages.)
//!
//! # Absent on purpose
//! Prompts, histories and the writing of results, which are the middleware's; providers, and the rendering of
//! messages for an API. Running a call twice: only the model can know whether that is
//! safe, so it gets the error and may ask again. Starting a dead server again; lists of tools that change
//! while connected; resources, prompts, sampling and elicitation of MCP. A TLS library, unless the feature
//! `tls` asks for one.
//!
//! # Features
//! - `stdio` (default): servers that are child processes.
//! - `http`: servers behind streamable HTTP.
//! - `tls`: the same, and `https://` by rustls with the certificates that the system trusts. It compiles C
//!   (rustls' usual cryptography), which is why it is asked for.

#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

mod approval;
mod caught;
mod config;
mod driver;
mod error;
mod executor;
mod feedback;
mod handle;
mod host;
mod item;
mod metrics;
mod model;
mod output;
mod reader;
mod record;
mod rounds;
mod runner;
mod servers;
mod source;
mod split;

pub use approval::{Approval, ApprovalFuture, AutoApprove, Decision};
pub use config::{ArgumentCheck, CallLimits, ChatConfig, Instrumentation, StreamingMode};
pub use error::{ConnectError, ConnectErrorKind, HostError, ToolFailure};
pub use executor::{Executor, FnExecutor, ToolFuture, executor_fn};
pub use handle::StreamingResponseHandle;
pub use host::ChatHost;
pub use item::{
    ExecutedTool, Growth, HostCall, HostItem, Lifecycle, ProcessedToken, Refusal, Stage,
    TurnSummary,
};
pub use model::{Model, ModelFuture, ModelStream};
pub use output::{Attachment, ToolOutput};
pub use record::Recorder;
pub use rounds::{RoundsHandle, RoundsOutcome, RoundsReport};
#[cfg(feature = "http")]
pub use servers::HttpServer;
#[cfg(feature = "stdio")]
pub use servers::StdioServer;
pub use servers::{NameClash, Servers, ServersBuilder, ToolInfo};
pub use source::{ModelChunk, chunks};
pub use split::{TokenStream, ToolStream};
pub use toolweir_middleware::{Message, MessagePart, Middleware, Role, presets};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
