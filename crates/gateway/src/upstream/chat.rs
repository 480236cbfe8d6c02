//! Bodies of OpenAI-compatible chat completions.

use toolweir_adapters::Failure;
use toolweir_middleware::{
    ContentPart, Declaration, File, FileSource, MediaKind, Message, MessagePart, NativeTools,
    ResponseFormat, Role, ToolChoice, ToolOutput, ToolResult,
};
use toolweir_rjson::{Object, Value};

use super::{Outgoing, forced, grammar, set, stops};
use crate::request::bad;

pub(super) fn body(outgoing: &Outgoing<'_>) -> Result<Object, Failure> {
    let asked = outgoing.asked;
    let mut body = Object::new();
    set(&mut body, "model", outgoing.model);
    let mut messages = Vec::new();
    for message in &outgoing.prepared.messages {
        self::messages(message, &mut messages)?;
    }
    set(&mut body, "messages", messages);
    set(&mut body, "stream", true);
    let mut options = Object::new();
    set(&mut options, "include_usage", true);
    set(&mut body, "stream_options", options);
    if let Some(most) = asked.max_tokens {
        set(&mut body, "max_tokens", most);
    }
    let stops = stops(outgoing);
    if !stops.is_empty() {
        set(&mut body, "stop", stops);
    }
    if asked.n > 1 {
        set(&mut body, "n", asked.n);
    }
    if let Some(native) = &outgoing.prepared.native {
        tools(&mut body, native, outgoing);
    }
    let grammar = grammar(outgoing);
    match (forced(outgoing), &asked.response_format) {
        (Some(format), _) => set(&mut body, "response_format", response_format(format)),
        // A server takes one constraint an answer.
        (None, Some(format)) if grammar.is_none() => {
            set(&mut body, "response_format", format.clone());
        }
        _ => {}
    }
    for (key, value) in &asked.passed {
        set(&mut body, key, value.clone());
    }
    if let Some((key, value)) = grammar {
        set(&mut body, key, value);
    }
    Ok(body)
}

fn tools(body: &mut Object, native: &NativeTools, outgoing: &Outgoing<'_>) {
    let functions = native.tools.iter().filter_map(Declaration::function);
    let tools: Vec<Value> = functions
        .map(|tool| {
            let mut function = Object::new();
            set(&mut function, "name", tool.name.as_str());
            if let Some(description) = &tool.description {
                set(&mut function, "description", description.as_str());
            }
            if let Some(schema) = &tool.parameters {
                set(&mut function, "parameters", schema.clone());
            }
            if outgoing.asked.strict.contains(&tool.name) {
                set(&mut function, "strict", true);
            }
            let mut outer = Object::new();
            set(&mut outer, "type", "function");
            set(&mut outer, "function", function);
            Value::Object(outer)
        })
        .collect();
    if tools.is_empty() {
        return;
    }
    set(body, "tools", tools);
    match &native.choice {
        ToolChoice::Auto => {}
        ToolChoice::None => set(body, "tool_choice", "none"),
        ToolChoice::Required => set(body, "tool_choice", "required"),
        ToolChoice::Named(name) => {
            let mut function = Object::new();
            set(&mut function, "name", name.as_str());
            let mut choice = Object::new();
            set(&mut choice, "type", "function");
            set(&mut choice, "function", function);
            set(body, "tool_choice", choice);
        }
    }
    if !outgoing.asked.parallel {
        set(body, "parallel_tool_calls", false);
    }
}

fn response_format(format: &ResponseFormat) -> Object {
    let mut schema = Object::new();
    set(&mut schema, "name", name_of(&format.name));
    set(&mut schema, "schema", format.schema.clone());
    let mut outer = Object::new();
    set(&mut outer, "type", "json_schema");
    set(&mut outer, "json_schema", schema);
    outer
}

/// A name that the wire takes: letters, digits, `_` and `-`.
fn name_of(name: &str) -> String {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().take(64).map(|c| if fine(c) { c } else { '_' }).collect()
}

/// One message, or one for each result.
fn messages(message: &Message, out: &mut Vec<Value>) -> Result<(), Failure> {
    let (mut content, mut calls, mut reasoning) = (Vec::new(), Vec::new(), String::new());
    for part in &message.parts {
        match part {
            MessagePart::Text(text) => content.push(text_part(text)),
            MessagePart::File(file) => content.push(file_part(file)?),
            MessagePart::Reasoning(text) => reasoning.push_str(text),
            MessagePart::Call(call) => {
                let mut function = Object::new();
                set(&mut function, "name", call.name.as_str());
                set(&mut function, "arguments", call.arguments.as_str());
                let mut entry = Object::new();
                set(&mut entry, "id", call.id.as_str());
                set(&mut entry, "type", "function");
                set(&mut entry, "function", function);
                calls.push(Value::Object(entry));
            }
            MessagePart::Result(result) => out.push(self::result(result)?),
            _ => {}
        }
    }
    if message.role == Role::Tool && content.is_empty() {
        return Ok(());
    }
    let mut entry = Object::new();
    let role = match message.role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    };
    set(&mut entry, "role", role);
    if let Some(name) = &message.name {
        set(&mut entry, "name", name.as_str());
    }
    set(&mut entry, "content", joined(content, !calls.is_empty()));
    if !reasoning.is_empty() {
        set(&mut entry, "reasoning_content", reasoning);
    }
    if !calls.is_empty() {
        set(&mut entry, "tool_calls", calls);
    }
    out.push(Value::Object(entry));
    Ok(())
}

/// A text where there is nothing but text: most servers know no other content.
fn joined(content: Vec<Value>, calls: bool) -> Value {
    let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
    let texts: Option<Vec<String>> = content.iter().map(text).collect();
    match texts {
        Some(texts) if texts.is_empty() && calls => Value::Null,
        Some(texts) => Value::from(texts.join("\n")),
        None => Value::from(content),
    }
}

fn text_part(text: &str) -> Value {
    let mut part = Object::new();
    set(&mut part, "type", "text");
    set(&mut part, "text", text);
    Value::Object(part)
}

fn file_part(file: &File) -> Result<Value, Failure> {
    let mut part = Object::new();
    match (file.kind(), &file.source) {
        (MediaKind::Image, source) => {
            let url = match source {
                FileSource::Url(url) => url.clone(),
                FileSource::Base64(data) => format!("data:{};base64,{data}", file.media_type),
            };
            let mut image = Object::new();
            set(&mut image, "url", url);
            if let Some(detail) = &file.detail {
                set(&mut image, "detail", detail.as_str());
            }
            set(&mut part, "type", "image_url");
            set(&mut part, "image_url", image);
        }
        (MediaKind::Audio, FileSource::Base64(data)) => {
            let mut audio = Object::new();
            set(&mut audio, "data", data.as_str());
            let format = file.media_type.split('/').nth(1).unwrap_or("wav");
            set(&mut audio, "format", format);
            set(&mut part, "type", "input_audio");
            set(&mut part, "input_audio", audio);
        }
        _ => return Err(bad(format!("files of type {} cannot be sent upstream", file.media_type))),
    }
    Ok(Value::Object(part))
}

fn result(result: &ToolResult) -> Result<Value, Failure> {
    let content = match &result.output {
        ToolOutput::Content(parts) => {
            let part = |part: &ContentPart| match part {
                ContentPart::Text(text) => Ok(text_part(text)),
                ContentPart::File(file) => file_part(file),
            };
            let parts: Result<Vec<Value>, Failure> = parts.iter().map(part).collect();
            joined(parts?, false)
        }
        output => Value::from(result_text(output)),
    };
    let mut entry = Object::new();
    set(&mut entry, "role", "tool");
    set(&mut entry, "tool_call_id", result.id.as_str());
    set(&mut entry, "content", content);
    Ok(Value::Object(entry))
}

/// A result as text. The wire has no field for a failure: the text says it.
pub(super) fn result_text(output: &ToolOutput) -> String {
    match output {
        ToolOutput::Text(text) => text.clone(),
        ToolOutput::Json(value) => value.to_string(),
        ToolOutput::Error(message) => format!("The tool failed: {message}"),
        ToolOutput::Denied(None) => "The call was refused.".to_owned(),
        ToolOutput::Denied(Some(why)) => format!("The call was refused: {why}"),
        ToolOutput::Content(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                ContentPart::Text(text) => Some(text.as_str()),
                ContentPart::File(_) => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
