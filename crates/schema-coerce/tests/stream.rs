//! Coercion of a value that is still coming.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use common::generate::{policies, subschemas, values};
use proptest::prelude::*;
use toolweir_rjson::{Machine, Mode, Options, Value, parse};
use toolweir_schema_coerce::{
    NullOptional, Piece, Policy, Schema, SchemaLimits, StreamCoercer, Undeclared,
};

/// What came out: the wire text, the rules used, the problems.
#[derive(Debug, Default, PartialEq, Eq)]
struct Out {
    wire: String,
    changes: Vec<String>,
    problems: Vec<String>,
}

fn compile(schema: &str) -> Schema {
    Schema::compile(&common::value(schema), &SchemaLimits::default()).unwrap().schema
}

/// Runs chunks; `each` sees what is out after each of them.
fn run(schema: &Schema, policy: &Policy, chunks: &[&str], mut each: impl FnMut(&str)) -> Out {
    let mut coercer = StreamCoercer::new(schema, policy.clone());
    let mut machine = Machine::new(Options::new(Mode::Relaxed));
    let mut out = Out::default();
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Token(_, wire) => out.wire.push_str(wire),
        Piece::Changed(change) => {
            out.changes.push(format!("{} {}", change.rule.as_str(), change.path));
        }
        Piece::Problem(error) => {
            out.problems.push(format!("{} {}", error.kind.as_str(), error.instance_path));
        }
        _ => {}
    };
    let mut seen = String::new();
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(token) = machine.next(&mut input).unwrap() {
            coercer.token(&token.kind, token.wire, &mut |piece| {
                if let Piece::Token(_, wire) = &piece {
                    seen.push_str(wire);
                }
                take(piece);
            });
        }
        each(&seen);
    }
    while let Some(token) = machine.finish().unwrap() {
        coercer.token(&token.kind, token.wire, &mut take);
    }
    assert_eq!(coercer.held_bytes(), 0);
    out
}

fn keep() -> Policy {
    let mut policy = Policy::default();
    policy.null_optional = NullOptional::Keep;
    policy
}

fn whole(schema: &str, text: &str) -> Out {
    run(&compile(schema), &keep(), &[text], |_| {})
}

const TOOL: &str = r#"{"type":"object","properties":{
    "text":{"type":"string"},
    "shafts":{"type":"integer"},
    "mode":{"enum":["plain","twill"]},
    "hues":{"type":"array","items":{"type":"string"}},
    "opts":{"type":"object","properties":{"deep":{"type":"boolean"}},"required":["deep"]},
    "either":{"anyOf":[{"type":"integer"},{"type":"object"}]}
},"required":["text"]}"#;

#[test]
fn strings_pass_as_they_come_and_other_values_wait() {
    let mut shown = Vec::new();
    let chunks = [r#"{"text": "a tw"#, r#"ill", "shafts": "8"#, r#"", "mode": "'twi"#, r#"ll'"}"#];
    let out = run(&compile(TOOL), &keep(), &chunks, |seen| shown.push(seen.to_owned()));
    assert_eq!(shown[0], r#"{"text": "a tw"#);
    assert_eq!(shown[1], r#"{"text": "a twill", "shafts": "#);
    assert_eq!(out.wire, r#"{"text": "a twill", "shafts": 8, "mode": "twill"}"#);
    assert_eq!(out.changes, ["number-from-text /shafts", "enum-member /mode"]);
    assert!(out.problems.is_empty());
}

#[test]
fn a_value_that_fits_keeps_its_source() {
    let text = r#"{ "text":"a" ,"shafts" : 6.0,"hues":[ "a\u0041" ],"opts":{"deep" : true},"either":{ "x" :1}}"#;
    assert_eq!(whole(TOOL, text), Out { wire: text.into(), ..Out::default() });
}

#[test]
fn members_and_entries_are_values_of_their_own() {
    let out = whole(TOOL, r#"{"text":7,"hues":[1,{"value":2},null],"opts":{"deep":"True"}}"#);
    assert_eq!(out.wire, r#"{"text":"7","hues":["1","2",null],"opts":{"deep":true}}"#);
    assert_eq!(out.problems, ["coerce::type /hues/2"]);
    assert_eq!(out.changes[0], "text-from-scalar /text");
}

#[test]
fn containers_with_a_rule_of_their_own_wait() {
    let out = whole(TOOL, r#"{"text":"a","hues":{"item":["x"]},"opts":"{'deep': False}"}"#);
    assert_eq!(out.wire, r#"{"text":"a","hues":["x"],"opts":{"deep":false}}"#);
    assert!(out.problems.is_empty());
}

#[test]
fn what_cannot_be_made_to_fit_passes_as_written() {
    let out = whole(TOOL, r#"{"shafts":"6.5","mode": [1, 2],"opts":{}}"#);
    assert_eq!(out.wire, r#"{"shafts":"6.5","mode": [1, 2],"opts":{}}"#);
    assert_eq!(
        out.problems,
        [
            "coerce::number /shafts",
            "coerce::enum /mode",
            "coerce::required /opts",
            "coerce::required "
        ]
    );
}

#[test]
fn a_null_for_an_optional_member_stays_or_goes_by_policy() {
    let text = r#"{"text":"a","shafts":null,"hues":["x"]}"#;
    let kept = whole(TOOL, text);
    assert_eq!((kept.wire.as_str(), kept.problems.len()), (text, 0));
    let dropped = run(&compile(TOOL), &Policy::default(), &[text], |_| {});
    assert_eq!(dropped.wire, r#"{"text":"a","hues":["x"]}"#);
    let first = run(&compile(TOOL), &Policy::default(), &[r#"{"shafts":null,"text":"a"}"#], |_| {});
    assert_eq!(first.wire, r#"{"text":"a"}"#);
    assert_eq!(first.changes, ["drop-null /shafts"]);
    let required = whole(TOOL, r#"{"text":null}"#);
    assert_eq!(required.problems, ["coerce::type /text"]);
}

const CLOSED: &str = r#"{"type":"object","properties":{"user_name":{"type":"string"},
    "n":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},
    "additionalProperties":false}"#;

#[test]
fn from_an_unknown_key_on_a_closed_object_waits_for_its_end() {
    let mut shown = Vec::new();
    let chunks = [r#"{"n":"1", "userName": "x", "#, r#""tag":"y"}"#];
    let out = run(&compile(CLOSED), &keep(), &chunks, |seen| shown.push(seen.to_owned()));
    assert_eq!(shown[0], r#"{"n":1"#);
    assert_eq!(out.wire, r#"{"n":1,"user_name":"x","tags":["y"]}"#);
    assert!(out.problems.is_empty());
}

#[test]
fn unknown_keys_are_reported_or_left_out() {
    let text = r#"{"n":1,"zzz":{"a":[1]},"userName":"x"}"#;
    let kept = whole(CLOSED, text);
    assert_eq!(kept.wire, r#"{"n":1,"zzz":{"a":[1]},"user_name":"x"}"#);
    assert_eq!(kept.problems, ["coerce::unknown-key /zzz"]);
    let mut policy = keep();
    policy.undeclared = Undeclared::Drop;
    let dropped = run(&compile(CLOSED), &policy, &[text], |_| {});
    assert_eq!(dropped.wire, r#"{"n":1,"user_name":"x"}"#);
    assert_eq!(dropped.changes[0], "drop-key /zzz");
    let doubt = whole(CLOSED, r#"{"userName":"x","USER-NAME":"y"}"#);
    assert!(doubt.problems.iter().any(|p| p.starts_with("coerce::ambiguous-key")), "{doubt:?}");
}

const CHOICE: &str = r#"{"type":"object","properties":{"kind":{"type":"string"},"text":{"type":"string"}},
    "oneOf":[
        {"properties":{"kind":{"const":"n"},"v":{"type":"integer"}},"required":["kind","v"]},
        {"properties":{"kind":{"const":"s"},"v":{"type":"string"}},"required":["kind","v"]}]}"#;

#[test]
fn a_root_with_a_choice_streams_what_fits_and_settles_the_rest_at_its_end() {
    let mut shown = Vec::new();
    let chunks = [r#"{ "text" : "a tw"#, r#"ill", "kind":"#, r#" "'n'", "v":"8" , "x":1"#, " }"];
    let out = run(&compile(CHOICE), &keep(), &chunks, |seen| shown.push(seen.to_owned()));
    assert_eq!(shown[0], r#"{ "text" : "a tw"#);
    assert_eq!(shown[2], r#"{ "text" : "a twill""#);
    assert_eq!(out.wire, r#"{ "text" : "a twill","kind":"n","v":8,"x":1}"#);
    assert_eq!(out.changes, ["enum-member /kind", "number-from-text /v"]);
    assert!(out.problems.is_empty());
}

#[test]
fn a_root_with_a_choice_that_fits_keeps_its_source() {
    let text = r#"{ "kind":"s" ,"v" : "8", "v": "9","x":[ 1 ] }"#;
    assert_eq!(whole(CHOICE, text), Out { wire: text.into(), ..Out::default() });
}

const BRANCHES: &str = r#"{"type":"object","oneOf":[
    {"properties":{"kind":{"const":"n"},"count":{"type":"integer"}},"additionalProperties":false},
    {"properties":{"kind":{"const":"s"},"text":{"type":"string"}},"additionalProperties":false}]}"#;

#[test]
fn members_of_another_branch_are_left_out_where_undeclared_ones_are() {
    let mut drops = keep();
    drops.undeclared = Undeclared::Drop;
    let (schema, mut shown) = (compile(BRANCHES), Vec::new());
    let chunks = [r#"{"kind":"s","te"#, r#"xt":"a tw"#, r#"ill","count":8,"z":1"#, r#"}"#];
    let out = run(&schema, &drops, &chunks, |seen| shown.push(seen.to_owned()));
    // One branch is left, so its members go out as they come.
    assert_eq!(shown[1], r#"{"kind":"s","text":"a tw"#);
    assert_eq!(out.wire, r#"{"kind":"s","text":"a twill"}"#);
    assert_eq!(out.changes, ["drop-key /count", "drop-key /z"]);
    assert!(out.problems.is_empty());
    // Which branch it is shows later: what one of them forbids waits.
    let late = run(&schema, &drops, &[r#"{"text":"x","count":"8","kind":"n"}"#], |_| {});
    assert_eq!(late.wire, r#"{"count":8,"kind":"n"}"#);
    let kept = run(&schema, &keep(), &[r#"{"kind":"n","text":"x"}"#], |_| {});
    assert_eq!(kept.wire, r#"{"kind":"n","text":"x"}"#);
    assert_eq!(kept.problems.len(), 1);
}

#[test]
fn what_is_out_of_a_root_with_a_choice_is_not_taken_back() {
    // `kind` fits one branch and `v` another; only a change of what is out would help.
    let late = r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]},
        {"type":"object","properties":{"a":{"type":"integer"},"c":{"type":"integer"}},"required":["c"]}]}"#;
    let out = whole(late, r#"{"a":"5","c":"6"}"#);
    assert_eq!(out.wire, r#"{"a":"5","c":"6"}"#);
    assert_eq!(out.problems.len(), 1);
    let missing = whole(r#"{"anyOf":[{"required":["a"]},{"required":["b"]}]}"#, r#"{"c":1}"#);
    assert_eq!(missing.problems, ["coerce::type "]);
}

#[test]
fn a_value_deeper_than_the_policy_allows_passes_with_a_problem() {
    let lists = compile(r##"{"type":"array","items":{"$ref":"#"}}"##);
    let mut policy = keep();
    policy.max_depth = 3;
    let held = compile(r##"{"type":"array","items":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}"##);
    for schema in [lists, held] {
        let out = run(&schema, &policy, &["[[[]]]"], |_| {});
        assert_eq!(out, Out { wire: "[[[]]]".into(), ..Out::default() });
        let out = run(&schema, &policy, &["[[[[5]]]]"], |_| {});
        assert_eq!(out.wire, "[[[[5]]]]");
        assert_eq!(out.problems.len(), 1, "{out:?}");
        assert!(out.problems[0].starts_with("coerce::too-deep"), "{out:?}");
    }
}

/// What may stand beside the members of an object.
const BESIDE: &[&str] = &[
    "",
    r#","additionalProperties":false"#,
    r#","additionalProperties":{"type":"integer"}"#,
    r#","required":["a","a_b"]"#,
    r#","minProperties":2"#,
    r#","maxProperties":1,"additionalProperties":false"#,
    r#","dependentRequired":{"a":["a_b"]}"#,
    r#","dependentSchemas":{"a":{"properties":{"z":{"type":"integer"}},"required":["a_b"]}}"#,
    r#","propertyNames":{"maxLength":2}"#,
    r#","allOf":[{"properties":{"a":{"maxLength":1}}},{"required":["z"]}]"#,
    r#","anyOf":[{"required":["a"]},{"properties":{"z":{"type":"string"}}}]"#,
    r#","oneOf":[{"required":["a"]},{"required":["z"]}]"#,
    r#","oneOf":[{"properties":{"a":{"type":"string"},"z":{}},"additionalProperties":false},
        {"properties":{"a":{"type":"integer"},"a_b":{}},"additionalProperties":false}]"#,
    r#","if":{"required":["a"]},"then":{"required":["z"]}"#,
    r#","not":{"required":["z"]}"#,
    r#","nullable":true"#,
    r#","patternProperties":{"^a":{"type":["string","array"]}}"#,
];

fn objects() -> impl Strategy<Value = String> {
    (subschemas(), subschemas(), prop::sample::select(BESIDE)).prop_map(|(a, b, rest)| {
        format!(
            r##"{{"type":"object","properties":{{"a":{a},"a_b":{b}}}{rest},"$defs":{{"R":{{"type":["array","integer"],"items":{{"$ref":"#/$defs/R"}}}}}}}}"##
        )
    })
}

#[test]
fn a_member_that_is_left_out_does_not_count() {
    let schema =
        compile(r#"{"type":"object","properties":{"a":{"type":"string"}},"minProperties":2}"#);
    let out = run(&schema, &Policy::default(), &[r#"{"a":null,"b":1}"#], |_| {});
    assert_eq!(
        (out.wire.as_str(), out.problems),
        (r#"{"b":1}"#, vec!["coerce::length ".to_owned()])
    );
    let out = run(&schema, &Policy::default(), &[r#"{"a":null,"b":1,"c":2}"#], |_| {});
    assert_eq!((out.wire.as_str(), out.problems), (r#"{"b":1,"c":2}"#, vec![]));
}

#[test]
fn entries_are_counted_at_the_end_of_their_list() {
    let schema =
        r#"{"properties":{"a":{"type":"array","maxItems":1},"b":{"type":"array","minItems":1}}}"#;
    let out = whole(schema, r#"{"a":[1,2],"b":[]}"#);
    assert_eq!(out.wire, r#"{"a":[1,2],"b":[]}"#);
    assert_eq!(out.problems, ["coerce::length /a", "coerce::length /b"]);
}

#[test]
fn a_key_that_is_repeated_counts_once() {
    let schema = r#"{"type":"object","minProperties":2,"maxProperties":2}"#;
    assert_eq!(whole(schema, r#"{"a":1,"a":2}"#).problems, ["coerce::length "]);
    assert_eq!(whole(schema, r#"{"a":1,"b":2,"a":3}"#).problems, Vec::<String>::new());
    assert_eq!(whole(schema, r#"{"a":1,"b":2,"c":3}"#).problems, ["coerce::length "]);
    let closed = r#"{"type":"object","properties":{"a_b":{"type":"integer"}},"minProperties":1,
        "maxProperties":1,"additionalProperties":false}"#;
    let renamed = whole(closed, r#"{"a_b":1,"aB":2}"#);
    assert_eq!(renamed.wire, r#"{"a_b":1,"aB":2}"#);
    let again = whole(closed, r#"{"aB":2}"#);
    assert_eq!((again.wire.as_str(), again.problems), (r#"{"a_b":2}"#, vec![]));
    // A member that is left out has had its name.
    let gone = |text: &str| run(&compile(closed), &Policy::default(), &[text], |_| {}).problems;
    assert_eq!(gone(r#"{"a_b":null,"aB":2}"#), ["coerce::unknown-key /aB"]);
    assert_eq!(gone(r#"{"a_b":null,"a_b":2}"#), Vec::<String>::new());
    assert_eq!(gone(r#"{"a_b":2,"a_b":null}"#), Vec::<String>::new());
}

#[test]
fn what_another_schema_declares_is_undeclared_for_a_closed_one() {
    let schema = r#"{"allOf":[{"properties":{"a":{}}}],"additionalProperties":false}"#;
    assert_eq!(whole(schema, r#"{"a":1}"#).problems, ["coerce::unknown-key /a"]);
    assert_eq!(whole(schema, "{}").problems, Vec::<String>::new());
    let inside = format!(r#"{{"properties":{{"o":{schema}}}}}"#);
    assert_eq!(whole(&inside, r#"{"o":{"a":1}}"#).problems, ["coerce::type /o"]);
    assert_eq!(whole(&inside, r#"{"o":{}}"#).problems, Vec::<String>::new());
    let both =
        r#"{"properties":{"a":{}},"allOf":[{"properties":{"a":{}}}],"additionalProperties":false}"#;
    assert_eq!(whole(both, r#"{"a":1}"#).problems, Vec::<String>::new());
}

#[test]
fn members_that_need_others_are_looked_at_without_a_type_too() {
    let schema = compile(r#"{"properties":{"a":{"dependentRequired":{"x":["y"]}}}}"#);
    let out = run(&schema, &Policy::default(), &[r#"{"a":{"x":1}}"#], |_| {});
    assert_eq!(out.problems, ["coerce::required /a"]);
    let out = run(&schema, &Policy::default(), &[r#"{"a":{"x":1,"y":2}}"#], |_| {});
    assert_eq!(out.problems, Vec::<String>::new());
}

proptest! {
    #![proptest_config(common::cases(3_000))]

    #[test]
    fn what_validates_comes_out_byte_for_byte(schema in objects(), value in values()) {
        let schema = compile(&schema);
        if schema.validate(&common::value(&value)).is_ok() {
            let out = run(&schema, &Policy::default(), &[&value], |_| {});
            prop_assert_eq!(out, Out { wire: value, ..Out::default() });
        }
    }

    #[test]
    fn cuts_do_not_matter_and_what_comes_out_is_json(
        schema in objects(), value in values(), cut in 0usize..200
    ) {
        let schema = compile(&schema);
        let policy = keep();
        let one = run(&schema, &policy, &[&value], |_| {});
        let at = (0..=cut.min(value.len())).rev().find(|at| value.is_char_boundary(*at)).unwrap();
        let (a, b) = value.split_at(at);
        prop_assert_eq!(&one, &run(&schema, &policy, &[a, b], |_| {}));
        prop_assert!(parse(&one.wire, Mode::Strict).is_ok(), "{}", one.wire);
    }

    #[test]
    fn without_a_problem_the_result_validates(schema in objects(), value in values()) {
        let schema = compile(&schema);
        let value = format!("{{\"a\":{value},\"aB\":{value}}}");
        let out = run(&schema, &Policy::default(), &[&value], |_| {});
        if out.problems.is_empty() {
            let streamed: Value = common::value(&out.wire);
            prop_assert!(schema.validate(&streamed).is_ok(), "{} became {}", value, out.wire);
        }
    }

    /// What streamed is what the value as a whole becomes; where that cannot be made to fit, the
    /// stream says so too.
    #[test]
    fn the_stream_and_the_whole_value_agree(
        schema in objects(), a in values(), b in values(), policy in policies(),
        keys in prop::sample::subsequence(vec!["a", "a_b", "aB", "z"], 2),
    ) {
        let chooses = BESIDE[6..].iter().any(|beside| schema.contains(&format!("}}{beside},\"$defs")));
        let schema = compile(&schema);
        let value = format!("{{\"{}\":{a},\"{}\":{b}}}", keys[0], keys[1]);
        let whole = schema.coerce(common::value(&value), &policy);
        let out = run(&schema, &policy, &[&value], |_| {});
        match whole {
            Ok(whole) => {
                if chooses && !out.problems.is_empty() {
                    // It could only be made to fit by taking back what was out.
                    prop_assert_eq!(&out.wire, &value);
                    prop_assert!(schema.check(&common::value(&value)).is_err());
                    return Ok(());
                }
                prop_assert_eq!(&out.problems, &Vec::<String>::new(), "{}", whole.value);
                prop_assert_eq!(common::value(&out.wire), whole.value);
                let mut changes: Vec<_> =
                    whole.changes.iter().map(|c| format!("{} {}", c.rule.as_str(), c.path)).collect();
                let mut streamed = out.changes.clone();
                changes.sort();
                streamed.sort();
                prop_assert_eq!(changes, streamed);
            }
            Err(error) => prop_assert!(!out.problems.is_empty(), "{} became {}", error, out.wire),
        }
    }
}
