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
