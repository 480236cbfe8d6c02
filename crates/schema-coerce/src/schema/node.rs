//! Handles into a compiled schema: what it says about a value, a member, an entry.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use toolweir_rjson::{Expect, Kinds, Member as ExpectedMember, Shape as Expected, Value};

use super::Schema;
use super::data::{Id, Inner, NEVER, NodeData, Rest};
use crate::rules::{Facts, Types};
use crate::text::{self, TextStyle, Typed};

/// A node without its borrow, for keeping between two chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) Id);

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

    /// Its place in the document, as a JSON Pointer.
    pub(crate) fn path(self) -> String {
        self.inner.path(self.id)
    }

    pub(crate) fn facts(self) -> &'a Facts {
        &self.data().facts
    }

    pub(crate) fn at(self, id: Id) -> Self {
        Self { inner: self.inner, id }
    }

    /// The id for [`Schema::node`](crate::Schema::node).
    #[must_use]
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// What is said about the member `key`. One binary search; where the schema has patterns and the
    /// feature `regex` is on, one match a pattern besides.
    #[must_use]
    pub fn member(self, key: &str) -> Member<'a> {
        let Some(table) = &self.data().shape.table else { return Member::Open };
        if let Some(id) = table.member(key) {
            return Member::Declared(self.at(id));
        }
        let rules = &self.data().rules().object;
        if !rules.patterns.is_empty() && !rules.unknown_patterns && self.data().all.is_empty() {
            let holding = rules.of_member(key);
            return match holding.first() {
                None => Member::Open,
                Some(_) if holding.iter().any(|(id, _)| *id == NEVER) => Member::Closed,
                Some((id, _)) => Member::Additional(self.at(*id)),
            };
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
        members.iter().map(move |m| (&*m.name, self.at(m.id).facts().tried().meets(Types::ARRAY)))
    }

    /// Whether members that are not declared are forbidden.
    pub(crate) fn is_closed(self) -> bool {
        self.data().shape.table.as_deref().is_some_and(|table| table.rest == Rest::Closed)
    }

    /// Whether it says which members there are, be it none.
    #[must_use]
    pub fn names_members(self) -> bool {
        self.data().shape.table.is_some()
    }

    /// The names of the members that are declared, in the order of their bytes.
    pub fn property_names(self) -> impl Iterator<Item = &'a str> {
        let table = self.data().shape.table.as_deref();
        table.into_iter().flat_map(|table| table.members.iter().map(|member| &*member.name))
    }

    /// The place of a declared member among [`property_names`](Self::property_names).
    pub(crate) fn place(self, key: &str) -> Option<usize> {
        self.data().shape.table.as_deref()?.place(key)
    }

    /// The declared member at that place.
    pub(crate) fn declared_at(self, place: usize) -> Option<Self> {
        let members = &self.data().shape.table.as_deref()?.members;
        members.get(place).map(|member| self.at(member.id))
    }

    /// The schema of the entries of an array, after those that have a schema by their place.
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

    /// Whether it refuses every value, as the schema `false` does.
    #[must_use]
    pub fn allows_nothing(self) -> bool {
        self.facts().allowed.is_empty()
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

    /// Whether nothing but an array is allowed.
    #[must_use]
    pub fn is_array_only(self) -> bool {
        self.facts().allowed == Types::ARRAY
    }

    /// Whether a text that begins with `first` (`{` or `[`, whitespace skipped) may go out as it comes
    /// while it stays strict JSON: whole, [`read_text`](Self::read_text) gives the same bytes.
    /// False where a string is allowed, as text that breaks off being JSON is then a string, and
    /// under `enum` and `const`. A text that turns out not to be JSON has no reading that keeps what
    /// has gone out; the caller resolves that.
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
    /// assert_eq!(odd.problem.unwrap().kind.as_str(), "coerce::number");
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
                true => ExpectedMember::required(&member.name, place(member.id)),
                false => ExpectedMember::optional(&member.name, place(member.id)),
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
