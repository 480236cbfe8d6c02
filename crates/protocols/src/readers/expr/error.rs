//! Errors, which end the reading, and notes, which do not. Neither holds text of the input.

/// Why the arguments cannot be read, and the byte where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub(crate) struct ExprError {
    pub(crate) kind: ExprErrorKind,
    /// The first byte that fits nowhere, as an offset in the stream.
    pub(crate) offset: u64,
}

/// The kinds of [`ExprError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExprErrorKind {
    /// A character that the grammar does not allow here.
    #[error("expected {expected}")]
    Syntax {
        /// What could have stood here.
        expected: &'static str,
    },
    /// An argument without a name: the caller gave no name for its place, or a keyword came before.
    #[error("positional argument without a declared parameter")]
    Positional,
    /// More open containers than `max_depth`.
    #[error("too many open containers")]
    TooDeep,
    /// A key, number or unquoted text is longer than may be held.
    #[error("number, key or unquoted text too long")]
    TooLarge,
    /// More members in one object than `max_keys`.
    #[error("too many keys in one object")]
    TooManyKeys,
}

/// Something worth knowing about arguments that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) kind: NoteKind,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The kinds of [`Note`]; each comes at most once a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoteKind {
    /// A quote that cannot be the end of its string was kept.
    InnerQuote,
    /// Another reading of a string with inner quotes fits as well (policy 30).
    Ambiguous,
    /// A container in the place of an argument may be all arguments, or is none that its schema takes.
    UncertainContainer,
    /// A text without quotes holds the delimiter of strings: the one before it is damaged or missing.
    StrayDelimiter,
    /// A text without quotes may end elsewhere (policy 30).
    UncertainText,
    /// A backslash before the closing quote was kept.
    LoneBackslash,
    /// A raw line break or NUL in a one-line string was kept.
    ControlCharacter,
    /// A backslash that begins no escape was kept (policy 33).
    InvalidEscape,
    /// `\N{…}` was kept as text.
    NamedEscape,
    /// Half of a surrogate pair became U+FFFD.
    LoneSurrogate,
    /// Digits with a leading zero became a string (policy 16).
    LeadingZeros,
    /// A number that JSON spells otherwise, where a text is due, became a string as it stands.
    NumberText,
    /// A number that is not finite became null (policy 15).
    NonFinite,
    /// A missing value became null (policies 15 and 30).
    MissingValue,
    /// A key without quotes was quoted.
    UnquotedKey,
    /// An argument without a name got that of its place.
    Positional,
    /// A dictionary stood in the place of the arguments.
    ArgumentsInDict,
    /// Ordinary quotes stood in the place of the delimiter.
    OrdinaryQuotes,
    /// Round brackets stood in the place of braces around the arguments.
    RoundBrackets,
    /// An equals sign stood in the place of the colon after a key.
    EqualsSign,
    /// A full-width comma stood in the place of a comma.
    OtherComma,
    /// The comma before a member was missing.
    MissingComma,
}

impl NoteKind {
    /// Whether the reading is a guess that does not run by default (policy 30).
    pub(crate) fn is_guess(self) -> bool {
        matches!(
            self,
            Self::Ambiguous
                | Self::UncertainContainer
                | Self::StrayDelimiter
                | Self::UncertainText
                | Self::MissingValue
        )
    }

    /// What was found and what was done, in a sentence.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::InnerQuote => "quote that cannot be the end of its string kept, escaped",
            Self::Ambiguous => "string whose end or value is not certain",
            Self::UncertainContainer => "list or dictionary that may be more than one argument",
            Self::StrayDelimiter => "text without quotes that holds a marker",
            Self::UncertainText => "text without quotes that may end elsewhere",
            Self::LoneBackslash => "backslash before the closing quote kept",
            Self::ControlCharacter => "line break or NUL in a one-line string kept, escaped",
            Self::InvalidEscape => "backslash that begins no escape kept",
            Self::NamedEscape => "character given by its name kept as text",
            Self::LoneSurrogate => "half of a surrogate pair made U+FFFD",
            Self::LeadingZeros => "digits with a leading zero made a string",
            Self::NumberText => "a number where a text is due made a string, as it is spelled",
            Self::NonFinite => "number that is not finite made null",
            Self::MissingValue => "missing value made null",
            Self::UnquotedKey => "key without quotes quoted",
            Self::Positional => "positional argument given the name of its place",
            Self::ArgumentsInDict => "dictionary of declared arguments read as the arguments",
            Self::OrdinaryQuotes => "ordinary quotes read as the delimiter",
            Self::RoundBrackets => "round brackets read as braces",
            Self::EqualsSign => "equals sign after a key read as a colon",
            Self::OtherComma => "full-width comma read as a comma",
            Self::MissingComma => "missing comma before a declared argument added",
        }
    }
}
