//! Work grows as schema and value do: twice as much takes about twice as long. Counted in pairs looked
//! at, so that the machine does not matter.
#![cfg(feature = "meter")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use toolweir_rjson::{Mode, Options, parse_with};
use toolweir_schema_coerce::{Loss, NullOptional, Policy, Schema, SchemaLimits};

fn looks(schema: &str, value: &str, keep: bool) -> u64 {
    let deep = Options::new(Mode::Strict).with_max_depth(usize::MAX);
    let read = |text: &str| parse_with(text, &deep).unwrap().value;
    let mut limits = SchemaLimits::default();
    limits.max_depth = usize::MAX;
    limits.max_nodes = usize::MAX;
    let schema = Schema::compile(&read(schema), &limits).unwrap().schema;
    let mut policy = Policy::default();
    policy.max_depth = usize::MAX;
    policy.max_steps = usize::MAX;
    policy.allow = Loss::Guess;
    if keep {
        policy.null_optional = NullOptional::Keep;
    }
    schema.looks(&read(value), &policy).0
}

/// Doubles three times and compares the last two; small amounts hide what grows faster.
fn grows_as_it_should(what: &str, from: usize, make: impl Fn(usize) -> (String, String)) {
    for keep in [false, true] {
        let of = |size: usize| {
            let (schema, value) = make(size);
            looks(&schema, &value, keep)
        };
        let (small, large) = (of(from * 4), of(from * 8));
        assert!(large <= small * 5 / 2 + 64, "{what}: {small} looks, then {large}");
    }
}

fn list(size: usize, of: impl Fn(usize) -> String) -> String {
    (0..size).map(of).collect::<Vec<_>>().join(",")
}

#[test]
fn wide_objects() {
    grows_as_it_should("members", 100, |n| {
        let members = list(n, |i| format!(r#""m{i}":{{"type":"integer"}}"#));
        let required = list(n / 2, |i| format!("\"m{i}\""));
        let schema = format!(
            r#"{{"type":"object","properties":{{{members}}},"required":[{required}],"additionalProperties":false}}"#
        );
        let value = list(n, |i| match i % 3 {
            0 if i >= n / 2 => format!(r#""m{i}":null"#),
            1 => format!(r#""M_{i}":"{i}""#),
            _ => format!(r#""m{i}":"{i}""#),
        });
        (schema, format!("{{{value}}}"))
    });
    grows_as_it_should("undeclared members", 100, |n| {
        let value = list(n, |i| format!(r#""k{i}":"{i}""#));
        (r#"{"additionalProperties":{"type":"integer"}}"#.into(), format!("{{{value}}}"))
    });
}

#[test]
fn long_lists() {
    for items in [
        r#"{"type":"integer"}"#,
        r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
        r##"{"type":["array","integer"],"items":{"$ref":"#/items"}}"##,
        r#"{"type":"array","items":{"type":"integer"}}"#,
    ] {
        grows_as_it_should(items, 100, |n| {
            let value = list(n, |i| format!("\"{i}\""));
            (format!(r#"{{"type":"array","items":{items}}}"#), format!("[{value}]"))
        });
    }
}

#[test]
fn deep_values() {
    for schema in [
        r##"{"type":["array","integer"],"items":{"$ref":"#"}}"##,
        r##"{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"integer"}]}"##,
        r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":["array","integer"],"items":{"$ref":"#/$defs/a"}}}}"##,
    ] {
        grows_as_it_should(schema, 50, |n| {
            (schema.into(), "[".repeat(n) + "\"5\"" + &"]".repeat(n))
        });
    }
}

#[test]
fn many_branches() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for value in ["\"5\"", "{\"k7\":\"5\"}", "[[]]"] {
            grows_as_it_should(&format!("{keyword} {value}"), 50, |n| {
                let branches = list(n, |i| {
                    let kind = if keyword == "allOf" { "" } else { r#","required":["k"]"# };
                    format!(
                        r#"{{"type":["object","integer"],"properties":{{"k{i}":{{"type":"integer"}}}}{kind}}}"#
                    )
                    .replace("\"k\"]", &format!("\"k{i}\"]"))
                });
                (format!(r#"{{"{keyword}":[{branches}]}}"#), value.into())
            });
        }
    }
}

/// Branches that all lead back to the choice are asked once for each way in, as an answer found with
/// the help of a failure to answer is not kept: their number squared, and no more.
#[test]
fn branches_that_lead_back() {
    let of = |n: usize| {
        let branches =
            list(n, |i| format!(r##"{{"type":"array","items":{{"$ref":"#"}},"minItems":{i}}}"##));
        looks(&format!(r#"{{"anyOf":[{branches}]}}"#), "{\"a\":\"x\"}", false)
    };
    let (small, large) = (of(80), of(160));
    assert!(large <= small * 9 / 2, "{small} looks, then {large}");
}

#[test]
fn long_chains_of_references() {
    grows_as_it_should("references at one value", 50, |n| {
        let links = list(n, |i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, i + 1));
        (
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{n}":{{"type":"integer"}}}}}}"##),
            "\"5\"".into(),
        )
    });
    grows_as_it_should("references down the value", 50, |n| {
        let links = list(n, |i| {
            format!(r##""d{i}":{{"properties":{{"a":{{"$ref":"#/$defs/d{}"}}}}}}"##, i + 1)
        });
        (
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{n}":{{"type":"integer"}}}}}}"##),
            "{\"a\":".repeat(n) + "\"5\"" + &"}".repeat(n),
        )
    });
}

/// Many patterns cost a key what one costs: 1,000 patterns and 1,000 keys took seven seconds when each
/// was held against each.
#[cfg(feature = "regex")]
#[test]
fn many_patterns_of_members() {
    let runs = |n: usize| {
        let patterns = list(n, |i| format!(r#""^p{i}_":{{"type":"integer"}}"#));
        let schema =
            format!(r#"{{"patternProperties":{{{patterns}}},"additionalProperties":false}}"#);
        let value = format!("{{{}}}", list(n, |i| format!(r#""p{i}_x":"{i}""#)));
        let read = |text: &str| parse_with(text, &Options::new(Mode::Strict)).unwrap().value;
        let schema = Schema::compile(&read(&schema), &SchemaLimits::default()).unwrap().schema;
        let fitted = schema.coerce(read(&value), &Policy::default()).unwrap();
        assert_eq!(fitted.changes.len(), n);
        schema.pattern_runs()
    };
    let (small, large) = (runs(100), runs(400));
    assert!(large <= small * 5, "{small} runs of patterns, then {large}");
}
