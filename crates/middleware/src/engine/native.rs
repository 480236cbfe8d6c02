//! Calls in the provider's own interface.

use std::sync::Arc;

use toolweir_protocols::Request;
use toolweir_protocols::segments::SegmentsProtocol;

use super::{Engine, EngineSession};
use crate::error::{PrepareError, SessionError};
use crate::message::{ContentPart, Message, MessagePart, Role, ToolOutput};
use crate::middleware::Middleware;
use crate::prepare::{Conversation, Prepared};

/// The engine for models whose provider takes tools and streams calls itself.
///
/// Messages stay as they are, but for files in results: providers take only text there, so they follow
/// as a message of the user.
#[derive(Clone, Debug)]
pub struct Native {
    middleware: Middleware,
}

impl Native {
    /// With default policies and limits.
    #[must_use]
    pub fn new() -> Self {
        let protocol = Arc::new(SegmentsProtocol::pass_through());
        Self { middleware: Middleware::new(protocol).with_native_tools(true) }
    }

    /// With the policies and limits of that request; its tools do not count.
    #[must_use]
    pub fn with_request(mut self, request: Request) -> Self {
        self.middleware = self.middleware.with_request(request);
        self
    }
}

impl Default for Native {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Native {
    fn name(&self) -> &str {
        "native"
    }

    fn prepare(&self, conversation: &Conversation) -> Result<Prepared, PrepareError> {
        let mut prepared = self.middleware.prepare(conversation)?;
        prepared.messages = files_apart(prepared.messages);
        Ok(prepared)
    }

    fn session(&self, prepared: &Prepared) -> Result<EngineSession, SessionError> {
        Ok(EngineSession::native(&prepared.request))
    }
}

/// The messages with the files of results after them. Results of one turn stay together: a provider
/// wants them directly after their calls.
fn files_apart(messages: Vec<Message>) -> Vec<Message> {
    let mut out = Vec::with_capacity(messages.len());
    let mut files = Vec::new();
    for mut message in messages {
        if message.role != Role::Tool && !files.is_empty() {
            out.push(Message::new(Role::User, files.drain(..)));
        }
        for part in &mut message.parts {
            if let MessagePart::Result(result) = part
                && let ToolOutput::Content(content) = &mut result.output
            {
                result.output = ToolOutput::Text(split(std::mem::take(content), &mut files));
            }
        }
        out.push(message);
    }
    if !files.is_empty() {
        out.push(Message::new(Role::User, files));
    }
    out
}

/// The texts of a result, and its files.
fn split(content: Vec<ContentPart>, files: &mut Vec<MessagePart>) -> String {
    let mut lines = Vec::new();
    for part in content {
        match part {
            ContentPart::Text(text) => lines.push(text),
            ContentPart::File(file) => files.push(MessagePart::File(file)),
        }
    }
    lines.join("\n")
}
