//! The keywords that say something about types, and the types they say.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolweir_rjson::{Object, Value};

use crate::rules::Rules;
use crate::schema::NodeData;
use crate::types::{Facts, Types};

/// Keywords that speak of one type only. A schema without `type` that has one is meant for that
/// type, though it allows others.
const HINTS: &[(&str, Types)] = &[
    ("properties", Types::OBJECT),
    ("required", Types::OBJECT),
    ("additionalProperties", Types::OBJECT),
    ("patternProperties", Types::OBJECT),
    ("propertyNames", Types::OBJECT),
    ("minProperties", Types::OBJECT),
    ("maxProperties", Types::OBJECT),
    ("unevaluatedProperties", Types::OBJECT),
    ("items", Types::ARRAY),
    ("prefixItems", Types::ARRAY),
    ("additionalItems", Types::ARRAY),
    ("contains", Types::ARRAY),
    ("minItems", Types::ARRAY),
    ("maxItems", Types::ARRAY),
    ("uniqueItems", Types::ARRAY),
    ("minimum", Types::NUMBER),
    ("maximum", Types::NUMBER),
    ("exclusiveMinimum", Types::NUMBER),
    ("exclusiveMaximum", Types::NUMBER),
    ("multipleOf", Types::NUMBER),
    ("minLength", Types::STRING),
    ("maxLength", Types::STRING),
    ("pattern", Types::STRING),
];

/// The other keywords by which an object is known to be a schema.
const OTHERS: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "definitions",
    "type",
    "enum",
    "const",
    "nullable",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "format",
    "default",
    "title",
    "description",
    "examples",
];

/// Whether a key is a keyword of JSON Schema.
pub(super) fn is_keyword(key: &str) -> bool {
    OTHERS.contains(&key) || HINTS.iter().any(|(keyword, _)| *keyword == key)
}

/// Reads `type`, `enum`, `const`, `nullable` and the hints of a schema. Each malformed keyword is
/// handed to `note` with what was expected.
pub(super) fn read(object: &Object, note: &mut dyn FnMut(&'static str, &'static str)) -> NodeData {
    let mut node = NodeData::plain(Types::ALL, Types::NONE);
    let mut facts = Facts::ANY;
    let types = object.get("type").and_then(|value| type_list(value, note));
    if let Some(types) = &types {
        let all = types.iter().fold(Types::NONE, |all, t| all.or(*t));
        facts = Facts { integer_first: None, array_first: None, ..Facts::types(all) };
        facts.integer_first = first_of(types, Types::INTEGER, Types::NUMBER);
        facts.array_first = first_of(types, Types::ARRAY, Types::OBJECT);
    }
    let written = types.clone();
    if let Some(literals) = literals(object, note) {
        let of = literals.iter().fold(Types::NONE, |all, value| all.or(Types::of(value)));
        facts.allowed = facts.allowed.and(of);
        facts.named = facts.allowed;
        facts.literals = true;
        node.literals = Some(literals);
    } else if types.is_none() {
        let hinted = HINTS.iter().filter(|(keyword, _)| object.get(keyword).is_some());
        facts.named = hinted.fold(Types::NONE, |all, (_, types)| all.or(*types));
    }
    match object.get("nullable") {
        Some(Value::Bool(nullable)) => node.nullable = *nullable,
        Some(_) => note("nullable", "expected a boolean"),
        None => {}
    }
    node.own = facts.allowed;
    node.facts = facts;
    node.rules = Arc::new(Rules {
        types: written,
        constant: object.get("const").is_some(),
        ..Rules::default()
    });
    node
}

/// Whether `a` comes before `b`; none where neither is there.
fn first_of(types: &[Types], a: Types, b: Types) -> Option<bool> {
    types.iter().find(|t| **t == a || **t == b).map(|t| *t == a)
}

/// The types of `type`, in order; none if it names no type at all.
fn type_list(
    value: &Value,
    note: &mut dyn FnMut(&'static str, &'static str),
) -> Option<Vec<Types>> {
    let names = match value {
        Value::Array(list) => list.as_ref(),
        single => core::slice::from_ref(single),
    };
    let types: Vec<_> =
        names.iter().filter_map(Value::as_str).filter_map(Types::from_name).collect();
    if types.is_empty() || types.len() != names.len() {
        note("type", "expected the name of a type or a list of them");
    }
    (!types.is_empty()).then_some(types)
}

/// The members of `enum` and `const`; of both, where both are given.
fn literals(
    object: &Object,
    note: &mut dyn FnMut(&'static str, &'static str),
) -> Option<Box<[Value]>> {
    let constant = object.get("const");
    let list = match object.get("enum") {
        Some(Value::Array(list)) if !list.is_empty() => Some(list),
        Some(_) => {
            note("enum", "expected a list with at least one member");
            None
        }
        None => None,
    };
    match (constant, list) {
        (Some(constant), Some(list)) => {
            Some(list.iter().filter(|value| *value == constant).cloned().collect())
        }
        (Some(constant), None) => Some(Box::new([constant.clone()])),
        (None, Some(list)) => Some(list.iter().cloned().collect()),
        (None, None) => None,
    }
}
