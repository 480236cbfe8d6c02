//! Cases of kind `rjson`, modes strict and relaxed.

use toolweir_rjson::{Mode, Value, parse, to_string};

use super::vector::Vector;
use crate::json::same_value;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(vector: &Vector) -> Result<Result<(), String>, String> {
    let mode = match vector.mode.as_deref() {
        Some("strict") => Mode::Strict,
        Some("relaxed") | None => Mode::Relaxed,
        Some(other) => return Err(format!("rjson mode {other} is not built yet")),
    };
    // `relaxed` only repeats the mode; the others change what upstream's parser does.
    if let Some((key, _)) = vector.options.iter().find(|(key, _)| key != "relaxed") {
        return Err(format!("rjson option {key} is not built yet"));
    }
    let Some(input) = vector.input.as_ref().and_then(Value::as_str) else {
        return Err("the input is no text".into());
    };
    Ok(match (parse(input, mode), vector.expect_error, &vector.expect) {
        (Err(_), true, _) => Ok(()),
        (Ok(parsed), true, _) => {
            Err(format!("expected an error, found {}", to_string(&parsed.value)))
        }
        (Err(e), false, _) => Err(format!("expected a value, found: {e}")),
        (Ok(parsed), false, Some(wanted)) if !same_value(wanted, &parsed.value) => {
            let (wanted, found) = (to_string(wanted), to_string(&parsed.value));
            Err(format!("expected {wanted}, found {found}"))
        }
        (Ok(_), false, _) => Ok(()),
    })
}
