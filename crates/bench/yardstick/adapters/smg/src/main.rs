//! `tool-parser` in the yardstick, with `reasoning-parser` before it where a work has reasoning.
//!
//! The parsers are those that the crates' own registries make. Their futures never wait: each is polled
//! once.

use std::process::ExitCode;

use futures::FutureExt;
use openai_protocol::common::Tool;
use reasoning_parser::{ParserFactory as Reasonings, ReasoningParser};
use tool_parser::types::ToolCallItem;
use tool_parser::{ParserFactory, ToolParser};
use toolweir_yardstick::serve::Json;
use toolweir_yardstick::{Format, Found, Lane, Peer, Read, Work, serve, works};

fn main() -> ExitCode {
    serve::run(&Smg { tools: ParserFactory::new(), reasonings: Reasonings::new() })
}

struct Smg {
    tools: ParserFactory,
    reasonings: Reasonings,
}

impl Peer for Smg {
    fn name(&self) -> String {
        "tool-parser 1.10.0".to_owned()
    }

    fn lane(
        &self,
        _: &str,
        format: Format,
        work: &Work,
        chunks: Vec<&'static str>,
    ) -> Result<Box<dyn Lane>, String> {
        let parser = match format {
            Format::Hermes => "qwen",
            Format::Qwen3Coder => "qwen_xml",
            Format::Llama3Json => "llama",
            Format::Mistral => "mistral",
            Format::DeepSeekV31 => "deepseek31",
        };
        let reasoning = (!work.reasoning.is_empty()).then_some("qwen3");
        let tools = works::tools().into_iter().map(tool).collect::<Result<_, _>>()?;
        let (factory, reasonings) = (self.tools.clone(), self.reasonings.clone());
        let stream =
            Stream { factory, reasonings, parser, reasoning, tools, chunks, read: Read::default() };
        Ok(Box::new(stream))
    }
}

fn tool((name, parameters): (&'static str, Json)) -> Result<Tool, String> {
    let json = format!(
        "{{\"type\":\"function\",\"function\":{{\"name\":\"{name}\",\"parameters\":{parameters}}}}}"
    );
    serde_json::from_str(&json).map_err(|e| e.to_string())
}

struct Stream {
    factory: ParserFactory,
    reasonings: Reasonings,
    parser: &'static str,
    reasoning: Option<&'static str>,
    tools: Vec<Tool>,
    chunks: Vec<&'static str>,
    read: Read,
}

impl Lane for Stream {
    fn pass(&mut self) -> Result<(), String> {
        let mut read = Read::default();
        let parser = self.factory.registry().create_parser(self.parser).ok_or("no such parser")?;
        let mut calls = Calls { parser, tools: &self.tools };
        if let Some(name) = self.reasoning {
            let parser = self.reasonings.registry().create_parser(name).ok_or("no such parser")?;
            thinking(parser, &self.chunks, &mut calls, &mut read)?;
        } else {
            for chunk in &self.chunks {
                calls.push(chunk, &mut read)?;
            }
        }
        calls.finish(&mut read);
        self.read = read;
        Ok(())
    }

    fn take(&mut self) -> Found {
        Found::Read(std::mem::take(&mut self.read))
    }
}

/// Reasoning first; what is none goes on to the calls.
fn thinking(
    mut parser: Box<dyn ReasoningParser>,
    chunks: &[&str],
    calls: &mut Calls<'_>,
    read: &mut Read,
) -> Result<(), String> {
    for chunk in chunks {
        let found = parser.parse_reasoning_streaming_incremental(chunk);
        let found = found.map_err(|e| e.to_string())?;
        read.reasoning(&found.reasoning_text);
        if !found.normal_text.is_empty() {
            calls.push(&found.normal_text, read)?;
        }
    }
    let rest = parser.flush().map_err(|e| e.to_string())?;
    read.reasoning(&rest.reasoning_text);
    if rest.normal_text.is_empty() { Ok(()) } else { calls.push(&rest.normal_text, read) }
}

struct Calls<'t> {
    parser: Box<dyn ToolParser>,
    tools: &'t [Tool],
}

impl Calls<'_> {
    fn push(&mut self, chunk: &str, read: &mut Read) -> Result<(), String> {
        let polled = self.parser.parse_incremental(chunk, self.tools).now_or_never();
        let found = polled.ok_or("its future waits")?.map_err(|e| e.to_string())?;
        read.text(&found.normal_text);
        found.calls.into_iter().for_each(|item| take(item, read));
        Ok(())
    }

    fn finish(&mut self, read: &mut Read) {
        for item in self.parser.get_unstreamed_tool_args().unwrap_or_default() {
            take(item, read);
        }
        read.text(&self.parser.take_unstreamed_normal_text());
    }
}

fn take(item: ToolCallItem, read: &mut Read) {
    if let Some(name) = item.name {
        read.call(item.tool_index).name = name;
    }
    read.arguments(item.tool_index, &item.parameters);
}
