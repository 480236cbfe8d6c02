//! What the model's text comes in.

use std::fmt::Display;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use toolweir_segments::StreamEnd;

/// One item of a model's stream. A stream that just ends has stopped by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelChunk {
    /// More text.
    Text(String),
    /// The stream is over, for that reason. What comes after it is not read.
    End(StreamEnd),
    /// The stream broke: it is over as with [`StreamEnd::Aborted`].
    Failed(String),
}

impl From<String> for ModelChunk {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for ModelChunk {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Self>, E: Display> From<Result<T, E>> for ModelChunk {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(|error| Self::Failed(error.to_string()), Into::into)
    }
}

/// A stream of chunks that are there already: for tests, recordings and examples.
pub fn chunks<C: Into<ModelChunk>>(
    chunks: impl IntoIterator<Item = C, IntoIter: Send + Unpin>,
) -> impl Stream<Item = ModelChunk> + Send + Unpin {
    Chunks(chunks.into_iter())
}

struct Chunks<I>(I);

impl<C: Into<ModelChunk>, I: Iterator<Item = C> + Unpin> Stream for Chunks<I> {
    type Item = ModelChunk;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<ModelChunk>> {
        Poll::Ready(self.0.next().map(Into::into))
    }
}

/// A stream whose items are made chunks.
pub(crate) fn converted<S>(stream: S) -> Pin<Box<impl Stream<Item = ModelChunk> + Send>>
where
    S: Stream + Send + 'static,
    S::Item: Into<ModelChunk>,
{
    Box::pin(Converted(Box::pin(stream)))
}

struct Converted<S>(Pin<Box<S>>);

impl<S> Stream for Converted<S>
where
    S: Stream,
    S::Item: Into<ModelChunk>,
{
    type Item = ModelChunk;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ModelChunk>> {
        self.0.as_mut().poll_next(cx).map(|item| item.map(Into::into))
    }
}
