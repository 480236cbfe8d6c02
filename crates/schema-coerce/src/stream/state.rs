//! What a coercer remembers between two tokens.

use alloc::collections::BTreeSet;
use alloc::string::String;

use toolweir_rjson::Kind;

use crate::schema::NodeId;

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
    pub(super) keys: Option<BTreeSet<String>>,
    /// Those of them whose member was left out.
    pub(super) gone: BTreeSet<String>,
    /// A root whose members alone do not settle it.
    pub(super) choosing: bool,
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
