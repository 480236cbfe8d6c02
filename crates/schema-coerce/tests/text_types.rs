//! Bare text by schemas of one type.

mod common;
use common::{read, table};
use toolweir_schema_coerce::{Schema, TextStyle, TypedKind};

#[test]
fn strings_take_the_text_verbatim() {
    let texts = ["", " ", "null", "None", "true", "42", "{\"a\":1}", " a\n", "\"q\"", "\u{1}\\"];
    for source in [
        r#"{"type":"string"}"#,
        r#"{"type":["string"]}"#,
        r#"{"enum":["a","b"]}"#,
        r#"{"const":"a"}"#,
        r#"{"type":"string","minLength":2}"#,
        r#"{"allOf":[{"type":["string","integer"]},{"type":"string"}]}"#,
        "{}",
        "true",
        r#"{"description":"anything"}"#,
    ] {
        for text in texts {
            let typed = read(source, text);
            assert_eq!(typed.json, common::string(text));
            assert_eq!(typed.kind, TypedKind::AsText);
            assert_eq!(typed.problem, None, "{source} {text:?}");
            assert!(!typed.changed);
        }
    }
    assert_eq!(Schema::any().root().read_text("7", TextStyle::Bare).json, "\"7\"");
}

#[test]
fn integers_are_whole_numbers_kept_to_the_last_digit() {
    let big = "9".repeat(400);
    table(
        r#"{"type":"integer"}"#,
        &[
            ("8", "8"),
            (" 8\n", "8"),
            ("-14", "-14"),
            ("+8", "8"),
            ("3.0", "3"),
            ("6.", "6"),
            ("5e2", "500"),
            ("-0", "-0"),
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551616", "18446744073709551616"),
            (&big, &big),
            ("007", "!coerce::number"),
            ("-01", "!coerce::number"),
            ("6.5", "!coerce::number"),
            ("3e400", "!coerce::number"),
            ("1-2", "!coerce::number"),
            ("0x10", "!coerce::type"),
            ("9,500", "!coerce::type"),
            ("9kg", "!coerce::type"),
            ("٣", "!coerce::type"),
            ("true", "!coerce::type"),
            ("null", "!coerce::type"),
            ("NaN", "!coerce::type"),
            ("[1]", "!coerce::type"),
            ("", "!coerce::type"),
        ],
    );
}

#[test]
fn numbers_keep_their_digits_and_take_json_spelling() {
    table(
        r#"{"type":"number"}"#,
        &[
            ("10", "10"),
            ("5.0", "5.0"),
            ("2.50", "2.50"),
            ("3.141592653589793238462643383279", "3.141592653589793238462643383279"),
            ("1e300", "1e300"),
            ("1E-9", "1E-9"),
            (".75", "0.75"),
            ("-.5", "-0.5"),
            ("6.", "6.0"),
            ("+8", "8"),
            ("\t1.5 ", "1.5"),
            ("1e400", "!coerce::number"),
            ("09", "!coerce::number"),
            ("1.2.3", "!coerce::number"),
            ("40%", "!coerce::type"),
            ("Infinity", "!coerce::type"),
        ],
    );
}

#[test]
fn a_number_beyond_the_limit_of_digits_stays_text() {
    let (most, more) = ("7".repeat(4_300), "7".repeat(4_301));
    table(r#"{"type":"integer"}"#, &[(&most, &most), (&more, "!coerce::number")]);
    table(r#"{"type":["integer","string"]}"#, &[(&more, &common::string(&more))]);
}

#[test]
fn booleans_are_two_words_in_any_case() {
    table(
        r#"{"type":"boolean"}"#,
        &[
            ("true", "true"),
            ("True", "true"),
            (" FALSE ", "false"),
            ("fAlSe", "false"),
            ("yes", "!coerce::type"),
            ("1", "!coerce::type"),
            ("0", "!coerce::type"),
            ("on", "!coerce::type"),
            ("", "!coerce::type"),
            ("truefalse", "!coerce::type"),
        ],
    );
}

#[test]
fn null_has_four_spellings() {
    table(
        r#"{"type":"null"}"#,
        &[
            ("null", "null"),
            ("None", "null"),
            ("NULL", "null"),
            ("Null", "null"),
            (" null\n", "null"),
            ("nULL", "!coerce::type"),
            ("none", "!coerce::type"),
            ("nil", "!coerce::type"),
            ("", "!coerce::type"),
        ],
    );
}

#[test]
fn objects_keep_their_source_when_it_is_strict_json() {
    table(
        r#"{"type":"object"}"#,
        &[
            (r#"{"a": 1.50,  "b" :[ ]}"#, r#"{"a": 1.50,  "b" :[ ]}"#),
            ("\n{\"a\":\n1}\n", "{\"a\":\n1}"),
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#),
            ("{'a': True, b: None,}", r#"{"a":true,"b":null}"#),
            ("{a: .5, /* c */ n: 100000000000000000001}", r#"{"a":0.5,"n":100000000000000000001}"#),
            ("", "{}"),
            (" \n", "{}"),
            ("{a b}", "!coerce::type"),
            ("[1]", "!coerce::type"),
            ("5", "!coerce::type"),
            ("hello", "!coerce::type"),
            ("null", "!coerce::type"),
        ],
    );
}

#[test]
fn arrays_read_json_then_take_the_text_as_their_entry() {
    table(
        r#"{"type":"array","items":{"type":"string"}}"#,
        &[
            (r#"["a", "b"]"#, r#"["a", "b"]"#),
            ("['a', 'b',]", r#"["a","b"]"#),
            ("[]", "[]"),
            ("", "[]"),
            ("x, y", r#"["x, y"]"#),
            (" x ", r#"[" x "]"#),
            ("42", r#"["42"]"#),
            ("null", r#"["null"]"#),
            (r#"{"a":1}"#, r#"["{\"a\":1}"]"#),
            ("[draft] notes", r#"["[draft] notes"]"#),
        ],
    );
    table(
        r#"{"type":"array","items":{"type":"integer"}}"#,
        &[
            ("[1, 2]", "[1, 2]"),
            ("5", "[5]"),
            (" 5.0 ", "[5]"),
            ("x", "!coerce::type"),
            ("null", "!coerce::type"),
            (r#"{"a":1}"#, "!coerce::type"),
        ],
    );
    table(
        r#"{"type":"array","items":{"type":"object"}}"#,
        &[
            (r#"{"a": 1}"#, r#"[{"a": 1}]"#),
            ("{'a': 1}", r#"[{"a":1}]"#),
            ("", "[]"),
            ("5", "!coerce::type"),
        ],
    );
    table(r#"{"type":"array"}"#, &[("hello", r#"["hello"]"#), ("[1]", "[1]")]);
    table(
        r#"{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"string"}}"#,
        &[("5", "[5]"), ("x", "!coerce::type")],
    );
    table(r#"{"type":"array","items":[{"type":"boolean"}]}"#, &[("True", "[true]")]);
    table(
        r#"{"type":"array","items":{"type":"array","items":{"type":"integer"}}}"#,
        &[("5", "[[5]]"), ("[[1],[2]]", "[[1],[2]]")],
    );
    table(
        r#"{"type":"array","items":{"type":["integer","null"]}}"#,
        &[("null", "!coerce::type"), ("[null]", "[null]")],
    );
}

#[test]
fn an_array_of_itself_takes_no_scalar() {
    let source =
        r##"{"$ref":"#/$defs/T","$defs":{"T":{"type":"array","items":{"$ref":"#/$defs/T"}}}}"##;
    table(source, &[("[[],[[]]]", "[[],[[]]]"), ("5", "!coerce::type")]);
}

#[test]
fn a_schema_that_allows_nothing_says_so() {
    table("false", &[("x", "!coerce::not-allowed"), ("", "!coerce::not-allowed")]);
    table(r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, &[("5", "!coerce::not-allowed")]);
}

#[test]
fn changed_compares_with_the_trimmed_text() {
    let source = r#"{"type":["integer","boolean","object","array","null"]}"#;
    for (text, changed) in [
        ("8", false),
        (" 8 ", false),
        ("true", false),
        ("{\"a\": 1}", false),
        ("null", false),
        ("True", true),
        ("+8", true),
        ("8.0", true),
        ("None", true),
        ("{'a': 1}", true),
        ("", true),
    ] {
        assert_eq!(read(source, text).changed, changed, "{text:?}");
    }
    assert!(read(r#"{"type":"array"}"#, "x").changed);
}

#[test]
fn reports_of_rjson_come_along_with_offsets_in_the_text() {
    let typed = read(r#"{"type":"object"}"#, "  {\"k\":1,\"k\":2}");
    let codes: Vec<_> =
        typed.diagnostics.iter().map(|d| (d.code.as_str(), d.span.start, d.span.end)).collect();
    assert_eq!(codes, [("rjson::duplicate-key", 9, 12)]);
    let typed = read(r#"{"type":"object"}"#, "{k: NaN}");
    assert_eq!(typed.json, r#"{"k":null}"#);
    assert_eq!(typed.diagnostics.first().map(|d| d.code.as_str()), Some("rjson::non-finite"));
}

#[test]
fn depth_beyond_the_limit_of_json_is_no_container() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(r#"{"type":"object"}"#, &deep).problem.is_some());
    let source = r#"{"type":"array","items":{"type":"integer"}}"#;
    assert_eq!(read(source, &deep).json, common::string(&deep));
}

#[test]
fn messages_hold_no_value() {
    let typed = read(r#"{"type":["integer","null"]}"#, "secret");
    let problem = typed.problem.unwrap();
    assert_eq!(problem.message, "text of 6 bytes is none of: null, integer; kept as a string");
}

#[test]
fn text_declared_as_json_keeps_its_own_type() {
    let read = |source: &str, text: &str| {
        let typed = common::schema(source).root().read_text(text, TextStyle::Json);
        common::check(&typed, text);
        assert_eq!(typed.problem, None);
        typed.json
    };
    assert_eq!(read("{}", " 42 "), "42");
    assert_eq!(read("{}", "{\"a\": 1}"), "{\"a\": 1}");
    assert_eq!(read("{}", "\"a\\u0062\""), "\"a\\u0062\"");
    assert_eq!(read("{}", "plain"), "\"plain\"");
    assert_eq!(read(r#"{"type":"string"}"#, "42"), "\"42\"");
    assert_eq!(read(r#"{"type":"string"}"#, "\"q\""), "\"q\"");
    assert_eq!(read(r#"{"type":"integer"}"#, "3.0"), "3.0");
    assert_eq!(read(r#"{"type":"integer"}"#, "+3"), "3");
    assert_eq!(read(r#"{"type":"array","items":{"type":"integer"}}"#, "3"), "[3]");
}
