//! Between the wire format and the caller: visible text goes through a second decoder.

use std::mem;
use std::sync::Arc;

use toolweir_protocols::diagnostics::{self, Code};
use toolweir_protocols::{Chunk, Decoder, Limits, Protocol, Request};
use toolweir_segments::{
    Diagnostic, Event, EventSink, Kind, Outcome, Reason, Severity, Span, StreamEnd,
};

use super::RECOVERED_CALL;

/// What happens to the events of the wire format.
pub(super) struct Front {
    bare: Arc<dyn Protocol>,
    request: Request,
    special_only: bool,
    /// The source says which text came from special tokens: a bare call did not.
    attributed: bool,
    /// The wire format has shown a call, or trouble.
    off: bool,
    text: Text,
    shared: Shared,
    /// Where the last segment of the wire format ended.
    ended: u64,
    end: StreamEnd,
}

/// What both decoders together may come to.
struct Shared {
    max_calls: usize,
    /// Calls recovered so far: those of the wire format are counted after them.
    recovered: u32,
    /// A call beyond the limit was reported.
    calls_reported: bool,
    /// Diagnostics that the second decoder may still give.
    notes: usize,
    notes_reported: bool,
}

impl Shared {
    fn new(limits: &Limits) -> Self {
        Self {
            max_calls: limits.max_calls,
            recovered: 0,
            calls_reported: false,
            notes: limits.max_diagnostics,
            notes_reported: false,
        }
    }

    /// Whether a call of that number may run.
    fn admits(&self, ordinal: u32) -> bool {
        usize::try_from(ordinal).is_ok_and(|ordinal| ordinal < self.max_calls)
    }

    /// Whether a diagnostic of the second decoder goes out.
    fn tells(&mut self, code: &str) -> bool {
        if code == diagnostics::LIMIT_DIAGNOSTICS.code {
            return !mem::replace(&mut self.notes_reported, true);
        }
        if code == diagnostics::LIMIT_CALLS.code {
            return !mem::replace(&mut self.calls_reported, true);
        }
        let left = self.notes > 0;
        self.notes = self.notes.saturating_sub(1);
        left
    }
}

/// The open text segment of the wire format.
enum Text {
    None,
    /// It is looked into.
    Read {
        decoder: Box<dyn Decoder>,
        seen: Seen,
    },
    /// It is passed on; what was shown of it began there.
    Pass {
        at: u64,
        start: Option<u64>,
    },
}

/// What the second decoder has shown of a text segment.
#[derive(Clone, Copy)]
struct Seen {
    /// Where the segment begins in the answer.
    base: u64,
    /// Bytes of it that were read.
    read: u64,
    /// Where the text that is open began.
    open: Option<u64>,
    /// The last segment, whole.
    last: Span,
}

impl Front {
    pub(super) fn new(bare: Arc<dyn Protocol>, request: Request, special_only: bool) -> Self {
        Self {
            bare,
            shared: Shared::new(&request.limits),
            request,
            special_only,
            attributed: false,
            off: false,
            text: Text::None,
            ended: 0,
            end: StreamEnd::Stop,
        }
    }

    /// A chunk is about to be read.
    pub(super) fn chunk(&mut self, chunk: Chunk<'_>) {
        self.attributed |= chunk.special.is_some();
    }

    /// The stream is about to end.
    pub(super) fn stream_end(&mut self, end: StreamEnd) {
        self.end = end;
    }

    /// Where the wire format's events go.
    pub(super) fn sink<'a>(&'a mut self, sink: &'a mut dyn EventSink) -> Through<'a> {
        Through { front: self, sink }
    }

    fn begin(&mut self, at: u64) -> Text {
        if self.off || (self.special_only && self.attributed) {
            return Text::Pass { at, start: None };
        }
        let mut request = self.request.clone();
        let recovered = usize::try_from(self.shared.recovered).unwrap_or(usize::MAX);
        request.limits.max_calls = request.limits.max_calls.saturating_sub(recovered);
        request.limits.max_diagnostics = self.shared.notes;
        match self.bare.decoder(&request) {
            Ok(decoder) => {
                let seen = Seen { base: at, read: 0, open: None, last: Span::empty(at) };
                Text::Read { decoder, seen }
            }
            Err(_) => Text::Pass { at, start: None },
        }
    }

    fn delta(&mut self, text: &str, sink: &mut dyn EventSink) {
        match mem::replace(&mut self.text, Text::None) {
            Text::Read { mut decoder, mut seen } => {
                seen.read += text.len() as u64;
                decoder.push(Chunk::text(text), &mut self.shift(&mut seen, false, sink));
                self.text = Text::Read { decoder, seen };
            }
            Text::Pass { at, start } => {
                if start.is_none() {
                    sink.event(Event::Start { kind: Kind::Text, span: Span::empty(at) });
                }
                sink.event(Event::Delta(text.into()));
                let end = at + text.len() as u64;
                self.text = Text::Pass { at: end, start: start.or(Some(at)) };
            }
            Text::None => sink.event(Event::Delta(text.into())),
        }
    }

    fn end(&mut self, outcome: Outcome, reason: Reason, sink: &mut dyn EventSink) {
        match mem::replace(&mut self.text, Text::None) {
            Text::Read { mut decoder, mut seen } => {
                decoder.finish(self.end, &mut self.shift(&mut seen, false, sink));
            }
            Text::Pass { at, start: Some(start) } => {
                sink.event(Event::End { outcome, reason, span: Span::new(start, at) });
            }
            Text::Pass { .. } | Text::None => {}
        }
    }

    /// From here on nothing is recovered; text that is open stays open.
    fn switch_off(&mut self, sink: &mut dyn EventSink) {
        self.off = true;
        let Text::Read { mut decoder, mut seen } = mem::replace(&mut self.text, Text::None) else {
            return;
        };
        decoder.finish(StreamEnd::Aborted, &mut self.shift(&mut seen, true, sink));
        self.text = Text::Pass { at: seen.base + seen.read, start: seen.open };
    }

    /// `stays`: text that is open is not ended.
    fn shift<'a>(
        &'a mut self,
        seen: &'a mut Seen,
        stays: bool,
        sink: &'a mut dyn EventSink,
    ) -> Shifted<'a> {
        let (shared, trusted) = (&mut self.shared, !self.attributed);
        Shifted { seen, stays, shared, trusted, sink }
    }
}

/// Takes the events of the wire format.
pub(super) struct Through<'a> {
    front: &'a mut Front,
    sink: &'a mut dyn EventSink,
}

impl EventSink for Through<'_> {
    fn event(&mut self, event: Event<'_>) {
        let Self { front, sink } = self;
        match event {
            Event::Start { kind: Kind::Text, span } => front.text = front.begin(span.start),
            Event::Delta(text) => front.delta(&text, *sink),
            Event::End { outcome, reason, .. } if !matches!(front.text, Text::None) => {
                front.end(outcome, reason, *sink);
            }
            Event::Start { kind: Kind::Call(class), span } => {
                front.off = true;
                sink.event(Event::Start { kind: Kind::Call(class), span });
            }
            Event::End { outcome, reason, span } => {
                front.ended = span.end;
                sink.event(Event::End { outcome, reason, span });
            }
            Event::Diagnostic(found) if found.code == diagnostics::LIMIT_CALLS.code => {
                front.switch_off(*sink);
                if front.shared.tells(found.code) {
                    sink.event(Event::Diagnostic(found));
                }
            }
            Event::Diagnostic(found) => {
                if found.severity == Severity::Error {
                    front.switch_off(*sink);
                }
                sink.event(Event::Diagnostic(found));
            }
            Event::Invocation(mut invocation) => {
                invocation.ordinal = invocation.ordinal.saturating_add(front.shared.recovered);
                if front.shared.admits(invocation.ordinal) {
                    return sink.event(Event::Invocation(invocation));
                }
                let Code { code, severity, .. } = diagnostics::LIMIT_CALLS;
                if front.shared.tells(code) {
                    let message =
                        "the turn has more calls than the limit; further ones are not run";
                    let span = Span::empty(front.ended);
                    sink.event(Event::Diagnostic(Diagnostic::new(code, severity, span, message)));
                }
            }
            other => sink.event(other),
        }
    }
}

/// Takes the events of the second decoder, whose positions count from the start of a text segment.
struct Shifted<'a> {
    seen: &'a mut Seen,
    stays: bool,
    shared: &'a mut Shared,
    trusted: bool,
    sink: &'a mut dyn EventSink,
}

impl Shifted<'_> {
    fn at(&self, span: Span) -> Span {
        span.shifted(self.seen.base)
    }
}

impl EventSink for Shifted<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind, span } => {
                let span = self.at(span);
                self.seen.open = (kind == Kind::Text).then_some(span.start);
                self.sink.event(Event::Start { kind, span });
            }
            Event::End { .. } if self.stays && self.seen.open.is_some() => {}
            Event::End { outcome, reason, span } => {
                let span = self.at(span);
                (self.seen.open, self.seen.last) = (None, span);
                self.sink.event(Event::End { outcome, reason, span });
            }
            Event::Markup { span } => self.sink.event(Event::Markup { span: self.at(span) }),
            Event::Diagnostic(mut found) => {
                found.span = self.at(found.span);
                if self.shared.tells(found.code) {
                    self.sink.event(Event::Diagnostic(found));
                }
            }
            Event::Invocation(mut invocation) => {
                invocation.ordinal = self.shared.recovered;
                self.shared.recovered = self.shared.recovered.saturating_add(1);
                invocation.trusted &= self.trusted;
                self.sink.event(Event::Invocation(invocation));
                let message = "a call was written as plain JSON; it was taken as one";
                let (span, severity) = (self.seen.last, Severity::Warning);
                let found = Diagnostic::new(RECOVERED_CALL, severity, span, message);
                self.sink.event(Event::Diagnostic(found));
            }
            Event::Finish => {}
            other => self.sink.event(other),
        }
    }
}
