//! The model as rounds see it: messages in, a stream of text out.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;

use crate::source::ModelChunk;

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Instructions.
    System,
    /// A person.
    User,
    /// The model.
    Assistant,
    /// A tool: its result, written as the wire format writes results. Models that know no such role get
    /// it as the user's.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said. The model's own messages are its source, calls and all.
    pub text: String,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into() }
    }
}

/// What a model answers with.
pub type ModelStream = Pin<Box<dyn Stream<Item = ModelChunk> + Send>>;

/// What [`Model::answer`] gives.
pub type ModelFuture<'a> =
    Pin<Box<dyn Future<Output = Result<ModelStream, Box<dyn Error + Send + Sync>>> + Send + 'a>>;

/// A model that can be asked. Object-safe. Time limits are its own affair; it is dropped when the
/// conversation is.
pub trait Model: Send + Sync {
    /// Answers the conversation so far.
    fn answer<'a>(&'a self, messages: &'a [Message]) -> ModelFuture<'a>;
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn answer<'a>(&'a self, messages: &'a [Message]) -> ModelFuture<'a> {
        (**self).answer(messages)
    }
}
