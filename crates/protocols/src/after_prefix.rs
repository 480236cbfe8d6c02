//! Decoders by hand after what the prompt or the server has written of the message.
//!
//! Such a decoder reads from the beginning of a message. It is given the prefix as its first chunk, and this
//! stands between it and the sink: text and reasoning of the prefix are not shown, calls that began in it
//! are, whole, and spans count from the beginning of the stream. (The engine does the same in its output.)
//!
//! Law kept here: C1, for the part of each span that is of the stream.

use toolweir_segments::{Diagnostic, Event, EventSink, Kind, Outcome, Reason, Span, StreamEnd};

use crate::decoder::{Chunk, Decoder};
use crate::error::RequestError;
use crate::request::Request;

/// The decoder that `make` makes, after the prefix of the request.
pub(crate) fn after_prefix(
    request: &Request,
    make: impl FnOnce(&Request) -> Result<Box<dyn Decoder>, RequestError>,
) -> Result<Box<dyn Decoder>, RequestError> {
    if request.prefix.is_empty() {
        return make(request);
    }
    let own = Request { prefix: String::new(), ..request.clone() };
    Ok(Box::new(AfterPrefix {
        inner: make(&own)?,
        prefix: Some(request.prefix.clone()),
        shift: Shift {
            prefix: request.prefix.len() as u64,
            markup: request.emit.markup,
            open: None,
        },
    }))
}

struct AfterPrefix {
    inner: Box<dyn Decoder>,
    /// Until it has been read.
    prefix: Option<String>,
    shift: Shift,
}

impl AfterPrefix {
    fn read_prefix(&mut self, sink: &mut dyn EventSink) {
        if let Some(prefix) = self.prefix.take() {
            let mut sink = Shifted { shift: &mut self.shift, sink };
            self.inner.push(Chunk::text(&prefix), &mut sink);
        }
    }
}

impl Decoder for AfterPrefix {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        self.read_prefix(sink);
        self.inner.push(chunk, &mut Shifted { shift: &mut self.shift, sink });
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        self.read_prefix(sink);
        self.inner.finish(end, &mut Shifted { shift: &mut self.shift, sink });
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.inner.examined()
    }
}

/// Where the prefix ends, and the segment of text or reasoning that is open.
struct Shift {
    /// Bytes before the stream.
    prefix: u64,
    /// Markup is told.
    markup: bool,
    open: Option<Segment>,
}

struct Segment {
    kind: Kind,
    /// Offset of its next byte, prefix included.
    at: u64,
    /// Its beginning has been told.
    shown: bool,
}

impl Shift {
    fn span(&self, span: Span) -> Span {
        let shifted = |at: u64| at.saturating_sub(self.prefix);
        Span::new(shifted(span.start), shifted(span.end))
    }
}

struct Shifted<'a> {
    shift: &'a mut Shift,
    sink: &'a mut dyn EventSink,
}

impl Shifted<'_> {
    fn start(&mut self, kind: Kind, span: Span) {
        let segment = matches!(kind, Kind::Text | Kind::Reasoning);
        let shown = !segment || span.start >= self.shift.prefix || span.end > self.shift.prefix;
        if segment {
            self.shift.open = Some(Segment { kind: kind.clone(), at: span.end, shown });
        }
        if shown {
            let span = self.shift.span(span);
            self.sink.event(Event::Start { kind, span });
        }
    }

    fn text(&mut self, text: &str) {
        let Some(segment) = &mut self.shift.open else {
            return self.sink.event(Event::Delta(text.into()));
        };
        let before = self.shift.prefix.saturating_sub(segment.at);
        segment.at += text.len() as u64;
        let before = usize::try_from(before).unwrap_or(usize::MAX).min(text.len());
        let Some(rest) = text.get(before..).filter(|rest| !rest.is_empty()) else { return };
        if !std::mem::replace(&mut segment.shown, true) {
            let kind = segment.kind.clone();
            self.sink.event(Event::Start { kind, span: Span::empty(0) });
        }
        self.sink.event(Event::Delta(rest.into()));
    }

    fn end(&mut self, outcome: Outcome, reason: Reason, span: Span) {
        let span = self.shift.span(span);
        match self.shift.open.take() {
            Some(Segment { shown: false, .. }) => self.markup(span),
            _ => self.sink.event(Event::End { outcome, reason, span }),
        }
    }

    fn markup(&mut self, span: Span) {
        if self.shift.markup && span.start < span.end {
            self.sink.event(Event::Markup { span });
        }
    }
}

impl EventSink for Shifted<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind, span } => self.start(kind, span),
            Event::Delta(text) => self.text(&text),
            Event::End { outcome, reason, span } => self.end(outcome, reason, span),
            Event::Markup { span } => self.markup(self.shift.span(span)),
            Event::Diagnostic(note) => {
                let span = self.shift.span(note.span);
                self.sink.event(Event::Diagnostic(Diagnostic { span, ..note }));
            }
            other => self.sink.event(other),
        }
    }
}
