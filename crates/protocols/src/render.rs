//! Renderers driven by the spec: the same data as decoding, in the other direction.
//!
//! C11: what is rendered decodes back to the same call. What a format cannot carry unchanged is
//! refused with a [`FormatError`], never altered.

use toolweir_rjson::{
    Mode, Object, Style, Value, WriteOptions, parse, to_string_with, write_string,
};

use crate::error::FormatError;
use crate::owned_spec::OwnedSpec;
use crate::spec::{FormatSpec, Header, Payload, ToolsBlock};
use crate::tools::{Tool, ToolCall, ToolResponse};

/// Writes tools, calls and responses of one spec.
#[derive(Debug)]
pub(crate) struct Renderer {
    pub(crate) spec: OwnedSpec,
}

impl Renderer {
    pub(crate) fn new(spec: &FormatSpec<'_>) -> Self {
        Self { spec: OwnedSpec::new(spec) }
    }

    pub(crate) fn tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        self.spec.with(|spec| {
            let (before, body, after) = match spec.render.tools {
                ToolsBlock::OpenAiLines(a, b) => {
                    let line = |t| to_text(spec, &wrap_function(tool_value(t)));
                    (a, tools.iter().map(line).collect::<Vec<_>>().join("\n"), b)
                }
                ToolsBlock::Array(a, b) => {
                    let list = Value::Array(tools.iter().map(tool_value).collect());
                    (a, to_text(spec, &list), b)
                }
                ToolsBlock::Tags(a, b) => {
                    let lines: Vec<String> = tools.iter().map(tool_tags).collect();
                    (a, lines.join("\n"), b)
                }
            };
            // A description that closes the block would forge the prompt.
            for marker in [before.trim(), after.trim()].into_iter().filter(|m| !m.is_empty()) {
                refuse_marker(spec, &body, marker)?;
            }
            Ok(format!("{before}{body}{after}"))
        })
    }

    pub(crate) fn call(&self, call: &ToolCall) -> Result<String, FormatError> {
        let arguments = arguments(call)?;
        self.spec.with(|spec| match spec.payload {
            Payload::Json { .. } => json_call(spec, call),
            Payload::TaggedParams { word, .. } => tagged_call(spec, word, call, &arguments),
        })
    }

    pub(crate) fn response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.spec.with(|spec| {
            let (before, after) = spec.render.response;
            let body = if spec.render.response_json {
                let content = parse(&response.content, Mode::Strict).map(|p| p.value);
                let mut object = Object::new();
                object.insert("name".to_owned(), Value::from(response.name.as_str()));
                let text = || Value::from(response.content.as_str());
                object.insert("content".to_owned(), content.unwrap_or_else(|_| text()));
                to_text(spec, &Value::Object(object))
            } else {
                response.content.clone()
            };
            refuse_marker(spec, &body, after.trim())?;
            Ok(format!("{before}{body}{after}"))
        })
    }
}

/// The arguments as an object; missing ones are `{}`.
fn arguments(call: &ToolCall) -> Result<Object, FormatError> {
    let text = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.as_str() };
    match parse(text, Mode::Strict).map(|p| p.value) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(FormatError::NotAnObject { tool: call.name.clone() }),
    }
}

/// The call object between its markers; the arguments keep the bytes they came with.
fn json_call(spec: &FormatSpec<'_>, call: &ToolCall) -> Result<String, FormatError> {
    if call.name.is_empty() {
        return Err(bad_name(spec, call));
    }
    let (Payload::Json { keys, .. }, inner) = (spec.payload, spec.render.inner) else {
        return Err(bad_name(spec, call));
    };
    let open = spec.call.open.first().copied().unwrap_or_default();
    let close = spec.call.close.first().copied().unwrap_or_default();
    let (colon, comma) = if spec.render.spaced { (": ", ", ") } else { (":", ",") };
    let name_key = keys.name.first().copied().unwrap_or("name");
    let args_key = keys.args.first().copied().unwrap_or("arguments");
    let mut out = format!("{open}{inner}{{");
    write_string(&mut out, name_key);
    out.push_str(colon);
    write_string(&mut out, &call.name);
    out.push_str(comma);
    write_string(&mut out, args_key);
    out.push_str(colon);
    let blank = call.arguments.trim().is_empty();
    out.push_str(if blank { "{}" } else { call.arguments.trim() });
    out.push('}');
    out.push_str(inner);
    out.push_str(close);
    Ok(out)
}

/// One tag a parameter; the wrapper, where the format has one, around the call.
fn tagged_call(
    spec: &FormatSpec<'_>,
    word: &str,
    call: &ToolCall,
    arguments: &Object,
) -> Result<String, FormatError> {
    let Header::Tag { word: call_word } = spec.header else {
        return Err(bad_name(spec, call));
    };
    if !is_tag_name(&call.name) {
        return Err(bad_name(spec, call));
    }
    let inner = spec.render.inner;
    let open = spec.section.open.first().copied().unwrap_or_default();
    let close = spec.section.close.first().copied().unwrap_or_default();
    let closers = [format!("</{word}>"), format!("\n<{word}="), format!("</{call_word}>")];
    let mut out = format!("{open}{inner}<{call_word}={}>\n", call.name);
    for (key, value) in arguments.iter() {
        let refuse = |what: String| FormatError::Value {
            format: spec.name.to_owned(),
            key: key.to_owned(),
            what,
        };
        if !is_tag_name(key) {
            return Err(refuse("a key that is no tag name".into()));
        }
        let text = match value {
            Value::String(text) => text.clone(),
            other => to_text(spec, other),
        };
        let framed = format!("\n{text}\n");
        let sections = spec.section.close.iter().map(|c| (*c).to_owned());
        if let Some(marker) = closers.iter().cloned().chain(sections).find(|m| framed.contains(m)) {
            return Err(refuse(format!("the marker `{}`", marker.trim())));
        }
        out.push_str(&format!("<{word}={key}>{framed}</{word}>\n"));
    }
    out.push_str(&format!("</{call_word}>{inner}{close}"));
    Ok(out)
}

/// Whether a name survives inside `<word=NAME>` unchanged.
fn is_tag_name(name: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '\'');
    // A name that ends in a slash would read as a tag that closes itself.
    !name.is_empty() && !name.ends_with('/') && name.chars().all(plain)
}

fn bad_name(spec: &FormatSpec<'_>, call: &ToolCall) -> FormatError {
    FormatError::Name { format: spec.name.to_owned(), tool: call.name.clone() }
}

fn refuse_marker(spec: &FormatSpec<'_>, text: &str, marker: &str) -> Result<(), FormatError> {
    if !marker.is_empty() && text.contains(marker) {
        let marker = marker.to_owned();
        return Err(FormatError::Marker { format: spec.name.to_owned(), marker });
    }
    Ok(())
}

fn to_text(spec: &FormatSpec<'_>, value: &Value) -> String {
    let mut options = WriteOptions::default();
    options.style = if spec.render.spaced { Style::Spaced } else { Style::Compact };
    to_string_with(value, &options)
}

/// A tool as `{"name", "description", "parameters"}`; a wrapped schema is unwrapped.
fn tool_value(tool: &Tool) -> Value {
    let mut object = Object::new();
    object.insert("name".to_owned(), Value::from(tool.name.as_str()));
    if let Some(description) = &tool.description {
        object.insert("description".to_owned(), Value::from(description.as_str()));
    }
    if let Some(schema) = &tool.parameters {
        object.insert("parameters".to_owned(), unwrapped(schema).clone());
    }
    Value::Object(object)
}

fn unwrapped(schema: &Value) -> &Value {
    match schema {
        Value::Object(o) if o.len() == 1 => o.get("jsonSchema").unwrap_or(schema),
        _ => schema,
    }
}

fn wrap_function(function: Value) -> Value {
    let mut object = Object::new();
    object.insert("type".to_owned(), Value::from("function"));
    object.insert("function".to_owned(), function);
    Value::Object(object)
}

/// A tool as nested tags, one a line.
fn tool_tags(tool: &Tool) -> String {
    let mut out = format!("<function>\n<name>{}</name>\n", tool.name);
    if let Some(description) = &tool.description {
        out.push_str(&format!("<description>{}</description>\n", description.trim()));
    }
    out.push_str("<parameters>\n");
    let schema = tool.parameters.as_ref().map(unwrapped);
    let properties = schema.and_then(|s| s.get("properties")).and_then(Value::as_object);
    for (name, property) in properties.into_iter().flat_map(Object::iter) {
        out.push_str(&format!("<parameter>\n<name>{name}</name>\n"));
        for (key, value) in property.as_object().into_iter().flat_map(Object::iter) {
            let text = match value {
                Value::String(text) => text.trim().to_owned(),
                other => toolweir_rjson::to_string(other),
            };
            out.push_str(&format!("<{key}>{text}</{key}>\n"));
        }
        out.push_str("</parameter>\n");
    }
    for (key, value) in schema.and_then(Value::as_object).into_iter().flat_map(Object::iter) {
        if !matches!(key, "type" | "properties") {
            out.push_str(&format!("<{key}>{}</{key}>\n", toolweir_rjson::to_string(value)));
        }
    }
    out.push_str("</parameters>\n</function>");
    out
}
