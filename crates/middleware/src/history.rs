//! A conversation as a model without tools reads it: calls and results as text.

use toolweir_protocols::{FormatError, Protocol, ToolCall};

use crate::error::{PrepareError, Warning};
use crate::message::{HistoryCall, Message, MessagePart, Role, ToolResult};
use crate::results::{Media, Results};

/// Rewrites messages one by one.
pub(crate) struct History<'a> {
    pub(crate) protocol: &'a dyn Protocol,
    pub(crate) media: &'a Media,
    /// Writes a result in place of the wire format.
    pub(crate) response: Option<&'a (dyn Fn(&ToolResult) -> String + Send + Sync)>,
    pub(crate) warnings: &'a mut Vec<Warning>,
}

impl History<'_> {
    /// The messages without calls and results, neighbours of the user merged.
    pub(crate) fn rewrite(&mut self, messages: &[Message]) -> Result<Vec<Message>, PrepareError> {
        let mut out: Vec<Message> = Vec::with_capacity(messages.len());
        for (number, message) in messages.iter().enumerate() {
            let failed = |error| PrepareError::Format { message: number, error };
            let written = match message.role {
                Role::System => message.clone(),
                Role::User => joined(message.clone()),
                Role::Assistant => self.assistant(message),
                Role::Tool => self.results(message).map_err(failed)?,
            };
            push(&mut out, written);
        }
        Ok(out)
    }

    fn assistant(&mut self, message: &Message) -> Message {
        let parts = message.parts.iter().map(|part| match part {
            MessagePart::Call(call) => MessagePart::Text(self.call(call)),
            MessagePart::ApprovalRequest { name, .. } => {
                MessagePart::Text(format!("[Waiting for approval of {name}]"))
            }
            other => other.clone(),
        });
        joined(Message::new(Role::Assistant, parts))
    }

    /// A call that the format cannot say stays readable: nothing of the history is lost.
    fn call(&mut self, call: &HistoryCall) -> String {
        let mut written = ToolCall::new(call.name.as_str(), call.arguments.as_str());
        written.native_id = Some(call.id.clone());
        self.protocol.format_tool_call(&written).unwrap_or_else(|error| {
            let warning =
                Warning::PlainCall { tool: call.name.clone(), message: error.to_string() };
            self.warnings.push(warning);
            format!("[Called {} with {}]", call.name, call.arguments)
        })
    }

    /// Results of tools are what the user says next.
    fn results(&mut self, message: &Message) -> Result<Message, FormatError> {
        let (mut parts, mut files) = (Vec::new(), Vec::new());
        for part in &message.parts {
            let text = match part {
                MessagePart::Result(result) => self.result(result, &mut files)?,
                MessagePart::Approval { id, approved, reason } => approval(id, *approved, reason),
                other => {
                    parts.push(other.clone());
                    continue;
                }
            };
            parts.push(MessagePart::Text(text));
        }
        parts.append(&mut files);
        Ok(joined(Message::new(Role::User, parts)))
    }

    fn result(
        &mut self,
        result: &ToolResult,
        files: &mut Vec<MessagePart>,
    ) -> Result<String, FormatError> {
        if let Some(response) = self.response {
            return Ok(response(result));
        }
        let (protocol, media, warnings) = (self.protocol, self.media, &mut *self.warnings);
        Results { protocol, media, warnings }.write(result, files)
    }
}

fn approval(id: &str, approved: bool, reason: &Option<String>) -> String {
    let word = if approved { "approved" } else { "refused" };
    match reason {
        Some(reason) => format!("[Call {id} {word}: {reason}]"),
        None => format!("[Call {id} {word}]"),
    }
}

/// Texts beside each other are one text, with a line break between.
fn joined(message: Message) -> Message {
    let mut parts: Vec<MessagePart> = Vec::with_capacity(message.parts.len());
    for part in message.parts {
        match (parts.last_mut(), part) {
            (Some(MessagePart::Text(last)), MessagePart::Text(text)) => {
                last.push('\n');
                last.push_str(&text);
            }
            (_, part) => parts.push(part),
        }
    }
    Message { role: message.role, parts }
}

/// Adds a message; two of the user that are nothing but text become one.
fn push(out: &mut Vec<Message>, message: Message) {
    match out.last_mut() {
        Some(last)
            if last.role == Role::User
                && message.role == Role::User
                && last.is_text()
                && message.is_text() =>
        {
            last.parts.extend(message.parts);
            *last = joined(last.clone());
        }
        _ => out.push(message),
    }
}
