//! What a validator that recurses and keeps no answers would do, worked out beforehand.
//!
//! The pairs of a schema and a value are walked once each, with a stack of our own; the sums along
//! the way count each pair as often as such a validator would come to it.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use crate::schema::{Id, Inner, Node};

/// Most visits of a pair.
const MAX_VISITS: u64 = 1 << 20;
/// Most pairs that are looked at to find that out.
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
pub(super) fn is_bounded(node: Node<'_>, value: &Value) -> bool {
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

/// The pairs that a pair leads to. A name is looked at as a value that has no parts.
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
    use alloc::string::String;

    use super::*;
    use crate::{Schema, SchemaLimits};
    use toolweir_rjson::{Mode, parse};

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
