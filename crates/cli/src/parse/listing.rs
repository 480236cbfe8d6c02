//! The listing for people: one event a line, coloured by what it is.
//!
//! The lines are those of `segments::list_event`, which is safe to print.

use std::io;

use toolweir::segments::list_event;
use toolweir::{ArgumentsJoin, Event, Kind};

use super::shown::View;
use crate::term::{Out, Paint};

/// Prints each event as a readable line.
pub(crate) struct Listing {
    /// The arguments of the open or last call, joined.
    args: String,
    join: ArgumentsJoin,
    reasoning: bool,
}

impl Listing {
    /// Nothing printed yet.
    pub(crate) fn new() -> Self {
        Self { args: String::new(), join: ArgumentsJoin::default(), reasoning: false }
    }

    fn list(&self, event: &Event<'_>) -> String {
        match event {
            Event::Invocation(invocation)
                if invocation.resolved.is_none() && !self.args.is_empty() =>
            {
                let mut shown = invocation.reborrow();
                shown.resolved = Some(self.args.as_str().into());
                list_event(&Event::Invocation(shown))
            }
            _ => list_event(event),
        }
    }
}

impl View for Listing {
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        if let Event::Start { kind, .. } = event {
            self.args.clear();
            self.reasoning = *kind == Kind::Reasoning;
        }
        self.join.event(event, &mut self.args);
        let line = self.list(event);
        let paint = if self.reasoning && matches!(event, Event::Delta(_)) {
            Paint::Dim
        } else {
            paint_of(&line)
        };
        out.text(paint, &line)?;
        out.line("")
    }
}

/// Prints lines of a listing, each in the colour of its first word.
pub(crate) fn lines(listing: &str, out: &mut Out<'_>) -> io::Result<()> {
    for line in listing.lines() {
        out.text(paint_of(line), line)?;
        out.line("")?;
    }
    Ok(())
}

/// The colour of a line, by its first word.
pub(super) fn paint_of(line: &str) -> Paint {
    match line.split_whitespace().next().unwrap_or_default() {
        "name" | "args" | "meta" | "field" => Paint::Cyan,
        "call" => Paint::Green,
        "start" | "end" | "markup" | "raw" | "finish" | "finished" | "info" => Paint::Dim,
        "warning" => Paint::Yellow,
        "error" => Paint::Red,
        _ => Paint::Plain,
    }
}
