//! Decoding a `Stream` of chunks, without an executor of its own.
//!
//! The adapter asks for a chunk only when all events of the last one are taken (backpressure), and
//! keeps nothing that a dropped future could lose (cancellation safety): what has been taken from the
//! source is in the decoder, or waits as events.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use toolweir_protocols::{Chunk, Decoder};
use toolweir_segments::{Event, StreamEnd};

/// What a source says: text, or why it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The next text of the answer.
    Text(String),
    /// The answer ends for this reason. What follows is not read.
    End(StreamEnd),
}

impl From<String> for Input {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Input {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The events of a stream of chunks: made by [`decode_stream`].
///
/// A source that ends without [`Input::End`] has stopped by itself. Where the source fails, the
/// answer is aborted: the events of that come first, then the error, then nothing.
pub struct EventStream<S, E> {
    source: S,
    decoder: Box<dyn Decoder>,
    waiting: VecDeque<Event<'static>>,
    error: Option<E>,
    ended: bool,
}

impl<S: std::fmt::Debug, E> std::fmt::Debug for EventStream<S, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream")
            .field("source", &self.source)
            .field("waiting", &self.waiting.len())
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

/// Decodes a stream of chunks: texts, or [`Input`]s, each in a `Result` as network clients give them.
///
/// ```
/// use futures_util::{StreamExt, stream};
/// use toolweir::stream::decode_stream;
/// use toolweir::{Event, Registry, Request};
///
/// let decoder = Registry::builtin().get("hermes").unwrap().decoder(&Request::default()).unwrap();
/// let chunks = stream::iter(["Rolling.<tool_", "call>{\"name\": \"dice\"}</tool_call>"]);
/// let events = decode_stream(decoder, chunks.map(Ok::<_, std::io::Error>));
/// let calls = events.filter(|event| {
///     let is_call = matches!(event, Ok(Event::Invocation(_)));
///     async move { is_call }
/// });
/// assert_eq!(futures_executor::block_on(calls.count()), 1);
/// ```
pub fn decode_stream<S, I, E>(decoder: Box<dyn Decoder>, source: S) -> EventStream<S, E>
where
    S: Stream<Item = Result<I, E>> + Unpin,
    I: Into<Input>,
{
    EventStream { source, decoder, waiting: VecDeque::new(), error: None, ended: false }
}

impl<S, E> EventStream<S, E> {
    /// Ends the answer at once because nobody waits for it any more: what is cut is never run. The
    /// events that are left still come.
    pub fn abort(&mut self) {
        self.end(StreamEnd::Aborted);
    }

    fn push(&mut self, text: &str) {
        let Self { decoder, waiting, .. } = self;
        let mut sink = |event: Event<'_>| waiting.push_back(event.into_owned());
        decoder.push(Chunk::text(text), &mut sink);
    }

    fn end(&mut self, end: StreamEnd) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let Self { decoder, waiting, .. } = self;
        let mut sink = |event: Event<'_>| waiting.push_back(event.into_owned());
        decoder.finish(end, &mut sink);
    }
}

impl<S, I, E> Stream for EventStream<S, E>
where
    S: Stream<Item = Result<I, E>> + Unpin,
    I: Into<Input>,
    E: Unpin,
{
    type Item = Result<Event<'static>, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.waiting.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(error) = this.error.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if this.ended {
                return Poll::Ready(None);
            }
            match Pin::new(&mut this.source).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(input))) => match input.into() {
                    Input::Text(text) => this.push(&text),
                    Input::End(end) => this.end(end),
                },
                Poll::Ready(Some(Err(error))) => {
                    this.error = Some(error);
                    this.end(StreamEnd::Aborted);
                }
                Poll::Ready(None) => this.end(StreamEnd::Stop),
            }
        }
    }
}
