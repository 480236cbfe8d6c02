//! Where events go: a one-method trait, implemented for closures, vectors and the sinks of this
//! crate.
//!
//! A blanket implementation for closures already covers `&mut closure`, so the language allows no
//! blanket one for `&mut S` beside it. `&mut` of every sink of this crate, of `Vec<Event<'static>>`
//! and of `dyn EventSink` is a sink; generic code with some `S: EventSink` lends it on as
//! `&mut dyn EventSink`.

use alloc::vec::Vec;

use crate::{Check, Coalesce, Collect, Event, Fold, IdGenerator, Listing, Numbered, NumberedSink};

/// Takes events, one at a time, in the order of the bytes that caused them (C2).
///
/// Closures are sinks; write the argument's type, so that it holds for every lifetime:
///
/// ```
/// use toolweir_segments::{Event, EventSink};
///
/// let mut text = String::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Delta(delta) = event {
///         text.push_str(&delta);
///     }
/// };
/// sink.event(Event::Delta("Hel".into()));
/// sink.event(Event::Delta("lo".into()));
/// assert_eq!(text, "Hello");
/// ```
pub trait EventSink {
    /// Takes one event.
    fn event(&mut self, event: Event<'_>);
}

impl<F: FnMut(Event<'_>)> EventSink for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}

/// Keeps every event, owned.
impl EventSink for Vec<Event<'static>> {
    fn event(&mut self, event: Event<'_>) {
        self.push(event.into_owned());
    }
}

/// Gives every event to both sinks, to the first one first. Allocates nothing.
///
/// ```
/// use toolweir_segments::{Event, EventSink, Fold, Listing, Tee};
///
/// let mut tee = Tee(Fold::new(), Listing::new());
/// tee.event(Event::Finish);
/// assert!(tee.0.turn().finished);
/// assert_eq!(tee.1.as_str(), "finish\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tee<A, B>(pub A, pub B);

impl<A: EventSink, B: EventSink> EventSink for Tee<A, B> {
    fn event(&mut self, event: Event<'_>) {
        self.0.event(event.reborrow());
        self.1.event(event);
    }
}

macro_rules! sink_by_mut {
    ($([$($bounds:tt)*] $sink:ty;)*) => {$(
        impl<$($bounds)*> EventSink for &mut $sink {
            fn event(&mut self, event: Event<'_>) {
                (**self).event(event);
            }
        }
    )*};
}

sink_by_mut! {
    ['s] (dyn EventSink + 's);
    ['s] (dyn EventSink + Send + 's);
    [] Vec<Event<'static>>;
    [] Collect;
    [] Fold;
    [] Check;
    [] Listing;
    [A: EventSink, B: EventSink] Tee<A, B>;
    [S: EventSink] Coalesce<S>;
    [S: NumberedSink, G: IdGenerator] Numbered<S, G>;
}
