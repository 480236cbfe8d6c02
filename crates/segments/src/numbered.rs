//! Ids at the edge: the events themselves carry none, so decoders need neither randomness nor a
//! counter that survives them.

use alloc::format;
use alloc::string::String;

use crate::{Event, EventSink, Kind};

/// Makes the ids of segments. Closures from `&Kind` to `String` are generators.
pub trait IdGenerator {
    /// The id of the next segment, which is of that kind.
    fn next_id(&mut self, kind: &Kind) -> String;
}

impl<F: FnMut(&Kind) -> String> IdGenerator for F {
    fn next_id(&mut self, kind: &Kind) -> String {
        self(kind)
    }
}

/// The default generator: a prefix and a number that counts from 1.
///
/// ```
/// use toolweir_segments::{Counter, IdGenerator, Kind};
///
/// let mut ids = Counter::default();
/// assert_eq!(ids.next_id(&Kind::Text), "seg_1");
/// assert_eq!(ids.next_id(&Kind::Text), "seg_2");
/// assert_eq!(Counter::new("turn7:seg_").next_id(&Kind::Text), "turn7:seg_1");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// What stands before the number.
    pub prefix: String,
    last: u64,
}

impl Counter {
    /// A counter with that prefix.
    #[must_use]
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), last: 0 }
    }
}

/// The prefix `seg_`.
impl Default for Counter {
    fn default() -> Self {
        Self::new("seg_")
    }
}

impl IdGenerator for Counter {
    fn next_id(&mut self, _kind: &Kind) -> String {
        self.last = self.last.saturating_add(1);
        format!("{}{}", self.prefix, self.last)
    }
}

/// Takes events together with the id of the segment they belong to. Closures are sinks.
pub trait NumberedSink {
    /// Takes one event; `id` is `None` for what belongs to no segment.
    fn event(&mut self, id: Option<&str>, event: Event<'_>);
}

impl<F: FnMut(Option<&str>, Event<'_>)> NumberedSink for F {
    fn event(&mut self, id: Option<&str>, event: Event<'_>) {
        self(id, event);
    }
}

/// Gives every segment an id and hands the events on with it.
///
/// All events from `Start` to `End` carry the id, a `Diagnostic` between them too. The `Invocation`
/// after a segment has the id of the segment; further invocations of the same segment have the id
/// with `.1`, `.2` and so on. What stands outside every segment has none.
///
/// ```
/// use toolweir_segments::{Counter, Event, EventSink, Kind, Numbered, Span};
///
/// let mut seen = Vec::new();
/// let mut sink = Numbered::new(
///     |id: Option<&str>, _: Event<'_>| seen.push(id.map(str::to_owned)),
///     Counter::default(),
/// );
/// sink.event(Event::Start { kind: Kind::Text, span: Span::empty(0) });
/// sink.event(Event::Delta("Hello".into()));
/// assert_eq!(seen, [Some("seg_1".to_owned()), Some("seg_1".to_owned())]);
/// ```
#[derive(Clone, Debug)]
pub struct Numbered<S, G = Counter> {
    inner: S,
    ids: G,
    id: String,
    open: bool,
    /// Invocations of the last segment so far; `None` before the first segment.
    invocations: Option<u64>,
}

impl<S: NumberedSink, G: IdGenerator> Numbered<S, G> {
    /// Hands events on to `inner` with ids from `ids`.
    pub const fn new(inner: S, ids: G) -> Self {
        Self { inner, ids, id: String::new(), open: false, invocations: None }
    }

    /// The inner sink.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    /// The inner sink, to change: it may have more to be told than events.
    pub const fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Gives the inner sink and the generator back.
    pub fn into_parts(self) -> (S, G) {
        (self.inner, self.ids)
    }

    fn invocation(&mut self, event: Event<'_>) {
        match self.invocations {
            None => self.inner.event(None, event),
            Some(0) => self.inner.event(Some(&self.id), event),
            Some(number) => self.inner.event(Some(&format!("{}.{number}", self.id)), event),
        }
        self.invocations = self.invocations.map(|number| number.saturating_add(1));
    }
}

impl<S: NumberedSink, G: IdGenerator> EventSink for Numbered<S, G> {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Start { kind, .. } => {
                self.id = self.ids.next_id(kind);
                self.open = true;
                self.invocations = Some(0);
            }
            Event::Invocation(_) => return self.invocation(event),
            Event::Finish => self.open = false,
            _ => {}
        }
        let ends = matches!(event, Event::End { .. });
        self.inner.event(self.open.then_some(self.id.as_str()), event);
        if ends {
            self.open = false;
        }
    }
}
