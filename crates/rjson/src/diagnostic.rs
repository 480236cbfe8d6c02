//! Errors, what is worth knowing about a text that was accepted (codes, messages, bounded lists), and the places of
//! both: byte ranges in the whole stream.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use thiserror::Error as ThisError;

use crate::options::{Duplicates, NonFinite, Options};

/// Why a text was refused, and the byte where.
///
/// ```
/// use toolweir_rjson::{ErrorKind, Mode, parse};
///
/// let text = "{\n  \"k\": 01\n}";
/// let error = parse(text, Mode::Strict).unwrap_err();
/// assert!(matches!(error.kind, ErrorKind::Syntax { .. }));
/// assert_eq!(error.offset, 10);
/// assert_eq!(error.line_column(text), (2, 9));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ThisError)]
#[error("{kind} at byte {offset}")]
#[non_exhaustive]
pub struct Error {
    /// What was wrong.
    pub kind: ErrorKind,
    /// The first byte that fits nowhere, as an offset in the stream; at the end of the input, its
    /// length.
    pub offset: u64,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ThisError)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is empty, or holds whitespace and comments only.
    #[error("no value")]
    NoValue,
    /// A byte that the grammar does not allow here.
    #[error("expected {expected}")]
    Syntax {
        /// What could have stood here.
        expected: &'static str,
    },
    /// Something other than whitespace and comments after the value.
    #[error("text after the value")]
    TrailingData,
    /// The input ended inside the value or inside a comment.
    #[error("unexpected end of input")]
    UnexpectedEnd,
    /// A key given twice, under [`Duplicates::Error`](crate::Duplicates::Error).
    #[error("duplicate key")]
    DuplicateKey,
    /// More open containers than [`Options::max_depth`](crate::Options::max_depth).
    #[error("too many open containers")]
    TooDeep,
    /// A number or key longer than [`Options::max_held_bytes`](crate::Options::max_held_bytes), or
    /// a hexadecimal number of more than 4,096 digits. In repair mode also text without quotes that
    /// is longer, and more than 16,384 things dropped one after the other before a value.
    #[error("number or key too long")]
    TooLarge,
    /// More keys in one object than [`Options::max_keys`](crate::Options::max_keys).
    #[error("too many keys in one object")]
    TooManyKeys,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// Line and column of the error in `text`, both counted from 1, the column in characters.
    ///
    /// `text` is the whole text that was read, beginning at offset 0. Lines end at LF, CR or CR LF.
    /// An offset past the end counts as the end.
    #[must_use]
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let wanted = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let (mut line, mut column, mut after_cr) = (1, 1, false);
        for (at, c) in text.char_indices() {
            if at >= wanted {
                break;
            }
            match c {
                '\n' if after_cr => {}
                '\n' | '\r' => (line, column) = (line + 1, 1),
                _ => column += 1,
            }
            after_cr = c == '\r';
        }
        (line, column)
    }
}

/// Something worth knowing about a text that was accepted.
///
/// | code | found | done |
/// | --- | --- | --- |
/// | `rjson::byte-order-mark` | a byte order mark at the start | dropped |
/// | `rjson::trailing-comma` | a comma before a closing bracket | dropped |
/// | `rjson::blank-run` | more whitespace after a comma than may be held | dropped |
/// | `rjson::non-finite` | `NaN` or `Infinity` | made `null` or a string |
/// | `rjson::undefined` | `undefined` | made `null` or a string |
/// | `rjson::duplicate-key` | a key given twice (trees only) | one value kept |
/// | `rjson::number-precision` | a number no machine type holds (trees only) | text kept |
/// | `rjson::more-diagnostics` | more of them than a tree lists (trees only) | one in their place |
///
/// Each repair of [`Mode::Repair`](crate::Mode::Repair) has a code of its own; `docs/rjson-rules.md` lists them with
/// examples. An empty span is a place where something was put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What it is.
    pub code: Code,
    /// The bytes it speaks of.
    pub span: Span,
    /// An earlier place it also speaks of: the first of two equal keys.
    pub related: Option<Span>,
}

impl Diagnostic {
    pub(crate) const fn new(code: Code, span: Span) -> Self {
        Self { code, span, related: None }
    }

    /// What was found and what was done, in one sentence.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.code.message()
    }
}

/// Declares the codes of diagnostics, here and in the crates above.
#[doc(hidden)]
#[macro_export]
macro_rules! __codes {
    ($(#[$meta:meta])* $($name:ident = $code:literal, $message:literal;)*) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {$(
            #[doc = concat!("`", $code, "`: ", $message, ".")]
            $name,
        )*}

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable text: the crate, `::` and a name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {$(Self::$name => $code,)*}
            }

            /// What was found and what was done, in one sentence.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self {$(Self::$name => $message,)*}
            }
        }

        impl ::core::fmt::Display for Code {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl PartialEq<str> for Code {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for Code {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }
    };
}

__codes! {
    /// What a [`Diagnostic`] is about.
    ///
    /// It compares equal with its stable text, `rjson::` first. Where one text can come with two
    /// messages it has two variants.
    MoreDiagnostics = "rjson::more-diagnostics",
        "more diagnostics than are listed: the others stand here";
    ByteOrderMark = "rjson::byte-order-mark",
        "byte order mark at the start dropped";
    TrailingComma = "rjson::trailing-comma",
        "comma before a closing bracket dropped";
    BlankRun = "rjson::blank-run",
        "more whitespace after a comma than may be held: dropped";
    NonFiniteNull = "rjson::non-finite",
        "number that is not finite made null";
    NonFiniteString = "rjson::non-finite",
        "number that is not finite made a string";
    UndefinedNull = "rjson::undefined",
        "undefined made null";
    UndefinedString = "rjson::undefined",
        "undefined made a string";
    DuplicateReplaced = "rjson::duplicate-key",
        "key given twice: the later value kept, at the place of the first";
    DuplicateIgnored = "rjson::duplicate-key",
        "key given twice: the first value kept";
    NumberPrecision = "rjson::number-precision",
        "number beyond 64-bit integers and doubles: kept as text";
    Fence = "rjson::fence",
        "Markdown fence around the value dropped";
    Prose = "rjson::prose",
        "text before the value dropped";
    Wrapper = "rjson::wrapper",
        "call or assignment around the value dropped";
    SeveralRoots = "rjson::several-roots",
        "values in a row: made one array";
    TrailingData = "rjson::trailing-data",
        "text after the value dropped";
    ImpliedObject = "rjson::implied-object",
        "object without its opening bracket: opened";
    EscapedDocument = "rjson::escaped-document",
        "document escaped once too often: read without those escapes";
    ExtraComma = "rjson::extra-comma",
        "comma without a value before it dropped";
    MissingComma = "rjson::missing-comma",
        "missing comma inserted";
    OtherComma = "rjson::other-comma",
        "other mark read as a comma";
    OtherColon = "rjson::other-colon",
        "other mark read as a colon";
    OtherBlank = "rjson::other-blank",
        "whitespace without width dropped";
    MissingColon = "rjson::missing-colon",
        "missing colon inserted";
    MissingValue = "rjson::missing-value",
        "missing value made null";
    MissingCloser = "rjson::missing-closer",
        "closing bracket missing at the end inserted";
    WrongCloser = "rjson::wrong-closer",
        "closing bracket that does not suit read as the one that does";
    StrayCloser = "rjson::stray-closer",
        "closing bracket that suits no open one dropped";
    MissingBrace = "rjson::missing-brace",
        "braces that were doubled or missing evened out";
    Sequence = "rjson::sequence",
        "round brackets, or braces around values, read as an array or as nothing";
    Elided = "rjson::elided",
        "ellipsis dropped: data was left out here";
    Skipped = "rjson::skipped",
        "text that fits nowhere dropped";
    UnquotedKey = "rjson::unquoted-key",
        "key without quotes, or with one, quoted";
    KeywordCase = "rjson::keyword-case",
        "literal in another case respelled";
    DigitSeparators = "rjson::digit-separators",
        "separators between digits dropped";
    LeadingZeros = "rjson::leading-zeros",
        "digits with a leading zero made a string";
    BareText = "rjson::bare-text",
        "text without quotes made a string";
    Call = "rjson::call",
        "call around one value dropped";
    StringPrefix = "rjson::string-prefix",
        "letters before a string dropped";
    OtherQuotes = "rjson::other-quotes",
        "other quotes read as double ones";
    TripleQuotes = "rjson::triple-quotes",
        "three quotes read as one";
    InvalidEscape = "rjson::invalid-escape",
        "backslash that begins no escape kept or dropped as asked";
    CutEscape = "rjson::invalid-escape",
        "escape cut by the end of the input dropped";
    LoneSurrogate = "rjson::lone-surrogate",
        "half of a surrogate pair made U+FFFD";
    ControlCharacter = "rjson::control-character",
        "control character kept, escaped";
    Concatenation = "rjson::concatenation",
        "strings in a row joined";
    InnerQuote = "rjson::inner-quote",
        "quote that cannot be the end of its string kept, escaped";
    Ambiguous = "rjson::ambiguous",
        "another end of a string without its quotes escaped, or another value, fits as well";
    MissingQuote = "rjson::missing-quote",
        "missing closing quote inserted";
    DroppedKey = "rjson::dropped-key",
        "key cut by the end of the input dropped";
    CutValue = "rjson::cut-value",
        "value cut by the end of the input completed";
    OpenComment = "rjson::open-comment",
        "comment open at the end of the input closed";
}

impl Code {
    /// What `NaN`, `Infinity` or `undefined` is made.
    pub(crate) fn of_non_finite(word: &str, made: NonFinite) -> Self {
        match (word == "undefined", made == NonFinite::String) {
            (true, false) => Self::UndefinedNull,
            (true, true) => Self::UndefinedString,
            (false, false) => Self::NonFiniteNull,
            (false, true) => Self::NonFiniteString,
        }
    }
}

/// A list of diagnostics. Beyond its limit one more says where the others are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    most: usize,
    duplicates: Duplicates,
}

impl Diagnostics {
    pub(crate) const fn new(options: &Options) -> Self {
        let Options { max_diagnostics: most, duplicates, .. } = *options;
        Self { list: Vec::new(), most, duplicates }
    }

    pub(crate) fn push(&mut self, next: Diagnostic) {
        if self.list.len() < self.most {
            return self.list.push(next);
        }
        let span = match self.list.get(self.most) {
            Some(Diagnostic { span: last, .. }) => {
                Span { start: last.start.min(next.span.start), end: last.end.max(next.span.end) }
            }
            None => next.span,
        };
        self.list.truncate(self.most);
        self.list.push(Diagnostic::new(Code::MoreDiagnostics, span));
    }

    /// A key given twice: an error, or which of its values is kept.
    pub(crate) fn repeated_key(&mut self, first: Option<Span>, span: Span) -> Result<(), Error> {
        let code = match self.duplicates {
            Duplicates::Last => Code::DuplicateReplaced,
            Duplicates::First => Code::DuplicateIgnored,
            Duplicates::Error => return Err(Error::new(ErrorKind::DuplicateKey, span.start)),
        };
        self.push(Diagnostic { related: first, ..Diagnostic::new(code, span) });
        Ok(())
    }

    pub(crate) fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        core::mem::take(&mut self.list)
    }
}

/// A half-open range of byte offsets, counted from the first byte of the whole stream.
///
/// The ranges made here have `start <= end`; as the fields are public, readers do not rely on it.
///
/// ```
/// use toolweir_rjson::Span;
///
/// let span = Span::new(3, 7);
/// assert_eq!(span.len(), 4);
/// assert_eq!(span.to_string(), "3..7");
/// assert!(Span::empty(7).is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

impl Span {
    /// The range `start..end`; an `end` before `start` gives the empty span at `start`.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// The empty span at offset `at`: something that has no source bytes.
    #[must_use]
    pub const fn empty(at: u64) -> Self {
        Self { start: at, end: at }
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// The same range so many bytes further on, at most up to the last offset there is.
    #[must_use]
    pub const fn shifted(self, by: u64) -> Self {
        Self { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }

    /// The same range as an index into a text that begins at offset 0.
    #[must_use]
    pub fn as_range(self) -> Range<usize> {
        let place = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        place(self.start)..place(self.end)
    }

    /// Whether it covers no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start as u64, range.end as u64)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::Span;
    use alloc::string::ToString;

    #[test]
    fn a_backward_range_becomes_empty() {
        assert_eq!(Span::new(5, 3), Span::empty(5));
        assert_eq!(Span { start: 5, end: 3 }.len(), 0);
        assert!(Span { start: 5, end: 3 }.is_empty());
    }

    #[test]
    fn a_range_of_a_text_and_a_span_are_one_thing() {
        let span = Span::from(1..3);
        assert_eq!((span, "abcd".get(span.as_range())), (Span::new(1, 3), Some("bc")));
        assert_eq!(span.shifted(2), Span::new(3, 5));
    }

    #[test]
    fn spans_order_by_start_then_end() {
        assert!(Span::new(1, 9) < Span::new(2, 3));
        assert!(Span::new(1, 2) < Span::new(1, 3));
    }

    #[test]
    fn display_is_the_half_open_range() {
        assert_eq!(Span::new(3, 7).to_string(), "3..7");
        assert_eq!(Span::default().to_string(), "0..0");
    }
}
