//! What a coercer remembers between two tokens.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;

use toolweir_rjson::Kind;

use crate::schema::{Node, NodeId};

/// An open object or list whose members are values of their own.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) node: NodeId,
    pub(super) array: bool,
    /// How many entries a list has.
    pub(super) count: u64,
    /// Whether a member went out.
    pub(super) any: bool,
    pub(super) path: usize,
    /// Keys that came, kept where the schema is closed, requires some, or says how many.
    pub(super) keys: Option<Keys>,
    /// Those of them whose member was left out.
    pub(super) gone: BTreeSet<String>,
    /// A root whose members alone do not settle it.
    pub(super) choosing: bool,
}

/// The keys of an object that came: the first declared ones by their place among those of the schema, the
/// others as they are.
#[derive(Debug, Default)]
pub(super) struct Keys {
    declared: u64,
    others: BTreeSet<String>,
}

impl Keys {
    /// The bit of a declared key.
    fn bit(node: Node<'_>, key: &str) -> Option<u64> {
        let place = u32::try_from(node.place(key)?).ok()?;
        1_u64.checked_shl(place)
    }

    /// Whether the key has not come before.
    pub(super) fn insert(&mut self, node: Node<'_>, key: &str) -> bool {
        match Self::bit(node, key) {
            Some(bit) => {
                let new = self.declared & bit == 0;
                self.declared |= bit;
                new
            }
            None => self.others.insert(key.to_owned()),
        }
    }

    pub(super) fn contains(&self, node: Node<'_>, key: &str) -> bool {
        match Self::bit(node, key) {
            Some(bit) => self.declared & bit != 0,
            None => self.others.contains(key),
        }
    }

    pub(super) fn len(&self) -> usize {
        (self.declared.count_ones() as usize).saturating_add(self.others.len())
    }

    pub(super) fn names<'a>(&'a self, node: Node<'a>) -> impl Iterator<Item = &'a str> {
        let declared = node
            .property_names()
            .filter(move |name| Self::bit(node, name).is_some_and(|bit| self.declared & bit != 0));
        declared.chain(self.others.iter().map(String::as_str))
    }
}

/// A token before a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    Comma,
    Blank,
    Colon,
    Key(String),
}

impl Lead {
    pub(super) fn into_key(self) -> Option<String> {
        match self {
            Self::Key(key) => Some(key),
            Self::Comma | Self::Blank | Self::Colon => None,
        }
    }
}

/// What happens to the tokens that come.
#[derive(Debug)]
pub(super) enum Waiting {
    /// Each is looked at.
    No,
    /// They pass, up to the end of the value; the number of open containers.
    Pass(usize),
    /// They are kept, up to the end of the value.
    Hold { depth: usize, text: String, node: NodeId },
    /// They are kept, up to the end of the object.
    Tail { depth: usize, text: String },
    /// They are kept, up to the end of a root that has a choice; from the first member on that does
    /// not fit as it stands.
    Rest { depth: usize, text: String },
}

/// Follows the depth of a value; whether the token is its last.
pub(super) fn ends_value(depth: &mut usize, kind: &Kind<'_>) -> bool {
    match kind {
        Kind::ObjectStart | Kind::ArrayStart | Kind::StringStart => {
            *depth = depth.saturating_add(1);
            false
        }
        Kind::ObjectEnd | Kind::ArrayEnd | Kind::StringEnd => {
            *depth = depth.saturating_sub(1);
            *depth == 0
        }
        Kind::Number | Kind::True | Kind::False | Kind::Null => *depth == 0,
        _ => false,
    }
}
