//! Shared test vectors of strict and relaxed reading; skipped, with a printed reason, where the
//! folder is not there. It is found through `TOOLWEIR_VECTORS`.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "reads shared test data")]

mod common;

use common::{check, shared};
use toolweir_rjson::{Duplicates, Mode, Number, Options, Value, parse, parse_with};

/// Required cases that we answer in another way, with the reason.
const EXCUSED: &[(&str, &str)] = &[];

/// Equal as the vectors define it: numbers by exact value, or by double where written as one.
fn equal(ours: &Value, expected: &Value) -> bool {
    let written_as_double = |number: &Number| number.as_str().contains(['.', 'e', 'E']);
    match (ours, expected) {
        (Value::Number(ours), Value::Number(expected)) => {
            let doubles = written_as_double(ours) || written_as_double(expected);
            ours == expected || (doubles && ours.as_f64() == expected.as_f64())
        }
        (Value::Array(ours), Value::Array(expected)) => {
            ours.len() == expected.len() && ours.iter().zip(expected).all(|(o, e)| equal(o, e))
        }
        (Value::Object(ours), Value::Object(expected)) => {
            ours.len() == expected.len()
                && ours.iter().all(|(key, value)| {
                    expected.get(key).is_some_and(|expected| equal(value, expected))
                })
        }
        _ => ours == expected,
    }
}

/// What is wrong with a case, if anything.
fn judge(case: &Value, input: &str, mode: Mode) -> Option<String> {
    let mut options = Options::new(mode);
    if case.pointer("/options/duplicate") == Some(&Value::Bool(false)) {
        options.duplicates = Duplicates::Error;
    }
    check(&options, input);
    let answer = parse_with(input, &options);
    match (answer, case.get("expect_error"), case.get("expect")) {
        (Ok(parsed), None, Some(expected)) if equal(&parsed.value, expected) => None,
        (Err(_), Some(_), _) => None,
        (Ok(parsed), ..) => Some(format!("read as {}", parsed.value)),
        (Err(error), ..) => Some(format!("refused: {error}")),
    }
}

#[test]
fn vectors_hold_for_every_chunking() {
    let Some(folder) = shared("TOOLWEIR_VECTORS", "vectors") else { return };
    let (mut passed, mut informative, mut wrong, mut excused) = (0, 0, Vec::new(), Vec::new());
    for file in [
        "robust/rjson-relaxed.jsonl",
        "robust/rjson-jsonrepair.jsonl",
        "robust/rjson-json_repair.jsonl",
        "ai-sdk/rjson.jsonl",
    ] {
        let lines = std::fs::read_to_string(folder.join(file)).unwrap();
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let case =
                parse(line, Mode::Strict).unwrap_or_else(|e| panic!("{file}: {e}: {line}")).value;
            let text = |key: &str| case.get(key).and_then(Value::as_str);
            let mode = match (text("kind"), text("mode")) {
                (Some("rjson"), Some("strict")) => Mode::Strict,
                (Some("rjson"), Some("relaxed")) => Mode::Relaxed,
                _ => continue,
            };
            let id = text("id").unwrap();
            let required = case.get("informative") != Some(&Value::Bool(true));
            let fault = judge(&case, text("input").unwrap(), mode);
            let excuse = EXCUSED.iter().find(|(excused, _)| *excused == id);
            match (fault, excuse) {
                (None, None) => passed += 1,
                (Some(_), Some(_)) => excused.push(id.to_owned()),
                (Some(fault), None) if !required => {
                    informative += 1;
                    println!("informative: {id}: {fault}");
                }
                (fault, _) => {
                    wrong.push(format!("{id}: {}", fault.unwrap_or("excused, passes".into())))
                }
            }
        }
    }
    println!("{passed} passed, {} excused, {informative} informative", excused.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(excused.len(), EXCUSED.len(), "each excuse has a case");
    assert!(passed >= 100);
}
