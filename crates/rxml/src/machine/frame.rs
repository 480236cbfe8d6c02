//! What is open: elements by the way they are read.

use std::collections::BTreeSet;
use std::ops::Range;

use toolweir_rjson::{Array, Object, Value};
use toolweir_schema_coerce::NodeId;

use crate::Code;
use crate::attrs::Attr;
use crate::options::Kind;
use crate::tags::Seq;

/// An element whose extent is known.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub(super) name: Range<usize>,
    /// The opening tag.
    pub(super) tag: Range<usize>,
    /// What is between the tags.
    pub(super) inner: Range<usize>,
}

/// Where a value goes in the frame below.
#[derive(Clone, Debug)]
pub(super) enum Key {
    /// Nowhere: the value is the frame's own.
    None,
    Name(Box<str>),
    Place(usize),
}

impl Key {
    /// The key as a name, for an event.
    pub(super) fn to_name(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Name(name) => name.to_string(),
            Self::Place(place) => place.to_string(),
        }
    }
}

/// Where the value of a frame goes in the frame below.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The key of the value, or the place of an entry.
    pub(super) key: Key,
    /// The name in the closing tag, where that is not the key.
    pub(super) name: Option<Box<str>>,
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
    TextElement(TextElement),
    List(List),
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
    /// Text: all of it, and the pieces that are not whitespace, with the place of the first.
    pub(super) text: String,
    pub(super) pieces: String,
    pub(super) piece: Option<Range<usize>>,
    /// Places and opening tags of members that may come once only, in order of their places.
    pub(super) once: Vec<(usize, Range<usize>)>,
    /// Places of undeclared members that came more than once.
    pub(super) repeated: BTreeSet<usize>,
    /// List properties in order of their places; read at the end.
    pub(super) lists: Vec<Listed>,
    /// How many of the lists have been read, once the end was reached.
    pub(super) closing: Option<usize>,
    /// Where reading goes on after the closing tag.
    pub(super) after: usize,
    /// The closing tag of its own that comes first, or none: found by looking ahead once.
    pub(super) own_close: Option<Option<usize>>,
    /// Where the enclosing element ends, as far as its children show.
    pub(super) scope: Option<usize>,
    /// That look found nothing among the tags from the first up to the second.
    pub(super) look: Option<(Seq, Seq)>,
    /// The property is declared by name.
    pub(super) declared: bool,
    /// For the root: its only element held text and no element.
    pub(super) bare: bool,
    /// Elements met, for the root.
    pub(super) elements: usize,
}

/// The elements of a list property.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// Place of the property in its object.
    pub(super) place: usize,
    pub(super) node: Option<NodeId>,
    pub(super) first: Extent,
    pub(super) more: Vec<Extent>,
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
pub(super) struct TextElement {
    pub(super) purpose: Use,
    /// Where the content begins, and up to where it went out.
    pub(super) start: usize,
    pub(super) sent: usize,
    pub(super) out: String,
    /// What has been seen of the tags inside.
    pub(super) seen: Seen,
    /// Up to where the content was examined for whitespace, the first byte that is none, and the
    /// end of the last one.
    pub(super) examined: usize,
    pub(super) solid: Option<(usize, usize)>,
    /// The property is declared by name.
    pub(super) declared: bool,
}

/// How far the tags inside an element have been examined, and what may end it later.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The next tag to look at.
    pub(super) next: Seq,
    pub(super) first_close: Option<Seq>,
    /// Where a closing tag of its own begins that lacks only its `>`.
    pub(super) cut: Option<usize>,
    /// Rarely there: a frame is moved often.
    pub(super) assumed: Option<Box<End>>,
}

impl Seen {
    pub(super) const fn from(next: Seq) -> Self {
        Self { next, first_close: None, cut: None, assumed: None }
    }

    /// Nothing that was seen may turn out to end the element.
    pub(super) const fn is_certain(&self) -> bool {
        self.first_close.is_none() && self.cut.is_none() && self.assumed.is_none()
    }
}

/// Where an element ends.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) inner: usize,
    pub(super) after: usize,
    /// What is said about the stretch from `inner` to `after`.
    pub(super) note: Option<Code>,
    /// No closing tag was found: whitespace before the end goes.
    pub(super) assumed: bool,
    /// The closing tag is spelled in another letter case.
    pub(super) by_case: bool,
}

/// A list property, its elements delimited.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) children: Vec<Extent>,
    pub(super) next: usize,
    pub(super) shape: ListShape,
    pub(super) entries: Array,
    pub(super) whole: Option<Value>,
    /// What is said of its attributes has been said.
    pub(super) told: bool,
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
    /// The name in the closing tag; empty for a frame that none closes.
    pub(super) fn name(&self) -> &str {
        match (&self.name, &self.key) {
            (Some(name), _) => name,
            (None, Key::Name(key)) if self.limit.is_none() => key,
            _ => "",
        }
    }

    /// Whether it is an element of a list property, which may stand beside others of its name.
    pub(super) fn is_entry(&self) -> bool {
        matches!(&self.body, Body::TextElement(element) if element.purpose == Use::Entry)
    }

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

    pub(super) fn text_element_mut(&mut self) -> Option<&mut TextElement> {
        match &mut self.body {
            Body::TextElement(element) => Some(element),
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
