//! Arguments as a JSON value that keeps its text.

use serde_json::value::RawValue;
use toolweir_rjson::{Mode, parse, to_string, write_string};

/// The document as it stands where it is JSON. Under `deltas = source` a model's own spelling may
/// be relaxed JSON: then its value; what cannot be read at all is a string.
pub(crate) fn raw(document: &str) -> Box<RawValue> {
    if let Ok(raw) = RawValue::from_string(document.to_owned()) {
        return raw;
    }
    let value = parse(document, Mode::Relaxed).ok();
    let relaxed = value.and_then(|parsed| RawValue::from_string(to_string(&parsed.value)).ok());
    relaxed.unwrap_or_else(|| string(document))
}

/// The text as a JSON string.
pub(crate) fn string(text: &str) -> Box<RawValue> {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_string(&mut quoted, text);
    RawValue::from_string(quoted).unwrap_or_default()
}

/// The document of a call without any.
pub(crate) fn or_empty(document: &str) -> &str {
    if document.trim().is_empty() { "{}" } else { document }
}
