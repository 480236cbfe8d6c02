//! Values by their target type: what becomes of each, by which rule, at what loss.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use common::{fits, fits_with, guess};
use toolweir_schema_coerce::{Loss, Policy, Rule};

/// The rules used and their classes, by path.
fn changes(schema: &str, value: &str) -> Vec<(String, Rule, Loss)> {
    let coerced = common::schema(schema).coerce(common::value(value), &guess()).unwrap();
    coerced.changes.into_iter().map(|c| (c.path, c.rule, c.loss)).collect()
}

#[test]
fn a_value_that_validates_comes_back_bit_for_bit() {
    fits(r#"{"type":"integer"}"#, &[("3.0", "3.0"), ("1e2", "1e2"), ("-0", "-0")]);
    fits(r#"{"type":"string"}"#, &[(r#"" null ""#, r#"" null ""#), (r#""""#, r#""""#)]);
    fits("{}", &[(r#"{"b":1,"a":"8"}"#, r#"{"b":1,"a":"8"}"#)]);
}

#[test]
fn numbers_are_read_exactly_or_not_at_all() {
    let digits = "9".repeat(400);
    let quoted = format!("\"{digits}\"");
    fits(
        r#"{"type":"number"}"#,
        &[
            (r#""8""#, "8"),
            (r#""4e-2""#, "4e-2"),
            (r#""+8""#, "8"),
            (r#"".75""#, "0.75"),
            (r#"" 6. ""#, "6.0"),
            (&quoted, &digits),
            (r#""09""#, "!Number"),
            (r#""3e400""#, "!Number"),
            (r#""0x10""#, "!Type"),
            (r#""9,500""#, "!Type"),
            (r#""""#, "!Type"),
            (r#""NaN""#, "!Type"),
            ("true", "!Type"),
            ("null", "!Type"),
        ],
    );
    fits(
        r#"{"type":"integer"}"#,
        &[
            (r#""6.0""#, "6"),
            (r#""5e2""#, "500"),
            (r#""6.5""#, "!Number"),
            ("6.5", "!Number"),
            (r#""9007199254740993""#, "9007199254740993"),
            (r#""1e5000""#, "!Number"),
        ],
    );
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        fits(&format!(r#"{{"{bound}":3,"{exclusive}":true}}"#), &[("3", "!Range")]);
    }
    assert_eq!(changes(r#"{"type":"number"}"#, r#""8""#)[0].2, Loss::None);
    assert_eq!(changes(r#"{"type":"number"}"#, r#""+8""#)[0].2, Loss::Format);
}

#[test]
fn booleans_are_two_words_and_guesses_more() {
    let schema = r#"{"type":"boolean"}"#;
    fits(
        schema,
        &[
            (r#""true""#, "true"),
            (r#"" FALSE ""#, "false"),
            (r#""yes""#, "!LossNotAllowed { rule: Boolean }"),
            ("1", "!LossNotAllowed { rule: Boolean }"),
            (r#""""#, "!Type"),
            ("null", "!Type"),
        ],
    );
    fits_with(schema, &guess(), &[(r#""yes""#, "true"), ("0", "false"), (r#""off""#, "false")]);
}

#[test]
fn null_is_read_where_no_other_branch_takes_the_text() {
    fits(
        r#"{"type":["integer","null"]}"#,
        &[(r#""null""#, "null"), (r#""None""#, "null"), (r#""""#, "!Type")],
    );
    fits(r#"{"type":["string","null"]}"#, &[(r#""null""#, r#""null""#)]);
    fits(r#"{"type":"integer","nullable":true}"#, &[("null", "null"), (r#""None""#, "null")]);
}

#[test]
fn strings_take_the_text_of_anything_but_null() {
    fits(
        r#"{"type":"string"}"#,
        &[
            ("2.50", r#""2.50""#),
            ("true", r#""true""#),
            ("[1, {\"a\": null}]", r#""[1,{\"a\":null}]""#),
            (r##"{"#text":5}"##, r#""5""#),
            (r#"{"value":"a"}"#, r#""a""#),
            (r#"{"value":"a","lang":"en"}"#, r#""{\"value\":\"a\",\"lang\":\"en\"}""#),
            ("null", "!Type"),
        ],
    );
}

#[test]
fn lists_come_of_text_in_the_published_order() {
    let numbers = r#"{"type":"array","items":{"type":"number"}}"#;
    fits(
        numbers,
        &[
            (r#""[1, 2]""#, "[1,2]"),
            (r#""['3', 4,]""#, "[3,4]"),
            (r#""4""#, "[4]"),
            (r#""""#, "[]"),
            (r#""1\n2""#, "[1,2]"),
            (r#""[1, \"x\"]""#, "!Type"),
            ("5", "[5]"),
            ("null", "!Type"),
            (r#"[1,"x"]"#, "!Type"),
        ],
    );
    let strings = r#"{"type":"array","items":{"type":"string"}}"#;
    fits(
        strings,
        &[
            (r#""x, y""#, r#"["x, y"]"#),
            (r#""""#, r#"[""]"#),
            (r#""a\nb""#, r#"["a\nb"]"#),
            (r#""[1,2]""#, r#"["1","2"]"#),
            (r#""{}""#, r#"["{}"]"#),
        ],
    );
    fits_with(numbers, &guess(), &[(r#""1, 2""#, "[1,2]")]);
    fits(r#"{"type":"array","items":{"type":"object"}}"#, &[(r#""{\"a\":1}""#, r#"[{"a":1}]"#)]);
}

#[test]
fn lists_come_of_objects_in_the_published_order() {
    let rows = r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},
        "b":{"type":"integer"}},"additionalProperties":false}}"#;
    fits(
        rows,
        &[
            (r#"{"item":{"a":"x"}}"#, r#"[{"a":"x"}]"#),
            (r#"{"item":[{"a":"x"},{"b":"1"}]}"#, r#"[{"a":"x"},{"b":1}]"#),
            (r#"{"1":{"a":"y"},"0":{"a":"x"}}"#, r#"[{"a":"x"},{"a":"y"}]"#),
            (r#"{"a":"x","b":1}"#, r#"[{"a":"x","b":1}]"#),
            (r#"{"row":[{"a":"x"}]}"#, r#"[{"a":"x"}]"#),
            (r#"{"a":["x","y"],"b":["1","2"]}"#, r#"[{"a":"x","b":1},{"a":"y","b":2}]"#),
            (r#"{"a":"x","b":"1"}"#, r#"[{"a":"x","b":1}]"#),
        ],
    );
    assert_eq!(changes(rows, r#"{"row":[{"a":"x"}]}"#)[0].1, Rule::OneKey);
    // Members that take lists are no columns.
    fits(
        r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"array"},
            "b":{"type":"array"}}}}"#,
        &[(r#"{"a":[1,2],"b":[3,4]}"#, r#"[{"a":[1,2],"b":[3,4]}]"#)],
    );
    let tuple = r#"{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}]}"#;
    fits(tuple, &[(r#"{"item":["1",2]}"#, r#"[1,"2"]"#), (r#"["1",2,"3"]"#, r#"[1,"2","3"]"#)]);
}

#[test]
fn objects_come_of_text_and_of_lists_of_one() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"},
        "b":{"type":"array","items":{"type":"string"}}}}"#;
    fits(
        schema,
        &[
            (r#""{\"a\": \"1\"}""#, r#"{"a":1}"#),
            (r#""\"{\\\"a\\\":1}\"""#, r#"{"a":1}"#),
            (r#""{'a': '1'}""#, r#"{"a":1}"#),
            (r#""<a>1</a>\n<b>x &amp; y</b><b>z</b>""#, r#"{"a":1,"b":["x & y","z"]}"#),
            (r#""<c>1</c>""#, "!Type"),
            (r#""<a>1</a><a>2</a>""#, "!Type"),
            (r#"[{"a":"1"}]"#, r#"{"a":1}"#),
            (r#"[{"a":1},{"a":2}]"#, "!Type"),
            (r#""a: 1""#, "!LossNotAllowed { rule: KeyLines }"),
        ],
    );
    fits_with(schema, &guess(), &[(r#""a: 1\nb: x""#, r#"{"a":1,"b":["x"]}"#)]);
}

#[test]
fn scalars_are_unwrapped_only_when_nothing_is_lost() {
    fits(
        r#"{"type":"integer"}"#,
        &[
            (r#"{"value":"7"}"#, "7"),
            (r#"["7"]"#, "7"),
            (r#"{"value":"7","unit":"cm"}"#, "!Type"),
            (r#"["7","8"]"#, "!Type"),
            (r#"{"n":7}"#, "!LossNotAllowed { rule: Unwrap }"),
        ],
    );
    let mut policy = Policy::default();
    policy.text_node_name = "_".into();
    fits_with(r#"{"type":"integer"}"#, &policy, &[(r#"{"_":"7"}"#, "7")]);
}
