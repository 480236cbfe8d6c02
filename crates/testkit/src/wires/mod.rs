//! The grammars of the wires that chat servers speak, and what a client makes of a stream.
//!
//! A stream is given as its frames, an answer as its body. What breaks the grammar is a [`Breach`] with
//! the number of the frame; what keeps it is folded to a [`Reduced`] answer, the same type for every wire,
//! so that streams can be compared with answers and wires with each other.
//!
//! ```
//! use toolweir_testkit::wires::{Wire, WireEnd, frames};
//!
//! let stream = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
//!     \"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n\
//!     data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
//!     \"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
//!     data: [DONE]\n\n";
//! let answer = Wire::Chat.stream(&frames(stream).unwrap()).unwrap();
//! assert_eq!((answer.text.as_str(), answer.end), ("Hi", WireEnd::Stop));
//! ```
//!
//! The rules are those that the clients of each wire need, not all that its publisher allows: one call
//! after the other, ids and names once, sequence numbers without gaps, one end.

#![allow(clippy::indexing_slicing, reason = "a member that a `Value` lacks is null")]

mod ag_ui;
mod anthropic;
mod chat;
mod responses;
mod ui_message;

use std::fmt;

use serde_json::Value;

pub use chat::choices as chat_choices;

/// A wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wire {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// The UI message stream of the AI SDK.
    UiMessage,
    /// AG-UI.
    AgUi,
}

/// One server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its `event:` line.
    pub event: Option<String>,
    /// Its `data:` line.
    pub data: String,
}

/// What a client makes of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reduced {
    /// All visible text.
    pub text: String,
    /// All reasoning.
    pub reasoning: String,
    /// The calls, in order.
    pub calls: Vec<ReducedCall>,
    /// How it ended.
    pub end: WireEnd,
}

/// A call as a client has it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ReducedCall {
    /// The id that a result quotes.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, joined.
    pub arguments: String,
    /// Whether a client runs it: the wire does not say otherwise, and the arguments are an object.
    pub whole: bool,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum WireEnd {
    /// The model stopped.
    #[default]
    Stop,
    /// It stopped to have calls run.
    ToolCalls,
    /// The token limit cut it.
    Length,
    /// A filter cut it.
    Filter,
    /// It is an error; the message.
    Error(String),
}

/// What breaks the grammar of a wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Which frame, from 0; their number where the end is wrong.
    pub frame: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}: {}", self.frame, self.message)
    }
}

impl std::error::Error for Breach {}

impl Reduced {
    /// The answer without the calls that a client does not run.
    #[must_use]
    pub fn without_cut_calls(mut self) -> Self {
        self.calls.retain(|call| call.whole);
        self
    }
}

impl Wire {
    /// Holds a whole stream against the grammar. Of several choices the first counts
    /// ([`chat_choices`] gives all).
    ///
    /// # Errors
    /// The first breach.
    pub fn stream(self, frames: &[Frame]) -> Result<Reduced, Breach> {
        match self {
            Self::Chat => chat::choices(frames).map(|mut all| all.swap_remove(0)),
            Self::Responses => run(frames, responses::Check::default()),
            Self::Anthropic => run(frames, anthropic::Check::default()),
            Self::UiMessage => run(frames, ui_message::Check::default()),
            Self::AgUi => run(frames, ag_ui::Check::default()),
        }
    }

    /// Holds the body of an answer against the shape of the wire.
    ///
    /// # Errors
    /// What is wrong; for the wires that have no such answers, too.
    pub fn answer(self, body: &str) -> Result<Reduced, Breach> {
        let found: Result<Value, _> = serde_json::from_str(body);
        let value = found.map_err(|error| Breach { frame: 0, message: error.to_string() })?;
        let reduced = match self {
            _ if value["error"].is_object() => error_of(&value["error"]),
            Self::Chat => chat::answer(&value),
            Self::Responses => responses::answer(&value),
            Self::Anthropic => anthropic::answer(&value),
            Self::UiMessage | Self::AgUi => Err("the wire has no answers but streams".to_owned()),
        };
        reduced.map_err(|message| Breach { frame: 0, message })
    }
}

/// The frames of a stream, as servers write them: `event:` and `data:` lines, comments left out.
///
/// # Errors
/// A line that is neither, or a frame with more than one line of data: lenient reading is a client's.
pub fn frames(stream: &str) -> Result<Vec<Frame>, Breach> {
    let mut frames = Vec::new();
    let breach = |frame: usize, message: &str| Breach { frame, message: message.to_owned() };
    if !stream.is_empty() && !stream.ends_with("\n\n") {
        return Err(breach(0, "the stream ends inside a frame"));
    }
    for text in stream.split_terminator("\n\n") {
        let (at, mut event, mut data) = (frames.len(), None, None);
        for line in text.lines().filter(|line| !line.starts_with(':')) {
            if let Some(name) = line.strip_prefix("event: ") {
                event = Some(name.to_owned());
            } else if let Some(found) = line.strip_prefix("data: ") {
                if data.replace(found.to_owned()).is_some() {
                    return Err(breach(at, "two lines of data"));
                }
            } else {
                return Err(breach(at, "a line that is no field"));
            }
        }
        match data {
            Some(data) => frames.push(Frame { event, data }),
            None if event.is_none() => {}
            None => return Err(breach(at, "an event without data")),
        }
    }
    Ok(frames)
}

/// Takes the frames of one stream.
trait Grammar {
    /// Takes one frame; what it says is JSON unless it is `[DONE]`.
    fn frame(&mut self, event: Option<&str>, data: &Value) -> Result<(), String>;

    /// The stream is over.
    fn end(self) -> Result<Reduced, String>;
}

fn run<G: Grammar>(frames: &[Frame], mut grammar: G) -> Result<Reduced, Breach> {
    for (at, frame) in frames.iter().enumerate() {
        let parsed = value(&frame.data);
        parsed
            .and_then(|data| grammar.frame(frame.event.as_deref(), &data))
            .map_err(|message| Breach { frame: at, message })?;
    }
    grammar.end().map_err(|message| Breach { frame: frames.len(), message })
}

/// The data of a frame; `[DONE]` as a string.
fn value(data: &str) -> Result<Value, String> {
    if data == "[DONE]" {
        return Ok(Value::String(data.to_owned()));
    }
    serde_json::from_str(data).map_err(|error| format!("not JSON: {error}"))
}

fn error_of(error: &Value) -> Result<Reduced, String> {
    let message = filled(error, "message")?;
    text(error, "type")?;
    Ok(Reduced { end: WireEnd::Error(message), ..Reduced::default() })
}

/// The string under that key.
fn text(value: &Value, key: &str) -> Result<String, String> {
    let found = value[key].as_str().map(str::to_owned);
    found.ok_or_else(|| format!("`{key}` is no string in {value}"))
}

/// The string under that key, which is not empty.
fn filled(value: &Value, key: &str) -> Result<String, String> {
    let found = text(value, key)?;
    demand(!found.is_empty(), || format!("`{key}` is empty in {value}"))?;
    Ok(found)
}

fn number(value: &Value, key: &str) -> Result<u64, String> {
    value[key].as_u64().ok_or_else(|| format!("`{key}` is no number in {value}"))
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>, String> {
    value[key].as_array().ok_or_else(|| format!("`{key}` is no list in {value}"))
}

fn demand(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// Whether the text is one JSON object.
fn is_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

/// The call is new, and its id is taken by none before it.
fn add_call(calls: &mut Vec<ReducedCall>, id: String, name: String) -> Result<(), String> {
    demand(calls.iter().all(|call| call.id != id), || format!("two calls have the id {id}"))?;
    calls.push(ReducedCall { id, name, ..ReducedCall::default() });
    Ok(())
}

/// The end is whole, so every call must be.
fn all_whole(calls: &[ReducedCall]) -> Result<(), String> {
    demand(calls.iter().all(|call| call.whole), || {
        "the answer ends as whole with a call that is not".to_owned()
    })
}

#[cfg(test)]
mod tests;
