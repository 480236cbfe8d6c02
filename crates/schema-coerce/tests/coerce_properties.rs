//! What holds for every schema and every value, with the `jsonschema` crate as the oracle.
//!
//! Numbers stay within 64 bits and few decimals: that crate holds no others.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use common::generate::{policies, schemas, values};
use proptest::prelude::*;
use toolweir_rjson::{Value, to_string};
use toolweir_schema_coerce::{CoerceErrorKind, NullOptional, Policy, Schema, SchemaLimits};

fn oracle(schema: &str) -> jsonschema::Validator {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .build(&schema)
        .unwrap()
}

fn is_valid(oracle: &jsonschema::Validator, value: &Value) -> bool {
    oracle.is_valid(&serde_json::from_str(&to_string(value)).unwrap())
}

fn compile(schema: &str) -> Schema {
    Schema::compile(&common::value(schema), &SchemaLimits::default()).unwrap().schema
}

/// Patterns are checked with the feature only.
fn comparable(schema: &str) -> bool {
    cfg!(feature = "regex") || !schema.contains("patternProperties")
}

proptest! {
    #![proptest_config(common::cases(3_000))]

    #[test]
    fn a_result_validates_and_is_final(
        schema in schemas(), value in values(), policy in policies()
    ) {
        prop_assume!(comparable(&schema));
        let (compiled, oracle) = (compile(&schema), oracle(&schema));
        let value = common::value(&value);
        let before = to_string(&value);
        let valid = is_valid(&oracle, &value);
        let result = compiled.coerce(value.clone(), &policy);
        prop_assert_eq!(&result, &compiled.coerce(value, &policy), "the same twice");
        let Ok(coerced) = result else {
            prop_assert!(!valid, "a value that validates is refused: {:?}", result);
            return Ok(());
        };
        let after = to_string(&coerced.value);
        prop_assert!(is_valid(&oracle, &coerced.value), "{} became {}", before, after);
        prop_assert_eq!(valid, coerced.changes.is_empty());
        prop_assert!(coerced.loss() <= Some(policy.allow));
        if valid {
            prop_assert_eq!(&before, &after);
        }
        let again = compiled.coerce(coerced.value, &policy).unwrap();
        prop_assert!(again.changes.is_empty());
        prop_assert_eq!(to_string(&again.value), after);
    }

    #[test]
    fn an_error_points_into_value_and_schema(schema in schemas(), value in values()) {
        let source = common::value(&schema);
        let value = common::value(&value);
        let policy = Policy::default();
        if let Err(error) = compile(&schema).coerce(value.clone(), &policy) {
            let text = error.to_string();
            prop_assert!(source.pointer(&error.schema_path).is_some(), "{}", text);
            if !matches!(error.kind, CoerceErrorKind::LossNotAllowed { .. }) {
                prop_assert!(value.pointer(&error.instance_path).is_some(), "{}", text);
            }
            if let Err(plain) = compile(&schema).validate(&value) {
                prop_assert!(value.pointer(&plain.instance_path).is_some(), "{}", plain);
                prop_assert!(source.pointer(&plain.schema_path).is_some(), "{}", plain);
            }
        }
    }

    #[test]
    fn a_kept_null_is_the_only_thing_that_may_break_the_schema(
        schema in schemas(), value in values()
    ) {
        let mut policy = Policy::default();
        policy.null_optional = NullOptional::Keep;
        let compiled = compile(&schema);
        if let Ok(coerced) = compiled.coerce(common::value(&value), &policy) {
            let again = compiled.coerce(coerced.value.clone(), &policy).unwrap();
            prop_assert!(again.changes.is_empty());
            if compiled.validate(&coerced.value).is_err() {
                prop_assert!(to_string(&coerced.value).contains("null"));
            }
        }
    }
}
