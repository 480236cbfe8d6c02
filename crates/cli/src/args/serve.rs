//! What `serve` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolweir_gateway::{Constrain, Mode, UpstreamKind};

use super::Setting;
use crate::options;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// The endpoint in front of which to stand: http://HOST:PORT, https://HOST/v1
    #[arg(long, value_name = "URL", conflicts_with = "demo")]
    pub(crate) upstream: Option<String>,
    /// What it speaks: chat, completions or ollama [default: chat]
    #[arg(long, value_name = "KIND")]
    pub(crate) upstream_kind: Option<UpstreamKind>,
    /// Answer from an embedded script in place of a model: no network, no key
    #[arg(long)]
    pub(crate) demo: bool,
    /// What becomes of tools: emulate, clean or pass [default: clean]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// The wire format of the model, several, or auto [default: auto]
    #[arg(long, value_name = "NAME,…")]
    pub(crate) format: Option<String>,
    /// A wire format of your own, as a TOML or JSON file, for --format; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    pub(crate) specs: Vec<PathBuf>,
    /// Another name of a model, as clients say it; may be repeated
    #[arg(long = "model-map", value_name = "NAME=UPSTREAM", value_parser = model)]
    pub(crate) models: Vec<Setting>,
    /// Set a policy, a limit or an option of the format; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = options::help())]
    pub(crate) options: Vec<Setting>,
    /// The variable that holds the key for the upstream [default: the client's key is passed on]
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) upstream_key_env: Option<String>,
    /// Certificates in PEM of the authorities to trust at the upstream [default: those of the system]
    #[arg(long, value_name = "FILE")]
    pub(crate) upstream_ca: Option<PathBuf>,
    /// The variable that holds the key that clients must bring
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) client_key_env: Option<String>,
    /// What the upstream enforces in the mode emulate: off, schema, structural-tag (vLLM, SGLang), gbnf (llama.cpp) or
    /// lark (vLLM with guidance) [default: schema]
    #[arg(long, value_name = "VALUE", conflicts_with = "no_constrain")]
    pub(crate) constrain: Option<Constrain>,
    /// The same as --constrain off
    #[arg(long)]
    pub(crate) no_constrain: bool,
    /// Record requests, what the upstream answers and replies in this directory, contents and all, for `toolweir
    /// replay`
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    /// Seconds in which /ready says no and connections are still taken, once told to stop [default: 0]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain_seconds: Option<u64>,
    /// Settings from a file in TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How logs are written
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// Check the settings and end
    #[arg(long)]
    pub(crate) check: bool,
}

/// Two names of a model.
fn model(word: &str) -> Result<Setting, String> {
    word.parse().map_err(|_: String| "write NAME=UPSTREAM, `gpt-4o=qwen3` for example".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}
