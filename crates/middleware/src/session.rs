//! One answer of a model, while it arrives.

use toolweir_protocols::{Chunk, Decoder, ToolSet};
use toolweir_segments::{Event, EventSink, FinishReason, Fold, StreamEnd, Turn};

use crate::report::{Report, Watch, feedback};

/// Reads one answer. Made by [`Middleware::session`](crate::Middleware::session).
///
/// The events go to the caller's sink as they come; what the session knows beside them is asked for
/// at any time.
pub struct Session {
    decoder: Box<dyn Decoder>,
    watch: Watch,
    finished: Option<FinishReason>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { watch, finished, .. } = self;
        f.debug_struct("Session")
            .field("watch", watch)
            .field("finished", finished)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(decoder: Box<dyn Decoder>, keep_source: bool, tools: &ToolSet) -> Self {
        Self { decoder, watch: Watch::new(keep_source, tools), finished: None }
    }

    /// Takes the next text of the answer.
    pub fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        #[cfg(feature = "tracing")]
        tracing::trace!(target: "toolweir::stream", text = chunk.text, "chunk");
        if self.finished.is_none() {
            self.watch.chunk(chunk);
        }
        let (decoder, mut both) = (&mut self.decoder, Both { watch: &mut self.watch, sink });
        decoder.push(chunk, &mut both);
    }

    /// Ends the answer for the provider's reason; gives the reason as it is with the calls found in
    /// the text. The provider's own word stays the caller's.
    ///
    /// A second call gives the same reason and no event.
    pub fn finish(&mut self, reason: FinishReason, sink: &mut dyn EventSink) -> FinishReason {
        if let Some(known) = self.finished {
            return known;
        }
        self.end(reason.end(), sink);
        let reason = reason.with_calls(self.watch.calls > 0);
        self.finished = Some(reason);
        reason
    }

    /// Ends the answer because nobody waits for it any more: what is cut is never run.
    pub fn abort(&mut self, sink: &mut dyn EventSink) -> FinishReason {
        if let Some(known) = self.finished {
            return known;
        }
        self.end(StreamEnd::Aborted, sink);
        *self.finished.insert(FinishReason::Error)
    }

    fn end(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        let (decoder, mut both) = (&mut self.decoder, Both { watch: &mut self.watch, sink });
        decoder.finish(end, &mut both);
        #[cfg(feature = "tracing")]
        tracing::debug!(
            target: "toolweir::parse",
            calls = self.watch.calls,
            reports = self.watch.reports.len(),
            "answer"
        );
    }

    /// How many whole calls came so far, those of undeclared tools among them.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.watch.calls
    }

    /// What went wrong so far, in order.
    #[must_use]
    pub fn reports(&self) -> &[Report] {
        &self.watch.reports
    }

    /// Takes what went wrong since the last time.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.watch.reports)
    }
}

pub(crate) struct Both<'a> {
    pub(crate) watch: &'a mut Watch,
    pub(crate) sink: &'a mut dyn EventSink,
}

impl EventSink for Both<'_> {
    fn event(&mut self, event: Event<'_>) {
        #[cfg(feature = "tracing")]
        tell(&event);
        self.watch.event(&event);
        self.sink.event(event);
    }
}

/// The event as one of `tracing`: fragments at level trace, what settles something at level debug.
#[cfg(feature = "tracing")]
fn tell(event: &Event<'_>) {
    let line = || crate::debug::event_line(event);
    match event {
        Event::Delta(_) | Event::Args(_) | Event::Raw(_) | Event::Field { .. } => {
            tracing::trace!(target: "toolweir::stream", event = line(), "event");
        }
        _ => tracing::debug!(target: "toolweir::stream", event = line(), "event"),
    }
}

/// A whole answer, read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// Text, reasoning and calls.
    pub turn: Turn,
    /// Why it ended, with the calls found in the text.
    pub reason: FinishReason,
    /// What went wrong.
    pub reports: Vec<Report>,
}

impl Answer {
    /// What the model is told of calls that were not run; none where all ran.
    #[must_use]
    pub fn feedback(&self) -> Option<String> {
        feedback(&self.reports)
    }

    pub(crate) fn read(mut session: Session, text: &str, reason: FinishReason) -> Self {
        let mut fold = Fold::new();
        session.push(Chunk::text(text), &mut fold);
        let reason = session.finish(reason, &mut fold);
        Self { turn: fold.into_turn(), reason, reports: session.take_reports() }
    }
}
