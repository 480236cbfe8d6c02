//! The JSONTestSuite files and the naughty strings; skipped, with a printed reason, where the folder
//! is not there. It is found through `TOOLWEIR_CORPORA`.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "reads shared test data")]

mod common;

use std::collections::HashMap;
use std::path::Path;

use common::{check, check_both, options, shared};
use toolweir_rjson::{ErrorKind, Mode, Options, Value, parse, parse_with, to_string, transform};

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

/// What each mode does with the files that a parser may take or refuse: all of those that are text,
/// and of the others what is left when the byte edge has put U+FFFD in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Choice {
    /// Read in every mode, numbers as their text.
    Kept,
    /// Half a surrogate pair: no Rust string can hold it. Refused; repair has U+FFFD.
    Half,
    /// A byte order mark: not strict, read in relaxed and repair.
    Mark,
    /// Deeper than the default limit: `TooDeep` in every mode, read where more is allowed.
    Deep,
    /// Not UTF-8: refused before it comes here, or read with U+FFFD.
    Replaced,
    /// Not UTF-8, and with U+FFFD no JSON either.
    Refused,
}

const CHOICES: &[(&str, Choice)] = &[
    ("i_number_double_huge_neg_exp.json", Choice::Kept),
    ("i_number_huge_exp.json", Choice::Kept),
    ("i_number_neg_int_huge_exp.json", Choice::Kept),
    ("i_number_pos_double_huge_exp.json", Choice::Kept),
    ("i_number_real_neg_overflow.json", Choice::Kept),
    ("i_number_real_pos_overflow.json", Choice::Kept),
    ("i_number_real_underflow.json", Choice::Kept),
    ("i_number_too_big_neg_int.json", Choice::Kept),
    ("i_number_too_big_pos_int.json", Choice::Kept),
    ("i_number_very_big_negative_int.json", Choice::Kept),
    ("i_object_key_lone_2nd_surrogate.json", Choice::Half),
    ("i_string_1st_surrogate_but_2nd_missing.json", Choice::Half),
    ("i_string_1st_valid_surrogate_2nd_invalid.json", Choice::Half),
    ("i_string_UTF-16LE_with_BOM.json", Choice::Refused),
    ("i_string_UTF-8_invalid_sequence.json", Choice::Replaced),
    ("i_string_UTF8_surrogate_U+D800.json", Choice::Replaced),
    ("i_string_incomplete_surrogate_and_escape_valid.json", Choice::Half),
    ("i_string_incomplete_surrogate_pair.json", Choice::Half),
    ("i_string_incomplete_surrogates_escape_valid.json", Choice::Half),
    ("i_string_invalid_lonely_surrogate.json", Choice::Half),
    ("i_string_invalid_surrogate.json", Choice::Half),
    ("i_string_invalid_utf-8.json", Choice::Replaced),
    ("i_string_inverted_surrogates_U+1D11E.json", Choice::Half),
    ("i_string_iso_latin_1.json", Choice::Replaced),
    ("i_string_lone_second_surrogate.json", Choice::Half),
    ("i_string_lone_utf8_continuation_byte.json", Choice::Replaced),
    ("i_string_not_in_unicode_range.json", Choice::Replaced),
    ("i_string_overlong_sequence_2_bytes.json", Choice::Replaced),
    ("i_string_overlong_sequence_6_bytes.json", Choice::Replaced),
    ("i_string_overlong_sequence_6_bytes_null.json", Choice::Replaced),
    ("i_string_truncated-utf-8.json", Choice::Replaced),
    ("i_string_utf16BE_no_BOM.json", Choice::Refused),
    ("i_string_utf16LE_no_BOM.json", Choice::Refused),
    ("i_structure_500_nested_arrays.json", Choice::Deep),
    ("i_structure_UTF-8_BOM_empty_object.json", Choice::Mark),
];

#[test]
fn json_test_suite_is_judged_as_its_file_names_say() {
    let Some(corpora) = shared("TOOLWEIR_CORPORA", "corpora") else { return };
    let verdicts = verdicts(&corpora);
    let (mut counts, mut bytes) = ([0; 3], 0);
    for (name, text) in files(&corpora.join("json-test-suite/test_parsing")) {
        let Some(text) = text else {
            bytes += 1;
            continue;
        };
        // Depth is a limit, not grammar.
        let ours = parse_with(&text, &Options::default().with_max_depth(1000));
        let surrogate = ours.as_ref().is_err_and(|e| e.to_string().contains("surrogate"));
        assert!(surrogate || ours.is_ok() == verdicts[&name], "{name}: {ours:?}");
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
            }
            _ => counts[2] += 1,
        }
        repaired(&name, &text);
        laws(&text);
    }
    assert_eq!((counts, bytes), ([95, 176, 22], 25));
}

#[test]
fn what_a_parser_may_choose_is_chosen_and_kept_to() {
    let Some(corpora) = shared("TOOLWEIR_CORPORA", "corpora") else { return };
    let mut chosen = 0;
    for (name, choice) in CHOICES {
        let path = corpora.join("json-test-suite/test_parsing").join(name);
        let bytes = std::fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let [strict, relaxed, repair] =
            [Mode::Strict, Mode::Relaxed, Mode::Repair].map(|mode| parse(&text, mode));
        let compact: String = text.split_whitespace().collect();
        let is_text = std::str::from_utf8(&bytes).is_ok();
        assert_eq!(is_text, !matches!(choice, Choice::Replaced | Choice::Refused), "{name}");
        match choice {
            Choice::Kept | Choice::Replaced => {
                for parsed in [strict, relaxed, repair] {
                    assert_eq!(to_string(&parsed.unwrap().value), compact, "{name}");
                }
            }
            Choice::Half => {
                assert!(strict.unwrap_err().to_string().contains("surrogate"), "{name}");
                assert!(relaxed.unwrap_err().to_string().contains("surrogate"), "{name}");
                assert!(to_string(&repair.unwrap().value).contains('\u{fffd}'), "{name}");
            }
            Choice::Mark => {
                assert_eq!(strict.unwrap_err().offset, 0);
                assert_eq!(relaxed.unwrap(), repair.unwrap());
            }
            Choice::Deep => {
                for error in [strict, relaxed, repair].map(Result::unwrap_err) {
                    assert_eq!((error.kind, error.offset), (ErrorKind::TooDeep, 128));
                }
                let deep = Options::new(Mode::Repair).with_max_depth(500);
                assert!(parse_with(&text, &deep).is_ok());
            }
            Choice::Refused => assert!(strict.is_err() && relaxed.is_err(), "{name}"),
        }
        chosen += 1;
    }
    assert_eq!(chosen, 35);
}

/// Repair gives a value that is read back without a repair, or a typed error, and looks at each byte
/// a few times only.
fn repaired(name: &str, text: &str) {
    if let Ok(parsed) = parse(text, Mode::Repair) {
        let json = to_string(&parsed.value);
        assert_eq!(parse(&json, Mode::Strict).unwrap().value, parsed.value, "{name}");
    }
    #[cfg(feature = "meter")]
    {
        let mut machine = toolweir_rjson::Machine::new(Options::new(Mode::Repair));
        let (mut rest, mut tokens) = (text, 0);
        while machine.next(&mut rest).is_ok_and(|token| token.is_some()) {
            tokens += 1;
        }
        while machine.finish().is_ok_and(|token| token.is_some()) {
            tokens += 1;
        }
        let most = 6 * text.len() as u64 + 64 * tokens + 4096;
        assert!(machine.examined() <= most, "{name}: {} of {most}", machine.examined());
    }
}

/// Each of the 22 files has one answer: number text and the order of keys stay; a key given twice
/// has its last value; of half a surrogate pair, refused, repair makes U+FFFD, as the byte edge does
/// of bytes that are not UTF-8.
#[test]
fn transform_files_keep_number_text_and_key_order() {
    let Some(corpora) = shared("TOOLWEIR_CORPORA", "corpora") else { return };
    let folder = corpora.join("json-test-suite/test_transform");
    let mut answered = 0;
    for (name, text) in files(&folder) {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        assert_eq!(text.is_none(), name.contains("invalid") && !name.contains("escaped"), "{name}");
        let text = String::from_utf8_lossy(&bytes);
        laws(&text);
        let strict = parse(&text, Mode::Strict);
        let repair = parse(&text, Mode::Repair).unwrap();
        if name.contains("escaped_invalid") {
            assert!(strict.unwrap_err().to_string().contains("surrogate"), "{name}");
            let half: usize = name.chars().find_map(|c| c.to_digit(10)).unwrap() as usize;
            assert_eq!(to_string(&repair.value), format!("[\"{}\"]", "\u{fffd}".repeat(half)));
            answered += 1;
            continue;
        }
        let strict = strict.unwrap();
        assert_eq!(repair, strict, "{name}");
        let shown = match name.as_str() {
            "object_same_key_different_values.json" => "{\"a\":2}".to_owned(),
            "object_same_key_same_value.json" => "{\"a\":1}".to_owned(),
            "object_same_key_unclear_values.json" => "{\"a\":-0}".to_owned(),
            _ => text.split_whitespace().collect(),
        };
        assert_eq!(to_string(&strict.value), shown, "{name}");
        let repeated = strict.diagnostics.iter().any(|note| note.code == "rjson::duplicate-key");
        assert_eq!(repeated, name.contains("same_key"), "{name}");
        assert_eq!(transform(&text, Mode::Strict).unwrap(), text, "{name}");
        answered += 1;
    }
    assert_eq!(answered, 22);
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
