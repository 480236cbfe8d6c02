//! What JavaScript asks: the head of a request, read into the types of the facade.

use toolweir::rjson::{Mode, Object, Value, parse};
use toolweir::{Request, Tool, ToolCall, ToolSet};

use crate::answer::{Mistake, mistake};

/// The members of a head.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask(Object);

impl Ask {
    /// Reads a head.
    pub(crate) fn read(head: &str) -> Result<Self, Mistake> {
        let parsed = parse(head, Mode::Strict).map_err(|error| mistake(error.to_string()))?;
        match parsed.value {
            Value::Object(object) => Ok(Self(object)),
            _ => Err(mistake("the options are no object")),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A text that must be there.
    pub(crate) fn needed(&self, key: &str) -> Result<&str, Mistake> {
        self.text(key).ok_or_else(|| mistake(format!("`{key}` is missing or no string")))
    }

    pub(crate) fn entries(&self, key: &str) -> impl Iterator<Item = &Value> {
        self.get(key).and_then(Value::as_array).into_iter().flatten()
    }

    pub(crate) fn members(&self, key: &str) -> impl Iterator<Item = (&str, &Value)> {
        self.get(key).and_then(Value::as_object).into_iter().flat_map(Object::iter)
    }

    /// The tools, schemas not compiled.
    pub(crate) fn tools(&self) -> Result<Vec<Tool>, Mistake> {
        self.entries("tools").enumerate().map(|(place, entry)| tool(place, entry)).collect()
    }

    /// The request: tools, policies, limits, options, opt-in events; and what is said of the tools.
    pub(crate) fn request(&self) -> Result<(Request, Vec<String>), Mistake> {
        let (tools, errors) = ToolSet::lenient(self.tools()?);
        let mut notes: Vec<String> = errors.iter().map(ToString::to_string).collect();
        notes.extend(tools.notes().iter().cloned());
        let mut request = Request::new(tools);
        for (key, value) in self.members("options") {
            set(&mut request, key, value)?;
        }
        Ok((request, notes))
    }
}

fn set(request: &mut Request, key: &str, value: &Value) -> Result<(), Mistake> {
    if key == "emit" {
        for name in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
            match name {
                "markup" => request.emit.markup = true,
                "raw" => request.emit.raw = true,
                "field" => request.emit.field = true,
                _ => {
                    let what = format!("`emit` knows markup, raw and field, not `{name}`");
                    return Err(mistake(what));
                }
            }
        }
        return Ok(());
    }
    if value.is_null() {
        return Ok(());
    }
    let text = match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    request.set(&snake(key), &text).map_err(|error| mistake(error.to_string()))
}

/// `maxDepth` as `max_depth`.
pub(crate) fn snake(key: &str) -> String {
    let mut out = String::with_capacity(key.len().saturating_add(2));
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// A tool in one of the shapes that are about: `{name, description, parameters}`, the same inside
/// `{type: "function", function: {…}}`; the schema may also be called `inputSchema` or `input_schema`,
/// and may come wrapped as `{jsonSchema: …}`.
pub(crate) fn tool(place: usize, entry: &Value) -> Result<Tool, Mistake> {
    let inner = entry.get("function").filter(|inner| inner.as_object().is_some());
    let object = inner.unwrap_or(entry);
    let Some(name) = object.get("name").and_then(Value::as_str) else {
        let what = format!("tool {place} (counted from 0) has no name");
        return Err(mistake(format!("{what}: give {{name, description, parameters}}")));
    };
    let mut tool = Tool::new(name);
    if let Some(description) = object.get("description").and_then(Value::as_str) {
        tool = tool.description(description);
    }
    let keys = ["parameters", "inputSchema", "input_schema"];
    let schema = keys.into_iter().find_map(|key| object.get(key)).filter(|s| !s.is_null());
    if let Some(schema) = schema {
        // A schema may come as its text.
        tool = match schema.as_str() {
            Some(text) => tool.parameters(text),
            None => tool.parameters(unwrapped(schema).clone()),
        };
    }
    if let Some(schema) = object.get("originalSchema").filter(|s| !s.is_null()) {
        tool = tool.original_schema(unwrapped(schema).clone());
    }
    Ok(tool)
}

fn unwrapped(schema: &Value) -> &Value {
    let only = schema.as_object().filter(|object| object.len() == 1);
    only.and_then(|object| object.get("jsonSchema")).unwrap_or(schema)
}

/// A call to be written.
pub(crate) fn call(entry: &Value) -> Result<ToolCall, Mistake> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let name = text("name").ok_or_else(|| mistake("a call has no `name`"))?;
    let arguments = match entry.get("arguments") {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => text.to_string(),
        Some(value) => value.to_string(),
    };
    let mut call = ToolCall::new(name, arguments);
    call.native_id = text("nativeId").map(str::to_owned);
    Ok(call)
}
