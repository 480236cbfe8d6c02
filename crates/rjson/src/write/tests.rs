use super::*;
use crate::{Mode, parse};

fn write(text: &str, options: WriteOptions) -> String {
    to_string_with(&parse(text, Mode::Strict).unwrap().value, &options)
}

const TEXT: &str =
    r#" { "b" : [ 1 , [ ] , { } , "x\u0041\n" ] , "a" : { "d" : 1e5 , "c" : -0 } } "#;

#[test]
fn compact_has_no_blanks_and_keeps_numbers_and_order() {
    let compact = r#"{"b":[1,[],{},"xA\n"],"a":{"d":1e5,"c":-0}}"#;
    assert_eq!(write(TEXT, WriteOptions::default()), compact);
}

#[test]
fn spaced_is_what_chat_templates_print() {
    let spaced = r#"{"b": [1, [], {}, "xA\n"], "a": {"d": 1e5, "c": -0}}"#;
    assert_eq!(write(TEXT, WriteOptions::new(Style::Spaced)), spaced);
}

#[test]
fn sorting_reaches_every_level() {
    let options = WriteOptions::default().with_sort_keys(true);
    assert_eq!(write(TEXT, options), r#"{"a":{"c":-0,"d":1e5},"b":[1,[],{},"xA\n"]}"#);
    assert_eq!(write(r#"{"é":1,"z":2,"Z":3}"#, options), r#"{"Z":3,"z":2,"é":1}"#);
}

#[test]
fn pretty_agrees_with_serde_json() {
    let value: serde_json::Value = serde_json::from_str(TEXT).unwrap();
    let options = WriteOptions::new(Style::Pretty { indent: 2 }).with_sort_keys(true);
    let theirs = serde_json::to_string_pretty(&value).unwrap();
    assert_eq!(write(TEXT, options), theirs.replace("100000.0", "1e5").replace("-0.0", "-0"));
    assert_eq!(write("[[]]", WriteOptions::new(Style::Pretty { indent: 1 })), "[\n []\n]");
    assert_eq!(write("{}", WriteOptions::new(Style::Pretty { indent: 1 })), "{}");
}

#[test]
fn scalars_print_as_themselves() {
    for text in ["null", "true", "false", "\"\"", "2e4000", "\"\\u0000/é\""] {
        for style in [Style::Compact, Style::Spaced, Style::Pretty { indent: 4 }] {
            assert_eq!(write(text, WriteOptions::new(style)), text);
        }
    }
}
