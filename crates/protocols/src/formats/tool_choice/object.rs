//! What an answer that was read to its end says.

use toolweir_rjson::{Diagnostic, Machine, Mode, Object, Value, parse, parse_many};

use crate::limits::Limits;
use crate::request::Request;
use crate::spec::aliases;

/// The name of a call that has none.
const UNKNOWN: &str = "unknown";

/// What was found in the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// It is no strict JSON.
    pub(super) mended: bool,
    /// Its arguments are an object, or missing.
    pub(super) fits: bool,
    pub(super) coerced: bool,
    pub(super) around: Around,
}

/// What stands around the object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// Text, fences apart.
    pub(super) text: bool,
    /// A further object that names a tool.
    pub(super) calls: bool,
}

/// The answer that a call was read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'s> {
    pub(super) body: &'s str,
    pub(super) mended: bool,
    pub(super) around: Around,
}

/// The name of the call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named<'n> {
    /// It went out while the answer came.
    Sent(&'n str),
    Read(&'n str),
    Unknown,
}

impl<'n> Named<'n> {
    pub(super) fn tool(self) -> &'n str {
        match self {
            Self::Sent(name) | Self::Read(name) => name,
            Self::Unknown => UNKNOWN,
        }
    }
}

/// What stands before and behind the object.
pub(super) fn around(before: &str, behind: &str, request: &Request) -> Around {
    let before = before.trim();
    let before = before.strip_suffix("json").map_or(before, str::trim_end);
    let before = before.strip_suffix("```").unwrap_or(before);
    let behind = behind.trim_start();
    let behind = behind.strip_prefix("```").unwrap_or(behind).trim_start();
    let mut around = Around { text: !before.is_empty(), calls: false };
    if behind.is_empty() {
        return around;
    }
    if behind.len() > request.limits.max_held_bytes {
        // Whatever it is, it is too long to be read beside an answer.
        return Around { text: true, ..around };
    }
    let options = request.limits.json(Mode::Repair);
    let roots = parse_many(behind, &options).map(|many| many.roots).unwrap_or_default();
    let names = |object: &Object| named(object).name.is_some();
    around.calls = roots.iter().any(|root| first_of(&root.value).is_some_and(names));
    around.text |= !around.calls;
    around
}

/// Whether a text is one value of strict JSON; none is made of it.
pub(super) fn is_strict(text: &str, limits: &Limits) -> bool {
    let mut machine = Machine::new(limits.json(Mode::Strict));
    let mut input = text;
    loop {
        match machine.next(&mut input) {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(_) => return false,
        }
    }
    machine.is_done() && input.is_empty()
}

/// The object itself, or the first one of a list.
pub(super) fn first_of(value: &Value) -> Option<&Object> {
    value.as_object().or_else(|| value.as_array()?.iter().find_map(Value::as_object))
}

/// Whether brackets or quotes at the end of the object are not the model's own.
pub(super) fn was_cut(diagnostics: &[Diagnostic], end: usize) -> bool {
    let cuts = ["rjson::missing-closer", "rjson::missing-quote", "rjson::dropped-key"];
    diagnostics.iter().any(|d| cuts.contains(&d.code) && d.end >= end as u64)
}

/// What the object says.
pub(super) struct Found<'v> {
    pub(super) name: Option<&'v str>,
    /// None, an object, or something that is none.
    pub(super) arguments: Result<Option<Object>, ()>,
}

/// Name and arguments, under their several names, also inside a wrapper.
pub(super) fn named(object: &Object) -> Found<'_> {
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
