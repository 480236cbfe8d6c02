//! Requests of the three wires, read into one shape.
//!
//! # Invariants
//! - What changes the answer is kept or refused, never dropped without a word: a field that cannot be
//!   served is a [`Failure`] that names it.
//! - Numbers and the order of keys of schemas and arguments stay as they came.

mod chat;
mod fields;
mod messages;
mod responses;

use toolweir_adapters::{Failure, FailureKind};
use toolweir_middleware::{Conversation, MessagePart};
use toolweir_rjson::{Mode, Object, Value, parse};

use crate::wire::Wire;

/// What a client asks for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// A chunk with the usage ends the stream (chat).
    pub(crate) usage_chunk: bool,
    pub(crate) conversation: Conversation,
    /// Tools whose arguments must fit their schemas.
    pub(crate) strict: Vec<String>,
    /// Whether the answer may have several calls.
    pub(crate) parallel: bool,
    pub(crate) stop: Vec<String>,
    pub(crate) max_tokens: Option<u64>,
    /// How many answers.
    pub(crate) n: u32,
    /// `response_format` as chat completions have it.
    pub(crate) response_format: Option<Value>,
    /// What a response repeats of its request.
    pub(crate) echo: serde_json::Map<String, serde_json::Value>,
    /// Fields that are the model's alone and go on as they came, in the names of chat completions.
    pub(crate) passed: Vec<(String, Value)>,
}

impl Asked {
    fn new(model: String) -> Self {
        Self {
            model,
            stream: false,
            usage_chunk: false,
            conversation: Conversation::default(),
            strict: Vec::new(),
            parallel: true,
            stop: Vec::new(),
            max_tokens: None,
            n: 1,
            response_format: None,
            echo: serde_json::Map::new(),
            passed: Vec::new(),
        }
    }

    /// Reads a request of that wire.
    pub(crate) fn read(wire: Wire, body: &[u8]) -> Result<Self, Failure> {
        let text = std::str::from_utf8(body).map_err(|error| {
            bad(format!("the body is not UTF-8 at byte {}; send JSON", error.valid_up_to()))
        })?;
        let parsed = parse(text, Mode::Strict)
            .map_err(|error| bad(format!("the body is not JSON: {error}; send one object")))?;
        let Value::Object(object) = parsed.value else {
            return Err(bad("the body is not a JSON object; send one"));
        };
        match wire {
            Wire::Chat => chat::read(&object),
            Wire::Responses => responses::read(&object),
            Wire::Messages => messages::read(&object),
        }
    }

    /// How many tokens the request has, as well as that can be said without the tokenizer of the model:
    /// a token for each four bytes of text, and some for each message and tool.
    pub(crate) fn estimated_tokens(&self) -> u64 {
        let mut bytes = 0;
        for message in &self.conversation.messages {
            bytes += 12;
            bytes += message.parts.iter().map(part_bytes).sum::<usize>();
        }
        for tool in self.conversation.tools.iter().filter_map(|tool| tool.function()) {
            bytes += 32 + tool.name.len() + tool.description.as_ref().map_or(0, String::len);
            bytes += tool.parameters.as_ref().map_or(0, |schema| schema.to_string().len());
        }
        tokens_of(bytes)
    }
}

/// About how many tokens so many bytes of text are.
pub(crate) fn tokens_of(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

fn part_bytes(part: &MessagePart) -> usize {
    use toolweir_middleware::{ContentPart, ToolOutput};
    // An image is some hundred tokens, whatever its bytes.
    const FILE: usize = 3000;
    match part {
        MessagePart::Text(text) | MessagePart::Reasoning(text) => text.len(),
        MessagePart::File(_) => FILE,
        MessagePart::Call(call) => 16 + call.name.len() + call.arguments.len(),
        MessagePart::Result(result) => match &result.output {
            ToolOutput::Text(text) | ToolOutput::Error(text) => 16 + text.len(),
            ToolOutput::Content(parts) => parts.iter().fold(16, |sum, part| match part {
                ContentPart::Text(text) => sum + text.len(),
                ContentPart::File(_) => sum + FILE,
            }),
            _ => 16,
        },
        _ => 0,
    }
}

/// A request that cannot be served as it is.
pub(crate) fn bad(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::BadRequest, message)
}

/// Refuses a field that is set to more than what it says anyway.
fn refuse(object: &Object, keys: &[&str], why: &str) -> Result<(), Failure> {
    let set = |key: &&&str| match object.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Array(list)) => list.iter().next().is_some(),
        Some(_) => true,
    };
    match keys.iter().find(set) {
        Some(key) => Err(bad(format!("`{key}` is not supported: {why}"))),
        None => Ok(()),
    }
}
