//! What `parse` takes, and with it all commands that read what a model wrote.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolweir::StreamEnd;

use super::{Cut, Setting};
use crate::options;

#[derive(Debug, Args)]
pub(crate) struct ParseArgs {
    /// The text or the saved stream to decode; `-` or none: standard input
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) showing: Showing,
    /// Say on standard error what the input was taken for
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// How what a model wrote is read.
#[derive(Clone, Debug, Args)]
pub(crate) struct Reading {
    /// The wire format, several at once, `hermes,mistral-v11`, or `auto` for all: the format of the first
    /// call then reads on alone; `toolweir formats` lists them. Without it the variable `AUTOBYTEUS_STREAM_PARSER`
    /// may name a segment format: xml, json, sentinel, api_tool_call; streams of providers are else read
    /// with `auto`
    #[arg(long, value_name = "NAME,…")]
    pub(crate) format: Option<String>,
    #[command(flatten)]
    pub(crate) patterns: Patterns,
    /// A wire format of your own, as a TOML or JSON file; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    pub(crate) specs: Vec<PathBuf>,
    /// The declared tools, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// Cut the text: whole, char, a number of characters, or random:SEED [default: as it arrives]
    #[arg(long, value_name = "HOW")]
    pub(crate) chunk: Option<Cut>,
    /// Why the text ended: stop, length or aborted [default: stop]. Streams of providers say it themselves
    #[arg(long, value_name = "WHY")]
    pub(crate) end: Option<StreamEnd>,
    /// The reasoning section: default, none, off, the name of a family, or a pattern,
    /// `<thinking>{reasoning}</thinking>` for example
    #[arg(long, value_name = "FAMILY")]
    pub(crate) reasoning: Option<String>,
    /// The channel that the prompt left open: text or reasoning
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) start_state: Option<String>,
    /// The beginning of the message, which the prompt wrote: the text goes on after it
    #[arg(long, value_name = "TEXT")]
    pub(crate) prefix: Option<String>,
    /// Set a policy, a limit or an option of the format; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = options::help())]
    pub(crate) options: Vec<Setting>,
    /// What the input is
    #[arg(long, value_enum, default_value_t = Input::Auto)]
    pub(crate) input: Input,
    /// Of a stream with several choices, the one to read
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) choice: u32,
}

/// How events are shown.
#[derive(Clone, Debug, Args)]
pub(crate) struct Showing {
    /// What to print
    #[arg(long = "as", value_name = "SHAPE", value_enum, default_value_t = Shape::Events)]
    pub(crate) shape: Shape,
    /// With a shape of a server: server-sent events, as a client gets them
    #[arg(long)]
    pub(crate) sse: bool,
    /// With a shape of a server: the answer to a request without a stream
    #[arg(long, conflicts_with = "sse")]
    pub(crate) no_stream: bool,
    /// What exit code 1 means
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
    /// Events for people to read, also in a pipe [default: on a terminal joined, of standard input each]
    #[arg(long, value_name = "HOW", value_enum, conflicts_with = "raw")]
    pub(crate) view: Option<Shows>,
    /// On a terminal, print what a pipe would get: nothing escaped, no colours
    #[arg(long)]
    pub(crate) raw: bool,
}

/// A wire format that has no name.
#[derive(Clone, Debug, Args)]
pub(crate) struct Patterns {
    /// In place of a name, the line that the model writes for a call, `<call>{name} {args}</call>` for
    /// example; may be repeated, all are read
    #[arg(long = "pattern", value_name = "PATTERN", allow_hyphen_values = true, conflicts_with_all = ["format", "specs"])]
    pub(crate) calls: Vec<String>,
    /// What stands around the calls of a turn, `<calls>{*}</calls>` for example; may be repeated
    #[arg(long = "wrap", value_name = "PATTERN", allow_hyphen_values = true, requires = "calls")]
    pub(crate) wraps: Vec<String>,
    /// What stands between two calls [default: a line break]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "calls")]
    pub(crate) between: Option<String>,
}

/// What `parse` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// One event a line, as it happens
    Events,
    /// The folded turn
    Turn,
    /// Segment events: SEGMENT_START, SEGMENT_CONTENT, SEGMENT_END, INVOCATION
    Segments,
    /// Chunks of OpenAI's chat completions
    Openai,
    /// Events of OpenAI's Responses
    Responses,
    /// Events of Anthropic's Messages
    Anthropic,
    /// Stream parts of the AI SDK
    AiSdk,
    /// The UI message stream of the AI SDK
    UiMessage,
    /// Events of AG-UI
    AgUi,
    /// Events of an agent runner
    Agent,
    /// Narrative and tool calls of a chat host
    Host,
}

/// How events are shown to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shows {
    /// Every event on a line
    Each,
    /// Every run of text, run of reasoning and call on a line, when it is over
    Joined,
    /// The text as it grows; what is held back is dim, on a terminal with colours
    Live,
}

/// What makes `parse` end with exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A call was lost, or the stream is an error or no stream
    Error,
    /// The same, or the answer was cut off
    Truncated,
    /// Nothing
    Nothing,
}

/// What `parse` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Input {
    /// What the first bytes show: a stream of a provider, or else text
    Auto,
    /// Plain text
    Text,
    /// One JSON string a line, each a chunk
    Chunks,
    /// Chat completions or text completions, streamed or whole
    OpenaiSse,
    /// Events of OpenAI's Responses, or one response
    ResponsesSse,
    /// Events of Anthropic's Messages, or one message
    AnthropicSse,
    /// Lines of Ollama's chat or generate
    Ollama,
}

impl Input {
    /// Its word on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Text => "text",
            Self::Chunks => "chunks",
            Self::OpenaiSse => "openai-sse",
            Self::ResponsesSse => "responses-sse",
            Self::AnthropicSse => "anthropic-sse",
            Self::Ollama => "ollama",
        }
    }
}
