//! Settings by name, patterns as JSON Schema means them, and what is shown of schemas.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by it")]

mod common;

use common::{compile, schema, value};
use toolweir_schema_coerce::{Loss, NullOptional, Policy, SchemaLimits, Undeclared};

#[test]
fn settings_are_set_by_the_names_that_are_listed() {
    let mut policy = Policy::default();
    for (key, word) in [
        ("allow", "none"),
        ("null_optional", "keep"),
        ("undeclared", "drop"),
        ("text_node_name", "$t"),
    ] {
        assert!(policy.set(key, word), "{key}={word}");
        assert!(Policy::SETTINGS.contains(key));
    }
    assert_eq!((policy.allow, policy.null_optional), (Loss::None, NullOptional::Keep));
    assert_eq!((policy.undeclared, &*policy.text_node_name), (Undeclared::Drop, "$t"));
    for (key, word) in [
        ("allow", "format"),
        ("null_optional", "drop"),
        ("undeclared", "keep"),
        ("text_node_name", "#text"),
    ] {
        assert!(policy.set(key, word), "{key}={word}");
    }
    assert_eq!(policy, Policy::default());
    assert!(policy.set("allow", "guess") && policy.allow == Loss::Guess);
    let before = policy.clone();
    for (key, word) in [("allow", "all"), ("undeclared", ""), ("max_depth", "3"), ("", "")] {
        assert!(!policy.set(key, word), "{key}={word}");
    }
    assert_eq!(policy, before, "what is refused changes nothing");
}

#[cfg(feature = "regex")]
#[test]
fn patterns_mean_what_ecmascript_means() {
    // Pattern, texts that it matches, texts that it does not.
    for (pattern, yes, no) in [
        (r"^\\d+$", "7 07", "x \u{0663}"),
        (r"^\\D$", "x \u{0663}", "7"),
        (r"^[\\d-]+$", "1-2", "1.2"),
        (r"^\\w+$", "a_1", "é a-b"),
        (r"^\\W$", "é -", "a _"),
        (r"^[\\w.]+$", "a.b", "é"),
        (r"^a\\sb$", "a\u{a0}b a\u{feff}b", "a_b a\u{200b}b"),
        (r"^a[\\s_]b$", "a\u{3000}b a_b", "a-b"),
        (r"^\\S+$", "ab", "a\u{2028}b"),
        (r"\\bend\\b", "the-end", "ended"),
        (r"^a\\/b$", "a/b", "ab"),
        (r"^[[]$", "[", "]"),
        (r"^\\$\\(\\)$", "$()", "()"),
    ] {
        let schema = schema(&format!(r#"{{"type":"string","pattern":"{pattern}"}}"#));
        let fits = |text: &str| schema.check(&toolweir_rjson::Value::from(text)).is_ok();
        assert!(yes.split(' ').all(fits), "{pattern} {yes}");
        assert!(!no.split(' ').any(fits), "{pattern} {no}");
    }
    for (pattern, text) in [(r"^\\cJ$", "\n"), (r"^[\\b]$", "\u{8}")] {
        let schema = schema(&format!(r#"{{"type":"string","pattern":"{pattern}"}}"#));
        assert!(schema.check(&toolweir_rjson::Value::from(text)).is_ok(), "{pattern}");
        assert!(schema.check(&toolweir_rjson::Value::from("x")).is_err(), "{pattern}");
    }
}

#[test]
fn keywords_that_say_nonsense_are_noted_and_hold_nothing() {
    for keyword in [
        r#""minLength":-1"#,
        r#""maxItems":"2""#,
        r#""minProperties":1.5"#,
        r#""minimum":"3""#,
        r#""multipleOf":0"#,
        r#""pattern":7"#,
    ] {
        let compiled = compile(&format!("{{{keyword}}}")).unwrap();
        assert_eq!(compiled.notes.len(), 1, "{keyword}: {:?}", compiled.notes);
        for text in ["\"\"", "[1,2,3]", "{}", "1"] {
            assert!(compiled.schema.check(&value(text)).is_ok(), "{keyword} {text}");
        }
    }
}

#[test]
fn a_schema_shows_its_size_and_a_node_its_types() {
    let schema = schema(r#"{"type":"object","properties":{"a":{"type":["integer","null"]}}}"#);
    let shown = format!("{schema:?}");
    assert!(shown.starts_with("Schema { nodes: ") && shown.len() < 80, "{shown}");
    let node = format!("{:?}", schema.root().member("a").node().unwrap());
    assert!(node.contains("integer") && node.contains("null"), "{node}");
    assert!(!node.contains("string"), "{node}");
    assert!(SchemaLimits::default().max_nodes > 0);
}
