//! The model as rounds see it: messages in, a stream of text out.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use toolweir_middleware::Message;

use crate::source::ModelChunk;

/// What a model answers with.
pub type ModelStream = Pin<Box<dyn Stream<Item = ModelChunk> + Send>>;

/// What [`Model::answer`] gives.
pub type ModelFuture<'a> =
    Pin<Box<dyn Future<Output = Result<ModelStream, Box<dyn Error + Send + Sync>>> + Send + 'a>>;

/// A model that can be asked. Object-safe. Time limits are its own affair; it is dropped when the
/// conversation is.
pub trait Model: Send + Sync {
    /// Answers the conversation so far, as a model without tools reads it: texts of the system, the user
    /// and the model, in which calls and results are written in the wire format. Files that came with
    /// results stand after their text, in messages of the user; [`Message::joined_text`] is the text of
    /// any message.
    fn answer<'a>(&'a self, messages: &'a [Message]) -> ModelFuture<'a>;
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn answer<'a>(&'a self, messages: &'a [Message]) -> ModelFuture<'a> {
        (**self).answer(messages)
    }
}
