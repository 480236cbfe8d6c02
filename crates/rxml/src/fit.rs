//! The last step: the raw value made to fit its schema, and scalars read on their own.

use toolweir_rjson::{Mode, Number, Value, parse, pointer};
use toolweir_schema_coerce::{CoerceError, Node, Policy, Schema, TextStyle, TypedKind};

use crate::error::Error;
use crate::options::{Kind, Options};

/// The value as the schema wants it.
pub(crate) fn fit(value: Value, schema: &Schema, options: &Options) -> Result<Value, Error> {
    let coerced = schema.coerce(value, &policy(options)).map_err(misfit)?;
    Ok(coerced.value)
}

/// The caller's policy, with the key for text as this crate writes it.
fn policy(options: &Options) -> Policy {
    let mut policy = options.policy.clone();
    if policy.text_node_name != options.text_node_name {
        policy.text_node_name = options.text_node_name.clone().into();
    }
    policy
}

fn misfit(error: CoerceError) -> Error {
    Error::Coercion {
        kind: error.kind.to_string(),
        instance_path: error.instance_path,
        schema_path: error.schema_path,
    }
}

/// Text as the value its own schema asks for; the text where it does not fit.
pub(crate) fn typed(text: &str, node: Option<Node<'_>>) -> Value {
    let read = node.map(|node| node.read_text(text, TextStyle::Bare));
    let fitting = read.filter(|typed| typed.problem.is_none());
    let value = fitting.and_then(|typed| match typed.kind {
        TypedKind::AsText => None,
        TypedKind::Number => Number::from_text(&typed.json).ok().map(Value::from),
        TypedKind::Boolean => Some(Value::from(typed.json == "true")),
        TypedKind::Null => Some(Value::Null),
        TypedKind::Array | TypedKind::Object => {
            parse(&typed.json, Mode::Strict).ok().map(|parsed| parsed.value)
        }
    });
    value.unwrap_or_else(|| Value::from(text))
}

/// Whether the schema takes `true` and no string.
pub(crate) fn takes_boolean(node: Node<'_>) -> bool {
    !node.is_untyped()
        && !node.allows_string()
        && !node.allows_array()
        && !node.allows_object()
        && node.read_text("true", TextStyle::Bare).problem.is_none()
}

/// Whether the text is a list in JSON, as it is or relaxed.
pub(crate) fn is_json_list(text: &str) -> bool {
    text.trim_start_matches(crate::text::is_space).starts_with('[')
        && parse(text, Mode::Relaxed).is_ok_and(|parsed| parsed.value.as_array().is_some())
}

/// A JSON Pointer.
pub(crate) fn pointer(keys: impl Iterator<Item = String>) -> String {
    let mut path = String::new();
    for key in keys {
        pointer::push(&mut path, &key);
    }
    path
}

/// A value made to fit one node of the schema; the value itself where it does not.
pub(crate) fn fit_node(value: &Value, node: Option<Node<'_>>, options: &Options) -> Value {
    let coerced = node.and_then(|node| node.coerce(value.clone(), &policy(options)).ok());
    coerced.map_or_else(|| value.clone(), |coerced| coerced.value)
}

/// A value whose members were left as text, each made to fit on its own, as input that is cut off is
/// read.
pub(crate) fn fit_members(value: &mut Value, schema: &Schema, options: &Options) {
    let mut open = vec![(value, Some(schema.root()))];
    while let Some((value, node)) = open.pop() {
        if value.as_array().is_some() {
            *value = fit_node(value, node, options);
        } else if let Some(text) = value.as_str() {
            if !matches!(Kind::of(node), Kind::Text | Kind::Generic) {
                *value = typed(text, node);
            }
        } else if let Some(object) = value.as_object_mut() {
            let members = object.iter_mut();
            open.extend(
                members
                    .map(|(key, member)| (member, node.and_then(|node| node.member(key).node()))),
            );
        }
    }
}
