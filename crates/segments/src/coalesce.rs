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
    lines: Option<Lines>,
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

/// Counts the line ends of a piece.
#[derive(Clone, Copy, Debug)]
struct Lines {
    /// So many make a piece.
    wanted: usize,
    seen: usize,
    /// After a backslash, in arguments.
    escaped: bool,
}

impl Lines {
    /// Where the piece is full: after its last line end. Reads no byte after that.
    fn end(&mut self, text: &str, arguments: bool) -> Option<usize> {
        for (at, byte) in text.bytes().enumerate() {
            let escaped = core::mem::take(&mut self.escaped);
            self.escaped = arguments && byte == b'\\' && !escaped;
            if byte != b'\n' && !(escaped && byte == b'n') {
                continue;
            }
            self.seen += 1;
            if self.seen >= self.wanted {
                self.seen = 0;
                return Some(at + 1);
            }
        }
        None
    }
}

impl<S: EventSink> Coalesce<S> {
    /// Joins without a cap on the size of a piece.
    pub const fn new(inner: S) -> Self {
        Self::with_max_bytes(inner, usize::MAX)
    }

    /// Joins up to `max_bytes` bytes a piece; a longer run goes out in several, cut between
    /// characters, each as full as it can be. A piece holds at least one character.
    pub const fn with_max_bytes(inner: S, max_bytes: usize) -> Self {
        Self {
            inner,
            cap: max_bytes,
            lines: None,
            channel: None,
            path: String::new(),
            text: String::new(),
        }
    }

    /// Joins so many lines a piece (at least one), which goes out as soon as the last of them ends, and
    /// no more than `max_bytes` bytes. In arguments, which are JSON, the escape `\n` ends a line: it is
    /// one of the content.
    ///
    /// ```
    /// use toolweir_segments::{Coalesce, Event, EventSink};
    ///
    /// let mut joined = Coalesce::by_lines(Vec::new(), 1, usize::MAX);
    /// for letter in "one\ntwo\nth".split_inclusive(|_| true) {
    ///     joined.event(Event::Delta(letter.to_owned().into()));
    /// }
    /// let wanted = ["one\n", "two\n", "th"].map(|piece| Event::Delta(piece.into()));
    /// assert_eq!(joined.into_inner(), wanted);
    /// ```
    pub const fn by_lines(inner: S, lines: usize, max_bytes: usize) -> Self {
        let mut joined = Self::with_max_bytes(inner, max_bytes);
        joined.lines = Some(Lines { wanted: lines, seen: 0, escaped: false });
        joined
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

    /// The inner sink, to change: it may have more to be told than events.
    pub const fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
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
        let is_empty = text.is_empty();
        if is_empty && channel != Channel::Field {
            return;
        }
        if self.channel != Some(channel) || self.path != path {
            self.flush();
            self.channel = Some(channel);
            self.path.clear();
            self.path.push_str(path);
            if let Some(lines) = &mut self.lines {
                *lines = Lines { seen: 0, escaped: false, ..*lines };
            }
        }
        while !text.is_empty() {
            let room = self.cap.saturating_sub(self.text.len());
            let (head, tail) = split_at_most(text, room, self.text.is_empty());
            let end = self.lines.as_mut().and_then(|l| l.end(head, channel == Channel::Args));
            if let Some((head, tail)) = end.and_then(|end| text.split_at_checked(end)) {
                self.text.push_str(head);
                text = tail;
                self.send();
                continue;
            }
            self.text.push_str(head);
            text = tail;
            if !text.is_empty() {
                self.send();
                if let Some(lines) = &mut self.lines {
                    lines.seen = 0;
                }
            }
        }
        // A piece that ended with its line has gone out already; an empty field has not.
        if self.text.is_empty() && !is_empty {
            self.channel = None;
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
