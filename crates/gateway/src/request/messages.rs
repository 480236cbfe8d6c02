//! `POST /v1/messages`.

use toolweir_adapters::Failure;
use toolweir_middleware::{File, FileSource, Message, MessagePart, Role, ToolChoice, ToolOutput};
use toolweir_rjson::{Object, Value};

use super::fields::{self, Names};
use super::{Asked, bad, refuse};

/// Fields that mean the same to the model.
const PASSED: &[&str] = &["temperature", "top_p", "top_k"];

pub(super) fn read(object: &Object) -> Result<Asked, Failure> {
    refuse(object, &["mcp_servers", "container"], "the gateway runs no tools")?;
    let mut asked = Asked::new(fields::needed(object, "model", "the request")?.to_owned());
    asked.stream = fields::flag(object, "stream")?.unwrap_or(false);
    asked.max_tokens = fields::count(object, "max_tokens")?;
    asked.stop = fields::strings(object, "stop_sequences")?;
    for (number, tool) in fields::list(object, "tools")?.into_iter().enumerate() {
        let place = format!("tools[{number}]");
        let tool = fields::object(tool, &place)?;
        if let Some(kind) = fields::text(tool, "type")?.filter(|kind| *kind != "custom") {
            return Err(bad(format!("{place}: a tool of type `{kind}` is not supported")));
        }
        fields::tool(&mut asked, tool, "input_schema", &place)?;
    }
    if let Some(choice) = fields::some(object, "tool_choice") {
        self::choice(&mut asked, fields::object(choice, "`tool_choice`")?)?;
    }
    if let Some(system) = fields::some(object, "system") {
        let parts = blocks(system, &mut Names::default(), "system")?;
        asked.conversation.messages.push(Message::new(Role::System, parts));
    }
    messages(&mut asked, object)?;
    let config =
        fields::some(object, "output_config").map(|it| fields::object(it, "`output_config`"));
    let format = match config.transpose()? {
        Some(config) => fields::some(config, "format"),
        // Its name while it was in beta.
        None => fields::some(object, "output_format"),
    };
    asked.response_format = format.map(self::format).transpose()?;
    let passed = PASSED
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), fields::some(object, key)?.clone())));
    asked.passed = passed.collect();
    asked.passed.extend(fields::inner(object, &[("output_config", "effort", "reasoning_effort")]));
    Ok(asked)
}

/// The format of the answer as chat completions have it, which want a name.
fn format(format: &Value) -> Result<Value, Failure> {
    let format = fields::object(format, "the format of the output")?;
    let schema = fields::some(format, "schema");
    let (kind, Some(schema)) =
        (fields::needed(format, "type", "the format of the output")?, schema)
    else {
        return Err(bad("the format of the output has no `schema`"));
    };
    if kind != "json_schema" {
        return Err(bad(format!("the format of the output is of type `{kind}`; use json_schema")));
    }
    let mut inner = Object::new();
    inner.insert("name", "output");
    inner.insert("schema", schema.clone());
    let mut outer = Object::new();
    outer.insert("type", "json_schema");
    outer.insert("json_schema", inner);
    Ok(Value::Object(outer))
}

fn choice(asked: &mut Asked, choice: &Object) -> Result<(), Failure> {
    asked.parallel = !fields::flag(choice, "disable_parallel_tool_use")?.unwrap_or(false);
    asked.conversation.choice = match fields::needed(choice, "type", "`tool_choice`")? {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(fields::needed(choice, "name", "`tool_choice`")?.to_owned()),
        kind => {
            return Err(bad(format!(
                "`tool_choice` is of type `{kind}`; use auto, any, none or tool"
            )));
        }
    };
    Ok(())
}

fn messages(asked: &mut Asked, object: &Object) -> Result<(), Failure> {
    let list = fields::list(object, "messages")?;
    if list.is_empty() {
        return Err(bad("`messages` is missing or empty"));
    }
    let mut names = Names::default();
    let before = asked.conversation.messages.len();
    for (number, message) in list.into_iter().enumerate() {
        let place = format!("messages[{number}]");
        let message = fields::object(message, &place)?;
        let role = match fields::needed(message, "role", &place)? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            role => return Err(bad(format!("{place}: the role `{role}` is not supported"))),
        };
        let content = fields::some(message, "content")
            .ok_or_else(|| bad(format!("{place}: `content` is missing")))?;
        let parts = blocks(content, &mut names, &format!("{place}.content"))?;
        // Results are a message of their own, in front of what the user says.
        let (results, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| matches!(part, MessagePart::Result(_)));
        let messages = &mut asked.conversation.messages;
        if !results.is_empty() {
            messages.push(Message::new(Role::Tool, results));
        }
        if !others.is_empty() {
            messages.push(Message::new(role, others));
        }
    }
    if asked.conversation.messages.len() == before {
        return Err(bad("`messages` has no content"));
    }
    Ok(())
}

/// A text, or blocks.
fn blocks(content: &Value, names: &mut Names, place: &str) -> Result<Vec<MessagePart>, Failure> {
    if let Some(text) = content.as_str() {
        return Ok(vec![MessagePart::Text(text.to_owned())]);
    }
    let Some(list) = content.as_array() else {
        return Err(bad(format!("{place} is {}, not text or blocks", content.type_name())));
    };
    let mut parts = Vec::new();
    for (number, block) in list.iter().enumerate() {
        let place = format!("{place}[{number}]");
        parts.extend(self::block(fields::object(block, &place)?, names, &place)?);
    }
    Ok(parts)
}

fn block(block: &Object, names: &mut Names, place: &str) -> Result<Option<MessagePart>, Failure> {
    Ok(Some(match fields::needed(block, "type", place)? {
        "text" => MessagePart::Text(fields::needed(block, "text", place)?.to_owned()),
        "thinking" => MessagePart::Reasoning(fields::needed(block, "thinking", place)?.to_owned()),
        // Readable by nobody but who made it.
        "redacted_thinking" => return Ok(None),
        "image" => file(block, "image/*", place)?,
        "document" => file(block, "application/pdf", place)?,
        "tool_use" => {
            let id = fields::needed(block, "id", place)?;
            let name = fields::needed(block, "name", place)?;
            let input =
                fields::some(block, "input").map_or_else(|| "{}".to_owned(), Value::to_string);
            names.call(id, name, input)
        }
        "tool_result" => {
            let id = fields::needed(block, "tool_use_id", place)?;
            let parts = match fields::some(block, "content") {
                Some(content) => blocks(content, &mut Names::default(), place)?,
                None => Vec::new(),
            };
            let output = fields::output(parts);
            let failed = fields::flag(block, "is_error")?.unwrap_or(false);
            let output = match output {
                ToolOutput::Text(text) if failed => ToolOutput::Error(text),
                ToolOutput::Content(_) if failed => {
                    return Err(bad(format!(
                        "{place}: `is_error` with files is not supported; send text"
                    )));
                }
                output => output,
            };
            names.result(id, output, place)?
        }
        kind => return Err(bad(format!("{place}: a block of type `{kind}` is not supported"))),
    }))
}

fn file(block: &Object, media_type: &str, place: &str) -> Result<MessagePart, Failure> {
    let source = block.get("source").and_then(Value::as_object);
    let source = source.ok_or_else(|| bad(format!("{place}: `source` is missing")))?;
    let source_file = match fields::needed(source, "type", place)? {
        "base64" => File {
            media_type: fields::needed(source, "media_type", place)?.to_owned(),
            name: None,
            detail: None,
            source: FileSource::Base64(fields::needed(source, "data", place)?.to_owned()),
        },
        "url" => File {
            media_type: media_type.to_owned(),
            name: None,
            detail: None,
            source: FileSource::Url(fields::needed(source, "url", place)?.to_owned()),
        },
        "text" => return Ok(MessagePart::Text(fields::needed(source, "data", place)?.to_owned())),
        kind => return Err(bad(format!("{place}: a source of type `{kind}` is not supported"))),
    };
    Ok(MessagePart::File(source_file))
}
