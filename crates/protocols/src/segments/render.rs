//! Writing tools, calls and responses of the segment formats.
//!
//! C11: a call is written, read back, and refused if it did not come back as it was. So the rules of
//! reading are stated in one place only.

use toolweir_rjson::{Mode, Object, Value, json, parse, to_string};

use super::protocol::SegmentsProtocol;
use super::strategy::{JsonProfile, Strategy};
use crate::classes::ContentClass;
use crate::error::FormatError;
use crate::protocol::{Protocol as _, ProtocolExt as _};
use crate::request::{Reasoning, Request};
use crate::tools::{Tool, ToolCall, ToolResponse};

/// Writes one format.
pub(super) struct Renderer<'p> {
    pub(super) protocol: &'p SegmentsProtocol,
    pub(super) strategy: Strategy,
    pub(super) profile: JsonProfile,
}

impl Renderer<'_> {
    pub(super) fn tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        let lines: Vec<String> = tools
            .iter()
            .map(|tool| match self.strategy {
                Strategy::XmlTag => tool_tags(tool),
                _ => to_string(&tool.to_value()),
            })
            .collect();
        Ok(lines.join("\n"))
    }

    pub(super) fn call(&self, call: &ToolCall) -> Result<String, FormatError> {
        let (text, arguments) = call.object()?;
        let class = self.protocol.classes().of_tool(&call.name);
        let written = match (self.strategy, class) {
            (Strategy::XmlTag, Some(class)) => self.xml_class(class, &arguments)?,
            (Strategy::XmlTag, None) => xml_generic(&call.name, &arguments),
            (Strategy::JsonTool, _) => json_call(&call.name, text, self.profile),
            (Strategy::Sentinel, Some(class)) => self.sentinel_class(class, &arguments)?,
            (Strategy::Sentinel, None) => sentinel_generic(&call.name, text),
        };
        let typed = self.strategy != Strategy::XmlTag || class.is_some();
        self.verify(call, &arguments, typed, written)
    }

    /// Reads the call back.
    fn verify(
        &self,
        call: &ToolCall,
        arguments: &Object,
        typed: bool,
        written: String,
    ) -> Result<String, FormatError> {
        let request = Request { reasoning: Reasoning::None, ..Request::default() };
        let refused = || self.refuse(&call.name, "what would not be read back as it is");
        let turn = self.protocol.parse(&written, &request).map_err(|_| refused())?;
        let mut calls = turn.calls();
        let (Some(found), None) = (calls.next(), calls.next()) else { return Err(refused()) };
        let Ok(Value::Object(back)) = parse(found.arguments, Mode::Strict).map(|p| p.value) else {
            return Err(refused());
        };
        let same_keys = arguments.keys().eq(back.keys());
        let same = same_keys
            && arguments.iter().zip(back.iter()).all(|((_, sent), (_, read))| {
                // Types of what is written as text come from the schema.
                if typed { sent == read } else { spelled(sent) == *read }
            });
        let whole = found.name == call.name && turn.parts.len() == 1 && !turn.has_errors();
        if same && whole { Ok(written) } else { Err(refused()) }
    }

    fn refuse(&self, key: &str, what: &str) -> FormatError {
        FormatError::value(self.protocol.name(), key, what)
    }

    fn xml_class(&self, class: &ContentClass, arguments: &Object) -> Result<String, FormatError> {
        let mut args = String::new();
        for (key, value) in arguments.iter() {
            let text = match value {
                Value::String(text) if key == class.body() => enclosed(class, text),
                Value::String(text) => text.clone(),
                other => to_string(other),
            };
            if key != class.body() && text.contains('<') {
                return Err(self.refuse(key, "a `<`"));
            }
            args.push_str(&argument(key, &text));
        }
        Ok(element(&format!("name={}", quoted(class.tool())), &args))
    }

    fn sentinel_class(
        &self,
        class: &ContentClass,
        arguments: &Object,
    ) -> Result<String, FormatError> {
        let mut header = Object::new();
        header.insert("type", Value::from(class.class().name()));
        let mut content = String::new();
        for (key, value) in arguments.iter() {
            match value {
                Value::String(text) if key == class.body() => content.push_str(text),
                _ if key == class.body() || key == "type" => {
                    return Err(self.refuse(key, "what is no text"));
                }
                value => _ = header.insert(key, value.clone()),
            }
        }
        Ok(format!("[[SEG_START {}]]{content}[[SEG_END]]", to_string(&Value::Object(header))))
    }

    pub(super) fn response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        if self.strategy == Strategy::XmlTag {
            let end_marker = "</tool_response>";
            if response.content.to_ascii_lowercase().contains(end_marker) {
                let (format, marker) = (self.protocol.name().to_owned(), end_marker.to_owned());
                return Err(FormatError::Marker { format, marker });
            }
            let name = quoted(&response.name);
            return Ok(format!("<tool_response name={name}>\n{}\n{end_marker}", response.content));
        }
        Ok(to_string(&json!({"tool_response": response.read_value()})))
    }
}

/// Content inside its argument, between markers where it could be taken for structure.
fn enclosed(class: &ContentClass, content: &str) -> String {
    match &class.markers {
        Some((start, end))
            if content.to_ascii_lowercase().contains("</arg")
                || content.trim_start().starts_with(start.as_str()) =>
        {
            format!("{start}\n{content}{end}")
        }
        _ => content.to_owned(),
    }
}

/// A tool with those attributes and arguments.
fn element(attributes: &str, arguments: &str) -> String {
    format!("<tool {attributes}>\n<arguments>\n{arguments}</arguments>\n</tool>")
}

fn argument(key: &str, text: &str) -> String {
    format!("<arg name={}>{text}</arg>\n", quoted(key))
}

fn xml_generic(name: &str, arguments: &Object) -> String {
    let text = |value: &Value| escaped(value.as_str().unwrap_or_default());
    let item = |value: &Value| format!("<item>{}</item>", text(value));
    let args = arguments.iter().map(|(key, value)| match spelled(value) {
        Value::Array(items) => argument(key, &items.iter().map(item).collect::<String>()),
        other => argument(key, &text(&other)),
    });
    element(&format!("name={}", quoted(name)), &args.collect::<String>())
}

/// A value as the format spells it: text, or a list of texts.
fn spelled(value: &Value) -> Value {
    match value {
        Value::Array(items) if !items.is_empty() && items.iter().all(|i| i.as_str().is_some()) => {
            value.clone()
        }
        Value::String(_) => value.clone(),
        other => Value::from(to_string(other)),
    }
}

/// Text as an element carries it: whitespace at its edges would be trimmed.
fn escaped(text: &str) -> String {
    let body = text.trim();
    let start = text.len() - text.trim_start().len();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let edge = at < start || at >= start + body.len();
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if edge => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn quoted(text: &str) -> String {
    if text.contains('"') { format!("'{text}'") } else { format!("\"{text}\"") }
}

/// The call as the profile's models write it; the arguments keep their bytes.
fn json_call(name: &str, arguments: &str, profile: JsonProfile) -> String {
    let name = Value::from(name);
    match profile {
        JsonProfile::OpenAi => format!(
            "{{\"tool_calls\": [{{\"function\": {{\"name\": {name}, \"arguments\": {arguments}}}}}]}}"
        ),
        JsonProfile::Gemini => format!("{{\"name\": {name}, \"args\": {arguments}}}"),
        JsonProfile::Default => {
            format!("{{\"tool\": {{\"function\": {name}, \"parameters\": {arguments}}}}}")
        }
    }
}

fn sentinel_generic(name: &str, arguments: &str) -> String {
    let name = Value::from(name);
    format!(
        "[[SEG_START {{\"type\":\"tool_call\",\"tool_name\":{name},\"arguments\":{arguments}}}]][[SEG_END]]"
    )
}

/// A tool as the elements that a call of it is written in, each argument with its type.
fn tool_tags(tool: &Tool) -> String {
    let description = tool.description.as_deref().unwrap_or_default();
    let attributes = format!("name={} description={}", quoted(&tool.name), attribute(description));
    let schema = tool.parameters.as_ref();
    let required = schema.and_then(|s| s.get("required")).and_then(Value::as_array);
    let is_required =
        |key: &str| required.is_some_and(|list| list.iter().any(|item| item.as_str() == Some(key)));
    let properties = schema.and_then(|s| s.get("properties")).and_then(Value::as_object);
    let args = properties.into_iter().flat_map(Object::iter).map(|(key, property)| {
        let said = |word: &str| property.get(word).and_then(Value::as_str).unwrap_or_default();
        format!(
            "<arg name={} type={} description={} required=\"{}\"/>\n",
            attribute(key),
            attribute(said("type")),
            attribute(said("description")),
            is_required(key)
        )
    });
    element(&attributes, &args.collect::<String>())
}

/// An attribute with its quotes; what would end it is escaped.
fn attribute(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!("\"{text}\"")
}
