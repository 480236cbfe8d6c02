//! `toolweir xml`.

use crate::{file, run};

const SCHEMA: &str = r#"{"type": "object", "properties": {
    "path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}}}"#;

#[test]
fn elements_come_out_as_json() {
    let xml = run(&["xml"], "<path>a.txt</path><n>4</n><n>5</n>");
    assert_eq!((xml.code, xml.stdout.as_str()), (0, "{\"path\":\"a.txt\",\"n\":[\"4\",\"5\"]}\n"));
}

#[test]
fn a_schema_says_what_elements_are() {
    let schema = file("xml_schema", "schema.json", SCHEMA);
    let text = "<call><path>if a < b</path><lines>3</lines></call>";
    let xml = run(&["xml", "--schema", &schema], text);
    assert_eq!((xml.code, xml.stdout.as_str()), (0, "{\"path\":\"if a < b\",\"lines\":[3]}\n"));
    let misfit = run(&["xml", "--schema", &schema], "<lines>three</lines>");
    assert_eq!(misfit.code, 1);
    let lines: Vec<&str> = misfit.stderr.lines().collect();
    assert!(
        lines[0].starts_with("toolweir: standard input: line 1 column 8 (bytes 7..12): "),
        "{}",
        misfit.stderr
    );
    assert!(lines[0].contains("(at /lines"), "{}", misfit.stderr);
    assert_eq!(lines[1..], ["  | <lines>three</lines>", "  |        ^^^^^"]);
}

#[test]
fn what_was_repaired_goes_to_standard_error() {
    let xml = run(&["xml", "--diagnostics"], "<path>a</ path>");
    assert_eq!((xml.code, xml.stdout.as_str()), (0, "{\"path\":\"a\"}\n"));
    let lines: Vec<&str> = xml.stderr.lines().collect();
    assert!(
        lines[0].starts_with("toolweir: rxml::close-spacing: line 1 column 8"),
        "{}",
        xml.stderr
    );
    assert_eq!(lines[1..], ["  | <path>a</ path>", "  |        ^^^^^^^^"]);
    let exact = run(&["xml", "--mode", "exact"], "<path>a</ path>");
    assert_eq!(exact.code, 1);
    let lines: Vec<&str> = exact.stderr.lines().collect();
    assert!(lines[0].ends_with("`--mode repair` may read it"), "{}", exact.stderr);
    assert_eq!(lines[1], "  | <path>a</ path>");
}

#[test]
fn an_element_too_many_is_shown_with_the_first_one() {
    let schema = file("xml_twice", "schema.json", SCHEMA);
    let text = "<path>a</path>\n<path>b</path>";
    let xml = run(&["xml", "--schema", &schema], text);
    assert_eq!((xml.code, xml.stdout.as_str()), (1, ""));
    let lines: Vec<&str> = xml.stderr.lines().collect();
    assert!(
        lines[0].contains("line 2 column 1 (bytes 15..21): one string property"),
        "{}",
        xml.stderr
    );
    assert_eq!(lines[1..3], ["  | <path>b</path>", "  | ^^^^^^"]);
    assert!(lines[3].contains("line 1 column 1 (bytes 0..6): the first"), "{}", xml.stderr);
    assert_eq!(lines[4..], ["  | <path>a</path>", "  | ^^^^^^"]);
}

#[test]
fn lines_are_texts_of_their_own() {
    let xml = run(&["xml", "--lines"], "<a>1</a>\n\nnothing\n<c>2</c>\n");
    assert_eq!((xml.code, xml.stdout.as_str()), (1, "{\"a\":\"1\"}\n{\"c\":\"2\"}\n"));
    assert!(xml.stderr.contains("line 3 column 1"), "{}", xml.stderr);
    let pretty = run(&["xml", "--pretty"], "<a>1</a>");
    assert_eq!(pretty.stdout, "{\n  \"a\": \"1\"\n}\n");
}

#[test]
fn a_schema_that_cannot_be_used_is_wrong_usage() {
    let schema = file("xml_schema_bad", "schema.json", "{\"$ref\": \"http://x/y\"}");
    let xml = run(&["xml", "--schema", &schema], "<a/>");
    assert_eq!(xml.code, 2);
    assert!(xml.stderr.contains("reference leads out of the schema"), "{}", xml.stderr);
    assert!(xml.stderr.contains("  | {\"$ref\": \"http://x/y\"}\n  |  ^"), "{}", xml.stderr);
}

#[test]
fn strict_mode_reads_one_well_formed_document() {
    let xml = run(&["xml", "--mode", "strict"], "<a i='1'><b>x</b></a>");
    assert_eq!((xml.code, xml.stdout.as_str()), (0, "{\"a\":{\"@_i\":\"1\",\"b\":\"x\"}}\n"));
    let doctype = run(&["xml", "--mode", "strict"], "<!DOCTYPE a><a/>");
    assert!(doctype.stderr.contains("document type declarations are refused"));
}
