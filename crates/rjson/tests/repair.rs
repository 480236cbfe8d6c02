//! Repair mode: laws that hold for every text and every way of cutting it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

mod common;

use common::damage::DAMAGE;
use proptest::prelude::*;
use toolweir_rjson::{
    Diagnostic, Error, Kind, Machine, Mode, Options, TreeBuilder, Value, parse, parse_with,
    to_string,
};

#[derive(Debug, PartialEq)]
struct Run {
    roots: Vec<Value>,
    notes: Vec<Diagnostic>,
    error: Option<Error>,
    wire: String,
}

/// Reads chunks, and checks on the way that tokens and notes cover the input in order.
fn run<'t>(chunks: impl Iterator<Item = &'t str>, total: usize) -> Run {
    let options = Options::new(Mode::Repair);
    let mut machine = Machine::new(options.clone());
    let mut tree = TreeBuilder::new(&options);
    let mut run = Run { roots: vec![], notes: vec![], error: None, wire: String::new() };
    let mut covered = vec![false; total];
    let mut see = |machine: &mut Machine, input: &mut &str, end: bool, run: &mut Run| -> bool {
        let token = if end { machine.finish() } else { machine.next(input) };
        match token {
            Ok(Some(token)) => {
                assert!(
                    token.span.start <= token.span.end && token.span.end <= total as u64,
                    "{token:?}"
                );
                covered[token.span.start as usize..token.span.end as usize].fill(true);
                if !matches!(token.kind, Kind::Diagnostic(_)) {
                    run.wire.push_str(token.wire);
                }
                tree.push(&token).unwrap();
                run.roots.extend(tree.take());
                true
            }
            Ok(None) => false,
            Err(error) => {
                run.error = Some(error);
                false
            }
        }
    };
    'all: {
        for mut chunk in chunks {
            while see(&mut machine, &mut chunk, false, &mut run) {}
            if run.error.is_some() {
                break 'all;
            }
            assert_eq!(chunk, "", "all input is taken");
        }
        while see(&mut machine, &mut "", true, &mut run) {}
    }
    if run.error.is_none() {
        assert!(machine.is_done());
        assert_eq!(covered.iter().position(|seen| !seen), None, "tokens and notes cover the input");
    }
    run.notes = tree.take_diagnostics();
    run
}

fn whole(text: &str) -> Run {
    run(std::iter::once(text), text.len())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let one = whole(text);
    let parsed = parse(text, Mode::Repair);
    match (&parsed, one.error) {
        (Ok(parsed), None) => {
            let value = match &one.roots[..] {
                [root] => root.clone(),
                roots => Value::from(roots.to_vec()),
            };
            prop_assert_eq!(&parsed.value, &value);
            // Idempotent: what came out is read as it is.
            let json = to_string(&value);
            let again = parse(&json, Mode::Repair).unwrap();
            prop_assert_eq!(&again.value, &value);
            prop_assert!(
                again.diagnostics.iter().all(|note| note.code == "rjson::number-precision"
                    || note.code == "rjson::duplicate-key"),
                "{:?}",
                again.diagnostics
            );
            if one.roots.len() == 1 {
                let wire = parse(&one.wire, Mode::Strict).map(|wire| wire.value);
                prop_assert_eq!(wire.as_ref(), Ok(&value), "{}", one.wire);
            }
        }
        (Err(error), Some(other)) => prop_assert_eq!(*error, other),
        _ => prop_assert!(false, "{parsed:?} {one:?}"),
    }
    // Monotone: what a lower mode reads has the same value and no other repairs.
    if let Ok(relaxed) = parse(text, Mode::Relaxed) {
        let repaired = parsed.clone().unwrap();
        prop_assert_eq!(&repaired.value, &relaxed.value);
        prop_assert_eq!(&repaired.diagnostics, &relaxed.diagnostics);
    }
    let bytewise = run(text.split_inclusive(|_| true), text.len());
    prop_assert_eq!(&bytewise, &one);
    for (at, _) in text.char_indices().skip(1) {
        let two = run([&text[..at], &text[at..]].into_iter(), text.len());
        prop_assert_eq!(&two, &one);
    }
    Ok(())
}

fn damaged() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(DAMAGE), 0..24).prop_map(|pieces| pieces.concat())
}

fn relaxed_value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("true".to_owned()),
        Just("None".to_owned()),
        Just("+.5".to_owned()),
        Just("0xF".to_owned()),
        Just("4.".to_owned()),
        Just("-Infinity".to_owned()),
        Just("1/*c*/".to_owned()),
        Just("2 // c\n".to_owned()),
        Just("undefined# c\n".to_owned()),
        "\"[a-z ,:\\[\\]{}#/\n']{0,8}\"",
        "'[a-z ,:\\[\\]{}\n\"]{0,8}'",
        "\"[a-z]{0,2}(\\\\n|\\\\\"|\\\\u0041|\\\\\n|\\\\x41)[ ,}]{0,2}\"",
    ];
    let blank = "[ \n]{0,2}(/\\*[a-z\"',}]{0,3}\\*/| // [\"a,]\n| #[:'}]\n|\u{a0})?";
    scalar.prop_recursive(4, 24, 4, move |inner| {
        let entries = prop::collection::vec((inner.clone(), blank, blank), 0..4);
        let key = prop_oneof!["[a-z$_]{1,3}", "\"[a-z ,:{}']{0,4}\"", "'[a-z ,:{}\"]{0,4}'"];
        let members = prop::collection::vec((key, blank, blank, inner, blank), 0..4);
        let close = prop_oneof![Just(""), Just(",")];
        prop_oneof![
            (entries, close.clone()).prop_map(|(entries, close)| {
                let inside: Vec<_> = entries.iter().map(|(v, a, b)| format!("{a}{v}{b}")).collect();
                let close = if inside.is_empty() { "" } else { close };
                format!("[{}{close}]", inside.join(","))
            }),
            (members, close).prop_map(|(members, close)| {
                let inside: Vec<_> = members
                    .iter()
                    .map(|(key, a, b, v, c)| format!("{a}{key}{b}:{a}{v}{c}"))
                    .collect();
                let close = if inside.is_empty() { "" } else { close };
                format!("{{{}{close}}}", inside.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(common::cases(512))]

    #[test]
    fn every_law_holds_for_damaged_text(text in damaged()) {
        check(&text)?;
    }

    #[test]
    fn every_law_holds_for_any_text(text in "\\PC{0,40}") {
        check(&text)?;
    }

    #[test]
    fn what_relaxed_mode_reads_is_never_repaired(text in relaxed_value()) {
        prop_assert!(parse(&text, Mode::Relaxed).is_ok(), "{}", text);
        check(&text)?;
    }

    #[test]
    fn cut_and_bent_json_keeps_every_law(text in relaxed_value(), at in 0.0..1.0, put in prop::sample::select(DAMAGE)) {
        let at = (text.len() as f64 * at) as usize;
        let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap();
        check(&text[..at])?;
        check(&format!("{}{put}{}", &text[..at], &text[at..]))?;
    }
}

#[test]
fn what_lies_beyond_the_bound_is_read_as_strict_mode_does() {
    let key = "k".repeat(400);
    let blanks = " ".repeat(5000);
    for text in [
        format!("{{\"a\":\"b\",\"{key}\":1}}"),
        format!("{{\"a\":1,\"{key}\":\"x\"}}"),
        format!("{{\"a\":\"b\"{blanks},{blanks}\"c\"{blanks}:1{blanks}}}"),
        format!("[\"{key}\"{blanks},{blanks}\"{key}\"{blanks}]"),
        format!("{{{blanks}\"a\"{blanks}:{blanks}{{\"{key}\":[{blanks}]}}}}"),
        format!("{blanks}7{blanks}"),
        format!("{{{key}:'b',{key}x:.5,}}"),
        format!("[\"a\",/*{blanks}*/'b' // {blanks}\n]"),
    ] {
        let mode = Mode::Relaxed;
        let repaired = parse(&text, Mode::Repair).unwrap();
        let relaxed = parse(&text, mode).unwrap();
        assert_eq!(repaired.value, relaxed.value);
        assert_eq!(repaired.diagnostics, relaxed.diagnostics);
        assert_eq!(run(text.split_inclusive(|_| true), text.len()), whole(&text));
    }
}

/// Texts that were read in one way token by token and in another one as a whole.
#[test]
fn a_key_in_single_quotes_is_no_key_without_quotes() {
    for text in
        ["{'':2,\"a:-,a", "{'k':1,\"a:-,a", "{k:1,\"a:-,a", "{'k':1,b:-,a", "{'k':'x','m':7, a"]
    {
        check(text).unwrap();
    }
}

#[test]
fn depth_beyond_the_limit_is_a_typed_error() {
    use toolweir_rjson::ErrorKind;
    for open in ["[", "{\"a\":", "(", "[{a:"] {
        let text = format!("[{}", open.repeat(100_000));
        let kind = parse(&text, Mode::Repair).unwrap_err().kind;
        assert_eq!(kind, ErrorKind::TooDeep, "{open}");
    }
    let options = Options::new(Mode::Repair).with_max_depth(1);
    assert!(parse_with("[1, 2", &options).is_ok());
    assert!(parse_with("[[1", &options).is_err());
}

#[test]
fn a_repaired_text_reads_strictly_as_the_value_and_tells_its_changes() {
    for (text, strict, changes) in [
        (r#" {"a": [1, 2]} "#, r#" {"a": [1, 2]} "#, &[][..]),
        ("{'a': 1, /* two */ b: 0x2,}", r#"{"a": 1,  "b": 2}"#, &["rjson::trailing-comma"]),
        (
            "{\"a\":1 \"b\":[2",
            "{\"a\":1, \"b\":[2]}",
            &["rjson::missing-comma", "rjson::missing-closer", "rjson::missing-closer"],
        ),
        ("{\"k\":1} {\"k\":2}", "[{\"k\":1},{\"k\":2}]", &["rjson::several-roots"]),
        ("[123456789012345678901234567890]", "[123456789012345678901234567890]", &[]),
        ("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}", &["rjson::duplicate-key"]),
    ] {
        let repaired = toolweir_rjson::repair(text).unwrap();
        let codes: Vec<&str> = repaired.changes.iter().map(|change| change.code.as_str()).collect();
        assert_eq!(codes, changes, "{text}");
        assert_eq!(repaired.value, parse(text, Mode::Repair).unwrap().value, "{text}");
        assert_eq!(parse(&repaired.text, Mode::Strict).unwrap().value, repaired.value, "{text}");
        assert_eq!(repaired.text.replace(' ', ""), strict.replace(' ', ""), "{text}");
    }
    assert_eq!(
        toolweir_rjson::repair("no value").unwrap_err().kind,
        toolweir_rjson::ErrorKind::NoValue
    );
    let error = Options::default().with_duplicates(toolweir_rjson::Duplicates::Error);
    assert!(toolweir_rjson::repair_with("{a:1,a:2}", &error).is_err());
}
