//! What holds for every schema and every value, with the `jsonschema` crate as the oracle.
//!
//! Numbers stay within 64 bits and few decimals: that crate holds no others.

mod common;

use proptest::prelude::*;
use toolweir_rjson::{Value, to_string};
use toolweir_schema_coerce::{
    CoerceErrorKind, Loss, NullOptional, Policy, Schema, SchemaLimits, Undeclared,
};

fn scalars() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "1",
        "-2",
        "6.0",
        "6.5",
        "12",
        "1e2",
        r#""""#,
        r#""a""#,
        r#""8""#,
        r#"" 8 ""#,
        r#""6.5""#,
        r#""09""#,
        r#""true""#,
        r#""True""#,
        r#""yes""#,
        r#""None""#,
        r#""null""#,
        r#""'a'""#,
        r#""A""#,
        r#""to day""#,
        r#""[1,2]""#,
        r#""{'a': 1}""#,
        r#""{\"a\":\"1\"}""#,
        r#""1\n2""#,
        r#""1, 2""#,
        r#""<a>1</a>""#,
        r#""a: 1""#,
        r#""é\ud83d\ude00""#,
    ])
    .prop_map(str::to_owned)
}

fn keys() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "A", "a_b", "aB", "as", "item", "value", "#text", "0", "1"])
}

fn values() -> impl Strategy<Value = String> {
    scalars().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|list| format!("[{}]", list.join(","))),
            prop::collection::btree_map(keys(), inner, 0..4).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Keywords of one schema, each with its value, from which several are taken.
fn assertions() -> impl Strategy<Value = String> {
    let types = prop::sample::subsequence(
        vec!["null", "boolean", "integer", "number", "string", "array", "object"],
        1..3,
    );
    let one = prop_oneof![
        4 => types.prop_map(|types| match types.as_slice() {
            [only] => format!("\"type\":\"{only}\""),
            many => format!("\"type\":{many:?}"),
        }),
        2 => prop::sample::select(vec![
            r#""enum":["a","today",1,null]"#, r#""enum":["a","A"]"#, r#""const":6"#,
            r#""const":{"a":1}"#, r#""enum":[[1,2],"8"]"#, r#""const":true"#,
        ]).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            r#""minimum":1"#, r#""exclusiveMaximum":8"#, r#""multipleOf":2"#, r#""maximum":6.5"#,
            r#""minLength":1"#, r#""maxLength":2"#, r#""minItems":1"#, r#""maxItems":2"#,
            r#""uniqueItems":true"#, r#""required":["a"]"#, r#""minProperties":1"#,
            r#""maxProperties":1"#, r#""additionalProperties":false"#,
            r#""dependentRequired":{"a":["b"]}"#,
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(one, 0..3).prop_map(|keywords| {
        let mut seen = std::collections::BTreeSet::new();
        let fresh = keywords
            .into_iter()
            .filter(|k| seen.insert(k.split(':').next().unwrap_or_default().to_owned()));
        fresh.collect::<Vec<_>>().join(",")
    })
}

fn object(keywords: impl IntoIterator<Item = String>) -> String {
    let keywords: Vec<_> = keywords.into_iter().filter(|k| !k.is_empty()).collect();
    format!("{{{}}}", keywords.join(","))
}

fn schemas() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        8 => assertions().prop_map(|keywords| object([keywords])),
        1 => Just("true".to_owned()),
        1 => Just("false".to_owned()),
        1 => Just(r##"{"$ref":"#/$defs/R"}"##.to_owned()),
    ];
    let schema = leaf.prop_recursive(3, 16, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|list| list.join(","));
        prop_oneof![
            2 => (prop::sample::select(vec!["anyOf", "oneOf", "allOf"]), list.clone(), assertions())
                .prop_map(|(keyword, list, own)| object([format!("\"{keyword}\":[{list}]"), own])),
            2 => (inner.clone(), assertions()).prop_map(|(s, own)| {
                let own = if own.contains("\"type\"") { own } else { r#""type":"array""#.into() };
                object([format!("\"items\":{s}"), own])
            }),
            1 => (list, inner.clone()).prop_map(|(list, s)| {
                format!(r#"{{"type":"array","prefixItems":[{list}],"items":{s}}}"#)
            }),
            3 => (inner.clone(), inner.clone(), any::<bool>(), any::<bool>()).prop_map(
                |(a, b, closed, required)| object([
                    r#""type":"object""#.to_owned(),
                    format!(r#""properties":{{"a":{a},"a_b":{b},"bs":{{"type":"array"}}}}"#),
                    if closed { r#""additionalProperties":false"#.into() } else { String::new() },
                    if required { r#""required":["a"]"#.into() } else { String::new() },
                ])
            ),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(
                |(a, b, c)| format!(r#"{{"if":{a},"then":{b},"else":{c}}}"#)
            ),
            1 => (inner.clone(), assertions())
                .prop_map(|(s, own)| object([format!("\"not\":{s}"), own])),
            1 => (inner.clone(), assertions())
                .prop_map(|(s, own)| object([format!("\"contains\":{s}"), own])),
            1 => (inner.clone(), inner).prop_map(|(a, b)| format!(
                r#"{{"type":"object","patternProperties":{{"^a":{a}}},"additionalProperties":{b}}}"#
            )),
        ]
    });
    schema.prop_map(|s| {
        format!(
            r##"{{"allOf":[{s}],"$defs":{{"R":{{"type":["array","integer"],"items":{{"$ref":"#/$defs/R"}}}}}}}}"##
        )
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    let losses = prop::sample::select(vec![Loss::None, Loss::Format, Loss::Guess]);
    (losses, any::<bool>()).prop_map(|(allow, drop)| {
        let mut policy = Policy::default();
        policy.allow = allow;
        policy.undeclared = if drop { Undeclared::Drop } else { Undeclared::Keep };
        policy
    })
}

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
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_built_in_check_agrees_with_jsonschema(schema in schemas(), value in values()) {
        prop_assume!(comparable(&schema));
        let value = common::value(&value);
        let ours = compile(&schema).validate(&value);
        prop_assert_eq!(ours.is_ok(), is_valid(&oracle(&schema), &value), "{:?}", ours);
    }

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
