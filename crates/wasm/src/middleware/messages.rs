//! Messages from and to JSON: `{role, parts}`, the parts by their `type`.
//!
//! | `type` | members |
//! | --- | --- |
//! | `text`, `reasoning` | `text` |
//! | `file` | `mediaType`, `name`, `url` or `data`, which stands for what JavaScript keeps |
//! | `call` | `id`, `name`, `arguments`: the text of one JSON object |
//! | `result` | `id`, `name`, `output`: `{text}`, `{json}`, `{error}`, `{denied}` or `{content}` |
//! | `approval-request` | `id`, `name` |
//! | `approval` | `id`, `approved`, `reason` |

use toolweir::middleware::{
    ContentPart, File, FileSource, HistoryCall, Message, MessagePart, Role, ToolOutput, ToolResult,
};
use toolweir::rjson::{ObjectWriter, Value};

use crate::answer::{Mistake, mistake};
use crate::ask::Ask;

/// The messages of a head.
pub(super) fn read(ask: &Ask) -> Result<Vec<Message>, Mistake> {
    ask.entries("messages").map(message).collect()
}

fn message(entry: &Value) -> Result<Message, Mistake> {
    let role = match text(entry, "role") {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => return Err(mistake(format!("a message is of no role `{other}`"))),
    };
    let parts = entry.get("parts").and_then(Value::as_array).into_iter().flatten();
    Ok(Message::new(role, parts.map(part).collect::<Result<Vec<_>, _>>()?))
}

fn part(entry: &Value) -> Result<MessagePart, Mistake> {
    let own = |key: &str| text(entry, key).to_owned();
    Ok(match text(entry, "type") {
        "text" => MessagePart::Text(own("text")),
        "reasoning" => MessagePart::Reasoning(own("text")),
        "file" => MessagePart::File(file(entry)),
        "call" => MessagePart::Call(HistoryCall {
            id: own("id"),
            name: own("name"),
            arguments: own("arguments"),
        }),
        "result" => MessagePart::Result(ToolResult {
            id: own("id"),
            name: own("name"),
            output: output(entry.get("output").unwrap_or(&Value::Null)),
        }),
        "approval-request" => MessagePart::ApprovalRequest { id: own("id"), name: own("name") },
        "approval" => MessagePart::Approval {
            id: own("id"),
            approved: entry.get("approved").and_then(Value::as_bool).unwrap_or_default(),
            reason: entry.get("reason").and_then(Value::as_str).map(str::to_owned),
        },
        other => return Err(mistake(format!("a message has no part of the type `{other}`"))),
    })
}

fn output(entry: &Value) -> ToolOutput {
    let text_of = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(text) = text_of("text") {
        return ToolOutput::Text(text);
    }
    if let Some(error) = text_of("error") {
        return ToolOutput::Error(error);
    }
    if let Some(Value::Array(parts)) = entry.get("content") {
        return ToolOutput::Content(parts.iter().map(content).collect());
    }
    if let Some(reason) = entry.get("denied") {
        return ToolOutput::Denied(reason.as_str().map(str::to_owned));
    }
    ToolOutput::Json(entry.get("json").cloned().unwrap_or(Value::Null))
}

fn content(entry: &Value) -> ContentPart {
    match text(entry, "type") {
        "file" => ContentPart::File(file(entry)),
        _ => ContentPart::Text(text(entry, "text").to_owned()),
    }
}

fn file(entry: &Value) -> File {
    let source = match entry.get("url").and_then(Value::as_str) {
        Some(url) => FileSource::Url(url.to_owned()),
        None => FileSource::Base64(text(entry, "data").to_owned()),
    };
    File {
        media_type: text(entry, "mediaType").to_owned(),
        name: entry.get("name").and_then(Value::as_str).map(str::to_owned),
        detail: None,
        source,
    }
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A prepared message. Calls and results are text by now; what is left of other kinds stays away.
pub(super) fn write(message: &Message) -> String {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    ObjectWriter::new()
        .text("role", role)
        .list("parts", message.parts.iter().filter_map(shown))
        .end()
}

fn shown(part: &MessagePart) -> Option<String> {
    let record = match part {
        MessagePart::Text(text) => ObjectWriter::of("text").text("text", text),
        MessagePart::Reasoning(text) => ObjectWriter::of("reasoning").text("text", text),
        MessagePart::File(file) => {
            let record = ObjectWriter::of("file")
                .text("mediaType", &file.media_type)
                .maybe("name", file.name.as_deref());
            match &file.source {
                FileSource::Url(url) => record.text("url", url),
                FileSource::Base64(data) => record.text("data", data),
            }
        }
        _ => return None,
    };
    Some(record.end())
}
