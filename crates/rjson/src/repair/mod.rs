//! Reading what is not quite JSON: the repair mode of the machine.
//!
//! Text is kept in a window until it is certain. One step reads one thing at the front of the
//! window: it takes bytes, or changes the state, or asks for more text without having changed
//! anything. Every look ahead is bounded (`look`), so a step depends on the text alone, never on how
//! it was cut, and whole texts go the same way as streams.
//!
//! Invariants:
//! - what strict or relaxed mode accepts gives the same value: where the bound leaves a question
//!   open, the reading goes on as those modes would;
//! - tokens and notes cover the input; what is invented has a note with an empty span;
//! - nothing handed out is taken back: a key, with the comma before it, waits for its value;
//! - nothing recurses; memory is the window, what waits, and a few bytes for each open container.
//!
//! `root` reads what stands around values, `grammar` what follows what, `close` closing brackets,
//! `string`, `quote` and `escape` strings, `key` keys, `bare` all that has no quotes, `emit` writes tokens.

mod bare;
mod close;
mod emit;
mod escape;
mod grammar;
mod key;
mod look;
mod number;
mod quote;
mod root;
mod string;

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use self::emit::Piece;
use self::look::{Look, More, Quotes};
use crate::chars::floor_boundary;
use crate::error::{Error, ErrorKind};
use crate::machine::{Escape, Token};
use crate::options::Options;

/// The most bytes taken from a chunk at a time.
const GULP: usize = 1 << 14;
/// Texts up to this length are asked about again with every chunk.
const PROMPT: usize = 64;

#[derive(Debug, Clone)]
pub(crate) struct Repair {
    options: Options,
    /// Text not yet read, from `pos` on.
    window: String,
    pos: usize,
    /// The offset of the window's first byte.
    base: u64,
    ended: bool,
    /// No step is tried before the window is this long.
    retry: usize,
    state: State,
    comment: Option<Comment>,
    stack: Vec<Frame>,
    root: root::Root,
    /// A string or key that is being read.
    text: string::Text,
    queue: VecDeque<Piece>,
    arena: String,
    /// What waits for the next value: a comma, a key, a colon, and the blanks between.
    lead: Vec<Piece>,
    lead_text: String,
    escape: Escape,
    /// Room for a text on its way out.
    spare: String,
    deviated: bool,
    /// Tokens are expected between `\"` and two-character escapes.
    escaped: bool,
    failed: Option<Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before, between and behind roots.
    Root,
    /// At the first character of a root.
    First,
    /// A value is due behind a colon.
    Value,
    /// An entry of an array is due, or its end.
    Entry,
    /// A key is due, or the end of the object.
    Key,
    Colon,
    /// Behind a value.
    Next,
    /// Inside a string value.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comment {
    Line,
    Block,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Object,
    Array,
    /// Brackets around one value, which count for nothing.
    Group,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    shape: Shape,
    /// What closes it.
    closer: u8,
    /// An object without its opening bracket.
    implied: bool,
    /// Opened by two brackets, which count once.
    doubled: bool,
    /// Its members or entries so far.
    count: usize,
}

/// Why a step did not come to its end.
#[derive(Debug, Clone, Copy)]
enum Halt {
    More,
    Error(ErrorKind),
}

impl From<More> for Halt {
    fn from(_: More) -> Self {
        Self::More
    }
}

type Step = Result<(), Halt>;

impl Repair {
    pub(crate) fn new(options: Options, at: u64) -> Self {
        Self {
            options,
            window: String::new(),
            pos: 0,
            base: at,
            ended: false,
            retry: 0,
            state: State::Root,
            comment: None,
            stack: Vec::new(),
            root: root::Root::new(at),
            text: string::Text::default(),
            queue: VecDeque::new(),
            arena: String::new(),
            lead: Vec::new(),
            lead_text: String::new(),
            escape: Escape::default(),
            spare: String::new(),
            deviated: false,
            escaped: false,
            failed: None,
        }
    }

    /// The next token of what has been pushed and of `input`, all of which is taken in the end.
    pub(crate) fn next<'m>(&'m mut self, input: &mut &str) -> Result<Option<Token<'m>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.recycle();
        while self.queue.is_empty() {
            if self.window.len() >= self.retry {
                match self.step() {
                    Ok(()) => continue,
                    Err(Halt::Error(kind)) => return Err(self.fail(kind)),
                    Err(Halt::More) => {
                        let waiting = self.window.len() - self.pos;
                        let growth = if waiting <= PROMPT { 1 } else { waiting / 8 };
                        self.retry = self.window.len() + growth;
                    }
                }
            }
            if input.is_empty() {
                return Ok(None);
            }
            self.refill(input);
        }
        Ok(self.pop())
    }

    /// The next token behind the end of the input.
    pub(crate) fn finish<'m>(&'m mut self) -> Result<Option<Token<'m>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.recycle();
        self.ended = true;
        while self.queue.is_empty() {
            if self.pos == self.window.len() && self.is_closed() {
                return Ok(None);
            }
            match self.step() {
                Ok(()) => {}
                Err(Halt::Error(kind)) => return Err(self.fail(kind)),
                // With the whole text there, no question stays open.
                Err(Halt::More) => return Ok(None),
            }
        }
        Ok(self.pop())
    }

    /// Whether a root is complete, no other one is open and all tokens are out.
    pub(crate) fn is_done(&self) -> bool {
        self.failed.is_none()
            && self.queue.is_empty()
            && self.stack.is_empty()
            && self.state == State::Root
            && self.root.count > 0
    }

    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The offset of the first byte that no token or note has been made of.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    pub(crate) fn deviated(&self) -> bool {
        self.deviated
    }

    pub(crate) fn in_string(&self) -> bool {
        self.state == State::Text
    }

    pub(crate) fn held_bytes(&self) -> usize {
        self.window.len() - self.pos + self.lead_text.len()
    }

    fn fail(&mut self, kind: ErrorKind) -> Error {
        let error = Error::new(kind, self.offset());
        self.failed = Some(error);
        error
    }

    fn refill(&mut self, input: &mut &str) {
        if self.pos >= GULP || self.pos == self.window.len() {
            self.window.drain(..self.pos);
            self.base += self.pos as u64;
            self.retry = self.retry.saturating_sub(self.pos);
            self.pos = 0;
        }
        let (taken, rest) =
            input.split_at_checked(floor_boundary(input, GULP)).unwrap_or((*input, ""));
        self.window.push_str(taken);
        *input = rest;
    }

    fn rest(&self) -> &str {
        self.window.get(self.pos..).unwrap_or_default()
    }

    fn first(&self) -> Result<Option<char>, More> {
        match self.rest().chars().next() {
            None if !self.ended => Err(More),
            first => Ok(first),
        }
    }

    /// A look at what stands `behind` bytes behind the front.
    fn look(&self, behind: usize) -> Look<'_> {
        let text = self.window.get(self.pos + behind..).unwrap_or_default();
        Look::new(text, self.ended, self.escaped)
    }

    /// Takes bytes; gives their span.
    fn take(&mut self, bytes: usize) -> (u64, u64) {
        let start = self.offset();
        self.pos = (self.pos + bytes).min(self.window.len());
        (start, self.offset())
    }

    fn step(&mut self) -> Step {
        if let Some(comment) = self.comment {
            return self.comment(comment);
        }
        match self.state {
            State::Text => self.string_step(),
            State::Root => self.root_step(),
            State::First => match self.first()? {
                Some(c) => self.any_value(c),
                None => self.close_all(),
            },
            _ => {
                if self.blank_step()? {
                    return Ok(());
                }
                match self.state {
                    State::Value => self.value_step(),
                    State::Entry => self.entry_step(),
                    State::Key => self.key_step(),
                    State::Colon => self.colon_step(),
                    _ => self.next_step(),
                }
            }
        }
    }

    /// Whether the quotes' string is not the only thing that could be meant: a fence.
    fn fence_ahead(look: &Look<'_>) -> Result<bool, More> {
        look.starts_with("```")
    }

    fn top(&self) -> Option<&Frame> {
        self.stack.last()
    }

    fn in_object(&self) -> bool {
        self.top().is_some_and(|frame| frame.shape == Shape::Object)
    }

    /// The nearest container that is more than brackets around one value.
    fn in_array(&self) -> bool {
        self.top().is_some_and(|frame| frame.shape == Shape::Array)
    }

    fn opening_quote(c: char) -> Option<Quotes> {
        Quotes::open(c)
    }
}
