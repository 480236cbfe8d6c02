//! Searches the first visible text, on its way out, for what opens the calls of formats that are not read. What
//! those formats are is said by whoever makes the decoder.
//!
//! Laws: C2 (the diagnostic stands after the end of its text), C3 (what counts is the joined text), C12
//! (a byte is copied once, and only after one that may begin an opener).

use std::sync::Arc;

use toolweir_segments::{Diagnostic, Span};

use super::kept::FloorBoundary;
use crate::diagnostics;

/// Bytes of visible text that are searched.
const WITHIN: usize = 4 << 10;
/// Bytes that are examined together.
const BLOCK: usize = 8;
/// The most bytes of whitespace between two pieces of an opener.
const SPACES: usize = 16;

/// A piece of what opens a call. Whitespace may stand between two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// The beginning of a JSON object or list.
    Json,
}

/// What opens the calls of a format.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) format: String,
}

/// The openers of formats that a protocol does not read.
#[derive(Debug)]
pub(crate) struct Hints {
    /// In the order of their first two bytes.
    openers: Vec<Opener>,
    /// Whether one of them begins with a byte.
    begins: [bool; 256],
    /// The most bytes that it takes to know one.
    longest: usize,
}

impl Hints {
    pub(crate) fn of(all: Vec<Opener>) -> Self {
        let bytes = |piece: &Piece| match piece {
            Piece::Text(text) => text.len() + SPACES,
            Piece::Json => 1 + SPACES,
        };
        let length = |opener: &Opener| opener.pieces.iter().map(bytes).sum();
        let longest = all.iter().map(length).max().unwrap_or_default();
        let mut openers: Vec<Opener> = Vec::with_capacity(all.len());
        for opener in all {
            let place = openers.partition_point(|known| known.first() <= opener.first());
            openers.insert(place, opener);
        }
        let mut begins = [false; 256];
        for [byte, _] in openers.iter().filter_map(Opener::first) {
            if let Some(begins) = begins.get_mut(usize::from(byte)) {
                *begins = true;
            }
        }
        Self { openers, begins, longest }
    }

    /// How many bytes stand before the first place where an opener may begin.
    fn gap(&self, text: &str) -> usize {
        let begins = |byte: u8| self.begins.get(usize::from(byte)).is_some_and(|begins| *begins);
        let block = |block: &&[u8]| !block.iter().fold(false, |any, byte| any | begins(*byte));
        let free = text.as_bytes().chunks_exact(BLOCK).take_while(block).count() * BLOCK;
        let rest = text.as_bytes().get(free..).unwrap_or_default();
        free + rest.iter().position(|byte| begins(*byte)).unwrap_or(rest.len())
    }

    /// The opener that a text begins with: of several the one that says most.
    fn at(&self, text: &str) -> Option<(&Opener, usize)> {
        let first = text.as_bytes().first_chunk().copied();
        let from = self.openers.partition_point(|opener| opener.first() < first);
        let alike = self.openers.get(from..)?.iter().take_while(|opener| opener.first() == first);
        let mut best: Option<(&Opener, usize)> = None;
        for opener in alike {
            let Some(length) = opener.fits(text) else { continue };
            let says = |opener: &Opener, length| (opener.pieces.len(), length);
            if best.is_none_or(|(known, most)| says(opener, length) > says(known, most)) {
                best = Some((opener, length));
            }
        }
        best
    }
}

impl Opener {
    /// Its marker.
    pub(crate) fn text(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    fn first(&self) -> Option<[u8; 2]> {
        self.text().as_bytes().first_chunk().copied()
    }

    /// The length of the text that it is the beginning of.
    fn fits(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        for (place, piece) in self.pieces.iter().enumerate() {
            if place > 0 {
                let whitespace =
                    rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
                rest = rest.get(whitespace.min(SPACES)..)?;
            }
            rest = match piece {
                Piece::Text(wanted) => rest.strip_prefix(wanted.as_str())?,
                Piece::Json => rest.strip_prefix(['{', '['])?,
            };
        }
        Some(text.len() - rest.len())
    }
}

/// Follows visible text until something is found or enough of it has passed.
#[derive(Debug)]
pub(crate) struct Watch {
    hints: Arc<Hints>,
    /// Visible text is its source, so places in it are places of the stream.
    exact: bool,
    /// Where the open text segment begins.
    from: u64,
    /// Bytes of visible text so far, and of the open segment.
    seen: usize,
    here: u64,
    /// Text after a place where an opener may begin.
    held: String,
    found: Option<Box<Diagnostic<'static>>>,
    said: bool,
}

impl Watch {
    pub(crate) fn new(hints: Arc<Hints>, exact: bool) -> Self {
        let (held, found) = (String::new(), None);
        Self { hints, exact, from: 0, seen: 0, here: 0, held, found, said: false }
    }

    /// Searches what is held. `all`: nothing follows it.
    fn search(&mut self, all: bool) {
        let mut at = 0;
        while let Some(rest) = self.held.get(at..).filter(|rest| !rest.is_empty()) {
            let gap = self.hints.gap(rest);
            at += gap;
            let Some(rest) = rest.get(gap..).filter(|rest| !rest.is_empty()) else { break };
            if rest.len() < self.hints.longest && !all {
                break;
            }
            if let Some((opener, length)) = self.hints.at(rest) {
                self.found = Some(Box::new(self.diagnostic(opener, at, length)));
                self.held.clear();
                return;
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        self.here += at as u64;
        self.held.drain(..at.min(self.held.len()));
        if all {
            self.held.clear();
        }
    }

    fn diagnostic(&self, opener: &Opener, at: usize, length: usize) -> Diagnostic<'static> {
        let from = self.from;
        let start = from + self.here + at as u64;
        let span =
            if self.exact { Span::new(start, start + length as u64) } else { Span::empty(from) };
        let (marker, format) = (opener.text(), &opener.format);
        let message = format!(
            "the text holds `{marker}` as calls of the format `{format}` begin; that format is not \
             read here, so it stays text"
        );
        let code = diagnostics::OTHER_FORMAT;
        let found = Diagnostic::new(code.code, code.severity, span, message);
        found.with_help(format!("if it is a call, decode with `{format}`, or with both formats"))
    }

    /// A text segment begins at this offset.
    pub(super) fn begins(&mut self, at: u64) {
        (self.from, self.here) = (at, 0);
    }

    /// More of its text.
    pub(super) fn text(&mut self, text: &str) {
        if self.said || self.found.is_some() {
            return;
        }
        let (mut rest, _) = text.split_up_to(WITHIN.saturating_sub(self.seen));
        self.seen = self.seen.saturating_add(text.len());
        if self.held.is_empty() {
            let gap = self.hints.gap(rest);
            rest = rest.get(gap..).unwrap_or_default();
            self.here += gap as u64;
        }
        self.held.push_str(rest);
        if !self.held.is_empty() {
            self.search(self.seen >= WITHIN);
        }
    }

    /// It ends: what is to be said of it.
    pub(super) fn ends(&mut self) -> Option<Box<Diagnostic<'static>>> {
        self.search(true);
        self.held.clear();
        let found = self.found.take();
        self.said |= found.is_some();
        found
    }

    /// Nothing more can come of it.
    pub(super) fn is_over(&self) -> bool {
        self.found.is_none() && (self.said || self.seen >= WITHIN) && self.held.is_empty()
    }
}
