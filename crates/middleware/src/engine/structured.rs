//! Calls in a JSON answer that the provider enforces by its schema.

use toolweir_protocols::Tool;
use toolweir_rjson::Value;

use super::{Engine, EngineSession};
use crate::choice::{ResponseFormat, arguments, moved, object};
use crate::error::{PrepareError, SessionError};
use crate::middleware::Middleware;
use crate::prepare::{Conversation, Prepared, Reading};
use crate::presets;
use crate::template::Template;
use crate::tools::Declaration;

/// The engine that asks for one object with visible text and at most one call.
///
/// The object is read once, while it comes: its text and the arguments of its call stream.
#[derive(Clone, Debug)]
pub struct Structured {
    middleware: Middleware,
}

const FORM: &str = "Answer with one JSON object. `content` holds what the user reads. To use a tool, \
add `toolCall` with its `name` and its `args`; the result comes with the next message.";

impl Structured {
    /// In `agent-structured`.
    #[must_use]
    pub fn new() -> Self {
        let template = Template::new(|shown| {
            let tools = format!("# Tools\n\n{}\n\n{FORM}", shown.tools);
            match shown.examples {
                "" => tools,
                examples => format!("{tools}\n\n{examples}"),
            }
        });
        Self::with(Middleware::new(presets::builtin("agent-structured")).with_template(template))
    }

    /// Through that middleware, whose format is `agent-structured` or one that reads the same object.
    #[must_use]
    pub fn with(middleware: Middleware) -> Self {
        Self { middleware }
    }
}

impl Default for Structured {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Structured {
    fn name(&self) -> &str {
        "structured"
    }

    fn prepare(&self, conversation: &Conversation) -> Result<Prepared, PrepareError> {
        let mut prepared = self.middleware.prepare(conversation)?;
        // A forced call has a schema of its own already.
        if prepared.reading == Reading::Calls {
            prepared.response_format = Some(answer(&conversation.tools));
        }
        Ok(prepared)
    }

    fn session(&self, prepared: &Prepared) -> Result<EngineSession, SessionError> {
        EngineSession::through(&self.middleware, prepared)
    }
}

/// An answer of text, a call of one of the tools, or both.
fn answer(declared: &[Declaration]) -> ResponseFormat {
    let functions = declared.iter().filter_map(Declaration::function).enumerate();
    let calls: Vec<Value> = functions.map(|(place, tool)| call(place, tool)).collect();
    let required = |key: &str| object([("required", list([key]))]);
    let members = object([
        ("content", object([("type", Value::from("string"))])),
        ("toolCall", object([("anyOf", Value::Array(calls.into_iter().collect()))])),
    ]);
    let either = [required("content"), required("toolCall")];
    let schema = object([
        ("type", Value::from("object")),
        ("properties", members),
        ("anyOf", Value::Array(either.into_iter().collect())),
        ("additionalProperties", Value::from(false)),
    ]);
    let description = Some("Visible text, a call of a tool, or both".to_owned());
    ResponseFormat { name: "agent_answer".to_owned(), description, schema }
}

/// The call as the alternative of that place: what its schema refers to in itself is there.
fn call(place: usize, tool: &Tool) -> Value {
    let to = format!("#/properties/toolCall/anyOf/{place}/properties/args");
    let arguments = moved(arguments(tool), &to);
    let name = object([("const", Value::from(tool.name.as_str()))]);
    object([
        ("type", Value::from("object")),
        ("properties", object([("name", name), ("args", arguments)])),
        ("required", list(["name", "args"])),
        ("additionalProperties", Value::from(false)),
    ])
}

fn list<const N: usize>(keys: [&str; N]) -> Value {
    Value::Array(keys.into_iter().map(Value::from).collect())
}
