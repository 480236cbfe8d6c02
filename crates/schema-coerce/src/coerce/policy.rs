//! What a coercion may do.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use toolweir_rjson::Value;

/// What a change costs, the cheapest first. Complete: the classes are the published contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// The same thing in another type or shape; it could be undone.
    None,
    /// Blanks, quotes, a wrapper or a spelling are lost; the meaning is not in doubt.
    Format,
    /// Another reading is possible.
    Guess,
}

impl Loss {
    /// `none`, `format` or `guess`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Format => "format",
            Self::Guess => "guess",
        }
    }
}

/// What happens to `null` for an optional property whose schema does not take it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NullOptional {
    /// The member goes; class `format`.
    #[default]
    Drop,
    /// It stays, and is not held against its schema.
    Keep,
}

/// What happens to a member that a closed schema does not know and that cannot be renamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Undeclared {
    /// It is kept, which for a closed schema is an error.
    #[default]
    Keep,
    /// The member goes; class `format`.
    Drop,
}

/// What a coercion may do.
///
/// ```
/// use toolweir_schema_coerce::{Loss, Policy};
///
/// let mut policy = Policy::default();
/// assert_eq!(policy.allow, Loss::Format);
/// policy.allow = Loss::Guess;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// The worst loss allowed. Default: [`Loss::Format`].
    pub allow: Loss,
    /// Default: [`NullOptional::Drop`].
    pub null_optional: NullOptional,
    /// Default: [`Undeclared::Keep`].
    pub undeclared: Undeclared,
    /// The key under which a reader of markup keeps the text of an element: with `value`, `item` and
    /// `element` one of the keys an object with one scalar is unwrapped by. Default: `#text`.
    pub text_node_name: Cow<'static, str>,
    /// Containers inside one another, in the value and in JSON texts within it. Default 128. Beyond
    /// it: [`CoerceErrorKind::TooDeep`].
    pub max_depth: usize,
    /// Pairs of a schema and a value looked at. Default 4,000,000: far beyond what a call needs,
    /// and a bound for schemas made to multiply. Beyond it: [`CoerceErrorKind::TooDeep`].
    pub max_steps: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            allow: Loss::Format,
            null_optional: NullOptional::Drop,
            undeclared: Undeclared::Keep,
            text_node_name: Cow::Borrowed("#text"),
            max_depth: 128,
            max_steps: 4_000_000,
        }
    }
}

impl Policy {
    /// The settings that [`Policy::set`] knows, with their values.
    pub const SETTINGS: &'static str = "allow=none|format|guess, null_optional=drop|keep, \
                                        undeclared=keep|drop, text_node_name=NAME";

    /// Sets one setting by name, as a command line or a file of cases gives it. `false`: there is
    /// no such setting or value, and nothing changed.
    ///
    /// ```
    /// use toolweir_schema_coerce::{Loss, Policy};
    ///
    /// let mut policy = Policy::default();
    /// assert!(policy.set("allow", "guess"));
    /// assert_eq!(policy.allow, Loss::Guess);
    /// assert!(!policy.set("allow", "all"));
    /// ```
    #[must_use]
    pub fn set(&mut self, key: &str, value: &str) -> bool {
        match (key, value) {
            ("allow", "none") => self.allow = Loss::None,
            ("allow", "format") => self.allow = Loss::Format,
            ("allow", "guess") => self.allow = Loss::Guess,
            ("null_optional", "drop") => self.null_optional = NullOptional::Drop,
            ("null_optional", "keep") => self.null_optional = NullOptional::Keep,
            ("undeclared", "keep") => self.undeclared = Undeclared::Keep,
            ("undeclared", "drop") => self.undeclared = Undeclared::Drop,
            ("text_node_name", name) => self.text_node_name = Cow::Owned(name.into()),
            _ => return false,
        }
        true
    }
}

/// Declares the rules with the code of each.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// The rules, each with a stable code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// Every rule, in the order of this list.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

rules! {
    /// `"8"` → `8`; class `format` when the spelling or blanks are lost.
    Number = "number-from-text",
    /// `"True"` → `true`; `yes`, `1` and their like are class `guess`.
    Boolean = "boolean-from-text",
    /// `"None"` → `null`.
    Null = "null-from-text",
    /// `8` → `"8"`, `true` → `"true"`.
    Text = "text-from-scalar",
    /// `[1]` → `"[1]"`.
    JsonText = "text-from-container",
    /// `"[1]"` → `[1]`; class `format` when the text is not strict JSON.
    Json = "json-from-text",
    /// `{"value": 8}` → `8`; any other key than a wrapper's is class `guess`.
    Unwrap = "scalar-from-wrapper",
    /// `[8]` → `8`, and for an object `[{…}]` → `{…}`.
    Single = "single-from-list",
    /// `8` → `[8]`.
    Wrap = "list-from-single",
    /// `""` → `[]`.
    EmptyList = "list-from-nothing",
    /// `"1\n2"` → `[1, 2]`.
    Lines = "list-from-lines",
    /// `"1, 2"` → `[1, 2]`, class `guess`.
    Commas = "list-from-commas",
    /// `{"item": [1, 2]}` → `[1, 2]`.
    ItemKey = "list-from-item",
    /// `{"0": 1, "1": 2}` → `[1, 2]`.
    NumericKeys = "list-from-numbers",
    /// `{"user": [{…}]}` → `[{…}]`.
    OneKey = "list-from-key",
    /// `{"a": [1, 2], "b": [3, 4]}` → `[{"a": 1, "b": 3}, {"a": 2, "b": 4}]`.
    Parallel = "list-from-columns",
    /// `"<a>1</a>"` → `{"a": 1}`.
    Elements = "object-from-elements",
    /// `"a: 1"` → `{"a": 1}`, class `guess`.
    KeyLines = "object-from-lines",
    /// `"'high'"` → `"high"`, `"7"` → `7`, as `enum` or `const` has it.
    Enum = "enum-member",
    /// `userName` → `user_name`.
    Rename = "rename-key",
    /// A `null` that an optional property does not take is left out.
    DropNull = "drop-null",
    /// A member that a closed schema does not know is left out.
    DropKey = "drop-key",
}

/// One thing that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Where in the result, as a JSON Pointer; for a member that was left out, where it would be.
    pub path: String,
    /// The rule that changed it.
    pub rule: Rule,
    /// What the change costs.
    pub loss: Loss,
}

/// A value that fits its schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Coerced {
    /// The value. With no changes it is the value that was given, bit for bit.
    pub value: Value,
    /// What was changed, outer changes before inner ones. Empty when the value validated.
    pub changes: Vec<Change>,
}

impl Coerced {
    /// The worst class among the changes; none without any.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        self.changes.iter().map(|change| change.loss).max()
    }
}

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
        pub const fn as_str(self) -> &'static str {
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
                return write!(f, "the policy forbids the rule {} that would fit", rule.as_str());
            }
            Self::TooDeep => "more depth or work than allowed",
        })
    }
}
