//! What `diff` takes.

use std::path::PathBuf;

use clap::Args;

use super::{Cut, FailOn, ParseArgs, Reading, Shape, Showing};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The text of a model, a saved stream, or events as `parse` prints them
    pub(crate) left: PathBuf,
    /// The other one; `-`: standard input
    pub(crate) right: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Places in the text count, too
    #[arg(long)]
    pub(crate) spans: bool,
}

impl DiffArgs {
    /// How `parse` reads that file, whole.
    pub(crate) fn parse(&self, file: &std::path::Path) -> ParseArgs {
        let mut reading = self.reading.clone();
        reading.chunk = reading.chunk.or(Some(Cut::Whole));
        let showing = Showing {
            shape: Shape::Events,
            sse: false,
            no_stream: false,
            fail_on: FailOn::Error,
            view: None,
            raw: true,
        };
        ParseArgs { file: Some(file.to_owned()), reading, showing, verbose: false }
    }
}
