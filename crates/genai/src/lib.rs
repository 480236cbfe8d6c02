//! Tool calls for models that [genai](https://docs.rs/genai) talks to and that only read and write text, or
//! that leak the markup of their calls into it.
//!
//! [`Toolweir::ask`] makes a request without tools of one with tools; what the client then gives, a stream
//! or a whole response, goes through the [`Answer`] and comes out with calls and reasoning.
//!
//! ```no_run
//! use futures_util::StreamExt;
//! use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent, Tool};
//! use genai::Client;
//! use toolweir_genai::{Asked, Toolweir};
//!
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! let request = ChatRequest::from_user("Roll.").with_tools([Tool::new("dice")]);
//! let Asked { request, options, answer, .. } =
//!     Toolweir::new("hermes")?.ask(request, ChatOptions::default())?;
//! let client = Client::builder().build()?;
//! let response = client.exec_chat_stream("gemma3:4b", request, Some(&options)).await?;
//! let mut events = answer.stream(response.stream);
//! while let Some(event) = events.next().await {
//!     match event? {
//!         ChatStreamEvent::Chunk(chunk) => print!("{}", chunk.content),
//!         ChatStreamEvent::ToolCallChunk(call) => println!("{:?}", call.tool_call),
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//! - A call comes once, whole. One that is cut, of no declared tool, or that cannot be read for certain never
//!   comes: the answer ends as [`Error::Refused`] instead of its end, after the rest of the text.
//! - The joined events are the same however the model's text was cut.
//! - Ids of calls are unique among those of the request's messages and the answer.
//!
//! # Absent on purpose
//! Clients and keys. Parts of calls while they are written: genai has no event for them that is not a call.
//! Options of single messages: texts beside each other become one message.

mod answer;
mod convert;

use genai::chat::{ChatOptions, ChatRequest, ChatResponseFormat, JsonSpec, ToolName};
use toolweir::UnknownFormat;
use toolweir::middleware::engine::{AnswerError, AnswerReader, MixedSession};
use toolweir::middleware::{Middleware, PrepareError, SessionError, Warning, presets};

pub use answer::{Answer, AnswerStream};
pub use convert::tools;

use crate::convert::Kept;

/// Writes requests for models of text and reads their answers. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Toolweir {
    middleware: Middleware,
}

/// A request as the model gets it, and the reader of its answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Asked {
    /// The request, without tools that the caller runs.
    pub request: ChatRequest,
    /// The options to send it with.
    pub options: ChatOptions,
    /// The reader.
    pub answer: Answer,
    /// What was left out or done in another way.
    pub warnings: Vec<Warning>,
}

/// Why a request cannot be sent, or an answer is not one to act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tool choice that cannot be met, or tools that cannot be shown.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A setting does not suit the wire format.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The client failed.
    #[error(transparent)]
    Client(#[from] Box<genai::Error>),
    /// The stream stopped before its end.
    #[error("the stream stopped before the end of the answer; ask again")]
    Unended,
    /// A call of that tool whose arguments genai cannot hold: a number beyond a double, or values in each other
    /// too deeply. It does not run.
    #[error(
        "the arguments of the call of `{0}` hold a number or a depth that genai cannot; ask again"
    )]
    Arguments(String),
    /// Calls that do not run.
    #[error(transparent)]
    Refused(#[from] AnswerError),
}

impl Toolweir {
    /// In that wire format: a preset's name or a built-in format's.
    ///
    /// # Errors
    /// [`UnknownFormat`]: no preset and no built-in format has that name.
    pub fn new(format: &str) -> Result<Self, UnknownFormat> {
        Ok(Self::through(presets::for_format(format)?))
    }

    /// Through that middleware: a prompt, policies or a format of your own. With
    /// [`with_native_tools`](Middleware::with_native_tools) tools stay with the provider, and what of its calls
    /// leaks into the text is caught.
    #[must_use]
    pub const fn through(middleware: Middleware) -> Self {
        Self { middleware }
    }

    /// What to send for that request, and the reader of its answer.
    ///
    /// # Errors
    /// [`Error::Prepare`], [`Error::Session`].
    pub fn ask(&self, request: ChatRequest, options: ChatOptions) -> Result<Asked, Error> {
        let (mut request, mut options) = (request, options);
        let mut kept = Kept::default();
        let conversation = kept.conversation(&request, options.tool_choice.as_ref());
        let prepared = self.middleware.prepare(&conversation)?;
        let session = MixedSession::through(&self.middleware, &prepared)?;
        let answer = Answer::new(AnswerReader::new(session), &request);
        for stop in &prepared.stop {
            if !options.stop_sequences.contains(stop) {
                options.stop_sequences.push(stop.clone());
            }
        }
        if prepared.native.is_none() {
            options.tool_choice = None;
            if let Some(format) = &prepared.response_format {
                options.response_format = Some(json(format));
            }
            kept.write(&prepared, &mut request);
            // Those of the provider stay with it.
            request.tools = request.tools.take().and_then(|mut tools| {
                tools.retain(|tool| !matches!(tool.name, ToolName::Custom(_)));
                (!tools.is_empty()).then_some(tools)
            });
        }
        Ok(Asked { request, options, answer, warnings: prepared.warnings })
    }
}

fn json(format: &toolweir::middleware::ResponseFormat) -> ChatResponseFormat {
    let schema: serde_json::Value =
        serde_json::from_str(&format.schema.to_string()).unwrap_or_default();
    let mut spec: JsonSpec = JsonSpec::new(format.name.as_str(), schema);
    spec.description.clone_from(&format.description);
    ChatResponseFormat::JsonSpec(spec)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
