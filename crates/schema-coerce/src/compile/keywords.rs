//! The keywords that say something about types, and the types they say.

use alloc::boxed::Box;
use alloc::vec;
use core::slice;

use toolweir_rjson::{Object, Value};

use crate::error::SchemaErrorKind;
use crate::rules::{Facts, TypeList, Types};
use crate::schema::{Id, NodeData};

/// What a keyword speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Values of one type only. A schema without `type` that has one is meant for that type, though
    /// it allows others.
    Hint(Types),
    /// The same, but it is no sign of what is meant.
    About(Types),
    /// Schemas that hold for the same value, or of which one must.
    Join,
    /// Schemas about the same value that need not hold.
    Condition,
    /// Which types and values there are, or nothing that is checked.
    Other,
}

fn class(keyword: &str) -> Option<Class> {
    use Class::{About, Condition, Hint, Join, Other};
    Some(match keyword {
        "type" | "description" | "enum" | "const" | "nullable" | "title" | "default" | "format"
        | "examples" | "$schema" | "$id" | "$defs" | "definitions" => Other,
        "$ref" | "anyOf" | "oneOf" | "allOf" => Join,
        "not" | "if" | "then" | "else" => Condition,
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "unevaluatedProperties" => Hint(Types::OBJECT),
        "dependentRequired" | "dependentSchemas" | "dependencies" => About(Types::OBJECT),
        "items" | "prefixItems" | "additionalItems" | "contains" | "minItems" | "maxItems"
        | "uniqueItems" => Hint(Types::ARRAY),
        "unevaluatedItems" => About(Types::ARRAY),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            Hint(Types::NUMBER)
        }
        "minLength" | "maxLength" | "pattern" => Hint(Types::STRING),
        _ => return None,
    })
}

/// Whether a key is a keyword by which an object is known to be a schema.
pub(super) fn is_keyword(key: &str) -> bool {
    !matches!(class(key), None | Some(Class::About(_)))
}

/// What the keywords of one schema speak of: found in one pass, so that keywords it cannot have are
/// not looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speaks {
    /// The types by whose keywords it hints at what is meant.
    hinted: Types,
    /// The types that it has keywords for.
    pub(super) about: Types,
    /// There are schemas that hold for the same value, or of which one must.
    pub(super) joins: bool,
    /// There are schemas about the same value that need not hold.
    pub(super) conditions: bool,
}

impl Speaks {
    pub(super) fn of(object: &Object) -> Self {
        let (hinted, about) = (Types::NONE, Types::NONE);
        let mut speaks = Self { hinted, about, joins: false, conditions: false };
        for class in object.keys().filter_map(class) {
            match class {
                Class::Hint(types) => {
                    speaks.hinted = speaks.hinted.or(types);
                    speaks.about = speaks.about.or(types);
                }
                Class::About(types) => speaks.about = speaks.about.or(types),
                Class::Join => speaks.joins = true,
                Class::Condition => speaks.conditions = true,
                Class::Other => {}
            }
        }
        speaks
    }
}

/// Reads `type`, `enum`, `const`, `nullable` and the hints of a schema. Each malformed keyword is
/// handed to `note` with what was expected.
pub(super) fn read(
    object: &Object,
    speaks: Speaks,
    note: &mut dyn FnMut(&'static str, &'static str),
) -> NodeData {
    let mut node = NodeData::plain(Types::ALL, Types::NONE);
    let mut facts = Facts::ANY;
    let types = object.get("type").and_then(|value| type_list(value, note));
    if let Some(types) = &types {
        let all = types.iter().fold(Types::NONE, |all, t| all.or(*t));
        facts = Facts { integer_first: None, array_first: None, ..Facts::types(all) };
        facts.integer_first = first_of(types, Types::INTEGER, Types::NUMBER);
        facts.array_first = first_of(types, Types::ARRAY, Types::OBJECT);
    }
    let constant = object.get("const");
    if let Some(literals) = literals(constant, object.get("enum"), note) {
        let of = literals.iter().fold(Types::NONE, |all, value| all.or(Types::of(value)));
        facts.allowed = facts.allowed.and(of);
        facts.named = facts.allowed;
        facts.literals = true;
        node.literals = Some(literals);
    } else if types.is_none() {
        facts.named = speaks.hinted;
    }
    match object.get("nullable") {
        Some(Value::Bool(nullable)) => node.nullable = *nullable,
        Some(_) => note("nullable", "expected a boolean"),
        None => {}
    }
    node.own = facts.allowed;
    node.facts = facts;
    node.types = types;
    node.constant = constant.is_some();
    node
}

/// Whether `a` comes before `b`; none where neither is there.
fn first_of(types: &[Types], a: Types, b: Types) -> Option<bool> {
    types.iter().find(|t| **t == a || **t == b).map(|t| *t == a)
}

/// The types of `type`, in order; none if it names no type at all.
fn type_list(value: &Value, note: &mut dyn FnMut(&'static str, &'static str)) -> Option<TypeList> {
    let names: &[Value] = value.as_array().map_or(slice::from_ref(value), |list| list);
    let known = |name: &Value| name.as_str().and_then(Types::from_name);
    if names.is_empty() || names.iter().any(|name| known(name).is_none()) {
        note("type", "expected the name of a type or a list of them");
    }
    let python = |name: &Value| name.as_str().and_then(Types::from_python);
    let of = |name: &Value| known(name).or_else(|| python(name));
    if !matches!(value, Value::Array(_)) {
        return of(value).map(|one| TypeList::One([one]));
    }
    let types: Box<[Types]> = names.iter().filter_map(of).collect();
    (!types.is_empty()).then_some(TypeList::Several(types))
}

/// The members of `enum` and `const`; of both, where both are given.
fn literals(
    constant: Option<&Value>,
    list: Option<&Value>,
    note: &mut dyn FnMut(&'static str, &'static str),
) -> Option<Box<[Value]>> {
    let list = match list {
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Resolves the facts of every node; an error names the node it was found at.
pub(super) fn resolve(
    nodes: &mut [NodeData],
    max_height: usize,
) -> Result<(), (SchemaErrorKind, Id)> {
    let mut visits = vec![Visit::New; nodes.len()];
    for start in (0..).take(nodes.len()) {
        visit(nodes, &mut visits, start, max_height)?;
    }
    Ok(())
}

fn visit(
    nodes: &mut [NodeData],
    visits: &mut [Visit],
    start: Id,
    max_height: usize,
) -> Result<(), (SchemaErrorKind, Id)> {
    let mut stack = vec![start];
    while let Some(id) = stack.last().copied() {
        let (Some(visit), Some(node)) = (visits.get_mut(id as usize), nodes.get(id as usize))
        else {
            break;
        };
        match visit {
            Visit::Done => {
                stack.pop();
                continue;
            }
            Visit::New => *visit = Visit::Open,
            // Second time on top: everything below is resolved.
            Visit::Open => {
                *visit = Visit::Done;
                stack.pop();
                let facts = of_node(node, nodes);
                if facts.height > max_height {
                    return Err((SchemaErrorKind::TooDeep, id));
                }
                let target = node.reference().map(|next| stands_for(next, nodes));
                if let Some(node) = nodes.get_mut(id as usize) {
                    (node.facts, node.target) = (facts, target);
                }
                continue;
            }
        }
        for edge in node.edges().chain(node.maybe.iter().copied()) {
            match visits.get(edge as usize) {
                Some(Visit::New) => stack.push(edge),
                Some(Visit::Open) => return Err((SchemaErrorKind::CyclicRef, id)),
                Some(Visit::Done) | None => {}
            }
        }
    }
    Ok(())
}

/// What a resolved node stands for.
fn stands_for(id: Id, nodes: &[NodeData]) -> Id {
    nodes.get(id as usize).and_then(|node| node.target).unwrap_or(id)
}

/// The facts of a node whose edges are resolved. `node.facts` still holds what its own keywords say.
pub(super) fn of_node(node: &NodeData, nodes: &[NodeData]) -> Facts {
    let resolved = |id: &Id| nodes.get(*id as usize).map(|node| node.facts);
    let own = node.facts;
    let mut facts = own;
    for child in node.all.iter().filter_map(resolved) {
        facts.allowed = facts.allowed.and(child.allowed);
        mention(&mut facts, &child);
    }
    for group in &node.any {
        let mut allowed = Types::NONE;
        for child in group.iter().filter_map(resolved) {
            allowed = allowed.or(child.allowed);
            mention(&mut facts, &child);
        }
        facts.allowed = facts.allowed.and(allowed);
    }
    // A schema that need not hold says nothing about types, but stands below.
    for child in node.maybe.iter().filter_map(resolved) {
        facts.height = facts.height.max(child.height.saturating_add(1));
    }
    if node.nullable {
        facts.allowed = facts.allowed.or(Types::NULL);
        facts.named = facts.named.or(Types::NULL);
    }
    facts.named = facts.named.and(facts.allowed);
    facts
}

/// Adds what a reference or branch mentions. The first mention decides an order.
fn mention(facts: &mut Facts, child: &Facts) {
    facts.named = facts.named.or(child.named);
    facts.integer_first = facts.integer_first.or(child.integer_first);
    facts.array_first = facts.array_first.or(child.array_first);
    facts.literals |= child.literals;
    facts.height = facts.height.max(child.height.saturating_add(1));
}
