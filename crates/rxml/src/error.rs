//! Typed errors with places, and diagnostics about what was accepted.

use toolweir_rjson::Span;

/// Why a text gives no value.
///
/// Places are byte offsets into the whole input, half open. No message holds text of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The markup cannot be read.
    #[error("{kind} (bytes {span})")]
    Parse {
        /// What is wrong.
        kind: ParseErrorKind,
        /// Where.
        span: Span,
    },
    /// Two elements of one parent for a property that is one string.
    #[error("two elements for one string property (bytes {} and {})", spans.0, spans.1)]
    DuplicateStringTag {
        /// The name of the elements.
        name: String,
        /// The opening tags of the first element and of the one that repeats it.
        spans: (Span, Span),
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
    pub(crate) fn parse(kind: ParseErrorKind, span: impl Into<Span>) -> Self {
        Self::Parse { kind, span: span.into() }
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

/// Something worth knowing about a text that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What it is.
    pub code: Code,
    /// The bytes it speaks of; empty where something was assumed that is not there.
    pub span: Span,
}

impl Diagnostic {
    /// What was found and what was done, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.code.message()
    }

    /// Whether broken markup was repaired: [`Options::repair`](crate::Options::repair) allowed it.
    #[must_use]
    pub const fn is_repair(&self) -> bool {
        matches!(
            self.code,
            Code::CloseSpacing
                | Code::CloseCase
                | Code::NameCase
                | Code::AssumedClose
                | Code::OpenForClose
                | Code::DoubledOpen
                | Code::StrayClose
                | Code::CdataOpen
                | Code::AttributeMember
                | Code::Flag
                | Code::TextLt
        )
    }
}

impl Code {
    pub(crate) fn at(self, span: impl Into<Span>) -> Diagnostic {
        Diagnostic { code: self, span: span.into() }
    }
}

toolweir_rjson::__codes! {
    /// What a [`Diagnostic`] is about. It compares equal with its stable text, `rxml::` first.
    StrayText = "rxml::stray-text",
        "text between elements: not part of the value";
    DroppedText = "rxml::dropped-text",
        "text beside elements, which the schema has no member for: dropped";
    IgnoredAttribute = "rxml::ignored-attribute",
        "attribute that has no place in the value: dropped";
    DuplicateAttribute = "rxml::duplicate-attribute",
        "attribute given twice on one tag: the first kept";
    DuplicateString = "rxml::duplicate-string-tag",
        "second element for a string property: dropped";
    Unwrapped = "rxml::unwrapped-root",
        "single element that is no property: its inside read instead";
    BadReference = "rxml::bad-reference",
        "character reference to no Unicode scalar: kept as text";
    CloseSpacing = "rxml::close-spacing",
        "white space before the name of a closing tag ignored";
    CloseCase = "rxml::close-case",
        "closing tag that differs in letter case taken as the element's own";
    NameCase = "rxml::name-case",
        "name that differs in letter case taken as the declared property";
    AssumedClose = "rxml::assumed-close",
        "element without a closing tag: an end was assumed";
    OpenForClose = "rxml::open-for-close",
        "opening tag where the closing tag of the same name is due: taken as that";
    DoubledOpen = "rxml::doubled-open",
        "tag given twice: the second ignored";
    DoubtfulClose = "rxml::doubtful-close",
        "tag that may have been meant otherwise: the structure around it is in doubt";
    StrayClose = "rxml::stray-close",
        "closing tag that closes nothing: dropped";
    CdataOpen = "rxml::cdata-open",
        "CDATA section without its end: ended before the closing tag";
    AttributeMember = "rxml::attribute-member",
        "attribute named like a declared property taken as that property";
    Flag = "rxml::flag",
        "element without content for a boolean taken as true";
    TextLt = "rxml::text-lt",
        "`<` that begins no tag taken as text";
}
