use alloc::format;

use toolweir_rjson::{Mode, parse};

use super::*;
use crate::{Schema, SchemaLimits};

fn read(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

/// What this way makes of a value, which has to be what the engine makes of it; none where it
/// has no answer.
fn fitted(schema: &str, text: &str, allow: Loss) -> Option<String> {
    let schema = Schema::compile(&read(schema), &SchemaLimits::default()).unwrap().schema;
    let policy = Policy { allow, ..Policy::default() };
    let mut value = read(text);
    let changes = fit(schema.root(), &mut value, &policy)?;
    let source = read(text);
    let mut engine = Engine::new(schema.root().inner, &policy, allow);
    let whole = engine.fit_value(schema.root().id, &source).unwrap();
    assert_eq!((&value, &changes), (&engine.made(whole), &engine.changes(whole)), "{text}");
    assert_eq!(accepts(schema.root(), &source, &policy), changes.is_empty(), "{text}");
    Some(value.to_string())
}

#[test]
fn parts_are_settled_by_themselves_as_the_engine_settles_the_whole() {
    let schema = r##"{"properties":{"n":{"$ref":"#/$defs/n"},"all":{"type":"array","items":
        {"type":"boolean"}},"any":{"anyOf":[{"type":"integer"},{"type":"null"}]},"in":{"type":
        "object","properties":{"a_b":{"type":"string"}},"additionalProperties":false}},"$defs":
        {"n":{"$ref":"#/$defs/i"},"i":{"type":"integer","maximum":9}}}"##;
    for (text, made) in [
        (r#"{"n":1,"all":[true]}"#, r#"{"n":1,"all":[true]}"#),
        (r#"{"n":" 8 ","all":["True","false"]}"#, r#"{"n":8,"all":[true,false]}"#),
        (r#"{"all":"[true]","any":"None"}"#, r#"{"all":[true],"any":null}"#),
        (r#"{"in":{"aB":1},"n":"1"}"#, r#"{"in":{"a_b":"1"},"n":1}"#),
        (r#"{"in":{"a_b":1.50},"n":"1"}"#, r#"{"in":{"a_b":"1.50"},"n":1}"#),
    ] {
        assert_eq!(fitted(schema, text, Loss::Guess).as_deref(), Some(made));
        assert_eq!(fitted(schema, text, Loss::Format).as_deref(), Some(made));
    }
    for text in [r#"{"n":"10"}"#, r#"{"n":1,"all":["x"]}"#, r#"{"in":{"c":1}}"#] {
        assert_eq!(fitted(schema, text, Loss::Format), None, "{text}");
    }
    assert_eq!(fitted(schema, r#"{"n":" 8 "}"#, Loss::None), None);
}

#[test]
fn what_might_become_another_type_as_a_whole_is_left_whole() {
    let schema = r#"{"type":["object","string"],"properties":{"a":{"type":"boolean"}}}"#;
    assert_eq!(fitted(schema, r#"{"a":"True"}"#, Loss::Format), None);
    assert_eq!(fitted(schema, r#"{"a":true}"#, Loss::Format).as_deref(), Some(r#"{"a":true}"#));
}

#[test]
fn values_that_fit_combinators_as_they_are_need_no_engine() {
    let schema = r##"{"type":"array","items":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/leaf"},
        {"type":"object","required":["kind"],"properties":{"kind":{"enum":["pair"]},
        "of":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}]},
        "$defs":{"leaf":{"allOf":[{"type":"object"},{"required":["leaf"]}],"properties":
        {"leaf":{"oneOf":[{"type":"string","maxLength":3},{"type":"boolean"}]}}}}}"##;
    let loss = Loss::Format;
    for text in [
        r#"[null,{"leaf":"abc"},{"leaf":true},{"kind":"pair","of":["a",1]}]"#,
        r#"[{"kind":"pair","leaf":"x","of":[]}]"#,
    ] {
        assert_eq!(fitted(schema, text, loss).as_deref(), Some(text));
    }
    // A part that does not is resolved by the engine; the others are not.
    let text = r#"[null,{"kind":"pair","of":["a","1",2.0]}]"#;
    assert!(fitted(schema, text, loss).is_some());
    for text in [r#"[{"leaf":"abcd"}]"#, r#"[7]"#, r#"[{"kind":"else"}]"#] {
        assert_eq!(fitted(schema, text, loss), None, "{text}");
    }
}

#[test]
fn schemas_deep_in_one_another_are_left_to_the_engine() {
    let tree = r##"{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","items":
        {"$ref":"#"},"maxItems":1},{"type":"string"}]}"##;
    let deep = format!("{}7{}", "[".repeat(40), "]".repeat(40));
    let schema = Schema::compile(&read(tree), &SchemaLimits::default()).unwrap().schema;
    assert!(!accepts(schema.root(), &read(&deep), &Policy::default()));
    assert!(schema.root().check(&read(&deep)).is_err());
}
