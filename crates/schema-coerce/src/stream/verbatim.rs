//! Values that a coercer passes as they were written: the same questions for less work.

use alloc::vec::Vec;

use toolweir_rjson::Kind;

use super::plan::{self, Plan};
use super::state::Keys;
use crate::coerce::{NullOptional, Policy, Undeclared};
use crate::rules::Types;
use crate::schema::{Node, NodeId, Schema};

/// Undeclared keys that are told apart.
const MOST_KEYS: usize = 32;

/// Follows a value that is still coming for as long as a [`StreamCoercer`](super::StreamCoercer) surely
/// passes it verbatim and reports nothing.
///
/// Each method takes the next part of the value and says whether that is still so. `false` is no verdict:
/// a coercer must then be asked, from the beginning. A key that comes again is such a case, with a schema
/// or without.
///
/// ```
/// use toolweir_rjson::{Kind, Mode, parse};
/// use toolweir_schema_coerce::{Policy, Schema, SchemaLimits, StringPlan, Verbatim};
///
/// let source = r#"{"properties":{"weft":{"type":"string"},"shafts":{"type":"integer"}}}"#;
/// let source = parse(source, Mode::Strict)?.value;
/// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
/// let mut verbatim = Verbatim::default();
/// verbatim.begin(Some(&schema), &Policy::default());
/// assert!(verbatim.open(false) && verbatim.key("weft"));
/// assert_eq!(verbatim.string(), StringPlan::Any);
/// assert!(verbatim.key("shafts") && !verbatim.scalar(&Kind::Number, "8.5"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Verbatim {
    schema: Option<Schema>,
    max_depth: usize,
    keeps_undeclared: bool,
    keeps_null: bool,
    /// The innermost open container, and those around it: most values have one alone.
    innermost: Option<Frame>,
    outer: Vec<Frame>,
    /// Hashes of undeclared keys of the open objects, one object after another.
    hashes: Vec<u64>,
    /// The schema of the value that comes next; none: nothing is said about it.
    next: Option<NodeId>,
}

/// An open object or list.
#[derive(Debug)]
struct Frame {
    node: Option<NodeId>,
    array: bool,
    count: usize,
    /// The declared keys that came.
    keys: Keys,
    /// Where the hashes of its other keys begin.
    hashes: usize,
}

/// What must be known of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringPlan {
    /// Nothing: it may go out while it comes.
    Any,
    /// All of it: [`Verbatim::listed`] is to be asked at its end.
    Listed,
    /// A coercer must be asked.
    Unknown,
}

impl Verbatim {
    /// Begins a value of that schema; without one, of any.
    pub fn begin(&mut self, schema: Option<&Schema>, policy: &Policy) {
        self.schema = schema.filter(|schema| !schema.root().is_untyped()).cloned();
        self.max_depth = policy.max_depth;
        self.keeps_undeclared = policy.undeclared == Undeclared::Keep;
        self.keeps_null = policy.null_optional == NullOptional::Keep;
        self.innermost = None;
        self.outer.clear();
        self.hashes.clear();
        self.next = self.schema.as_ref().map(|schema| schema.root().id());
    }

    /// Containers that are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.outer.len() + usize::from(self.innermost.is_some())
    }

    /// Whether a container is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.innermost.is_some()
    }

    /// Whether the innermost open container is a list.
    #[must_use]
    pub fn in_array(&self) -> bool {
        self.innermost.as_ref().is_some_and(|frame| frame.array)
    }

    /// A key of the innermost object.
    pub fn key(&mut self, key: &str) -> bool {
        let Some(frame) = &mut self.innermost else { return false };
        frame.count = frame.count.saturating_add(1);
        let Some((schema, id)) = self.schema.as_ref().zip(frame.node) else {
            self.next = None;
            return is_new(&mut self.hashes, frame.hashes, key);
        };
        let node = schema.node(id);
        if let Some(place) = node.place(key) {
            let member = node.declared_at(place);
            self.next = member.map(Node::id);
            return frame.keys.insert_place(place) == Some(true)
                && member.is_some_and(|member| !member.allows_nothing());
        }
        let Some(next) = plan::member(node, key).filter(|_| self.keeps_undeclared) else {
            return false;
        };
        self.next = next;
        is_new(&mut self.hashes, frame.hashes, key)
    }

    /// An object or list begins.
    pub fn open(&mut self, array: bool) -> bool {
        let next = self.value();
        let kind = if array { Kind::ArrayStart } else { Kind::ObjectStart };
        let node = match self.node(next) {
            None => None,
            Some(node) => match plan::of(node, &kind, "", false) {
                Plan::Pass => None,
                Plan::Open => Some(node.id()),
                Plan::Hold => return false,
            },
        };
        let fits = self.depth() < self.max_depth;
        let (keys, hashes) = (Keys::default(), self.hashes.len());
        let frame = Frame { node, array, count: 0, keys, hashes };
        self.outer.extend(self.innermost.replace(frame));
        fits
    }

    /// The innermost object or list ends.
    pub fn close(&mut self) -> bool {
        let outer = self.outer.pop();
        let Some(frame) = core::mem::replace(&mut self.innermost, outer) else { return false };
        self.hashes.truncate(frame.hashes);
        let Some(node) = self.node(frame.node) else { return true };
        let keys = (!frame.array).then_some(&frame.keys);
        let count = u64::try_from(frame.count).unwrap_or(u64::MAX);
        plan::broken_at_end(node, frame.array, count, keys).is_none()
    }

    /// A string begins.
    pub fn string(&mut self) -> StringPlan {
        let next = self.value();
        let text = match self.node(next) {
            None => StringPlan::Any,
            Some(node) if !node.data().stands_alone() => StringPlan::Unknown,
            Some(node) if plan::accepts_every_string(node) => StringPlan::Any,
            Some(node) if node.data().literals.is_some() => StringPlan::Listed,
            Some(_) => StringPlan::Unknown,
        };
        // It is asked for at the end of the string.
        self.next = next;
        text
    }

    /// Whether the string that ends here is one of those that its schema lists.
    pub fn listed(&self, text: &str) -> bool {
        let Some(data) = self.node(self.next).map(Node::data) else { return false };
        let listed = data.literals.iter().flatten().any(|literal| literal.as_str() == Some(text));
        listed && data.own.meets(Types::STRING) && data.rules().string.is_open()
    }

    /// A number or a literal, as it is written.
    pub fn scalar(&mut self, kind: &Kind<'_>, wire: &str) -> bool {
        let next = self.value();
        if matches!(kind, Kind::Null) && !self.keeps_null {
            return false;
        }
        self.node(next).is_none_or(|node| plan::of(node, kind, wire, false) == Plan::Pass)
    }

    fn node(&self, id: Option<NodeId>) -> Option<Node<'_>> {
        self.schema.as_ref().zip(id).map(|(schema, id)| schema.node(id))
    }

    /// The schema of the value that begins here.
    fn value(&mut self) -> Option<NodeId> {
        let Some(frame) = self.innermost.as_mut().filter(|frame| frame.array) else {
            return self.next.take();
        };
        let place = frame.count;
        frame.count = frame.count.saturating_add(1);
        let (schema, id) = self.schema.as_ref().zip(frame.node)?;
        schema.node(id).item(place).map(Node::id)
    }
}

/// Whether an undeclared key has not come before, in the object whose hashes begin there. An object of many
/// such keys is none of those that are followed, nor is one in which two have the same hash.
fn is_new(hashes: &mut Vec<u64>, first: usize, key: &str) -> bool {
    let hash = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let before = hashes.get(first..).unwrap_or_default();
    let new = before.len() < MOST_KEYS && !before.contains(&hash);
    hashes.push(hash);
    new
}
