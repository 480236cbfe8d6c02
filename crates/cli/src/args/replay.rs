//! What `replay` takes.

use std::path::PathBuf;

use clap::Args;

use super::{Setting, Showing};

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Files that `toolweir serve --record DIR` wrote: of each exchange any one, or all (`DIR/*`)
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print no events, only whether the answers differ
    #[arg(long)]
    pub(crate) check: bool,
    /// Read with this wire format in place of the recorded one
    #[arg(long, value_name = "NAME,…")]
    pub(crate) format: Option<String>,
    /// A wire format of your own, as a TOML or JSON file; may be repeated
    #[arg(long = "spec", value_name = "FILE")]
    pub(crate) specs: Vec<PathBuf>,
    /// Set a policy, a limit or an option beside the recorded ones; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) options: Vec<Setting>,
    /// Of several choices, the one whose events are shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) choice: u32,
    #[command(flatten)]
    pub(crate) showing: Showing,
}
