//! The compiled schema and the handles into it.
//!
//! A schema is a flat list of nodes; a [`Node`] is an index with a borrow. References are followed,
//! and members and entries are merged through combinators, at compile time: a look-up is one binary
//! search and never walks.

mod data;
mod node;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use toolweir_rjson::Value;

use crate::compile::{self, Nodes};
use crate::error::{Note, SchemaError, SchemaLimits};
#[cfg(feature = "validate")]
use crate::gate::Gate;
use crate::rules::Types;
pub(crate) use data::{
    ANY, Declared, Entries, Id, Inner, NEVER, NodeData, Rest, Shape, Table, by_name, fixed_nodes,
};
pub use node::{Member, Node, NodeId};

/// A compiled schema: immutable, cheap to clone, free to share between threads.
///
/// ```
/// use toolweir_rjson::{Mode, parse};
/// use toolweir_schema_coerce::{Member, Schema, SchemaLimits, TextStyle};
///
/// let source = r#"{"type":"object","properties":{"shafts":{"type":"integer"}}}"#;
/// let source = parse(source, Mode::Strict).unwrap().value;
/// let schema = Schema::compile(&source, &SchemaLimits::default()).unwrap().schema;
/// let Member::Declared(shafts) = schema.root().member("shafts") else { panic!() };
/// assert_eq!(shafts.read_text(" 8 ", TextStyle::Bare).json, "8");
/// ```
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

/// A schema and what was ignored in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// The schema.
    pub schema: Schema,
    /// Malformed keywords that were ignored, in the order they were met.
    pub notes: Vec<Note>,
}

impl Schema {
    /// Compiles a schema. `{"jsonSchema": S}`, an object with that key and no keyword, stands for
    /// `S`, once; pointers then start at `S`.
    ///
    /// Linear in the schema, save for combinators that declare the same member several times: those
    /// are merged within a budget that is a fixed multiple of `limits.max_nodes`.
    ///
    /// # Errors
    /// [`SchemaError`] for a root that is no schema, a reference that cannot be followed, and a
    /// schema beyond the limits. Malformed keywords are ignored with a [`Note`].
    pub fn compile(value: &Value, limits: &SchemaLimits) -> Result<Compiled, SchemaError> {
        let document = compile::unwrapped(value);
        let (nodes, notes) = compile::compile(document, limits)?;
        let schema = Self::from_nodes(nodes, limits.max_number_digits, document);
        Ok(Compiled { schema, notes })
    }

    /// The schema that says nothing: every text is a string.
    #[must_use]
    pub fn any() -> Self {
        let max_number_digits = SchemaLimits::default().max_number_digits;
        let nodes = Nodes { nodes: fixed_nodes(), root: ANY, paths: compile::Paths::default() };
        Self::from_nodes(nodes, max_number_digits, &Value::Bool(true))
    }

    fn from_nodes(nodes: Nodes, max_number_digits: usize, document: &Value) -> Self {
        #[cfg(not(feature = "validate"))]
        let _ = document;
        let Nodes { nodes, root, paths } = nodes;
        let any = NodeData::plain(Types::ALL, Types::NONE);
        Self {
            inner: Arc::new(Inner {
                nodes,
                any,
                root,
                paths,
                max_number_digits,
                #[cfg(feature = "validate")]
                gate: Gate::new(document),
            }),
        }
    }

    /// Whether `jsonschema` has the last word on whole values: false where the schema is left to the
    /// built-in check ([`EXCUSES`](crate::EXCUSES)). Compiles its validator when asked first.
    #[cfg(feature = "validate")]
    #[must_use]
    pub fn is_gated(&self) -> bool {
        self.inner.gate.is_asked()
    }

    /// The node of the whole document.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { inner: &self.inner, id: self.inner.root }
    }

    /// The node with an id that [`Node::id`] of this schema gave. An id of another schema gives some
    /// node or one that says nothing.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { inner: &self.inner, id: id.0 }
    }
}

#[cfg(feature = "meter")]
impl Schema {
    /// How often a pattern, or all patterns of an object at once, ran over the key of a member so far.
    #[must_use]
    pub fn pattern_runs(&self) -> u64 {
        let rules = self.inner.nodes.iter().filter_map(|node| node.rules.as_deref());
        rules.map(|rules| rules.object.patterns.runs()).sum()
    }
}

impl Default for Schema {
    fn default() -> Self {
        Self::any()
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("nodes", &self.inner.nodes.len()).finish_non_exhaustive()
    }
}
