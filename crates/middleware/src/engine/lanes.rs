//! Reasoning from a channel of its own, woven into the events of a text.
//!
//! | the text has open | reasoning comes | then |
//! | --- | --- | --- |
//! | nothing, or text | the text segment ends, a reasoning segment begins | more text begins a new segment |
//! | reasoning | it is more of the same | – |
//! | a call | it waits | it goes out after the call |
//!
//! Positions are bytes in what came through here, text and reasoning one after the other, in the order
//! they went out. What the decoder holds back, as it may begin a marker, stands after reasoning that
//! comes meanwhile.
//!
//! Laws: C9 (one segment at a time, none empty), C2 and C1 (spans come in order; where text is decoded
//! from JSON a cut goes where reading has come to).

use toolweir_protocols::diagnostics::LIMIT_HELD;
use toolweir_segments::{Diagnostic, Event, EventSink, Kind, Outcome, Reason, Severity, Span};

use crate::report::names_no_tool;

/// The state of both lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    /// The text is decoded from something longer.
    decoded: bool,
    /// Bytes of text that came in.
    pushed: u64,
    /// Bytes of reasoning that went out.
    shift: u64,
    /// What has gone out ends here.
    at: u64,
    /// What the decoder has open.
    inner: Open,
    /// What is open outside.
    outer: Open,
    /// Where the segment that is open outside began.
    start: u64,
    /// Segments so far.
    segments: u64,
    /// The number of the decoder's last one.
    inner_segment: u64,
    /// Reasoning that waits for the end of a call.
    waiting: String,
    limit: usize,
    over_limit: bool,
    places: Vec<Place>,
    /// The segment that ended last.
    ended: Span,
    /// A call whose source comes back as text: its error is told where its block ends.
    given_back: Option<Place>,
    /// Where a call of no declared tool is, whose report is made by the next event.
    undeclared: Option<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Text,
    Reasoning,
    Call,
}

/// Where trouble was, as it went out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) segment: u64,
    pub(super) span: Span,
}

/// The sink of the decoder.
pub(super) struct Woven<'a> {
    pub(super) lanes: &'a mut Lanes,
    pub(super) sink: &'a mut dyn EventSink,
}

impl Lanes {
    pub(super) fn new(decoded: bool, limit: usize) -> Self {
        Self {
            decoded,
            pushed: 0,
            shift: 0,
            at: 0,
            inner: Open::Nothing,
            outer: Open::Nothing,
            start: 0,
            segments: 0,
            inner_segment: 0,
            waiting: String::new(),
            limit,
            over_limit: false,
            places: Vec::new(),
            ended: Span::empty(0),
            given_back: None,
            undeclared: None,
        }
    }

    /// What has gone out ends here.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// So many bytes of text are about to be read.
    pub(super) fn content(&mut self, bytes: usize) {
        self.pushed += bytes as u64;
    }

    /// Reasoning of its own channel.
    pub(super) fn reasoning(&mut self, text: &str, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        if self.inner == Open::Call {
            return self.wait(text, sink);
        }
        if self.outer == Open::Text {
            if self.decoded {
                self.at = self.at.max(self.pushed + self.shift);
            }
            self.close(sink);
        }
        if self.outer == Open::Nothing {
            self.begin(Kind::Reasoning, sink);
        }
        sink.event(Event::Delta(text.into()));
        self.shift += text.len() as u64;
        self.at += text.len() as u64;
    }

    /// After a chunk: what waited for the end of a call goes out.
    pub(super) fn settle(&mut self, sink: &mut dyn EventSink) {
        if self.inner != Open::Call && !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            self.reasoning(&waiting, sink);
        }
    }

    /// Where trouble was since the last time.
    pub(super) fn take_places(&mut self) -> Vec<Place> {
        std::mem::take(&mut self.places)
    }

    fn wait(&mut self, text: &str, sink: &mut dyn EventSink) {
        if self.waiting.len() + text.len() <= self.limit {
            return self.waiting.push_str(text);
        }
        if !std::mem::replace(&mut self.over_limit, true) {
            let message = "too much reasoning waits after a call; the rest is left out";
            let span = Span::empty(self.at);
            let note = Diagnostic::new(LIMIT_HELD.code, Severity::Warning, span, message);
            sink.event(Event::Diagnostic(note));
        }
    }

    /// Begins a segment of ours, here.
    fn begin(&mut self, kind: Kind, sink: &mut dyn EventSink) {
        self.outer = if kind == Kind::Text { Open::Text } else { Open::Reasoning };
        self.start = self.at;
        self.segments += 1;
        sink.event(Event::Start { kind, span: Span::empty(self.at) });
    }

    /// Ends what is open outside, here. The decoder does not know of it.
    fn close(&mut self, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.outer, Open::Nothing) != Open::Nothing {
            let span = Span::new(self.start, self.at);
            sink.event(Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span });
        }
    }

    fn shifted(&self, span: Span) -> Span {
        span.shifted(self.shift)
    }

    /// A segment of the decoder begins.
    fn inner_start(&mut self, kind: Kind, span: Span, sink: &mut dyn EventSink) {
        self.settle(sink);
        self.close(sink);
        let span = self.shifted(span);
        // After a cut in decoded text nothing begins before it.
        let span = Span::new(span.start.max(self.at), span.end.max(self.at));
        self.inner = match kind {
            Kind::Text => Open::Text,
            Kind::Reasoning => Open::Reasoning,
            Kind::Call(_) => Open::Call,
        };
        self.outer = self.inner;
        self.start = span.start;
        if self.inner != Open::Call {
            // A call's source may be given back: its bytes are settled at its end.
            self.at = span.end;
        }
        self.segments += 1;
        self.inner_segment = self.segments;
        if self.inner != Open::Text {
            self.given_back = None;
        }
        sink.event(Event::Start { kind, span });
    }

    /// More of the text or the reasoning that the decoder has open.
    fn inner_delta(&mut self, event: Event<'_>, length: usize, sink: &mut dyn EventSink) {
        if self.inner == Open::Text && self.outer != Open::Text {
            self.close(sink);
            self.begin(Kind::Text, sink);
        }
        if !self.decoded && self.inner != Open::Call {
            self.at += length as u64;
        }
        sink.event(event);
    }

    /// The decoder's segment ends.
    fn inner_end(
        &mut self,
        outcome: Outcome,
        reason: Reason,
        span: Span,
        sink: &mut dyn EventSink,
    ) {
        let inner = std::mem::replace(&mut self.inner, Open::Nothing);
        if self.outer != inner {
            // Text that reasoning has cut, and of which nothing more came.
            return;
        }
        self.outer = Open::Nothing;
        let span = if span.is_empty() {
            Span::empty((span.start + self.shift).max(self.start))
        } else {
            Span::new(self.start, (span.end + self.shift).max(self.at))
        };
        self.at = span.end;
        self.ended = span;
        if inner == Open::Call && !outcome.is_runnable() && span.is_empty() {
            self.given_back = Some(Place { segment: self.inner_segment, span });
        }
        sink.event(Event::End { outcome, reason, span });
    }
}

impl EventSink for Woven<'_> {
    fn event(&mut self, event: Event<'_>) {
        let Self { lanes, sink } = self;
        // What names no tool at all has a report of its own.
        if let Some(place) = lanes.undeclared.take().filter(|_| !names_no_tool(&event)) {
            lanes.places.push(place);
        }
        match event {
            Event::Start { kind, span } => lanes.inner_start(kind, span, *sink),
            Event::Delta(ref text) => {
                let length = text.len();
                lanes.inner_delta(event, length, *sink);
            }
            Event::End { outcome, reason, span } => lanes.inner_end(outcome, reason, span, *sink),
            Event::Markup { span } => {
                lanes.settle(*sink);
                lanes.close(*sink);
                let span = lanes.shifted(span);
                lanes.at = lanes.at.max(span.end);
                sink.event(Event::Markup { span });
            }
            Event::Diagnostic(mut found) => {
                found.span = lanes.shifted(found.span);
                if found.severity == Severity::Error {
                    let start = found.span.start;
                    let back = lanes.given_back.take_if(|place| place.span.start == start);
                    let segment = back.map_or(lanes.inner_segment, |place| place.segment);
                    lanes.places.push(Place { segment, span: found.span });
                }
                sink.event(Event::Diagnostic(found));
            }
            Event::Invocation(call) => {
                if !call.known {
                    let (segment, span) = (lanes.inner_segment, lanes.ended);
                    lanes.undeclared = Some(Place { segment, span });
                }
                sink.event(Event::Invocation(call));
            }
            Event::Finish => {
                lanes.settle(*sink);
                lanes.close(*sink);
                sink.event(Event::Finish);
            }
            other => sink.event(other),
        }
    }
}
