//! Tool calls for the models of [rig](https://docs.rs/rig-core) that only read and write text, or that
//! leak the markup of their calls into it.
//!
//! [`with_tools`] takes any completion model and gives one of the same kind: agents, `call` and `stream`
//! work with it as with a provider's own tool calls. Tools of a request go into the prompt in the wire
//! format of the model, calls and results of the history become text, and the answer is decoded while it
//! streams.
//!
//! ```
//! use rig_core::completion::{CompletionRequest, ToolDefinition};
//! use rig_core::message::{AssistantContent, ToolName};
//! use rig_core::test_utils::MockCompletionModel;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Any model that writes text; here one that answers from a script.
//! let text = MockCompletionModel::text(r#"<tool_call>{"name": "dice", "arguments": {}}</tool_call>"#);
//! let model = toolweir_rig::with_tools(text, "hermes")?;
//!
//! let schema = rig_core::serde_json::json!({"type": "object"});
//! let dice = ToolDefinition::new(ToolName::new("dice")?, "Rolls a die.", schema);
//! let request = CompletionRequest::new("Roll.").tool(dice);
//! let answer = futures_executor::block_on(model.call(request))?;
//! let AssistantContent::ToolCall(call) = &answer.choice[0] else { unreachable!() };
//! assert_eq!(call.function.name, "dice");
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//! - A call that is cut, of no declared tool, or that cannot be read for certain is never a finished call:
//!   the reply ends as an error, [`refusal`] says which. What a stream showed of it stays without an end.
//! - The pieces of a reply are the same however the model's text was cut.
//! - A reply that the model's provider did not end is not ended here.
//!
//! # Absent on purpose
//! Clients and keys: the model that is wrapped has them. Running tools: an agent does. Citations of the
//! text: their places are of another text. Reasoning of earlier turns: rig would show it as text.

mod convert;
mod error;
mod wire;
mod write;

pub use convert::{content, tools};
pub use error::{CODE, refusal};
use rig_core::operation::Completion;
use rig_core::{DynModel, Model};
use toolweir::UnknownFormat;
use toolweir::middleware::{Middleware, presets};
pub use wire::{Asked, Document, Frame, Reading, Toolweir, Upstream};
pub use write::Writer;

/// A completion model with tools, over one of text.
pub type ToolModel = Model<Toolweir, Upstream>;

/// The model, with tools in that wire format: a preset's name or a built-in format's.
///
/// # Errors
/// [`UnknownFormat`]: no preset and no built-in format has that name.
pub fn with_tools(
    model: impl Into<DynModel<Completion>>,
    format: &str,
) -> Result<ToolModel, UnknownFormat> {
    Ok(through(model, presets::for_format(format)?))
}

/// The model, with tools through that middleware: a prompt, policies or a format of your own.
///
/// One with [`with_native_tools`](Middleware::with_native_tools) leaves tools and history to the model's
/// provider, reads its calls, and catches those that leak into the text.
pub fn through(model: impl Into<DynModel<Completion>>, middleware: Middleware) -> ToolModel {
    let upstream = Upstream(model.into());
    Model::new(Toolweir::new(middleware, &upstream.0), upstream)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
