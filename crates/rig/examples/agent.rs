//! An agent of rig with a tool, over a model that only writes text.
//!
//! ```text
//! cargo run --manifest-path crates/rig/Cargo.toml --example agent
//! ```
//!
//! The model answers from a script, so that nothing is sent. For a real one, take any completion model
//! of rig in its place, an OpenAI-compatible server for example:
//! `OpenAI::new(key)` with its base address, an HTTP client, and `.completions("model")`.
#![allow(clippy::print_stdout, reason = "a program says what it does")]

use std::convert::Infallible;
use std::error::Error;

use rig_agent::AgentBuilder;
use rig_core::DynModel;
use rig_core::operation::Completion;
use rig_core::serde_json::{Value, json};
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use rig_core::tool::PortableTool;

/// A tool as rig has them: it knows nothing of wire formats.
pub struct Add;

/// What it takes.
#[derive(serde::Deserialize)]
pub struct Terms {
    a: i64,
    b: i64,
}

impl PortableTool for Add {
    const NAME: &'static str = "add";
    type Args = Terms;
    type Output = i64;
    type Error = Infallible;

    fn description(&self) -> String {
        "Adds two whole numbers.".to_owned()
    }

    fn parameters(&self) -> Value {
        let number = json!({"type": "integer"});
        json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]})
    }

    async fn call(&self, terms: Terms) -> Result<i64, Infallible> {
        Ok(terms.a + terms.b)
    }
}

/// What a model without tool calls writes: a call in its own format, then the answer.
fn scripted() -> MockCompletionModel {
    MockCompletionModel::from_turns([
        MockTurn::text(
            "I add them.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 19, \"b\": 23}}\n</tool_call>",
        ),
        MockTurn::text("19 and 23 are 42."),
    ])
}

/// Asks an agent over that model.
pub async fn ask(model: impl Into<DynModel<Completion>>) -> Result<String, Box<dyn Error>> {
    let model = toolweir_rig::with_tools(model, "hermes")?;
    let agent = AgentBuilder::new(model).preamble("You are exact.").tool(Add).build();
    Ok(agent.prompt("What are 19 and 23 together?").max_turns(4).await?.output())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = scripted();
    println!("{}", ask(model.clone()).await?);
    // What the model was sent in the second round: text and nothing else.
    if let Some(request) = model.requests().last() {
        for message in &request.chat_history {
            println!("\n{}", rig_core::serde_json::to_string_pretty(message)?);
        }
    }
    Ok(())
}
