//! What a schema lets through: text, or other values.

use toolweir_rjson::Value;

use super::schema::kinds;
use crate::pattern::{Part, Pattern};
use crate::tools::Tool;

/// How the value of a parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A string as it is.
    Text,
    /// Any other value, as JSON.
    Json,
}

/// The schema of the arguments of a tool: that of an object, whatever it says.
pub(super) fn arguments(tool: &Tool) -> Value {
    let schema = tool.original_schema.as_ref().or(tool.parameters.as_ref());
    let mut members = schema.and_then(Value::as_object).cloned().unwrap_or_default();
    let says = ["$ref", "anyOf", "oneOf", "allOf", "const", "enum"];
    if !says.iter().any(|word| members.contains_key(word)) {
        members.insert("type", "object");
    }
    Value::Object(members)
}

/// The shapes that a value of a schema can have: of a pattern that names types, one for each, else a text
/// and JSON.
pub(super) fn shapes(
    schema: &Value,
    root: &Value,
    pattern: &Pattern,
) -> Vec<(&'static str, Shape)> {
    let schema = resolved(schema, root);
    let admits = |name: &str| admits(schema, name) || name == "number" && admits(schema, "integer");
    let others = ["number", "boolean", "object", "array", "null"];
    let mut names: Vec<&'static str> = others.into_iter().filter(|name| admits(name)).collect();
    let anything = names.len() == others.len() && admits("string");
    let typed = |test: fn(&Part) -> bool| pattern.any(test);
    if typed(|part| matches!(part, Part::Type(Some(_)))) {
        names.truncate(1);
    } else if !typed(|part| matches!(part, Part::Type(None))) {
        // Text is read by the schema: where any value may stand, any text may.
        names.truncate(usize::from(!anything));
    }
    let one = names.len() == 1;
    let text = admits("string").then_some(("string", Shape::Text));
    let json = names.into_iter().map(|name| (if one { ANY_TYPE } else { name }, Shape::Json));
    text.into_iter().chain(json).collect()
}

/// In place of a type: whatever the schema lets through.
pub(super) const ANY_TYPE: &str = "";

/// A schema that is only a reference, followed.
pub(super) fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..16 {
        let pointer = schema.get("$ref").and_then(Value::as_str);
        match pointer.and_then(|p| p.strip_prefix('#')).and_then(|inner| root.pointer(inner)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// Whether a schema lets values of that type through, as far as it says.
pub(super) fn admits(schema: &Value, kind: &str) -> bool {
    let Some(members) = schema.as_object() else { return true };
    if let Some(value) = members.get("const") {
        return value.type_name() == kind;
    }
    if let Some(values) = members.get("enum").and_then(Value::as_array) {
        return values.iter().any(|value| value.type_name() == kind);
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(list) = members.get(word).and_then(Value::as_array) {
            return list.iter().any(|schema| admits(schema, kind));
        }
    }
    let kinds = kinds(members);
    let nullable = kind == "null" && members.get("nullable").and_then(Value::as_bool) == Some(true);
    kinds.is_empty() || kinds.contains(&kind) || nullable
}

/// The strings that a schema lists.
pub(super) fn enumerated(schema: &Value) -> Option<Vec<&str>> {
    let value = schema.get("const").and_then(Value::as_str).map(|text| vec![text]);
    let list = || Some(schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect());
    value.or_else(list)
}

/// The schema without the strings, which are written in another way.
pub(super) fn without_strings(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(members) = schema.as_object_mut() else {
        return schema;
    };
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        let kept = kinds.iter().filter(|kind| kind.as_str() != Some("string"));
        let kept: Vec<Value> = kept.cloned().collect();
        members.insert("type", kept);
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        let kept = values.iter().filter(|value| value.as_str().is_none());
        let kept: Vec<Value> = kept.cloned().collect();
        members.insert("enum", kept);
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(list)) = members.get_mut(word) {
            let text = |schema: &&Value| {
                let kinds = schema.as_object().map(kinds).unwrap_or_default();
                kinds != ["string"] && schema.get("const").and_then(Value::as_str).is_none()
            };
            let kept: Vec<Value> = list.iter().filter(text).map(without_strings).collect();
            members.insert(word, kept);
        }
    }
    schema
}

/// The schema for values of one type.
pub(super) fn only(schema: &Value, name: &str) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        let whole = name == "number" && kinds(members).contains(&"integer");
        members.insert("type", if whole { "integer" } else { name });
        schema
    } else {
        Value::Object([("type", Value::from(name))].into_iter().collect())
    }
}
