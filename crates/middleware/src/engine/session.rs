//! One answer, read from the chunks of its provider.

use toolweir_protocols::segments::NativeCalls;
use toolweir_protocols::{Chunk, Protocol, Request};
use toolweir_segments::{EventSink, FinishReason, Span, StreamEnd};

use super::ModelChunk;
use super::lanes::{Lanes, Woven};
use crate::error::SessionError;
use crate::middleware::Middleware;
use crate::prepare::Prepared;
use crate::report::{Report, Watch};
use crate::session::{Both, Session};

/// Reads one answer. Made by [`Engine::session`](super::Engine::session), or for an engine of one's
/// own by [`through`](Self::through), [`decoding`](Self::decoding) and [`native`](Self::native).
#[derive(Debug)]
pub struct EngineSession {
    reader: Reader,
    /// The reason the provider gave.
    given: Option<FinishReason>,
    finished: Option<FinishReason>,
}

#[derive(Debug)]
enum Reader {
    Text(Box<TextReader>),
    Native(Box<NativeReader>),
}

impl EngineSession {
    /// Calls in the text, read by that middleware.
    ///
    /// # Errors
    /// As [`Middleware::session`].
    pub fn through(middleware: &Middleware, prepared: &Prepared) -> Result<Self, SessionError> {
        let decodes = middleware.protocol().decodes_text(&prepared.request);
        Ok(Self::text(middleware.session(prepared)?, decodes, &prepared.request))
    }

    /// Calls in the text, read in that wire format, without a middleware.
    ///
    /// # Errors
    /// [`SessionError`]: a setting of the request does not suit the format.
    pub fn decoding(protocol: &dyn Protocol, request: &Request) -> Result<Self, SessionError> {
        let session = Session::new(protocol.decoder(request)?, false, &request.tools);
        Ok(Self::text(session, protocol.decodes_text(request), request))
    }

    pub(super) fn text(session: Session, decodes: bool, request: &Request) -> Self {
        let lanes = Lanes::new(decodes, request.limits.max_held_bytes);
        let text = TextReader { session, lanes, reports: Vec::new(), native: false };
        Self::of(Reader::Text(Box::new(text)))
    }

    /// Calls in parts of their own.
    #[must_use]
    pub fn native(request: &Request) -> Self {
        let calls = NativeCalls::new(None, request);
        Self::of(Reader::Native(Box::new(NativeReader {
            calls,
            watch: Watch::new(false, &request.tools),
        })))
    }

    fn of(reader: Reader) -> Self {
        Self { reader, given: None, finished: None }
    }

    /// Takes the next chunk. What comes after the end is not read.
    pub fn push(&mut self, chunk: &ModelChunk<'_>, sink: &mut dyn EventSink) {
        if self.finished.is_some() {
            return;
        }
        match &mut self.reader {
            Reader::Text(text) => text.push(chunk, sink),
            Reader::Native(native) => native.push(chunk, sink),
        }
        self.given = self.given.or(chunk.finish);
    }

    /// Ends the answer for the reason that came with its chunks, or as a stop where none came; gives
    /// the reason as it is with the calls that were found. A caller who lost the connection calls
    /// [`abort`](Self::abort).
    ///
    /// A second call gives the same reason and no event.
    pub fn finish(&mut self, sink: &mut dyn EventSink) -> FinishReason {
        let given = self.given.unwrap_or_default();
        self.end(sink, |reader, sink| match reader {
            Reader::Text(text) => text.end(sink, |session, sink| session.finish(given, sink)),
            Reader::Native(native) => native.end(given, sink),
        })
    }

    /// Ends the answer because its connection broke or nobody waits for it: what is cut is never run.
    pub fn abort(&mut self, sink: &mut dyn EventSink) -> FinishReason {
        self.end(sink, |reader, sink| match reader {
            Reader::Text(text) => text.end(sink, Session::abort),
            Reader::Native(native) => native.end(FinishReason::Error, sink),
        })
    }

    fn end(
        &mut self,
        sink: &mut dyn EventSink,
        end: impl FnOnce(&mut Reader, &mut dyn EventSink) -> FinishReason,
    ) -> FinishReason {
        match self.finished {
            Some(known) => known,
            None => *self.finished.insert(end(&mut self.reader, sink)),
        }
    }

    /// The reason that came with the chunks so far. A projection is told of it before the end.
    #[must_use]
    pub const fn given(&self) -> Option<FinishReason> {
        self.given
    }

    /// How many calls may run so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        match &self.reader {
            Reader::Text(text) => text.session.calls(),
            Reader::Native(native) => native.watch.calls,
        }
    }

    /// Takes what went wrong since the last time.
    pub fn take_reports(&mut self) -> Vec<Report> {
        match &mut self.reader {
            Reader::Text(text) => std::mem::take(&mut text.reports),
            Reader::Native(native) => std::mem::take(&mut native.watch.reports),
        }
    }
}

#[derive(Debug)]
struct TextReader {
    session: Session,
    lanes: Lanes,
    reports: Vec<Report>,
    /// Parts of native calls came, which nobody asked for.
    native: bool,
}

impl TextReader {
    fn push(&mut self, chunk: &ModelChunk<'_>, sink: &mut dyn EventSink) {
        self.lanes.reasoning(chunk.reasoning, sink);
        if !chunk.content.is_empty() {
            self.lanes.content(chunk.content.len());
            let mut woven = Woven { lanes: &mut self.lanes, sink };
            self.session.push(Chunk::text(chunk.content), &mut woven);
            self.lanes.settle(sink);
            self.collect();
        }
        if !chunk.calls.is_empty() && !std::mem::replace(&mut self.native, true) {
            self.reports.push(unasked(self.lanes.at()));
        }
    }

    fn end(
        &mut self,
        sink: &mut dyn EventSink,
        end: impl FnOnce(&mut Session, &mut dyn EventSink) -> FinishReason,
    ) -> FinishReason {
        let reason = end(&mut self.session, &mut Woven { lanes: &mut self.lanes, sink });
        self.collect();
        reason
    }

    /// The reports of the session, in the numbers and places of what went out.
    fn collect(&mut self) {
        if self.session.reports().is_empty() {
            return;
        }
        let reports = self.session.take_reports().into_iter().zip(self.lanes.take_places());
        self.reports.extend(reports.map(|(report, place)| Report {
            segment: report.segment.map(|_| place.segment),
            span: place.span,
            ..report
        }));
    }
}

/// The code of the report that native calls came although calls were asked for as text.
pub const UNREAD_CALLS: &str = "middleware::unread-calls";

/// The provider parsed calls by itself.
fn unasked(at: u64) -> Report {
    let message = "native tool calls came beside calls in text; they are not read";
    Report::other(UNREAD_CALLS, message, Span::empty(at))
}

#[derive(Debug)]
struct NativeReader {
    calls: NativeCalls,
    watch: Watch,
}

impl NativeReader {
    fn push(&mut self, chunk: &ModelChunk<'_>, sink: &mut dyn EventSink) {
        let mut both = Both { watch: &mut self.watch, sink };
        if !chunk.reasoning.is_empty() {
            self.calls.reasoning(chunk.reasoning, &mut both);
        }
        if !chunk.content.is_empty() {
            self.calls.text(chunk.content, &mut both);
        }
        for delta in chunk.calls {
            self.calls.call(*delta, &mut both);
        }
    }

    fn end(&mut self, reason: FinishReason, sink: &mut dyn EventSink) -> FinishReason {
        let end: StreamEnd = reason.end();
        self.calls.finish(end, &mut Both { watch: &mut self.watch, sink });
        reason.with_calls(self.watch.calls > 0)
    }
}
