//! `dynamo-parsers` in the yardstick: its stream transformer for calls, its reasoning parser before it
//! where a work has reasoning.
//!
//! The transformer takes and gives chunks of a chat completion. Those that go in are made before a pass
//! and not timed.

use std::process::ExitCode;

use dynamo_parsers::tool_calling::ToolDefinition;
use dynamo_parsers::tool_calling::jail::{Annotated, JailedStream};
use dynamo_parsers::{ParserResult, ReasoningParser, ReasoningParserType};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::{StreamExt, executor, stream};
use toolweir_yardstick::{Format, Found, Lane, Peer, Read, Work, serve, works};

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

fn main() -> ExitCode {
    serve::run(&Dynamo)
}

struct Dynamo;

impl Peer for Dynamo {
    fn name(&self) -> String {
        "dynamo-parsers 11.0.1".to_owned()
    }

    fn lane(
        &self,
        _: &str,
        format: Format,
        work: &Work,
        chunks: Vec<&'static str>,
    ) -> Result<Box<dyn Lane>, String> {
        let parser = match format {
            Format::Hermes => "hermes",
            Format::Qwen3Coder => "qwen3_coder",
            Format::Llama3Json => "llama3_json",
            Format::Mistral => "mistral",
            Format::DeepSeekV31 => "deepseek_v3_1",
        };
        let tool = |(name, schema): (&str, serve::Json)| ToolDefinition {
            name: name.to_owned(),
            parameters: Some(schema),
            strict: None,
        };
        let tools = works::tools().into_iter().map(tool).collect();
        let thinks = !work.reasoning.is_empty();
        let (inputs, read) = (Vec::new(), Read::default());
        Ok(Box::new(Lanes { parser, thinks, tools, chunks, inputs, read }))
    }
}

/// What one pass uses up.
struct Input {
    chunks: Vec<Chunk>,
    tools: Vec<ToolDefinition>,
}

struct Lanes {
    parser: &'static str,
    thinks: bool,
    tools: Vec<ToolDefinition>,
    chunks: Vec<&'static str>,
    inputs: Vec<Input>,
    read: Read,
}

impl Lane for Lanes {
    fn prepare(&mut self, times: usize) {
        let make = |_| {
            let texts = self.chunks.iter().map(|text| chunk(Some(*text)));
            Input { chunks: texts.chain([chunk(None)]).collect(), tools: self.tools.clone() }
        };
        self.inputs = (0..times).map(make).collect();
    }

    fn pass(&mut self) -> Result<(), String> {
        let input = self.inputs.pop().ok_or("no input")?;
        let mut read = Read::default();
        let builder = JailedStream::builder().tool_call_parser(self.parser);
        let jail = builder.tool_definitions(input.tools).build();
        if self.thinks {
            let chunks = Thinking::new(input.chunks);
            executor::block_on(jail.apply(stream::iter(chunks)).for_each(|chunk| {
                take(chunk, &mut read);
                std::future::ready(())
            }));
        } else {
            executor::block_on(jail.apply(stream::iter(input.chunks)).for_each(|chunk| {
                take(chunk, &mut read);
                std::future::ready(())
            }));
        }
        self.read = read;
        Ok(())
    }

    fn take(&mut self) -> Found {
        Found::Read(std::mem::take(&mut self.read))
    }
}

/// Reasoning first: each chunk gets what is reasoning beside what is none.
struct Thinking {
    parser: Box<dyn ReasoningParser>,
    chunks: std::vec::IntoIter<Chunk>,
}

impl Thinking {
    fn new(chunks: Vec<Chunk>) -> Self {
        let parser = ReasoningParserType::get_reasoning_parser_from_name("qwen3");
        Self { parser: Box::new(parser), chunks: chunks.into_iter() }
    }
}

impl Iterator for Thinking {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        let mut chunk = self.chunks.next()?;
        let delta = &mut chunk.data.as_mut()?.choices.first_mut()?.delta;
        let ParserResult { normal_text, reasoning_text } = match delta.content.take() {
            Some(ChatCompletionMessageContent::Text(text)) => {
                self.parser.parse_reasoning_streaming_incremental(&text, &[])
            }
            _ => self.parser.finish_reasoning_stream(),
        };
        let given = |text: String| (!text.is_empty()).then_some(text);
        delta.reasoning_content = given(reasoning_text);
        delta.content = given(normal_text).map(ChatCompletionMessageContent::Text);
        Some(chunk)
    }
}

fn take(chunk: Chunk, read: &mut Read) {
    let Some(choice) = chunk.data.and_then(|data| data.choices.into_iter().next()) else { return };
    if let Some(ChatCompletionMessageContent::Text(text)) = choice.delta.content {
        read.text(&text);
    }
    if let Some(text) = choice.delta.reasoning_content {
        read.reasoning(&text);
    }
    for call in choice.delta.tool_calls.unwrap_or_default() {
        let (index, Some(function)) = (call.index as usize, call.function) else { continue };
        if let Some(name) = function.name {
            read.call(index).name = name;
        }
        read.arguments(index, &function.arguments.unwrap_or_default());
    }
}

/// A chunk with this text, or the last one.
fn chunk(text: Option<&str>) -> Chunk {
    let delta = ChatCompletionStreamResponseDelta {
        role: Some(Role::Assistant),
        content: text.map(|text| ChatCompletionMessageContent::Text(text.to_owned())),
        tool_calls: None,
        function_call: None,
        refusal: None,
        reasoning_content: None,
    };
    let finish_reason = text.is_none().then_some(FinishReason::Stop);
    let choice = ChatChoiceStream { index: 0, delta, finish_reason, logprobs: None };
    let data = CreateChatCompletionStreamResponse {
        id: "weave".to_owned(),
        choices: vec![choice],
        created: 0,
        model: "loom".to_owned(),
        system_fingerprint: None,
        object: "chat.completion.chunk".to_owned(),
        usage: None,
        service_tier: None,
    };
    Annotated { data: Some(data), id: None, event: None, comment: None, error: None }
}
