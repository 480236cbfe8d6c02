//! What a coercion may do.

use alloc::borrow::Cow;

#[cfg(doc)]
use super::CoerceErrorKind;

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
