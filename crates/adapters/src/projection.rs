//! What every projection is, and the sink that feeds one.

use toolweir_segments::{Event, EventSink, IdGenerator, Numbered, NumberedSink, StreamEnd};

/// Gives the items of one outside shape while events come.
pub trait Projection {
    /// One item of the shape.
    type Item;

    /// Takes one event; `id` is the id of its segment, `None` outside segments.
    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(Self::Item));

    /// A chunk has been read. Items that are joined within one chunk go out here.
    fn chunk_end(&mut self, _out: &mut dyn FnMut(Self::Item)) {}

    /// Why the stream ends; said before the decoder is finished. Default: it stopped by itself.
    fn ends_with(&mut self, _end: StreamEnd) {}
}

/// A sink that numbers segments, projects their events and hands every item to a closure.
///
/// ```
/// use toolweir_adapters::{AiSdk, Project};
/// use toolweir_segments::{Counter, Event, EventSink, Kind, Span, StreamEnd};
///
/// let mut parts = Vec::new();
/// let mut sink = Project::new(AiSdk::default(), Counter::default(), |part| parts.push(part));
/// sink.event(Event::Start { kind: Kind::Text, span: Span::empty(0) });
/// sink.event(Event::Delta("Hello".into()));
/// sink.chunk_end();
/// sink.ends_with(StreamEnd::Stop);
/// let json = serde_json::to_string(&parts[2]).unwrap();
/// assert_eq!(json, r#"{"type":"text-delta","id":"seg_1","delta":"Hello"}"#);
/// ```
#[derive(Debug)]
pub struct Project<P, G, F> {
    inner: Numbered<Inner<P, F>, G>,
}

#[derive(Debug)]
struct Inner<P, F> {
    projection: P,
    out: F,
}

impl<P: Projection, F: FnMut(P::Item)> NumberedSink for Inner<P, F> {
    fn event(&mut self, id: Option<&str>, event: Event<'_>) {
        self.projection.event(id, &event, &mut self.out);
    }
}

impl<P: Projection, G: IdGenerator, F: FnMut(P::Item)> Project<P, G, F> {
    /// Hands the items of `projection` to `out`; segments get their ids from `ids`.
    pub fn new(projection: P, ids: G, out: F) -> Self {
        Self { inner: Numbered::new(Inner { projection, out }, ids) }
    }

    /// To be called after each `push` of the decoder.
    pub fn chunk_end(&mut self) {
        let Inner { projection, out } = self.inner.inner_mut();
        projection.chunk_end(out);
    }

    /// The projection, for what it can be told beside events.
    pub fn projection_mut(&mut self) -> &mut P {
        &mut self.inner.inner_mut().projection
    }

    /// Runs a step of the projection that may give items.
    pub fn step(&mut self, step: impl FnOnce(&mut P, &mut dyn FnMut(P::Item))) {
        let Inner { projection, out } = self.inner.inner_mut();
        step(projection, out);
    }

    /// To be called before the decoder is finished.
    pub fn ends_with(&mut self, end: StreamEnd) {
        self.inner.inner_mut().projection.ends_with(end);
    }
}

impl<P: Projection, G: IdGenerator, F: FnMut(P::Item)> EventSink for Project<P, G, F> {
    fn event(&mut self, event: Event<'_>) {
        self.inner.event(event);
    }
}

impl<P: Projection, G: IdGenerator, F: FnMut(P::Item)> EventSink for &mut Project<P, G, F> {
    fn event(&mut self, event: Event<'_>) {
        self.inner.event(event);
    }
}
