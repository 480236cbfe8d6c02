//! What can be wrong with a schema: errors that refuse it, notes that do not.

use alloc::string::String;

/// A schema that cannot be compiled.
///
/// ```
/// use toolweir_rjson::{Mode, parse};
/// use toolweir_schema_coerce::{Schema, SchemaErrorKind, SchemaLimits};
///
/// let schema = parse(r##"{"properties":{"a":{"$ref":"#/$defs/Gone"}}}"##, Mode::Strict).unwrap();
/// let error = Schema::compile(&schema.value, &SchemaLimits::default()).unwrap_err();
/// assert_eq!(error.kind, SchemaErrorKind::UnknownRef);
/// assert_eq!(error.schema_path, "/properties/a/$ref");
/// assert_eq!(error.to_string(), "reference leads nowhere (at /properties/a/$ref)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at {})", if .schema_path.is_empty() { "the root" } else { .schema_path.as_str() })]
#[non_exhaustive]
pub struct SchemaError {
    /// What is wrong.
    pub kind: SchemaErrorKind,
    /// Where in the schema, as a JSON Pointer; empty for the root.
    pub schema_path: String,
}

impl SchemaError {
    pub(crate) fn new(kind: SchemaErrorKind, schema_path: String) -> Self {
        Self { kind, schema_path }
    }
}

/// The ways in which a schema cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// References and combinators lead back to where they started without ever descending into the
    /// value, so no value could be decided.
    #[error("reference leads back to itself")]
    CyclicRef,
    /// A local reference names a place that does not exist.
    #[error("reference leads nowhere")]
    UnknownRef,
    /// A reference leads out of the document; nothing is ever fetched.
    #[error("reference leads out of the schema")]
    RemoteRef,
    /// Schemas inside schemas, or a chain of references and combinators, beyond
    /// [`SchemaLimits::max_depth`](crate::SchemaLimits::max_depth).
    #[error("schema is nested too deep")]
    TooDeep,
    /// More schemas than [`SchemaLimits::max_nodes`](crate::SchemaLimits::max_nodes), or
    /// combinators whose members multiply beyond a fixed multiple of it.
    #[error("schema is too large")]
    TooLarge,
    /// A pattern is malformed, too large, or needs look-around or back references, which no
    /// linear-time engine has. Only with the feature `regex`, and not under
    /// [`SchemaLimits::ignore_patterns`](crate::SchemaLimits::ignore_patterns).
    #[error("pattern cannot be compiled")]
    Pattern,
    /// The root is neither an object nor a boolean.
    #[error("not a schema")]
    NotASchema,
}

impl SchemaErrorKind {
    /// Every kind, in the order of this list.
    pub const ALL: &'static [Self] = &[
        Self::CyclicRef,
        Self::UnknownRef,
        Self::RemoteRef,
        Self::TooDeep,
        Self::TooLarge,
        Self::Pattern,
        Self::NotASchema,
    ];
}

/// A malformed keyword that was ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The keyword, as a JSON Pointer into the schema.
    pub schema_path: String,
    /// What was expected there, in one line; holds no value of the schema.
    pub message: String,
}

/// Bounds on what a schema may cost. Schemas come from clients, so they are bounded like any input.
///
/// ```
/// let mut limits = toolweir_schema_coerce::SchemaLimits::default();
/// limits.max_nodes = 500;
/// assert_eq!(limits.max_depth, 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaLimits {
    /// Schemas inside one another, and references and combinators in a chain. Default 64. Beyond
    /// it: [`SchemaErrorKind::TooDeep`].
    pub max_depth: usize,
    /// Schemas in all, each counted once however often it is referred to. Default 10,000. Beyond
    /// it: [`SchemaErrorKind::TooLarge`].
    pub max_nodes: usize,
    /// Digits of a number read from text. Default 4,300. A longer one is no number: the text stays
    /// a string.
    pub max_number_digits: usize,
    /// Whether a pattern that cannot be compiled is ignored with a [`Note`]. Default false: it is
    /// [`SchemaErrorKind::Pattern`].
    pub ignore_patterns: bool,
    /// Whether a reference that leads nowhere, or out of the document, is ignored with a [`Note`]:
    /// it asks for nothing. Default false: it is [`SchemaErrorKind::UnknownRef`] or
    /// [`SchemaErrorKind::RemoteRef`].
    pub ignore_references: bool,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self {
            max_depth: 64,
            max_nodes: 10_000,
            max_number_digits: 4_300,
            ignore_patterns: false,
            ignore_references: false,
        }
    }
}
