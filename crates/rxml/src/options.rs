//! How to read, and how much.

use toolweir_schema_coerce::{Member, Node};

/// How to read elements by a schema.
///
/// ```
/// use toolweir_rxml::{Options, parse};
/// use toolweir_schema_coerce::Schema;
///
/// let mut options = Options::default();
/// options.repair = true;
/// let parsed = parse("<k>x</ k>", &Schema::any(), &options)?;
/// assert_eq!(parsed.value.to_string(), r#"{"k":"x"}"#);
/// assert_eq!(parsed.diagnostics[0].code, "rxml::close-spacing");
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether broken markup is repaired by the rules of the crate documentation, each reported.
    /// Default: false, broken markup is [`Error::Parse`](crate::Error::Parse).
    pub repair: bool,
    /// Whether a second element for a string property is an error. Default: true; false: the first
    /// wins, with a diagnostic.
    pub throw_on_duplicate_string_tags: bool,
    /// The key for text that stands beside elements or attributes. Default: `#text`.
    pub text_node_name: String,
    /// Whether input that was cut off gives what is certain instead of an error: what is closed, and
    /// open strings as far as they go. The value is then not held against `required`. Default: false.
    pub partial: bool,
    /// Names that never have content: `<br>` counts as `<br/>`. Default: none.
    pub no_child_nodes: Vec<String>,
    /// Elements that may be open at once. Default: 128.
    pub max_depth: usize,
    /// Attributes on one tag. Default: 256.
    pub max_attributes: usize,
    /// Bytes of input. Default: 16 MiB.
    pub max_bytes: usize,
    /// Bytes of a string that may wait for what follows, where that decides where the string ends.
    /// One tag may be kept for every 32 of them, in a string as in a list. Input that needs more is
    /// [`TooLarge`](crate::ParseErrorKind::TooLarge). Default: no limit.
    pub max_held: usize,
    /// What may be changed to make the value fit its schema.
    pub policy: toolweir_schema_coerce::Policy,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            repair: false,
            throw_on_duplicate_string_tags: true,
            text_node_name: "#text".to_owned(),
            partial: false,
            no_child_nodes: Vec::new(),
            max_depth: 128,
            max_attributes: 256,
            max_bytes: 16 * 1024 * 1024,
            max_held: usize::MAX,
            policy: toolweir_schema_coerce::Policy::default(),
        }
    }
}

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
