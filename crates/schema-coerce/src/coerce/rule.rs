//! The rules, and what comes out of a coercion.

use alloc::string::String;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use super::Loss;

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
            pub const fn code(self) -> &'static str {
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
