//! `toolweir json`.

use crate::run;

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
    assert!(json.complaint().contains("line 2 column 7 (byte 15): expected"), "{}", json.stderr);
}

#[test]
fn strict_mode_refuses_and_names_the_way_out() {
    let json = run(&["json", "--mode", "strict"], "[1,]");
    assert_eq!(json.code, 1);
    assert!(json.complaint().contains("byte 3"), "{}", json.stderr);
    assert!(json.complaint().ends_with("; `--mode relaxed` reads it"), "{}", json.stderr);
}

#[test]
fn diagnostics_go_to_standard_error() {
    let json = run(&["json", "--diagnostics"], "{\"a\": 1,\n \"a\": 2}");
    assert_eq!((json.code, json.stdout.as_str()), (0, "{\"a\":2}\n"));
    assert!(
        json.complaint().starts_with("rjson::duplicate-key: line 2 column 2 (bytes "),
        "{}",
        json.stderr
    );
}

#[test]
fn wrong_usage_and_bytes_that_are_no_text() {
    assert_eq!(run(&["json", "--style", "source", "--sort-keys"], "1").code, 2);
    assert_eq!(run(&["json", "--style", "tall"], "1").code, 2);
    let bytes = run(&["json"], b"\"a\xff\"");
    assert_eq!(bytes.code, 1);
    assert!(bytes.complaint().contains("byte 2 is not UTF-8"), "{}", bytes.stderr);
}
