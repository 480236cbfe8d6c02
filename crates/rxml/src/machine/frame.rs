//! What is open: elements by the way they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toolweir_rjson::{Array, Object, Value};
use toolweir_schema_coerce::NodeId;

use crate::attrs::Attr;
use crate::error::Diagnostic;
use crate::kind::Kind;
use crate::tags::Seq;

/// An element whose extent is known.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub(super) name: Box<str>,
    /// The opening tag.
    pub(super) tag: Range<usize>,
    /// What is between the tags.
    pub(super) inner: Range<usize>,
    /// Behind the closing tag.
    pub(super) after: usize,
}

/// Where the value of a frame goes in the frame below.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The key of the value, or the name of an entry.
    pub(super) key: Box<str>,
    /// The name in the closing tag.
    pub(super) name: Box<str>,
    pub(super) node: Option<NodeId>,
    /// Number and place of the opening tag.
    pub(super) open: Seq,
    pub(super) tag: Range<usize>,
    /// Where the content ends and where reading goes on, if that is known beforehand.
    pub(super) limit: Option<(usize, usize)>,
    pub(super) body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Members(Box<Members>),
    Leaf(Box<Leaf>),
    List(Box<List>),
}

/// An element read by its child elements.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    /// The whole input, or the element around it all.
    pub(super) is_root: bool,
    /// Nothing but the schema's members are known: [`Kind::Object`].
    pub(super) by_schema: bool,
    pub(super) object: Object,
    /// Plainly named attributes that may be members.
    pub(super) spare: Vec<Attr>,
    /// Text: all of it, and the pieces that are not blank, with the place of the first.
    pub(super) text: String,
    pub(super) pieces: String,
    pub(super) piece: Option<Range<usize>>,
    /// Opening tags of members that may come once only.
    pub(super) once: BTreeMap<Box<str>, Range<usize>>,
    /// Undeclared members that came more than once.
    pub(super) repeated: BTreeSet<Box<str>>,
    /// Elements of list properties, by key, in order; read at the end.
    pub(super) lists: Vec<(Box<str>, Option<NodeId>, Vec<Extent>)>,
    pub(super) list_places: BTreeMap<Box<str>, usize>,
    /// How many of the lists have been read, once the end was reached.
    pub(super) closing: Option<usize>,
    /// Where reading goes on behind the closing tag.
    pub(super) after: usize,
    /// The closing tag of its own that comes first, or none: found by looking ahead once.
    pub(super) own_close: Option<Option<usize>>,
    /// Where the enclosing element ends, as far as a child has looked.
    pub(super) scope: Option<usize>,
    /// How far that look has come: the tag it began at, and the next one.
    pub(super) look: Option<(Seq, Seq)>,
    /// The property is declared by name.
    pub(super) declared: bool,
    /// For the root: its only element held text and no element.
    pub(super) bare: bool,
    /// Elements met, for the root.
    pub(super) elements: usize,
}

/// What a delimited element is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A string that goes out as it comes.
    Text,
    /// The text of a scalar.
    Scalar,
    /// An element of a list property, read when its parent closes.
    Entry,
    /// A second element for a string property: nothing.
    Nothing,
}

/// An element whose end is searched for by counting.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) purpose: Use,
    /// Where the content begins, and up to where it went out.
    pub(super) start: usize,
    pub(super) sent: usize,
    pub(super) out: String,
    /// The next tag to look at.
    pub(super) next: Seq,
    pub(super) first_close: Option<Seq>,
    pub(super) assumed: Option<End>,
    /// Up to where the content was looked at for white space, the first byte that is none, and the
    /// end of the last one.
    pub(super) looked: usize,
    pub(super) solid: Option<(usize, usize)>,
    /// The property is declared by name.
    pub(super) declared: bool,
}

/// Where an element ends.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) inner: usize,
    pub(super) after: usize,
    pub(super) note: Option<Diagnostic>,
    /// No closing tag was found: white space before the end goes.
    pub(super) assumed: bool,
}

/// A list property, its elements delimited.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) children: Vec<Extent>,
    pub(super) next: usize,
    pub(super) shape: ListShape,
    pub(super) entries: Array,
    pub(super) whole: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListShape {
    /// One entry for each child.
    Entries,
    /// The content as one object, which is the only entry.
    Object,
    /// The content as one object, for the list to be made of.
    Other,
}

impl Frame {
    pub(super) fn members(&self) -> Option<&Members> {
        match &self.body {
            Body::Members(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn members_mut(&mut self) -> Option<&mut Members> {
        match &mut self.body {
            Body::Members(members) => Some(members),
            _ => None,
        }
    }
}

/// The value of an element without content, before it is made to fit.
pub(super) fn empty_value(kind: Kind) -> Value {
    match kind {
        Kind::Text | Kind::Scalar | Kind::Generic => Value::from(""),
        Kind::Texts | Kind::List => Value::from(Array::new()),
        Kind::Object => Value::from(Object::new()),
    }
}
