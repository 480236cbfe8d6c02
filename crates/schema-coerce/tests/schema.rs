//! Compiling: look-ups, merging, references, limits, notes.
#![allow(clippy::panic, reason = "helpers of tests fail by it")]

mod common;
use common::{compile, schema, value};
use toolweir_schema_coerce::{
    Member, Node, Schema, SchemaErrorKind, SchemaLimits, TextStyle, TypedKind,
};

fn declared<'a>(node: Node<'a>, key: &str) -> Node<'a> {
    match node.member(key) {
        Member::Declared(node) => node,
        other => panic!("{key}: {other:?}"),
    }
}

fn json(node: Node<'_>, text: &str) -> String {
    node.read_text(text, TextStyle::Bare).json
}

#[test]
fn schemas_are_shared_between_threads_and_found_again_by_id() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    let schema = schema(r#"{"properties":{"a":{"type":"integer"}}}"#);
    shared(&schema);
    let id = declared(schema.root(), "a").id();
    let other = schema.clone();
    assert_eq!(json(other.node(id), "5"), "5");
    assert!(Schema::any().node(id).is_untyped());
    assert!(Schema::default().root().is_untyped());
}

#[test]
fn members_are_declared_additional_open_or_closed() {
    let open = schema(r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#);
    assert!(matches!(open.root().member("a"), Member::Declared(_)));
    assert!(matches!(open.root().member("b"), Member::Open));
    let closed = schema(r#"{"properties":{"a":{}},"additionalProperties":false}"#);
    assert!(matches!(closed.root().member("a"), Member::Declared(_)));
    assert!(matches!(closed.root().member("b"), Member::Closed));
    let more = schema(r#"{"additionalProperties":{"type":"integer"}}"#);
    let Member::Additional(node) = more.root().member("b") else { panic!() };
    assert_eq!(json(node, "5"), "5");
    let patterns =
        r#"{"patternProperties":{"^n":{"type":"integer"}},"additionalProperties":false}"#;
    let patterns = schema(patterns);
    // Without the engine any member may be one that a pattern speaks of.
    let untyped = !cfg!(feature = "regex");
    assert!(
        matches!(patterns.root().member("n"), Member::Additional(n) if n.is_untyped() == untyped)
    );
    assert!(matches!(schema("true").root().member("x"), Member::Open));
    assert!(matches!(schema("{\"type\":\"string\"}").root().member("x"), Member::Open));
}

#[test]
fn keys_like_proto_are_plain_keys() {
    let source = r#"{"properties":{"__proto__":{"type":"integer"},"":{"type":"boolean"}}}"#;
    let schema = schema(source);
    assert_eq!(json(declared(schema.root(), "__proto__"), "5"), "5");
    assert_eq!(json(declared(schema.root(), ""), "True"), "true");
    assert!(matches!(schema.root().member("constructor"), Member::Open));
}

#[test]
fn members_are_found_through_references_and_combinators() {
    let source = r##"{
        "$ref": "#/$defs/Base",
        "allOf": [{"properties": {"b": {"type": "integer"}}}],
        "anyOf": [{"properties": {"c": {"type": "integer"}}}, {"required": ["d"]}],
        "oneOf": [{"oneOf": [{"properties": {"e": {"type": "integer"}}}]}, {"type": "null"}],
        "$defs": {"Base": {"properties": {"a": {"type": "integer"}}}}
    }"##;
    let schema = schema(source);
    for key in ["a", "b", "c", "e"] {
        assert_eq!(json(declared(schema.root(), key), "5"), "5", "{key}");
    }
    assert!(matches!(schema.root().member("f"), Member::Open));
}

#[test]
fn a_member_declared_in_several_branches_may_be_any_of_them() {
    let schema = schema(
        r#"{"anyOf":[
            {"type":"object","properties":{"v":{"type":"integer"},"k":{"const":"i"}},
             "additionalProperties":false},
            {"type":"object","properties":{"v":{"type":"boolean"},"k":{"const":"b"}},
             "additionalProperties":false},
            {"type":"null"}]}"#,
    );
    let v = declared(schema.root(), "v");
    assert_eq!(json(v, "5"), "5");
    assert_eq!(json(v, "True"), "true");
    assert!(v.read_text("x", TextStyle::Bare).problem.is_some());
    assert!(declared(schema.root(), "k").is_string_only());
    assert!(matches!(schema.root().member("other"), Member::Closed));
}

#[test]
fn a_member_declared_in_several_parts_is_all_of_them() {
    let schema = schema(
        r#"{"properties":{"v":{"type":["integer","string"]}},
            "allOf":[{"properties":{"v":{"type":["string","null"]}}}],
            "anyOf":[{"properties":{"v":{}}}]}"#,
    );
    assert!(declared(schema.root(), "v").is_string_only());
}

#[test]
fn what_is_declared_anywhere_is_declared_in_spite_of_a_closed_part() {
    let schema = schema(
        r#"{"allOf":[
            {"properties":{"a":{"type":"integer"}},"additionalProperties":false},
            {"properties":{"b":{"type":"integer"}}}]}"#,
    );
    assert_eq!(json(declared(schema.root(), "b"), "5"), "5");
    assert!(matches!(schema.root().member("c"), Member::Closed));
}

#[test]
fn merged_members_are_merged_all_the_way_down() {
    let schema = schema(
        r#"{"anyOf":[
            {"properties":{"o":{"properties":{"x":{"type":"integer"}}}}},
            {"properties":{"o":{"properties":{"x":{"type":"boolean"}}}}}]}"#,
    );
    let x = declared(declared(schema.root(), "o"), "x");
    assert_eq!(json(x, "5"), "5");
    assert_eq!(json(x, "false"), "false");
}

#[test]
fn entries_have_schemas_by_place() {
    let schema = schema(
        r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],
            "items":{"type":"boolean"}}"#,
    );
    let root = schema.root();
    assert_eq!(json(root.item(0).unwrap(), "5"), "5");
    assert!(root.item(1).unwrap().is_string_only());
    assert_eq!(json(root.item(2).unwrap(), "True"), "true");
    assert_eq!(root.item(7).unwrap().id(), root.items().unwrap().id());
    let old =
        common::schema(r#"{"items":[{"type":"integer"}],"additionalItems":{"type":"boolean"}}"#);
    assert_eq!(json(old.root().item(0).unwrap(), "5"), "5");
    assert_eq!(json(old.root().items().unwrap(), "True"), "true");
    assert!(common::schema(r#"{"type":"array"}"#).root().items().is_none());
}

#[test]
fn questions_about_types_are_answered() {
    let cases: &[(&str, [bool; 5])] = &[
        // string only, untyped, array, allows array, allows null
        (r#"{"type":"string"}"#, [true, false, false, false, false]),
        (r#"{"enum":["a"]}"#, [true, false, false, false, false]),
        (r#"{"anyOf":[{"type":"string"},{}]}"#, [true, false, false, true, true]),
        ("{}", [false, true, false, true, true]),
        ("true", [false, true, false, true, true]),
        ("false", [false, false, false, false, false]),
        (r#"{"type":["string","null"]}"#, [false, false, false, false, true]),
        (r#"{"type":"array"}"#, [false, false, true, true, false]),
        (r#"{"type":["array","null"]}"#, [false, false, true, true, true]),
        (r#"{"type":["array","string"]}"#, [false, false, false, true, false]),
        (r#"{"items":{}}"#, [false, false, false, true, true]),
    ];
    for (source, expected) in cases {
        let schema = schema(source);
        let node = schema.root();
        let answers = [
            node.is_string_only(),
            node.is_untyped(),
            node.is_array(),
            node.allows_array(),
            node.allows_null(),
        ];
        assert_eq!(answers, *expected, "{source}");
        assert_eq!(node.is_array_only(), *source == r#"{"type":"array"}"#, "{source}");
    }
}

#[test]
fn containers_may_stream_where_no_string_is_allowed() {
    let streams = |source: &str, first| schema(source).root().streams_raw(first);
    assert!(streams(r#"{"type":"object"}"#, '{'));
    assert!(!streams(r#"{"type":"object"}"#, '['));
    assert!(streams(r#"{"type":["array","null"]}"#, '['));
    assert!(!streams(r#"{"type":["array","string"]}"#, '['));
    assert!(!streams(r#"{"enum":[{"a":1}]}"#, '{'));
    assert!(!streams(r#"{"type":"object"}"#, '5'));
    assert!(!streams("{}", '{'));
}

#[test]
fn recursive_schemas_are_followed_as_the_value_descends() {
    let schema = schema(
        r##"{"$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","properties":{
            "size":{"type":"integer"},
            "left":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]},
            "kids":{"type":"array","items":{"$ref":"#"}}}}}}"##,
    );
    let mut node = schema.root();
    for _ in 0..1_000 {
        node = declared(declared(node, "left"), "kids").items().unwrap();
    }
    assert_eq!(json(declared(node, "size"), "5"), "5");
}

#[test]
fn recursive_branches_that_never_agree_stay_within_the_budget() {
    let source = r##"{"$ref":"#/$defs/X","$defs":{
        "X":{"allOf":[{"properties":{"c":{"$ref":"#/$defs/X"},"d":{"$ref":"#/$defs/Y"}}},
             {"anyOf":[{"properties":{"c":{"$ref":"#/$defs/Y"},"d":{"$ref":"#/$defs/X"}}},
                       {"properties":{"c":{"$ref":"#/$defs/Z"},"d":{"$ref":"#/$defs/Z"}}}]}]},
        "Y":{"anyOf":[{"properties":{"c":{"$ref":"#/$defs/X"}}},
             {"allOf":[{"properties":{"c":{"$ref":"#/$defs/Z"}}},{"$ref":"#/$defs/Z"}]}]},
        "Z":{"properties":{"n":{"type":"integer"},"c":{"$ref":"#/$defs/Y"}}}}}"##;
    let schema = schema(source);
    let mut node = schema.root();
    for key in ["c", "d"].iter().cycle().take(500) {
        node = node.member(key).node().unwrap_or_else(|| schema.root());
    }
    assert_eq!(node.read_text("x", TextStyle::Bare).kind, TypedKind::AsText);
}

#[test]
fn a_wrapper_called_json_schema_is_taken_off_once() {
    let schema = schema(r#"{"jsonSchema":{"type":"integer"}}"#);
    assert_eq!(json(schema.root(), "5"), "5");
    let with_reference = common::schema(
        r##"{"jsonSchema":{"$ref":"#/$defs/I","$defs":{"I":{"type":"integer"}}},"name":"x"}"##,
    );
    assert_eq!(json(with_reference.root(), "5"), "5");
    let twice = common::schema(r#"{"jsonSchema":{"jsonSchema":{"type":"integer"}}}"#);
    assert!(twice.root().is_untyped());
    let beside = common::schema(r#"{"jsonSchema":{"type":"integer"},"type":"boolean"}"#);
    assert_eq!(json(beside.root(), "True"), "true");
}

#[test]
fn references_that_lead_nowhere_may_be_ignored() {
    let source = r##"{"type":"object","properties":{"a":{"$ref":"#/gone"},"n":{"type":"integer"},
        "b":{"$ref":"http://x/y","type":"integer"}}}"##;
    let mut limits = SchemaLimits::default();
    limits.ignore_references = true;
    let compiled = Schema::compile(&value(source), &limits).unwrap();
    let paths: Vec<_> = compiled.notes.iter().map(|note| note.schema_path.as_str()).collect();
    assert_eq!(paths, ["/properties/a/$ref", "/properties/b/$ref"]);
    let root = compiled.schema.root();
    for (member, read) in [("a", r#""4""#), ("n", "4"), ("b", "4")] {
        assert_eq!(json(declared(root, member), "4"), read, "{member}");
    }
}

#[test]
fn names_of_types_in_python_are_understood_with_a_note() {
    for (name, text, read) in [
        ("int", "4", "4"),
        ("float", "4.5", "4.5"),
        ("bool", "true", "true"),
        ("str", "4", r#""4""#),
        ("list", "[4]", "[4]"),
        ("dict", "{}", "{}"),
        ("char", "4", r#""4""#),
    ] {
        let source = value(&format!(r#"{{"type":"{name}"}}"#));
        let compiled = Schema::compile(&source, &SchemaLimits::default()).unwrap();
        assert_eq!(json(compiled.schema.root(), text), read, "{name}");
        assert_eq!(compiled.notes.len(), 1, "{name}");
    }
    let both = value(r#"{"type":["float","null"]}"#);
    let compiled = Schema::compile(&both, &SchemaLimits::default()).unwrap();
    assert_eq!(json(compiled.schema.root(), "null"), "null");
    assert_eq!(json(compiled.schema.root(), "4"), "4");
}

#[test]
fn references_that_cannot_be_followed_are_errors() {
    for (source, kind, path) in [
        (r##"{"$ref":"#/$defs/A"}"##, SchemaErrorKind::UnknownRef, "/$ref"),
        (r##"{"$ref":"#anchor"}"##, SchemaErrorKind::UnknownRef, "/$ref"),
        (r##"{"$ref":"#/title/x","title":"t"}"##, SchemaErrorKind::UnknownRef, "/$ref"),
        (
            r##"{"properties":{"a/b":{"items":{"$ref":"#/x"}}}}"##,
            SchemaErrorKind::UnknownRef,
            "/properties/a~1b/items/$ref",
        ),
        (
            r#"{"anyOf":[{},{"$ref":"https://example.com/s.json"}]}"#,
            SchemaErrorKind::RemoteRef,
            "/anyOf/1/$ref",
        ),
        (r##"{"$ref":"#"}"##, SchemaErrorKind::CyclicRef, ""),
        (
            r##"{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"anyOf":[{"$ref":"#/$defs/A"}]}}}"##,
            SchemaErrorKind::CyclicRef,
            "/$defs/B/anyOf/0",
        ),
        (r#"[]"#, SchemaErrorKind::NotASchema, ""),
        (r#""string""#, SchemaErrorKind::NotASchema, ""),
        (r#"{"jsonSchema":5}"#, SchemaErrorKind::NotASchema, ""),
    ] {
        let error = compile(source).unwrap_err();
        assert_eq!((error.kind, error.schema_path.as_str()), (kind, path), "{source}");
        let line = error.to_string();
        assert!(line.starts_with(char::is_lowercase) && !line.ends_with('.'), "{line}");
    }
}

#[test]
fn definitions_nobody_refers_to_do_no_harm() {
    let source = r##"{"type":"integer","$defs":{"bad":{"$ref":"#/nowhere"},"odd":5}}"##;
    let compiled = compile(source).unwrap();
    assert_eq!(compiled.notes, []);
    assert_eq!(json(compiled.schema.root(), "5"), "5");
}

#[test]
fn malformed_keywords_are_ignored_with_a_note() {
    let compiled = compile(
        r#"{
            "type": "object",
            "required": ["a", 5],
            "properties": {
                "a": {"type": "integer", "required": true},
                "b": {"type": "text"},
                "c": {"type": ["integer", 7]},
                "d": "string",
                "e": {"enum": []},
                "f": {"anyOf": {"type": "integer"}},
                "g": {"nullable": "yes", "type": "boolean"},
                "h": {"items": 5, "properties": [], "patternProperties": 1},
                "i": {"$ref": 5},
                "j": {"type": "array", "items": [{"type": "string"}], "prefixItems": [{"type": "integer"}]}
            }
        }"#,
    )
    .unwrap();
    let mut paths: Vec<_> = compiled.notes.iter().map(|note| note.schema_path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "/properties/a/required",
            "/properties/b/type",
            "/properties/c/type",
            "/properties/d",
            "/properties/e/enum",
            "/properties/f/anyOf",
            "/properties/g/nullable",
            "/properties/h/items",
            "/properties/h/patternProperties",
            "/properties/h/properties",
            "/properties/i/$ref",
            "/properties/j/items",
            "/required",
        ]
    );
    assert!(compiled.notes.iter().all(|note| note.message.starts_with("expected ")));
    let root = compiled.schema.root();
    assert_eq!(json(declared(root, "a"), "5"), "5");
    assert!(declared(root, "b").is_untyped());
    assert_eq!(json(declared(root, "c"), "5"), "5");
    assert!(declared(root, "d").is_untyped());
    assert_eq!(json(declared(root, "g"), "True"), "true");
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| {
        let open = r#"{"items":"#.repeat(depth);
        value(&format!("{open}{{}}{}", "}".repeat(depth)))
    };
    let limits = SchemaLimits::default();
    assert!(Schema::compile(&nested(64), &limits).is_ok());
    let error = Schema::compile(&nested(65), &limits).unwrap_err();
    assert_eq!(error.kind, SchemaErrorKind::TooDeep);
    assert_eq!(error.schema_path, "/items".repeat(65));
}

#[test]
fn chains_of_references_are_bounded() {
    let chain = |links: usize| {
        let link = |n: usize| format!(r##""d{n}":{{"$ref":"#/$defs/d{}"}}"##, n + 1);
        let links: Vec<_> = (0..links).map(link).chain(["\"end\":{}".to_owned()]).collect();
        let last = format!("\"d{}\":{{\"type\":\"integer\"}}", links.len() - 1);
        value(&format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},{last}}}}}"##, links.join(",")))
    };
    let limits = SchemaLimits::default();
    assert!(Schema::compile(&chain(63), &limits).is_ok());
    let error = Schema::compile(&chain(5_000), &limits).unwrap_err();
    assert_eq!(error.kind, SchemaErrorKind::TooDeep);
}

#[test]
fn the_number_of_schemas_is_bounded() {
    let members: Vec<_> = (0..100).map(|n| format!(r#""p{n:03}":{{"type":"integer"}}"#)).collect();
    let source = value(&format!(r#"{{"properties":{{{}}}}}"#, members.join(",")));
    let mut limits = SchemaLimits::default();
    limits.max_nodes = 101;
    assert!(Schema::compile(&source, &limits).is_ok());
    limits.max_nodes = 100;
    let error = Schema::compile(&source, &limits).unwrap_err();
    assert_eq!(error.kind, SchemaErrorKind::TooLarge);
    assert_eq!(error.schema_path, "/properties/p099");
}

#[test]
fn members_that_multiply_are_bounded() {
    // Sixty steps, each of which copies all members of the one before and adds its own.
    let members: Vec<_> = (0..9_000).map(|n| format!("\"m{n}\":true")).collect();
    let step = |n: usize| {
        format!(
            r##""d{n}":{{"properties":{{"x{n}":true}},"allOf":[{{"$ref":"#/$defs/d{}"}}]}}"##,
            n + 1
        )
    };
    let steps: Vec<_> = (0..30).map(step).collect();
    let source = format!(
        r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d30":{{"properties":{{{}}}}}}}}}"##,
        steps.join(","),
        members.join(",")
    );
    assert!(compile(&source).is_ok());
    let mut limits = SchemaLimits::default();
    limits.max_nodes = 1_000;
    let error = Schema::compile(&value(&source), &limits).unwrap_err();
    assert_eq!(error.kind, SchemaErrorKind::TooLarge);
}

#[test]
fn a_small_stack_is_enough_for_the_deepest_schema() {
    let depth = 30;
    let open = r#"{"anyOf":[{"type":"null"},{"allOf":["#.repeat(depth);
    let source = format!("{open}{{\"const\":5}}{}", "]}]}".repeat(depth));
    let reader = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
        let schema = compile(&source).unwrap().schema;
        (json(schema.root(), "5"), json(schema.root(), "None"))
    });
    let (five, null) = reader.unwrap().join().unwrap();
    assert_eq!((five.as_str(), null.as_str()), ("5", "null"));
}

#[cfg(feature = "regex")]
#[test]
fn patterns_say_which_other_members_are_known() {
    let schema = schema(
        r#"{"type": "object", "properties": {"a": {"type": "string"}},
            "patternProperties": {"^x-": {"type": "number"}, "^y-": false}}"#,
    );
    let root = schema.root();
    assert!(matches!(root.member("a"), Member::Declared(_)));
    assert!(matches!(root.member("x-1"), Member::Additional(node) if !node.is_untyped()));
    assert!(matches!(root.member("y-1"), Member::Closed));
    assert!(matches!(root.member("z"), Member::Open));
    let closed = self::schema(
        r#"{"patternProperties": {"^x-": {}}, "additionalProperties": false, "type": "object"}"#,
    );
    assert!(matches!(closed.root().member("x-1"), Member::Additional(_)));
    assert!(matches!(closed.root().member("z"), Member::Closed));
}
