//! A call of a declared tool with made-up arguments, for the example of a prompt.

use toolweir_protocols::{Protocol, ProtocolExt as _, Request, Tool, ToolCall, ToolSet};
use toolweir_rjson::{Mode, Object, Value, parse};

/// Containers inside each other that a made-up value goes into.
const DEPTH: usize = 4;

/// Optional arguments that are shown where none is required.
const SHOWN: usize = 3;

/// A call of the first of these tools for which one can be made up; one with arguments comes first.
pub(super) fn example(protocol: &dyn Protocol, tools: &[&Tool]) -> Option<String> {
    let (set, _) = ToolSet::lenient(tools.iter().map(|tool| (*tool).clone()));
    let request = Request::new(set);
    [false, true].into_iter().find_map(|bare| {
        let made_up = tools.iter().map(|tool| (tool, arguments(tool)));
        let mut wanted = made_up.filter(|(_, arguments)| arguments.is_empty() == bare);
        wanted.find_map(|(tool, arguments)| written(protocol, &request, tool, arguments))
    })
}

/// The call, if its arguments are what the tool takes and it reads back as it is.
fn written(
    protocol: &dyn Protocol,
    request: &Request,
    tool: &Tool,
    arguments: Object,
) -> Option<String> {
    let arguments = Value::Object(arguments);
    request.tools.schema(&tool.name)?.validate(&arguments).ok()?;
    let call = ToolCall::new(tool.name.as_str(), arguments.to_string());
    let text = protocol.format_tool_call(&call).ok()?;
    let turn = protocol.parse(&text, request).ok()?;
    let mut calls = turn.calls();
    let (Some(read), None) = (calls.next(), calls.next()) else { return None };
    let back = parse(read.arguments, Mode::Strict).ok()?.value;
    (read.name == tool.name && back == arguments && turn.parts.len() == 1).then_some(text)
}

fn arguments(tool: &Tool) -> Object {
    let schema = tool.original_schema.as_ref().or(tool.parameters.as_ref());
    schema.map_or_else(Object::new, |schema| object(schema, DEPTH))
}

/// The required members, or where there are none some of the others.
fn object(schema: &Value, depth: usize) -> Object {
    let mut out = Object::new();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |key: &str| required.is_some_and(|list| list.iter().any(|name| name.as_str() == Some(key)));
    let none_required = required.is_none_or(|list| list.is_empty());
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, property) in properties.into_iter().flat_map(Object::iter) {
        let wanted = if none_required { out.len() < SHOWN } else { is_required(key) };
        if wanted {
            out.insert(key, value(property, depth));
        }
    }
    out
}

/// What the schema itself names, else something of its type.
fn value(schema: &Value, depth: usize) -> Value {
    let first = |key: &str| schema.get(key).and_then(Value::as_array)?.first().cloned();
    let named = schema.get("const").cloned();
    let named = named.or_else(|| first("enum")).or_else(|| first("examples"));
    if let Some(named) = named.or_else(|| schema.get("default").cloned()) {
        return named;
    }
    let branch = ["anyOf", "oneOf", "allOf"].into_iter().find_map(first);
    if let Some(branch) = branch.filter(|_| depth > 0) {
        return value(&branch, depth - 1);
    }
    let kind = schema.get("type");
    let kind = kind.and_then(Value::as_str).or_else(|| {
        let list = kind.and_then(Value::as_array)?;
        list.first()?.as_str()
    });
    match kind {
        Some("integer" | "number") => {
            schema.get("minimum").cloned().unwrap_or_else(|| Value::from(3_i64))
        }
        Some("boolean") => Value::from(true),
        Some("null") => Value::Null,
        Some("array") => {
            let items = schema.get("items").filter(|_| depth > 0);
            Value::Array(items.map(|items| value(items, depth - 1)).into_iter().collect())
        }
        Some("object") if depth > 0 => Value::Object(object(schema, depth - 1)),
        Some("object") => Value::Object(Object::new()),
        _ => Value::from("some text"),
    }
}
