//! `expect` against a turn: only the keys present are compared.

use toolweir_rjson::{Mode, Value, parse, to_string};
use toolweir_segments::{Turn, list_turn};

use super::vector::Vector;
use crate::json::same_value;

/// `Err` says what differs and shows the turn.
pub(super) fn compare(vector: &Vector, turn: &Turn) -> Result<(), String> {
    let Some(expect) = &vector.expect else { return Ok(()) };
    let trim = |text: &str| if vector.trimmed { text.trim().to_owned() } else { text.to_owned() };
    let texts = [("text", turn.text()), ("reasoning", turn.reasoning())];
    for (key, found) in texts {
        let wanted = expect.get(key).and_then(Value::as_str);
        if let Some(wanted) = wanted
            && trim(wanted) != trim(&found)
        {
            return Err(shown(format!("{key}: expected {wanted:?}, found {found:?}"), turn));
        }
    }
    if let Some(wanted) = expect.get("calls").and_then(Value::as_array) {
        compare_calls(wanted, turn).map_err(|why| shown(why, turn))?;
    }
    match expect.get("error").and_then(Value::as_bool) {
        Some(true) if !turn.has_errors() => Err(shown("expected an error".into(), turn)),
        Some(false) if turn.has_errors() => Err(shown("expected no error".into(), turn)),
        _ => Ok(()),
    }
}

fn compare_calls(wanted: &[Value], turn: &Turn) -> Result<(), String> {
    let found: Vec<_> = turn.every_call().collect();
    if wanted.len() != found.len() {
        return Err(format!("calls: expected {}, found {}", wanted.len(), found.len()));
    }
    for (number, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
        let name = wanted.get("name").and_then(Value::as_str);
        if name.is_some_and(|name| name != found.name) {
            return Err(format!("call {number}: expected {name:?}, found {:?}", found.name));
        }
        let Some(arguments) = wanted.get("arguments") else { continue };
        let value = parse(found.arguments, Mode::Strict)
            .map_err(|e| format!("call {number}: arguments are no JSON, {e}"))?;
        if !same_value(arguments, &value.value) {
            let (wanted, found) = (to_string(arguments), found.arguments);
            return Err(format!("call {number}: expected arguments {wanted}, found {found}"));
        }
    }
    Ok(())
}

fn shown(why: String, turn: &Turn) -> String {
    format!("{why}\n{}", list_turn(turn))
}
