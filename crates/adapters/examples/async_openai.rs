//! An answer in a model's own text, as the stream that programs on the crate `async-openai` already read:
//! its chunks are our chunks, converted.
//!
//! ```text
//! cargo run -p toolweir-adapters --features async-openai --example async_openai
//! ```
#![allow(clippy::print_stdout, reason = "a program says what it does")]

use std::error::Error;

use async_openai::types::chat::{CreateChatCompletionStreamResponse, FinishReason};
use toolweir_adapters::{ChatChunks, ChatItem, ChatOptions, Project, WireIds};
use toolweir_protocols::{Chunk, Registry, Request};
use toolweir_segments::StreamEnd;

/// What a program keeps of a stream of `async-openai`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The visible text.
    pub text: String,
    /// Names and arguments of the calls.
    pub calls: Vec<(String, String)>,
    /// Whether the calls may run.
    pub may_run: bool,
}

impl Seen {
    fn chunk(&mut self, chunk: CreateChatCompletionStreamResponse) {
        for choice in chunk.choices {
            self.text.push_str(&choice.delta.content.unwrap_or_default());
            for part in choice.delta.tool_calls.unwrap_or_default() {
                let Some(function) = part.function else { continue };
                if let Some(name) = function.name {
                    self.calls.push((name, String::new()));
                }
                if let (Some(more), Some((_, arguments))) =
                    (function.arguments, self.calls.last_mut())
                {
                    arguments.push_str(&more);
                }
            }
            self.may_run |= choice.finish_reason == Some(FinishReason::ToolCalls);
        }
    }
}

/// Decodes an answer in `hermes`, and gives each chunk to a program that knows only `async-openai`.
pub fn read(chunks: &[&str], end: StreamEnd) -> Result<Seen, Box<dyn Error>> {
    let mut decoder = Registry::builtin().get("hermes")?.decoder(&Request::default())?;
    let mut seen = Seen::default();
    let mut failed = None;
    let mut out = |item: ChatItem| match item {
        ChatItem::Chunk(chunk) => seen.chunk(chunk.into()),
        ChatItem::Error(error) => failed = Some(error.error.message),
        _ => {}
    };
    let mut sink =
        Project::new(ChatChunks::new(ChatOptions::default()), WireIds::openai(), &mut out);
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut sink);
        sink.chunk_end();
    }
    sink.ends_with(end);
    decoder.finish(end, &mut sink);
    drop(sink);
    match failed {
        Some(message) => Err(message.into()),
        None => Ok(seen),
    }
}

/// An answer in pieces, as a model sends them.
pub const ANSWER: [&str; 4] = [
    "Rolling. <tool_",
    "call>{\"name\": \"dice\", \"argu",
    "ments\": {\"sides\": 6}}</tool_c",
    "all>",
];

/// Shows what such a program sees.
pub fn main() -> Result<(), Box<dyn Error>> {
    let seen = read(&ANSWER, StreamEnd::Stop)?;
    println!("{}", seen.text);
    for (name, arguments) in seen.calls {
        println!("{name} {arguments}");
    }
    Ok(())
}
