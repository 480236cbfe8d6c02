//! Why a value cannot be made to fit.

use alloc::string::String;
use core::fmt;

use super::Rule;

/// Why a value cannot be made to fit. Holds no value, only places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{kind} at {}, by the schema at {}",
    if .instance_path.is_empty() { "the root" } else { .instance_path.as_str() },
    if .schema_path.is_empty() { "its root" } else { .schema_path.as_str() }
)]
#[non_exhaustive]
pub struct CoerceError {
    /// What is wrong.
    pub kind: CoerceErrorKind,
    /// Where in the value, as a JSON Pointer; empty for the root.
    pub instance_path: String,
    /// The keyword that is broken, as a JSON Pointer into the schema.
    pub schema_path: String,
}

/// The ways in which a value cannot be made to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoerceErrorKind {
    /// It is of none of the types allowed, nor can be.
    Type,
    /// It is made of what numbers are made of but is no number allowed: leading zeros, not whole,
    /// beyond a double, too many digits.
    Number,
    /// It is none of the values of `enum` or `const`.
    Enum,
    /// A member that must be there is missing.
    Required,
    /// A member that a closed schema does not know, or a name that `propertyNames` refuses.
    UnknownKey,
    /// A member that a closed schema does not know might take the name of several properties, or
    /// several such members the name of one.
    AmbiguousKey,
    /// Several branches fit at the same cost with different results, or more than one branch of
    /// `oneOf` fits.
    Ambiguous,
    /// A number out of range, or no multiple.
    Range,
    /// Too short or too long, too few or too many: strings, arrays, objects.
    Length,
    /// It does not match `pattern`.
    Pattern,
    /// Entries that must differ are equal.
    Unique,
    /// The schema is `false`, or a `not` forbids the value.
    NotAllowed,
    /// A rule of a class that the policy forbids would have fitted.
    LossNotAllowed {
        /// The first such rule.
        rule: Rule,
    },
    /// Nested deeper, or more work, than the policy allows.
    TooDeep,
}

/// Declares the codes, one for each kind.
macro_rules! codes {
    ($($kind:pat => $code:literal,)*) => {
        /// Every code, in the order of the kinds.
        pub const CODES: &'static [&'static str] = &[$($code),*];

        /// The stable code, `coerce::…`.
        #[must_use]
        pub const fn code(self) -> &'static str {
            match self {
                $($kind => $code,)*
            }
        }
    };
}

impl CoerceErrorKind {
    codes! {
        Self::Type => "coerce::type",
        Self::Number => "coerce::number",
        Self::Enum => "coerce::enum",
        Self::Required => "coerce::required",
        Self::UnknownKey => "coerce::unknown-key",
        Self::AmbiguousKey => "coerce::ambiguous-key",
        Self::Ambiguous => "coerce::ambiguous",
        Self::Range => "coerce::range",
        Self::Length => "coerce::length",
        Self::Pattern => "coerce::pattern",
        Self::Unique => "coerce::unique",
        Self::NotAllowed => "coerce::not-allowed",
        Self::LossNotAllowed { .. } => "coerce::loss-not-allowed",
        Self::TooDeep => "coerce::too-deep",
    }
}

impl fmt::Display for CoerceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "a value of a type that is not allowed",
            Self::Number => "no number that is allowed",
            Self::Enum => "none of the values allowed",
            Self::Required => "a required member is missing",
            Self::UnknownKey => "a member that is not declared",
            Self::AmbiguousKey => "a member that may be one of several",
            Self::Ambiguous => "several schemas fit equally well",
            Self::Range => "a number out of range",
            Self::Length => "a length out of range",
            Self::Pattern => "text that does not match its pattern",
            Self::Unique => "entries that are not unique",
            Self::NotAllowed => "a value that is not allowed",
            Self::LossNotAllowed { rule } => {
                return write!(f, "the policy forbids the rule {} that would fit", rule.code());
            }
            Self::TooDeep => "more depth or work than allowed",
        })
    }
}
