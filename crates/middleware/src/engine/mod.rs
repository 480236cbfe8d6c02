//! Three ways to get tool calls out of a model, seen as one.
//!
//! | engine | the model is given | calls arrive as |
//! | --- | --- | --- |
//! | [`Native`] | the tools through the provider's own interface | deltas of native tool calls |
//! | [`Prompt`] | a prompt in any wire format | text |
//! | [`Structured`] | a JSON answer by schema | one JSON object |
//!
//! # Invariants
//! - The same behaviour of the model gives the same events, whichever engine reads it: kinds, names,
//!   joined arguments, outcomes. What differs is where the bytes stand.
//! - Reasoning from a channel of its own is a segment like any other: in the order of arrival, before
//!   the rest of its chunk, never overlapping, always ended (C9).
//! - Argument deltas are the source, never repaired; a call that was cut is never run.
//! - Nothing of one answer is left behind for the next: a session is made for each.
//!
//! Whether an interface sees calls grow is the choice of the sink: see the agent projection of
//! `toolweir-adapters`, which by default does no work for it.

mod answer;
mod lanes;
mod mixed;
mod native;
mod prompt;
mod session;
mod structured;

use toolweir_protocols::segments::NativeDelta;
use toolweir_segments::FinishReason;

pub use answer::{AnswerError, AnswerPart, AnswerReader};
pub use mixed::{MixedSession, TooMuchWaits};
pub use native::Native;
pub use prompt::Prompt;
pub use session::{EngineSession, UNREAD_CALLS};
pub use structured::Structured;

use crate::error::{PrepareError, SessionError};
use crate::prepare::{Conversation, Prepared};

/// Prepares conversations for a model and reads its answers. Object-safe, so that an agent may choose
/// one by its configuration.
///
/// ```
/// use toolweir_middleware::engine::{Engine, ModelChunk, Native, Prompt, Structured};
/// use toolweir_middleware::{Conversation, FinishReason, Message};
/// use toolweir_protocols::Tool;
/// use toolweir_segments::Fold;
///
/// let engines: [Box<dyn Engine>; 3] =
///     [Box::new(Native::new()), Box::new(Prompt::agent()), Box::new(Structured::new())];
/// let conversation = Conversation::new([Message::user("Hello?")]).tools([Tool::new("dice")]);
/// for engine in &engines {
///     let prepared = engine.prepare(&conversation).unwrap();
///     // … send it, then read the stream:
///     let (mut session, mut fold) = (engine.session(&prepared).unwrap(), Fold::new());
///     session.push(&ModelChunk::new().reasoning("A greeting.").content("Hi."), &mut fold);
///     session.push(&ModelChunk::new().finish(FinishReason::Stop), &mut fold);
///     assert_eq!(session.finish(&mut fold), FinishReason::Stop);
///     assert_eq!((fold.turn().reasoning().as_str(), fold.turn().text().as_str()), ("A greeting.", "Hi."));
/// }
/// ```
pub trait Engine: Send + Sync {
    /// What it is called: `native`, `prompt`, `structured`, or the name of a further one.
    fn name(&self) -> &str;

    /// What to send: messages, and what of tools, response format and stop sequences the engine needs.
    ///
    /// # Errors
    /// [`PrepareError`]: a choice that cannot be met, or tools that cannot be shown.
    fn prepare(&self, conversation: &Conversation) -> Result<Prepared, PrepareError>;

    /// A reader for one answer to what was prepared.
    ///
    /// # Errors
    /// [`SessionError`]: a setting of the request does not suit the format.
    fn session(&self, prepared: &Prepared) -> Result<EngineSession, SessionError>;
}

/// One piece of an answer as a provider streams it. Empty texts are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelChunk<'a> {
    /// Visible text, calls written as text among it.
    pub content: &'a str,
    /// Reasoning from a channel of its own; it stands before the rest of the chunk.
    pub reasoning: &'a str,
    /// Parts of native tool calls; they stand after the text.
    pub calls: &'a [NativeDelta<'a>],
    /// Why the answer is over, where the chunk says so.
    pub finish: Option<FinishReason>,
}

impl<'a> ModelChunk<'a> {
    /// A chunk of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With that text.
    #[must_use]
    pub const fn content(mut self, content: &'a str) -> Self {
        self.content = content;
        self
    }

    /// With that reasoning.
    #[must_use]
    pub const fn reasoning(mut self, reasoning: &'a str) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// With these parts of native calls.
    #[must_use]
    pub const fn calls(mut self, calls: &'a [NativeDelta<'a>]) -> Self {
        self.calls = calls;
        self
    }

    /// With that reason.
    #[must_use]
    pub const fn finish(mut self, reason: FinishReason) -> Self {
        self.finish = Some(reason);
        self
    }
}
