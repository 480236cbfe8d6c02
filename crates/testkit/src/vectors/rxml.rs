//! Cases of kind `rxml`, `rxml-parse-tree` and `rxml-stringify`.
//!
//! A schema case is held against the case whole, character by character and at every two-way split.

use toolweir_rjson::{Array, Object, Value, to_string};
use toolweir_rxml::{
    Error, Machine, Node, NodeOptions, Options, WriteOptions, parse_node, stringify,
};
use toolweir_schema_coerce::{Loss, NullOptional, Schema, SchemaLimits, Undeclared};

use super::vector::Vector;
use crate::json::same_value;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(vector: &Vector) -> Result<Result<(), String>, String> {
    let input = vector.input.as_ref().ok_or("there is no input")?;
    match vector.kind.as_str() {
        "rxml-stringify" => write(vector, input),
        "rxml-parse-tree" => Ok(tree(vector, text(input)?)),
        _ => Ok(value(vector, text(input)?, &options(vector)?)),
    }
}

fn text(input: &Value) -> Result<&str, String> {
    input.as_str().ok_or_else(|| "the input is no text".to_owned())
}

fn value(vector: &Vector, text: &str, options: &Options) -> Result<(), String> {
    let schema = match &vector.schema {
        None | Some(Value::Null) => Schema::any(),
        Some(source) => {
            let compiled = Schema::compile(source, &SchemaLimits::default());
            compiled.map_err(|e| format!("the schema cannot be compiled: {e}"))?.schema
        }
    };
    let whole = read([text], &schema, options);
    for (at, _) in text.char_indices() {
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        if read([before, after], &schema, options) != whole {
            return Err(format!("another result when cut at byte {at}"));
        }
    }
    let mut single = [0; 4];
    let mut machine = Machine::new(schema, options.clone());
    let pushed = text.chars().try_for_each(|c| machine.push(c.encode_utf8(&mut single), |_| {}));
    let by_chars = pushed.and_then(|()| machine.finish(|_| {})).map(|parsed| parsed.value);
    if by_chars != whole {
        return Err("another result character by character".to_owned());
    }
    judge(vector, whole)
}

fn read<const N: usize>(
    chunks: [&str; N],
    schema: &Schema,
    options: &Options,
) -> Result<Value, Error> {
    let mut machine = Machine::new(schema.clone(), options.clone());
    chunks.iter().try_for_each(|chunk| machine.push(chunk, |_| {}))?;
    machine.finish(|_| {}).map(|parsed| parsed.value)
}

fn tree(vector: &Vector, text: &str) -> Result<(), String> {
    let nodes = parse_node(text, &NodeOptions::default());
    judge(vector, nodes.map(|nodes| nodes.iter().map(shown).collect::<Array>().into()))
}

/// A node as vector files write it. Recursion is bounded by the depth that is read.
fn shown(node: &Node) -> Value {
    let element = match node {
        Node::Element(element) => element,
        Node::Text(text) | Node::Comment(text) => return Value::from(text.as_str()),
        _ => return Value::Null,
    };
    let mut attributes = Object::new();
    for (name, value) in &element.attributes {
        attributes.insert(name.as_str(), value.as_str());
    }
    let mut object = Object::new();
    object.insert("tagName", element.name.as_str());
    object.insert("attributes", attributes);
    object.insert("children", element.children.iter().map(shown).collect::<Array>());
    object.into()
}

fn judge(vector: &Vector, result: Result<Value, Error>) -> Result<(), String> {
    match (result, &vector.expect_error_kind, vector.expect_error, &vector.expect) {
        (Err(error), Some(kind), true, _) if error.class() != kind => {
            Err(format!("expected an error of kind {kind}, found: {error}"))
        }
        (Err(_), _, true, _) => Ok(()),
        (Ok(value), _, true, _) => Err(format!("expected an error, found {}", to_string(&value))),
        (Err(error), _, false, _) => Err(format!("expected a value, found: {error}")),
        (Ok(value), _, false, Some(wanted)) if !same_value(wanted, &value) => {
            Err(format!("expected {}, found {}", to_string(wanted), to_string(&value)))
        }
        (Ok(_), _, false, _) => Ok(()),
    }
}

fn write(vector: &Vector, input: &Value) -> Result<Result<(), String>, String> {
    let mut options = WriteOptions::default();
    let mut root = "root";
    for (key, value) in &vector.options {
        match (key.as_str(), value.as_bool(), value.as_str()) {
            ("format", Some(on), _) => options.format = on,
            ("suppress_empty", Some(on), _) => options.suppress_empty = on,
            ("minimal_escaping", Some(on), _) => options.minimal_escaping = on,
            ("text_node_name", _, Some(name)) => options.text_node_name = name.to_owned(),
            ("root", _, Some(name)) => root = name,
            _ => return Err(format!("rxml option {key} is not known")),
        }
    }
    let wanted = vector.expect.as_ref().and_then(Value::as_str).unwrap_or("");
    Ok(match stringify(root, input, &options) {
        Ok(_) if vector.expect_error => Err("expected an error".to_owned()),
        Err(error) if !vector.expect_error => Err(format!("expected text, found: {error}")),
        Ok(text) if text != wanted => Err(format!("expected {wanted:?}, found {text:?}")),
        _ => Ok(()),
    })
}

/// The options of a case. `max_reparses` is the founding system's: reading is one pass, 0 is off.
fn options(vector: &Vector) -> Result<Options, String> {
    let mut options = Options::default();
    for (key, value) in &vector.options {
        match (key.as_str(), value.as_bool(), value.as_str()) {
            ("repair", Some(on), _) => options.repair = on,
            ("partial", Some(on), _) => options.partial = on,
            ("throw_on_duplicate_string_tags", Some(on), _) => {
                options.throw_on_duplicate_string_tags = on;
            }
            ("text_node_name", _, Some(name)) => options.text_node_name = name.to_owned(),
            ("no_child_nodes", _, _) => {
                let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                options.no_child_nodes = names.map(str::to_owned).collect();
            }
            ("max_reparses", _, _) => options.repair &= value.as_i64() != Some(0),
            ("allow", _, Some("none")) => options.policy.allow = Loss::None,
            ("allow", _, Some("format")) => options.policy.allow = Loss::Format,
            ("allow", _, Some("guess")) => options.policy.allow = Loss::Guess,
            ("null_optional", _, Some("keep")) => options.policy.null_optional = NullOptional::Keep,
            ("null_optional", _, Some("drop")) => options.policy.null_optional = NullOptional::Drop,
            ("undeclared", _, Some("keep")) => options.policy.undeclared = Undeclared::Keep,
            ("undeclared", _, Some("drop")) => options.policy.undeclared = Undeclared::Drop,
            _ => return Err(format!("rxml option {key} is not known")),
        }
    }
    Ok(options)
}
