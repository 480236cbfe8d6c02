//! What an answer that was read to its end says.

use toolweir_rjson::{Mode, Object, Value, parse, parse_many};

use crate::diagnostics::{LIMIT_HELD, UNREADABLE_CALL};
use crate::engine::Fault;
use crate::request::Request;
use crate::spec::aliases;

/// What stands around the object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// Text, fences apart.
    pub(super) text: bool,
    /// A further object that names a tool.
    pub(super) calls: bool,
}

/// What stands before and after the object.
pub(super) fn around(before: &str, after: &str, request: &Request) -> Around {
    let (before, after) = (before.trim(), after.trim());
    // The brackets of a list are no text.
    let (before, after) = match before.strip_suffix('[') {
        Some(before) => (before.trim_end(), after.strip_suffix(']').unwrap_or(after).trim_end()),
        None => (before, after),
    };
    let before = before.strip_suffix("json").map_or(before, str::trim_end);
    let before = before.strip_suffix("```").unwrap_or(before);
    let after = after.strip_prefix("```").unwrap_or(after).trim_start();
    let mut around = Around { text: !before.is_empty(), calls: false };
    if after.is_empty() {
        return around;
    }
    if after.len() > request.limits.max_held_bytes {
        // Whatever it is, it is too long to be read beside an answer.
        return Around { text: true, ..around };
    }
    let options = request.limits.json(Mode::Repair);
    let roots = parse_many(after, &options).map(|many| many.roots).unwrap_or_default();
    let names = |object: &Object| named(object).name.is_some();
    around.calls = roots.iter().any(|root| first_of(&root.value).is_some_and(names));
    around.text |= !around.calls;
    around
}

/// The arguments of an answer that names no tool, as JSON; none: they are no object.
pub(super) fn unnamed(body: &str, request: &Request) -> Result<Option<String>, Fault> {
    if body.len() > request.limits.max_held_bytes {
        return Err(Fault::new(LIMIT_HELD, "an answer that names no tool is too long to be read"));
    }
    let none = Some("{}".to_owned());
    let Ok(many) = parse_many(body, &request.limits.json(Mode::Repair)) else { return Ok(none) };
    let Some(object) = many.roots.iter().find_map(|root| first_of(&root.value)) else {
        return Ok(none);
    };
    let found = named(object);
    if found.name.is_some() {
        let message = "the object that names a tool cannot be read";
        return Err(Fault::new(UNREADABLE_CALL, message));
    }
    let arguments = found.arguments.map(Option::unwrap_or_default);
    Ok(arguments.ok().map(|arguments| Value::Object(arguments).to_string()))
}

/// The object itself, or the first one of a list.
fn first_of(value: &Value) -> Option<&Object> {
    value.as_object().or_else(|| value.as_array()?.iter().find_map(Value::as_object))
}

/// What the object says.
struct Found<'v> {
    name: Option<&'v str>,
    /// None, an object, or something that is none.
    arguments: Result<Option<Object>, ()>,
}

/// Name and arguments, under their several names, also inside a wrapper.
fn named(object: &Object) -> Found<'_> {
    let mut found = Found { name: None, arguments: Ok(None) };
    let wrapped = object.iter().find_map(|(key, value)| {
        aliases::WRAPPERS.contains(&key).then(|| value.as_object()).flatten()
    });
    for (key, value) in wrapped.unwrap_or(object).iter() {
        if aliases::NAME.contains(&key) && found.name.is_none() {
            found.name = value.as_str().filter(|name| !name.is_empty());
        } else if aliases::ARGS.contains(&key) && matches!(found.arguments, Ok(None)) {
            found.arguments = arguments(value);
        }
    }
    found
}

/// Missing, null and `""` are no arguments; a string that holds an object is decoded once.
fn arguments(value: &Value) -> Result<Option<Object>, ()> {
    match value {
        Value::Object(object) => Ok(Some(object.clone())),
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => match parse(text, Mode::Relaxed).map(|parsed| parsed.value) {
            Ok(Value::Object(object)) => Ok(Some(object)),
            _ => Err(()),
        },
        _ => Err(()),
    }
}
