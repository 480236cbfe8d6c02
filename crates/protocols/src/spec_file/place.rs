//! Where in a TOML file an error is: the line of its key, or of the entry of a list.

use toml::de::{DeTable, DeValue};

use crate::error::{SpecError, SpecFileError};

/// The error with its line, if it is one of a key.
pub(super) fn located(text: &str, error: SpecFileError) -> SpecFileError {
    let at = match &error {
        SpecFileError::Unknown { path, .. }
        | SpecFileError::Kind { path, .. }
        | SpecFileError::Word { path, .. } => place(text, path, None),
        SpecFileError::Spec(error) => match error {
            SpecError::Pattern { field, pattern, .. } => place(text, field, Some(pattern)),
            SpecError::NoEffect { field, text: entry, .. } => place(text, field, Some(entry)),
            SpecError::Reads { other, .. } => place(text, "reads", Some(other)),
            SpecError::Family { .. } => place(text, "reasoning", None),
            SpecError::NoPayload { pattern, .. } => place(text, "call", Some(pattern)),
            SpecError::ReadsOtherwise { .. } => place(text, "call", None),
            _ => None,
        },
        _ => None,
    };
    let Some(before) = at.and_then(|at| text.get(..at)) else { return error };
    let line = before.matches('\n').count() + 1;
    SpecFileError::At { line, error: Box::new(error) }
}

/// Where a key begins, or the value of an entry under it: the one with that number in the path, or that
/// text.
fn place(text: &str, path: &str, entry: Option<&str>) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut keys = path.split('.');
    let key = keys.next()?;
    let (key, mut value) = root.get_ref().iter().find(|(known, _)| known.get_ref() == key)?;
    let mut at = key.span().start;
    for key in keys {
        let inner = match value.get_ref() {
            DeValue::Array(list) => list.get(key.parse::<usize>().ok()?),
            DeValue::Table(table) => table.iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v),
            _ => None,
        };
        // One entry may stand for a list of it.
        let Some(inner) = inner else { continue };
        (value, at) = (inner, inner.span().start);
    }
    if let (DeValue::Array(list), Some(entry)) = (value.get_ref(), entry) {
        let pattern = |value: &DeValue<'_>| match value {
            DeValue::Table(table) => {
                table.get("pattern").and_then(|v| v.get_ref().as_str()) == Some(entry)
            }
            value => value.as_str() == Some(entry),
        };
        let found = list.iter().find(|value| pattern(value.get_ref()));
        at = found.map_or(at, |found| found.span().start);
    }
    Some(at)
}
