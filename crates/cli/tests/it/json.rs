//! `toolweir json`.

use crate::{file, run};

#[test]
fn relaxed_input_comes_out_strict() {
    let json = run(&["json"], "{a: 'x', b: [1.50, True,], // note\n}");
    assert_eq!((json.code, json.stdout.as_str()), (0, "{\"a\":\"x\",\"b\":[1.50,true]}\n"));
}

#[test]
fn styles_and_sorting_change_the_layout_only() {
    let print = |style: &[&str]| run(&[&["json"], style].concat(), "{\"b\":1, \"a\":[]}").stdout;
    assert_eq!(print(&["--style", "compact"]), "{\"b\":1,\"a\":[]}\n");
    assert_eq!(print(&["--style", "spaced"]), "{\"b\": 1, \"a\": []}\n");
    assert_eq!(print(&["--style", "pretty"]), "{\n  \"b\": 1,\n  \"a\": []\n}\n");
    assert_eq!(print(&["--style", "source"]), "{\"b\":1, \"a\":[]}\n");
    assert_eq!(print(&["--sort-keys"]), "{\"a\":[],\"b\":1}\n");
}

#[test]
fn a_text_that_cannot_be_read_is_a_finding_with_its_place() {
    let json = run(&["json"], "{\"a\": 1,\n \"b\": ]}");
    assert_eq!((json.code, json.stdout.as_str()), (1, ""));
    let told = json.complaint_underlined();
    assert!(told.contains("line 2 column 7 (byte 15): expected"), "{}", json.stderr);
    assert!(json.stderr.ends_with("  |  \"b\": ]}\n  |       ^\n"), "{}", json.stderr);
}

#[test]
fn strict_mode_refuses_and_names_the_way_out() {
    let json = run(&["json", "--mode", "strict"], "[1,]");
    assert_eq!(json.code, 1);
    assert!(json.complaint_underlined().contains("byte 3"), "{}", json.stderr);
    let told = json.complaint_underlined();
    assert!(told.ends_with("; `--mode relaxed` reads it"), "{}", json.stderr);
}

#[test]
fn diagnostics_go_to_standard_error() {
    let json = run(&["json", "--diagnostics"], "{\"a\": 1,\n \"a\": 2}");
    assert_eq!((json.code, json.stdout.as_str()), (0, "{\"a\":2}\n"));
    let lines: Vec<&str> = json.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", json.stderr);
    assert!(lines[0].starts_with("toolweir: rjson::duplicate-key: line 2 column 2 (bytes "));
    assert_eq!(lines[1..], ["  |  \"a\": 2}", "  |  ^^^"]);
}

#[test]
fn repair_repairs_and_says_so_under_the_source() {
    let json = run(&["json", "--mode", "repair", "--diagnostics"], "Here: {\"k\": [1, 2");
    assert_eq!((json.code, json.stdout.as_str()), (0, "{\"k\":[1,2]}\n"));
    assert!(json.stderr.contains("rjson::prose: line 1 column 1 (bytes 0..6)"), "{}", json.stderr);
    assert!(json.stderr.contains("  | Here: {\"k\": [1, 2\n  | ^^^^^^\n"), "{}", json.stderr);
    let none = run(&["json", "--mode", "repair"], "no value here");
    assert_eq!(none.code, 1);
    assert!(none.complaint_underlined().contains("no value"), "{}", none.stderr);
    let hint = run(&["json"], "[1");
    let told = hint.complaint_underlined();
    assert!(told.ends_with("; `--mode repair` reads it"), "{}", hint.stderr);
}

#[test]
fn a_schema_says_which_quotes_end_a_damaged_string() {
    let schema =
        "{type: 'object', properties: {path: {type: 'string'}, content: {type: 'string'}}}";
    let schema = file("json", "schema.json", schema);
    let repair = |text: &str| run(&["json", "--mode", "repair", "--schema", &schema], text);
    let text = r#"{"content": "{"a": "x", "b": "y"}", "path": "a.py"}"#;
    let json = repair(text);
    let wanted = r#"{"content":"{\"a\": \"x\", \"b\": \"y\"}","path":"a.py"}"#;
    assert_eq!((json.code, json.stdout.trim(), json.stderr.as_str()), (0, wanted, ""));
    let unguided = run(&["json", "--mode", "repair"], text).stdout;
    assert!(unguided.starts_with(r#"[{"content":"{\"a\": \"x","b":"y"}"#), "{unguided}");
    // What may have been meant otherwise is shown, and not printed.
    let json = repair(r#"{"content": "a 5" pipe", "path": "a.txt"}"#);
    assert_eq!((json.code, json.stdout.as_str()), (1, ""), "{}", json.stderr);
    assert!(json.stderr.contains("rjson::ambiguous: line 1 column"), "{}", json.stderr);
}

#[test]
fn a_schema_without_repair_is_wrong_usage() {
    let json = run(&["json", "--schema", "x.json"], "{}");
    assert_eq!(json.code, 2);
    assert!(json.complaint().contains("add `--mode repair`"), "{}", json.stderr);
}

#[test]
fn partial_mode_prints_what_is_certain() {
    let json = run(&["json", "--mode", "partial"], "{\"k\":[5,6");
    assert_eq!((json.code, json.stdout.as_str()), (0, "{\"k\":[5]}\n"));
    assert_eq!(run(&["json", "--mode", "partial"], " tr").code, 1);
}

#[test]
fn lines_are_values_of_their_own() {
    let json = run(&["json", "--lines"], "{a:1}\n\n[2,]\n");
    assert_eq!((json.code, json.stdout.as_str()), (0, "{\"a\":1}\n[2]\n"));
    let json = run(&["json", "--lines"], "1\n]\n3\n");
    assert_eq!((json.code, json.stdout.as_str()), (1, "1\n3\n"));
    assert!(json.stderr.contains("line 2 column 1"), "{}", json.stderr);
    assert!(json.stderr.contains("1 of 3 lines"), "{}", json.stderr);
}

#[test]
fn wrong_usage_and_bytes_that_are_no_text() {
    assert_eq!(run(&["json", "--style", "source", "--sort-keys"], "1").code, 2);
    assert_eq!(run(&["json", "--style", "tall"], "1").code, 2);
    let bytes = run(&["json"], b"\"a\xff\"");
    assert_eq!(bytes.code, 1);
    assert!(bytes.complaint().contains("byte 2 is not UTF-8"), "{}", bytes.stderr);
}
