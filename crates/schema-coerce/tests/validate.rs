//! The built-in check against the `jsonschema` crate; with the feature `validate`, that crate's last
//! word on every result.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use common::generate::{assertions, object, schemas, subschemas, values};
use proptest::prelude::*;
use toolweir_rjson::{Value, to_string};
use toolweir_schema_coerce::Schema;

fn oracle(schema: &str) -> jsonschema::Validator {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .build(&schema)
        .unwrap()
}

/// Texts of numbers at the edges of what `serde_json` holds, and beyond.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "1e0",
    "6.0",
    "7.5",
    "0.1",
    "0.3",
    "1.01",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "340282366920938463463374607431768211456",
    "1e19",
    "1e300",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1234567890123456789012",
];

/// Keywords about numbers.
const BOUNDS: &[&str] = &[
    r#""type":"integer""#,
    r#""type":"number""#,
    r#""type":["integer","string"]"#,
    r#""minimum":0"#,
    r#""maximum":9223372036854775807"#,
    r#""exclusiveMinimum":0.1"#,
    r#""exclusiveMaximum":1e19"#,
    r#""multipleOf":3"#,
    r#""multipleOf":0.1"#,
    r#""multipleOf":0.01"#,
    r#""const":6"#,
    r#""enum":[0.3,18446744073709551615]"#,
];

/// Why `serde_json` or `jsonschema` cannot be asked about a number by this schema; each reason is
/// one of the crate's `EXCUSES`.
fn excuse(schema: &str, number: &str) -> Option<&'static str> {
    const BEYOND: [&str; 3] =
        ["18446744073709551616", "-9223372036854775809", "340282366920938463463374607431768211456"];
    const INEXACT: [&str; 6] =
        ["1e19", "1e300", "1e400", "-1e400", "1e-400", "0.1234567890123456789012"];
    if BEYOND.contains(&number) {
        return Some("integers beyond 64 bits");
    }
    if INEXACT.contains(&number) {
        return Some("numbers that no double holds to the last digit");
    }
    schema.contains("multipleOf\":0.").then_some("`multipleOf` with a fraction")
}

proptest! {
    #![proptest_config(common::cases(3_000))]

    #[test]
    fn the_built_in_check_agrees_with_jsonschema(schema in schemas(), value in values()) {
        prop_assume!(cfg!(feature = "regex") || !schema.contains("patternProperties"));
        let value = common::value(&value);
        let ours = common::schema(&schema).check(&value);
        let theirs = oracle(&schema).is_valid(&serde_json::from_str(&to_string(&value)).unwrap());
        prop_assert_eq!(ours.is_ok(), theirs, "{:?}", ours);
    }

    #[test]
    fn numbers_agree_too_but_for_those_that_are_excused(
        keywords in prop::sample::subsequence(BOUNDS, 1..4),
        number in prop::sample::select(NUMBERS),
    ) {
        let mut seen = std::collections::BTreeSet::new();
        let fresh = keywords.into_iter().filter(|k| seen.insert(k.split(':').next().unwrap()));
        let schema = object(fresh.map(str::to_owned));
        if excuse(&schema, number).is_some() {
            return Ok(());
        }
        let ours = common::schema(&schema).check(&common::value(number));
        let theirs = oracle(&schema).is_valid(&serde_json::from_str(number).unwrap());
        prop_assert_eq!(ours.is_ok(), theirs, "{} by {}: {:?}", number, schema, ours);
    }

    /// The feature only adds: what the built-in check covers, it leaves as it is, excused or not.
    #[test]
    fn the_last_word_changes_nothing_that_the_built_in_check_covers(
        schema in schemas(), value in values(), keyword in prop::sample::select(BOUNDS),
        number in prop::sample::select(NUMBERS), odd in prop::sample::select(&[
            "{}", r#"{"nullable":true,"type":"string"}"#, r#"{"items":[{"type":"null"}]}"#,
            r#"{"minimum":3,"exclusiveMinimum":true}"#, r#"{"required":true}"#,
            r#"{"maximum":3,"exclusiveMaximum":true}"#,
            r#"{"type":"sock"}"#,
        ][..]),
    ) {
        let schema = format!(
            r#"{{"properties":{{"n":{{{keyword}}},"o":{odd},"v":true}},"allOf":[{schema}]}}"#
        ).replace("#/$defs", "#/allOf/0/$defs");
        let schema = common::schema(&schema);
        for value in [value.clone(), format!(r#"{{"n":{number},"o":{value},"v":1}}"#)] {
            let value = common::value(&value);
            prop_assert_eq!(schema.validate(&value), schema.check(&value));
        }
    }

    /// Schemas in any draft and any nonsense are never an error of the feature's making.
    #[test]
    fn any_schema_that_compiles_can_be_asked(
        s in subschemas(), own in assertions(), value in values(),
        key in prop::sample::select(&["$id", "id", "$schema", "definitions", "format", "then",
            "contentEncoding", "dependencies", "$anchor", "$vocabulary", "default"][..]),
        junk in prop::sample::select(&["1", "\"x\"", "\"http://h/x\"", "true", "[]", "{}"][..]),
    ) {
        let source = object([own, format!("\"not\":{s}"), format!("\"{key}\":{junk}")])
            .replace("#/$defs/R", "#/not");
        let compiled = common::compile(&source);
        if let Ok(compiled) = compiled {
            let value = common::value(&value);
            prop_assert_eq!(compiled.schema.validate(&value), compiled.schema.check(&value));
        }
    }
}

/// What only `jsonschema` covers: by the built-in check a note.
const UNEVALUATED: &str = r#"{"allOf":[{"properties":{"a":{"type":"integer"}}}],
    "unevaluatedProperties":false}"#;

#[cfg(feature = "validate")]
mod with_the_feature {
    use super::*;
    use toolweir_schema_coerce::{CoerceErrorKind, EXCUSES, NullOptional, Policy};

    fn keep() -> Policy {
        let mut policy = Policy::default();
        policy.null_optional = NullOptional::Keep;
        policy
    }

    #[test]
    fn a_result_goes_out_only_if_both_accept_it() {
        let schema = common::schema(UNEVALUATED);
        assert!(schema.is_gated());
        let good = schema.coerce(common::value(r#"{"a":"1"}"#), &Policy::default()).unwrap();
        assert_eq!(to_string(&good.value), r#"{"a":1}"#);
        for policy in [Policy::default(), keep()] {
            for value in [r#"{"a":1,"b":2}"#, r#"{"a":"1","b":2}"#] {
                let value = common::value(value);
                let error = schema.coerce(value, &policy).unwrap_err();
                assert_eq!(error.kind, CoerceErrorKind::UnknownKey);
                assert_eq!(error.instance_path, "");
                assert_eq!(error.schema_path, "/unevaluatedProperties");
            }
        }
        assert!(schema.check(&common::value(r#"{"b":2}"#)).is_ok());
        let error = schema.validate(&common::value(r#"{"b":2}"#)).unwrap_err();
        assert!(!error.to_string().contains('2'), "{error}");
        let entries =
            common::schema(r#"{"allOf":[{"prefixItems":[{}]}],"unevaluatedItems":false}"#);
        let error = entries.validate(&common::value("[1,2]")).unwrap_err();
        assert_eq!(
            (error.kind, error.schema_path),
            (CoerceErrorKind::Length, "/unevaluatedItems".into())
        );
    }

    #[test]
    fn a_null_that_is_left_standing_is_not_asked_about() {
        let schema = common::schema(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
        let value = common::value(r#"{"a":null}"#);
        assert_eq!(schema.coerce(value.clone(), &keep()).unwrap().value, value);
    }

    #[test]
    fn an_ignored_pattern_stays_ignored_and_others_run_on_the_linear_engine() {
        let slow = r#"{"type":"string","pattern":"^(a+)+$"}"#;
        let text = common::value(&format!("\"{}b\"", "a".repeat(50_000)));
        let error = common::schema(slow).validate(&text).unwrap_err();
        assert_eq!(error.kind, CoerceErrorKind::Pattern);
        assert!(common::compile(r#"{"pattern":"(?=a)"}"#).is_err());
    }

    #[test]
    fn nothing_is_fetched() {
        let unused = r#"{"$defs":{"a":{"$ref":"http://192.0.2.1/x"}},"type":"string"}"#;
        let schema = common::schema(unused);
        assert!(schema.validate(&common::value("\"x\"")).is_ok());
        assert!(!schema.is_gated());
    }

    #[test]
    fn each_excuse_is_left_to_the_built_in_check() {
        let big = "18446744073709551616";
        let cases: [(&str, String, String); 10] = [
            ("integers beyond 64 bits", r#"{"type":"integer","minimum":0}"#.into(), big.into()),
            (
                "numbers that no double holds to the last digit",
                r#"{"exclusiveMinimum":0.1}"#.into(),
                "0.10000000000000000000001".into(),
            ),
            ("`multipleOf` with a fraction", r#"{"multipleOf":0.01}"#.into(), "19.99".into()),
            ("`nullable`", r#"{"type":"string","nullable":true}"#.into(), "null".into()),
            ("a list under `items`", r#"{"items":[{"type":"null"}]}"#.into(), "[null,1]".into()),
            (
                "`true` or `false` under `exclusiveMinimum`, `exclusiveMaximum`",
                r#"{"minimum":1,"exclusiveMinimum":true}"#.into(),
                "2".into(),
            ),
            (
                "`$id` within the document",
                r##"{"properties":{"a":{"$id":"x","$ref":"#/$defs/a"}},"$defs":{"a":{"type":"null"}}}"##.into(),
                r#"{"a":null}"#.into(),
            ),
            ("`$dynamicRef`, `$recursiveRef`", r##"{"$dynamicRef":"#a"}"##.into(), "1".into()),
            ("malformed keywords", r#"{"required":true}"#.into(), "{}".into()),
            (
                "deep or much repeated work",
                r##"{"items":{"$ref":"#"}}"##.into(),
                "[".repeat(100) + &"]".repeat(100),
            ),
        ];
        let listed: Vec<_> = EXCUSES.iter().map(|(what, _)| *what).collect();
        let tried: Vec<_> = cases.iter().map(|(what, ..)| *what).collect();
        assert_eq!(listed, tried);
        for (what, schema, value) in cases {
            let schema = common::schema(&schema);
            let coerced = schema.coerce(common::value(&value), &Policy::default());
            assert!(coerced.unwrap().changes.is_empty(), "{what}");
        }
    }

    /// What a small schema could make a validator do that keeps no answers.
    #[test]
    fn work_that_doubles_is_left_to_the_built_in_check() {
        let step = |n: usize| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
            format!(r#""d{n}":{{"anyOf":[{next},{next}],"properties":{{"a":{next}}}}}"#)
        };
        let steps: Vec<_> = (0..30).map(step).collect();
        let source = format!(
            r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d30":{{"type":"null"}}}}}}"##,
            steps.join(",")
        );
        let error = common::schema(&source).validate(&common::value("1")).unwrap_err();
        assert_eq!(error.kind, CoerceErrorKind::Type);
        let nulls = common::schema(&source).validate(&Value::Null);
        assert_eq!(nulls, Ok(()));
        let nested = "[".repeat(60) + &"]".repeat(60);
        let twice = r##"{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}"##;
        assert_eq!(common::schema(twice).validate(&common::value(&nested)), Ok(()));
    }

    /// The stack that the crate's documentation asks for.
    #[test]
    fn the_deepest_that_is_handed_over_fits_a_usual_stack() {
        let nest = |open: &str, core: &str, close: &str, depth: usize| {
            format!("{}{core}{}", open.repeat(depth), close.repeat(depth))
        };
        let schemas = [
            nest(r#"{"items":"#, r#"{"unevaluatedItems":false}"#, "}", 60),
            nest(r#"{"anyOf":[{"type":"null"},"#, r#"{"type":"array"}"#, "]}", 30),
            r##"{"type":"array","items":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}"##.to_owned(),
        ];
        let values: Vec<_> =
            (0..64).map(|depth| "[".repeat(depth + 1) + &"]".repeat(depth + 1)).collect();
        let work = move || {
            for schema in schemas {
                let schema: Schema = common::schema(&schema);
                for value in &values {
                    let value = common::value(value);
                    assert_eq!(schema.validate(&value).is_ok(), schema.check(&value).is_ok());
                }
            }
        };
        let thread = std::thread::Builder::new().stack_size(512 * 1024);
        thread.spawn(work).unwrap().join().unwrap();
    }
}

#[cfg(not(feature = "validate"))]
#[test]
fn without_the_feature_the_built_in_check_has_the_last_word() {
    let compiled = common::compile(UNEVALUATED).unwrap();
    assert_eq!(compiled.notes[0].schema_path, "/unevaluatedProperties");
    let value: Value = common::value(r#"{"a":1,"b":2}"#);
    let schema: Schema = compiled.schema;
    assert_eq!(schema.validate(&value), schema.check(&value));
    assert!(schema.validate(&value).is_ok());
}
