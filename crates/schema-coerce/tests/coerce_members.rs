//! Literals, names, nulls, unions and what holds together.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use common::{fits, fits_with, guess};
use toolweir_schema_coerce::{NullOptional, Policy, Undeclared};

#[test]
fn literals_are_found_by_blanks_quotes_and_type() {
    let schema = r#"{"enum":["today","1d",6,7,null,"Aa","aA"]}"#;
    fits(
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
    fits(r#"{"enum":["a b"]}"#, &[(r#""ab""#, "!Enum")]);
    fits(r#"{"enum":[1.5,[1],{"a":1}]}"#, &[(r#""1.5""#, "1.5"), (r#""[1]""#, "[1]")]);
    fits(
        r#"{"const":{"a":1}}"#,
        &[(r#""{'a': 1}""#, r#"{"a":1}"#), (r#"{"a":1.0}"#, r#"{"a":1.0}"#)],
    );
    fits_with(schema, &guess(), &[(r#""TODAY""#, r#""today""#)]);
}

#[test]
fn names_of_closed_objects_are_repaired_when_in_no_doubt() {
    let closed = r#"{"type":"object","properties":{"user_name":{"type":"string"},
        "filters":{"type":"array"},"limit":{"type":"integer"}},"additionalProperties":false}"#;
    fits(
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
    fits(twins, &[(r#"{"COLOUR":1}"#, "!AmbiguousKey")]);
    let mut policy = Policy::default();
    policy.undeclared = Undeclared::Drop;
    fits_with(closed, &policy, &[(r#"{"zzz":1,"limit":"5"}"#, r#"{"limit":5}"#)]);
    fits(r#"{"properties":{"user_name":{}}}"#, &[(r#"{"userName":1}"#, r#"{"userName":1}"#)]);
}

#[test]
fn nulls_of_optional_members_go_or_stay() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},
        "required":["a"]}"#;
    fits(schema, &[(r#"{"a":"x","b":null}"#, r#"{"a":"x"}"#), (r#"{"a":null}"#, "!Type")]);
    let mut policy = Policy::default();
    policy.null_optional = NullOptional::Keep;
    fits_with(
        schema,
        &policy,
        &[(r#"{"a":1,"b":null}"#, r#"{"a":"1","b":null}"#), (r#"{"a":null}"#, "!Type")],
    );
    // What validates is not touched, though with the null left standing both branches fit.
    let both = r#"{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}]}"#;
    fits_with(both, &policy, &[(r#"{"a":null}"#, r#"{"a":null}"#)]);
}

#[test]
fn unions_take_the_cheapest_branch_and_ties_are_errors() {
    fits(r#"{"type":["integer","string"]}"#, &[(r#""4""#, r#""4""#)]);
    fits(r#"{"type":["integer","boolean"]}"#, &[(r#""4""#, "4")]);
    fits(r#"{"anyOf":[{"type":"number"},{"type":"null"}]}"#, &[(r#""5""#, "5")]);
    fits(
        r#"{"oneOf":[
            {"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind"]},
            {"type":"object","properties":{"kind":{"const":"b"},"n":{"type":"string"}},"required":["kind"]}]}"#,
        &[
            (r#"{"kind":"b","n":8}"#, r#"{"kind":"b","n":"8"}"#),
            (r#"{"kind":"a","n":"8"}"#, r#"{"kind":"a","n":8}"#),
        ],
    );
    // A later branch that costs less.
    fits(
        r#"{"type":"object","anyOf":[{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},
            {"properties":{"a":{"type":"integer"}}}]}"#,
        &[(r#"{"a":"1","b":"2"}"#, r#"{"a":1,"b":"2"}"#)],
    );
    fits(
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},
            {"type":"object","properties":{"A":{"type":"string"}},"required":["A"],"additionalProperties":false}]}"#,
        &[(r#"{"_a":"x"}"#, "!Ambiguous")],
    );
}

#[test]
fn all_parts_conditions_and_references_hold() {
    fits(
        r##"{"allOf":[{"properties":{"a":{"type":"integer"}}},{"$ref":"#/$defs/B"}],"type":"object",
            "$defs":{"B":{"properties":{"b":{"type":"boolean"}}}}}"##,
        &[(r#""{\"a\":\"1\",\"b\":\"true\"}""#, r#"{"a":1,"b":true}"#)],
    );
    fits(
        r#"{"type":"object","if":{"properties":{"k":{"const":"n"}}},
            "then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"string"}}}}"#,
        &[
            (r#"{"k":"n","v":"1"}"#, r#"{"k":"n","v":1}"#),
            (r#"{"k":"s","v":1}"#, r#"{"k":"s","v":"1"}"#),
        ],
    );
    for keyword in ["dependentSchemas", "dependencies"] {
        fits(
            &format!(
                r#"{{"{keyword}":{{"k":{{"properties":{{"v":{{"type":"integer"}}}},"required":["v"]}}}}}}"#
            ),
            &[
                (r#"{"k":1,"v":"1"}"#, r#"{"k":1,"v":1}"#),
                (r#"{"v":"1"}"#, r#"{"v":"1"}"#),
                (r#"{"k":1}"#, "!Required"),
            ],
        );
    }
    fits(
        r##"{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"n":{"type":"integer"},
            "kids":{"type":"array","items":{"$ref":"#/$defs/T"}}}}}}"##,
        &[(r#"{"n":"1","kids":{"n":"2","kids":"[]"}}"#, r#"{"n":1,"kids":[{"n":2,"kids":[]}]}"#)],
    );
    // A list of itself never ends in a number.
    fits(r##"{"type":"array","items":{"$ref":"#"}}"##, &[("5", "!Type"), ("[[]]", "[[]]")]);
}

#[cfg(feature = "regex")]
#[test]
fn members_are_held_by_every_pattern_that_matches() {
    fits(
        r#"{"type":"object","patternProperties":{"^f":{"type":"number"}},"additionalProperties":{"type":"string"}}"#,
        &[(r#"{"foo":"1","bar":2}"#, r#"{"foo":1,"bar":"2"}"#)],
    );
    fits(
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
