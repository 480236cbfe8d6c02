//! Cases of the JSON crate: kinds `rjson`, `rxml-transform` (text to strict text) and `api` (value to
//! text). Each reading holds for the whole text, character by character and at every two-way split.

use toolweir_rjson::{
    Duplicates, Error, Machine, Mode, Options, PartialValue, TreeBuilder, Value, WriteOptions,
    parse_with, stringify, to_string, transform_with,
};

use super::vector::Vector;
use crate::json::same_value;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(vector: &Vector) -> Result<Result<(), String>, String> {
    let options = options(vector)?;
    let input = text(vector)?;
    let found = if vector.mode.as_deref() == Some("partial") {
        partial(input, &options)
    } else {
        let found = parse_with(input, &options).map(|parsed| Some(parsed.value));
        found.map_err(|error| error.to_string())
    };
    let split = if vector.mode.as_deref() == Some("partial") {
        splits(input, |chunks| snapshot(chunks, &options).ok().flatten())
    } else {
        splits(input, |chunks| by_chunks(chunks, &options).ok())
    };
    Ok(compare(vector, found).and(split))
}

/// A case of `transform`.
pub(super) fn run_transform(vector: &Vector) -> Result<Result<(), String>, String> {
    let found = transform_with(text(vector)?, &options(vector)?);
    Ok(match (found, &vector.expect) {
        (Err(_), _) if vector.expect_error => Ok(()),
        (Err(error), _) => Err(format!("expected text, found: {error}")),
        (Ok((text, _)), Some(wanted)) if wanted.as_str() != Some(&text) => {
            Err(format!("expected {}, found {text:?}", to_string(wanted)))
        }
        (Ok(_), _) => Ok(()),
    })
}

/// A case of `stringify`.
pub(super) fn run_stringify(vector: &Vector) -> Result<Result<(), String>, String> {
    let input = vector.input.as_ref().ok_or("the case has no input")?;
    // The founding system sorts the keys, always.
    let found = stringify(input, &WriteOptions::default().with_sort_keys(true));
    Ok(match vector.expect.as_ref().and_then(Value::as_str) {
        Some(wanted) if wanted != found => Err(format!("expected {wanted:?}, found {found:?}")),
        _ => Ok(()),
    })
}

fn text(vector: &Vector) -> Result<&str, String> {
    vector.input.as_ref().and_then(Value::as_str).ok_or_else(|| "the input is no text".into())
}

fn options(vector: &Vector) -> Result<Options, String> {
    let mut options = Options::new(match vector.mode.as_deref() {
        Some("strict") => Mode::Strict,
        Some("relaxed" | "partial") | None => Mode::Relaxed,
        Some("repair") => Mode::Repair,
        Some(other) => return Err(format!("there is no rjson mode {other}")),
    });
    for (key, value) in &vector.options {
        match (key.as_str(), value.as_bool()) {
            ("duplicate", Some(false)) => options.duplicates = Duplicates::Error,
            // The founding options' names of what the mode already says.
            ("duplicate", Some(true)) | ("relaxed" | "tolerant" | "warnings", Some(_)) => {}
            _ => return Err(format!("there is no rjson option {key}")),
        }
    }
    Ok(options)
}

fn compare(vector: &Vector, found: Result<Option<Value>, String>) -> Result<(), String> {
    match (found, vector.expect_error, &vector.expect) {
        (Err(_) | Ok(None), true, _) => Ok(()),
        (Ok(Some(found)), true, _) => {
            Err(format!("expected an error, found {}", to_string(&found)))
        }
        (Err(why), false, _) => Err(format!("expected a value, found: {why}")),
        (Ok(None), false, _) => Err("expected a value, found none yet".into()),
        (Ok(Some(found)), false, Some(wanted)) if !same_value(wanted, &found) => {
            Err(format!("expected {}, found {}", to_string(wanted), to_string(&found)))
        }
        (Ok(Some(_)), false, _) => Ok(()),
    }
}

/// What is certain of a text that may go on.
fn partial(input: &str, options: &Options) -> Result<Option<Value>, String> {
    snapshot(&mut std::iter::once(input), options).map_err(|error| error.to_string())
}

fn snapshot(
    chunks: &mut dyn Iterator<Item = &str>,
    options: &Options,
) -> Result<Option<Value>, Error> {
    let mut partial = PartialValue::new(options);
    for chunk in chunks {
        partial.push(chunk)?;
    }
    Ok(partial.value().cloned())
}

fn by_chunks(chunks: &mut dyn Iterator<Item = &str>, options: &Options) -> Result<Value, Error> {
    let mut machine = Machine::new(options.clone());
    let mut tree = TreeBuilder::new(options);
    let mut roots = Vec::new();
    for mut chunk in chunks {
        while let Some(token) = machine.next(&mut chunk)? {
            tree.push(&token)?;
            roots.extend(tree.take());
        }
        machine.trailing(&mut chunk)?;
    }
    while let Some(token) = machine.finish()? {
        tree.push(&token)?;
        roots.extend(tree.take());
    }
    Ok(match roots.pop() {
        Some(root) if roots.is_empty() => root,
        last => roots.into_iter().chain(last).collect::<Vec<_>>().into(),
    })
}

/// Whether a reading comes to the same for every way of cutting the text.
fn splits<T: PartialEq>(
    input: &str,
    read: impl Fn(&mut dyn Iterator<Item = &str>) -> T,
) -> Result<(), String> {
    let whole = read(&mut std::iter::once(input));
    if read(&mut input.split_inclusive(|_| true)) != whole {
        return Err("differs when read character by character".into());
    }
    for (at, _) in input.char_indices().skip(1) {
        let Some((head, tail)) = input.split_at_checked(at) else { continue };
        if read(&mut [head, tail].into_iter()) != whole {
            return Err(format!("differs when cut at byte {at}"));
        }
    }
    Ok(())
}
