//! `toolweir coerce`.

use std::path::PathBuf;

use crate::run;

/// A file of this process with a schema in it.
struct SchemaFile(PathBuf);

impl SchemaFile {
    fn new(name: &str, schema: &str) -> Self {
        let file = format!("toolweir-coerce-{}-{name}.json", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, schema).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for SchemaFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const SCHEMA: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"},"on":{"type":"boolean"}}}"#;

#[test]
fn a_value_is_made_to_fit_and_the_changes_are_named() {
    let schema = SchemaFile::new("fit", SCHEMA);
    let found = run(&["coerce", "--schema", schema.path(), "--diagnostics"], "{n: ' 8 '}");
    assert_eq!((found.code, found.stdout.as_str()), (0, "{\"n\":8}\n"));
    assert!(found.stderr.contains("number-from-text at /n (loss: format)"), "{}", found.stderr);
}

#[test]
fn a_value_that_cannot_be_made_to_fit_is_a_finding_with_its_path() {
    let schema = SchemaFile::new("misfit", SCHEMA);
    let found = run(&["coerce", "--schema", schema.path()], "{\"n\":\"6.5\"}");
    assert_eq!((found.code, found.stdout.as_str()), (1, ""));
    assert!(found.complaint().contains("coerce::number"), "{}", found.stderr);
    assert!(found.complaint().contains("/n"), "{}", found.stderr);
}

#[test]
fn the_policy_decides_what_may_be_lost() {
    let schema = SchemaFile::new("policy", SCHEMA);
    let with = |policy: &str| {
        run(&["coerce", "--schema", schema.path(), "--policy", policy], "{\"on\":\"yes\"}")
    };
    assert_eq!(with("allow=guess").stdout, "{\"on\":true}\n");
    let refused = with("allow=format");
    assert_eq!(refused.code, 1);
    assert!(refused.complaint().contains("boolean-from-text"), "{}", refused.stderr);
    assert_eq!(with("allow=all").code, 2);
}

#[test]
fn lines_are_values_of_their_own() {
    let schema = SchemaFile::new("lines", SCHEMA);
    let found =
        run(&["coerce", "--lines", "--schema", schema.path()], "{\"n\":\"1\"}\n{\"n\":[]}\n{}\n");
    assert_eq!((found.code, found.stdout.as_str()), (1, "{\"n\":1}\n{}\n"));
    assert!(found.stderr.contains("line 2"), "{}", found.stderr);
}
