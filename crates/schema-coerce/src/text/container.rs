//! Text that is an object or an array.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::{Diagnostic, Mode, Value, parse, to_string};

/// A container read from text.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) value: Value,
    pub(super) json: String,
    /// The text was not strict JSON.
    pub(super) changed: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Container {
    /// Reads `trimmed` as strict JSON, then by the relaxed grammar, which has the Python literals.
    /// Scalars are not containers. `offset` is where `trimmed` begins in the text.
    pub(super) fn read(trimmed: &str, offset: usize) -> Option<Self> {
        // A bracket, or a comment or byte order mark before one.
        if !trimmed.starts_with(['{', '[', '/', '#', '\u{feff}']) {
            return None;
        }
        let (parsed, changed) = match parse(trimmed, Mode::Strict) {
            Ok(parsed) => (parsed, false),
            Err(_) => (parse(trimmed, Mode::Relaxed).ok()?, true),
        };
        if !matches!(parsed.value, Value::Object(_) | Value::Array(_)) {
            return None;
        }
        let json = if changed { to_string(&parsed.value) } else { trimmed.to_string() };
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        let mut diagnostics = parsed.diagnostics;
        for diagnostic in &mut diagnostics {
            diagnostic.start = diagnostic.start.saturating_add(offset);
            diagnostic.end = diagnostic.end.saturating_add(offset);
            diagnostic.related = diagnostic
                .related
                .map(|(start, end)| (start.saturating_add(offset), end.saturating_add(offset)));
        }
        Some(Self { value: parsed.value, json, changed, diagnostics })
    }
}
