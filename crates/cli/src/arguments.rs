//! Arguments documents as JSON values.

use toolweir::rjson::{Mode, Options, parse_with, quoted, to_string};

/// An arguments document as a JSON value on one line. A document that is not even relaxed JSON
/// (possible under `deltas = source`) comes back as a string that holds it.
pub(crate) fn arguments(document: &str, max_depth: usize) -> String {
    // The decoder has applied the limits of the request; here they only must not be tighter.
    let options = Options::new(Mode::Relaxed)
        .with_max_depth(max_depth.saturating_add(1))
        .with_max_held_bytes(usize::MAX)
        .with_max_keys(usize::MAX);
    match parse_with(document, &options) {
        Ok(parsed) => to_string(&parsed.value),
        Err(_) => quoted(document),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_values_and_numbers_keep_their_text() {
        assert_eq!(arguments("{\n \"a\": 1.50 }", 128), r#"{"a":1.50}"#);
        assert_eq!(arguments("{'a': True}", 128), r#"{"a":true}"#);
        assert_eq!(arguments("{\"a\"", 128), r#""{\"a\"""#);
    }
}
