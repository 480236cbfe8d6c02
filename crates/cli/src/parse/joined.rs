//! The listing of a whole answer: one line a run of text, of reasoning, a call.
//!
//! ```text
//! reasoning 0..27     "Six sides."
//! text      27..36    "Rolling."
//! call      36..98    dice {"sides":6} complete
//! warning   98..98    engine::missing-closer: …
//! ```
//!
//! What is told while a segment is open stands under its line.

use std::io;

use toolweir::segments::list_event;
use toolweir::{ArgumentsJoin, Event, Invocation, Kind, Outcome, Reason, Span};

use super::listing::paint_of;
use super::shown::View;
use crate::term::{Out, Paint, one_line};

/// Prints a line for each segment, when it is over.
#[derive(Default)]
pub(crate) struct Joined {
    open: Option<Open>,
    join: ArgumentsJoin,
    /// The arguments of the open or last call, joined.
    args: String,
    notes: Vec<String>,
}

/// A segment that is read, or a call that has ended and of which it is not known yet whether it runs.
struct Open {
    kind: Kind,
    name: String,
    text: String,
    ended: Option<(Outcome, Reason, Span)>,
}

impl View for Joined {
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        self.join.event(event, &mut self.args);
        match event {
            Event::Start { kind, .. } => {
                self.close(None, out)?;
                self.args.clear();
                let (kind, name, text) = (kind.clone(), String::new(), String::new());
                self.open = Some(Open { kind, name, text, ended: None });
            }
            Event::Name { name, .. } => self.open(|open| open.name.push_str(name)),
            Event::Delta(text) => self.open(|open| open.text.push_str(text)),
            Event::End { outcome, reason, span } => {
                self.open(|open| open.ended = Some((*outcome, *reason, *span)));
                if !self
                    .open
                    .as_ref()
                    .is_some_and(|open| open.kind.is_call() && outcome.is_runnable())
                {
                    self.close(None, out)?;
                }
            }
            Event::Invocation(call) => self.close(Some(call), out)?,
            Event::Diagnostic(_) => {
                self.notes.push(list_event(event));
                if self.open.is_none() {
                    self.told(out)?;
                }
            }
            Event::Finish => self.close(None, out)?,
            _ => {}
        }
        Ok(())
    }
}

impl Joined {
    fn open(&mut self, change: impl FnOnce(&mut Open)) {
        if let Some(open) = &mut self.open {
            change(open);
        }
    }

    fn close(&mut self, call: Option<&Invocation<'_>>, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(open) = self.open.take() {
            let (line, paint) = line(&open, call, &self.args);
            out.text(paint, &line)?;
            out.line("")?;
        } else if let Some(call) = call {
            // A further call of one segment.
            out.text(Paint::Green, &list_event(&Event::Invocation(call.reborrow())))?;
            out.line("")?;
        }
        self.told(out)
    }

    fn told(&mut self, out: &mut Out<'_>) -> io::Result<()> {
        for note in self.notes.drain(..) {
            out.text(paint_of(&note), &note)?;
            out.line("")?;
        }
        Ok(())
    }
}

/// The line of a segment, and its colour.
fn line(open: &Open, call: Option<&Invocation<'_>>, args: &str) -> (String, Paint) {
    let Open { kind, name, text, ended } = open;
    let span = ended.map(|(.., span)| span.to_string()).unwrap_or_default();
    let listed = list_event(&Event::Delta(text.as_str().into()));
    let quoted = listed.trim_start_matches("delta").trim_start();
    if !kind.is_call() {
        let paint = if *kind == Kind::Reasoning { Paint::Dim } else { Paint::Plain };
        return (format!("{:<9} {span:<9} {quoted}", kind.name()), paint);
    }
    let mut line = format!("{:<9} {span:<9} {}", "call", one_line(name));
    let document = call.and_then(|call| call.resolved.as_deref()).unwrap_or(args);
    if !document.is_empty() {
        line.push_str(&format!(" {}", one_line(document)));
    } else if !text.is_empty() {
        line.push_str(&format!(" {quoted}"));
    }
    let Some((outcome, reason, _)) = ended else { return (line, Paint::Red) };
    line.push_str(&format!(" {outcome}"));
    let Some(call) = call else {
        line.push_str(&format!(" {reason}: does not run"));
        return (line, Paint::Red);
    };
    for (_, word) in [(call.coerced, ", coerced"), (!call.known, ", no declared tool")]
        .iter()
        .filter(|(set, _)| *set)
    {
        line.push_str(word);
    }
    let repaired = call.repaired || *outcome == Outcome::Repaired;
    (line, if repaired { Paint::Yellow } else { Paint::Green })
}
