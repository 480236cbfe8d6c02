//! What `toolweir prompt`, `toolweir render` and `toolweir constrain` take.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Patterns, Setting};
use crate::options;

/// A wire format, and what is changed in it.
#[derive(Debug, Args)]
pub(crate) struct Format {
    /// The wire format; of several, `hermes,mistral-v11`, the first one writes
    #[arg(long, value_name = "NAME,…")]
    pub(crate) format: Option<String>,
    #[command(flatten)]
    pub(crate) patterns: Patterns,
    /// A wire format of your own, as a TOML or JSON file; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    pub(crate) specs: Vec<PathBuf>,
    /// Set an option of the format, `start_marker=<call>` for example; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = options::help())]
    pub(crate) options: Vec<Setting>,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    #[command(flatten)]
    pub(crate) format: Format,
    /// In place of a format, a format with the prompt that teaches it best: gemma, hermes, morph-xml,
    /// yaml-xml, qwen3-coder, agent, segments-xml, segments-json, segments-sentinel, host
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "calls", "specs"])]
    pub(crate) preset: Option<String>,
    /// The tools, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// The conversation so far, as JSON: a list of {"role", "content"}, with `tool_calls` of the
    /// assistant and results of the role `tool`; `-`: standard input [default: none]
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: Option<PathBuf>,
    /// Which tools the model may or must use: auto, none, required, or the name of one
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    pub(crate) choice: String,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// What to write
    #[arg(value_enum)]
    pub(crate) what: What,
    /// It, as JSON; `-` or none: standard input. Tools as for `parse`; a call or a list of calls
    /// {"name", "arguments", "id"}; a response {"name", "content", "id"}
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ConstrainArgs {
    #[command(flatten)]
    pub(crate) format: Format,
    /// The tools, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: PathBuf,
    /// Whether the model may or must call: auto, required, or the name of the tool it must call
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    pub(crate) choice: String,
    /// Which engine the grammar is for
    #[arg(long = "for", value_name = "ENGINE", default_value = "structural-tag")]
    pub(crate) engine: Engine,
    /// One call at most
    #[arg(long)]
    pub(crate) single: bool,
    /// The prompt has opened the reasoning: the model begins inside it
    #[arg(long)]
    pub(crate) in_reasoning: bool,
    /// Lark: name the special tokens of the format as tokens, not as text
    #[arg(long)]
    pub(crate) tokens: bool,
}

/// What takes the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// XGrammar, and with it vLLM and SGLang: JSON
    StructuralTag,
    /// llguidance: a Lark grammar
    Lark,
    /// llama.cpp: a GBNF grammar, which XGrammar reads too
    Gbnf,
}

/// What `render` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// The tools, as the format lists them
    Tools,
    /// A call, or the calls of a turn, as the model writes them
    Call,
    /// What a tool returned
    Response,
}
