//! The one parser of this crate: a pull tokenizer over pushed chunks.
//!
//! Between calls it keeps the state of the grammar, 16 bytes for each open container, and what must
//! wait until it is certain: a number, a literal, a key, half an escape, and in relaxed mode a comma
//! with the whitespace after it. Values of strings are never held.
//!
//! Invariants, each tested for every way of cutting a text:
//! - tokens (adjacent whitespace and string deltas joined), errors and offsets do not depend on chunks;
//! - the wire texts so far are always a prefix of a strict JSON document;
//! - relaxed mode gives on strict JSON what strict mode gives, but for when a comma comes out;
//! - each byte is looked at a bounded number of times, and nothing recurses.
//!
//! `structure` says what may follow what and reads whitespace, comments and commas that wait, `strings`
//! strings and keys, `scalar` numbers and literals, `escape` one escape; `token` is what comes out, `state`
//! says where the machine stands. Plain members in a row take the fast path (`crate::fast_path`), damaged
//! text goes to `crate::repair`.

mod escape;
mod scalar;
mod state;
mod strings;
mod structure;
mod token;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

pub(crate) use self::escape::{Escape, Fed, Rules, strict_escape};
use self::scalar::Word;
use self::strings::Quote;
pub(crate) use self::strings::{strict_run, strict_run_single};
use self::structure::{Comma, Comment, Expect};
use self::token::Text;
pub use self::token::{Kind, Token};
pub(crate) use self::token::{RawKind, RawToken};
use crate::diagnostic::{Error, ErrorKind};
use crate::fast_path::{FastPath, Relaxed, Strict, Taken, TokenSink};
use crate::frames::{Frames, Shape};
use crate::number::Numeral;
use crate::options::{Mode, Options};
use crate::repair::Repair;

/// Reads one JSON value from text that comes in chunks of any size.
///
/// In [`Mode::Repair`] it reads all of the input instead: text around the value goes by as notes, and
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
pub struct Machine {
    options: Options,
    /// The offset given to the last reset.
    base: u64,
    offset: u64,
    expect: Expect,
    lex: Lex,
    stack: Frames,
    comma: Option<Comma>,
    /// A number, the wire text of a key with its opening quote, or the whitespace after a comma.
    held: String,
    decoded: String,
    scratch: String,
    escape: Escape,
    /// The first byte of the open token that no token has covered yet.
    start: u64,
    pending: VecDeque<RawToken<Text<'static>>>,
    /// Notes of the key that is being read: they follow it.
    key_notes: Vec<RawToken<Text<'static>>>,
    /// The offset after the closing quote of a string or key.
    quoted: u64,
    deviated: bool,
    failed: Option<Error>,
    /// Does all the work in repair mode.
    repair: Option<Box<Repair>>,
    #[cfg(feature = "meter")]
    examined: u64,
}

/// The token that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lex {
    Between,
    Comment(Comment),
    Text(Quote),
    Key(Quote),
    Identifier,
    Number(Numeral),
    Word(Word),
}

/// What one step came to.
enum Step<'c> {
    Token(RawToken<Text<'c>>),
    /// Something changed; go on.
    Again,
    /// The input is used up, or the value is complete.
    Need,
}

impl Machine {
    /// A machine at offset 0.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let repair =
            (options.mode == Mode::Repair).then(|| Box::new(Repair::new(options.clone(), 0)));
        Self {
            repair,
            options,
            base: 0,
            offset: 0,
            expect: Expect::Value,
            lex: Lex::Between,
            stack: Frames::default(),
            comma: None,
            held: String::new(),
            decoded: String::new(),
            scratch: String::new(),
            escape: Escape::default(),
            start: 0,
            pending: VecDeque::new(),
            key_notes: Vec::new(),
            quoted: u64::MAX,
            deviated: false,
            failed: None,
            #[cfg(feature = "meter")]
            examined: 0,
        }
    }

    /// A machine in repair mode that takes every value of a text for a root.
    pub(crate) fn all_roots(options: Options) -> Self {
        let mut machine = Self::new(options.clone());
        machine.repair = Some(Box::new(Repair::new(options, 0).all_roots()));
        machine
    }

    /// Makes it ready for another value whose first byte has the offset `at`. Options and
    /// allocations stay.
    pub fn reset(&mut self, at: u64) {
        self.base = at;
        self.offset = at;
        self.expect = Expect::Value;
        self.lex = Lex::Between;
        self.stack.clear();
        self.comma = None;
        self.held.clear();
        self.decoded.clear();
        self.scratch.clear();
        self.escape.clear();
        self.start = at;
        self.pending.clear();
        self.key_notes.clear();
        self.quoted = u64::MAX;
        self.deviated = false;
        self.failed = None;
        if let Some(repair) = &mut self.repair {
            repair.reset(at);
        }
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
    pub fn next<'m, 'c: 'm>(&'m mut self, input: &mut &'c str) -> Result<Option<Token<'m>>, Error> {
        if self.repair.is_some() {
            return self.next_repaired(input);
        }
        match self.advance(input)? {
            Some(piece) => Ok(Some(self.token(piece))),
            None => Ok(None),
        }
    }

    /// Ends the input; to be called until it gives `None`. A number or literal at the root comes out
    /// here.
    ///
    /// # Errors
    /// [`NoValue`](ErrorKind::NoValue) when nothing but whitespace and comments came,
    /// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) when the value or a comment is still open, and
    /// what [`next`](Self::next) gives.
    pub fn finish<'m>(&'m mut self) -> Result<Option<Token<'m>>, Error> {
        if let Some(ref mut repair) = self.repair {
            return repair.finish();
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.pending.is_empty() {
            let ended = self.end();
            self.or_fail(ended)?;
        }
        let piece = self.pending.pop_front();
        Ok(piece.map(|piece| self.token(piece)))
    }

    /// Reads on after a complete value, where only whitespace and comments may stand. Does nothing
    /// while the value is not complete.
    ///
    /// # Errors
    /// [`TrailingData`](ErrorKind::TrailingData) at the first other byte. A comment still open at
    /// the end of the input is found by [`finish`](Self::finish).
    pub fn trailing(&mut self, input: &mut &str) -> Result<(), Error> {
        if self.repair.is_some() {
            return Ok(());
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        while self.is_done() && !input.is_empty() {
            let step = match self.lex {
                Lex::Comment(comment) => self.comment(comment, input).map(|_| ()),
                _ => self.blank(input).map(|_| ()).ok_or(ErrorKind::TrailingData),
            };
            self.or_fail(step)?;
        }
        Ok(())
    }

    /// Takes whole plain members and entries from the front of `input`, as many as there are. True:
    /// `input` is empty, and a token is only certain with the text after it.
    ///
    /// # Errors
    /// Those of the sink.
    #[inline]
    pub(crate) fn fast_path<W: TokenSink>(
        &mut self,
        input: &mut &str,
        to: &mut W,
    ) -> Result<bool, Error> {
        if let Some(repair) = &mut self.repair {
            return repair.fast_path(input, to);
        }
        let first = matches!(self.expect, Expect::FirstKey | Expect::FirstValue);
        // Directly after a closing quote, `#` and `//` begin no comment.
        let quoted = self.quoted == self.offset && input.starts_with(['#', '/']);
        let ready = !quoted
            && (first || self.expect == Expect::Next)
            && self.lex == Lex::Between
            && self.comma.is_none()
            && self.failed.is_none()
            && self.pending.is_empty();
        if !ready {
            return Ok(false);
        }
        let deviated = self.deviated;
        let (stack, options) = (&mut self.stack, &self.options);
        let mut path = FastPath { stack, options, first, deviated, ended: false };
        let Taken { bytes, items, short } = match self.options.mode {
            Mode::Strict => path.run::<Strict, W>(input, self.offset, to),
            _ => path.run::<Relaxed, W>(input, self.offset, to),
        };
        let first = path.first;
        self.deviated = path.deviated;
        if short.is_err() {
            self.expect = Expect::Colon;
        } else if items > 0 {
            self.expect = match self.stack.last() {
                None => Expect::Done,
                Some(_) if !first => Expect::Next,
                Some(frame) if frame.shape == Shape::Object => Expect::FirstKey,
                Some(_) => Expect::FirstValue,
            };
        }
        self.meter(bytes);
        if self.take(input, bytes).ends_with(['"', '\'']) {
            self.quoted = self.offset;
        }
        short.map(|_| false)
    }

    /// Says that nothing comes after what was pushed, before [`finish`](Self::finish) does.
    pub(crate) fn end_input(&mut self) {
        if let Some(repair) = &mut self.repair {
            repair.end_input();
        }
    }

    /// Out of line: the other modes hand out a token in a few nanoseconds.
    #[cold]
    #[inline(never)]
    fn next_repaired<'m, 'c: 'm>(
        &'m mut self,
        input: &mut &'c str,
    ) -> Result<Option<Token<'m>>, Error> {
        match &mut self.repair {
            Some(repair) => repair.next(input),
            None => Ok(None),
        }
    }

    fn advance<'c>(&mut self, input: &mut &'c str) -> Result<Option<RawToken<Text<'c>>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        loop {
            if let Some(piece) = self.pending.pop_front() {
                return Ok(Some(piece));
            }
            let step = self.step(input);
            match self.or_fail(step)? {
                Step::Token(piece) => return Ok(Some(piece)),
                Step::Again => {}
                Step::Need => return Ok(None),
            }
        }
    }

    fn step<'c>(&mut self, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        match self.lex {
            Lex::Text(quote) => self.string(quote, input),
            Lex::Between => self.between(input),
            Lex::Comment(comment) if self.expect != Expect::Done => self.comment(comment, input),
            Lex::Comment(_) => Ok(Step::Need),
            Lex::Key(quote) => self.key(quote, input),
            Lex::Identifier => self.identifier(input),
            Lex::Number(digits) => self.number(digits, input),
            Lex::Word(word) => self.word(word, input),
        }
    }

    fn or_fail<T>(&mut self, result: Result<T, ErrorKind>) -> Result<T, Error> {
        result.map_err(|kind| {
            let error = Error::new(kind, self.offset);
            self.failed = Some(error);
            error
        })
    }

    /// Takes `length` bytes of the input; a length inside a character or past the end takes nothing,
    /// which no caller asks for.
    #[inline]
    fn take<'c>(&mut self, input: &mut &'c str, length: usize) -> &'c str {
        let (taken, rest) = input.split_at_checked(length).unwrap_or(("", *input));
        *input = rest;
        self.offset += taken.len() as u64;
        taken
    }

    fn token<'m, 'c: 'm>(&'m self, piece: RawToken<Text<'c>>) -> Token<'m> {
        let kind = match piece.kind {
            RawKind::Plain(kind) => kind,
            RawKind::Key(text) => Kind::Key(self.resolve(text)),
        };
        Token { kind, wire: self.resolve(piece.wire), start: piece.start, end: piece.end }
    }

    fn resolve<'m, 'c: 'm>(&'m self, text: Text<'c>) -> &'m str {
        match text {
            Text::Given(text) => text,
            Text::Held => &self.held,
            Text::HeldInside => {
                let inside = self.held.get(1..).and_then(|text| text.strip_suffix('"'));
                inside.unwrap_or_default()
            }
            Text::Decoded => &self.decoded,
            Text::Scratch => &self.scratch,
        }
    }

    fn relaxed(&self) -> bool {
        self.options.mode != Mode::Strict
    }

    fn rules(&self) -> Rules {
        if self.relaxed() { Rules::Relaxed } else { Rules::Strict }
    }

    /// Counts a scan that came to its end after `run` of `length` bytes: the stop was looked at too.
    #[inline]
    fn meter_run(&mut self, run: usize, length: usize) {
        self.meter(run + usize::from(run < length));
    }

    #[inline]
    fn meter(&mut self, bytes: usize) {
        #[cfg(feature = "meter")]
        {
            self.examined += bytes as u64;
        }
        #[cfg(not(feature = "meter"))]
        let _ = (bytes, self);
    }
}
