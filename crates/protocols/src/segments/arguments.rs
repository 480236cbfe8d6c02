//! The arguments document of a call that was read as a value: policies, schema, text.

use toolweir_rjson::{Mode, Object, Options, Value, parse_with, to_string};
use toolweir_schema_coerce::{
    CoerceError, Coerced, NullOptional, Policy, Rule, Undeclared as Keys,
};
use toolweir_segments::Severity;

use crate::diagnostics::{Code, DENIED_KEY, DUPLICATE_KEY_ERROR, INVALID_ARGUMENT, UNDECLARED_KEY};
use crate::engine::{Fault, shown};
use crate::policy::{Deltas, DuplicateKeys, InvalidArguments, Undeclared};
use crate::request::Request;

/// The document, and what was done to it.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) text: String,
    pub(crate) coerced: bool,
    /// Warnings, to be given a place.
    pub(crate) notes: Vec<(Code, String)>,
}

/// The document of `arguments` for the tool `name`; `source`, where it is strict JSON, is kept as
/// written while the schema takes the value as it is.
pub(crate) fn document(
    name: &str,
    arguments: Object,
    source: Option<&str>,
    request: &Request,
) -> Result<Document, Fault> {
    let policies = &request.policies;
    let value = Value::Object(arguments);
    if let Some(key) = denied(&value, &policies.deny_keys) {
        let message = format!("the arguments hold the denied key `{}`", shown(&key));
        return Err(Fault::new(DENIED_KEY, message));
    }
    if let (Some(source), DuplicateKeys::Error) = (source, policies.duplicate_keys) {
        refuse_duplicates(source)?;
    }
    let own = |value: &Value| source.map_or_else(|| to_string(value), str::to_owned);
    let schema = request.tools.schema(name).filter(|schema| !schema.root().is_untyped());
    let Some(schema) = schema.filter(|_| policies.deltas != Some(Deltas::Source)) else {
        return Ok(Document { text: own(&value), ..Document::default() });
    };
    match schema.coerce(value.clone(), &policy(request)) {
        Ok(coerced) if coerced.changes.is_empty() => {
            Ok(Document { text: own(&value), ..Document::default() })
        }
        Ok(coerced) => Ok(changed(&coerced)),
        Err(error) => {
            let (code, message) = refused(&error, request)?;
            let text = own(&value);
            Ok(Document { text, coerced: false, notes: vec![(code, message)] })
        }
    }
}

/// What the schema may do to the value.
fn policy(request: &Request) -> Policy {
    let mut policy = Policy::default();
    policy.null_optional = NullOptional::Keep;
    policy.max_depth = request.limits.max_depth;
    if request.policies.undeclared == Undeclared::Drop {
        policy.undeclared = Keys::Drop;
    }
    policy
}

/// The document of a value that the schema changed.
fn changed(coerced: &Coerced) -> Document {
    let mut out = Document { text: to_string(&coerced.value), ..Document::default() };
    for change in &coerced.changes {
        if change.rule == Rule::DropKey {
            let key = shown(change.path.trim_start_matches('/'));
            let message = format!("the undeclared argument `{key}` was left out");
            out.notes.push((UNDECLARED_KEY, message));
        } else {
            out.coerced = true;
        }
    }
    out
}

/// What is said of a value that does not fit, unless the request refuses it.
fn refused(error: &CoerceError, request: &Request) -> Result<(Code, String), Fault> {
    let place = match error.instance_path.as_str() {
        "" => "the arguments".to_owned(),
        path => format!("`{}`", shown(path)),
    };
    if request.policies.invalid_arguments == InvalidArguments::Reject {
        let message = format!("{place}: {}", error.kind);
        return Err(Fault::new(INVALID_ARGUMENT, message));
    }
    let code = Code { code: error.kind.code(), severity: Severity::Warning, summary: "" };
    Ok((code, format!("{place}: {}; passed on as written", error.kind)))
}

/// A key at any depth that the request denies.
fn denied(value: &Value, keys: &[String]) -> Option<String> {
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
