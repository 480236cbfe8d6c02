//! Errors, which end the reading, and diagnostics, which do not.
//!
//! Neither ever holds text of the input: sizes and positions only.

use thiserror::Error as ThisError;

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
    /// The input is empty, or holds blanks and comments only.
    #[error("no value")]
    NoValue,
    /// A byte that the grammar does not allow here.
    #[error("expected {expected}")]
    Syntax {
        /// What could have stood here.
        expected: &'static str,
    },
    /// Something other than blanks and comments behind the value.
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
/// | `rjson::blank-run` | more blanks behind a comma than may be held | dropped |
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
    /// Stable name, `rjson::` first.
    pub code: &'static str,
    /// First byte it speaks of.
    pub start: u64,
    /// Byte behind the last one it speaks of.
    pub end: u64,
    /// What was found and what was done, in one sentence.
    pub message: &'static str,
    /// An earlier place it also speaks of, start and end: the first of two equal keys.
    pub related: Option<(u64, u64)>,
}

macro_rules! diagnostics {
    ($($name:ident = $code:literal, $message:literal;)*) => {
        impl Diagnostic {$(
            pub(crate) const fn $name(start: u64, end: u64) -> Self {
                Self { code: $code, start, end, message: $message, related: None }
            }
        )*

            /// Every code with a message it comes with, in the order of the table above. A code that
            /// can do two things stands twice.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($code, $message)),*];
        }
    };
}

diagnostics! {
    more_diagnostics = "rjson::more-diagnostics",
        "more diagnostics than are listed: the others stand here";
    byte_order_mark = "rjson::byte-order-mark",
        "byte order mark at the start dropped";
    trailing_comma = "rjson::trailing-comma",
        "comma before a closing bracket dropped";
    blank_run = "rjson::blank-run",
        "more blanks behind a comma than may be held: dropped";
    non_finite_null = "rjson::non-finite",
        "number that is not finite made null";
    non_finite_string = "rjson::non-finite",
        "number that is not finite made a string";
    undefined_null = "rjson::undefined",
        "undefined made null";
    undefined_string = "rjson::undefined",
        "undefined made a string";
    duplicate_replaced = "rjson::duplicate-key",
        "key given twice: the later value kept, at the place of the first";
    duplicate_ignored = "rjson::duplicate-key",
        "key given twice: the first value kept";
    number_precision = "rjson::number-precision",
        "number beyond 64-bit integers and doubles: kept as text";
    fence = "rjson::fence",
        "Markdown fence around the value dropped";
    prose = "rjson::prose",
        "text before the value dropped";
    wrapper = "rjson::wrapper",
        "call or assignment around the value dropped";
    several_roots = "rjson::several-roots",
        "values in a row: made one array";
    trailing_data = "rjson::trailing-data",
        "text behind the value dropped";
    implied_object = "rjson::implied-object",
        "object without its opening bracket: opened";
    escaped_document = "rjson::escaped-document",
        "document escaped once too often: read without those escapes";
    extra_comma = "rjson::extra-comma",
        "comma without a value before it dropped";
    missing_comma = "rjson::missing-comma",
        "missing comma inserted";
    other_comma = "rjson::other-comma",
        "other mark read as a comma";
    other_colon = "rjson::other-colon",
        "other mark read as a colon";
    other_blank = "rjson::other-blank",
        "blank without width dropped";
    missing_colon = "rjson::missing-colon",
        "missing colon inserted";
    missing_value = "rjson::missing-value",
        "missing value made null";
    missing_closer = "rjson::missing-closer",
        "closing bracket missing at the end inserted";
    wrong_closer = "rjson::wrong-closer",
        "closing bracket that does not suit read as the one that does";
    stray_closer = "rjson::stray-closer",
        "closing bracket that suits no open one dropped";
    missing_brace = "rjson::missing-brace",
        "braces that were doubled or missing evened out";
    sequence = "rjson::sequence",
        "round brackets, or braces around values, read as an array or as nothing";
    elided = "rjson::elided",
        "ellipsis dropped: data was left out here";
    skipped = "rjson::skipped",
        "text that fits nowhere dropped";
    unquoted_key = "rjson::unquoted-key",
        "key without quotes, or with one, quoted";
    keyword_case = "rjson::keyword-case",
        "literal in another case respelled";
    digit_separators = "rjson::digit-separators",
        "separators between digits dropped";
    leading_zeros = "rjson::leading-zeros",
        "digits with a leading zero made a string";
    bare_text = "rjson::bare-text",
        "text without quotes made a string";
    call = "rjson::call",
        "call around one value dropped";
    string_prefix = "rjson::string-prefix",
        "letters before a string dropped";
    other_quotes = "rjson::other-quotes",
        "other quotes read as double ones";
    triple_quotes = "rjson::triple-quotes",
        "three quotes read as one";
    invalid_escape = "rjson::invalid-escape",
        "backslash that begins no escape kept or dropped as asked";
    cut_escape = "rjson::invalid-escape",
        "escape cut by the end of the input dropped";
    lone_surrogate = "rjson::lone-surrogate",
        "half of a surrogate pair made U+FFFD";
    control_character = "rjson::control-character",
        "control character kept, escaped";
    concatenation = "rjson::concatenation",
        "strings in a row joined";
    inner_quote = "rjson::inner-quote",
        "quote that cannot be the end of its string kept, escaped";
    ambiguous = "rjson::ambiguous",
        "another end of a string without its quotes escaped, or another value, fits as well";
    missing_quote = "rjson::missing-quote",
        "missing closing quote inserted";
    dropped_key = "rjson::dropped-key",
        "key cut by the end of the input dropped";
    cut_value = "rjson::cut-value",
        "value cut by the end of the input completed";
    open_comment = "rjson::open-comment",
        "comment open at the end of the input closed";
}
