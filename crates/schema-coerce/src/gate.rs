//! The last word of the `jsonschema` crate, behind the feature `validate`.
//!
//! A value goes out only if it accepts it too. It is asked about whole documents, after the built-in
//! check has accepted, and only where both read the schema alike:
//!
//! - what `jsonschema` reads otherwise, or `serde_json` cannot hold, is left to the built-in check
//!   ([`EXCUSES`] lists what and why);
//! - work and stack are bounded beforehand: `jsonschema` recurses and keeps no answers, so that a
//!   small schema can keep it busy for ever.
//!
//! So the feature only adds. Nothing is fetched: a reference out of the document has been refused
//! or ignored before, and what could resolve one is not compiled in. Patterns run on its linear-time engine.

extern crate std;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;
use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind as Of;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value as Json;
use toolweir_rjson::{Decimal, Number, Object, Value};

use crate::coerce::{CoerceError, CoerceErrorKind as Kind};
use crate::schema::{Id, Inner, Node};

/// What is left to the built-in check, and why: the two would not answer the same question.
pub const EXCUSES: &[(&str, &str)] = &[
    ("integers beyond 64 bits", "serde_json holds them as doubles only"),
    ("numbers that no double holds to the last digit", "they would be compared after rounding"),
    ("`multipleOf` with a fraction", "jsonschema divides doubles, the built-in check decimals"),
    ("`nullable`", "a keyword of OpenAPI, which jsonschema does not read"),
    ("a list under `items`", "drafts before 2020-12 meant by it what `prefixItems` means"),
    ("`true` or `false` under `exclusiveMinimum`, `exclusiveMaximum`", "a keyword of draft 4"),
    ("`$id` within the document", "it would move the root that references count from"),
    ("`$dynamicRef`, `$recursiveRef`", "their work could not be bounded beforehand"),
    ("malformed keywords", "they are notes here and errors there"),
    ("deep or much repeated work", "jsonschema recurses and keeps no answers"),
];

/// Most bytes a compiled pattern may take, as in the built-in check.
const PATTERN_SIZE: usize = 1 << 20;

/// The schema for `jsonschema`, compiled when it is first asked.
pub(crate) struct Gate {
    document: Option<Json>,
    compiled: OnceLock<Option<Validator>>,
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("asked", &self.document.is_some()).finish_non_exhaustive()
    }
}

impl Gate {
    pub(crate) fn new(document: &Value) -> Self {
        Self { document: schema(document), compiled: OnceLock::new() }
    }

    /// The validator; none where the schema is left to the built-in check.
    fn validator(&self) -> Option<&Validator> {
        let build = || {
            jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(false)
                .with_pattern_options(
                    PatternOptions::regex().size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE),
                )
                .build(self.document.as_ref()?)
                .ok()
        };
        self.compiled.get_or_init(build).as_ref()
    }

    /// Whether there is a validator to ask.
    pub(crate) fn is_asked(&self) -> bool {
        self.validator().is_some()
    }

    /// Asks about a value that the built-in check accepts.
    pub(crate) fn check(&self, node: Node<'_>, value: &Value) -> Result<(), CoerceError> {
        if self.document.is_none() || !is_bounded(node, value) {
            return Ok(());
        }
        let Some(value) = handed_over(value, |_| true) else { return Ok(()) };
        let Some(validator) = self.validator() else { return Ok(()) };
        if validator.is_valid(&value) {
            return Ok(());
        }
        validator.validate(&value).map_err(|error| refusal(&error))
    }
}

/// Places and kind only: its messages hold values. What the built-in check covers was accepted before.
fn refusal(error: &ValidationError<'_>) -> CoerceError {
    CoerceError {
        kind: match error.kind() {
            Of::UnevaluatedProperties { .. } => Kind::UnknownKey,
            Of::UnevaluatedItems { .. } => Kind::Length,
            _ => Kind::NotAllowed,
        },
        instance_path: String::from(error.instance_path().as_str()),
        schema_path: String::from(error.schema_path().as_str()),
    }
}

/// Containers inside one another, beyond which nothing is handed over: dropping, comparing and
/// compiling recurse there.
const MAX_DEPTH: usize = 64;

/// A schema, if it means the same there.
fn schema(document: &Value) -> Option<Json> {
    let root = document.as_object().map(core::ptr::from_ref);
    let means_the_same = |object: &Object| {
        let root = root.is_some_and(|root| core::ptr::eq(root, object));
        object.iter().all(|(key, value)| match (key, value) {
            ("nullable", Value::Bool(_)) | ("items", Value::Array(_)) => false,
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) => false,
            ("multipleOf", Value::Number(number)) => number.is_integer(),
            ("$id" | "id", Value::String(_)) => root,
            ("$dynamicRef" | "$recursiveRef", Value::String(_)) => false,
            _ => true,
        })
    };
    let mut schema = handed_over(document, means_the_same)?;
    if let Json::Object(members) = &mut schema {
        // The draft is chosen by us, and the root is the document.
        for key in ["$schema", "$id", "id"] {
            members.remove(key);
        }
    }
    Some(schema)
}

/// A value, if it is the same there; none where a number would change, an object is refused or the
/// depth is too great.
fn handed_over(root: &Value, accepts: impl Fn(&Object) -> bool) -> Option<Json> {
    let mut open = vec![(root, 0)];
    while let Some((value, depth)) = open.pop() {
        match value {
            Value::Null | Value::Bool(_) | Value::String(_) => {}
            Value::Number(number) => is_exact(number).then_some(())?,
            _ if depth == MAX_DEPTH => return None,
            Value::Array(list) => open.extend(list.iter().map(|value| (value, depth + 1))),
            Value::Object(object) => {
                accepts(object).then_some(())?;
                open.extend(object.values().map(|value| (value, depth + 1)));
            }
        }
    }
    serde_json::to_value(root).ok()
}

/// Whether an integer of 64 bits or a double holds all of the number.
fn is_exact(number: &Number) -> bool {
    // Beyond it a double is whole, but not always the whole number that was written.
    const LAST: f64 = 9_007_199_254_740_992.0;
    let text = number.as_str();
    let exact = |held: f64| Decimal::new(text) == Decimal::new(&format!("{held:e}"));
    text.parse::<i64>().is_ok()
        || text.parse::<u64>().is_ok()
        || text.parse::<f64>().is_ok_and(|held| held.abs() <= LAST && exact(held))
}

/// Most visits of a pair.
const MAX_VISITS: u64 = 1 << 20;
/// Most pairs that are examined to find that out.
const MAX_PAIRS: usize = 1 << 18;
/// Most schemas inside one another, followed through references and into the value.
const MAX_HEIGHT: u32 = 48;

/// Visits, and the height of the stack.
#[derive(Clone, Copy, Debug)]
struct Cost {
    visits: u64,
    height: u32,
}

/// Whether visits and height stay within bounds.
fn is_bounded(node: Node<'_>, value: &Value) -> bool {
    let cost = cost(node, value);
    cost.is_some_and(|cost| cost.visits <= MAX_VISITS && cost.height <= MAX_HEIGHT)
}

/// A value by its place in memory: each is visited once for each schema.
type Pair = (Id, usize);

fn cost(node: Node<'_>, value: &Value) -> Option<Cost> {
    let mut known: BTreeMap<Pair, Cost> = BTreeMap::new();
    let mut open = vec![(node.id, value, false)];
    while let Some((id, value, close)) = open.pop() {
        let pair = (id, core::ptr::from_ref(value).addr());
        if known.contains_key(&pair) {
            continue;
        }
        if open.len() > MAX_PAIRS || known.len() > MAX_PAIRS {
            return None;
        }
        if node.inner.get(id).rules().object.unknown_patterns {
            return None;
        }
        let below = below(node.inner, id, value);
        if !close {
            open.push((id, value, true));
            open.extend(below.into_iter().map(|(id, value)| (id, value, false)));
            continue;
        }
        let mut cost = Cost { visits: 1, height: 0 };
        for (id, value) in below {
            let pair = (id, core::ptr::from_ref(value).addr());
            let below = known.get(&pair).copied()?;
            cost.visits = cost.visits.saturating_add(below.visits);
            cost.height = cost.height.max(below.height);
        }
        if node.inner.get(id).rules().unevaluated {
            // What has been evaluated is found by evaluating it again.
            cost.visits = cost.visits.saturating_mul(3);
        }
        cost.height = cost.height.saturating_add(1);
        if cost.height > MAX_HEIGHT || cost.visits > MAX_VISITS {
            return None;
        }
        known.insert(pair, cost);
    }
    known.get(&(node.id, core::ptr::from_ref(value).addr())).copied()
}

/// The pairs that a pair leads to. A name is examined as a value that has no parts.
fn below<'v>(inner: &Inner, id: Id, value: &'v Value) -> Vec<(Id, &'v Value)> {
    const NAME: &Value = &Value::Null;
    let data = inner.get(id);
    let same = data.edges().chain(data.maybe.iter().copied());
    let mut below: Vec<(Id, &Value)> = same.map(|id| (id, value)).collect();
    match value {
        Value::Array(list) => {
            let rules = &data.rules().array;
            for (place, entry) in list.iter().enumerate() {
                below.extend(rules.at(place).map(|id| (id, entry)));
                below.extend(rules.contains.map(|(id, _, _)| (id, entry)));
            }
        }
        Value::Object(object) => {
            let rules = &data.rules().object;
            for (key, member) in object.iter() {
                below.extend(rules.of_member(key).into_iter().map(|(id, _)| (id, member)));
                below.extend(rules.names.map(|id| (id, NAME)));
            }
        }
        _ => {}
    }
    below
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::{Schema, SchemaLimits};
    use toolweir_rjson::{Mode, parse};

    fn read(text: &str) -> Value {
        parse(text, Mode::Strict).unwrap().value
    }

    fn number(text: &str) -> Number {
        read(text).as_number().unwrap().clone()
    }

    #[test]
    fn what_serde_json_holds_is_handed_over_unchanged() {
        for text in ["0", "-0.5", "18446744073709551615", "-9223372036854775808", "0.1", "1e15"] {
            assert!(is_exact(&number(text)), "{text}");
        }
        let text = r#"{"b":[1,"x",null,{"a":true}],"a":2.5}"#;
        let same: Json = serde_json::from_str(text).unwrap();
        assert_eq!(handed_over(&read(text), |_| true), Some(same));
    }

    #[test]
    fn what_serde_json_cannot_hold_is_not() {
        for text in
            ["18446744073709551616", "1e300", "1e400", "0.12345678901234567890123", "1e-400"]
        {
            assert!(!is_exact(&number(text)), "{text}");
            assert_eq!(handed_over(&read(&format!("[{text}]")), |_| true), None);
        }
        let deep = |depth| read(&("[".repeat(depth) + &"]".repeat(depth)));
        assert!(handed_over(&deep(64), |_| true).is_some());
        assert_eq!(handed_over(&deep(65), |_| true), None);
    }

    #[test]
    fn a_schema_that_would_mean_something_else_is_not_handed_over() {
        for text in [
            r#"{"properties":{"a":{"nullable":true}}}"#,
            r#"{"items":[{}]}"#,
            r#"{"minimum":1,"exclusiveMinimum":true}"#,
            r#"{"multipleOf":0.01}"#,
            r#"{"maximum":18446744073709551616}"#,
            r#"{"$defs":{"a":{"$id":"b"}}}"#,
            r##"{"$dynamicRef":"#a"}"##,
        ] {
            assert_eq!(schema(&read(text)), None, "{text}");
        }
        let plain = schema(&read(r#"{"$id":"x:y","$schema":"z","type":"object"}"#));
        assert_eq!(plain, Some(serde_json::from_str(r#"{"type":"object"}"#).unwrap()));
    }

    fn bounded(schema: &str, value: &str) -> bool {
        let schema = parse(schema, Mode::Strict).unwrap().value;
        let schema = Schema::compile(&schema, &SchemaLimits::default()).unwrap().schema;
        is_bounded(schema.root(), &parse(value, Mode::Strict).unwrap().value)
    }

    #[test]
    fn usual_work_is_bounded_and_work_that_doubles_is_not() {
        let tree =
            r##"{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}"##;
        assert!(bounded(tree, r#"{"kids":[{"kids":[]},{"kids":[{"kids":[]}]}]}"#));
        let twice = r##"{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}"##;
        let deep = |depth| String::from("[").repeat(depth) + &"]".repeat(depth);
        assert!(bounded(twice, &deep(5)));
        assert!(!bounded(twice, &deep(24)));
        let step = |n: usize| {
            let next = n + 1;
            format!(
                r##""d{n}":{{"anyOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}}"##
            )
        };
        let steps: Vec<String> = (0..14).map(step).collect();
        let source = |steps: &[String]| {
            let last = steps.len();
            format!(
                r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d{last}":{{"not":{{}}}}}}}}"##,
                steps.join(",")
            )
        };
        assert!(bounded(&source(&steps[..5]), "1"));
        assert!(!bounded(&source(&(0..21).map(step).collect::<Vec<_>>()), "1"));
    }

    #[test]
    fn a_stack_too_high_is_found_before_it_is_built() {
        let deep = |depth| String::from("[").repeat(depth) + &"]".repeat(depth);
        let lists = r##"{"items":{"$ref":"#"}}"##;
        assert!(bounded(lists, &deep(20)));
        assert!(!bounded(lists, &deep(100)));
    }
}
