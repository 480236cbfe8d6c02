//! Bare text by unions, literals, references and combinators.

mod common;
use common::table;

#[test]
fn other_types_are_tried_before_string() {
    table(
        r#"{"type":["string","integer"]}"#,
        &[
            ("42", "42"),
            ("-7", "-7"),
            (" 42 ", "42"),
            ("2 dollars", r#""2 dollars""#),
            ("", r#""""#),
            (" x ", r#"" x ""#),
        ],
    );
    table(
        r#"{"type":["string","null"]}"#,
        &[
            ("null", "null"),
            ("None", "null"),
            ("hello world", r#""hello world""#),
            ("8080", r#""8080""#),
        ],
    );
    table(r#"{"type":["string","boolean"]}"#, &[("True", "true"), ("yes", r#""yes""#)]);
    table(
        r#"{"type":["string","object"]}"#,
        &[
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("{'a': 1}", r#"{"a":1}"#),
            ("{not valid json", r#""{not valid json""#),
            ("", r#""""#),
            ("[1]", r#""[1]""#),
        ],
    );
    table(
        r#"{"type":["array","string"],"items":{"type":"string"}}"#,
        &[("[\"a\"]", "[\"a\"]"), ("a", r#""a""#), ("", r#""""#)],
    );
    table(r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, &[("null", r#""null""#)]);
}

#[test]
fn where_a_string_is_allowed_a_number_must_be_spelled_as_json_does() {
    table(
        r#"{"type":["integer","string"]}"#,
        &[
            ("007", r#""007""#),
            ("+4912", r#""+4912""#),
            ("3.0", r#""3.0""#),
            ("5e2", r#""5e2""#),
            ("-0", "-0"),
        ],
    );
    table(
        r#"{"type":["number","string"]}"#,
        &[
            ("3.0", "3.0"),
            ("5e2", "5e2"),
            ("6.", r#""6.""#),
            (".5", r#"".5""#),
            ("1e400", r#""1e400""#),
            ("1.10.2", r#""1.10.2""#),
        ],
    );
}

#[test]
fn the_order_of_a_union_decides_between_integer_and_number() {
    table(r#"{"type":["integer","number"]}"#, &[("3.0", "3"), ("3.5", "3.5"), ("+3", "3")]);
    table(r#"{"type":["number","integer"]}"#, &[("3.0", "3.0"), ("3", "3")]);
    table(r#"{"anyOf":[{"type":"integer"},{"type":"number"}]}"#, &[("3.0", "3")]);
    table(r#"{"anyOf":[{"type":"number"},{"type":"integer"}]}"#, &[("3.0", "3.0")]);
    table(r#"{"allOf":[{"type":"number"},{"type":"integer"}]}"#, &[("3.0", "3")]);
}

#[test]
fn the_order_of_a_union_decides_what_blank_text_is() {
    table(r#"{"type":["array","object"]}"#, &[("", "[]")]);
    table(r#"{"type":["object","array"]}"#, &[("", "{}")]);
    table(r#"{"oneOf":[{"type":"array"},{"type":"object"}]}"#, &[(" ", "[]")]);
    table(r#"{"type":["object","null"]}"#, &[("", "{}"), ("None", "null")]);
}

#[test]
fn an_exact_type_comes_before_one_entry_of_an_array() {
    let source = r#"{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"boolean"}]}"#;
    table(source, &[("true", "true"), ("5", "[5]"), ("[5]", "[5]"), ("x", "!coerce::type")]);
    let source = r#"{"anyOf":[
        {"type":"array","items":{"type":"integer"}},
        {"type":"array","items":{"type":"boolean"}}]}"#;
    table(source, &[("5", "[5]"), ("True", "[true]"), ("x", "!coerce::type")]);
}

#[test]
fn nullable_adds_null() {
    table(r#"{"type":"integer","nullable":true}"#, &[("null", "null"), ("5", "5")]);
    table(r#"{"type":"string","nullable":true}"#, &[("None", "null"), ("x", r#""x""#)]);
    table(r#"{"type":"string","enum":["a"],"nullable":true}"#, &[("null", "null")]);
    table(r#"{"type":"string","nullable":false}"#, &[("null", r#""null""#)]);
    let source = r##"{"$ref":"#/$defs/S","nullable":true,"$defs":{"S":{"type":"boolean"}}}"##;
    table(source, &[("null", "null"), ("true", "true")]);
}

#[test]
fn literals_that_are_not_strings_must_be_met() {
    table(
        r#"{"enum":[1,2,2.5]}"#,
        &[
            ("1", "1"),
            (" 2 ", "2"),
            ("2.50", "2.50"),
            ("3", "!coerce::enum"),
            ("x", "!coerce::type"),
        ],
    );
    table(r#"{"enum":[6,7]}"#, &[("7.0", "7"), ("+6", "6")]);
    table(r#"{"type":"integer","enum":[1,2]}"#, &[("2", "2"), ("3", "!coerce::enum")]);
    table(r#"{"const":true}"#, &[("True", "true"), ("false", "!coerce::enum")]);
    table(
        r#"{"enum":[{"a":1.0},[]]}"#,
        &[
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("{'a':1}", r#"{"a":1}"#),
            ("", "!coerce::enum"),
            ("[]", "[]"),
            ("{\"a\":2}", "!coerce::enum"),
            ("1", "!coerce::type"),
        ],
    );
    table(r#"{"enum":["a",1],"const":1}"#, &[("1", "1"), ("a", "!coerce::type")]);
    table(r#"{"type":"array","enum":[["a"]]}"#, &[("a", "!coerce::type"), ("[\"a\"]", "[\"a\"]")]);
}

#[test]
fn literals_beside_strings_come_first() {
    table(
        r#"{"enum":["auto",1,null,true]}"#,
        &[
            ("auto", r#""auto""#),
            ("1", "1"),
            ("null", "null"),
            ("True", "true"),
            ("2", r#""2""#),
            ("other", r#""other""#),
        ],
    );
    table(r#"{"anyOf":[{"type":"string"},{"const":5}]}"#, &[("5", "5"), ("7", r#""7""#)]);
    let source = r#"{"anyOf":[{"type":"string"},{"const":5},{"type":"boolean"}]}"#;
    table(source, &[("5", "5"), ("7", r#""7""#), ("true", "true")]);
}

#[test]
fn nested_combinators_are_seen_through() {
    let source = r#"{"anyOf":[{"oneOf":[{"anyOf":[{"type":"integer"}]},{"type":"null"}]}]}"#;
    table(source, &[("5", "5"), ("None", "null"), ("x", "!coerce::type")]);
    table(
        r#"{"allOf":[{"type":["integer","string"]},{"type":["string","null"]}]}"#,
        &[("5", r#""5""#), ("null", r#""null""#)],
    );
    table(
        r#"{"type":["integer","boolean"],"anyOf":[{"type":"integer"},{"type":"string"}]}"#,
        &[("5", "5"), ("true", "!coerce::type")],
    );
    table(r#"{"anyOf":[{},{"type":"integer"}]}"#, &[("5", "5"), ("x", r#""x""#)]);
}

#[test]
fn references_are_followed() {
    let source = r##"{
        "properties": {
            "a": {"$ref": "#/$defs/A"},
            "b": {"$ref": "#/definitions/B~1x"},
            "c": {"$ref": "#/$defs/Chain"},
            "d": {"$ref": "#/properties/a", "description": "the same"},
            "e": {"$ref": "#/$defs/List/anyOf/1"},
            "f": {"$ref": "#/$defs/with%20blank"}
        },
        "$defs": {
            "A": {"type": "integer"},
            "Chain": {"$ref": "#/$defs/Link"},
            "Link": {"$ref": "#/$defs/A"},
            "List": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "with blank": {"type": "number"}
        },
        "definitions": {"B/x": {"type": "boolean"}}
    }"##;
    let schema = common::schema(source);
    let read = |key: &str, text: &str| {
        let node = schema.root().member(key).node().unwrap();
        node.read_text(text, toolweir_schema_coerce::TextStyle::Bare).json
    };
    assert_eq!(read("a", "5"), "5");
    assert_eq!(read("b", "True"), "true");
    assert_eq!(read("c", "5"), "5");
    assert_eq!(read("d", "5"), "5");
    assert_eq!(read("e", "None"), "null");
    assert_eq!(read("f", ".5"), "0.5");
}

#[test]
fn keywords_of_one_type_stand_for_it_beside_string() {
    table(
        r#"{"properties":{"a":{}}}"#,
        &[("{\"a\":1}", "{\"a\":1}"), ("hello", r#""hello""#), ("", r#""""#), ("5", r#""5""#)],
    );
    table(r#"{"items":{"type":"integer"}}"#, &[("[1]", "[1]"), ("5", r#""5""#)]);
    table(r#"{"minimum":0}"#, &[("5", "5"), ("x", r#""x""#)]);
    table(r#"{"type":"string","minimum":0}"#, &[("5", r#""5""#)]);
}
