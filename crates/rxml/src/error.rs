//! Typed errors with places, and diagnostics about what was accepted.

use std::ops::Range;

/// Why a text gives no value.
///
/// Places are byte offsets into the whole input, half open. No message holds text of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The markup cannot be read.
    #[error("{kind} (bytes {}..{})", span.start, span.end)]
    Parse {
        /// What is wrong.
        kind: ParseErrorKind,
        /// Where.
        span: Range<usize>,
    },
    /// Two elements of one parent for a property that is one string.
    #[error("two elements for one string property (bytes {}..{} and {}..{})",
        spans.0.start, spans.0.end, spans.1.start, spans.1.end)]
    DuplicateStringTag {
        /// The name of the elements.
        name: String,
        /// The opening tags of the first element and of the one that repeats it.
        spans: (Range<usize>, Range<usize>),
    },
    /// The elements were read, but no value that fits the schema can be made of them.
    #[error("{kind} (at {})", if instance_path.is_empty() { "the root" } else { instance_path.as_str() })]
    Coercion {
        /// What does not fit, as `toolweir-schema-coerce` says it.
        kind: String,
        /// Where in the value, as a JSON Pointer.
        instance_path: String,
        /// Where in the schema, as a JSON Pointer.
        schema_path: String,
    },
}

impl Error {
    pub(crate) const fn parse(kind: ParseErrorKind, span: Range<usize>) -> Self {
        Self::Parse { kind, span }
    }

    /// The name that vector files use: `parse`, `duplicate-string-tag` or `coercion`.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Parse { .. } => "parse",
            Self::DuplicateStringTag { .. } => "duplicate-string-tag",
            Self::Coercion { .. } => "coercion",
        }
    }
}

/// What can be wrong with markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Text, but no element in it.
    #[error("text without an element")]
    NoElement,
    /// An element has no closing tag.
    #[error("element is not closed")]
    Unclosed,
    /// A closing tag does not name the element that is open.
    #[error("closing tag does not match")]
    Mismatched,
    /// A closing tag where nothing is open.
    #[error("closing tag closes nothing")]
    StrayClose,
    /// Inside an element: the opening tag of one that is no part of it
    /// ([`Machine::with_others`](crate::Machine::with_others)).
    #[error("another element begins before the end of this one")]
    Foreign,
    /// A `<` that begins no tag, or a tag whose attributes cannot be read.
    #[error("not a tag")]
    BadTag,
    /// A comment, CDATA section, processing instruction or DOCTYPE without its end.
    #[error("markup has no end")]
    UnclosedMarkup,
    /// More open elements than [`Options::max_depth`](crate::Options::max_depth).
    #[error("too many open elements")]
    TooDeep,
    /// More attributes on one tag than [`Options::max_attributes`](crate::Options::max_attributes).
    #[error("too many attributes")]
    TooManyAttributes,
    /// More input than [`Options::max_bytes`](crate::Options::max_bytes).
    #[error("input too large")]
    TooLarge,
    /// Strict reading: the document has a DOCTYPE (`rxml::doctype`).
    #[error("document type declarations are refused")]
    Doctype,
    /// Strict reading: a rule of XML 1.0 or of its name spaces is broken.
    #[error("not well-formed: {0}")]
    NotWellFormed(&'static str),
}

/// Something worth knowing about a text that was accepted. [`Diagnostic::ALL`] lists the codes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Stable name, `rxml::` first.
    pub code: &'static str,
    /// The bytes it speaks of; empty where something was assumed that is not there.
    pub span: Range<usize>,
    /// What was found and what was done, in one line.
    pub message: &'static str,
}

impl Diagnostic {
    /// Whether broken markup was mended: [`Options::repair`](crate::Options::repair) allowed it.
    #[must_use]
    pub fn is_repair(&self) -> bool {
        let repairs = [
            CLOSE_SPACING,
            CLOSE_CASE,
            NAME_CASE,
            ASSUMED_CLOSE,
            OPEN_FOR_CLOSE,
            DOUBLED_OPEN,
            STRAY_CLOSE,
            CDATA_OPEN,
            ATTRIBUTE_MEMBER,
            FLAG,
            TEXT_LT,
        ];
        repairs.iter().any(|rule| rule.code == self.code)
    }
}

/// A named rule: its code and the sentence that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    code: &'static str,
    message: &'static str,
}

impl Rule {
    pub(crate) const fn at(self, span: Range<usize>) -> Diagnostic {
        Diagnostic { code: self.code, span, message: self.message }
    }
}

macro_rules! rules {
    ($($name:ident = $code:literal, $message:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule { code: $code, message: $message };)*

        impl Diagnostic {
            /// Every code with its message.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($code, $message)),*];
        }
    };
}

rules! {
    STRAY_TEXT = "rxml::stray-text",
        "text between elements: not part of the value";
    DROPPED_TEXT = "rxml::dropped-text",
        "text beside elements, which the schema has no member for: dropped";
    IGNORED_ATTRIBUTE = "rxml::ignored-attribute",
        "attribute that has no place in the value: dropped";
    DUPLICATE_ATTRIBUTE = "rxml::duplicate-attribute",
        "attribute given twice on one tag: the first kept";
    DUPLICATE_STRING = "rxml::duplicate-string-tag",
        "second element for a string property: dropped";
    UNWRAPPED = "rxml::unwrapped-root",
        "single element that is no property: its inside read instead";
    BAD_REFERENCE = "rxml::bad-reference",
        "character reference to no Unicode scalar: kept as text";
    CLOSE_SPACING = "rxml::close-spacing",
        "white space before the name of a closing tag ignored";
    CLOSE_CASE = "rxml::close-case",
        "closing tag that differs in letter case taken as the element's own";
    NAME_CASE = "rxml::name-case",
        "name that differs in letter case taken as the declared property";
    ASSUMED_CLOSE = "rxml::assumed-close",
        "element without a closing tag: an end was assumed";
    OPEN_FOR_CLOSE = "rxml::open-for-close",
        "opening tag where the closing tag of the same name is due: taken as that";
    DOUBLED_OPEN = "rxml::doubled-open",
        "tag given twice: the second ignored";
    DOUBTFUL_CLOSE = "rxml::doubtful-close",
        "tag that may have been meant otherwise: the structure around it is in doubt";
    STRAY_CLOSE = "rxml::stray-close",
        "closing tag that closes nothing: dropped";
    CDATA_OPEN = "rxml::cdata-open",
        "CDATA section without its end: ended before the closing tag";
    ATTRIBUTE_MEMBER = "rxml::attribute-member",
        "attribute named like a declared property taken as that property";
    FLAG = "rxml::flag",
        "element without content for a boolean taken as true";
    TEXT_LT = "rxml::text-lt",
        "`<` that begins no tag taken as text";
}
