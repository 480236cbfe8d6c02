//! Renderers driven by the spec: the same data as decoding, in the other direction.
//!
//! C11: what is rendered decodes back to the same call. What a format cannot carry unchanged is
//! refused with a [`FormatError`], never altered.

use toolweir_rjson::{
    Mode, Object, Style, Value, WriteOptions, parse, to_string_with, write_string,
};
use toolweir_rxml::{WriteError, WriteOptions as ElementOptions, stringify};

use crate::engine::is_word_char;
use crate::error::FormatError;
use crate::owned_spec::OwnedSpec;
use crate::spec::{CallGate, FormatSpec, Header, Payload, ResponseBody, Tags, ToolsBlock};
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
                ToolsBlock::Headings(a, b) => {
                    let lines: Vec<String> = tools.iter().map(|t| heading(spec, t)).collect();
                    (a, lines.join("\n\n"), b)
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
            Payload::Element { .. } => element_call(spec, call, &arguments),
            Payload::Yaml { .. } => yaml_call(spec, call, &arguments),
        })
    }

    pub(crate) fn response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.spec.with(|spec| {
            let (before, after) = spec.render.response;
            let body = match spec.render.response_body {
                ResponseBody::Content => response.content.clone(),
                ResponseBody::Elements => response_elements(spec, response)?,
                ResponseBody::Object => {
                    let content = parse(&response.content, Mode::Strict).map(|p| p.value);
                    let mut object = Object::new();
                    object.insert("name".to_owned(), Value::from(response.name.as_str()));
                    let text = || Value::from(response.content.as_str());
                    object.insert("content".to_owned(), content.unwrap_or_else(|_| text()));
                    hide_marker(to_text(spec, &Value::Object(object)), after.trim())
                }
            };
            refuse_marker(spec, &body, after.trim())?;
            let before = before.replace("{name}", &response.name);
            Ok(format!("{before}{body}{after}"))
        })
    }
}

/// The name and the result as elements; a result that is a JSON object or list is one of elements, too.
fn response_elements(
    spec: &FormatSpec<'_>,
    response: &ToolResponse,
) -> Result<String, FormatError> {
    let options = element_options();
    let content = parse(&response.content, Mode::Strict).map(|parsed| parsed.value);
    let nested = content.ok().filter(|v| matches!(v, Value::Object(_) | Value::Array(_)));
    let text = || Value::from(response.content.as_str());
    let name = Value::from(response.name.as_str());
    let mut out = String::from("\n");
    for (tag, value) in [("tool_name", name), ("result", nested.unwrap_or_else(text))] {
        // What elements cannot say is shown as text.
        let written = stringify(tag, &value, &options);
        let written = written.or_else(|_| stringify(tag, &text(), &options));
        let failed = |error: WriteError| FormatError::Value {
            format: spec.name.to_owned(),
            key: tag.to_owned(),
            what: error.kind.to_string(),
        };
        out.push_str(&written.map_err(failed)?);
        out.push('\n');
    }
    Ok(out)
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
    // Around an unmarked call a wrapper is forgiven, not written.
    let marked = spec.gate != CallGate::CallObject;
    let open = spec.call.open.first().copied().filter(|_| marked).unwrap_or_default();
    let close = spec.call.close.first().copied().filter(|_| marked).unwrap_or_default();
    let carrier = keys.wrappers.first().copied().filter(|_| !keys.text.is_empty());
    let (colon, comma) = if spec.render.spaced { (": ", ", ") } else { (":", ",") };
    let name_key = keys.name.first().copied().unwrap_or("name");
    let args_key = keys.args.first().copied().unwrap_or("arguments");
    let mut out = format!("{open}{inner}{{");
    if let Some(key) = carrier {
        write_string(&mut out, key);
        out.push_str(&format!("{colon}{{"));
    }
    write_string(&mut out, name_key);
    out.push_str(colon);
    write_string(&mut out, &call.name);
    out.push_str(comma);
    write_string(&mut out, args_key);
    out.push_str(colon);
    let blank = call.arguments.trim().is_empty();
    out.push_str(if blank { "{}" } else { call.arguments.trim() });
    out.push_str(if carrier.is_some() { "}}" } else { "}" });
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
    let closing = [format!("</{word}"), format!("\n<{word}"), format!("</{call_word}")];
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
        let mut own =
            closing.iter().map(String::as_str).filter(|tag| holds_tag(spec, &framed, tag));
        let mut sections = spec.section.close.iter().copied().filter(|close| match spec.tags {
            Tags::Free { .. } => holds_tag(spec, &framed, close.trim_end_matches('>')),
            Tags::Lenient => framed.contains(close),
        });
        if let Some(marker) = own.next().or_else(|| sections.next()) {
            return Err(refuse(format!("the marker `{}`", marker.trim())));
        }
        out.push_str(&format!("<{word}={key}>{framed}</{word}>\n"));
    }
    out.push_str(&format!("</{call_word}>{inner}{close}"));
    Ok(out)
}

/// The arguments as elements; what elements cannot say is refused.
fn element_call(
    spec: &FormatSpec<'_>,
    call: &ToolCall,
    arguments: &Object,
) -> Result<String, FormatError> {
    let options = element_options();
    let name = &call.name;
    if stringify(name, &Value::Null, &options).is_err() {
        return Err(bad_name(spec, call));
    }
    if arguments.is_empty() {
        return Ok(format!("<{name}></{name}>"));
    }
    let mut out = format!("<{name}>\n");
    for (key, value) in arguments.iter() {
        let shown = match value {
            Value::Object(members) if members.iter().all(|(_, member)| is_text(member)) => {
                value.clone()
            }
            // Elements carry no types: where the schema may say nothing about what is inside, JSON
            // does. A list of JSON keeps its place among the arguments, too.
            Value::Array(_) | Value::Object(_) | Value::Null => Value::from(to_text(spec, value)),
            scalar => scalar.clone(),
        };
        let written = stringify(key, &shown, &options).map_err(|error| {
            let key = format!("{key}{}", error.path);
            FormatError::Value { format: spec.name.to_owned(), key, what: error.kind.to_string() }
        })?;
        out.push_str(&written);
        out.push('\n');
    }
    out.push_str(&format!("</{name}>"));
    Ok(out)
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::String(_))
}

fn element_options() -> ElementOptions {
    let mut options = ElementOptions::default();
    options.minimal_escaping = true;
    options
}

/// The arguments as YAML lines. A value is written as JSON, which is YAML, and what could close the
/// body is escaped in it.
fn yaml_call(
    spec: &FormatSpec<'_>,
    call: &ToolCall,
    arguments: &Object,
) -> Result<String, FormatError> {
    if stringify(&call.name, &Value::Null, &element_options()).is_err() {
        return Err(bad_name(spec, call));
    }
    let name = &call.name;
    let mut out = format!("<{name}>\n");
    for (key, value) in arguments.iter() {
        let plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !matches!(key.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "y" | "n");
        let shown = if plain { key.to_owned() } else { to_text(spec, &Value::from(key)) };
        out.push_str(&yaml_escaped(&format!("{shown}: {}", to_text(spec, value))));
        out.push('\n');
    }
    out.push_str(&format!("</{name}>"));
    Ok(out)
}

/// JSON text with escapes where YAML would read its strings in another way.
fn yaml_escaped(json: &str) -> String {
    let special = |c: char| {
        c == '<' || matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if special(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a text holds a tag of which `lead` is all but its end, in the letter cases that are read.
fn holds_tag(spec: &FormatSpec<'_>, text: &str, lead: &str) -> bool {
    let free = matches!(spec.tags, Tags::Free { .. });
    // The lead may begin with a line break.
    let sign = lead.find('<').unwrap_or(0);
    text.match_indices('<').filter_map(|(at, _)| text.get(at.checked_sub(sign)?..)).any(|rest| {
        let same = |head: &str| head == lead || (free && head.eq_ignore_ascii_case(lead));
        let head = rest.get(..lead.len()).is_some_and(same);
        head && rest.get(lead.len()..).is_some_and(|rest| !rest.starts_with(is_word_char))
    })
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

/// JSON text in which the marker does not stand: its first character, which JSON has nowhere but in
/// strings, is written as an escape.
fn hide_marker(json: String, marker: &str) -> String {
    let Some(first) = marker.chars().next().filter(|c| matches!(c, '<' | '`' | '|')) else {
        return json;
    };
    let rest = marker.get(first.len_utf8()..).unwrap_or_default();
    json.replace(marker, &format!("\\u{:04x}{rest}", u32::from(first)))
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

/// A tool as a heading, its description and its schema in a fence.
fn heading(spec: &FormatSpec<'_>, tool: &Tool) -> String {
    let mut out = format!("## {}\n\n", tool.name);
    if let Some(description) = &tool.description {
        out.push_str(&format!("Description: {}\n\n", description.trim()));
    }
    let schema = tool.parameters.as_ref().map(unwrapped);
    let schema = schema.map_or_else(|| "{}".to_owned(), |schema| to_text(spec, schema));
    out.push_str(&format!("Parameters JSON Schema:\n```json\n{schema}\n```"));
    out
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
