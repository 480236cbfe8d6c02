//! Why one value of a call differs.

use serde_json::Value;

use super::Format;
use super::classify::Class::{self, Open, Rule, Unknown};
use super::classify::{ENDED, MEANT, Seen};
use super::compare::{Call, Leaf};
use super::damage::Damage;

const KEPT: Class = Rule("undeclared keys are kept (policy 11)");
const NAMES: Class = Rule("a parameter is known by its name in any case (rxml 5)");
const TEXT: Class = Rule("a value without a schema is a string as it stands (policy 24)");
const ENTITIES: Class = Rule("entities are verbatim (policy 25)");
const LAST: Class = Rule("of a repeated parameter the last counts (policies 13, 26)");
const COERCED: Class =
    Rule("a value is made to fit its schema where nothing is lost (schema-coerce 2)");
const MISFIT: Class =
    Rule("a value that cannot be made to fit stands as it was written (policy 27)");
const RAW: Class = Rule("texts and entries of lists are raw, unsplit and untrimmed (rxml 3.1, 4)");
const EDGES: Class = Rule("a value loses one line break at each end, nothing else (xml-family 1)");
const LINE: Class =
    Rule("in an open value an opener counts at the start of a line only (xml-family 0)");
const OTHER_TAG: Class = Rule("a value ends at its own closing tag only (xml-family 0)");
const STRAY: Class =
    Rule("text between elements, such as `< name>`, is no part of the value (rxml 5)");
const OWN: Class =
    Rule("own-name tags that do not balance: a string ends at the first closing tag (rxml 3.2)");
const SAME_NAME: Class =
    Rule("an element without its closing tag does not end at one of its own name (rxml 5)");
const PLAIN: Class =
    Rule("a value of a YAML body that is no YAML is text as it stands (xml-family 14)");
const YAML: Class = Rule("a body that is YAML is read as YAML has it (xml-family 14)");
const DOUBLED: Class = Open("a doubled tag around a value that is no text is read into it");
const SPACED: Class =
    Open("an element with a blank after its `<` is text, and what it holds another argument");
const ENTRY: Class = Open("an entry without its closing tag holds the next one");
const OTHER_CASE: Class = Open("an element in another case beside its own name is undeclared");
const KEY_IN_TEXT: Class = Open("the line of a declared key is read into the YAML text before it");
const MOVED: Class = Open("where a bracket is missing or too many, members go to another object");
/// Diagnostics of brackets that were missing or too many.
const BRACKETS: &[&str] = &["rjson::wrong-closer", "rjson::implied-object", "rjson::sequence"];
const INNER: Class = Open("quotes are taken for inner ones, and a text runs with what follows it");
const KEY: Class = Open("a key without its closing quote runs under another name");
const BARE: Class = Open("a text without its opening quote runs, whatever it is split into");

/// The class of one value, from our reading and the other; `theirs` is what was meant where the
/// middleware has no such call.
pub(super) fn classify(seen: &Seen<'_>, ours: &Call, theirs: &Call, leaf: Leaf<'_>) -> Class {
    let (our, their) = match (leaf.ours, leaf.theirs) {
        (Some(our), Some(their)) => (our, their),
        (our, _) => return one_sided(seen, ours, theirs, &leaf, our),
    };
    let written = |call: &Call| has(&call.arguments, leaf.key, our);
    let text = spelled(our);
    if leaf.schema.is_null() && our.is_string() && !their.is_string() && text == spelled(their) {
        return TEXT;
    }
    if seen.meant.iter().any(written) {
        return MEANT;
    }
    let named = |key: &str| is_other_case(key, leaf.key.unwrap_or_default());
    let kept = |call: &Call| {
        keys(&call.arguments).any(|key| named(key) && has(&call.arguments, Some(key), our))
    };
    if leaf.schema.is_null() && seen.meant.iter().any(kept) {
        return KEPT;
    }
    match seen.case.format {
        Format::YamlXml if seen.said("engine::raw-value") && our.is_string() => {
            return yaml(seen, ours, &text);
        }
        Format::Qwen3Coder if ["</function>", "</tool_call>"].iter().any(|t| text.contains(t)) => {
            return ENDED;
        }
        Format::Qwen3Coder if text.contains("<parameter=") => return LINE,
        Format::Qwen3Coder if text.contains("</value>") => return OTHER_TAG,
        Format::Hermes if seen.said("rjson::inner-quote") && text.contains('"') => return INNER,
        Format::Hermes if BRACKETS.iter().any(|code| seen.said(code)) && !our.is_object() => {
            return MOVED;
        }
        Format::Hermes if seen.said("rjson::bare-text") => return BARE,
        Format::MorphXml => {
            if let Some(class) = element(&leaf, our, &text) {
                return class;
            }
        }
        _ => {}
    }
    value(seen, &leaf, our, their)
}

/// A text that is no YAML.
fn yaml(seen: &Seen<'_>, ours: &Call, text: &str) -> Class {
    let properties = seen.case.schema(&ours.name).get("properties").and_then(Value::as_object);
    let mut left = properties
        .into_iter()
        .flat_map(|all| all.keys())
        .filter(|key| ours.arguments.get(key.as_str()).is_none());
    let begins = |key: &String| {
        let of = |line: &str| line.trim_start().starts_with(&format!("{key}:"));
        text.lines().skip(1).any(of)
    };
    if left.any(begins) { KEY_IN_TEXT } else { PLAIN }
}

/// A value that only one side has.
fn one_sided(
    seen: &Seen<'_>,
    ours: &Call,
    theirs: &Call,
    leaf: &Leaf<'_>,
    our: Option<&Value>,
) -> Class {
    let key = leaf.key.unwrap_or_default();
    let elsewhere = |call: &Call| keys(&call.arguments).any(|other| is_other_case(other, key));
    let moved = |their: &Value| has(&ours.arguments, leaf.key, their);
    let element = seen.case.format == Format::MorphXml;
    let item = || key == "item" || keys(&ours.arguments).any(|other| other == "item");
    match our {
        Some(_) if element && elsewhere(ours) => OTHER_CASE,
        _ if element && item() && seen.damaged(&[Damage::TagSpacing]) => SPACED,
        _ if element && item() => ENTRY,
        _ if seen.said("rjson::bare-text") => BARE,
        _ if seen.said("rjson::missing-colon") => KEY,
        Some(our) if seen.meant.iter().any(|call| has(&call.arguments, leaf.key, our)) => MEANT,
        Some(_) if leaf.schema.is_null() => KEPT,
        None if leaf.schema.is_null() && seen.said("rxml::stray-text") => STRAY,
        None if elsewhere(ours) && leaf.schema.is_null() => NAMES,
        None if elsewhere(ours) => KEPT,
        None if leaf.theirs.is_some_and(moved) => MOVED,
        None if BRACKETS.iter().any(|code| seen.said(code)) => MOVED,
        None if seen.said("rjson::inner-quote") => INNER,
        None if seen.said("engine::raw-value") => KEY_IN_TEXT,
        Some(_) if elsewhere(theirs) => NAMES,
        None if seen.case.format == Format::YamlXml => YAML,
        _ => Unknown,
    }
}

fn is_other_case(key: &str, name: &str) -> bool {
    key != name && key.eq_ignore_ascii_case(name)
}

/// The keys of all objects.
fn keys(arguments: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match arguments {
        Value::Object(map) => {
            Box::new(map.keys().map(String::as_str).chain(map.values().flat_map(keys)))
        }
        Value::Array(items) => Box::new(items.iter().flat_map(keys)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Tags in the value of an element.
fn element(leaf: &Leaf<'_>, our: &Value, text: &str) -> Option<Class> {
    let tag = format!("<{}>", leaf.key.unwrap_or_default());
    let is_text = ["string", "array"].map(Value::from);
    let entries = our.as_array().into_iter().flatten().map(spelled);
    let mut texts = entries.chain([text.to_owned()]);
    if texts.any(|text| text.starts_with(&tag)) {
        let texts = leaf.schema.get("type").is_some_and(|kind| is_text.contains(kind));
        return Some(if texts { OWN } else { DOUBLED });
    }
    text.contains(&tag).then_some(SAME_NAME)
}

fn value(seen: &Seen<'_>, leaf: &Leaf<'_>, our: &Value, their: &Value) -> Class {
    let (text, other) = (spelled(our), spelled(their));
    let last = their.as_array().and_then(|items| items.last()).map(spelled).unwrap_or_default();
    let entity = ["&quot;", "&lt;", "&gt;", "&amp;"].iter().any(|entity| text.contains(entity));
    if leaf.schema.is_null() && text == other {
        return TEXT;
    }
    let one = our.as_array().filter(|items| items.len() == 1).and_then(|items| items.first());
    if text == other || one.is_some_and(|one| spelled(one) == other) {
        return COERCED;
    }
    if entity && seen.case.format != Format::MorphXml {
        return ENTITIES;
    }
    if seen.case.format == Format::Qwen3Coder && text.trim() == other.trim() {
        return EDGES;
    }
    if !our.is_array() && last.trim() == text.trim() {
        return LAST;
    }
    let texts = leaf.schema.pointer("/items/type").is_some_and(|kind| kind == "string");
    match one {
        _ if seen.case.format == Format::MorphXml => RAW,
        _ if seen.case.format == Format::YamlXml => YAML,
        Some(one) if one.is_string() && !texts => MISFIT,
        None if our.is_string() && !fits(leaf.schema, our) => MISFIT,
        _ => Unknown,
    }
}

/// Whether the type of the schema is that of the value.
fn fits(schema: &Value, value: &Value) -> bool {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("integer" | "number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

/// Whether the arguments hold that value under that key, at any depth; how it is spelled is enough.
fn has(arguments: &Value, key: Option<&str>, value: &Value) -> bool {
    match arguments {
        Value::Object(map) => map.iter().any(|(name, inner)| {
            Some(name.as_str()) == key && is(inner, value) || has(inner, key, value)
        }),
        Value::Array(items) => items.iter().any(|inner| has(inner, key, value)),
        _ => false,
    }
}

fn is(meant: &Value, value: &Value) -> bool {
    let one = |list: &Value, value: &Value| {
        list.as_array()
            .is_some_and(|items| items.iter().any(|item| spelled(item) == spelled(value)))
    };
    spelled(meant) == spelled(value)
        || one(meant, value)
        || value.as_array().is_some_and(|items| items.len() == 1) && one(value, meant)
}

fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
