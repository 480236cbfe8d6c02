//! Laws over generated texts: chunks do not matter, wire text is strict JSON, serde_json agrees.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

mod common;

use common::{cases, check, check_both, options, run_with};
use proptest::prelude::*;
use toolweir_rjson::{
    Machine, Mode, NonFinite, Style, Value, WriteOptions, parse, to_string, to_string_with,
};

/// Whether serde_json takes the text, when it only checks the syntax.
fn serde_accepts(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Ours and theirs hold the same, numbers by what a machine type makes of their text.
fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(ours), serde_json::Value::Bool(theirs)) => ours == theirs,
        (Value::String(ours), serde_json::Value::String(theirs)) => ours == theirs,
        (Value::Number(ours), serde_json::Value::Number(theirs)) => {
            let integers = match (theirs.as_i64(), theirs.as_u64()) {
                (Some(value), _) => ours.as_i64() == Some(value),
                (_, Some(value)) => ours.as_u64() == Some(value),
                _ => false,
            };
            // serde_json may miss the nearest double by one step.
            let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= ours.abs() * 1e-15;
            integers || close(ours.as_f64().unwrap(), theirs.as_f64().unwrap())
        }
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(o, t)| same(o, t))
        }
        (Value::Object(ours), serde_json::Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, value)| theirs.get(key).is_some_and(|t| same(value, t)))
        }
        _ => false,
    }
}

/// Strict mode and serde_json agree about a text, save for lone surrogates.
fn agree(text: &str) {
    match parse(text, Mode::Strict) {
        Ok(parsed) => {
            assert!(serde_accepts(text), "only we accept {text:?}");
            if let Ok(theirs) = serde_json::from_str(text) {
                assert!(same(&parsed.value, &theirs), "{text:?}: {} {theirs}", parsed.value);
            }
        }
        Err(error) if serde_accepts(text) => {
            assert!(error.to_string().contains("surrogate"), "only we refuse {text:?}: {error}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err());
        }
        Err(_) => {}
    }
}

fn blank() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => "[ \t\r\n]{0,3}"]
}

fn string() -> impl Strategy<Value = String> {
    let unit = prop_oneof![
        4 => "[a-z'/#é🌊\u{2028}]{1,12}",
        1 => prop::sample::select(vec![
            r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t", r"\u0000", r"\u00E9", r"\ud83c\udf0a",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(unit, 0..5).prop_map(|units| format!("\"{}\"", units.concat()))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => string(),
        2 => "-?(0|[1-9][0-9]{0,22})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,4})?",
        1 => prop::sample::select(vec!["true", "false", "null"]).prop_map(String::from),
    ]
}

/// Strict documents with blanks.
fn document() -> impl Strategy<Value = String> {
    let value = scalar().prop_recursive(5, 40, 5, |inner| {
        let entry = (blank(), inner.clone(), blank()).prop_map(|(a, v, b)| format!("{a}{v}{b}"));
        let member = (blank(), string(), blank(), inner, blank())
            .prop_map(|(a, key, b, v, c)| format!("{a}{key}{b}:{v}{c}"));
        prop_oneof![
            prop::collection::vec(entry, 0..5).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(member, 0..5).prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    });
    (blank(), value, blank()).prop_map(|(a, value, b)| format!("{a}{value}{b}"))
}

/// Pieces that mean something to one of the grammars.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    " ",
    "\n",
    "\r",
    "\t",
    "/",
    "*",
    "//",
    "/*",
    "*/",
    "#",
    "0",
    "1",
    "007",
    "-",
    "+",
    ".",
    "e",
    "E",
    "x",
    "0x1F",
    "4.",
    ".5",
    "1e9",
    "u",
    "\\u",
    "\\u00e9",
    "\\ud83c",
    "\\udf0a",
    "\\n",
    "\\x41",
    "\\0",
    "\\v",
    "\\\n",
    "\\\r",
    "true",
    "True",
    "None",
    "NaN",
    "Infinity",
    "-Infinity",
    "undefined",
    "null",
    "nul",
    "a",
    "key",
    "$_",
    "é",
    "🌊",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "\u{200d}",
    "\u{b}",
    "\0",
    "{\"a\":",
    "[1,",
    "'k':",
    "k:",
    ", ]",
    ",}",
    "\"a\"",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..14).prop_map(|all| all.concat())
}

/// A relaxed document: a strict one with pieces re-spelled or added where the grammar allows.
fn relaxed() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        scalar(),
        prop::sample::select(vec![
            "'it\\'s'",
            "'\"'",
            "\"a\nb\"",
            "\"\\x41\\\r\n\\v\"",
            "+1",
            ".5",
            "4.",
            "-0x1f",
            "True",
            "None",
            "NaN",
            "-Infinity",
            "undefined",
        ])
        .prop_map(String::from),
    ];
    let gap = || {
        prop::sample::select(vec!["", "", " ", "\n", "/* , */", " // ]\n", " # }\r", "\u{a0}"])
            .prop_map(String::from)
    };
    let key = prop_oneof![
        string(),
        prop::sample::select(vec!["k", "$1", "'q'", "\\u0061é", "true"]).prop_map(String::from)
    ];
    scalar.prop_recursive(4, 30, 4, move |inner| {
        let entry = (gap(), inner.clone(), gap()).prop_map(|(a, v, b)| format!("{a}{v}{b}"));
        let member = (gap(), key.clone(), gap(), inner, gap())
            .prop_map(|(a, key, b, v, c)| format!("{a}{key}{b}:{v}{c}"));
        let tail = (any::<bool>(), gap());
        let close = |all: Vec<String>, tail: (bool, String)| {
            let comma = if tail.0 && !all.is_empty() { "," } else { "" };
            format!("{}{comma}{}", all.join(","), tail.1)
        };
        prop_oneof![
            (prop::collection::vec(entry, 0..4), tail.clone())
                .prop_map(move |(all, tail)| format!("[{}]", close(all, tail))),
            (prop::collection::vec(member, 0..4), tail)
                .prop_map(move |(all, tail)| format!("{{{}}}", close(all, tail))),
        ]
    })
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn strict_documents_hold_every_law(text in document()) {
        let (strict, _) = check_both(&text);
        prop_assert_eq!(strict.error, None);
        prop_assert_eq!(text.trim_end(), strict.wire.trim_end());
        agree(&text);
        let parsed = parse(&text, Mode::Strict).unwrap();
        for style in [Style::Compact, Style::Spaced, Style::Pretty { indent: 3 }] {
            let printed = to_string_with(&parsed.value, &WriteOptions::new(style));
            prop_assert_eq!(&parse(&printed, Mode::Strict).unwrap().value, &parsed.value);
        }
    }

    #[test]
    fn broken_documents_hold_every_law(
        text in document(),
        at in any::<prop::sample::Index>(),
        cut in 0usize..3,
        piece in prop::sample::select(PIECES),
    ) {
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len() + 1);
        let rest = chars.iter().skip(at + cut);
        let broken: String =
            chars.iter().take(at).copied().chain(piece.chars()).chain(rest.copied()).collect();
        check_both(&broken);
        agree(&broken);
    }

    #[test]
    fn any_soup_holds_every_law(text in soup()) {
        check_both(&text);
        agree(&text);
    }

    #[test]
    fn any_text_holds_every_law(text in any::<String>()) {
        check_both(&text);
        agree(&text);
    }

    #[test]
    fn soup_holds_every_law_under_tight_limits(text in soup(), held in 0usize..6, depth in 0usize..3) {
        for non_finite in [NonFinite::Null, NonFinite::String, NonFinite::Error] {
            let tight = options(Mode::Relaxed)
                .with_max_held_bytes(held).with_max_depth(depth).with_max_keys(1)
                .with_non_finite(non_finite);
            check(&tight, &text);
        }
    }

    #[test]
    fn relaxed_documents_become_strict_ones_of_the_same_value(text in relaxed()) {
        let (_, relaxed) = check_both(&text);
        prop_assert_eq!(relaxed.error, None, "{}", text);
        let value = parse(&text, Mode::Relaxed).unwrap().value;
        prop_assert_eq!(&parse(&relaxed.wire, Mode::Strict).unwrap().value, &value);
        prop_assert_eq!(&parse(&to_string(&value), Mode::Strict).unwrap().value, &value);
        // Idempotent: what came out is not changed again.
        prop_assert_eq!(check(&options(Mode::Relaxed), &relaxed.wire).wire, relaxed.wire.trim_end());
    }

    #[test]
    fn a_used_machine_is_as_good_as_a_new_one(first in soup(), second in soup()) {
        let mut machine = Machine::new(options(Mode::Relaxed));
        run_with(&mut machine, &[&first]);
        machine.reset(0);
        let again = run_with(&mut machine, &[&second]);
        prop_assert_eq!(again, common::run(&options(Mode::Relaxed), &[&second]));
    }
}

/// Every text of up to four pieces of a small alphabet.
#[test]
fn every_short_text_holds_every_law() {
    const ALPHABET: &[&str] = &["{", "}", "[", "]", ",", ":", "\"", "a", "1", "\\", " ", "/", "\n"];
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        texts = texts
            .iter()
            .flat_map(|text| ALPHABET.iter().map(move |piece| format!("{text}{piece}")))
            .collect();
        for text in &texts {
            check_both(text);
            agree(text);
        }
    }
}

#[test]
fn long_strings_hold_every_law_around_the_piece_size() {
    let run = "plain text ".repeat(30);
    for unit in [
        "x",
        "\n",
        "é",
        "\\n",
        "\\u00e9",
        "\\ud83c\\udf0a",
        "\\v",
        "\\\n",
        "it's \"so\"",
        run.as_str(),
    ] {
        for length in [10, 4000, 4085, 4096, 9000] {
            let body = unit.repeat(length / unit.len() + 1);
            for text in [
                format!("[\"{}\"]", body.replace('"', "\\\"")),
                format!("'\n{}'", body.replace('\'', "")),
            ] {
                let whole = common::run(&options(Mode::Relaxed), &[&text]);
                assert_eq!(whole.error, None, "{unit:?}");
                for chunk in [1, 7, 100, 4096] {
                    let all = common::chars(&text);
                    let chunks: Vec<String> =
                        all.chunks(chunk).map(|chars| chars.concat()).collect();
                    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
                    assert_eq!(
                        common::run(&options(Mode::Relaxed), &chunks),
                        whole,
                        "{unit:?} {chunk}"
                    );
                }
                common::check_wire(&options(Mode::Relaxed), &text, &whole);
            }
        }
    }
}
