//! What `diff` takes.

use std::path::PathBuf;

use clap::Args;
use toolweir::StreamEnd;

use super::{Cut, FailOn, Input, ParseArgs, Patterns, Setting, Shape};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The text of a model, or events as `parse` prints them
    pub(crate) left: PathBuf,
    /// The other one; `-`: standard input
    pub(crate) right: PathBuf,
    /// The wire format of texts, as for `parse`
    #[arg(long, value_name = "NAME,…")]
    format: Option<String>,
    #[command(flatten)]
    patterns: Patterns,
    /// A wire format of your own, as a TOML or JSON file; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    specs: Vec<PathBuf>,
    /// The declared tools, as JSON
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Why texts ended: stop, length or aborted
    #[arg(long, value_name = "WHY", default_value_t)]
    end: StreamEnd,
    /// The reasoning family: default, none, off, or a name
    #[arg(long, value_name = "FAMILY")]
    reasoning: Option<String>,
    /// Set a policy, a limit or an option of the format; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    options: Vec<Setting>,
    /// Places in the text count, too
    #[arg(long)]
    pub(crate) spans: bool,
}

impl DiffArgs {
    /// How `parse` reads that file, whole.
    pub(crate) fn parse(&self, file: &std::path::Path) -> ParseArgs {
        ParseArgs {
            file: Some(file.to_owned()),
            format: self.format.clone(),
            patterns: self.patterns.clone(),
            specs: self.specs.clone(),
            tools: self.tools.clone(),
            chunk: Some(Cut::Whole),
            end: self.end,
            shape: Shape::Events,
            sse: false,
            no_stream: false,
            fail_on: FailOn::Error,
            reasoning: self.reasoning.clone(),
            start_state: None,
            prefix: None,
            options: self.options.clone(),
            input: Input::Text,
            raw: true,
        }
    }
}
