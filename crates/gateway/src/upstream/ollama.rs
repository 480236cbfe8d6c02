//! Bodies of Ollama's `/api/chat`.

use toolweir_adapters::Failure;
use toolweir_middleware::{
    ContentPart, Declaration, File, FileSource, MediaKind, Message, MessagePart, Role, ToolChoice,
    ToolOutput,
};
use toolweir_rjson::{Mode, Object, Value, parse};

use super::chat::result_text;
use super::{Outgoing, forced, set, stops};
use crate::request::bad;

/// Fields of chat completions that are options here.
const OPTIONS: &[(&str, &str)] = &[
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("top_k", "top_k"),
    ("min_p", "min_p"),
    ("seed", "seed"),
    ("presence_penalty", "presence_penalty"),
    ("frequency_penalty", "frequency_penalty"),
];

pub(super) fn body(outgoing: &Outgoing<'_>) -> Result<Object, Failure> {
    let asked = outgoing.asked;
    if asked.n > 1 {
        return Err(bad("`n` above 1 is not supported by this upstream"));
    }
    let mut body = Object::new();
    set(&mut body, "model", outgoing.model);
    let mut messages = Vec::new();
    for message in &outgoing.prepared.messages {
        self::messages(message, &mut messages)?;
    }
    set(&mut body, "messages", messages);
    set(&mut body, "stream", true);
    let mut options = Object::new();
    for (from, to) in OPTIONS {
        if let Some((_, value)) = asked.passed.iter().find(|(key, _)| key == from) {
            set(&mut options, to, value.clone());
        }
    }
    if let Some(most) = asked.max_tokens {
        set(&mut options, "num_predict", most);
    }
    let stops = stops(outgoing);
    if !stops.is_empty() {
        set(&mut options, "stop", stops);
    }
    if !options.is_empty() {
        set(&mut body, "options", options);
    }
    if let Some(native) = &outgoing.prepared.native {
        match native.choice {
            ToolChoice::Auto => tools(&mut body, &native.tools),
            ToolChoice::None => {}
            _ => {
                return Err(bad(
                    "this upstream cannot force a call of its own; use the mode emulate",
                ));
            }
        }
    }
    if let Some(format) = forced(outgoing) {
        set(&mut body, "format", format.schema.clone());
    } else if let Some(format) = &asked.response_format {
        let schema = format.pointer("/json_schema/schema").cloned();
        match (format.get("type").and_then(Value::as_str), schema) {
            (_, Some(schema)) => set(&mut body, "format", schema),
            (Some("json_object"), None) => set(&mut body, "format", "json"),
            _ => {}
        }
    }
    Ok(body)
}

fn tools(body: &mut Object, declared: &[Declaration]) {
    let functions = declared.iter().filter_map(Declaration::function);
    let tools: Vec<Value> = functions
        .map(|tool| {
            let mut function = Object::new();
            set(&mut function, "name", tool.name.as_str());
            set(&mut function, "description", tool.description.as_deref().unwrap_or_default());
            let any = || {
                let mut any = Object::new();
                set(&mut any, "type", "object");
                Value::Object(any)
            };
            set(&mut function, "parameters", tool.parameters.clone().unwrap_or_else(any));
            let mut outer = Object::new();
            set(&mut outer, "type", "function");
            set(&mut outer, "function", function);
            Value::Object(outer)
        })
        .collect();
    if !tools.is_empty() {
        set(body, "tools", tools);
    }
}

fn messages(message: &Message, out: &mut Vec<Value>) -> Result<(), Failure> {
    let (mut images, mut calls, mut thinking) = (Vec::new(), Vec::new(), String::new());
    for part in &message.parts {
        match part {
            MessagePart::File(file) => images.push(image(file)?),
            MessagePart::Reasoning(text) => thinking.push_str(text),
            MessagePart::Call(call) => {
                let text = call.arguments.trim();
                let text = if text.is_empty() { "{}" } else { text };
                let arguments = parse(text, Mode::Strict).map(|parsed| parsed.value);
                let arguments = arguments.map_err(|error| {
                    bad(format!("the arguments of the call `{}` are not JSON: {error}", call.id))
                })?;
                let mut function = Object::new();
                set(&mut function, "name", call.name.as_str());
                set(&mut function, "arguments", arguments);
                let mut entry = Object::new();
                set(&mut entry, "function", function);
                calls.push(Value::Object(entry));
            }
            MessagePart::Result(result) => {
                let mut entry = Object::new();
                set(&mut entry, "role", "tool");
                set(&mut entry, "tool_name", result.name.as_str());
                set(&mut entry, "content", result_text(&result.output));
                if let ToolOutput::Content(parts) = &result.output {
                    let images = parts.iter().filter_map(|part| match part {
                        ContentPart::File(file) => Some(image(file)),
                        ContentPart::Text(_) => None,
                    });
                    let images = images.collect::<Result<Vec<Value>, Failure>>()?;
                    if !images.is_empty() {
                        set(&mut entry, "images", images);
                    }
                }
                out.push(Value::Object(entry));
            }
            _ => {}
        }
    }
    let text = message.joined_text();
    if message.role == Role::Tool && text.is_empty() && images.is_empty() {
        return Ok(());
    }
    let mut entry = Object::new();
    let role = match message.role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    };
    set(&mut entry, "role", role);
    set(&mut entry, "content", text);
    if !images.is_empty() {
        set(&mut entry, "images", images);
    }
    if !thinking.is_empty() {
        set(&mut entry, "thinking", thinking);
    }
    if !calls.is_empty() {
        set(&mut entry, "tool_calls", calls);
    }
    out.push(Value::Object(entry));
    Ok(())
}

fn image(file: &File) -> Result<Value, Failure> {
    match (file.kind(), &file.source) {
        (MediaKind::Image, FileSource::Base64(data)) => Ok(Value::from(data.as_str())),
        _ => Err(bad("this upstream takes images in base 64 and no other files")),
    }
}
