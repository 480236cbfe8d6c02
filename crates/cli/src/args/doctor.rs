//! What `doctor` takes.

use std::path::PathBuf;

use clap::Args;

use super::Reading;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The text or the saved stream to redact; `-` or none: standard input
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Where to write the tools in the same words
    #[arg(long, value_name = "FILE", requires = "tools")]
    pub(crate) tools_out: Option<PathBuf>,
}
