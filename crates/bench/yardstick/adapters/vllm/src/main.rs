//! The tool parsers of vLLM in the yardstick, with its reasoning parser before them where a work has
//! reasoning.
//!
//! Chunks are made before a pass, in the type that the parsers take, and not timed. They are text without
//! tokens, which is all that these tool parsers look at; the reasoning parser knows its markers by their
//! tokens, so each chunk in which one begins names it.

use std::process::ExitCode;
use std::sync::Arc;

use toolweir_yardstick::serve::Json;
use toolweir_yardstick::{Format, Found, Lane, Peer, Read, Work, serve, works};
use vllm_parser::reasoning::{Qwen3ReasoningParser, ReasoningDelta, ReasoningParser};
use vllm_parser::tool::{
    DeepSeekV31ToolParser, HermesToolParser, Llama3JsonToolParser, MistralToolParser,
    Qwen3CoderToolParser, Tool, ToolParser, ToolParserEvent, ToolParserOutput,
};
use vllm_tokenizer::test_utils::TestTokenizer;
use vllm_tokenizer::{DecodedText, DynTokenizer, TokenAnchor, TokenAttribution};

/// The markers of reasoning with their tokens.
const THINK: [(&str, u32); 2] = [("<think>", 300), ("</think>", 301)];

fn main() -> ExitCode {
    let add = |tokens: TestTokenizer, (marker, id)| tokens.with_special_token(marker, id);
    let tokenizer = THINK.into_iter().fold(TestTokenizer::new(), add);
    serve::run(&Vllm { tokenizer: Arc::new(tokenizer) })
}

struct Vllm {
    tokenizer: DynTokenizer,
}

impl Peer for Vllm {
    fn name(&self) -> String {
        "vllm-parser of vLLM 0.33.0".to_owned()
    }

    fn lane(
        &self,
        _: &str,
        format: Format,
        work: &Work,
        chunks: Vec<&'static str>,
    ) -> Result<Box<dyn Lane>, String> {
        let tool = |(name, parameters): (&str, Json)| Tool {
            name: name.to_owned(),
            description: None,
            parameters,
            strict: None,
            defer_loading: None,
        };
        Ok(Box::new(Stream {
            format,
            thinks: !work.reasoning.is_empty(),
            tokenizer: self.tokenizer.clone(),
            tools: works::tools().into_iter().map(tool).collect(),
            chunks,
            inputs: Vec::new(),
            read: Read::default(),
        }))
    }
}

struct Stream {
    format: Format,
    thinks: bool,
    tokenizer: DynTokenizer,
    tools: Vec<Tool>,
    chunks: Vec<&'static str>,
    inputs: Vec<Vec<DecodedText>>,
    read: Read,
}

impl Stream {
    fn parser(&self) -> Result<Box<dyn ToolParser>, String> {
        let (tools, tokenizer) = (&self.tools[..], self.tokenizer.clone());
        let parser = match self.format {
            Format::Hermes => HermesToolParser::create(tools, tokenizer),
            Format::Qwen3Coder => Qwen3CoderToolParser::create(tools, tokenizer),
            Format::Llama3Json => Llama3JsonToolParser::create(tools, tokenizer),
            Format::Mistral => MistralToolParser::create(tools, tokenizer),
            Format::DeepSeekV31 => DeepSeekV31ToolParser::create(tools, tokenizer),
        };
        parser.map_err(|e| e.to_string())
    }
}

impl Stream {
    /// Names the tokens of the markers of reasoning in the chunks where they begin.
    fn name_tokens(&self, chunks: &mut [DecodedText]) {
        let stream = self.chunks.concat();
        for (marker, token_id) in THINK {
            let Some(mut at) = stream.find(marker) else { continue };
            for chunk in &mut *chunks {
                if let Some(after) = at.checked_sub(chunk.text.len()) {
                    at = after;
                    continue;
                }
                let anchor = TokenAnchor::Visible { byte_offset: at as u32 };
                chunk.attributions.push(TokenAttribution { token_id, anchor });
                break;
            }
        }
    }
}

impl Lane for Stream {
    fn prepare(&mut self, times: usize) {
        let texts = self.chunks.iter().map(|text| DecodedText::unattributed(*text));
        let mut input: Vec<DecodedText> = texts.collect();
        if self.thinks {
            self.name_tokens(&mut input);
        }
        self.inputs = vec![input; times];
    }

    fn pass(&mut self) -> Result<(), String> {
        let chunks = self.inputs.pop().ok_or("no input")?;
        let mut calls = Calls {
            parser: self.parser()?,
            output: ToolParserOutput::default(),
            read: Read::default(),
        };
        if self.thinks {
            let parser = Qwen3ReasoningParser::create(self.tokenizer.clone());
            thinking(parser.map_err(|e| e.to_string())?, chunks, &mut calls)?;
        } else {
            for chunk in chunks {
                calls.push(chunk)?;
            }
        }
        calls.finish()?;
        self.read = calls.read;
        Ok(())
    }

    fn take(&mut self) -> Found {
        Found::Read(std::mem::take(&mut self.read))
    }
}

/// Reasoning first; what is none goes on to the calls.
fn thinking(
    mut parser: Box<dyn ReasoningParser>,
    chunks: Vec<DecodedText>,
    calls: &mut Calls,
) -> Result<(), String> {
    let mut take = |found: ReasoningDelta| {
        if let Some(reasoning) = found.reasoning {
            calls.read.reasoning(&reasoning.text);
        }
        found.content.map_or(Ok(()), |text| calls.push(text))
    };
    parser.initialize(&[]).map_err(|e| e.to_string())?;
    for chunk in chunks {
        take(parser.push(chunk).map_err(|e| e.to_string())?)?;
    }
    take(parser.finish().map_err(|e| e.to_string())?)
}

struct Calls {
    parser: Box<dyn ToolParser>,
    /// Emptied after each chunk, as a server does that hands out what came.
    output: ToolParserOutput,
    read: Read,
}

impl Calls {
    fn push(&mut self, chunk: DecodedText) -> Result<(), String> {
        self.parser.parse_into(chunk, &mut self.output).map_err(|e| e.to_string())?;
        self.output.events.drain(..).for_each(|event| take(event, &mut self.read));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        let rest = self.parser.finish().map_err(|e| e.to_string())?;
        rest.events.into_iter().for_each(|event| take(event, &mut self.read));
        Ok(())
    }
}

fn take(event: ToolParserEvent, read: &mut Read) {
    match event {
        ToolParserEvent::Text(text) => read.text(&text),
        ToolParserEvent::ToolCall(call) => {
            if let Some(name) = call.name {
                read.call(call.tool_index).name = name;
            }
            read.arguments(call.tool_index, &call.arguments);
        }
    }
}
