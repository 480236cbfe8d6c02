//! Reading what is not quite JSON: the repair mode of the machine.
//!
//! Text is kept in a window until it is certain. One step reads one thing at the front of the
//! window: it takes bytes, or changes the state, or asks for more text without having changed
//! anything. Every lookahead is bounded (`lookahead`), so a step depends on the text alone, never on how
//! it was cut, and whole texts go the same way as streams.
//!
//! Invariants:
//! - what strict or relaxed mode accepts gives the same value: where the bound leaves a question
//!   open, the reading goes on as those modes would;
//! - tokens and diagnostics cover the input; what is invented has a diagnostic with an empty span;
//! - nothing handed out is taken back: a key, with the comma before it, waits for its value;
//! - nothing recurses; memory is the window, what waits, and a few bytes for each open container.
//!
//! `steps` makes the steps and holds the window they are made on. `document` reads what stands around
//! values, `structure` what follows what and closing brackets, `string`, `quote` and `escape` strings, `key`
//! quoted keys, `unquoted` and `word` all that has no quotes. `pending` reads whitespace and comments, writes
//! tokens and keeps back what waits for a value; `source` gives the source of each token. `lookahead`
//! and `predicates` look ahead. `guide` keeps what the caller expects, by which `guided` decides about quotes.

mod document;
mod escape;
mod guide;
mod guided;
mod key;
mod lookahead;
mod pending;
mod predicates;
mod quote;
mod source;
mod steps;
mod string;
mod structure;
mod unquoted;
mod word;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use self::guide::Guide;
use self::lookahead::{NeedMore, Resume};
pub use self::source::{BypassedText, PlainBytes, SourceMachine};
use self::steps::Backoff;
use crate::diagnostic::{Error, ErrorKind};
use crate::machine::{Frame, Frames, Meter, Shape};
use crate::options::Options;

/// The most bytes taken from a chunk at a time.
const GULP: usize = 512;
/// The most tokens that may wait for a value: commas, whitespace and diagnostics of what was dropped.
const PENDING: usize = 1 << 14;
/// Bytes of each text, and tokens, for which there is room from one text to the next.
const ROOM: usize = 2 << 10;
const TOKENS: usize = 32;

/// A token whose texts are ranges of an arena.
type RawToken = crate::machine::RawToken<Range<usize>>;

/// Appends a text to an arena.
fn store(arena: &mut String, text: &str) -> Range<usize> {
    let start = arena.len();
    arena.push_str(text);
    start..arena.len()
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Repair {
    pub(crate) options: Options,
    /// Text not yet read, from `pos` on.
    window: String,
    pos: usize,
    /// The offset of the window's first byte.
    base: u64,
    /// Where the source that is kept begins: what no token handed out covers.
    kept: Option<u64>,
    ended: bool,
    /// A step was left open: when it is tried again.
    waiting: bool,
    backoff: Backoff,
    state: State,
    comment: Option<Comment>,
    pub(crate) stack: Frames,
    root: document::Root,
    /// A string or key that is being read.
    text: string::Text,
    key_scan: Option<key::KeyScan>,
    next_quote: Option<key::NextQuote>,
    /// The offset of a key without quotes, and how much of it has been read.
    word_key: Option<(u64, usize)>,
    word_scan: Option<word::WordScan>,
    text_scan: Option<unquoted::TextScan>,
    brackets: word::Brackets,
    queue: VecDeque<RawToken>,
    arena: String,
    /// What waits for the next value: a comma, a key, a colon, and the whitespace between.
    pending: Vec<RawToken>,
    pending_text: String,
    /// Room for a text on its way out.
    spare: String,
    pub(crate) non_strict: bool,
    /// Tokens are expected between `\"` and two-character escapes.
    escaped: bool,
    failed: Option<Error>,
    /// What the caller expects.
    guide: Option<Box<Guide>>,
    /// The end of the input stood inside a string, a quoted key or a comment.
    cut_inside: bool,
    pub(crate) meter: Meter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Before, between and after roots.
    #[default]
    Root,
    /// At the first character of a root.
    First,
    /// A value is due after a colon.
    Value,
    /// An entry of an array is due, or its end.
    Entry,
    /// A key is due, or the end of the object.
    Key,
    Colon,
    /// After a value.
    Next,
    /// Inside a string value.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comment {
    Line,
    Block,
}

/// Why a step did not come to its end.
#[derive(Debug, Clone, Copy)]
enum Halt {
    NeedMore(NeedMore),
    Error(ErrorKind),
    /// Too much waits for the next value.
    Crowded,
}

impl From<NeedMore> for Halt {
    fn from(more: NeedMore) -> Self {
        Self::NeedMore(more)
    }
}

type Step = Result<(), Halt>;

impl Halt {
    fn until(resume: Resume) -> Self {
        Self::NeedMore(NeedMore::of(resume))
    }
}

impl Repair {
    pub(crate) fn new(options: Options, at: u64) -> Self {
        let guide = options.expect.clone().map(|expect| Box::new(Guide::new(expect)));
        Self { options, guide, base: at, root: document::Root::new(at), ..Self::default() }
    }

    /// Makes it ready for another text; what was counted stays, and room for a small one.
    pub(crate) fn reset(&mut self, at: u64) {
        let mut old = core::mem::replace(self, Self::new(self.options.clone(), at));
        self.kept = old.kept.map(|_| at);
        for (room, text) in [
            (&mut self.window, &mut old.window),
            (&mut self.arena, &mut old.arena),
            (&mut self.pending_text, &mut old.pending_text),
            (&mut self.spare, &mut old.spare),
        ] {
            text.clear();
            text.shrink_to(ROOM);
            *room = core::mem::take(text);
        }
        old.queue.clear();
        old.queue.shrink_to(TOKENS);
        old.pending.clear();
        old.pending.shrink_to(TOKENS);
        old.stack.clear();
        self.guide = old.guide;
        self.guide(Guide::reset);
        (self.queue, self.pending, self.stack) = (old.queue, old.pending, old.stack);
        self.meter = old.meter;
    }

    /// Whether a root is complete, no other one is open and all tokens are out.
    pub(crate) fn is_done(&self) -> bool {
        self.failed.is_none()
            && self.queue.is_empty()
            && self.stack.is_empty()
            && self.state == State::Root
            && self.root.count > 0
    }

    /// The offset of the first byte that no token or diagnostic has been made of.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    pub(crate) fn in_string(&self) -> bool {
        self.state == State::Text
    }

    pub(crate) fn held_bytes(&self) -> usize {
        self.window.len().saturating_sub(self.unread_at()) + self.pending_text.len()
    }
}
