//! What a schema lets through: text, or other values.

use toolweir_rjson::{Object, Value};

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
    let admits = |name: &str| admits(schema, root, name);
    let admits = |name: &str| admits(name) || name == "number" && admits("integer");
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

/// A schema that is only another, by reference or as all there is of it.
pub(super) fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..IN_A_ROW {
        let pointer = schema.get("$ref").and_then(Value::as_str);
        let target = pointer.and_then(|p| p.strip_prefix('#')).and_then(|p| root.pointer(p));
        let all = schema.get("allOf").and_then(Value::as_array);
        let says = ["type", "properties", "items", "enum", "const", "anyOf", "oneOf"];
        let only = all.filter(|_| !says.iter().any(|word| schema.get(word).is_some()));
        match target.or_else(|| only.filter(|all| all.len() == 1)?.first()) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// References in a row that are followed.
const IN_A_ROW: usize = 16;

/// The budget of one question: schemas that are examined, as they may stand inside themselves.
const BUDGET: usize = 256;

/// Takes one schema from the budget; false where nothing is left of it.
fn spend(budget: &mut usize) -> bool {
    let left = budget.checked_sub(1);
    *budget = left.unwrap_or_default();
    left.is_some()
}

/// Whether a schema lets values of that type through, as far as it says.
pub(super) fn admits(schema: &Value, root: &Value, kind: &str) -> bool {
    admits_within(schema, root, kind, &mut { BUDGET })
}

fn admits_within(schema: &Value, root: &Value, kind: &str, budget: &mut usize) -> bool {
    let Some(members) = resolved(schema, root).as_object() else { return true };
    if !spend(budget) {
        return true;
    }
    if let Some(value) = members.get("const") {
        return value.type_name() == kind;
    }
    if let Some(values) = members.get("enum").and_then(Value::as_array) {
        return values.iter().any(|value| value.type_name() == kind);
    }
    let mut inner = |schema: &Value| admits_within(schema, root, kind, budget);
    for word in ["anyOf", "oneOf"] {
        if let Some(list) = members.get(word).and_then(Value::as_array) {
            return list.iter().any(&mut inner);
        }
    }
    if let Some(list) = members.get("allOf").and_then(Value::as_array)
        && !list.iter().all(&mut inner)
    {
        return false;
    }
    let kinds = kinds(members);
    let nullable = kind == "null" && members.get("nullable").and_then(Value::as_bool) == Some(true);
    kinds.is_empty() || kinds.contains(&kind) || nullable
}

/// The strings that a schema lists.
pub(super) fn enumerated<'a>(schema: &'a Value, root: &'a Value) -> Option<Vec<&'a str>> {
    enumerated_within(schema, root, &mut { BUDGET })
}

fn enumerated_within<'a>(
    schema: &'a Value,
    root: &'a Value,
    budget: &mut usize,
) -> Option<Vec<&'a str>> {
    let members = resolved(schema, root).as_object()?;
    if !spend(budget) {
        return None;
    }
    let list = |word: &str| members.get(word).and_then(Value::as_array);
    if let Some(text) = members.get("const").and_then(Value::as_str) {
        return Some(vec![text]);
    }
    if let Some(values) = list("enum") {
        return Some(values.iter().filter_map(Value::as_str).collect());
    }
    if let Some(each) = list("anyOf").or_else(|| list("oneOf")) {
        let texts = each.iter().filter(|schema| admits(schema, root, "string"));
        let texts = texts.map(|schema| enumerated_within(schema, root, budget));
        return texts.collect::<Option<Vec<_>>>().map(|each| each.concat());
    }
    list("allOf")?.iter().find_map(|schema| enumerated_within(schema, root, budget))
}

/// The schema without the strings, which are written in another way.
pub(super) fn without_strings(schema: &Value, root: &Value) -> Value {
    without_strings_within(schema, root, &mut { BUDGET })
}

fn without_strings_within(schema: &Value, root: &Value, budget: &mut usize) -> Value {
    let mut schema = schema.clone();
    let Some(members) = schema.as_object_mut().filter(|_| spend(budget)) else {
        return schema;
    };
    retain(members, "type", |kind| (kind.as_str() != Some("string")).then(|| kind.clone()));
    retain(members, "enum", |value| value.as_str().is_none().then(|| value.clone()));
    for word in ["anyOf", "oneOf"] {
        retain(members, word, |schema| {
            let schema = resolved(schema, root);
            let kinds = schema.as_object().map(kinds).unwrap_or_default();
            let other =
                kinds != ["string"] && schema.get("const").and_then(Value::as_str).is_none();
            other.then(|| without_strings_within(schema, root, budget))
        });
    }
    schema
}

/// Keeps what is made of the entries of a list, where it stands in a schema.
fn retain(members: &mut Object, word: &str, mut entry: impl FnMut(&Value) -> Option<Value>) {
    if let Some(Value::Array(list)) = members.get(word) {
        let kept: Vec<Value> = list.iter().filter_map(&mut entry).collect();
        members.insert(word, kept);
    }
}

/// The schema for values of one type.
pub(super) fn only(schema: &Value, root: &Value, name: &str) -> Value {
    only_within(schema, root, name, &mut { BUDGET })
}

fn only_within(schema: &Value, root: &Value, name: &str, budget: &mut usize) -> Value {
    let Some(mut members) = resolved(schema, root).as_object().cloned() else {
        return Value::Object([("type", Value::from(name))].into_iter().collect());
    };
    if !spend(budget) {
        return Value::Object(members);
    }
    let whole = name == "number" && kinds(&members).contains(&"integer");
    retain(&mut members, "enum", |value| (value.type_name() == name).then(|| value.clone()));
    for word in ["anyOf", "oneOf"] {
        retain(&mut members, word, |schema| {
            let fits =
                admits(schema, root, name) || name == "number" && admits(schema, root, "integer");
            fits.then(|| only_within(schema, root, name, budget))
        });
    }
    members.insert("type", if whole { "integer" } else { name });
    Value::Object(members)
}
