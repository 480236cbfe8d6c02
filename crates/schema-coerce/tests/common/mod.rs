//! Helpers of the tests.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::panic, reason = "helpers of tests fail by it")]

pub(crate) mod generate;

use toolweir_rjson::to_string;
use toolweir_rjson::{Mode, Value, parse};
use toolweir_schema_coerce::{
    Compiled, Loss, Policy, Schema, SchemaError, SchemaLimits, TextStyle, Typed,
};

/// How a law is tried: as often as `TOOLWEIR_CASES` says, else so many times. Failures write no
/// files: they become tests.
#[allow(clippy::disallowed_methods, reason = "the number of cases is the caller's to choose")]
pub(crate) fn cases(otherwise: u32) -> proptest::prelude::ProptestConfig {
    let cases = std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok());
    let cases = cases.unwrap_or(otherwise);
    proptest::prelude::ProptestConfig {
        cases,
        // Some laws pass over a share of the inputs, so the more cases, the more of those.
        max_global_rejects: cases.max(1024),
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    }
}

/// The value of a JSON text.
pub(crate) fn value(json: &str) -> Value {
    match parse(json, Mode::Strict) {
        Ok(parsed) => parsed.value,
        Err(error) => panic!("{error}: {json}"),
    }
}

pub(crate) fn compile(schema: &str) -> Result<Compiled, SchemaError> {
    Schema::compile(&value(schema), &SchemaLimits::default())
}

pub(crate) fn schema(schema: &str) -> Schema {
    match compile(schema) {
        Ok(compiled) => compiled.schema,
        Err(error) => panic!("{error}: {schema}"),
    }
}

/// The text read by a schema, with what must always hold.
pub(crate) fn read(source: &str, text: &str) -> Typed {
    let typed = schema(source).root().read_text(text, TextStyle::Bare);
    check(&typed, text);
    typed
}

/// What holds for every reading: strict JSON of the kind it says; the text, when it is a problem.
pub(crate) fn check(typed: &Typed, text: &str) {
    use toolweir_schema_coerce::TypedKind as Kind;
    let parsed = value(&typed.json);
    let kind = match &parsed {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::AsText,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    };
    assert_eq!(kind, typed.kind, "{typed:?}");
    if typed.problem.is_some() {
        assert_eq!(parsed, Value::String(text.to_owned()));
    }
    if !typed.changed && typed.kind != Kind::AsText {
        assert_eq!(typed.json, text.trim());
    }
}

/// The string that holds the text, as JSON.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::new();
    toolweir_rjson::write_string(&mut out, text);
    out
}

/// Runs rows of text and expected JSON; an expected `!code` is the text as a string with that
/// problem.
pub(crate) fn table(source: &str, rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        let typed = read(source, text);
        let code = typed.problem.as_ref().map(|problem| problem.kind.as_str());
        match expected.strip_prefix('!') {
            Some(wanted) => {
                assert_eq!(code, Some(wanted), "{source} {text:?}");
                assert_eq!(typed.json, string(text), "{source} {text:?}");
            }
            None => {
                assert_eq!(typed.json, *expected, "{source} {text:?}");
                assert_eq!(code, None, "{source} {text:?}");
            }
        }
    }
}

/// The policy that allows guesses.
pub(crate) fn guess() -> Policy {
    let mut policy = Policy::default();
    policy.allow = Loss::Guess;
    policy
}

/// Rows of value and result; `!Kind` is an error of that kind.
pub(crate) fn fits_with(source: &str, policy: &Policy, rows: &[(&str, &str)]) {
    let compiled = schema(source);
    for (given, expected) in rows {
        let found = match compiled.coerce(value(given), policy) {
            Ok(coerced) => to_string(&coerced.value),
            Err(error) => format!("!{:?}", error.kind),
        };
        assert_eq!(found, *expected, "{given} by {source}");
    }
}

/// [`fits_with`] the default policy.
pub(crate) fn fits(source: &str, rows: &[(&str, &str)]) {
    fits_with(source, &Policy::default(), rows);
}
