//! A whole round in forty lines: tools into the prompt, an answer read while it arrives, and the
//! result of the call into the history. The model is a list of chunks.
//!
//! Run it with `cargo run -p toolweir --example first_turn`.
// An example prints.
#![allow(clippy::print_stdout)]

use toolweir::middleware::{
    Conversation, HistoryCall, Message, MessagePart, Middleware, Role, ToolOutput, ToolResult,
};
use toolweir::{Chunk, FinishReason, Fold, Registry, Tool};

/// Runs the example; gives what would be sent to the model next.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let middleware = Middleware::new(Registry::builtin().get("hermes")?.clone());
    let mut messages = vec![Message::user("Roll a die.")];
    let schema = r#"{"type": "object", "properties": {"sides": {"type": "integer"}}}"#;
    let tools = [Tool::new("dice").description("Rolls a die.").parameters(schema)];
    let asked = Conversation::new(messages.clone()).tools(tools.clone());
    let prepared = middleware.prepare(&asked)?;
    println!("to the model: {} messages", prepared.messages.len());

    let mut session = middleware.session(&prepared)?;
    let mut fold = Fold::new();
    for chunk in [
        "Rolling. <tool_",
        "call>{\"name\": \"dice\", \"arguments\": ",
        "{\"sides\": 6}}</tool_call>",
    ] {
        session.push(Chunk::text(chunk), &mut fold);
    }
    let reason = session.finish(FinishReason::Stop, &mut fold);
    println!("the model: {:?}, because of {}", fold.turn().text(), reason.hyphenated());
    for refused in &fold.turn().refused {
        println!("{refused}");
    }

    for (number, call) in fold.turn().calls().enumerate() {
        let (id, name) = (format!("call_{number}"), call.name.to_owned());
        let (arguments, output) = (call.arguments.to_owned(), ToolOutput::Json(4.into()));
        let said = HistoryCall { id: id.clone(), name: name.clone(), arguments };
        messages.push(Message::new(Role::Assistant, [MessagePart::Call(said)]));
        let result = MessagePart::Result(ToolResult { id, name, output });
        messages.push(Message::new(Role::Tool, [result]));
    }
    let prepared = middleware.prepare(&Conversation::new(messages).tools(tools))?;
    let last = prepared.messages.last().map(Message::joined_text).unwrap_or_default();
    println!("to the model: {last}");
    Ok(())
}
