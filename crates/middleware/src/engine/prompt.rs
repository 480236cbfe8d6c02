//! Calls written as text, in any wire format.

use toolweir_protocols::formats::agent_prompt;

use super::{Engine, EngineRequest, EngineSession, builtin};
use crate::error::{PrepareError, SessionError};
use crate::middleware::Middleware;
use crate::prepare::{Conversation, Reading};
use crate::template::Template;

/// The engine that asks for calls in the prompt.
///
/// A stop sequence cuts off the end marker of a call, and all that would come behind it: the call is
/// complete when its payload is.
#[derive(Clone, Debug)]
pub struct Prompt {
    middleware: Middleware,
    stop: Vec<String>,
}

/// The prompt of `agent-prompt`.
const CALL: &str = "To use a tool, write one call in exactly this form and stop behind it:

<tool_call>
{\"name\": \"NAME\", \"parameters\": {…}}
</tool_call>

Use only the tools listed here. The result of a call comes with the next message. Write no such tag \
in an answer that calls no tool.";

impl Prompt {
    /// Through that middleware, without a stop sequence.
    #[must_use]
    pub fn new(middleware: Middleware) -> Self {
        Self { middleware, stop: Vec::new() }
    }

    /// In `agent-prompt`, whose end marker is the stop sequence.
    #[must_use]
    pub fn agent() -> Self {
        let template = Template::new(|shown| {
            let tools = format!("# Tools\n\n{}\n\n{CALL}", shown.tools);
            match shown.examples {
                "" => tools,
                examples => format!("{tools}\n\n{examples}"),
            }
        });
        let middleware = Middleware::new(builtin(&agent_prompt::SPEC)).with_template(template);
        let stop = agent_prompt::SPEC.call.close.iter().map(|&close| close.to_owned());
        Self::new(middleware).with_stop(stop)
    }

    /// With these stop sequences.
    #[must_use]
    pub fn with_stop(mut self, stop: impl IntoIterator<Item = String>) -> Self {
        self.stop = stop.into_iter().collect();
        self
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

    fn prepare(&self, conversation: &Conversation) -> Result<EngineRequest, PrepareError> {
        let mut request = EngineRequest::new(self.middleware.prepare(conversation)?);
        if request.prepared.reading == Reading::Calls {
            request.stop.clone_from(&self.stop);
        }
        Ok(request)
    }

    fn session(&self, request: &EngineRequest) -> Result<EngineSession, SessionError> {
        EngineSession::through(&self.middleware, request)
    }
}
