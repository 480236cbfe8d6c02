//! What is worth knowing about a text that was accepted: codes, messages, places, bounded lists.

use alloc::vec::Vec;
use core::fmt;

use crate::options::Options;

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
    /// What it is.
    pub code: Code,
    /// First byte it speaks of.
    pub start: u64,
    /// Byte after the last one it speaks of.
    pub end: u64,
    /// An earlier place it also speaks of, start and end: the first of two equal keys.
    pub related: Option<(u64, u64)>,
}

impl Diagnostic {
    pub(crate) const fn new(code: Code, (start, end): (u64, u64)) -> Self {
        Self { code, start, end, related: None }
    }

    /// What was found and what was done, in one sentence.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.code.message()
    }
}

macro_rules! codes {
    ($($name:ident = $code:literal, $message:literal;)*) => {
        /// What a [`Diagnostic`] is about.
        ///
        /// It compares equal with its stable text, `rjson::` first. Where one text can come with two
        /// messages it has two variants.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {$(
            #[doc = concat!("`", $code, "`: ", $message, ".")]
            $name,
        )*}

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable text, such as `rjson::trailing-comma`.
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
    };
}

codes! {
    MoreDiagnostics = "rjson::more-diagnostics",
        "more diagnostics than are listed: the others stand here";
    ByteOrderMark = "rjson::byte-order-mark",
        "byte order mark at the start dropped";
    TrailingComma = "rjson::trailing-comma",
        "comma before a closing bracket dropped";
    BlankRun = "rjson::blank-run",
        "more blanks behind a comma than may be held: dropped";
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
        "text behind the value dropped";
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
        "blank without width dropped";
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

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// A list of diagnostics. Beyond its limit one more says where the others are.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    most: usize,
}

impl Diagnostics {
    pub(crate) const fn new(options: &Options) -> Self {
        Self { list: Vec::new(), most: options.max_diagnostics }
    }

    pub(crate) fn push(&mut self, next: Diagnostic) {
        if self.list.len() < self.most {
            return self.list.push(next);
        }
        let span = match self.list.get(self.most) {
            Some(last) => (last.start.min(next.start), last.end.max(next.end)),
            None => (next.start, next.end),
        };
        self.list.truncate(self.most);
        self.list.push(Diagnostic::new(Code::MoreDiagnostics, span));
    }

    pub(crate) fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        core::mem::take(&mut self.list)
    }
}
