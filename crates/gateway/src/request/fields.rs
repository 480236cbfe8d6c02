//! Fields that the wires share, with errors that name their place.

use toolweir_adapters::Failure;
use toolweir_middleware::{
    ContentPart, Declaration, File, FileSource, HistoryCall, Message, MessagePart, Role,
    ToolOutput, ToolResult,
};
use toolweir_protocols::Tool;
use toolweir_rjson::{Object, Value};

use super::{Asked, bad};

/// The member, where it is there and not null.
pub(super) fn some<'a>(object: &'a Object, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// The members of members that are fields of their own in chat completions: of each the outer key, the inner one and
/// that field.
pub(super) fn inner<'a>(
    object: &'a Object,
    names: &'a [(&str, &str, &str)],
) -> impl Iterator<Item = (String, Value)> + 'a {
    names.iter().filter_map(|(outer, inner, name)| {
        let value = object.get(outer)?.get(inner).filter(|value| !value.is_null())?;
        Some(((*name).to_owned(), value.clone()))
    })
}

pub(super) fn text<'a>(object: &'a Object, key: &str) -> Result<Option<&'a str>, Failure> {
    match some(object, key) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(bad(format!("`{key}` is {}, not a string", value.type_name()))),
        },
    }
}

pub(super) fn needed<'a>(object: &'a Object, key: &str, place: &str) -> Result<&'a str, Failure> {
    let found = text(object, key).map_err(|failure| at(place, failure))?;
    found.ok_or_else(|| bad(format!("{place}: `{key}` is missing")))
}

pub(super) fn flag(object: &Object, key: &str) -> Result<Option<bool>, Failure> {
    match some(object, key) {
        None => Ok(None),
        Some(value) => match value.as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => Err(bad(format!("`{key}` is {}, not a boolean", value.type_name()))),
        },
    }
}

pub(super) fn count(object: &Object, key: &str) -> Result<Option<u64>, Failure> {
    match some(object, key) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) => Ok(Some(count)),
            None => Err(bad(format!("`{key}` is not a whole number from 0"))),
        },
    }
}

pub(super) fn list<'a>(object: &'a Object, key: &str) -> Result<Vec<&'a Value>, Failure> {
    match some(object, key) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list.iter().collect()),
        Some(value) => Err(bad(format!("`{key}` is {}, not an array", value.type_name()))),
    }
}

pub(super) fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Object, Failure> {
    value.as_object().ok_or_else(|| bad(format!("{place} is {}, not an object", value.type_name())))
}

/// The failure, with its place in front.
pub(super) fn at(place: &str, failure: Failure) -> Failure {
    Failure::new(failure.kind, format!("{place}: {}", failure.message))
}

/// One string or several.
pub(super) fn strings(object: &Object, key: &str) -> Result<Vec<String>, Failure> {
    match some(object, key) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let all: Option<Vec<String>> = list.iter().map(text).collect();
            all.ok_or_else(|| bad(format!("`{key}` holds something that is not a string")))
        }
        Some(value) => match value.as_str() {
            Some(text) => Ok(vec![text.to_owned()]),
            None => Err(bad(format!("`{key}` is {}, not a string", value.type_name()))),
        },
    }
}

/// A tool as all wires have it: `name`, `description`, a schema, `strict`.
pub(super) fn tool(
    asked: &mut Asked,
    object: &Object,
    schema: &str,
    place: &str,
) -> Result<(), Failure> {
    let name = needed(object, "name", place)?;
    let mut tool = Tool::new(name);
    if let Some(text) = text(object, "description").map_err(|failure| at(place, failure))? {
        tool = tool.description(text);
    }
    if let Some(schema) = some(object, schema) {
        if schema.as_object().is_none() {
            return Err(bad(format!(
                "{place}: the schema is {}, not an object",
                schema.type_name()
            )));
        }
        tool = tool.parameters(schema);
    }
    if flag(object, "strict").map_err(|failure| at(place, failure))? == Some(true) {
        asked.strict.push(name.to_owned());
    }
    asked.conversation.tools.push(Declaration::from(tool));
    Ok(())
}

/// Names of the calls of a history, by their ids.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: Vec<(String, String)>,
}

impl Names {
    pub(super) fn call(&mut self, id: &str, name: &str, arguments: String) -> MessagePart {
        self.known.push((id.to_owned(), name.to_owned()));
        MessagePart::Call(HistoryCall { id: id.to_owned(), name: name.to_owned(), arguments })
    }

    /// The result of that call.
    pub(super) fn result(
        &self,
        id: &str,
        output: ToolOutput,
        place: &str,
    ) -> Result<MessagePart, Failure> {
        let known = self.known.iter().rev().find(|(call, _)| call == id);
        let Some((_, name)) = known else {
            return Err(bad(format!(
                "{place} answers the call `{id}`, which no message before it has"
            )));
        };
        let (id, name) = (id.to_owned(), name.clone());
        Ok(MessagePart::Result(ToolResult { id, name, output }))
    }
}

/// Parts of a result: one text where there is nothing else.
pub(super) fn output(parts: Vec<MessagePart>) -> ToolOutput {
    let mut content: Vec<ContentPart> = Vec::new();
    for part in parts {
        match part {
            MessagePart::Text(text) => content.push(ContentPart::Text(text)),
            MessagePart::File(file) => content.push(ContentPart::File(file)),
            _ => {}
        }
    }
    if content.iter().any(|part| matches!(part, ContentPart::File(_))) {
        return ToolOutput::Content(content);
    }
    let texts = content.into_iter().filter_map(|part| match part {
        ContentPart::Text(text) => Some(text),
        ContentPart::File(_) => None,
    });
    ToolOutput::Text(texts.collect::<Vec<_>>().join("\n"))
}

/// An image at an address or in one (`data:image/png;base64,…`), with the `detail` beside it.
pub(super) fn image(url: &str, beside: &Object, place: &str) -> Result<MessagePart, Failure> {
    let detail = text(beside, "detail").map_err(|failure| at(place, failure))?;
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (media_type, source) = match inline {
        Some((media_type, data)) => (media_type, FileSource::Base64(data.to_owned())),
        None => ("image/*", FileSource::Url(url.to_owned())),
    };
    let (media_type, detail) = (media_type.to_owned(), detail.map(str::to_owned));
    Ok(MessagePart::File(File { media_type, name: None, detail, source }))
}

/// Adds a message, to the last one where the same speaks on.
pub(super) fn say(messages: &mut Vec<Message>, role: Role, parts: Vec<MessagePart>) {
    match messages.last_mut() {
        Some(last) if last.role == role && matches!(role, Role::Assistant | Role::Tool) => {
            last.parts.extend(parts);
        }
        _ => messages.push(Message::new(role, parts)),
    }
}
