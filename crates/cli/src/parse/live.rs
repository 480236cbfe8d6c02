//! The live picture of a stream: reasoning dim, prose plain, calls as they grow.
//!
//! On a terminal with colours, what the decoder holds back as it may begin a marker stands dim after the
//! cursor until it is known what it is. It is drawn on one line and taken away before anything else is
//! written; elsewhere nothing of it is seen, and no code moves a cursor.

use std::io;

use toolweir::{Event, Kind, Outcome};

use super::shown::View;

use crate::term::{Out, Paint, one_line};

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
    /// What was noted while a segment was open; shown after it.
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

/// So many characters of what is held back are shown.
const MOST_HELD: usize = 60;

/// Shows events as they come, and what is held back.
pub(crate) struct LiveView {
    live: Live,
    held: Held,
    /// Whether what is held back stands after the cursor.
    drawn: bool,
}

impl LiveView {
    /// Nothing shown yet.
    pub(crate) fn new() -> Self {
        Self { live: Live::new(), held: Held::default(), drawn: false }
    }
}

impl View for LiveView {
    fn reads(&mut self, text: &str) {
        self.held.recent.push_str(text);
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        if std::mem::take(&mut self.drawn) {
            out.ours(Paint::Plain, "\x1b[J")?;
        }
        self.held.event(event);
        self.live.show(event, out)
    }

    fn chunk_end(&mut self, out: &mut Out<'_>) -> io::Result<()> {
        self.held.settle();
        if std::mem::take(&mut self.drawn) {
            out.ours(Paint::Plain, "\x1b[J")?;
        }
        if self.held.recent.is_empty() || !out.look.colour {
            return Ok(());
        }
        let shown: String = self.held.recent.chars().take(MOST_HELD).collect();
        // Remembers the cursor, and does not wrap: a line that scrolled would move what is remembered.
        out.ours(Paint::Plain, "\x1b7\x1b[?7l")?;
        out.ours(Paint::Dim, &one_line(&shown))?;
        out.ours(Paint::Plain, "\x1b[?7h\x1b8")?;
        self.drawn = true;
        out.flush()
    }

    fn places_in_text(&self) -> bool {
        true
    }
}

/// What was read and has not come out.
#[derive(Default)]
struct Held {
    recent: String,
    /// Where `recent` begins.
    from: u64,
    /// What has come out ends here.
    at: u64,
    in_call: bool,
}

impl Held {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start { kind, span } => {
                self.at = span.end;
                self.in_call = kind.is_call();
            }
            Event::Delta(text) if !self.in_call => self.at += text.len() as u64,
            Event::Markup { span } => self.at = self.at.max(span.end),
            Event::End { span, .. } => {
                self.at = span.end;
                self.in_call = false;
            }
            _ => {}
        }
    }

    /// Forgets what has come out. Within a call that is all: its bytes are not told one by one.
    fn settle(&mut self) {
        let end = self.from + self.recent.len() as u64;
        let at = if self.in_call { end } else { self.at.max(self.from) };
        let out = usize::try_from(at - self.from).unwrap_or(usize::MAX);
        match self.recent.get(out..) {
            Some(rest) => self.recent = rest.to_owned(),
            None => self.recent.clear(),
        }
        self.from = at;
    }
}

#[cfg(test)]
mod tests {
    use toolweir::{Registry, Request, StreamEnd, protocols::Chunk};

    use super::*;
    use crate::term::Look;

    /// What a terminal gets for each chunk.
    fn drawn(chunks: &[&str], look: Look) -> Vec<String> {
        let mut request = Request::default();
        request.emit.markup = true;
        let registry = Registry::builtin();
        let mut decoder = registry.get("hermes").unwrap().decoder(&request).unwrap();
        let mut view = LiveView::new();
        let mut all = Vec::new();
        for chunk in chunks.iter().map(Some).chain([None]) {
            let mut bytes = Vec::new();
            let mut out = Out::new(&mut bytes, look);
            if let Some(chunk) = chunk {
                view.reads(chunk);
            }
            let mut sink = |event: Event<'_>| view.event(&event, &mut out).unwrap();
            match chunk {
                Some(chunk) => decoder.push(Chunk::text(chunk), &mut sink),
                None => decoder.finish(StreamEnd::Stop, &mut sink),
            }
            view.chunk_end(&mut out).unwrap();
            all.push(String::from_utf8(bytes).unwrap());
        }
        all
    }

    const CHUNKS: [&str; 5] =
        ["Hi <tool_", "box> a<too", "l_call>{\"name\": \"dice\"", "}</tool", "_call> bye <thi"];

    #[test]
    fn what_is_held_back_is_dim_and_taken_away() {
        let held = |text: &str| format!("\x1b7\x1b[?7l\x1b[2m{text}\x1b[0m\x1b[?7h\x1b8");
        let drawn = drawn(&CHUNKS, Look { terminal: true, colour: true });
        assert_eq!(drawn[0], format!("Hi {}", held("<tool_")));
        assert_eq!(drawn[1], format!("\x1b[J<tool_box> a{}", held("<too")));
        assert!(drawn[2].starts_with("\x1b[J") && !drawn[2].contains("\x1b7"), "{:?}", drawn[2]);
        // Within a call nothing is told byte by byte.
        assert_eq!(drawn[3], "");
        assert!(drawn[4].ends_with(&held("<thi")), "{:?}", drawn[4]);
        assert!(
            drawn[5].starts_with("\x1b[J<thi") && !drawn[5].contains("\x1b7"),
            "{:?}",
            drawn[5]
        );
    }

    #[test]
    fn without_colours_no_code_moves_a_cursor() {
        for look in [Look::default(), Look { terminal: true, colour: false }] {
            let drawn = drawn(&CHUNKS, look).concat();
            assert!(!drawn.contains('\x1b'), "{drawn:?}");
            assert!(drawn.starts_with("Hi <tool_box> a"), "{drawn:?}");
        }
    }
}
