//! What holds for every schema and every text.

mod common;
use common::check;
use proptest::prelude::*;
use toolweir_schema_coerce::{Schema, SchemaLimits, TextStyle};

fn schemas() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("{}".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just(r#"{"enum":["a",1,null,2.5,{"a":1},[]]}"#.to_owned()),
        Just(r#"{"const":true}"#.to_owned()),
        Just(r##"{"$ref":"#/$defs/R"}"##.to_owned()),
        Just(r#"{"nullable":true,"type":"integer"}"#.to_owned()),
        prop::sample::subsequence(
            vec!["null", "boolean", "integer", "number", "string", "array", "object"],
            1..4
        )
        .prop_shuffle()
        .prop_map(|types| format!("{{\"type\":{types:?}}}")),
    ];
    let schema = leaf.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|list| list.join(","));
        prop_oneof![
            (prop::sample::select(vec!["anyOf", "oneOf", "allOf", "prefixItems"]), list)
                .prop_map(|(keyword, list)| format!("{{\"{keyword}\":[{list}]}}")),
            inner.clone().prop_map(|s| format!(r#"{{"type":"array","items":{s}}}"#)),
            (inner.clone(), inner).prop_map(|(a, b)| format!(
                r#"{{"properties":{{"a":{a},"b":{b}}},"additionalProperties":{b}}}"#
            )),
        ]
    });
    schema.prop_map(|s| {
        format!(
            r##"{{"properties":{{"p":{s}}},"$defs":{{"R":{{"type":["array","integer"],"items":{{"$ref":"#/$defs/R"}}}}}}}}"##
        )
    })
}

/// Keywords, and `""` for a list.
fn keywords() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "type",
        "items",
        "prefixItems",
        "anyOf",
        "allOf",
        "$ref",
        "properties",
        "enum",
        "const",
        "nullable",
        "required",
        "additionalProperties",
        "jsonSchema",
        "",
    ])
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[-+.0-9eE]{0,12}",
        r#"[ \n]*[\[\]{}:,'"0-9a-z/#*. \\]{0,24}"#,
        prop::sample::select(vec![
            "",
            " ",
            "null",
            "None",
            "True",
            "FALSE",
            "007",
            "3.0",
            "+8",
            ".75",
            "6.",
            "1e400",
            "{}",
            "[]",
            "{\"a\": 1}",
            "{'a': None}",
            "[1, 2,]",
            "[NaN]",
            "{a:1,a:2}",
            "\"q\"",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(common::cases(2_000))]

    #[test]
    fn every_text_reads_as_strict_json_twice_the_same(source in schemas(), text in texts()) {
        let source = common::value(&source);
        let compile = || Schema::compile(&source, &SchemaLimits::default()).unwrap().schema;
        let (one, two) = (compile(), compile());
        for style in [TextStyle::Bare, TextStyle::Json] {
            let node = one.root().member("p").node().unwrap();
            let typed = node.read_text(&text, style);
            check(&typed, &text);
            let again = two.root().member("p").node().unwrap().read_text(&text, style);
            prop_assert_eq!(&typed, &again);
            if style == TextStyle::Bare && node.is_string_only() {
                prop_assert_eq!(&typed.json, &common::string(&text));
            }
        }
    }

    #[test]
    fn any_json_compiles_or_is_refused(
        keywords in prop::collection::vec(keywords(), 0..5),
        inner in prop::sample::select(vec!["5", "\"integer\"", "\"#\"", "[]", "{}", "null"]),
    ) {
        let mut source = inner.to_owned();
        for keyword in keywords {
            source = match keyword {
                "" => format!("[{source}]"),
                keyword => format!("{{\"{keyword}\":{source}}}"),
            };
        }
        match Schema::compile(&common::value(&source), &SchemaLimits::default()) {
            Ok(compiled) => check(&compiled.schema.root().read_text("5", TextStyle::Bare), "5"),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
