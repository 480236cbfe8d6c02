//! Views of a value that is still coming: they grow, and end as the value.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

mod common;

use common::damage::grown;
use proptest::prelude::*;
use toolweir_rjson::{
    Duplicates, Kind, Machine, Mode, Options, PartialValue, Value, Watch, parse, parse_with,
};

fn follow(text: &str, mode: Mode) -> Result<(), TestCaseError> {
    let options = Options::new(mode);
    let mut partial = PartialValue::new(&options);
    let mut shown: Vec<Value> = Vec::new();
    for (at, c) in text.char_indices() {
        if partial.push(&text[at..at + c.len_utf8()]).is_err() {
            break;
        }
        let repeated = partial.diagnostics().iter().any(|n| n.code == "rjson::duplicate-key");
        for (before, after) in shown.iter().zip(partial.roots()) {
            prop_assert!(
                repeated || grown(before, after),
                "{before} withdrawn: {after} in {text:?}"
            );
        }
        prop_assert!(shown.len() <= partial.roots().len());
        shown = partial.roots().to_vec();
        // What is shown depends on the text alone; a question asked in vain too often for the tokens
        // that come of it may be answered later where the text comes in small pieces.
        let mut whole = PartialValue::new(&options);
        let until = whole.push(&text[..at + c.len_utf8()]);
        if until.is_ok() {
            prop_assert!(partial.roots().len() <= whole.roots().len(), "{text:?} at {at}");
            for (by_pieces, at_once) in partial.roots().iter().zip(whole.roots()) {
                prop_assert!(
                    repeated || grown(by_pieces, at_once),
                    "{by_pieces} and {at_once} of {text:?} at {at}"
                );
            }
        }
    }
    let ended = partial.finish();
    match parse(text, mode) {
        Ok(parsed) => {
            prop_assert_eq!(ended, Ok(()));
            prop_assert_eq!(partial.diagnostics(), &parsed.diagnostics[..]);
            match partial.roots() {
                [root] => prop_assert_eq!(root, &parsed.value),
                roots => prop_assert_eq!(Value::from(roots.to_vec()), parsed.value),
            }
        }
        Err(error) => prop_assert_eq!(ended, Err(error)),
    }
    Ok(())
}

proptest! {
    #![proptest_config(common::cases(256))]

    #[test]
    fn a_shown_value_is_never_withdrawn(text in "[\\[{\"a:,'1 }\\]t\\\\n]{0,24}") {
        follow(&text, Mode::Relaxed)?;
        follow(&text, Mode::Repair)?;
    }

    #[test]
    fn a_shown_value_is_never_withdrawn_from_objects(
        text in "(\\{\"(k|m|long key)\": ?(\"[a-z, }\\]\"]{0,6}\"?|[0-9]{1,3}|true|\\[[0-9], [0-9]),? ?){1,4}\\}?"
    ) {
        follow(&text, Mode::Relaxed)?;
        follow(&text, Mode::Repair)?;
    }
}

#[test]
fn what_is_certain_is_shown() {
    for (text, shown) in [
        ("{\"k\":[5,6", "{\"k\":[5]}"),
        ("{\"k\":\"ab\\", "{\"k\":\"ab\"}"),
        ("{\"k\":1,\"m\":", "{\"k\":1}"),
        ("[{\"k\":1},{", "[{\"k\":1},{}]"),
        ("\"", "\"\""),
        ("[\"\\ud83c", "[\"\"]"),
        ("[tru", "[]"),
    ] {
        let mut partial = PartialValue::new(&Options::new(Mode::Relaxed));
        partial.push(text).unwrap();
        assert_eq!(partial.value().unwrap().to_string(), shown, "{text}");
        assert!(!partial.is_done());
    }
    for text in ["", "  ", "tru", "12", "-"] {
        let mut partial = PartialValue::new(&Options::new(Mode::Relaxed));
        partial.push(text).unwrap();
        assert_eq!(partial.value(), None, "{text}");
    }
}

#[test]
fn bare_text_of_an_escaped_document_is_shown_at_its_end_at_every_chunking() {
    let text = r"{\t]t:n\t";
    follow(text, Mode::Repair).unwrap();
    let mut partial = PartialValue::new(&Options::new(Mode::Repair));
    for (at, c) in text.char_indices() {
        partial.push(&text[at..at + c.len_utf8()]).unwrap();
    }
    assert_eq!(partial.roots(), [parse(r#"{"t":"n"}"#, Mode::Strict).unwrap().value]);
}

#[test]
fn quotes_in_a_row_are_one_or_several_at_every_chunking() {
    for text in [
        r##"[""""##,
        r#"["" "a"]"#,
        r#"["a""b"]"#,
        r#"{"k":"""a"""}"#,
        r#"{"a":"x""k":1}"#,
        "{'k':'''a'''}",
        "[1 ''' a",
    ] {
        follow(text, Mode::Repair).unwrap();
    }
}

#[test]
fn repeated_keys_follow_the_options() {
    let text = "{\"a\":[1,\"x\"],\"b\":2,\"a\":{\"c\":\"y\"},\"a\":\"z\",\"d\":3}";
    for duplicates in [Duplicates::Last, Duplicates::First] {
        let options = Options::new(Mode::Strict).with_duplicates(duplicates);
        let mut partial = PartialValue::new(&options);
        for c in text.chars() {
            partial.push(c.encode_utf8(&mut [0; 4])).unwrap();
        }
        assert_eq!(partial.value(), Some(&parse_with(text, &options).unwrap().value));
        assert_eq!(partial.diagnostics().len(), 2);
    }
    let options = Options::new(Mode::Strict).with_duplicates(Duplicates::Error);
    let mut partial = PartialValue::new(&options);
    assert_eq!(partial.push(text).unwrap_err().offset, 19);
}

/// The text a watch gives, read in chunks of so many bytes.
fn watched(text: &str, pointer: &str, size: usize) -> String {
    let mut machine = Machine::new(Options::new(Mode::Relaxed));
    let mut watch = Watch::new(pointer).unwrap();
    let mut out = String::new();
    let chunks: Vec<&str> =
        text.as_bytes().chunks(size).map(|c| std::str::from_utf8(c).unwrap()).collect();
    for mut chunk in chunks {
        while let Some(token) = machine.next(&mut chunk).unwrap() {
            if !matches!(token.kind, Kind::Diagnostic(_)) {
                out.extend(watch.text(&token).as_deref());
            }
        }
    }
    out
}

#[test]
fn a_watch_follows_its_place_and_no_other() {
    let text =
        r#"{"a":[{"b":"no"},{"b":"x\ny","0":[7,{"c":true}]}],"0":"zero","a/b":{"~":1.50},"":null}"#;
    for size in [1, 3, 7, 1000] {
        for (pointer, found) in [
            ("/a/1/b", "x\ny"),
            ("/a/0/b", "no"),
            ("/a/1/0", "[7,{\"c\":true}]"),
            ("/a/1/0/1/c", "true"),
            ("/0", "zero"),
            ("/a~1b/~0", "1.50"),
            ("/", "null"),
            ("/b", ""),
            ("/a/b", ""),
            ("/a/01/b", ""),
            ("", text),
        ] {
            assert_eq!(watched(text, pointer, size), found, "{pointer} by {size}");
        }
    }
    assert!(Watch::new("a").is_none());
}

#[test]
fn a_repeated_key_is_told_of_before_what_is_repaired_behind_it() {
    for text in ["{\"a\":1,\"a\"2}", ",[{a,a{", "{\"k\":0{\"k\":\"\"\""] {
        follow(text, Mode::Repair).unwrap();
    }
    let options = Options::new(Mode::Relaxed).with_duplicates(Duplicates::Error);
    let mut partial = PartialValue::new(&options);
    let refused = partial.push("{a:1,a").and_then(|()| partial.push(":")).unwrap_err();
    assert_eq!(Err(refused), parse_with("{a:1,a:", &options).map(|parsed| parsed.value));
}
