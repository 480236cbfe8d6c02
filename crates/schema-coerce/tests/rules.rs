//! `docs/coerce-rules.md`: every row of its tables, and that no rule, loss or error is missing there.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by it"
)]
#![allow(clippy::disallowed_methods, reason = "the test reads a page of the documentation")]

mod common;

use std::collections::BTreeSet;

use toolweir_rjson::to_string;
use toolweir_schema_coerce::{
    CoerceErrorKind, Loss, Policy, Rule, SchemaErrorKind, SchemaLimits, Undeclared,
};

/// The rows of errors.
fn errors() -> Vec<Vec<String>> {
    rows(3).into_iter().filter(|row| row[0].starts_with("coerce::")).collect()
}

/// The cells of the rows whose first cell is a code, line breaks put in.
fn rows(cells: usize) -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/coerce-rules.md");
    let page = std::fs::read_to_string(path).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cell = |cell: &str| {
        let cell = cell.trim();
        let cell = cell.strip_prefix('`').and_then(|c| c.strip_suffix('`')).unwrap_or(cell);
        cell.replace('⏎', "\\n")
    };
    let rows = rows.map(|row| row.trim_matches('|').split(" | ").map(cell).collect::<Vec<_>>());
    rows.filter(|row| row.len() == cells).collect()
}

fn policy(allow: Loss, rule: &str) -> Policy {
    let mut policy = Policy::default();
    policy.allow = allow;
    if rule == "drop-key" {
        policy.undeclared = Undeclared::Drop;
    }
    policy
}

#[test]
fn every_rule_does_what_its_rows_say() {
    let rows = rows(5);
    assert!(rows.len() > 30, "{}", rows.len());
    for row in &rows {
        let [rule, loss, schema, value, result] = row.as_slice() else { panic!("{row:?}") };
        let losses = [Loss::None, Loss::Format, Loss::Guess];
        let loss = losses.into_iter().find(|l| l.name() == loss).unwrap();
        let schema = common::schema(schema);
        let coerced = schema.coerce(common::value(value), &policy(loss, rule)).unwrap();
        assert_eq!(to_string(&coerced.value), *result, "{row:?}");
        let used = coerced.changes.iter().any(|c| c.rule.as_str() == rule && c.loss == loss);
        assert!(used, "{row:?}: {:?}", coerced.changes);
        assert!(schema.check(&coerced.value).is_ok(), "{row:?}");
        let Some(less) = losses.into_iter().rev().find(|l| *l < loss) else { continue };
        if let Ok(other) = schema.coerce(common::value(value), &policy(less, rule)) {
            assert!(other.changes.iter().all(|c| c.loss <= less), "{row:?}");
        }
    }
}

#[test]
fn every_rule_and_every_loss_it_can_have_is_in_the_tables() {
    let found: BTreeSet<_> =
        rows(5).into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let listed: BTreeSet<_> = found.iter().map(|(rule, _)| rule.as_str()).collect();
    let all: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.as_str()).collect();
    assert_eq!(all.len(), Rule::ALL.len(), "each has a code of its own");
    assert_eq!(listed, all);
    // What the source can give: these rules have more than one class.
    let several = [
        ("number-from-text", "none format"),
        ("boolean-from-text", "none format guess"),
        ("json-from-text", "none format"),
        ("scalar-from-wrapper", "format guess"),
        ("enum-member", "format guess"),
    ];
    for (rule, losses) in several {
        let given: BTreeSet<_> =
            found.iter().filter(|(r, _)| r == rule).map(|(_, loss)| loss.as_str()).collect();
        assert_eq!(given, losses.split(' ').collect(), "{rule}");
    }
}

#[test]
fn every_row_of_errors_is_refused_at_any_loss() {
    for row in errors() {
        let [code, schema, value] = row.as_slice() else { panic!("{row:?}") };
        if code == "coerce::pattern" && !cfg!(feature = "regex") {
            continue;
        }
        for allow in [Loss::None, Loss::Format, Loss::Guess] {
            let result = common::schema(schema).coerce(common::value(value), &policy(allow, ""));
            let error = result.unwrap_err();
            // Names are not compared at all where none may be changed.
            if allow != Loss::None {
                assert_eq!(error.kind.as_str(), code, "{row:?} {allow:?}");
            }
        }
    }
}

#[test]
fn every_kind_of_error_is_in_the_tables_or_below_them() {
    let mut found: BTreeSet<_> = errors().into_iter().map(|row| row[0].clone()).collect();
    let yes = common::schema(r#"{"type":"boolean"}"#);
    let refused = yes.coerce(common::value("\"yes\""), &Policy::default()).unwrap_err();
    assert_eq!(refused.kind, CoerceErrorKind::LossNotAllowed { rule: Rule::Boolean });
    found.insert(refused.kind.as_str().to_owned());
    let mut shallow = Policy::default();
    shallow.max_depth = 1;
    let deep = common::schema("{}").coerce(common::value("[[]]"), &shallow).unwrap_err();
    found.insert(deep.kind.as_str().to_owned());
    let all: BTreeSet<_> = CoerceErrorKind::CODES.iter().map(|code| (*code).to_owned()).collect();
    assert_eq!(found, all);
}

#[test]
fn every_kind_of_schema_error_has_a_schema_and_a_path() {
    let nested = format!("{}{{}}{}", r#"{"items":"#.repeat(65), "}".repeat(65));
    let deep = "/items".repeat(65);
    let rows: &[(SchemaErrorKind, &str, &str)] = &[
        (
            SchemaErrorKind::CyclicRef,
            r##"{"$defs":{"a":{"$ref":"#/$defs/a"}},"items":{"$ref":"#/$defs/a"}}"##,
            "/$defs/a",
        ),
        (SchemaErrorKind::UnknownRef, r##"{"items":{"$ref":"#/gone"}}"##, "/items/$ref"),
        (SchemaErrorKind::RemoteRef, r#"{"items":{"$ref":"http://x/y"}}"#, "/items/$ref"),
        (SchemaErrorKind::TooDeep, &nested, &deep),
        (SchemaErrorKind::TooLarge, r#"{"properties":{"a":{},"b":{},"c":{}}}"#, "/properties/c"),
        (
            SchemaErrorKind::Pattern,
            r#"{"properties":{"a":{"pattern":"(?=x)"}}}"#,
            "/properties/a/pattern",
        ),
        (SchemaErrorKind::NotASchema, "5", ""),
    ];
    let tried: Vec<_> = rows.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(tried, SchemaErrorKind::ALL);
    for (kind, schema, path) in rows {
        if *kind == SchemaErrorKind::Pattern && !cfg!(feature = "regex") {
            continue;
        }
        let mut limits = SchemaLimits::default();
        if *kind == SchemaErrorKind::TooLarge {
            limits.max_nodes = 3;
        }
        let schema = common::value(schema);
        let error = toolweir_schema_coerce::Schema::compile(&schema, &limits).unwrap_err();
        assert_eq!((error.kind, error.schema_path.as_str()), (*kind, *path));
    }
}
