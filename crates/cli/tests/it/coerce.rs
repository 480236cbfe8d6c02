//! `toolweir coerce`.

use crate::{file, run};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"},"on":{"type":"boolean"}}}"#;

#[test]
fn a_value_is_made_to_fit_and_the_changes_are_named() {
    let schema = file("coerce_fit", "schema.json", SCHEMA);
    let found = run(&["coerce", "--schema", &schema, "--diagnostics"], "{n: ' 8 '}");
    assert_eq!((found.code, found.stdout.as_str()), (0, "{\"n\":8}\n"));
    let lines: Vec<&str> = found.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "toolweir: standard input: line 1 column 5 (bytes 4..9): number-from-text at /n (loss: format)",
            "  | {n: ' 8 '}",
            "  |     ^^^^^"
        ]
    );
}

#[test]
fn a_value_that_cannot_be_made_to_fit_is_a_finding_with_its_path() {
    let schema = file("coerce_misfit", "schema.json", SCHEMA);
    let found = run(&["coerce", "--schema", &schema], "{\"on\": true,\n \"n\":\"6.5\"}");
    assert_eq!((found.code, found.stdout.as_str()), (1, ""));
    let lines: Vec<&str> = found.stderr.lines().collect();
    let head = "toolweir: standard input: line 2 column 6 (bytes 18..23): coerce::number: ";
    assert!(lines[0].starts_with(head), "{}", found.stderr);
    assert!(lines[0].ends_with("at /n, by the schema at /properties/n/type"), "{}", found.stderr);
    assert_eq!(lines[1..], ["  |  \"n\":\"6.5\"}", "  |      ^^^^^"]);
}

#[test]
fn the_policy_decides_what_may_be_lost() {
    let schema = file("coerce_policy", "schema.json", SCHEMA);
    let with = |policy: &str| {
        run(&["coerce", "--schema", &schema, "--policy", policy], "{\"on\":\"yes\"}")
    };
    assert_eq!(with("allow=guess").stdout, "{\"on\":true}\n");
    let refused = with("allow=format");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("boolean-from-text"), "{}", refused.stderr);
    assert!(
        refused.stderr.ends_with("  | {\"on\":\"yes\"}\n  |       ^^^^^\n"),
        "{}",
        refused.stderr
    );
    assert_eq!(with("allow=all").code, 2);
}

#[test]
fn lines_are_values_of_their_own() {
    let schema = file("coerce_lines", "schema.json", SCHEMA);
    let found = run(&["coerce", "--lines", "--schema", &schema], "{\"n\":\"1\"}\n{\"n\":[]}\n{}\n");
    assert_eq!((found.code, found.stdout.as_str()), (1, "{\"n\":1}\n{}\n"));
    assert!(found.stderr.contains("line 2 column 6"), "{}", found.stderr);
    assert!(found.stderr.ends_with("  | {\"n\":[]}\n  |      ^^\n"), "{}", found.stderr);
}

#[test]
fn the_mode_says_which_text_is_read() {
    let schema = file("coerce_mode", "schema.json", SCHEMA);
    let with = |mode: &str, text: &str| {
        run(&["coerce", "--pretty", "--schema", &schema, "--mode", mode], text)
    };
    assert_eq!(with("relaxed", "{n: '1',}").stdout, "{\n  \"n\": 1\n}\n");
    assert_eq!(with("repair", "{\"n\": \"1\"").stdout, "{\n  \"n\": 1\n}\n");
    let strict = with("strict", "{\"n\": '1'}");
    assert_eq!((strict.code, strict.stdout.as_str()), (1, ""));
    assert!(strict.stderr.starts_with("toolweir: standard input: line 1 column 7 (byte 6): "));
    assert!(strict.stderr.ends_with("  | {\"n\": '1'}\n  |       ^\n"), "{}", strict.stderr);
}

#[test]
fn what_is_wrong_with_a_schema_is_shown_in_it() {
    let broken = "{\"properties\": {\n  \"a\": {\"$ref\": \"#/$defs/Gone\"}}}";
    let broken = file("coerce_broken", "schema.json", broken);
    let found = run(&["coerce", "--schema", &broken], "1");
    assert_eq!((found.code, found.stdout.as_str()), (2, ""));
    let lines: Vec<&str> = found.stderr.lines().collect();
    assert!(
        lines[0].contains("line 2 column 9 (bytes 25..47): reference leads nowhere"),
        "{}",
        found.stderr
    );
    assert_eq!(
        lines[1..],
        ["  |   \"a\": {\"$ref\": \"#/$defs/Gone\"}}}", "  |         ^^^^^^^^^^^^^^^^^^^^^^"]
    );
    let unread = file("coerce_unread", "schema.json", "{\"type\": }");
    let found = run(&["coerce", "--schema", &unread], "1");
    assert_eq!(found.code, 2);
    assert!(found.stderr.ends_with("  | {\"type\": }\n  |          ^\n"), "{}", found.stderr);
}

#[test]
fn what_was_ignored_in_a_schema_is_shown_in_it() {
    let odd = "{\"jsonSchema\": {\"properties\": {\"a\": {\"required\": true}}}}";
    let odd = file("coerce_odd", "schema.json", odd);
    let quiet = run(&["coerce", "--schema", &odd], "{}");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    let found = run(&["coerce", "--schema", &odd, "--diagnostics"], "{}");
    assert_eq!((found.code, found.stdout.as_str()), (0, "{}\n"));
    assert!(found.stderr.contains("/properties/a/required: expected a list"), "{}", found.stderr);
    let marks = format!("  | {}{}\n", " ".repeat(37), "^".repeat(16));
    assert!(found.stderr.ends_with(&marks), "{}", found.stderr);
}
