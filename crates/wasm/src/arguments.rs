//! Arguments documents as JSON values.

use toolweir::rjson::{Mode, Options, parse_with, quoted, to_string};

/// An arguments document as strict JSON. One that is not even relaxed JSON (possible under
/// `deltas = source`) comes back as a string that holds it.
pub(crate) fn arguments(document: &str) -> String {
    // The decoder has applied the limits of the request; here they must not be tighter.
    let options = Options::new(Mode::Relaxed)
        .with_max_depth(usize::MAX)
        .with_max_held_bytes(usize::MAX)
        .with_max_keys(usize::MAX);
    match parse_with(document, &options) {
        Ok(parsed) => to_string(&parsed.value),
        Err(_) => quoted(document),
    }
}
