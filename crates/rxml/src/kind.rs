//! What the schema says an element is, before its content is looked at.

use toolweir_schema_coerce::{Member, Node};

/// The ways of reading an element. Complete: the table of the crate documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string, or a union that accepts one: raw text.
    Text,
    /// A number, boolean or null: text.
    Scalar,
    /// A list whose entries are strings.
    Texts,
    /// Any other list.
    List,
    /// An object, by its members.
    Object,
    /// Nothing is said: as the elements are.
    Generic,
}

impl Kind {
    pub(crate) fn of(node: Option<Node<'_>>) -> Self {
        let Some(node) = node.filter(|node| !node.is_untyped()) else { return Self::Generic };
        if node.allows_string() {
            Self::Text
        } else if node.allows_object() {
            Self::Object
        } else if !node.allows_array() {
            Self::Scalar
        } else if is_text_list(node) {
            Self::Texts
        } else {
            Self::List
        }
    }

    pub(crate) const fn is_list(self) -> bool {
        matches!(self, Self::Texts | Self::List)
    }
}

/// Whether every entry is a string, whatever its place.
fn is_text_list(node: Node<'_>) -> bool {
    let (Some(rest), Some(first)) = (node.items(), node.item(0)) else { return false };
    rest.id() == first.id() && !rest.is_untyped() && rest.allows_string()
}

/// The node of a member that is declared by name.
pub(crate) fn declared<'a>(node: Option<Node<'a>>, name: &str) -> Option<Node<'a>> {
    match node?.member(name) {
        Member::Declared(member) => Some(member),
        _ => None,
    }
}

/// The only declared member whose name differs at most in letter case.
pub(crate) fn declared_by_case<'a>(node: Option<Node<'a>>, name: &str) -> Option<&'a str> {
    let mut found = node?.property_names().filter(|known| known.eq_ignore_ascii_case(name));
    let only = found.next()?;
    if found.next().is_none() { Some(only) } else { None }
}
