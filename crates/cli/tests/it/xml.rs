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
    assert!(misfit.complaint().contains("(at /lines"), "{}", misfit.stderr);
}

#[test]
fn what_was_mended_goes_to_standard_error() {
    let xml = run(&["xml", "--diagnostics"], "<path>a</ path>");
    assert_eq!((xml.code, xml.stdout.as_str()), (0, "{\"path\":\"a\"}\n"));
    assert!(xml.complaint().starts_with("rxml::close-spacing: line 1 column 8"), "{}", xml.stderr);
    let exact = run(&["xml", "--mode", "exact"], "<path>a</ path>");
    assert_eq!(exact.code, 1);
    assert!(exact.complaint().ends_with("`--mode repair` may read it"), "{}", exact.stderr);
}

#[test]
fn strict_mode_reads_one_well_formed_document() {
    let xml = run(&["xml", "--mode", "strict"], "<a i='1'><b>x</b></a>");
    assert_eq!((xml.code, xml.stdout.as_str()), (0, "{\"a\":{\"@_i\":\"1\",\"b\":\"x\"}}\n"));
    let doctype = run(&["xml", "--mode", "strict"], "<!DOCTYPE a><a/>");
    assert!(doctype.complaint().contains("document type declarations are refused"));
}
