//! What a schema says about damaged JSON: keys, kinds of values, required keys.

use alloc::boxed::Box;
use alloc::vec::Vec;

use toolweir_rjson::{Expect, Kinds, Member, Shape as Expected, Value};

use super::data::{Id, NodeData};
use super::{Node, Schema};
use crate::types::Types;

impl Schema {
    /// What the schema expects of a value, for reading it where it is damaged: each object's declared
    /// keys, which of them are required, and the kinds of all values. Linear in the schema; to be kept
    /// by those who read often.
    ///
    /// ```
    /// use toolweir_rjson::{Mode, Options, parse, parse_with};
    /// use toolweir_schema_coerce::{Schema, SchemaLimits};
    ///
    /// let source = r#"{"properties":{"path":{"type":"string"},"content":{"type":"string"}}}"#;
    /// let source = parse(source, Mode::Strict)?.value;
    /// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
    /// let options = Options::new(Mode::Repair).with_expect(schema.expect());
    /// let parsed = parse_with(r#"{"content": "k = ["a", "b"]", "path": "k.py"}"#, &options)?;
    /// assert_eq!(parsed.value.get("content").unwrap().as_str(), Some(r#"k = ["a", "b"]"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn expect(&self) -> Expect {
        let root = self.root();
        let shapes = (0..self.inner.nodes.len()).filter_map(|id| Id::try_from(id).ok());
        let shapes = shapes.map(|id| shape(root.at(id)));
        Expect::new(shapes).with_root(place(root.id))
    }
}

fn place(id: Id) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

fn shape(node: Node<'_>) -> Expected {
    let data = node.data();
    let mut shape = Expected::new(kinds(data.facts.allowed));
    if let Some(table) = data.shape.table.as_deref()
        && (!table.members.is_empty() || node.is_closed())
    {
        shape = shape.with_members(table.members.iter().map(|member| {
            match is_required(node, &member.name) {
                true => Member::required(&member.name, place(member.id)),
                false => Member::optional(&member.name, place(member.id)),
            }
        }));
    }
    if let Some(entries) = data.shape.entries.as_deref()
        && entries.prefix.is_empty()
        && let Some(rest) = entries.rest
    {
        shape = shape.with_entry(place(rest));
    }
    let texts = texts(node);
    if texts.is_empty() { shape } else { shape.with_texts(texts) }
}

fn kinds(types: Types) -> Kinds {
    let table = [
        (Types::NULL, Kinds::NULL),
        (Types::BOOLEAN, Kinds::BOOLEAN),
        (Types::NUMBER, Kinds::NUMBER),
        (Types::STRING, Kinds::STRING),
        (Types::ARRAY, Kinds::ARRAY),
        (Types::OBJECT, Kinds::OBJECT),
    ];
    let allowed = table.iter().filter(|(wanted, _)| types.meets(*wanted));
    allowed.fold(Kinds::NONE, |kinds, (_, kind)| kinds.with(*kind))
}

/// The node and what must hold beside it, through references alone.
fn holding(node: Node<'_>) -> impl Iterator<Item = &NodeData> {
    let data = node.data();
    let target = data.target.map(|id| node.at(id).data());
    let all = data.all.iter().map(move |id| node.at(*id).data());
    core::iter::once(data).chain(target).chain(all)
}

fn is_required(node: Node<'_>, name: &str) -> bool {
    holding(node).any(|data| data.rules().object.required.iter().any(|key| **key == *name))
}

/// The strings that are allowed, where only some are.
fn texts(node: Node<'_>) -> Vec<Box<str>> {
    let literals = holding(node).find_map(|data| data.literals.as_deref());
    let texts = literals.unwrap_or_default().iter().filter_map(Value::as_str);
    texts.map(Box::from).collect()
}
