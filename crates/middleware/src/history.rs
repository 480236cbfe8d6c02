//! A conversation as a model without tools reads it: calls and results as text.

use toolweir_protocols::{Protocol, ProtocolExt as _, Request, ToolCall, ToolResponse};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::Kind;

use crate::error::Warning;
use crate::message::{HistoryCall, Message, MessagePart, Role, ToolResult};
use crate::results::{Media, Results};

/// Rewrites messages one by one.
pub(crate) struct History<'a> {
    pub(crate) protocol: &'a dyn Protocol,
    /// What answers are read with.
    pub(crate) request: &'a Request,
    pub(crate) media: &'a Media,
    /// Writes a result in place of the wire format.
    pub(crate) response: Option<&'a (dyn Fn(&ToolResult) -> String + Send + Sync)>,
    pub(crate) warnings: &'a mut Vec<Warning>,
}

impl History<'_> {
    /// The messages without calls and results, neighbours of the user merged.
    pub(crate) fn rewrite(&mut self, messages: &[Message]) -> Vec<Message> {
        let mut out: Vec<Message> = Vec::with_capacity(messages.len());
        for message in messages {
            let written = match message.role {
                Role::System => message.clone(),
                Role::User => joined(message.clone()),
                Role::Assistant => self.assistant(message),
                Role::Tool => self.results(message),
            };
            push(&mut out, written);
        }
        out
    }

    fn assistant(&mut self, message: &Message) -> Message {
        let parts = message.parts.iter().map(|part| match part {
            MessagePart::Call(call) => MessagePart::Text(self.call(call)),
            MessagePart::ApprovalRequest { name, .. } => {
                MessagePart::Text(format!("[Waiting for approval of {name}]"))
            }
            other => other.clone(),
        });
        joined(Message::new(Role::Assistant, parts).with_name(message.name.clone()))
    }

    /// A call that the format cannot say stays readable: nothing of the history is lost.
    fn call(&mut self, call: &HistoryCall) -> String {
        let arguments = object_in(&call.arguments);
        let arguments = arguments.as_deref().unwrap_or(&call.arguments);
        let mut written = ToolCall::new(call.name.as_str(), arguments);
        written.native_id = Some(call.id.clone());
        self.protocol.format_tool_call(&written).unwrap_or_else(|error| {
            let warning =
                Warning::PlainCall { tool: call.name.clone(), message: error.to_string() };
            self.warnings.push(warning);
            plain(self.protocol, self.request, ["Called", "with"], [&call.name, &call.arguments])
        })
    }

    /// Results of tools are what the user says next.
    fn results(&mut self, message: &Message) -> Message {
        let (mut parts, mut files) = (Vec::new(), Vec::new());
        for part in &message.parts {
            let text = match part {
                MessagePart::Result(result) => self.result(result, &mut files),
                MessagePart::Approval { id, approved, reason } => approval(id, *approved, reason),
                other => {
                    parts.push(other.clone());
                    continue;
                }
            };
            parts.push(MessagePart::Text(text));
        }
        parts.append(&mut files);
        joined(Message::new(Role::User, parts))
    }

    fn result(&mut self, result: &ToolResult, files: &mut Vec<MessagePart>) -> String {
        if let Some(response) = self.response {
            return response(result);
        }
        let Self { protocol, request, media, warnings, .. } = self;
        Results { protocol: *protocol, request, media, warnings }.write(result, files)
    }
}

/// What the wire format cannot say, as bracketed text. Where more could be read in it than that, it is
/// written in escapes.
pub(crate) fn plain(
    protocol: &dyn Protocol,
    request: &Request,
    [first, second]: [&str; 2],
    [name, content]: [&str; 2],
) -> String {
    let said = format!("[{first} {name} {second} {content}]");
    // Whatever stands between the brackets is one thing to read.
    let harmless = |text: &str| !text.contains(['\n', '\r', ']', '<', '`']);
    let is_text = harmless(name)
        && harmless(content)
        && protocol.parse(&said, request).is_ok_and(|turn| {
            let [part] = &turn.parts[..] else { return false };
            part.kind == Kind::Text && part.text == said && turn.diagnostics.is_empty()
        });
    if is_text {
        return said;
    }
    let guarded = |text: &str| ToolResponse::new("", text).guarded().content;
    format!("[{first} {} {second} {}]", guarded(name), guarded(content))
}

/// Arguments as a decoder takes them: null is no arguments, and an object may be written as a string.
fn object_in(arguments: &str) -> Option<String> {
    match parse(arguments, Mode::Strict).ok()?.value {
        Value::Null => Some("{}".to_owned()),
        Value::String(text) if text.trim().is_empty() => Some("{}".to_owned()),
        Value::String(text) => {
            parse(&text, Mode::Strict).ok()?.value.as_object()?;
            Some(text.to_string())
        }
        _ => None,
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
fn joined(mut message: Message) -> Message {
    let mut parts: Vec<MessagePart> = Vec::with_capacity(message.parts.len());
    for part in std::mem::take(&mut message.parts) {
        match (parts.last_mut(), part) {
            (Some(MessagePart::Text(last)), MessagePart::Text(text)) => {
                last.push('\n');
                last.push_str(&text);
            }
            (_, part) => parts.push(part),
        }
    }
    Message { parts, ..message }
}

/// Adds a message; two of the user that are nothing but text become one.
fn push(out: &mut Vec<Message>, message: Message) {
    match out.last_mut() {
        Some(last)
            if last.role == Role::User
                && message.role == Role::User
                && message.name == last.name
                && last.is_text()
                && message.is_text() =>
        {
            last.parts.extend(message.parts);
            *last = joined(last.clone());
        }
        _ => out.push(message),
    }
}
