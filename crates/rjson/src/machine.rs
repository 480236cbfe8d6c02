//! The machine, one reader for every mode; its tokens, as they are handed out and as they are kept until then; and
//! the open containers, one stack for every mode; and the count of their work.
//!
//! A [`RawToken`] is a token before its texts are resolved: it says where they stand instead of borrowing
//! them, so it can be made while its maker is still being changed.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
#[cfg(feature = "meter")]
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::diagnostic::{Code, Diagnostic, Error, Span};
use crate::options::{Mode, Options};
use crate::parser::Parser;
use crate::repair::Repair;
use crate::tree::TreeBuilder;

/// Reads one JSON value from text that comes in chunks of any size.
///
/// In [`Mode::Repair`] it reads all of the input instead: text around the value goes by as diagnostics, and
/// several values may come, each whole before the next begins. Then [`next`](Self::next) takes every
/// chunk whole, [`is_done`](Self::is_done) means that a value is complete and no other is open, and
/// what follows is only certain at [`finish`](Self::finish).
///
/// ```
/// use toolweir_rjson::{Machine, Mode, Options};
///
/// let mut machine = Machine::new(Options::new(Mode::Relaxed));
/// let mut wire = String::new();
/// for chunk in ["{path: 'sr", "c/lib.rs', n: +", "3,} tail"] {
///     let mut input = chunk;
///     while let Some(token) = machine.next(&mut input)? {
///         wire.push_str(token.wire);
///     }
///     if machine.is_done() {
///         assert_eq!(input, " tail");
///     }
/// }
/// assert_eq!(wire, r#"{"path":"src/lib.rs","n":3}"#);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Machine(Engine);

/// What reads the text.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a step of the parser takes a few nanoseconds")]
enum Engine {
    /// Strict and relaxed mode.
    Parser(Parser),
    Repair(Box<Repair>),
}

/// The same for both engines.
macro_rules! each {
    ($engine:expr, $reader:ident => $result:expr) => {
        match $engine {
            Engine::Parser($reader) => $result,
            Engine::Repair($reader) => $result,
        }
    };
}

impl Machine {
    /// A machine at offset 0.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self(match options.mode {
            Mode::Repair => Engine::Repair(Box::new(Repair::new(options, 0))),
            Mode::Strict | Mode::Relaxed => Engine::Parser(Parser::new(options)),
        })
    }

    /// A machine in repair mode that takes every value of a text for a root.
    pub(crate) fn all_roots(options: Options) -> Self {
        Self(Engine::Repair(Box::new(Repair::new(options, 0).all_roots())))
    }

    /// Makes it ready for another value whose first byte has the offset `at`. Options and
    /// allocations stay.
    pub fn reset(&mut self, at: u64) {
        each!(&mut self.0, reader => reader.reset(at));
    }

    /// The next token; `input` is moved on past what was taken.
    ///
    /// `None`: all input is taken and more is needed, or the value is complete
    /// ([`is_done`](Self::is_done)); then `input` keeps what follows the value. A number or literal
    /// at the root is complete only when the character after it has been seen.
    ///
    /// # Errors
    /// The text is not of the grammar, or a limit is reached. `input` then begins with the byte that
    /// fits nowhere, [`offset`](Self::offset) is its offset, and each later call gives the same
    /// error until [`reset`](Self::reset).
    #[inline]
    pub fn next<'m, 'c: 'm>(&'m mut self, input: &mut &'c str) -> Result<Option<Token<'m>>, Error> {
        match &mut self.0 {
            Engine::Parser(parser) => parser.next(input),
            Engine::Repair(repair) => next_repaired(repair, input),
        }
    }

    /// Ends the input; to be called until it gives `None`. A number or literal at the root comes out
    /// here.
    ///
    /// # Errors
    /// [`NoValue`](crate::ErrorKind::NoValue) when nothing but whitespace and comments came,
    /// [`UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd) when the value or a comment is still open, and
    /// what [`next`](Self::next) gives.
    pub fn finish<'m>(&'m mut self) -> Result<Option<Token<'m>>, Error> {
        each!(&mut self.0, reader => reader.finish())
    }

    /// Reads on after a complete value, where only whitespace and comments may stand. Does nothing
    /// while the value is not complete.
    ///
    /// # Errors
    /// [`TrailingData`](crate::ErrorKind::TrailingData) at the first other byte. A comment still open at
    /// the end of the input is found by [`finish`](Self::finish).
    pub fn trailing(&mut self, input: &mut &str) -> Result<(), Error> {
        match &mut self.0 {
            Engine::Parser(parser) => parser.trailing(input),
            Engine::Repair(_) => Ok(()),
        }
    }

    /// The next piece of the string value that is open, taken from the front of `input` as it
    /// stands there: what [`next`](Self::next) would give as a
    /// [`StringDelta`](crate::Kind::StringDelta) that borrows the input, without the token around
    /// it. `None`, with nothing taken, wherever `next` has something else to say.
    ///
    /// ```
    /// use toolweir_rjson::{Machine, Mode, Options};
    ///
    /// let mut machine = Machine::new(Options::new(Mode::Strict));
    /// let mut input = r#""warp and we"#;
    /// assert_eq!(machine.string_text(&mut input), None);
    /// machine.next(&mut input)?;
    /// assert_eq!(machine.string_text(&mut input), Some("warp and we"));
    /// # Ok::<(), toolweir_rjson::Error>(())
    /// ```
    #[inline]
    pub fn string_text<'c>(&mut self, input: &mut &'c str) -> Option<&'c str> {
        match &mut self.0 {
            Engine::Parser(parser) => parser.string_text(input),
            Engine::Repair(_) => None,
        }
    }

    /// Takes whole plain members and entries from the front of `input`, as many as there are. True:
    /// `input` is empty, and a token is only certain with the text after it.
    ///
    /// # Errors
    /// Those of the tree.
    #[inline]
    pub(crate) fn fast_path(
        &mut self,
        input: &mut &str,
        to: &mut TreeBuilder,
    ) -> Result<bool, Error> {
        each!(&mut self.0, reader => reader.fast_path(input, to))
    }

    /// Says that nothing comes after what was pushed, before [`finish`](Self::finish) does.
    pub(crate) fn end_input(&mut self) {
        if let Engine::Repair(repair) = &mut self.0 {
            repair.end_input();
        }
    }
}

/// What can be asked at any time.
impl Machine {
    /// Whether the root value is complete and all its tokens have been handed out.
    #[must_use]
    pub fn is_done(&self) -> bool {
        each!(&self.0, reader => reader.is_done())
    }

    /// How many containers are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        each!(&self.0, reader => reader.stack.len())
    }

    /// The offset of the next byte: the offset of the last reset and all bytes taken since. After an
    /// error, the offset of the byte that fits nowhere.
    #[must_use]
    pub fn offset(&self) -> u64 {
        each!(&self.0, reader => reader.offset())
    }

    /// Whether something that strict JSON does not have was read; from there on wire texts are
    /// compact instead of the source.
    #[must_use]
    pub fn non_strict(&self) -> bool {
        each!(&self.0, reader => reader.non_strict)
    }

    /// Whether a string value is open: its start is out, its end is not.
    #[must_use]
    pub fn in_string(&self) -> bool {
        each!(&self.0, reader => reader.in_string())
    }

    /// How many bytes wait inside: a number, a literal, a key, half an escape, a comma and the
    /// whitespace after it.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        each!(&self.0, reader => reader.held_bytes())
    }

    /// Whether another reading of a value so far fits what is [expected](crate::Options::expect) as
    /// well: it was reported as `rjson::ambiguous` before the value's end.
    #[must_use]
    pub fn guessed(&self) -> bool {
        matches!(&self.0, Engine::Repair(repair) if repair.guessed())
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> &Options {
        each!(&self.0, reader => &reader.options)
    }

    /// How many times a byte has been examined since the machine was made.
    #[cfg(feature = "meter")]
    #[must_use]
    pub fn examined(&self) -> u64 {
        each!(&self.0, reader => reader.meter.total())
    }
}

/// Out of line: the other modes hand out a token in a few nanoseconds.
#[cold]
#[inline(never)]
fn next_repaired<'m, 'c: 'm>(
    repair: &'m mut Repair,
    input: &mut &'c str,
) -> Result<Option<Token<'m>>, Error> {
    repair.next(input)
}

/// A piece of the value, with its wire text and its place in the input.
///
/// Tokens tile what has been read: each begins where the one before it ended. Of the diagnostics only
/// that of a trailing comma takes part; the others speak of bytes that another token covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'m> {
    /// What it is.
    pub kind: Kind<'m>,
    /// Its share of the document: all wire texts together are the value as strict JSON. The source
    /// bytes while the input is strict JSON; from the first other byte on, compact text.
    pub wire: &'m str,
    /// Its place in the stream.
    pub span: Span,
}

impl Token<'_> {
    /// The diagnostic that the token is, if it is one.
    #[must_use]
    pub const fn diagnostic(&self) -> Option<Diagnostic> {
        match self.kind {
            Kind::Diagnostic(code) => Some(Diagnostic::new(code, self.span)),
            _ => None,
        }
    }
}

/// The kinds of [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind<'m> {
    /// White space or a comment. Its wire text is the source, or empty once the input has non_strict
    /// from strict JSON.
    Whitespace,
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// `,`, never a trailing one
    Comma,
    /// `:`
    Colon,
    /// A whole key, decoded; its wire text is a JSON string with quotes.
    Key(&'m str),
    /// The quote that opens a string value.
    StringStart,
    /// Content of a string value. Its wire text holds whole escapes only, surrogate pairs unsplit;
    /// [`unescape`](crate::unescape) gives the text.
    StringDelta,
    /// The quote that closes a string value.
    StringEnd,
    /// A whole number; its wire text is the number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// Something worth knowing, with an empty wire text; its place is the token's
    /// ([`Token::diagnostic`]).
    Diagnostic(Code),
}

impl Kind<'static> {
    /// What a word is as a literal of JSON or of Python.
    pub(crate) fn of_literal(word: &str) -> Option<Self> {
        Some(match word {
            "true" | "True" => Self::True,
            "false" | "False" => Self::False,
            "null" | "None" => Self::Null,
            _ => return None,
        })
    }
}

impl Kind<'_> {
    /// The wire text, where it is always the same.
    pub(crate) const fn fixed(&self) -> Option<&'static str> {
        Some(match self {
            Self::ObjectStart => "{",
            Self::ObjectEnd => "}",
            Self::ArrayStart => "[",
            Self::ArrayEnd => "]",
            Self::Comma => ",",
            Self::Colon => ":",
            Self::StringStart | Self::StringEnd => "\"",
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
            Self::Diagnostic(_) => "",
            Self::Whitespace | Self::Key(_) | Self::StringDelta | Self::Number => return None,
        })
    }
}

/// A token whose texts `T` says the places of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawToken<T> {
    pub(crate) kind: RawKind<T>,
    pub(crate) wire: T,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum RawKind<T> {
    Plain(Kind<'static>),
    /// The decoded key.
    Key(T),
}

impl<T: Default> RawToken<T> {
    pub(crate) fn new(kind: Kind<'static>, wire: T, span: Span) -> Self {
        Self { kind: RawKind::Plain(kind), wire, span }
    }

    pub(crate) fn diagnostic(code: Code, span: Span) -> Self {
        Self::new(Kind::Diagnostic(code), T::default(), span)
    }

    pub(crate) fn is(&self, wanted: Kind<'static>) -> bool {
        matches!(self.kind, RawKind::Plain(kind) if kind == wanted)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Object,
    Array,
    /// Brackets around one value, which count for nothing (repair only).
    Group,
}

/// An open container; small, as a deep text has many of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// Its members so far, or in repair mode its entries.
    pub(crate) count: u32,
    /// The nearest one around it that the same bracket closes.
    outer: u32,
    pub(crate) shape: Shape,
    /// What closes it.
    closing: u8,
    /// An object without its opening bracket.
    pub(crate) implied: bool,
    /// Opened by two brackets, which count once.
    pub(crate) doubled: bool,
    /// A key of it has no quotes.
    pub(crate) unquoted: bool,
}

/// No container.
const NONE: u32 = u32::MAX;

impl Frame {
    pub(crate) const fn new(shape: Shape, closing: char) -> Self {
        let (implied, doubled, unquoted) = (false, false, false);
        let closing = closing as u8;
        Self { count: 0, outer: NONE, shape, closing, implied, doubled, unquoted }
    }

    pub(crate) const fn object() -> Self {
        Self::new(Shape::Object, '}')
    }

    pub(crate) const fn array() -> Self {
        Self::new(Shape::Array, ']')
    }

    /// An object without its opening bracket.
    pub(crate) const fn implied() -> Self {
        Self { implied: true, ..Self::object() }
    }

    /// The bracket that closes it.
    pub(crate) const fn closing(&self) -> char {
        self.closing as char
    }

    /// Counts one more member, unless there are `max` of them.
    #[inline]
    pub(crate) fn count_key(&mut self, max: usize) -> bool {
        let more = (self.count as usize) < max;
        self.count = self.count.saturating_add(u32::from(more));
        more
    }
}

/// The open containers, the innermost last. Which one a closing bracket matches is known without
/// looking through them.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    all: Vec<Frame>,
    /// For each closing bracket, the innermost container that it closes.
    innermost: [u32; 3],
}

impl Default for Frames {
    fn default() -> Self {
        Self { all: Vec::new(), innermost: [NONE; 3] }
    }
}

#[inline]
const fn slot(closing: u8) -> usize {
    match closing {
        b'}' => 0,
        b']' => 1,
        _ => 2,
    }
}

impl Frames {
    #[inline]
    pub(crate) fn push(&mut self, frame: Frame) {
        let place = self.all.len() as u32;
        let last = self.innermost.get_mut(slot(frame.closing));
        let outer = last.map_or(NONE, |last| core::mem::replace(last, place));
        self.all.push(Frame { outer, ..frame });
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let frame = self.all.pop()?;
        if let Some(last) = self.innermost.get_mut(slot(frame.closing)) {
            *last = frame.outer;
        }
        Some(frame)
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.innermost = [NONE; 3];
    }

    /// Whether the innermost container is an object.
    #[inline]
    pub(crate) fn in_object(&self) -> bool {
        self.last().is_some_and(|frame| frame.shape == Shape::Object)
    }

    /// Whether the innermost container is an array.
    #[inline]
    pub(crate) fn in_array(&self) -> bool {
        self.last().is_some_and(|frame| frame.shape == Shape::Array)
    }

    /// The innermost container that this bracket closes.
    pub(crate) fn matching(&self, closing: char) -> Option<usize> {
        let place = *self.innermost.get(slot(closing as u8))?;
        (place != NONE).then_some(place as usize)
    }
}

impl Deref for Frames {
    type Target = [Frame];

    #[inline]
    fn deref(&self) -> &[Frame] {
        &self.all
    }
}

impl DerefMut for Frames {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Frame] {
        &mut self.all
    }
}

/// The count of bytes examined.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    #[cfg(feature = "meter")]
    bytes: AtomicUsize,
}

impl Meter {
    /// Counts bytes that have been examined.
    #[inline]
    pub(crate) fn count(&self, bytes: usize) {
        #[cfg(feature = "meter")]
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let _ = bytes;
    }

    /// Counts a search that stopped after so many bytes of `text`: the stop was examined too.
    #[inline]
    pub(crate) fn run(&self, bytes: usize, text: impl AsRef<[u8]>) {
        self.count(bytes + usize::from(bytes < text.as_ref().len()));
    }

    #[cfg(feature = "meter")]
    pub(crate) fn total(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed) as u64
    }
}

impl Clone for Meter {
    fn clone(&self) -> Self {
        Self {
            #[cfg(feature = "meter")]
            bytes: AtomicUsize::new(self.bytes.load(Ordering::Relaxed)),
        }
    }
}
