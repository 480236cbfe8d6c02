//! Input: chunks with their place in the stream, and text that is read again.

use toolweir_markers::{Attribution, Chunk};
use toolweir_segments::{Diagnostic, Event, EventSink, Span};

use super::Engine;
use super::out::Output;
use crate::diagnostics::{Code, PUSH_AFTER_FINISH};
use crate::policy::MarkerPolicy;

/// Bytes before the last one accounted for that a marker may still reach back to.
const REACH: u64 = 256;

/// Buffers that are kept for the next lookahead, and the largest of them.
const BUFFERS: usize = 3;
const BUFFER_BYTES: usize = 4096;

/// The incoming side of a decoder.
#[derive(Debug, Default)]
pub(crate) struct Intake {
    attribution: Attribution,
    pending: Pending,
    /// Empty buffers, to be used anew.
    buffers: [String; BUFFERS],
    /// Offset of the byte after the last chunk.
    received: u64,
    /// How much of it is no part of the stream: the prompt wrote it.
    prefix: u64,
    finished: bool,
    late: bool,
}

/// Text to read again, before anything new. Each with how far it is read.
#[derive(Debug, Default)]
struct Pending {
    first: Option<(String, usize)>,
    /// What comes after it, the last one first.
    later: Vec<(String, usize)>,
}

impl Pending {
    fn len(&self) -> usize {
        self.later.len() + usize::from(self.first.is_some())
    }

    fn push(&mut self, text: String, read: usize) {
        self.later.extend(self.first.replace((text, read)));
    }

    fn pop(&mut self) -> Option<(String, usize)> {
        std::mem::replace(&mut self.first, self.later.pop())
    }

    /// Puts a text where so many come after it.
    fn insert(&mut self, later: usize, text: String, read: usize) {
        match later < self.len() {
            true => self.later.insert(later, (text, read)),
            false => self.push(text, read),
        }
    }
}

impl Intake {
    /// Of a stream that goes on after a text.
    pub(crate) fn after(prefix: &str) -> Self {
        let length = prefix.len() as u64;
        let first = (!prefix.is_empty()).then(|| (prefix.to_owned(), 0));
        let pending = Pending { first, ..Pending::default() };
        Self { received: length, prefix: length, pending, ..Self::default() }
    }

    /// Takes note of a chunk; false where the stream is over.
    pub(crate) fn accept(
        &mut self,
        chunk: &Chunk<'_>,
        out: &Output,
        sink: &mut dyn EventSink,
    ) -> bool {
        if self.finished {
            if !std::mem::replace(&mut self.late, true) {
                let message = "a chunk came after the end of the stream and was not read";
                let Code { code, severity, .. } = PUSH_AFTER_FINISH;
                let span = Span::empty(out.shown(out.at));
                sink.event(Event::Diagnostic(Diagnostic::new(code, severity, span, message)));
            }
            return false;
        }
        if chunk.special.is_some() {
            self.attribution.push(self.received, chunk);
            self.attribution.forget_before(out.at.saturating_sub(REACH));
        }
        self.received += chunk.text.len() as u64;
        true
    }

    /// The stream is over; false where it was before.
    pub(crate) fn finish(&mut self) -> bool {
        !std::mem::replace(&mut self.finished, true)
    }

    /// Makes text the next thing to be read.
    pub(crate) fn read_again(&mut self, text: String) {
        if text.is_empty() {
            self.recycle(text);
        } else {
            self.pending.push(text, 0);
        }
    }

    /// An empty buffer for what may be read again.
    pub(crate) fn buffer(&mut self) -> String {
        let usable = self.buffers.iter_mut().find(|buffer| buffer.capacity() > 0);
        usable.map(std::mem::take).unwrap_or_default()
    }

    /// A buffer has no more use.
    pub(crate) fn recycle(&mut self, mut buffer: String) {
        if !(1..=BUFFER_BYTES).contains(&buffer.capacity()) {
            return;
        }
        if let Some(place) = self.buffers.iter_mut().find(|place| place.capacity() == 0) {
            buffer.clear();
            *place = buffer;
        }
    }

    /// Offset of the byte after the last chunk.
    #[inline]
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// Texts that are to be read again.
    pub(crate) fn depth(&self) -> usize {
        self.pending.len()
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.pending.first.is_some()
    }

    /// Whether marker text at that place counts, where the source says which came from special tokens.
    pub(crate) fn counts(&self, policy: MarkerPolicy, start: u64, len: usize) -> bool {
        policy == MarkerPolicy::Any || self.is_trusted(start, len)
    }

    /// Whether text at that place came from special tokens, as far as the source says.
    pub(crate) fn is_trusted(&self, start: u64, len: usize) -> bool {
        start < self.prefix
            || !self.attribution.is_attributed()
            || self.attribution.touches(start, start + len as u64)
    }
}

impl Engine {
    /// Reads a text before anything else.
    pub(super) fn read_now(&mut self, text: &str, sink: &mut dyn EventSink) {
        let after = self.intake.depth();
        let mut rest = text;
        self.step(&mut rest, sink);
        if !rest.is_empty() {
            self.intake.pending.insert(after, rest.to_owned(), 0);
        }
    }

    /// Reads again what must be, then the chunk.
    pub(super) fn feed_all(&mut self, chunk: &str, sink: &mut dyn EventSink) {
        let mut input = chunk;
        loop {
            while let Some((text, from)) = self.intake.pending.pop() {
                let below = self.intake.depth();
                let mut rest = text.get(from..).unwrap_or_default();
                self.step(&mut rest, sink);
                if rest.is_empty() {
                    self.intake.recycle(text);
                } else {
                    let read = text.len() - rest.len();
                    self.intake.pending.insert(below, text, read);
                }
            }
            if input.is_empty() {
                return;
            }
            self.step(&mut input, sink);
        }
    }
}
