//! The grammar that an answer is to be held to, where the provider takes one.

use toolweir_protocols::constrain::{Choice, Constraint, ConstraintError, ToolUse};
use toolweir_protocols::{Protocol, Request, StartState};

use crate::middleware::Middleware;
use crate::prepare::Reading;
use crate::tools::ToolChoice;

/// The grammar for that choice among the tools of the request; none where no grammar was asked for, or no
/// call is looked for.
pub(crate) fn made(
    middleware: &Middleware,
    writer: &dyn Protocol,
    (choice, reading): (&ToolChoice, Reading),
    request: &Request,
) -> Option<Result<Constraint, ConstraintError>> {
    if !middleware.has_constraints() || reading == Reading::Text {
        return None;
    }
    if !request.prefix.is_empty() {
        let why = "the message is begun by the prompt (`prefix`)".to_owned();
        return Some(Err(ConstraintError::Format { format: writer.name().to_owned(), why }));
    }
    let choice = match choice {
        ToolChoice::Auto | ToolChoice::None => Choice::Auto,
        ToolChoice::Required => Choice::Required,
        ToolChoice::Named(name) => Choice::Tool(name.clone()),
    };
    let wanted = ToolUse {
        choice,
        parallel: middleware.has_parallel_calls(),
        in_reasoning: request.start_state == StartState::Reasoning,
        reasoning: request.reasoning.clone(),
    };
    Some(writer.constraint(&request.tools, &wanted))
}
