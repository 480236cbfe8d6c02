//! Joins neighbouring pieces, so that a consumer sees fewer and larger ones.
//!
//! Laws: the fold of the joined events equals the fold of the events (tested with random streams);
//! what goes out does not depend on how a piece was cut (C3), with or without a cap. Only adjacent
//! events are joined: where a decoder mixes `Args` with `Field` or `Raw`, they stay mixed.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::{Event, EventSink};

/// Joins adjacent `Delta`, `Args`, `Raw`, and `Field` events of one path; any other event sends out
/// what is held, then goes out itself.
///
/// Empty `Delta`, `Args` and `Raw` events say nothing and are left out; an empty `Field` is kept,
/// as it tells that the argument is there. What is held when the value is dropped is lost: call
/// [`Coalesce::flush`] or [`Coalesce::into_inner`] where the stream may lack its `Finish`.
///
/// ```
/// use toolweir_segments::{Coalesce, Event, EventSink};
///
/// let mut joined = Coalesce::new(Vec::new());
/// joined.event(Event::Delta("Hel".into()));
/// joined.event(Event::Delta("lo".into()));
/// joined.event(Event::Finish);
/// assert_eq!(joined.into_inner(), [Event::Delta("Hello".into()), Event::Finish]);
/// ```
#[derive(Clone, Debug)]
pub struct Coalesce<S: EventSink> {
    inner: S,
    cap: usize,
    channel: Option<Channel>,
    path: String,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Channel {
    Delta,
    Args,
    Raw,
    Field,
}

impl<S: EventSink> Coalesce<S> {
    /// Joins without a cap on the size of a piece.
    pub const fn new(inner: S) -> Self {
        Self::with_max_bytes(inner, usize::MAX)
    }

    /// Joins up to `max_bytes` bytes a piece; a longer run goes out in several, cut between
    /// characters, each as full as it can be. A piece holds at least one character.
    pub const fn with_max_bytes(inner: S, max_bytes: usize) -> Self {
        Self { inner, cap: max_bytes, channel: None, path: String::new(), text: String::new() }
    }

    /// Sends out what is held.
    pub fn flush(&mut self) {
        if self.channel.is_some() {
            self.send();
        }
        self.channel = None;
    }

    /// Sends out what is held and gives the inner sink back.
    pub fn into_inner(mut self) -> S {
        self.flush();
        self.inner
    }

    /// The inner sink, which has not yet seen what is held.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    fn send(&mut self) {
        let text = Cow::Borrowed(self.text.as_str());
        match self.channel {
            Some(Channel::Delta) => self.inner.event(Event::Delta(text)),
            Some(Channel::Args) => self.inner.event(Event::Args(text)),
            Some(Channel::Raw) => self.inner.event(Event::Raw(text)),
            Some(Channel::Field) => {
                self.inner.event(Event::Field { path: Cow::Borrowed(&self.path), text });
            }
            None => {}
        }
        self.text.clear();
    }

    fn piece(&mut self, channel: Channel, path: &str, mut text: &str) {
        if text.is_empty() && channel != Channel::Field {
            return;
        }
        if self.channel != Some(channel) || self.path != path {
            self.flush();
            self.channel = Some(channel);
            self.path.clear();
            self.path.push_str(path);
        }
        while !text.is_empty() {
            let room = self.cap.saturating_sub(self.text.len());
            let (head, tail) = split_at_most(text, room, self.text.is_empty());
            self.text.push_str(head);
            text = tail;
            if !text.is_empty() {
                self.send();
            }
        }
    }
}

impl<S: EventSink> EventSink for Coalesce<S> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Delta(text) => self.piece(Channel::Delta, "", &text),
            Event::Args(text) => self.piece(Channel::Args, "", &text),
            Event::Raw(text) => self.piece(Channel::Raw, "", &text),
            Event::Field { path, text } => self.piece(Channel::Field, &path, &text),
            other => {
                self.flush();
                self.inner.event(other);
            }
        }
    }
}

/// The longest head of at most `room` bytes that ends between characters, and the rest; `some` asks
/// for at least one character.
fn split_at_most(text: &str, room: usize, some: bool) -> (&str, &str) {
    if text.len() <= room {
        return (text, "");
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    let mut at = room;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    if at == 0 && some {
        at = first;
    }
    text.split_at_checked(at).unwrap_or((text, ""))
}
