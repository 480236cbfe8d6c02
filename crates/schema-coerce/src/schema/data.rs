//! What a compiled schema is made of: a flat list of nodes that name one another by index.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use crate::compile::Paths;
#[cfg(feature = "validate")]
use crate::gate::Gate;
use crate::rules::{Facts, Rules, TypeList, Types};

/// Index of a node.
pub(crate) type Id = u32;

/// One schema of the document.
#[derive(Clone, Debug)]
pub(crate) struct NodeData {
    /// The types its own keywords allow, references and combinators left aside.
    pub(crate) own: Types,
    /// The types of `type`; none when it is absent.
    pub(crate) types: Option<TypeList>,
    /// The members of its own `enum` or `const`.
    pub(crate) literals: Option<Box<[Value]>>,
    /// Whether `const` has a say about them, not only `enum`.
    pub(crate) constant: bool,
    /// `nullable: true`: null is allowed whatever the rest says.
    pub(crate) nullable: bool,
    /// Schemas that all hold: `$ref`, `allOf`.
    pub(crate) all: Vec<Id>,
    /// Groups of which one must hold: `anyOf`, `oneOf`.
    pub(crate) any: Vec<Vec<Id>>,
    /// Which of the groups is `oneOf`.
    pub(crate) one: Option<usize>,
    pub(crate) facts: Facts,
    pub(crate) shape: Shape,
    /// Its other keywords as written, if there are any.
    pub(crate) rules: Option<Box<Rules>>,
    /// Schemas about the same value that need not hold: `not`, `if`, `then`, `else` and those that
    /// a member brings.
    pub(crate) maybe: Vec<Id>,
    /// What a schema that says nothing but `$ref` leads to, through others of its kind.
    pub(crate) target: Option<Id>,
}

impl NodeData {
    /// A node that allows these types and names `named` of them.
    pub(crate) fn plain(allowed: Types, named: Types) -> Self {
        Self {
            own: allowed,
            types: None,
            literals: None,
            constant: false,
            nullable: false,
            all: Vec::new(),
            any: Vec::new(),
            one: None,
            facts: Facts { named, ..Facts::types(allowed) },
            shape: Shape::default(),
            rules: None,
            maybe: Vec::new(),
            target: None,
        }
    }

    /// Its keywords, those aside that list types and values.
    pub(crate) fn rules(&self) -> &Rules {
        self.rules.as_deref().unwrap_or(Rules::NONE)
    }

    /// The keyword that says which values there are.
    pub(crate) fn literal_keyword(&self) -> &'static str {
        if self.constant { "const" } else { "enum" }
    }

    /// The schema that it stands for, where it says nothing itself: `$ref` alone.
    pub(crate) fn reference(&self) -> Option<Id> {
        match self.all.as_slice() {
            [only] if self.any.is_empty() && self.rules.is_none() => {
                let silent = self.types.is_none() && self.literals.is_none() && !self.nullable;
                silent.then_some(*only)
            }
            _ => None,
        }
    }

    /// Whether no other schema speaks of the same value.
    pub(crate) fn stands_alone(&self) -> bool {
        self.all.is_empty() && self.any.is_empty() && self.maybe.is_empty()
    }

    /// Whether nothing beside types is said about a value.
    pub(crate) fn is_silent(&self) -> bool {
        let rules = self.rules();
        self.stands_alone()
            && self.literals.is_none()
            && rules.string.is_open()
            && !rules.object.says_something()
            && rules.object.needs.is_empty()
            && self.shape.table.is_none()
            && self.shape.entries.is_none()
    }

    /// Every schema that is consulted about the same value.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Id> + '_ {
        self.all.iter().chain(self.any.iter().flatten()).copied()
    }
}

/// Members and entries, shared between nodes that say the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) table: Option<Arc<Table>>,
    pub(crate) entries: Option<Arc<Entries>>,
}

/// Up to so many members a linear search is faster than a binary one.
const FEW: usize = 8;

/// Members by name.
#[derive(Debug)]
pub(crate) struct Table {
    /// Sorted by key.
    pub(crate) members: Vec<Declared>,
    pub(crate) rest: Rest,
}

impl Table {
    /// Members in the order of their names, those of one name in the order they came.
    pub(crate) fn sorted(members: &[Declared]) -> Vec<Declared> {
        let order = by_name(members.iter().map(|member| &*member.name).zip(0..).collect());
        order.into_iter().filter_map(|at| members.get(at as usize).cloned()).collect()
    }

    /// The schema of a declared member.
    pub(crate) fn member(&self, key: &str) -> Option<Id> {
        self.members.get(self.place(key)?).map(|member| member.id)
    }

    /// The place of a declared member.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        let begin = begin(key);
        if self.members.len() <= FEW {
            return self.members.iter().position(|m| m.begin == begin && *m.name == *key);
        }
        let order =
            |member: &Declared| member.begin.cmp(&begin).then_with(|| (*member.name).cmp(key));
        self.members.binary_search_by(order).ok()
    }
}

/// The places in the order of the names beside them; those of one name in their own order.
pub(crate) fn by_name(mut names: Vec<(&str, u32)>) -> Vec<u32> {
    names.sort_unstable();
    names.into_iter().map(|(_, place)| place).collect()
}

/// A declared member.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// The beginning of the name, by which most names differ.
    begin: u64,
    pub(crate) name: Arc<str>,
    pub(crate) id: Id,
}

impl Declared {
    pub(crate) fn new(name: Arc<str>, id: Id) -> Self {
        Self { begin: begin(&name), name, id }
    }
}

/// The first eight bytes of a text as a number, in the order of texts; zeros where there are fewer.
fn begin(text: &str) -> u64 {
    let bytes = text.as_bytes();
    if let Some(first) = bytes.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    bytes.iter().rev().fold(0, |after, byte| u64::from(*byte) << 56 | after >> 8)
}

/// What holds for members that are not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    Open,
    Closed,
    Schema(Id),
}

/// Entries by place.
#[derive(Debug)]
pub(crate) struct Entries {
    pub(crate) prefix: Vec<Id>,
    pub(crate) rest: Option<Id>,
}

/// The node that says nothing, present in every schema.
pub(crate) const ANY: Id = 0;
/// The node that allows nothing, present in every schema.
pub(crate) const NEVER: Id = 1;

pub(crate) struct Inner {
    pub(crate) nodes: Vec<NodeData>,
    /// Stands in for an index that is not of this schema.
    pub(crate) any: NodeData,
    pub(crate) root: Id,
    /// Where the nodes stand in the document.
    pub(crate) paths: Paths,
    pub(crate) max_number_digits: usize,
    #[cfg(feature = "validate")]
    pub(crate) gate: Gate,
}

impl Inner {
    pub(crate) fn get(&self, id: Id) -> &NodeData {
        self.nodes.get(id as usize).unwrap_or(&self.any)
    }

    /// A schema and those below it, as `below` names them, each once, by height: the lower ones first.
    pub(crate) fn below(
        &self,
        top: Id,
        mut below: impl FnMut(Id, &mut Vec<Id>),
    ) -> Vec<(usize, Id)> {
        let mut order = Vec::new();
        let mut stack = vec![top];
        while let Some(id) = stack.pop() {
            let schema = (self.get(id).facts.height, id);
            if let Err(place) = order.binary_search(&schema) {
                order.insert(place, schema);
                below(id, &mut stack);
            }
        }
        order
    }

    /// Decides schemas in the order of [`below`](Self::below), each by what is known of those that it names;
    /// the answer of the last, which is the top.
    pub(crate) fn bottom_up<T: Copy>(
        &self,
        order: &[(usize, Id)],
        mut decide: impl FnMut(Id, &dyn Fn(Id) -> Option<T>) -> T,
    ) -> Option<T> {
        let mut answers: Vec<T> = Vec::with_capacity(order.len());
        for (_, id) in order {
            let answer = decide(*id, &|id| {
                let schema = (self.get(id).facts.height, id);
                answers.get(order.binary_search(&schema).ok()?).copied()
            });
            answers.push(answer);
        }
        answers.pop()
    }

    /// The place of a node, as a JSON Pointer; empty for one made by merging.
    pub(crate) fn path(&self, id: Id) -> String {
        self.paths.path(id)
    }
}

/// The two nodes every schema begins with: [`ANY`] and [`NEVER`].
pub(crate) fn fixed_nodes() -> Vec<NodeData> {
    vec![NodeData::plain(Types::ALL, Types::NONE), NodeData::plain(Types::NONE, Types::NONE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_one_name_stay_in_their_order() {
        let of = |name: &str, ids: core::ops::Range<Id>| -> Vec<Declared> {
            ids.map(|id| Declared::new(name.into(), id)).collect()
        };
        let members = [of("b", 0..30), of("a", 30..60), of("b", 60..90)].concat();
        let sorted: Vec<Id> = Table::sorted(&members).iter().map(|member| member.id).collect();
        assert_eq!(sorted, (30..60).chain(0..30).chain(60..90).collect::<Vec<Id>>());
    }
}
