//! A call of a declared tool with made-up arguments, for the example of a prompt.

use toolweir_protocols::{Tool, ToolCall, ToolSet};
use toolweir_rjson::{Object, Value};

/// Containers inside each other that a made-up value goes into.
const DEPTH: usize = 4;

/// Optional arguments that are shown where none is required.
const SHOWN: usize = 3;

/// A call of the first tool whose schema a made-up value fits; one with arguments comes first.
pub(super) fn call(tools: &[&Tool]) -> Option<ToolCall> {
    let calls = tools.iter().filter_map(|tool| Some((*tool, arguments(tool)?)));
    let mut first = None;
    for (tool, arguments) in calls {
        let found = !arguments.is_empty();
        let call = ToolCall::new(tool.name.as_str(), Value::Object(arguments).to_string());
        if found {
            return Some(call);
        }
        first.get_or_insert(call);
    }
    first
}

/// Made-up arguments, if they are what the tool takes.
fn arguments(tool: &Tool) -> Option<Object> {
    let schema = tool.original_schema.as_ref().or(tool.parameters.as_ref());
    let object = schema.map_or_else(Object::new, members);
    let set = ToolSet::new([tool.clone()]).ok()?;
    let fits = set.schema(&tool.name)?.validate(&Value::Object(object.clone())).is_ok();
    fits.then_some(object)
}

fn members(schema: &Value) -> Object {
    object(schema, DEPTH)
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
