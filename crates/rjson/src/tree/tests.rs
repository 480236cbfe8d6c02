//! The fast path is no second parser: it gives what single tokens give, at every place and limit.

extern crate std;

use super::*;
use crate::options::Mode;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use proptest::prelude::*;

/// All that can be seen of a reading: values, notes, the error, and the state of the machine.
type Seen = (Vec<String>, Vec<Diagnostic>, Option<Error>, Option<(u64, usize, usize, bool)>);

fn run(options: &Options, chunks: &[&str], read: bool) -> Seen {
    let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(options));
    let mut values = Vec::new();
    let error = feed(&mut machine, &mut tree, chunks, read, &mut values).err();
    // How much of the chunk was in the window of repair mode when it failed is no one's business.
    let shown = error.is_none() || options.mode != Mode::Repair;
    let state = || (machine.offset(), machine.depth(), machine.held_bytes(), machine.non_strict());
    (values, tree.take_diagnostics(), error, shown.then(state))
}

fn feed(
    machine: &mut Machine,
    tree: &mut TreeBuilder,
    chunks: &[&str],
    read: bool,
    values: &mut Vec<String>,
) -> Result<(), Error> {
    let mut take = |tree: &mut TreeBuilder| values.extend(tree.take().map(|v| v.to_string()));
    for chunk in chunks {
        let mut input = *chunk;
        while read && tree.read(machine, &mut input)? {
            take(tree);
        }
        while let Some(token) = machine.next(&mut input)? {
            assert!(!read, "nothing is left behind a reading");
            tree.push(&token)?;
            take(tree);
        }
        machine.trailing(&mut input)?;
    }
    while let Some(token) = machine.finish()? {
        tree.push(&token)?;
        take(tree);
    }
    Ok(())
}

fn check(options: &Options, text: &str) {
    for (at, _) in text.char_indices() {
        let (left, right) = text.split_at(at);
        let chunks = [left, right];
        let (read, pushed) = (run(options, &chunks, true), run(options, &chunks, false));
        assert_eq!(read, pushed, "{text:?} at {at}, {options:?}");
    }
}

fn check_all(text: &str) {
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Repair] {
        for duplicates in [Duplicates::Last, Duplicates::First, Duplicates::Error] {
            check(&Options::new(mode).with_duplicates(duplicates), text);
        }
        if mode != Mode::Repair {
            for limit in 0..5 {
                let options = Options::new(mode).with_max_keys(limit).with_max_depth(limit);
                check(&options, text);
                check(&Options::new(mode).with_max_held_bytes(limit), text);
            }
        }
    }
}

#[test]
fn the_fast_path_stops_before_whatever_is_not_plain() {
    for text in [
        r#"{"a": 1, "b": [true, false, null, -0.5e+3], "a": "x\ny\ud83c\udf0a"}"#,
        r#" [ { } , [ ] , "" , {"k":{}} ] "#,
        "[1,   2,\n\n\n3]",
        "[1, 2 ,]",
        "{\"a\": 1, }",
        "{\"a\": 0, \"a\": ''}",
        "{\"a\": 0, \"a\": True}",
        "{\"a\": //é[1,\n1}",
        "{\"a\":1, /* , */ \"b\":2,}",
        "[1/**/,2//\n]",
        "[01]",
        "[1x, truex]",
        "[1e400, 123456789012345678901234567890]",
        r#"{"a\u0062": "\q"}"#,
        r#"{"a" 1}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1,2}"#,
        "[1}",
        "{]",
        "12 ",
        "\"s\" x",
        "true",
        "",
        "\u{feff}[\u{a0}1]",
        "['a', \"b\", 'c']",
    ] {
        check_all(text);
    }
}

/// How a law is tried: as often as `TOOLWEIR_CASES` says, else so many times. Failures write no
/// files: they become tests.
#[allow(clippy::disallowed_methods, reason = "the number of cases is the caller's to choose")]
fn cases(otherwise: u32) -> ProptestConfig {
    let cases = std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok());
    let cases = cases.unwrap_or(otherwise);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn reading_is_pushing_token_by_token(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", " ", "\n", "\"", "\\", "\"a\"", "\"a\":", "\"b\" : ", "1", "-", "0",
        "2.5", "e9", "true", "null", "\"x\\n\"", "[1,", "{\"a\":", ", ", "'", "//", "é", ",\"a\":",
    ]), 0..12)) {
        let text = pieces.concat();
        check_all(&text);
        check_all(&format!("{{\"a\": {text}"));
    }
}

#[test]
fn spans_come_back_where_they_were_put() {
    let span = |start, end| Span { start, end };
    let mut spans = Spans::default();
    for round in 0..3_u64 {
        for place in 0..100_u64 {
            spans.push(span(place, round));
        }
        assert_eq!((spans.len(), spans.get(100)), (100, None));
        for place in 0..100_u64 {
            assert_eq!(spans.get(place as usize), Some(span(place, round)));
        }
        spans.truncate(9);
        assert_eq!((spans.get(8), spans.get(9)), (Some(span(8, round)), None));
        spans.truncate(3);
        spans.truncate(50);
        assert_eq!((spans.len(), spans.get(2), spans.get(3)), (3, Some(span(2, round)), None));
        spans.truncate(0);
    }
}
