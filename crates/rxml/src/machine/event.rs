//! What a push parser tells while it reads.

use std::ops::Range;

use toolweir_rjson::Value;

use crate::error::Diagnostic;

/// Something that has become certain.
///
/// Between `Open` and `Close` of an element come, by its kind: `Text` pieces of a string, one
/// `Value`, or the events of its members. List properties come whole, when their parent closes; what
/// is inside them gives no events of its own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A member begins.
    Open {
        /// Its key.
        name: String,
        /// The opening tag; of a list the first.
        span: Range<usize>,
    },
    /// A piece of a string, decoded.
    Text {
        /// Never empty.
        text: String,
    },
    /// A value other than a string or an object, typed as far as its own schema says.
    Value {
        /// The value.
        value: Value,
    },
    /// The member that was opened last ends.
    Close {
        /// Its key.
        name: String,
        /// Where it ends.
        at: usize,
    },
    /// Trouble.
    Diagnostic(Diagnostic),
}
