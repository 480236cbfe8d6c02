//! A file on the screen while the model still writes it: the content of a `write_file` grows chunk by
//! chunk, long before the call is complete.
//!
//! Run it with `cargo run -p toolweir --example file_preview`.
// An example prints.
#![allow(clippy::print_stdout)]

use std::io::{self, Write};

use toolweir::segments::escape_terminal;
use toolweir::{CallClass, Chunk, Event, EventSink, Kind, Registry, Request, StreamEnd};

const ANSWER: [&str; 6] = [
    "Here is the pattern.\n<write_file path=\"loom/pat",
    "tern.txt\">twill 2/2\n",
    "warp:  1 2 3 4\n",
    "weft:  4 3",
    " 2 1\n</write",
    "_file>\nShall I print it?",
];

/// Shows text as it stands and files under their name.
struct Preview<W> {
    out: W,
    in_file: bool,
    failed: Option<io::Error>,
}

impl<W: Write> Preview<W> {
    fn show(&mut self, text: &str) {
        // The text is a model's: nothing of it may act on the terminal.
        let written = write!(self.out, "{}", escape_terminal(text)).and_then(|()| self.out.flush());
        self.failed = self.failed.take().or(written.err());
    }
}

impl<W: Write> EventSink for Preview<W> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind, .. } => {
                self.in_file = matches!(kind, Kind::Call(CallClass::WriteFile));
            }
            Event::Meta { key, value, .. } if self.in_file && key == "path" => {
                self.show(&format!("\n--- writing {value}\n"));
            }
            Event::Delta(text) => self.show(&text),
            Event::End { outcome, .. } if self.in_file => {
                self.in_file = false;
                self.show(&format!("--- {}\n", outcome.as_str()));
            }
            _ => {}
        }
    }
}

/// Shows an answer that comes in chunks.
pub fn preview(chunks: &[&str], out: impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let mut decoder = Registry::builtin().get("segments-xml")?.decoder(&Request::default())?;
    let mut sink = Preview { out, in_file: false, failed: None };
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut sink);
    }
    decoder.finish(StreamEnd::Stop, &mut sink);
    sink.failed.map_or(Ok(()), |error| Err(error.into()))
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    preview(&ANSWER, io::stdout())
}

/// The chunks of the example.
pub fn answer() -> &'static [&'static str] {
    &ANSWER
}
