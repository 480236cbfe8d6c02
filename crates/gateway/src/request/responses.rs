//! `POST /v1/responses`. The gateway keeps nothing: what refers to an earlier response is refused.

use toolweir_adapters::Failure;
use toolweir_middleware::{Message, MessagePart, Role, ToolChoice};
use toolweir_rjson::{Object, Value};

use super::fields::{self, Names};
use super::{Asked, bad, refuse};

/// Fields that mean the same in chat completions.
const PASSED: &[&str] =
    &["temperature", "top_p", "user", "service_tier", "prompt_cache_key", "safety_identifier"];

/// Members that are fields of their own in chat completions.
const INNER: [(&str, &str, &str); 2] =
    [("reasoning", "effort", "reasoning_effort"), ("text", "verbosity", "verbosity")];

/// Fields that the response repeats.
const REPEATED: &[&str] = &[
    "instructions",
    "max_output_tokens",
    "metadata",
    "parallel_tool_calls",
    "reasoning",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "user",
];

pub(super) fn read(object: &Object) -> Result<Asked, Failure> {
    let stateless = "the gateway keeps no state; send the whole input";
    refuse(object, &["previous_response_id", "conversation", "background", "prompt"], stateless)?;
    let logprobs = |entry: &&Value| entry.as_str() == Some("message.output_text.logprobs");
    if fields::list(object, "include")?.iter().any(logprobs) {
        return Err(bad(
            "`logprobs` are not supported: the gateway writes text, reasoning and calls",
        ));
    }
    let mut asked = Asked::new(fields::needed(object, "model", "the request")?.to_owned());
    asked.stream = fields::flag(object, "stream")?.unwrap_or(false);
    asked.parallel = fields::flag(object, "parallel_tool_calls")?.unwrap_or(true);
    asked.max_tokens = fields::count(object, "max_output_tokens")?;
    for (number, tool) in fields::list(object, "tools")?.into_iter().enumerate() {
        let place = format!("tools[{number}]");
        let tool = fields::object(tool, &place)?;
        let kind = fields::needed(tool, "type", &place)?;
        if kind != "function" {
            return Err(bad(format!(
                "{place}: a tool of type `{kind}` is not supported; use a function"
            )));
        }
        fields::tool(&mut asked, tool, "parameters", &place)?;
    }
    if let Some(choice) = fields::some(object, "tool_choice") {
        asked.conversation.choice = self::choice(choice)?;
    }
    if let Some(text) = fields::text(object, "instructions")? {
        asked.conversation.messages.push(Message::system(text));
    }
    input(&mut asked, object)?;
    for key in PASSED {
        if let Some(value) = fields::some(object, key) {
            asked.passed.push(((*key).to_owned(), value.clone()));
        }
    }
    asked.passed.extend(fields::inner(object, &INNER));
    let format = object.get("text").and_then(|text| text.get("format"));
    if let Some(format) = format.filter(|format| !format.is_null()) {
        asked.response_format = self::format(format)?;
    }
    for key in REPEATED {
        let value = fields::some(object, key).map(Value::to_string);
        if let Some(value) = value.and_then(|text| serde_json::from_str(&text).ok()) {
            asked.echo.insert((*key).to_owned(), value);
        }
    }
    Ok(asked)
}

/// The format of the answer as chat completions have it: the schema one level further in.
fn format(format: &Value) -> Result<Option<Value>, Failure> {
    let format = fields::object(format, "`text.format`")?;
    match fields::needed(format, "type", "`text.format`")? {
        "text" => Ok(None),
        "json_schema" => {
            let inner = format.iter().filter(|(key, _)| *key != "type");
            let inner: Object = inner.map(|(key, value)| (key.to_owned(), value.clone())).collect();
            let mut outer = Object::new();
            outer.insert("type", "json_schema");
            outer.insert("json_schema", inner);
            Ok(Some(Value::Object(outer)))
        }
        _ => Ok(Some(Value::Object(format.clone()))),
    }
}

fn choice(choice: &Value) -> Result<ToolChoice, Failure> {
    match choice.as_str() {
        Some("auto") => return Ok(ToolChoice::Auto),
        Some("none") => return Ok(ToolChoice::None),
        Some("required") => return Ok(ToolChoice::Required),
        Some(word) => {
            return Err(bad(format!(
                "`tool_choice` is `{word}`; use auto, none, required or a function"
            )));
        }
        None => {}
    }
    let object = fields::object(choice, "`tool_choice`")?;
    match fields::needed(object, "type", "`tool_choice`")? {
        "function" => {
            Ok(ToolChoice::Named(fields::needed(object, "name", "`tool_choice`")?.to_owned()))
        }
        kind => Err(bad(format!("`tool_choice` of type `{kind}` is not supported"))),
    }
}

fn input(asked: &mut Asked, object: &Object) -> Result<(), Failure> {
    let messages = &mut asked.conversation.messages;
    let items = match fields::some(object, "input") {
        None => return Err(bad("`input` is missing")),
        Some(Value::Array(items)) => items,
        Some(value) => {
            let text = value.as_str();
            let text = text.ok_or_else(|| {
                bad(format!("`input` is {}, not text or items", value.type_name()))
            })?;
            messages.push(Message::user(text));
            return Ok(());
        }
    };
    let mut names = Names::default();
    for (number, item) in items.iter().enumerate() {
        let place = format!("input[{number}]");
        let item = fields::object(item, &place)?;
        match fields::text(item, "type")?.unwrap_or("message") {
            "message" => {
                let role = match fields::needed(item, "role", &place)? {
                    "system" | "developer" => Role::System,
                    "user" => Role::User,
                    "assistant" => Role::Assistant,
                    role => {
                        return Err(bad(format!("{place}: the role `{role}` is not supported")));
                    }
                };
                fields::say(messages, role, content(item, "content", &place)?);
            }
            "function_call" => {
                let id = fields::needed(item, "call_id", &place)?;
                let name = fields::needed(item, "name", &place)?;
                let arguments = fields::text(item, "arguments")?.unwrap_or("{}").to_owned();
                fields::say(messages, Role::Assistant, vec![names.call(id, name, arguments)]);
            }
            "function_call_output" => {
                let id = fields::needed(item, "call_id", &place)?;
                let output = fields::output(content(item, "output", &place)?);
                fields::say(messages, Role::Tool, vec![names.result(id, output, &place)?]);
            }
            "reasoning" => {
                let mut parts = content(item, "content", &place)?;
                if parts.is_empty() {
                    parts = content(item, "summary", &place)?;
                }
                let parts = parts.into_iter().filter_map(|part| match part {
                    MessagePart::Text(text) => Some(MessagePart::Reasoning(text)),
                    _ => None,
                });
                let parts: Vec<_> = parts.collect();
                if !parts.is_empty() {
                    fields::say(messages, Role::Assistant, parts);
                }
            }
            kind => return Err(bad(format!("{place}: an item of type `{kind}` is not supported"))),
        }
    }
    if messages.is_empty() {
        return Err(bad("`input` is empty"));
    }
    Ok(())
}

fn content(item: &Object, key: &str, place: &str) -> Result<Vec<MessagePart>, Failure> {
    let parts = match fields::some(item, key) {
        None => return Ok(Vec::new()),
        Some(Value::Array(parts)) => parts,
        Some(value) => {
            return match value.as_str() {
                Some(text) => Ok(vec![MessagePart::Text(text.to_owned())]),
                None => Err(bad(format!("{place}.{key} is {}, not text", value.type_name()))),
            };
        }
    };
    let part = |(number, part): (usize, &Value)| {
        let place = format!("{place}.{key}[{number}]");
        let part = fields::object(part, &place)?;
        match fields::needed(part, "type", &place)? {
            "input_text" | "output_text" | "text" | "reasoning_text" | "summary_text" => {
                Ok(MessagePart::Text(fields::needed(part, "text", &place)?.to_owned()))
            }
            "refusal" => Ok(MessagePart::Text(fields::needed(part, "refusal", &place)?.to_owned())),
            "input_image" => {
                fields::image(fields::needed(part, "image_url", &place)?, part, &place)
            }
            kind => Err(bad(format!("{place}: a part of type `{kind}` is not supported"))),
        }
    };
    parts.iter().enumerate().map(part).collect()
}
