//! What a push parser tells while it reads.

use std::borrow::Cow;
use std::ops::Range;

use toolweir_rjson::Value;

use crate::error::Diagnostic;

/// Something that has become certain. It may borrow from the chunk and from the machine; see
/// [`into_owned`](Self::into_owned).
///
/// Between `Open` and `Close` of an element come, by its kind: `Text` pieces of a string, one
/// `Value`, or the events of its members. List properties come whole, when their parent closes; what
/// is inside them gives no events of its own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A member begins.
    Open {
        /// Its key.
        name: Cow<'a, str>,
        /// The opening tag; of a list the first.
        span: Range<usize>,
    },
    /// A piece of a string, decoded.
    Text {
        /// Never empty.
        text: Cow<'a, str>,
    },
    /// A value other than a string or an object, typed as far as its own schema says.
    Value {
        /// The value.
        value: Value,
    },
    /// The member that was opened last ends.
    Close {
        /// Its key.
        name: Cow<'a, str>,
        /// Where it ends.
        at: usize,
    },
    /// Trouble.
    Diagnostic(Diagnostic),
}

impl Event<'_> {
    /// The same event, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Open { name, span } => Event::Open { name: owned(name), span },
            Self::Text { text } => Event::Text { text: owned(text) },
            Self::Value { value } => Event::Value { value },
            Self::Close { name, at } => Event::Close { name: owned(name), at },
            Self::Diagnostic(note) => Event::Diagnostic(note),
        }
    }
}
