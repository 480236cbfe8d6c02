//! One choice of an answer: what its events become on the client's wire.

use std::sync::{Arc, Mutex, PoisonError};

use toolweir_adapters::{
    Envelope, Failure, Project, SseItem, WireIds, WireWriter, json_line, sse_frame,
};
use toolweir_segments::{Event, EventSink, StreamEnd};

use super::whole::Whole;

/// A writer with its type forgotten.
pub(super) trait Writer: EventSink + Send {
    fn begin(&mut self);
    /// Items that are joined within one chunk go out.
    fn chunk_end(&mut self);
    fn envelope(&mut self) -> &mut Envelope;
    fn ends_with(&mut self, end: StreamEnd);
    /// What was written since the last time.
    fn take(&mut self, out: &mut String);
    /// Why the reply is an error, for replies that are one item.
    fn failure_status(&self) -> Option<u16>;
}

#[derive(Debug, Default)]
struct Written {
    text: String,
    status: Option<u16>,
}

/// Ids of calls that no other answer has.
pub(crate) type UniqueId = Box<dyn FnMut() -> String + Send>;

struct Lane<P, F> {
    project: Project<P, WireIds<UniqueId>, F>,
    written: Arc<Mutex<Written>>,
}

/// A writer of frames.
pub(super) fn frames<P>(writer: P, ids: WireIds<UniqueId>) -> Box<dyn Writer>
where
    P: WireWriter + Send + 'static,
    P::Item: SseItem,
{
    let written = Arc::new(Mutex::new(Written::default()));
    let into = Arc::clone(&written);
    let out = move |item: P::Item| {
        let mut written = into.lock().unwrap_or_else(PoisonError::into_inner);
        // The types of the writers never fail.
        let _ = sse_frame(&item, &mut written.text);
    };
    Box::new(Lane { project: Project::new(writer, ids, out), written })
}

/// A writer of one document.
pub(super) fn document<P>(writer: P, ids: WireIds<UniqueId>) -> Box<dyn Writer>
where
    P: WireWriter + Send + 'static,
    P::Item: Whole,
{
    let written = Arc::new(Mutex::new(Written::default()));
    let into = Arc::clone(&written);
    let out = move |item: P::Item| {
        let mut written = into.lock().unwrap_or_else(PoisonError::into_inner);
        written.status = item.failure_status();
        let _ = json_line(&item, &mut written.text);
    };
    Box::new(Lane { project: Project::new(writer, ids, out), written })
}

impl<P: WireWriter, F: FnMut(P::Item)> EventSink for Lane<P, F> {
    fn event(&mut self, event: Event<'_>) {
        self.project.event(event);
    }
}

impl<P: WireWriter + Send, F: FnMut(P::Item) + Send> Writer for Lane<P, F> {
    fn begin(&mut self) {
        self.project.step(|writer, out| writer.begin(out));
    }

    fn chunk_end(&mut self) {
        self.project.chunk_end();
    }

    fn envelope(&mut self) -> &mut Envelope {
        self.project.projection_mut().envelope_mut()
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.project.ends_with(end);
    }

    fn take(&mut self, out: &mut String) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if out.is_empty() {
            std::mem::swap(out, &mut written.text);
        } else {
            out.push_str(&written.text);
            written.text.clear();
        }
    }

    fn failure_status(&self) -> Option<u16> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).status
    }
}

/// What somebody who looks on sees of a choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tapped {
    Event(Event<'static>),
    Ends(StreamEnd),
}

/// Keeps what a choice says, for somebody who looks on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tap(Arc<Mutex<Vec<Tapped>>>);

impl Tap {
    /// What was said since the last time.
    pub(crate) fn take(&self) -> Vec<Tapped> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, tapped: Tapped) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(tapped);
    }
}

/// A writer that somebody looks on.
pub(super) struct Watched {
    pub(super) writer: Box<dyn Writer>,
    pub(super) tap: Tap,
}

impl EventSink for Watched {
    fn event(&mut self, event: Event<'_>) {
        self.tap.keep(Tapped::Event(event.reborrow().into_owned()));
        self.writer.event(event);
    }
}

impl Writer for Watched {
    fn begin(&mut self) {
        self.writer.begin();
    }

    fn chunk_end(&mut self) {
        self.writer.chunk_end();
    }

    fn envelope(&mut self) -> &mut Envelope {
        self.writer.envelope()
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.tap.keep(Tapped::Ends(end));
        self.writer.ends_with(end);
    }

    fn take(&mut self, out: &mut String) {
        self.writer.take(out);
    }

    fn failure_status(&self) -> Option<u16> {
        self.writer.failure_status()
    }
}

/// Fills the failure of an answer that is one.
pub(super) fn fail(writer: &mut dyn Writer, failure: &Failure) {
    writer.envelope().failure = Some(failure.clone());
    writer.ends_with(StreamEnd::Aborted);
}
