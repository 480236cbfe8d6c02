//! The rules one by one: what becomes of a value, by which rule, at what loss.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use toolweir_rjson::{Mode, Options, Value, parse_with, to_string};
use toolweir_schema_coerce::{CoerceErrorKind, Loss, NullOptional, Policy, Rule, Undeclared};

fn guess() -> Policy {
    let mut policy = Policy::default();
    policy.allow = Loss::Guess;
    policy
}

/// Rows of value and result; `!Kind` is an error of that kind.
fn table_with(schema: &str, policy: &Policy, rows: &[(&str, &str)]) {
    let compiled = common::schema(schema);
    for (value, expected) in rows {
        let found = match compiled.coerce(common::value(value), policy) {
            Ok(coerced) => to_string(&coerced.value),
            Err(error) => format!("!{:?}", error.kind),
        };
        assert_eq!(found, *expected, "{value} by {schema}");
    }
}

fn table(schema: &str, rows: &[(&str, &str)]) {
    table_with(schema, &Policy::default(), rows);
}

/// The rules used and their classes, by path.
fn changes(schema: &str, value: &str) -> Vec<(String, Rule, Loss)> {
    let coerced = common::schema(schema).coerce(common::value(value), &guess()).unwrap();
    coerced.changes.into_iter().map(|c| (c.path, c.rule, c.loss)).collect()
}

#[test]
fn a_value_that_validates_comes_back_bit_for_bit() {
    table(r#"{"type":"integer"}"#, &[("3.0", "3.0"), ("1e2", "1e2"), ("-0", "-0")]);
    table(r#"{"type":"string"}"#, &[(r#"" null ""#, r#"" null ""#), (r#""""#, r#""""#)]);
    table("{}", &[(r#"{"b":1,"a":"8"}"#, r#"{"b":1,"a":"8"}"#)]);
}

#[test]
fn numbers_are_read_exactly_or_not_at_all() {
    let digits = "9".repeat(400);
    let quoted = format!("\"{digits}\"");
    table(
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
    table(
        r#"{"type":"integer"}"#,
        &[
            (r#""6.0""#, "6"),
            (r#""5e2""#, "500"),
            (r#""6.5""#, "!Number"),
            ("6.5", "!Number"),
            (r#""9007199254740993""#, "9007199254740993"),
        ],
    );
    assert_eq!(changes(r#"{"type":"number"}"#, r#""8""#)[0].2, Loss::None);
    assert_eq!(changes(r#"{"type":"number"}"#, r#""+8""#)[0].2, Loss::Format);
}

#[test]
fn booleans_are_two_words_and_guesses_more() {
    let schema = r#"{"type":"boolean"}"#;
    table(
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
    table_with(schema, &guess(), &[(r#""yes""#, "true"), ("0", "false"), (r#""off""#, "false")]);
}

#[test]
fn null_is_read_where_no_other_branch_takes_the_text() {
    table(
        r#"{"type":["integer","null"]}"#,
        &[(r#""null""#, "null"), (r#""None""#, "null"), (r#""""#, "!Type")],
    );
    table(r#"{"type":["string","null"]}"#, &[(r#""null""#, r#""null""#)]);
    table(r#"{"type":"integer","nullable":true}"#, &[("null", "null"), (r#""None""#, "null")]);
}

#[test]
fn strings_take_the_text_of_anything_but_null() {
    table(
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
    table(
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
    table(
        strings,
        &[
            (r#""x, y""#, r#"["x, y"]"#),
            (r#""""#, r#"[""]"#),
            (r#""a\nb""#, r#"["a\nb"]"#),
            (r#""[1,2]""#, r#"["1","2"]"#),
            (r#""{}""#, r#"["{}"]"#),
        ],
    );
    table_with(numbers, &guess(), &[(r#""1, 2""#, "[1,2]")]);
    table(r#"{"type":"array","items":{"type":"object"}}"#, &[(r#""{\"a\":1}""#, r#"[{"a":1}]"#)]);
}

#[test]
fn lists_come_of_objects_in_the_published_order() {
    let rows = r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},
        "b":{"type":"integer"}},"additionalProperties":false}}"#;
    table(
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
    let tuple = r#"{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}]}"#;
    table(tuple, &[(r#"{"item":["1",2]}"#, r#"[1,"2"]"#), (r#"["1",2,"3"]"#, r#"[1,"2","3"]"#)]);
}

#[test]
fn objects_come_of_text_and_of_lists_of_one() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"},
        "b":{"type":"array","items":{"type":"string"}}}}"#;
    table(
        schema,
        &[
            (r#""{\"a\": \"1\"}""#, r#"{"a":1}"#),
            (r#""\"{\\\"a\\\":1}\"""#, r#"{"a":1}"#),
            (r#""{'a': '1'}""#, r#"{"a":1}"#),
            (r#""<a>1</a>\n<b>x &amp; y</b><b>z</b>""#, r#"{"a":1,"b":["x & y","z"]}"#),
            (r#""<c>1</c>""#, "!Type"),
            (r#"[{"a":"1"}]"#, r#"{"a":1}"#),
            (r#"[{"a":1},{"a":2}]"#, "!Type"),
            (r#""a: 1""#, "!LossNotAllowed { rule: KeyLines }"),
        ],
    );
    table_with(schema, &guess(), &[(r#""a: 1\nb: x""#, r#"{"a":1,"b":["x"]}"#)]);
}

#[test]
fn scalars_are_unwrapped_only_when_nothing_is_lost() {
    table(
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
    table_with(r#"{"type":"integer"}"#, &policy, &[(r#"{"_":"7"}"#, "7")]);
}

#[test]
fn literals_are_found_by_blanks_quotes_and_type() {
    let schema = r#"{"enum":["today","1d",6,7,null,"Aa","aA"]}"#;
    table(
        schema,
        &[
            (r#""to day""#, r#""today""#),
            (r#""'today'""#, r#""today""#),
            (r#"" today ""#, r#""today""#),
            (r#""7""#, "7"),
            (r#""None""#, "null"),
            (r#""1 d""#, r#""1d""#),
            (r#""tod""#, "!Enum"),
            (r#""TODAY""#, "!LossNotAllowed { rule: Enum }"),
            (r#""AA""#, "!Enum"),
        ],
    );
    table(r#"{"enum":["a b"]}"#, &[(r#""ab""#, "!Enum")]);
    table(
        r#"{"const":{"a":1}}"#,
        &[(r#""{'a': 1}""#, r#"{"a":1}"#), (r#"{"a":1.0}"#, r#"{"a":1.0}"#)],
    );
    table_with(schema, &guess(), &[(r#""TODAY""#, r#""today""#)]);
}

#[test]
fn names_of_closed_objects_are_mended_when_in_no_doubt() {
    let closed = r#"{"type":"object","properties":{"user_name":{"type":"string"},
        "filters":{"type":"array"},"limit":{"type":"integer"}},"additionalProperties":false}"#;
    table(
        closed,
        &[
            (r#"{"userName":"x"}"#, r#"{"user_name":"x"}"#),
            (r#"{"filter":[1]}"#, r#"{"filters":[1]}"#),
            (r#"{"limits":"5"}"#, "!UnknownKey"),
            (r#"{"zzz":1}"#, "!UnknownKey"),
            (r#"{"userName":"x","user-name":"y"}"#, "!AmbiguousKey"),
        ],
    );
    let twins = r#"{"properties":{"colour":{},"Colour":{}},"additionalProperties":false}"#;
    table(twins, &[(r#"{"COLOUR":1}"#, "!AmbiguousKey")]);
    let mut policy = Policy::default();
    policy.undeclared = Undeclared::Drop;
    table_with(closed, &policy, &[(r#"{"zzz":1,"limit":"5"}"#, r#"{"limit":5}"#)]);
    table(r#"{"properties":{"user_name":{}}}"#, &[(r#"{"userName":1}"#, r#"{"userName":1}"#)]);
}

#[test]
fn nulls_of_optional_members_go_or_stay() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},
        "required":["a"]}"#;
    table(schema, &[(r#"{"a":"x","b":null}"#, r#"{"a":"x"}"#), (r#"{"a":null}"#, "!Type")]);
    let mut policy = Policy::default();
    policy.null_optional = NullOptional::Keep;
    table_with(
        schema,
        &policy,
        &[(r#"{"a":1,"b":null}"#, r#"{"a":"1","b":null}"#), (r#"{"a":null}"#, "!Type")],
    );
    // What validates is not touched, though with the null left standing both branches fit.
    let both = r#"{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}]}"#;
    table_with(both, &policy, &[(r#"{"a":null}"#, r#"{"a":null}"#)]);
}

#[test]
fn unions_take_the_cheapest_branch_and_ties_are_errors() {
    table(r#"{"type":["integer","string"]}"#, &[(r#""4""#, r#""4""#)]);
    table(r#"{"type":["integer","boolean"]}"#, &[(r#""4""#, "4")]);
    table(r#"{"anyOf":[{"type":"number"},{"type":"null"}]}"#, &[(r#""5""#, "5")]);
    table(
        r#"{"oneOf":[
            {"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind"]},
            {"type":"object","properties":{"kind":{"const":"b"},"n":{"type":"string"}},"required":["kind"]}]}"#,
        &[
            (r#"{"kind":"b","n":8}"#, r#"{"kind":"b","n":"8"}"#),
            (r#"{"kind":"a","n":"8"}"#, r#"{"kind":"a","n":8}"#),
        ],
    );
    table(
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},
            {"type":"object","properties":{"A":{"type":"string"}},"required":["A"],"additionalProperties":false}]}"#,
        &[(r#"{"_a":"x"}"#, "!Ambiguous")],
    );
}

#[test]
fn all_parts_conditions_and_references_hold() {
    table(
        r##"{"allOf":[{"properties":{"a":{"type":"integer"}}},{"$ref":"#/$defs/B"}],"type":"object",
            "$defs":{"B":{"properties":{"b":{"type":"boolean"}}}}}"##,
        &[(r#""{\"a\":\"1\",\"b\":\"true\"}""#, r#"{"a":1,"b":true}"#)],
    );
    table(
        r#"{"type":"object","if":{"properties":{"k":{"const":"n"}}},
            "then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"string"}}}}"#,
        &[
            (r#"{"k":"n","v":"1"}"#, r#"{"k":"n","v":1}"#),
            (r#"{"k":"s","v":1}"#, r#"{"k":"s","v":"1"}"#),
        ],
    );
    table(
        r##"{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"n":{"type":"integer"},
            "kids":{"type":"array","items":{"$ref":"#/$defs/T"}}}}}}"##,
        &[(r#"{"n":"1","kids":{"n":"2","kids":"[]"}}"#, r#"{"n":1,"kids":[{"n":2,"kids":[]}]}"#)],
    );
    // A list of itself never ends in a number.
    table(r##"{"type":"array","items":{"$ref":"#"}}"##, &[("5", "!Type"), ("[[]]", "[[]]")]);
}

#[test]
fn what_is_never_mended_is_a_typed_error_with_its_paths() {
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

#[test]
fn every_rule_has_a_code_of_its_own() {
    let codes: std::collections::BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    assert_eq!(codes.len(), Rule::ALL.len());
}

#[cfg(feature = "regex")]
#[test]
fn members_are_held_by_every_pattern_that_matches() {
    table(
        r#"{"type":"object","patternProperties":{"^f":{"type":"number"}},"additionalProperties":{"type":"string"}}"#,
        &[(r#"{"foo":"1","bar":2}"#, r#"{"foo":1,"bar":"2"}"#)],
    );
    table(
        r#"{"type":"string","pattern":"^a+$"}"#,
        &[(r#""b""#, "!Pattern"), (r#""aa""#, r#""aa""#)],
    );
}

#[cfg(not(feature = "regex"))]
#[test]
fn patterns_are_notes_without_their_feature() {
    let compiled = common::compile(r#"{"pattern":"^a","patternProperties":{"^x":{}}}"#).unwrap();
    let paths: Vec<_> = compiled.notes.iter().map(|note| note.schema_path.as_str()).collect();
    assert_eq!(paths, ["/pattern", "/patternProperties/^x"]);
}
