//! Reads call arguments written as Python keyword arguments, or as Gemma writes them, and gives
//! them as tokens of a JSON object while the text arrives.
//!
//! One incremental machine over pushed chunks; nothing is evaluated. Between calls it keeps the open
//! containers, and what must wait until it is certain: a scalar without quotes, a key, the first
//! scalar of `{` or `(`, half an escape, and up to 256 bytes after a quote that may end its string.
//!
//! Invariants, each tested for every way of cutting a text:
//! - tokens (adjacent deltas and whitespace joined), notes, errors and offsets do not depend on chunks;
//! - tokens tile what was read; the wire texts so far are a prefix of a strict JSON document;
//! - what Python reads is read as Python does: repairs begin where the strict reading fails;
//! - each byte is examined a bounded number of times, and nothing recurses.
//!
//! `items` says what may follow what, `word` reads what has no quotes, `bareword` decides whether that has
//! one reading, `positional` which container is all arguments, `string` reads what has quotes, `delimited`
//! the strings of Gemma, `lookahead` says which quote ends a string. Absent on purpose: schemas,
//! calls and lists of calls, and what policies make of the notes.

mod bareword;
mod delimited;
mod error;
mod escape;
mod frame;
mod items;
mod lookahead;
mod number;
mod options;
mod positional;
mod string;
mod token;
mod unread;
mod word;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use toolweir_rjson::Kind;

use self::delimited::Restart;
pub(crate) use self::delimited::may_be_two_calls;
pub(crate) use self::error::{ExprError, ExprErrorKind, Note, NoteKind};
use self::escape::Escape;
use self::frame::{Frame, Slot};
pub(crate) use self::lookahead::Follow;
use self::lookahead::Lookahead;
use self::options::State;
pub(crate) use self::options::{Ending, Options};
use self::string::StringState;
pub(crate) use self::token::Token;
use self::token::{RawKind, RawToken, Step, Stepped, Text};
use self::unread::Unread;
use crate::meter::Meter;
use crate::readers::taken;

/// Reads the arguments of one call after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExprMachine {
    options: Options,
    /// Declared parameters in their order, and whether each was given.
    names: Vec<(String, bool)>,
    state: State,
    slot: Slot,
    frames: Vec<Frame>,
    /// A comma was read and did not go out.
    comma: bool,
    /// Arguments without a name; the last one had none; one had.
    positional: usize,
    is_positional: bool,
    /// It is the container that is open, and its name is not given yet.
    positional_due: bool,
    /// A dictionary was read as the arguments.
    in_dict: bool,
    has_keywords: bool,
    /// A name at the level of the call is not declared, or was given before.
    has_odd_names: bool,
    /// A string held an unescaped quote.
    has_inner_quotes: bool,
    /// The value that ended last is a text without quotes.
    after_text: bool,
    /// An equals sign stands for the colon after the last key.
    after_equals: bool,
    /// A comment is open.
    comment: bool,
    /// No comma stood before the member that begins.
    missing_comma: bool,
    text_next: bool,
    unread: Unread,
    /// Offset of the next character to be read.
    offset: u64,
    /// Offset up to which tokens cover the text.
    covered: u64,
    /// Where what is held begins and ends.
    held_start: u64,
    held_end: u64,
    /// The held text is a string.
    held_string: bool,
    held: String,
    key: String,
    key_wire: String,
    wire: String,
    scratch: String,
    string: StringState,
    restart: Restart,
    escape: Escape,
    lookahead: Lookahead,
    queue: VecDeque<RawToken<'static>>,
    notes: Vec<Note>,
    guessed: bool,
    non_strict: bool,
    ended: bool,
    failed: Option<ExprError>,
    meter: Meter,
}

impl ExprMachine {
    /// A machine at offset 0 without declared names.
    pub(crate) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Makes it ready for arguments whose first byte has the offset `at`. `names`: the declared
    /// parameters in the order in which arguments without a name take them; none where none are known.
    pub(crate) fn reset<'n>(&mut self, at: u64, names: impl IntoIterator<Item = &'n str>) {
        self.names.clear();
        self.names.extend(names.into_iter().map(|name| (name.to_owned(), false)));
        self.state = State::Start;
        self.frames.clear();
        self.comma = false;
        self.positional = 0;
        (self.is_positional, self.has_keywords, self.text_next) = (false, false, false);
        (self.positional_due, self.in_dict) = (false, false);
        (self.has_odd_names, self.has_inner_quotes) = (false, false);
        (self.after_text, self.after_equals, self.missing_comma) = (false, false, false);
        self.comment = false;
        self.unread.clear();
        (self.offset, self.covered) = (at, at);
        self.held.clear();
        self.escape.reset();
        self.queue.clear();
        self.notes.clear();
        (self.guessed, self.non_strict, self.ended) = (false, false, false);
        self.failed = None;
    }

    /// The next token; `input` is moved on past what was taken.
    ///
    /// `None`: all input is taken and more is needed, or the arguments are complete
    /// ([`is_done`](Self::is_done)); then what follows them is [`take_unread`](Self::take_unread) and
    /// what is left of `input`.
    ///
    /// # Errors
    /// The text is not of the grammar, or a limit is reached. What follows [`offset`](Self::offset)
    /// is then unread and `input` likewise; each later call gives the same error until
    /// [`reset`](Self::reset).
    pub(crate) fn next<'m, 'c: 'm>(
        &'m mut self,
        input: &mut &'c str,
    ) -> Result<Option<Token<'m>>, ExprError> {
        self.unread.begin();
        let before = *input;
        match self.advance(input)? {
            Some(raw) => Ok(Some(self.token(raw, taken(before, input)))),
            None => Ok(None),
        }
    }

    /// Ends the input; to be called until it gives `None`.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub(crate) fn finish(&mut self) -> Result<Option<Token<'_>>, ExprError> {
        self.ended = true;
        self.next(&mut "")
    }

    /// How far the input went; after [`finish`](Self::finish).
    pub(crate) fn ending(&self) -> Ending {
        match self.state {
            State::Done => Ending::Closed,
            State::AfterValue if self.frames.len() == 1 && !self.comment => Ending::Unclosed,
            _ => Ending::Cut,
        }
    }

    /// Closes arguments that are [`Unclosed`](Ending::Unclosed); the tokens come with
    /// [`finish`](Self::finish).
    pub(crate) fn close(&mut self) {
        if self.ending() == Ending::Unclosed {
            self.non_strict = true;
            self.close_root();
        }
    }

    /// Whether the arguments are complete and all tokens were given.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done && self.queue.is_empty()
    }

    /// How many containers are open.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// What stands around strings of Gemma.
    pub(crate) fn delimiter(&self) -> Option<&str> {
        self.options.delimiter.as_deref()
    }

    /// Whether something was repaired, or is not of the grammar.
    pub(crate) fn non_strict(&self) -> bool {
        self.non_strict
    }

    /// Whether another reading fits as well (policy 30).
    pub(crate) fn guessed(&self) -> bool {
        self.guessed
    }

    /// Whether the arguments failed beside each other, in no value that holds others, and all before
    /// that is of the grammar.
    pub(crate) fn failed_flat(&self) -> bool {
        self.failed.is_some() && self.frames.len() == 1 && !self.non_strict && !self.guessed
    }

    /// What was found since the last call.
    pub(crate) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Offset of the next byte to be read.
    #[cfg(test)]
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes taken from the input that no token covers: those taken for lookahead too.
    #[cfg(test)]
    pub(crate) fn held(&self) -> u64 {
        self.offset - self.covered + self.unread.rest().len() as u64
    }

    /// Text taken for lookahead and not read.
    pub(crate) fn unread(&self) -> &str {
        self.unread.rest()
    }

    /// Takes that text out: it belongs to the stream again.
    pub(crate) fn take_unread(&mut self) -> String {
        let text = self.unread.rest().to_owned();
        self.unread.clear();
        text
    }

    /// The text read by the last call of [`next`](Self::next) where it gave no token; `taken` is what
    /// that call took of the input.
    pub(crate) fn source<'a>(&'a self, taken: &'a str) -> [&'a str; 2] {
        let waiting = self.unread.rest().len().min(taken.len());
        [self.unread.replayed(), taken.get(..taken.len() - waiting).unwrap_or_default()]
    }

    /// The value that comes next is text: its schema takes strings only. To be called after its key. In
    /// Gemma such a value needs no quotes; in Python a container is none without a name.
    pub(crate) fn text_next(&mut self) {
        self.text_next = true;
    }

    /// How many times a byte was examined since the machine was made.
    #[cfg(feature = "meter")]
    pub(crate) fn examined(&self) -> u64 {
        self.meter.bytes()
    }

    fn advance<'c>(&mut self, input: &mut &'c str) -> Result<Option<RawToken<'c>>, ExprError> {
        loop {
            if let Some(raw) = self.queue.pop_front() {
                return Ok(Some(raw));
            }
            if let Some(error) = self.failed {
                return Err(error);
            }
            let before = (self.state, self.offset, self.covered);
            self.scratch.clear();
            match self.step(input) {
                Ok(Step::Token(raw)) => return Ok(Some(raw)),
                Ok(Step::NeedMore) => return Ok(None),
                Ok(Step::Again) => debug_assert!(
                    before != (self.state, self.offset, self.covered) || !self.queue.is_empty(),
                    "no progress"
                ),
                Err(kind) => self.failed = Some(ExprError { kind, offset: self.offset }),
            }
        }
    }

    fn step<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        match self.state {
            State::Start => self.start(input),
            State::Item => self.item(input),
            State::Value => self.value_due(input),
            State::AfterValue => self.after_value(input),
            State::Word => self.word(input),
            State::AfterHeld => self.after_held(input),
            State::Opening(quotes) => self.opening(quotes, input),
            State::Content => self.content(input),
            State::Escape => self.escape(input),
            State::QuoteRun(quotes) => self.quote_run(quotes, input),
            State::Closing => self.closing(input),
            State::LoneBackslash => self.lone_backslash(input),
            State::Join => self.join(input),
            State::Delimiter(matched) => self.opening_delimiter(matched, input),
            State::Delimited(matched) => self.delimited(matched, input),
            State::AfterCall => self.after_call(input),
            State::Done => Ok(Step::NeedMore),
        }
    }

    fn token<'m>(&'m self, raw: RawToken<'m>, taken: &'m str) -> Token<'m> {
        let source = self.source(taken);
        let RawToken { start, end, .. } = raw;
        let (kind, wire) = match (raw.kind, raw.text) {
            (RawKind::Key, _) => (Kind::Key(&self.key), self.key_wire.as_str()),
            (RawKind::Plain(kind), Text::Given(text)) => (kind, text),
            (RawKind::Plain(kind), Text::Scratch) => (kind, self.scratch.as_str()),
            (RawKind::Plain(kind), Text::Wire) => (kind, self.wire.as_str()),
        };
        Token { kind, wire, start, end, source, guessed: self.guessed }
    }

    fn is_python(&self) -> bool {
        self.options.delimiter.is_none()
    }

    /// The first character of the delimiter of the Gemma dialect.
    fn delimiter_start(&self) -> Option<char> {
        self.options.delimiter.as_ref().and_then(|delimiter| delimiter.chars().next())
    }

    fn peek(&self, input: &str) -> Option<char> {
        self.unread.peek(input)
    }

    /// Moves past a character that was peeked at.
    fn bump(&mut self, c: char, input: &mut &str) {
        self.unread.advance(c.len_utf8(), input);
        self.offset += c.len_utf8() as u64;
        self.meter.add(c.len_utf8() as u64);
    }

    /// Covers the text up to `end` with a token.
    fn raw_token<'c>(&mut self, kind: Kind<'static>, text: Text<'c>, end: u64) -> RawToken<'c> {
        let start = std::mem::replace(&mut self.covered, end);
        RawToken { kind: RawKind::Plain(kind), text, start, end }
    }

    /// Queues a token.
    fn put(&mut self, kind: Kind<'static>, wire: &'static str, end: u64) {
        let raw = self.raw_token(kind, Text::Given(wire), end);
        self.queue.push_back(raw);
    }

    /// Keeps a character of what is held.
    fn hold(&mut self, c: char) -> Result<(), ExprErrorKind> {
        if self.held.len() + c.len_utf8() > self.options.max_held_bytes {
            return Err(ExprErrorKind::TooLarge);
        }
        self.held.push(c);
        Ok(())
    }

    fn note(&mut self, kind: NoteKind, start: u64, end: u64) {
        self.non_strict = true;
        self.guessed |= kind.is_guess();
        self.notes.push(Note { kind, start, end });
    }
}

fn syntax<T>(expected: &'static str) -> Result<T, ExprErrorKind> {
    Err(ExprErrorKind::Syntax { expected })
}
