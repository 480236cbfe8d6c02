//! What is accepted, and how much may be held while reading.
//!
//! Limits are counts of bytes or items, never of time: the same text gives the same result on every
//! machine and for every way of cutting it into chunks.

use crate::expect::Expect;

/// Which grammar is read. Each mode accepts all that the one before it accepts, with equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Mode {
    /// RFC 8259: one value with whitespace around it, no byte order mark.
    #[default]
    Strict,
    /// The relaxed grammar of the crate documentation: JSON5, `#` comments, Python literals,
    /// `undefined`, raw line breaks and tabs in strings, a byte order mark.
    Relaxed,
    /// The relaxed grammar and a rule for each of its usual kinds of damage; text around the value
    /// goes by. Whatever is changed is a [`Diagnostic`](crate::Diagnostic); only a text without a
    /// value and the limits are errors.
    Repair,
}

/// Which value a tree keeps when an object gives a key twice.
///
/// Complete: keep the last, keep the first, or refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Duplicates {
    /// The last value wins, at the place of the first; reported as `rjson::duplicate-key`.
    #[default]
    Last,
    /// The first value stays; reported as `rjson::duplicate-key`.
    First,
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) at the later key.
    Error,
}

/// What becomes of `NaN`, `Infinity` and `undefined`, which strict JSON cannot say.
///
/// Complete: there is no fourth way to write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NonFinite {
    /// `null`, reported as `rjson::non-finite` or `rjson::undefined`.
    #[default]
    Null,
    /// A string that holds the word (`"NaN"`, `"-Infinity"`, `"undefined"`), reported likewise.
    String,
    /// The words are not part of the grammar: a syntax error at the first byte that fits nowhere.
    Error,
}

/// What becomes, in relaxed and repair mode, of a backslash that begins no escape, as in `"C:\dir"`.
/// Reported as `rjson::invalid-escape`.
///
/// Complete: it stays or it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InvalidEscape {
    /// The backslash stays data: nothing is lost.
    #[default]
    Keep,
    /// The backslash goes, as JavaScript has it.
    Drop,
}

/// How to read: the grammar and the limits.
///
/// ```
/// use toolweir_rjson::{Mode, Options, parse_with};
///
/// let mut options = Options::new(Mode::Relaxed);
/// options.max_depth = 2;
/// assert!(parse_with("[[1,],]", &options).is_ok());
/// assert!(parse_with("[[[1]]]", &options).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The grammar. Default: [`Mode::Strict`].
    pub mode: Mode,
    /// Containers that may be open at once; one more is
    /// [`TooDeep`](crate::ErrorKind::TooDeep). Default: 128. `0` accepts scalars only.
    pub max_depth: usize,
    /// Bytes that may wait until they are certain: a number, a key (content, as JSON text), the
    /// whitespace after a comma. More is [`TooLarge`](crate::ErrorKind::TooLarge); whitespace is dropped
    /// and reported instead. String values are never held. Default: 1 MiB (1,048,576).
    pub max_held_bytes: usize,
    /// Keys one object may give, repeated ones counted; one more is
    /// [`TooManyKeys`](crate::ErrorKind::TooManyKeys). Default: no limit (`usize::MAX`).
    pub max_keys: usize,
    /// Diagnostics that a tree lists; one more stands for all others
    /// (`rjson::more-diagnostics`). Tokens carry all of them. Default: 10,000.
    pub max_diagnostics: usize,
    /// Which value of a repeated key a tree keeps. Default: [`Duplicates::Last`].
    pub duplicates: Duplicates,
    /// What `NaN`, `Infinity` and `undefined` become. Default: [`NonFinite::Null`].
    pub non_finite: NonFinite,
    /// What becomes of a backslash that begins no escape, in relaxed and repair mode. Default:
    /// [`InvalidEscape::Keep`].
    pub invalid_escape: InvalidEscape,
    /// What the caller expects of the value, in repair mode: it decides which quotes end damaged
    /// strings, and a value of which another reading fits as well is reported as `rjson::ambiguous`.
    /// Default: nothing; quotes are judged by what follows them alone.
    pub expect: Option<Expect>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident $field:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )*};
}

impl Options {
    /// The defaults of every limit, with this mode.
    #[must_use]
    pub const fn new(mode: Mode) -> Self {
        Self {
            mode,
            max_depth: 128,
            max_held_bytes: 1 << 20,
            max_keys: usize::MAX,
            max_diagnostics: 10_000,
            duplicates: Duplicates::Last,
            non_finite: NonFinite::Null,
            invalid_escape: InvalidEscape::Keep,
            expect: None,
        }
    }

    setters! {
        /// The same with another mode.
        with_mode mode: Mode;
        /// The same with another number of open containers.
        with_max_depth max_depth: usize;
        /// The same with another number of bytes that may wait.
        with_max_held_bytes max_held_bytes: usize;
        /// The same with another number of keys an object.
        with_max_keys max_keys: usize;
        /// The same with another number of diagnostics that a tree lists.
        with_max_diagnostics max_diagnostics: usize;
        /// The same with another answer to repeated keys.
        with_duplicates duplicates: Duplicates;
        /// The same with another answer to `NaN`, `Infinity` and `undefined`.
        with_non_finite non_finite: NonFinite;
        /// The same with another answer to backslashes that begin no escape.
        with_invalid_escape invalid_escape: InvalidEscape;
    }

    /// The same with expectations of the value.
    #[must_use]
    pub fn with_expect(mut self, expect: Expect) -> Self {
        self.expect = Some(expect);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Mode::Strict)
    }
}

impl From<Mode> for Options {
    fn from(mode: Mode) -> Self {
        Self::new(mode)
    }
}
