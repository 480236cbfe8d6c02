//! The parser of strict and relaxed JSON: a pull tokenizer over pushed chunks.
//!
//! Between calls it keeps the state of the grammar, 16 bytes for each open container, and what must
//! wait until it is certain: a number, a literal, a key, half an escape, and in relaxed mode a comma
//! with the whitespace after it. Values of strings are never held.
//!
//! Invariants, each tested for every way of cutting a text:
//! - tokens (adjacent whitespace and string deltas joined), errors and offsets do not depend on chunks;
//! - the wire texts so far are always a prefix of a strict JSON document;
//! - relaxed mode gives on strict JSON what strict mode gives, but for when a comma comes out;
//! - each byte is examined a bounded number of times, and nothing recurses.
//!
//! `structure` says what may follow what and reads whitespace, comments and commas that wait, `strings`
//! strings and keys, `scalar` numbers and literals. Plain
//! members in a row take the fast path (`crate::fast_path`).

mod scalar;
mod strings;
mod structure;

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use self::scalar::Word;
use self::structure::{Comma, Comment, Expect};
use crate::chars::Quote;
use crate::diagnostic::{Error, ErrorKind, Span};
use crate::escape::{Escape, Rules};
use crate::fast_path::{FastPath, Place, Relaxed, Strict, Taken};
use crate::machine::{Frames, Kind, Meter, RawKind, RawToken, Shape, Token};
use crate::number::Numeral;
use crate::options::{Mode, Options};
use crate::tree::TreeBuilder;

/// Reads one value of strict or relaxed JSON, as [`Machine`](crate::Machine) says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parser {
    pub(crate) options: Options,
    /// The offset given to the last reset.
    base: u64,
    offset: u64,
    expect: Expect,
    lex: Lex,
    pub(crate) stack: Frames,
    comma: Option<Comma>,
    /// A number, the wire text of a key with its opening quote, or the whitespace after a comma.
    held: String,
    decoded: String,
    scratch: String,
    escape: Escape,
    /// The first byte of the open token that no token has covered yet.
    start: u64,
    pending: VecDeque<RawToken<Text<'static>>>,
    /// Diagnostics of the key that is being read: they follow it.
    key_diagnostics: Vec<RawToken<Text<'static>>>,
    /// The offset after the closing quote of the last string or key.
    quoted: Option<u64>,
    pub(crate) non_strict: bool,
    failed: Option<Error>,
    pub(crate) meter: Meter,
}

/// The token that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Lex {
    #[default]
    Between,
    Comment(Comment),
    Text(Quote),
    Key(Quote),
    Identifier,
    Number(Numeral),
    Word(Word),
}

/// A text of a raw token of the machine.
#[derive(Debug, Clone, Copy)]
enum Text<'c> {
    /// A slice of the chunk, or a fixed text.
    Given(&'c str),
    /// What is held.
    Held,
    /// What is held, without its first and last byte (the quotes of a key).
    HeldInside,
    /// The decoded key.
    Decoded,
    /// Re-spelled text.
    Scratch,
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::Given("")
    }
}

/// What one step came to.
enum Step<'c> {
    Token(RawToken<Text<'c>>),
    /// Something changed; go on.
    Again,
    /// The input is used up, or the value is complete.
    Need,
}

type Stepped<'c> = Result<Step<'c>, ErrorKind>;

impl Parser {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    pub(crate) fn reset(&mut self, at: u64) {
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
        self.key_diagnostics.clear();
        self.quoted = None;
        self.non_strict = false;
        self.failed = None;
    }

    /// The place of what has been read since it began.
    fn lexeme(&self) -> Span {
        Span { start: self.start, end: self.offset }
    }

    pub(crate) fn next<'m, 'c: 'm>(
        &'m mut self,
        input: &mut &'c str,
    ) -> Result<Option<Token<'m>>, Error> {
        let Some(token) = self.advance(input)? else { return Ok(None) };
        Ok(Some(self.token(token)))
    }

    pub(crate) fn finish<'m>(&'m mut self) -> Result<Option<Token<'m>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.pending.is_empty() {
            let ended = self.end();
            self.or_fail(ended)?;
        }
        let token = self.pending.pop_front();
        Ok(token.map(|token| self.token(token)))
    }

    pub(crate) fn trailing(&mut self, input: &mut &str) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        while self.is_done() && !input.is_empty() {
            let step = match self.lex {
                Lex::Comment(comment) => self.comment(comment, input).map(|_| ()),
                _ => self.whitespace(input).map(|_| ()).ok_or(ErrorKind::TrailingData),
            };
            self.or_fail(step)?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn fast_path(
        &mut self,
        input: &mut &str,
        to: &mut TreeBuilder,
    ) -> Result<bool, Error> {
        let place = match self.expect {
            Expect::Next => Place::Next,
            Expect::FirstKey | Expect::FirstValue => Place::First,
            Expect::Value => Place::Value,
            Expect::Key | Expect::Colon | Expect::Done => return Ok(false),
        };
        // Directly after a closing quote, `#` and `//` begin no comment.
        let quoted = self.quoted == Some(self.offset) && input.starts_with(['#', '/']);
        let ready = !quoted
            && self.lex == Lex::Between
            && self.comma.is_none()
            && self.failed.is_none()
            && self.pending.is_empty();
        if !ready {
            return Ok(false);
        }
        let non_strict = self.non_strict;
        let (stack, options) = (&mut self.stack, &self.options);
        let mut path = FastPath { to, stack, options, place, non_strict, ended: false };
        let Taken { bytes, items, short } = match self.options.mode {
            Mode::Strict => path.run::<Strict>(input, self.offset),
            _ => path.run::<Relaxed>(input, self.offset),
        };
        let place = path.place;
        self.non_strict = path.non_strict;
        if short.is_err() {
            self.expect = Expect::Colon;
        } else if items > 0 {
            self.expect = match (place, self.stack.last()) {
                (_, None) => Expect::Done,
                (Place::Next, _) => Expect::Next,
                (Place::Value, _) => Expect::Value,
                (Place::First, Some(frame)) if frame.shape == Shape::Object => Expect::FirstKey,
                (Place::First, _) => Expect::FirstValue,
            };
        }
        self.meter.count(bytes);
        if self.take(input, bytes).ends_with(['"', '\'']) {
            self.quoted = Some(self.offset);
        }
        short.map(|_| false)
    }

    fn advance<'c>(&mut self, input: &mut &'c str) -> Result<Option<RawToken<Text<'c>>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        loop {
            if let Some(token) = self.pending.pop_front() {
                return Ok(Some(token));
            }
            let step = self.step(input);
            match self.or_fail(step)? {
                Step::Token(token) => return Ok(Some(token)),
                Step::Again => {}
                Step::Need => return Ok(None),
            }
        }
    }

    fn step<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
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

    fn token<'m, 'c: 'm>(&'m self, token: RawToken<Text<'c>>) -> Token<'m> {
        let kind = match token.kind {
            RawKind::Plain(kind) => kind,
            RawKind::Key(text) => Kind::Key(self.resolve(text)),
        };
        Token { kind, wire: self.resolve(token.wire), span: token.span }
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
}

impl Parser {
    pub(crate) fn is_done(&self) -> bool {
        self.expect == Expect::Done && self.pending.is_empty() && self.failed.is_none()
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn in_string(&self) -> bool {
        matches!(self.lex, Lex::Text(_))
    }

    pub(crate) fn held_bytes(&self) -> usize {
        let escape = if self.escape.is_open() { self.escape.text().len() } else { 0 };
        let held = match self.lex {
            Lex::Key(_) | Lex::Identifier | Lex::Number(_) => self.held.len(),
            Lex::Word(word) => word.len(),
            _ if self.comma.is_some() => 1 + self.held.len(),
            _ => 0,
        };
        held + escape
    }
}
