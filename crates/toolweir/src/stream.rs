//! Decoding a `Stream` of chunks, without an executor of its own.
//!
//! The adapter asks for a chunk only when all events of the last one are taken (backpressure), and
//! keeps nothing that a dropped future could lose (cancellation safety): what has been taken from the
//! source is in its reader, or waits as events.
//!
//! | reader | chunks | knows beside the events |
//! | --- | --- | --- |
//! | `Box<dyn Decoder>` | [`Input`]: text, or why it ends | – |
//! | [`Session`] of the middleware | [`Input`] | reports of calls that were not handed over |
//! | [`EngineSession`] of an engine | [`AnswerChunk`]: text, reasoning, native calls, why it ends | the same |

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use toolweir_middleware::Session;
use toolweir_middleware::engine::{EngineSession, ModelChunk};
use toolweir_protocols::segments::NativeDelta;
use toolweir_protocols::{Chunk, Decoder};
use toolweir_segments::{Event, EventSink, FinishReason, StreamEnd};

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

/// One piece of an answer as a provider streams it, for an [`EngineSession`]. Empty texts are none.
///
/// ```
/// use toolweir::stream::AnswerChunk;
///
/// let chunk = AnswerChunk::from("Hi.").reasoning("A greeting.");
/// assert_eq!((chunk.content.as_str(), chunk.reasoning.as_str()), ("Hi.", "A greeting."));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerChunk {
    /// Visible text.
    pub content: String,
    /// Reasoning from a channel of its own; it stands before the rest of the chunk.
    pub reasoning: String,
    /// Parts of native tool calls; they stand after the text.
    pub calls: Vec<CallPart>,
    /// Why the answer is over, where the chunk says so. Further chunks may follow.
    pub finish: Option<FinishReason>,
}

/// A part of a native tool call: [`NativeDelta`] that owns its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallPart {
    /// Which call of the answer it is of.
    pub index: u64,
    /// The call's id, in one of its parts.
    pub id: Option<String>,
    /// The tool's name, in one of its parts.
    pub name: Option<String>,
    /// A fragment of the arguments.
    pub arguments: String,
}

impl CallPart {
    fn delta(&self) -> NativeDelta<'_> {
        let Self { index, id, name, arguments } = self;
        NativeDelta { index: *index, id: id.as_deref(), name: name.as_deref(), arguments }
    }
}

impl From<NativeDelta<'_>> for CallPart {
    fn from(delta: NativeDelta<'_>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (id, name) = (owned(delta.id), owned(delta.name));
        Self { index: delta.index, id, name, arguments: delta.arguments.to_owned() }
    }
}

impl From<&str> for AnswerChunk {
    fn from(text: &str) -> Self {
        Self { content: text.to_owned(), ..Self::default() }
    }
}

impl From<String> for AnswerChunk {
    fn from(content: String) -> Self {
        Self { content, ..Self::default() }
    }
}

impl AnswerChunk {
    /// With that reasoning.
    #[must_use]
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.reasoning = text.into();
        self
    }

    /// With that part of a call, too.
    #[must_use]
    pub fn call(mut self, part: impl Into<CallPart>) -> Self {
        self.calls.push(part.into());
        self
    }

    /// With that reason to finish.
    #[must_use]
    pub fn finish(mut self, reason: FinishReason) -> Self {
        self.finish = Some(reason);
        self
    }
}

/// What makes events of the chunks of one answer.
pub trait ChunkReader {
    /// A chunk.
    type Chunk;

    /// Reads a chunk; gives whether the answer ends with it.
    fn read(&mut self, chunk: Self::Chunk, sink: &mut dyn EventSink) -> bool;

    /// The source has ended by itself.
    fn finish(&mut self, sink: &mut dyn EventSink);

    /// The source failed, or nobody waits for the answer any more: what is cut is never run.
    fn abort(&mut self, sink: &mut dyn EventSink);
}

impl ChunkReader for Box<dyn Decoder> {
    type Chunk = Input;

    fn read(&mut self, chunk: Input, sink: &mut dyn EventSink) -> bool {
        match chunk {
            Input::Text(text) => {
                self.push(Chunk::text(&text), sink);
                false
            }
            Input::End(end) => {
                Decoder::finish(&mut **self, end, sink);
                true
            }
        }
    }

    fn finish(&mut self, sink: &mut dyn EventSink) {
        Decoder::finish(&mut **self, StreamEnd::Stop, sink);
    }

    fn abort(&mut self, sink: &mut dyn EventSink) {
        Decoder::finish(&mut **self, StreamEnd::Aborted, sink);
    }
}

impl ChunkReader for Session {
    type Chunk = Input;

    fn read(&mut self, chunk: Input, sink: &mut dyn EventSink) -> bool {
        match chunk {
            Input::Text(text) => {
                self.push(Chunk::text(&text), sink);
                false
            }
            Input::End(end) => {
                Session::finish(self, FinishReason::of(end, false), sink);
                true
            }
        }
    }

    fn finish(&mut self, sink: &mut dyn EventSink) {
        Session::finish(self, FinishReason::Stop, sink);
    }

    fn abort(&mut self, sink: &mut dyn EventSink) {
        Session::abort(self, sink);
    }
}

impl ChunkReader for EngineSession {
    type Chunk = AnswerChunk;

    fn read(&mut self, chunk: AnswerChunk, sink: &mut dyn EventSink) -> bool {
        let calls: Vec<NativeDelta<'_>> = chunk.calls.iter().map(CallPart::delta).collect();
        let mut read = ModelChunk::new().content(&chunk.content).reasoning(&chunk.reasoning);
        read = read.calls(&calls);
        read.finish = chunk.finish;
        self.push(&read, sink);
        false
    }

    fn finish(&mut self, sink: &mut dyn EventSink) {
        EngineSession::finish(self, sink);
    }

    fn abort(&mut self, sink: &mut dyn EventSink) {
        EngineSession::abort(self, sink);
    }
}

/// The events of a stream of chunks: made by [`decode_stream`].
///
/// A source that ends without a reason has stopped by itself. Where the source fails, the
/// answer is aborted: the events of that come first, then the error, then nothing.
pub struct EventStream<S, R, E> {
    source: Pin<Box<S>>,
    reader: R,
    waiting: VecDeque<Event<'static>>,
    error: Option<E>,
    ended: bool,
}

impl<S: std::fmt::Debug, R, E> std::fmt::Debug for EventStream<S, R, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream")
            .field("source", &self.source)
            .field("waiting", &self.waiting.len())
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

/// Decodes a stream of chunks, each in a `Result` as network clients give them: texts or [`Input`]s for a
/// decoder or a session, [`AnswerChunk`]s for the session of an engine. The source need not be `Unpin`.
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
///
/// An `async` block as a source, and reasoning from a channel of its own:
/// ```
/// use futures_util::{StreamExt, stream};
/// use toolweir::stream::{AnswerChunk, decode_stream};
/// use toolweir::{EventSink, Fold, Registry, Request, middleware::engine::EngineSession};
///
/// let hermes = Registry::builtin().get("hermes").unwrap().clone();
/// let session = EngineSession::decoding(&*hermes, &Request::default()).unwrap();
/// let source = stream::once(async { Ok::<_, std::io::Error>(AnswerChunk::from("Hi.").reasoning("Why?")) });
/// let mut events = decode_stream(session, source);
/// let mut fold = Fold::new();
/// futures_executor::block_on(async {
///     while let Some(event) = events.next().await {
///         fold.event(event.unwrap());
///     }
/// });
/// assert_eq!((fold.turn().reasoning().as_str(), fold.turn().text().as_str()), ("Why?", "Hi."));
/// assert!(events.reader_mut().take_reports().is_empty());
/// ```
pub fn decode_stream<S, R, I, E>(reader: R, source: S) -> EventStream<S, R, E>
where
    S: Stream<Item = Result<I, E>>,
    R: ChunkReader,
    I: Into<R::Chunk>,
{
    let source = Box::pin(source);
    EventStream { source, reader, waiting: VecDeque::new(), error: None, ended: false }
}

impl<S, R: ChunkReader, E> EventStream<S, R, E> {
    /// Ends the answer at once because nobody waits for it any more: what is cut is never run. The
    /// events that are left still come.
    pub fn abort(&mut self) {
        self.end(R::abort);
    }

    /// The reader, for what it knows beside the events.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader alone. Events that were not taken are lost.
    #[must_use]
    pub fn into_reader(self) -> R {
        self.reader
    }

    fn read(&mut self, chunk: R::Chunk) {
        let Self { reader, waiting, ended, .. } = self;
        *ended = reader.read(chunk, &mut |event: Event<'_>| waiting.push_back(event.into_owned()));
    }

    fn end(&mut self, end: impl FnOnce(&mut R, &mut dyn EventSink)) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let Self { reader, waiting, .. } = self;
        end(reader, &mut |event: Event<'_>| waiting.push_back(event.into_owned()));
    }
}

impl<S, R, I, E> Stream for EventStream<S, R, E>
where
    S: Stream<Item = Result<I, E>>,
    R: ChunkReader + Unpin,
    I: Into<R::Chunk>,
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
            match this.source.as_mut().poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(chunk))) => this.read(chunk.into()),
                Poll::Ready(Some(Err(error))) => {
                    this.error = Some(error);
                    this.end(R::abort);
                }
                Poll::Ready(None) => this.end(R::finish),
            }
        }
    }
}
