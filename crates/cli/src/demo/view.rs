//! The live picture of a stream: reasoning dim, prose plain, calls as they grow.

use std::io;

use toolweir::{Event, Kind, Outcome};

use crate::term::{Out, Paint};

/// Shows events as they come.
pub(crate) struct Live {
    /// What the open segment is.
    kind: Option<Kind>,
    /// Whether the cursor stands at the start of a line.
    fresh: bool,
    /// Whether anything was shown.
    begun: bool,
    /// Whether the open text wants an empty line above it and has not begun yet.
    gap: bool,
    /// What was noted while a segment was open; shown behind it.
    notes: Vec<String>,
    /// Whether the last call gave its source back, so that the next text is that source.
    given_back: bool,
    /// How a whole call ended that has not been said to run.
    whole: Option<Outcome>,
}

impl Live {
    /// Nothing shown yet.
    pub(crate) const fn new() -> Self {
        Self {
            kind: None,
            fresh: true,
            begun: false,
            gap: false,
            notes: Vec::new(),
            given_back: false,
            whole: None,
        }
    }

    /// Shows one event.
    pub(crate) fn show(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        match event {
            Event::Start { kind, .. } => self.start(kind, out),
            Event::Name { name, .. } => {
                self.write(Paint::Bold, name, out)?;
                self.write(Paint::Plain, " ", out)
            }
            Event::Delta(text) => {
                // Text that begins with a line break of its own needs none of ours.
                if std::mem::take(&mut self.gap) && !text.starts_with('\n') {
                    self.write(Paint::Plain, "\n", out)?;
                }
                let dim = self.kind == Some(Kind::Reasoning) || self.given_back;
                self.write(if dim { Paint::Dim } else { Paint::Plain }, text, out)
            }
            Event::Args(text) => self.write(Paint::Cyan, text, out),
            Event::Diagnostic(diagnostic) => {
                self.notes.push(format!("{}: {}", diagnostic.code, diagnostic.message));
                if self.kind.is_none() && self.whole.is_none() {
                    self.flush_notes(out)
                } else {
                    Ok(())
                }
            }
            Event::End { outcome, span, .. } => self.end(*outcome, span.is_empty(), out),
            Event::Invocation(call) => self.settle(Some(call.known), out),
            Event::Finish => {
                self.settle(None, out)?;
                self.line_start(out)
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, kind: &Kind, out: &mut Out<'_>) -> io::Result<()> {
        self.settle(None, out)?;
        self.line_start(out)?;
        let call = kind.is_call();
        if call {
            self.given_back = false;
            self.write(Paint::Cyan, "> ", out)?;
        } else if self.given_back {
            self.write(Paint::Dim, "  its source, given back as text:\n", out)?;
        } else if *kind == Kind::Reasoning {
            self.write(Paint::Dim, "thinking: ", out)?;
        } else {
            self.gap = self.begun;
        }
        self.begun = true;
        self.kind = Some(kind.clone());
        Ok(())
    }

    fn end(&mut self, outcome: Outcome, empty: bool, out: &mut Out<'_>) -> io::Result<()> {
        let call = self.kind.take().is_some_and(|kind| kind.is_call());
        self.given_back = call && empty && !outcome.is_runnable();
        if !call {
            return self.flush_notes(out);
        }
        self.line_start(out)?;
        let word = match outcome {
            Outcome::Complete | Outcome::Repaired => {
                self.whole = Some(outcome);
                return Ok(());
            }
            Outcome::Truncated => "  truncated: never run\n",
            Outcome::Abandoned => "  abandoned: never run\n",
        };
        self.write(Paint::Red, word, out)?;
        self.flush_notes(out)
    }

    /// Says whether the whole call runs. `known`: whether its tool is declared; `None`: nothing came
    /// of it.
    fn settle(&mut self, known: Option<bool>, out: &mut Out<'_>) -> io::Result<()> {
        let Some(outcome) = self.whole.take() else { return Ok(()) };
        let (paint, word) = match (known, outcome) {
            (Some(true), Outcome::Repaired) => (Paint::Yellow, "  repaired: runs\n"),
            (Some(true), _) => (Paint::Green, "  complete: runs\n"),
            (Some(false), _) => (Paint::Red, "  of no declared tool: never run\n"),
            (None, _) => (Paint::Red, "  gives no call: never run\n"),
        };
        self.write(paint, word, out)?;
        self.flush_notes(out)
    }

    fn flush_notes(&mut self, out: &mut Out<'_>) -> io::Result<()> {
        for note in std::mem::take(&mut self.notes) {
            self.line_start(out)?;
            self.write(Paint::Dim, &format!("  {note}\n"), out)?;
        }
        Ok(())
    }

    fn line_start(&mut self, out: &mut Out<'_>) -> io::Result<()> {
        if self.fresh { Ok(()) } else { self.write(Paint::Plain, "\n", out) }
    }

    fn write(&mut self, paint: Paint, text: &str, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(last) = text.chars().next_back() {
            self.fresh = last == '\n';
        }
        out.text(paint, text)
    }
}
