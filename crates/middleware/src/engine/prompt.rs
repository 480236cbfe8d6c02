//! Calls written as text, in any wire format.

use super::{Engine, EngineSession};
use crate::error::{PrepareError, SessionError};
use crate::middleware::Middleware;
use crate::prepare::{Conversation, Prepared};
use crate::presets;

/// The engine that asks for calls in the prompt.
///
/// A stop sequence cuts off the end marker of a call, and all that would come after it: the call is
/// complete when its payload is.
#[derive(Clone, Debug)]
pub struct Prompt {
    middleware: Middleware,
}

impl Prompt {
    /// Through that middleware.
    #[must_use]
    pub fn new(middleware: Middleware) -> Self {
        Self { middleware }
    }

    /// In `agent-prompt`: [`presets::agent`].
    #[must_use]
    pub fn agent() -> Self {
        Self::new(presets::agent())
    }
}

/// [`Prompt::agent`].
impl Default for Prompt {
    fn default() -> Self {
        Self::agent()
    }
}

impl Engine for Prompt {
    fn name(&self) -> &str {
        "prompt"
    }

    fn prepare(&self, conversation: &Conversation) -> Result<Prepared, PrepareError> {
        self.middleware.prepare(conversation)
    }

    fn session(&self, prepared: &Prepared) -> Result<EngineSession, SessionError> {
        EngineSession::through(&self.middleware, prepared)
    }
}
