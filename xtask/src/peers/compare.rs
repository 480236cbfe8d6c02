//! Lists of calls side by side: which calls differ, and in which values.

use std::collections::BTreeSet;

use serde_json::Value;

/// A call that was read, or meant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Value,
}

impl Call {
    pub(super) fn new(name: &str, arguments: &Value) -> Self {
        Self { name: name.to_owned(), arguments: normal(arguments) }
    }
}

/// A call that the two sides do not have alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Difference<'a> {
    Both { ours: &'a Call, theirs: &'a Call },
    OnlyOurs(&'a Call),
    OnlyTheirs(&'a Call),
}

/// What differs, in the order of our calls. Equal calls are matched first, then those between them
/// that have one name.
pub(super) fn differences<'a>(ours: &'a [Call], theirs: &'a [Call]) -> Vec<Difference<'a>> {
    let (mut found, mut from) = (Vec::new(), (0, 0));
    let mut anchors = common(ours, theirs);
    anchors.push((ours.len(), theirs.len()));
    for (our, their) in anchors {
        let (mine, others) = (ours.get(from.0..our), theirs.get(from.1..their));
        between(mine.unwrap_or_default(), others.unwrap_or_default(), &mut found);
        from = (our + 1, their + 1);
    }
    found
}

/// The longest common subsequence, as pairs of places.
fn common(ours: &[Call], theirs: &[Call]) -> Vec<(usize, usize)> {
    let Some((first, rest)) = ours.split_first() else { return Vec::new() };
    let shifted = |pairs: Vec<(usize, usize)>, by: usize| -> Vec<(usize, usize)> {
        pairs.into_iter().map(|(our, their)| (our + 1, their + by)).collect()
    };
    let without = shifted(common(rest, theirs), 0);
    let Some(at) = theirs.iter().position(|call| call == first) else { return without };
    let mut with = vec![(0, at)];
    with.extend(shifted(common(rest, theirs.get(at + 1..).unwrap_or_default()), at + 1));
    if with.len() > without.len() || at == 0 { with } else { without }
}

fn between<'a>(ours: &'a [Call], theirs: &'a [Call], found: &mut Vec<Difference<'a>>) {
    let mut left: Vec<&Call> = theirs.iter().collect();
    for call in ours {
        match left.iter().position(|other| other.name.eq_ignore_ascii_case(&call.name)) {
            Some(at) => found.push(Difference::Both { ours: call, theirs: left.remove(at) }),
            None => found.push(Difference::OnlyOurs(call)),
        }
    }
    found.extend(left.into_iter().map(Difference::OnlyTheirs));
}

/// One value that differs; `None` where a side has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaf<'a> {
    /// The keys on the way there; those of lists are left out.
    pub(super) key: Option<&'a str>,
    pub(super) ours: Option<&'a Value>,
    pub(super) theirs: Option<&'a Value>,
    /// `Null` where nothing is declared.
    pub(super) schema: &'a Value,
}

/// The values in which two arguments differ.
pub(super) fn leaves<'a>(ours: &'a Value, theirs: &'a Value, schema: &'a Value) -> Vec<Leaf<'a>> {
    let mut found = Vec::new();
    let leaf = Leaf { key: None, ours: Some(ours), theirs: Some(theirs), schema };
    descend(leaf, &mut found);
    found
}

fn descend<'a>(leaf: Leaf<'a>, found: &mut Vec<Leaf<'a>>) {
    if leaf.ours == leaf.theirs {
        return;
    }
    match (leaf.ours, leaf.theirs) {
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
            for key in keys {
                let schema = leaf.schema.get("properties").and_then(|all| all.get(key));
                let schema = schema.unwrap_or(&Value::Null);
                let (ours, theirs) = (ours.get(key), theirs.get(key));
                descend(Leaf { key: Some(key), ours, theirs, schema }, found);
            }
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs))) if ours.len() == theirs.len() => {
            let schema = leaf.schema.get("items").unwrap_or(&Value::Null);
            for (ours, theirs) in ours.iter().zip(theirs) {
                let (ours, theirs) = (Some(ours), Some(theirs));
                descend(Leaf { key: leaf.key, ours, theirs, schema }, found);
            }
        }
        _ => found.push(leaf),
    }
}

/// The value with whole numbers as integers: `3.0` and `3` are one number to JavaScript.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                Value::from(float as i64)
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), normal(value))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Call, Difference, differences, leaves};

    fn calls(list: &[(&str, Value)]) -> Vec<Call> {
        list.iter().map(|(name, arguments)| Call::new(name, arguments)).collect()
    }

    #[test]
    fn whole_numbers_are_one_number() {
        assert_eq!(Call::new("a", &json!({"x": [3.0]})), Call::new("a", &json!({"x": [3]})));
        assert_ne!(Call::new("a", &json!({"x": 3})), Call::new("a", &json!({"x": "3"})));
    }

    #[test]
    fn equal_calls_are_matched_before_names() {
        let ours = calls(&[("a", json!({"x": 1})), ("a", json!({"x": 2})), ("b", json!({}))]);
        let theirs = calls(&[("a", json!({"x": 2})), ("c", json!({})), ("b", json!({}))]);
        let found = differences(&ours, &theirs);
        assert_eq!(found, [Difference::OnlyOurs(&ours[0]), Difference::OnlyTheirs(&theirs[1])]);
    }

    #[test]
    fn one_name_is_one_call_that_differs() {
        let ours = calls(&[("a", json!({"x": 1}))]);
        let theirs = calls(&[("a", json!({"x": "1"}))]);
        let both = Difference::Both { ours: &ours[0], theirs: &theirs[0] };
        assert_eq!(differences(&ours, &theirs), [both]);
        assert!(differences(&ours, &ours).is_empty());
    }

    #[test]
    fn leaves_carry_their_schema() {
        let schema = json!({"properties": {"n": {"type": "integer"}}});
        let (ours, theirs) = (json!({"n": 1, "m": 2, "k": 0}), json!({"n": "1", "k": 0}));
        let found = leaves(&ours, &theirs, &schema);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].key, found[0].theirs), (Some("m"), None));
        assert_eq!(found[1].schema, &json!({"type": "integer"}));
    }
}
