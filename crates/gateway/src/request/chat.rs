//! `POST /v1/chat/completions`.

use toolweir_adapters::Failure;
use toolweir_middleware::{File, FileSource, Message, MessagePart, Role, ToolChoice};
use toolweir_rjson::{Object, Value};

use super::fields::{self, Names};
use super::{Asked, bad, refuse};

/// Fields that are read here; all others go on to the model.
const READ: &[&str] = &[
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stop",
    "max_tokens",
    "max_completion_tokens",
    "n",
    "stream",
    "stream_options",
    "response_format",
    "logprobs",
    "top_logprobs",
    "functions",
    "function_call",
    "audio",
];

pub(super) fn read(object: &Object) -> Result<Asked, Failure> {
    refuse(object, &["functions", "function_call"], "use `tools` and `tool_choice`")?;
    refuse(object, &["logprobs", "audio"], "the gateway writes text, reasoning and calls")?;
    if fields::strings(object, "modalities")?.iter().any(|kind| kind != "text") {
        return Err(bad("`modalities` other than text are not supported"));
    }
    let mut asked = Asked::new(fields::needed(object, "model", "the request")?.to_owned());
    asked.stream = fields::flag(object, "stream")?.unwrap_or(false);
    if let Some(options) = fields::some(object, "stream_options") {
        let options = fields::object(options, "`stream_options`")?;
        asked.usage_chunk = fields::flag(options, "include_usage")?.unwrap_or(false);
    }
    asked.parallel = fields::flag(object, "parallel_tool_calls")?.unwrap_or(true);
    asked.stop = fields::strings(object, "stop")?;
    asked.max_tokens = match fields::count(object, "max_completion_tokens")? {
        Some(count) => Some(count),
        None => fields::count(object, "max_tokens")?,
    };
    asked.n = match fields::count(object, "n")?.unwrap_or(1) {
        n @ 1..=128 => u32::try_from(n).unwrap_or(1),
        n => return Err(bad(format!("`n` is {n}; it may be 1 to 128"))),
    };
    asked.response_format = fields::some(object, "response_format").cloned();
    for (number, tool) in fields::list(object, "tools")?.into_iter().enumerate() {
        self::tool(&mut asked, tool, &format!("tools[{number}]"))?;
    }
    if let Some(choice) = fields::some(object, "tool_choice") {
        asked.conversation.choice = self::choice(choice)?;
    }
    messages(&mut asked, object)?;
    let passed = object.iter().filter(|(key, value)| !READ.contains(key) && !value.is_null());
    asked.passed = passed.map(|(key, value)| (key.to_owned(), value.clone())).collect();
    Ok(asked)
}

fn tool(asked: &mut Asked, tool: &Value, place: &str) -> Result<(), Failure> {
    let tool = fields::object(tool, place)?;
    let kind = fields::text(tool, "type")?.unwrap_or("function");
    let Some(function) = fields::some(tool, "function").filter(|_| kind == "function") else {
        return Err(bad(format!(
            "{place}: a tool of type `{kind}` is not supported; use a function"
        )));
    };
    fields::tool(asked, fields::object(function, place)?, "parameters", place)
}

fn choice(choice: &Value) -> Result<ToolChoice, Failure> {
    if let Some(word) = choice.as_str() {
        return match word {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" => Ok(ToolChoice::Required),
            _ => Err(bad(format!(
                "`tool_choice` is `{word}`; use auto, none, required or a function"
            ))),
        };
    }
    let object = fields::object(choice, "`tool_choice`")?;
    match fields::some(object, "function") {
        Some(function) => {
            let function = fields::object(function, "`tool_choice.function`")?;
            let name = fields::needed(function, "name", "`tool_choice.function`")?;
            Ok(ToolChoice::Named(name.to_owned()))
        }
        None => {
            Err(bad("this `tool_choice` is not supported; use auto, none, required or a function"))
        }
    }
}

fn messages(asked: &mut Asked, object: &Object) -> Result<(), Failure> {
    let list = fields::list(object, "messages")?;
    if list.is_empty() {
        return Err(bad("`messages` is missing or empty"));
    }
    let mut names = Names::default();
    for (number, message) in list.into_iter().enumerate() {
        let place = format!("messages[{number}]");
        let message = fields::object(message, &place)?;
        let messages = &mut asked.conversation.messages;
        let name = fields::text(message, "name")?.map(str::to_owned);
        match fields::needed(message, "role", &place)? {
            "system" | "developer" => {
                messages
                    .push(Message::new(Role::System, content(message, &place)?).with_name(name));
            }
            "user" => {
                messages.push(Message::new(Role::User, content(message, &place)?).with_name(name));
            }
            "assistant" => {
                let parts = assistant(message, &mut names, &place)?;
                // Messages of their own stay so.
                messages.push(Message::new(Role::Assistant, parts).with_name(name));
            }
            "tool" => {
                let id = fields::needed(message, "tool_call_id", &place)?;
                let output = fields::output(content(message, &place)?);
                let result = names.result(id, output, &place)?;
                fields::say(messages, Role::Tool, vec![result]);
            }
            role => return Err(bad(format!("{place}: the role `{role}` is not supported"))),
        }
    }
    Ok(())
}

fn assistant(
    message: &Object,
    names: &mut Names,
    place: &str,
) -> Result<Vec<MessagePart>, Failure> {
    let mut parts = Vec::new();
    for key in ["reasoning_content", "reasoning"] {
        if let Some(text) = message.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            parts.push(MessagePart::Reasoning(text.to_owned()));
            break;
        }
    }
    parts.extend(content(message, place)?);
    if let Some(refusal) = fields::text(message, "refusal")?.filter(|text| !text.is_empty()) {
        parts.push(MessagePart::Text(refusal.to_owned()));
    }
    for (number, call) in fields::list(message, "tool_calls")?.into_iter().enumerate() {
        let place = format!("{place}.tool_calls[{number}]");
        let call = fields::object(call, &place)?;
        let id = fields::needed(call, "id", &place)?;
        let function = call.get("function").map_or_else(
            || Err(bad(format!("{place}: `function` is missing"))),
            |function| fields::object(function, &place),
        )?;
        let name = fields::needed(function, "name", &place)?;
        let arguments = match fields::some(function, "arguments") {
            Some(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            None => "{}".to_owned(),
        };
        parts.push(names.call(id, name, arguments));
    }
    Ok(parts)
}

/// Content: a text, or parts.
fn content(message: &Object, place: &str) -> Result<Vec<MessagePart>, Failure> {
    match fields::some(message, "content") {
        None => Ok(Vec::new()),
        Some(Value::Array(parts)) => parts
            .iter()
            .enumerate()
            .map(|(number, part)| {
                let place = format!("{place}.content[{number}]");
                self::part(fields::object(part, &place)?, &place)
            })
            .collect(),
        Some(value) => match value.as_str() {
            Some("") => Ok(Vec::new()),
            Some(text) => Ok(vec![MessagePart::Text(text.to_owned())]),
            None => Err(bad(format!("{place}.content is {}, not text", value.type_name()))),
        },
    }
}

fn part(part: &Object, place: &str) -> Result<MessagePart, Failure> {
    match fields::needed(part, "type", place)? {
        "text" => Ok(MessagePart::Text(fields::needed(part, "text", place)?.to_owned())),
        "refusal" => Ok(MessagePart::Text(fields::needed(part, "refusal", place)?.to_owned())),
        "image_url" => {
            let inner = part.get("image_url").and_then(Value::as_object);
            let (url, from) = match inner {
                Some(inner) => (fields::needed(inner, "url", place)?, inner),
                None => (fields::needed(part, "image_url", place)?, part),
            };
            fields::image(url, from, place)
        }
        "input_audio" => {
            let audio = part.get("input_audio").and_then(Value::as_object);
            let audio = audio.ok_or_else(|| bad(format!("{place}: `input_audio` is missing")))?;
            let format = fields::needed(audio, "format", place)?;
            let data = fields::needed(audio, "data", place)?;
            Ok(MessagePart::File(File {
                media_type: format!("audio/{format}"),
                name: None,
                detail: None,
                source: FileSource::Base64(data.to_owned()),
            }))
        }
        kind => Err(bad(format!("{place}: a part of type `{kind}` is not supported"))),
    }
}
