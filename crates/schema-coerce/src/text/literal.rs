//! Whether a schema with `enum` or `const` in it holds a value.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use crate::schema::{Id, Inner, Node, NodeData};
use crate::types::Types;

/// Whether the node allows the value, as far as types and literals go. Linear in the references and
/// combinators below the node: each is asked once, the lower ones first.
pub(super) fn accepts(node: Node<'_>, value: &Value) -> bool {
    let (facts, of) = (node.facts(), Types::of(value));
    if !facts.literals {
        return facts.allowed.meets(of);
    }
    let mut check = Check { inner: node.inner, of, answers: BTreeMap::new() };
    for (_, id) in check.undecided(node.id) {
        let answer = check.decide(node.inner.get(id), value);
        check.answers.insert(id, answer);
    }
    check.answer(node.id)
}

struct Check<'a> {
    inner: &'a Inner,
    /// The type of the value.
    of: Types,
    answers: BTreeMap<Id, bool>,
}

impl Check<'_> {
    /// The nodes that must look at the value itself, by height.
    fn undecided(&self, top: Id) -> Vec<(usize, Id)> {
        let mut found = BTreeMap::new();
        let mut stack = vec![top];
        while let Some(id) = stack.pop() {
            let data = self.inner.get(id);
            let undecided = data.facts.literals && data.facts.allowed.meets(self.of);
            if undecided && found.insert(id, data.facts.height).is_none() {
                stack.extend(data.edges());
            }
        }
        let mut found: Vec<_> = found.into_iter().map(|(id, height)| (height, id)).collect();
        found.sort_unstable();
        found
    }

    /// Whether one node holds the value; those below it have answered.
    fn decide(&self, data: &NodeData, value: &Value) -> bool {
        let null = data.nullable && self.of == Types::NULL;
        null || (data.own.meets(self.of)
            && data.literals.as_ref().is_none_or(|literals| literals.contains(value))
            && data.all.iter().all(|id| self.answer(*id))
            && data.any.iter().all(|group| group.iter().any(|id| self.answer(*id))))
    }

    fn answer(&self, id: Id) -> bool {
        let facts = &self.inner.get(id).facts;
        facts.allowed.meets(self.of)
            && (!facts.literals || self.answers.get(&id).copied().unwrap_or(false))
    }
}
