//! The compiled schema and the handles into it.
//!
//! A schema is a flat list of nodes; a [`Node`] is an index with a borrow. References are followed,
//! and members and entries are merged through combinators, at compile time: a look-up is one binary
//! search and never walks.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use toolweir_rjson::Value;

use crate::compile;
use crate::error::{Note, SchemaError, SchemaLimits};
use crate::rules::Rules;
use crate::text::{self, TextStyle, Typed};
use crate::types::{Facts, Types};

/// Index of a node.
pub(crate) type Id = u32;

/// One schema of the document.
#[derive(Clone, Debug)]
pub(crate) struct NodeData {
    /// The types its own keywords allow, references and combinators left aside.
    pub(crate) own: Types,
    /// The members of its own `enum` or `const`.
    pub(crate) literals: Option<Box<[Value]>>,
    /// `nullable: true`: null is allowed whatever the rest says.
    pub(crate) nullable: bool,
    /// Schemas that all hold: `$ref`, `allOf`.
    pub(crate) all: Vec<Id>,
    /// Groups of which one must hold: `anyOf`, `oneOf`.
    pub(crate) any: Vec<Vec<Id>>,
    pub(crate) facts: Facts,
    pub(crate) shape: Shape,
    /// Its keywords as written.
    pub(crate) rules: Arc<Rules>,
    /// Schemas about the same value that need not hold: `not`, `if`, `then`, `else` and those that
    /// a member brings.
    pub(crate) maybe: Vec<Id>,
    /// Its place in the document, as a JSON Pointer; empty for one made by merging.
    pub(crate) path: Box<str>,
}

impl NodeData {
    /// A node that allows these types and names `named` of them.
    pub(crate) fn plain(allowed: Types, named: Types) -> Self {
        Self {
            own: allowed,
            literals: None,
            nullable: false,
            all: Vec::new(),
            any: Vec::new(),
            facts: Facts { named, ..Facts::types(allowed) },
            shape: Shape::default(),
            rules: Arc::default(),
            maybe: Vec::new(),
            path: Box::default(),
        }
    }

    /// Whether nothing beside types is said about a value.
    pub(crate) fn is_silent(&self) -> bool {
        let rules = &self.rules;
        self.edges().next().is_none()
            && self.maybe.is_empty()
            && self.literals.is_none()
            && rules.string.is_open()
            && !rules.object.says_something()
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

/// Members by name.
#[derive(Debug)]
pub(crate) struct Table {
    /// Sorted by key.
    pub(crate) members: Vec<(Arc<str>, Id)>,
    pub(crate) rest: Rest,
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
    pub(crate) max_number_digits: usize,
}

impl Inner {
    pub(crate) fn get(&self, id: Id) -> &NodeData {
        self.nodes.get(id as usize).unwrap_or(&self.any)
    }
}

/// The two nodes every schema begins with: [`ANY`] and [`NEVER`].
pub(crate) fn fixed_nodes() -> Vec<NodeData> {
    vec![NodeData::plain(Types::ALL, Types::NONE), NodeData::plain(Types::NONE, Types::NONE)]
}

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
        let (nodes, root, notes) = compile::compile(value, limits)?;
        let schema = Self::from_nodes(nodes, root, limits.max_number_digits);
        Ok(Compiled { schema, notes })
    }

    /// The schema that says nothing: every text is a string.
    #[must_use]
    pub fn any() -> Self {
        Self::from_nodes(fixed_nodes(), ANY, SchemaLimits::default().max_number_digits)
    }

    fn from_nodes(nodes: Vec<NodeData>, root: Id, max_number_digits: usize) -> Self {
        let any = NodeData::plain(Types::ALL, Types::NONE);
        Self { inner: Arc::new(Inner { nodes, any, root, max_number_digits }) }
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

/// A node without its borrow, for keeping between two chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(Id);

/// What a schema says about one member of an object. Complete: there is no fifth thing to say.
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// Declared by `properties`, here or in a reference or branch. Several declarations are merged:
    /// those of `allOf` all hold, of those in `anyOf` and `oneOf` any may.
    Declared(Node<'a>),
    /// Not declared, but undeclared members have a schema. With `patternProperties` present that
    /// schema says nothing, as any key may match.
    Additional(Node<'a>),
    /// Nothing is said about it.
    Open,
    /// Undeclared members are forbidden.
    Closed,
}

impl<'a> Member<'a> {
    /// The node to read the member by; none when nothing is said about it or it is forbidden.
    #[must_use]
    pub fn node(self) -> Option<Node<'a>> {
        match self {
            Self::Declared(node) | Self::Additional(node) => Some(node),
            Self::Open | Self::Closed => None,
        }
    }
}

/// One schema of a compiled document: a handle, free to copy.
///
/// References are transparent: asking a node that is only `$ref` asks its target.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(crate) inner: &'a Inner,
    pub(crate) id: Id,
}

impl<'a> Node<'a> {
    pub(crate) fn data(self) -> &'a NodeData {
        self.inner.get(self.id)
    }

    pub(crate) fn facts(self) -> &'a Facts {
        &self.data().facts
    }

    pub(crate) fn at(self, id: Id) -> Self {
        Self { inner: self.inner, id }
    }

    /// The id for [`Schema::node`].
    #[must_use]
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// What is said about the member `key`. One binary search.
    #[must_use]
    pub fn member(self, key: &str) -> Member<'a> {
        let Some(table) = &self.data().shape.table else { return Member::Open };
        let found = table.members.binary_search_by(|(name, _)| (**name).cmp(key));
        if let Some((_, id)) = found.ok().and_then(|place| table.members.get(place)) {
            return Member::Declared(self.at(*id));
        }
        match table.rest {
            Rest::Open => Member::Open,
            Rest::Closed => Member::Closed,
            Rest::Schema(id) => Member::Additional(self.at(id)),
        }
    }

    /// The declared members, and whether a list is meant by each.
    pub(crate) fn declared(self) -> impl Iterator<Item = (&'a str, bool)> {
        let table = self.data().shape.table.as_deref();
        let members = table.map(|table| table.members.as_slice()).unwrap_or_default();
        members
            .iter()
            .map(move |(name, id)| (&**name, self.at(*id).facts().tried().meets(Types::ARRAY)))
    }

    /// Whether members that are not declared are forbidden.
    pub(crate) fn is_closed(self) -> bool {
        self.data().shape.table.as_deref().is_some_and(|table| table.rest == Rest::Closed)
    }

    /// The names of the members that are declared, in the order of their bytes.
    pub fn property_names(self) -> impl Iterator<Item = &'a str> {
        let table = self.data().shape.table.as_deref();
        table.into_iter().flat_map(|table| table.members.iter().map(|(name, _)| &**name))
    }

    /// The schema of the entries of an array, behind those that have a schema by their place.
    #[must_use]
    pub fn items(self) -> Option<Self> {
        let entries = self.data().shape.entries.as_ref()?;
        entries.rest.map(|id| self.at(id))
    }

    /// The schema of the entry at place `index`, counted from 0: by `prefixItems` (or an
    /// array-valued `items`), else [`items`](Self::items).
    #[must_use]
    pub fn item(self, index: usize) -> Option<Self> {
        let entries = self.data().shape.entries.as_ref()?;
        entries.prefix.get(index).copied().or(entries.rest).map(|id| self.at(id))
    }

    /// Whether nothing but the text itself can be meant: only strings are allowed, `enum` and
    /// `const` of strings included. Such a value can pass as it comes.
    #[must_use]
    pub fn is_string_only(self) -> bool {
        let facts = self.facts();
        facts.allowed == Types::STRING || facts.tried() == Types::STRING
    }

    /// Whether it accepts everything and says nothing about the type.
    #[must_use]
    pub fn is_untyped(self) -> bool {
        let facts = self.facts();
        facts.allowed == Types::ALL && facts.tried().is_empty()
    }

    /// Whether a string is allowed.
    #[must_use]
    pub fn allows_string(self) -> bool {
        self.facts().allowed.meets(Types::STRING)
    }

    /// Whether an array is allowed; true for a node that says nothing.
    #[must_use]
    pub fn allows_array(self) -> bool {
        self.facts().allowed.meets(Types::ARRAY)
    }

    /// Whether an object is allowed; true for a node that says nothing.
    #[must_use]
    pub fn allows_object(self) -> bool {
        self.facts().allowed.meets(Types::OBJECT)
    }

    /// Whether null is allowed; true for a node that says nothing.
    #[must_use]
    pub fn allows_null(self) -> bool {
        self.facts().allowed.meets(Types::NULL)
    }

    /// Whether it is a list property: an array is allowed and a string is not.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.allows_array() && !self.allows_string()
    }

    /// Whether a text that begins with `first` (`{` or `[`, blanks skipped) may go out as it comes
    /// while it stays strict JSON: whole, [`read_text`](Self::read_text) gives the same bytes.
    /// False where a string is allowed, as text that breaks off being JSON is then a string, and
    /// under `enum` and `const`. A text that turns out not to be JSON has no reading that keeps what
    /// has gone out; the caller settles that.
    #[must_use]
    pub fn streams_raw(self, first: char) -> bool {
        let facts = self.facts();
        let wanted = match first {
            '{' => Types::OBJECT,
            '[' => Types::ARRAY,
            _ => return false,
        };
        !facts.literals && !self.allows_string() && facts.tried().meets(wanted)
    }

    /// Reads bare text, as a tag-like format carries it, as the value the schema asks for; see
    /// [the crate's rules](crate#rules). Total: a text that fits nothing is kept as a string, with a
    /// [`Problem`](crate::Problem).
    ///
    /// ```
    /// use toolweir_rjson::{Mode, parse};
    /// use toolweir_schema_coerce::{Schema, SchemaLimits, TextStyle};
    ///
    /// let source = parse(r#"{"type":["integer","null"]}"#, Mode::Strict).unwrap().value;
    /// let schema = Schema::compile(&source, &SchemaLimits::default()).unwrap().schema;
    /// assert_eq!(schema.root().read_text("None", TextStyle::Bare).json, "null");
    /// let odd = schema.root().read_text("007", TextStyle::Bare);
    /// assert_eq!(odd.json, "\"007\"");
    /// assert_eq!(odd.problem.unwrap().code, "coerce::number");
    /// ```
    #[must_use]
    pub fn read_text(self, text: &str, style: TextStyle) -> Typed {
        text::read(self, text, style)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id)
            .field("allowed", &self.facts().allowed.names())
            .finish_non_exhaustive()
    }
}
