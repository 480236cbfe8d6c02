//! The JSONTestSuite files and the naughty strings; skipped, with a printed reason, where the folder
//! is not there. It is found through `TOOLWEIR_CORPORA`.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "reads shared test data")]

mod common;

use std::collections::HashMap;
use std::path::Path;

use common::{check, check_both, options, shared};
use toolweir_rjson::{Mode, Options, Value, parse, parse_with, to_string};

/// The files of a folder, by name: their text, or none where it is not UTF-8.
fn files(folder: &Path) -> Vec<(String, Option<String>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, String::from_utf8(std::fs::read(path).unwrap()).ok())
        })
        .collect();
    files.sort();
    files
}

/// What serde_json says to each file when it only checks the syntax.
fn verdicts(corpora: &Path) -> HashMap<String, bool> {
    let text = std::fs::read_to_string(corpora.join("verdicts/json-test-suite.jsonl")).unwrap();
    let line = |line| {
        let value = parse(line, Mode::Strict).unwrap().value;
        let file = value.get("file").and_then(Value::as_str).unwrap();
        let accepts = value.get("serde_json_syntax_only").and_then(Value::as_bool).unwrap();
        (file.trim_start_matches("test_parsing/").to_owned(), accepts)
    };
    text.lines().map(line).collect()
}

/// Every law for short files, one split for the long ones.
fn laws(text: &str) {
    if text.len() < 3000 {
        check_both(text);
        return;
    }
    for mode in [Mode::Strict, Mode::Relaxed] {
        let middle = (text.len() / 2..).find(|&at| text.is_char_boundary(at)).unwrap();
        let (left, right) = text.split_at(middle);
        let halves = common::run(&options(mode), &[left, right]);
        assert_eq!(halves, common::run(&options(mode), &[text]));
    }
}

#[test]
fn json_test_suite_is_judged_as_its_file_names_say() {
    let Some(corpora) = shared("TOOLWEIR_CORPORA", "corpora") else { return };
    let verdicts = verdicts(&corpora);
    let mut counts = [0; 3];
    for (name, text) in files(&corpora.join("json-test-suite/test_parsing")) {
        let Some(text) = text else { continue };
        // Depth is a limit, not grammar.
        let ours = parse_with(&text, &Options::default().with_max_depth(1000));
        match name.as_bytes().first() {
            Some(b'y') => {
                counts[0] += 1;
                let strict = ours.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(parse(&text, Mode::Relaxed).unwrap(), strict, "{name}");
                assert_eq!(parse(&text, Mode::Repair).unwrap(), strict, "{name}");
            }
            Some(b'n') => {
                counts[1] += 1;
                assert!(ours.is_err(), "{name} is accepted");
                repaired(&name, &text);
            }
            _ => {
                counts[2] += 1;
                let surrogate = ours.as_ref().is_err_and(|e| e.to_string().contains("surrogate"));
                assert!(surrogate || ours.is_ok() == verdicts[&name], "{name}: {ours:?}");
            }
        }
        laws(&text);
    }
    assert_eq!(counts, [95, 176, 22]);
}

/// Repair gives a value that is read back without a repair, or a typed error, and at once.
fn repaired(name: &str, text: &str) {
    let from = std::time::Instant::now();
    if let Ok(parsed) = parse(text, Mode::Repair) {
        let json = to_string(&parsed.value);
        assert_eq!(parse(&json, Mode::Strict).unwrap().value, parsed.value, "{name}");
    }
    // Generous for builds without optimisation.
    assert!(from.elapsed().as_secs() < 10, "{name}");
}

#[test]
fn transform_files_keep_number_text_and_key_order() {
    let Some(corpora) = shared("TOOLWEIR_CORPORA", "corpora") else { return };
    let mut accepted = 0;
    for (name, text) in files(&corpora.join("json-test-suite/test_transform")) {
        let Some(text) = text else { continue };
        laws(&text);
        let Ok(parsed) = parse(&text, Mode::Strict) else {
            assert!(
                name.contains("escaped_invalid"),
                "{name}: only half surrogate pairs are refused"
            );
            continue;
        };
        accepted += 1;
        if name.starts_with("number") {
            assert_eq!(to_string(&parsed.value), text.split_whitespace().collect::<String>());
        }
        if name.starts_with("object_same") {
            assert_eq!(parsed.value.as_object().unwrap().len(), 1, "{name}");
            assert_eq!(parsed.diagnostics.len(), 1);
        }
        if name.contains("nf") {
            assert_eq!(parsed.value.as_object().unwrap().len(), 2, "{name}: keys are bytes");
        }
    }
    assert!(accepted >= 16, "{accepted}");
}

#[test]
fn naughty_strings_come_through_unchanged() {
    let Some(corpora) = shared("TOOLWEIR_CORPORA", "corpora") else { return };
    let text = std::fs::read_to_string(corpora.join("naughty-strings/blns.json")).unwrap();
    let ours = parse(&text, Mode::Strict).unwrap().value;
    let theirs: Vec<String> = serde_json::from_str(&text).unwrap();
    assert!(theirs.len() > 400);
    assert!(ours.as_array().unwrap().iter().map(|value| value.as_str().unwrap()).eq(&theirs));
    for text in &theirs {
        let json = to_string(&Value::from(text.as_str()));
        assert_eq!(json, serde_json::to_string(text).unwrap());
        assert_eq!(check(&Options::default(), &json).wire, json);
        laws(text);
    }
}
