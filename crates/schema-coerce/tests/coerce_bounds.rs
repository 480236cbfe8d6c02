//! Errors with their paths; bounds of depth and work.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use toolweir_rjson::{Machine, Mode, Options, Value, parse_with};
use toolweir_schema_coerce::{
    CoerceErrorKind, Piece, Policy, Schema, SchemaErrorKind, SchemaLimits, StreamCoercer,
};

#[test]
fn what_is_never_repaired_is_a_typed_error_with_its_paths() {
    for (schema, value, kind, at, by) in [
        (r#"{"required":["a"]}"#, "{}", CoerceErrorKind::Required, "", "/required"),
        (r#"{"items":{"maximum":5}}"#, "[1,9]", CoerceErrorKind::Range, "/1", "/items/maximum"),
        (r#"{"type":"integer","maximum":5}"#, r#""9""#, CoerceErrorKind::Range, "", "/maximum"),
        (
            r#"{"properties":{"a/b":{"minLength":2}}}"#,
            r#"{"a/b":"x"}"#,
            CoerceErrorKind::Length,
            "/a~1b",
            "/properties/a~1b/minLength",
        ),
        (r#"{"uniqueItems":true}"#, "[1,1.0]", CoerceErrorKind::Unique, "", "/uniqueItems"),
        (r#"{"properties":{"a":false}}"#, r#"{"a":1}"#, CoerceErrorKind::NotAllowed, "/a", ""),
        (r#"{"not":{"type":"null"}}"#, "null", CoerceErrorKind::NotAllowed, "", "/not"),
    ] {
        let error = common::schema(schema).coerce(common::value(value), &Policy::default());
        let error = error.unwrap_err();
        assert_eq!(error.kind, kind, "{value} by {schema}");
        assert_eq!(
            (error.instance_path.as_str(), error.schema_path.as_str()),
            (at, by),
            "{schema}"
        );
    }
}

#[test]
fn nesting_and_work_are_bounded_on_a_small_stack() {
    let options = Options::new(Mode::Strict).with_max_depth(usize::MAX);
    let nested = |depth: usize| {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        parse_with(&text, &options).unwrap().value
    };
    let (deepest, deep) = (nested(1_000_000), nested(20_000));
    let schema = common::schema(r##"{"type":["array","integer"],"items":{"$ref":"#"}}"##);
    let small = std::thread::Builder::new().stack_size(64 * 1024);
    let work = move || {
        let refused = schema.coerce(deepest, &Policy::default()).unwrap_err();
        let mut policy = Policy::default();
        policy.max_depth = usize::MAX;
        policy.max_steps = usize::MAX;
        let taken = schema.coerce(deep, &policy).map(|coerced| coerced.changes.len());
        (refused.kind, taken)
    };
    let (refused, taken) = small.spawn(work).unwrap().join().unwrap();
    assert_eq!(refused, CoerceErrorKind::TooDeep);
    assert_eq!(taken, Ok(0));
    let mut policy = Policy::default();
    policy.max_steps = 10;
    let list: Value = common::value(&format!("[{}]", ["\"1\""; 50].join(",")));
    let numbers = common::schema(r#"{"items":{"type":"integer"}}"#);
    assert_eq!(numbers.coerce(list, &policy).unwrap_err().kind, CoerceErrorKind::TooDeep);
}

fn list(value: Value) -> Value {
    Value::Array(vec![value].into())
}

fn object(key: &str, value: Value) -> Value {
    Value::Object([(key.to_owned(), value)].into_iter().collect())
}

/// A million levels on the smallest stack, whatever takes them: each gives a typed error, or the value
/// as it was, and is dropped again.
#[test]
fn a_million_levels_are_a_typed_error_everywhere() {
    const DEPTH: usize = 1_000_000;
    // Made by hand: reading so much text would take most of the time.
    let nested = |wrap: fn(Value) -> Value| (0..DEPTH).fold(common::value("{}"), |v, _| wrap(v));
    let work = move || {
        let lists = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
        // As a schema, under every kind of keyword.
        let schemas: [fn(Value) -> Value; 3] =
            [|v| object("items", v), |v| object("anyOf", list(v)), |v| object("const", v)];
        for wrap in schemas {
            let source = nested(wrap);
            match Schema::compile(&source, &SchemaLimits::default()) {
                Ok(compiled) => drop(compiled.schema.check(&source)),
                Err(error) => assert_eq!(error.kind, SchemaErrorKind::TooDeep),
            }
        }
        // As a value, and as text in a value.
        let schema = common::schema(r##"{"type":["array","null"],"items":{"$ref":"#"}}"##);
        let error = schema.validate(&nested(list)).unwrap_err();
        assert_eq!(error.kind, CoerceErrorKind::TooDeep);
        let text = Value::String(lists.clone());
        let error = schema.coerce(text, &Policy::default()).unwrap_err();
        assert_eq!(error.kind, CoerceErrorKind::Type);
        // As a stream: opened level by level, and held.
        let held = r##"{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"null"}]}"##;
        for schema in [schema, common::schema(held)] {
            let mut coercer = StreamCoercer::new(&schema, Policy::default());
            let mut machine = Machine::new(Options::new(Mode::Strict).with_max_depth(usize::MAX));
            let (mut input, mut problems, mut bytes) = (lists.as_str(), Vec::new(), 0);
            while let Ok(Some(token)) = machine.next(&mut input) {
                coercer.token(&token.kind, token.wire, &mut |piece| match piece {
                    Piece::Token(_, wire) => bytes += wire.len(),
                    Piece::Problem(error) => problems.push(error.kind),
                    _ => {}
                });
            }
            assert_eq!((problems, bytes), (vec![CoerceErrorKind::TooDeep], lists.len()));
        }
    };
    let small = std::thread::Builder::new().stack_size(64 * 1024);
    small.spawn(work).unwrap().join().unwrap();
}
