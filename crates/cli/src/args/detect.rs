//! What `toolweir detect` takes.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    /// A transcript, what the model wrote; `-` or nothing at all: standard input
    #[arg(group = "from")]
    pub(crate) file: Option<PathBuf>,
    /// The name of a model: an id, a path, the name of a GGUF file
    #[arg(long, value_name = "ID", group = "from")]
    pub(crate) model: Option<String>,
    /// A chat template: Jinja, or a `tokenizer_config.json` that holds one
    #[arg(long, value_name = "FILE", group = "from")]
    pub(crate) template: Option<PathBuf>,
    /// The folder of a model: its name, configuration and chat template
    #[arg(long, value_name = "DIR", group = "from")]
    pub(crate) repo: Option<PathBuf>,
    /// The declared tools of a transcript, as JSON: calls of others speak against a format
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "template", "repo"])]
    pub(crate) tools: Option<PathBuf>,
    /// A wire format of your own, as a TOML or JSON file; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    pub(crate) specs: Vec<PathBuf>,
    /// Print so many candidates [default: 5 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}
