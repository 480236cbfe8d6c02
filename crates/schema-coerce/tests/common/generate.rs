//! Schemas, values and policies at random.

use proptest::prelude::*;
use toolweir_schema_coerce::{Loss, Policy, Undeclared};

pub(crate) fn scalars() -> impl Strategy<Value = String> {
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

pub(crate) fn keys() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "A", "a_b", "aB", "as", "item", "value", "#text", "0", "1"])
}

pub(crate) fn values() -> impl Strategy<Value = String> {
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
pub(crate) fn assertions() -> impl Strategy<Value = String> {
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
            r#""dependentSchemas":{"a":{"properties":{"bs":{"minItems":1}},"required":["a_b"]}}"#,
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

pub(crate) fn object(keywords: impl IntoIterator<Item = String>) -> String {
    let keywords: Vec<_> = keywords.into_iter().filter(|k| !k.is_empty()).collect();
    format!("{{{}}}", keywords.join(","))
}

/// Schemas to put into another one.
pub(crate) fn subschemas() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        8 => assertions().prop_map(|keywords| object([keywords])),
        1 => Just("true".to_owned()),
        1 => Just("false".to_owned()),
        1 => Just(r##"{"$ref":"#/$defs/R"}"##.to_owned()),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
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
    })
}

/// Whole schemas, with a definition that refers to itself.
pub(crate) fn schemas() -> impl Strategy<Value = String> {
    subschemas().prop_map(|s| {
        format!(
            r##"{{"allOf":[{s}],"$defs":{{"R":{{"type":["array","integer"],"items":{{"$ref":"#/$defs/R"}}}}}}}}"##
        )
    })
}

pub(crate) fn policies() -> impl Strategy<Value = Policy> {
    let losses = prop::sample::select(vec![Loss::None, Loss::Format, Loss::Guess]);
    (losses, any::<bool>()).prop_map(|(allow, drop)| {
        let mut policy = Policy::default();
        policy.allow = allow;
        policy.undeclared = if drop { Undeclared::Drop } else { Undeclared::Keep };
        policy
    })
}
