//! The arguments document of a call that was read as a value: policies, schema, text.

use toolweir_rjson::{Mode, Object, Options, Value, parse_with, to_string};
use toolweir_schema_coerce::{Coerced, Rule};

use crate::diagnostics::{Code, DUPLICATE_KEY_ERROR, UNDECLARED_KEY};
use crate::engine::Fault;
use crate::policy::{Deltas, DuplicateKeys};
use crate::readers::coercion::{denied, left_out, misfit, policy as coercion_policy};
use crate::request::Request;

/// The document, and what was done to it.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) coerced: bool,
    /// Warnings, to be given a place.
    pub(super) notes: Vec<(Code, String)>,
}

/// The document of `arguments` for the tool `name`; `source`, where it is strict JSON, is kept as
/// written while the schema takes the value as it is.
pub(super) fn document(
    name: &str,
    arguments: Object,
    source: Option<&str>,
    request: &Request,
) -> Result<Document, Fault> {
    let policies = &request.policies;
    let value = Value::Object(arguments);
    if let Some(key) = denied_key(&value, &policies.deny_keys) {
        return Err(denied(&key));
    }
    if let (Some(source), DuplicateKeys::Error) = (source, policies.duplicate_keys) {
        refuse_duplicates(source)?;
    }
    let own = |value: &Value| source.map_or_else(|| to_string(value), str::to_owned);
    let schema = request.tools.schema(name).filter(|schema| !schema.root().is_untyped());
    let Some(schema) = schema.filter(|_| policies.deltas != Some(Deltas::Source)) else {
        return Ok(Document { text: own(&value), ..Document::default() });
    };
    match schema.coerce(value.clone(), &coercion_policy(request)) {
        Ok(coerced) if coerced.changes.is_empty() => {
            Ok(Document { text: own(&value), ..Document::default() })
        }
        Ok(coerced) => Ok(changed(&coerced)),
        Err(error) => {
            let (code, message) = misfit(&error, request)?;
            let text = own(&value);
            Ok(Document { text, coerced: false, notes: vec![(code, message)] })
        }
    }
}

/// The document of a value that the schema changed.
fn changed(coerced: &Coerced) -> Document {
    let mut out = Document { text: to_string(&coerced.value), ..Document::default() };
    for change in &coerced.changes {
        if change.rule == Rule::DropKey {
            out.notes.push((UNDECLARED_KEY, left_out(change.path.trim_start_matches('/'))));
        } else {
            out.coerced = true;
        }
    }
    out
}

/// A key at any depth that the request denies.
fn denied_key(value: &Value, keys: &[String]) -> Option<String> {
    if keys.is_empty() {
        return None;
    }
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(object) => {
                for (key, value) in object.iter() {
                    if keys.iter().any(|denied| denied == key) {
                        return Some(key.to_owned());
                    }
                    left.push(value);
                }
            }
            Value::Array(array) => left.extend(array.iter()),
            _ => {}
        }
    }
    None
}

fn refuse_duplicates(source: &str) -> Result<(), Fault> {
    let mut options = Options::new(Mode::Relaxed);
    options.duplicates = toolweir_rjson::Duplicates::Error;
    match parse_with(source, &options) {
        Err(error) if error.kind == toolweir_rjson::ErrorKind::DuplicateKey => {
            Err(Fault::new(DUPLICATE_KEY_ERROR, "the arguments give a key twice"))
        }
        _ => Ok(()),
    }
}
