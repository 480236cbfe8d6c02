//! Cases of kind `string-field`: string members of a JSON object that comes in chunks.
//!
//! What each of its own chunks adds is compared; joined, it is the same for every split.

use toolweir_rjson::{FieldPiece, Machine, Mode, Object, Options, StringFields, Value, to_string};

use super::vector::Vector;
use crate::split::Splits;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(vector: &Vector, splits: &Splits) -> Result<Result<(), String>, String> {
    let stream = names(vector, "stream_fields")?;
    let whole = names(vector, "final_fields")?;
    let chunks: Vec<&str> = vector.chunks.iter().map(String::as_str).collect();
    let own = follow(&stream, &whole, &chunks);
    let deltas = own.iter().map(|step| Value::from(step.0.as_str())).collect();
    let completed = own.iter().map(|step| Value::Object(step.1.clone())).collect();
    let compared = compare(vector, "deltas_per_chunk", &Value::Array(deltas))
        .and_then(|()| compare(vector, "completed_per_chunk", &Value::Array(completed)));
    let all = join(own);
    let split = splits.of(&vector.text).find_map(|split| {
        let chunks: Vec<&str> = split.chunks(&vector.text).collect();
        let found = join(follow(&stream, &whole, &chunks));
        (found != all).then(|| format!("C3 ({split}): {all:?} became {found:?}"))
    });
    Ok(compared.and_then(|()| split.map_or(Ok(()), Err)))
}

fn names<'v>(vector: &'v Vector, key: &str) -> Result<Vec<&'v str>, String> {
    let option = vector.options.iter().find(|(name, _)| name == key);
    let list = option.and_then(|(_, value)| value.as_array());
    let list = list.ok_or_else(|| format!("the case has no {key}"))?;
    Ok(list.iter().filter_map(Value::as_str).collect())
}

/// What each chunk adds: streamed text, and the members it completes.
fn follow(stream: &[&str], whole: &[&str], chunks: &[&str]) -> Vec<(String, Object)> {
    let mut machine = Machine::new(Options::new(Mode::Strict));
    let mut fields = StringFields::new(stream, whole);
    let mut steps = Vec::new();
    for chunk in chunks {
        let (mut deltas, mut completed) = (String::new(), Object::new());
        let mut input = *chunk;
        while let Ok(Some(token)) = machine.next(&mut input) {
            fields.token(&token, &mut |piece| match piece {
                FieldPiece::Delta { text, .. } => deltas.push_str(&text),
                FieldPiece::Whole { key, text } => _ = completed.insert(key, text),
            });
        }
        steps.push((deltas, completed));
    }
    steps
}

/// All streamed text, and all members.
fn join(steps: Vec<(String, Object)>) -> (String, Vec<(String, String)>) {
    let (mut text, mut members) = (String::new(), Vec::new());
    for (deltas, completed) in steps {
        text.push_str(&deltas);
        let shown = |(key, value): (&str, &Value)| (key.to_owned(), to_string(value));
        members.extend(completed.iter().map(shown));
    }
    (text, members)
}

fn compare(vector: &Vector, key: &str, found: &Value) -> Result<(), String> {
    match vector.expect.as_ref().and_then(|expect| expect.get(key)) {
        Some(wanted) if !same(wanted, found) => {
            Err(format!("{key}: expected {}, found {}", to_string(wanted), to_string(found)))
        }
        _ => Ok(()),
    }
}

/// Equal, whatever the order of members.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(l, r)| same(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            let there = |(key, value)| right.get(key).is_some_and(|other| same(value, other));
            left.len() == right.len() && left.iter().all(there)
        }
        _ => left == right,
    }
}
