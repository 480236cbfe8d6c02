//! Text that looks like the calls of another format (policy 38): said once, and nothing else changes.
//!
//! The first 4 KiB of visible text are watched on their way out; after them, and where something was
//! found, nothing looks at them. What a format looks like is read off the patterns of its row:
//! the text that opens a call, and whether JSON or further text follows it. No format is named here.
//!
//! Laws: C2 (the diagnostic stands after the end of its text), C3 (what counts is the joined text), C12
//! (a byte is copied once, and only after one that may begin an opener).

use std::sync::{Arc, LazyLock};

use toolweir_segments::{Diagnostic, Span};

use crate::diagnostics;
use crate::engine::{FloorBoundary, TextWatch};
use crate::pattern::{Args, Part, Pattern, parse};
use crate::rows;
use crate::spec::FormatSpec;

/// Only in so much visible text is looked.
const WITHIN: usize = 4 << 10;
/// The fewest characters of a marker that is not prose.
const SHORTEST: usize = 4;
/// So much white space may stand between the pieces of an opener.
const SPACES: usize = 16;
/// So many spellings of one pattern are told apart.
const SPELLINGS: usize = 16;

/// A piece of what opens a call. White space may stand between two.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// The beginning of a JSON object or list.
    Json,
}

/// What opens the calls of a format.
#[derive(Clone, Debug)]
struct Opener {
    pieces: Vec<Piece>,
    format: String,
}

/// The openers of the built-in formats that a protocol does not read.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    openers: Vec<Opener>,
    /// Bytes that one of them begins with.
    first: Vec<char>,
    /// The most bytes that it takes to know one.
    longest: usize,
}

impl Hints {
    /// What is not of `active`.
    pub(crate) fn beside(active: &[&FormatSpec]) -> Self {
        let own = active.iter().flat_map(|spec| openers_of(spec));
        let own: Vec<String> = own.map(|opener| opener.joined()).collect();
        let alike = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
        let mut openers: Vec<Opener> = Vec::new();
        static BUILT_IN: LazyLock<Vec<Opener>> =
            LazyLock::new(|| rows::specs().iter().flat_map(openers_of).collect());
        for opener in BUILT_IN.iter() {
            let joined = opener.joined();
            let active = own.iter().any(|own| alike(own, &joined) || own.contains(&joined));
            // Of formats that look the same the first is named.
            let known = openers.iter().any(|known| known.pieces == opener.pieces);
            if !active && !known {
                openers.push(opener.clone());
            }
        }
        let bytes = |piece: &Piece| match piece {
            Piece::Text(text) => text.len() + SPACES,
            Piece::Json => 1 + SPACES,
        };
        let length = |opener: &Opener| opener.pieces.iter().map(bytes).sum();
        let longest = openers.iter().map(length).max().unwrap_or_default();
        let mut first: Vec<char> =
            openers.iter().filter_map(|opener| opener.text().chars().next()).collect();
        first.sort_unstable();
        first.dedup();
        Self { openers, first, longest }
    }

    /// The opener that a text begins with: of several the one that says most.
    fn at(&self, text: &str) -> Option<(&Opener, usize)> {
        let first = text.as_bytes().first_chunk::<2>();
        let same = |opener: &&Opener| opener.text().as_bytes().first_chunk() == first;
        let alike = self.openers.iter().filter(same);
        let found = alike.filter_map(|opener| Some((opener, opener.fits(text)?)));
        found.rev().max_by_key(|(opener, length)| (opener.pieces.len(), *length))
    }
}

impl Opener {
    /// Its marker.
    fn text(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Its pieces without the white space between them.
    fn joined(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Json => "{".to_owned(),
        };
        self.pieces.iter().map(text).collect()
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

/// What opens the calls of a format, as far as that is a marker: what stands around its calls, where there
/// is such a thing, else what each begins with.
fn openers_of(spec: &FormatSpec) -> Vec<Opener> {
    let around = openers_in(spec, &mut spec.wrap.iter().map(String::as_str));
    if !around.is_empty() {
        return around;
    }
    let calls = spec.call.iter().filter(|call| call.option.as_ref().is_none_or(|option| option.1));
    openers_in(spec, &mut calls.map(|call| call.pattern.as_str()))
}

fn openers_in(spec: &FormatSpec, patterns: &mut dyn Iterator<Item = &str>) -> Vec<Opener> {
    let spellings = patterns.filter_map(|pattern| parse(pattern).ok()).flat_map(|pattern| {
        let (mut open, mut done) = (vec![Spelling::default()], Vec::new());
        spell(&pattern, &mut open, &mut done);
        done.extend(open);
        done
    });
    let named = |spelling: Spelling| Opener { pieces: spelling.pieces, format: spec.name.clone() };
    spellings.map(named).filter(|opener| is_marker(opener.text())).collect()
}

/// The beginning of a pattern, in one of the ways it may be written.
#[derive(Clone, Debug, Default)]
struct Spelling {
    pieces: Vec<Piece>,
    /// Whitespace stands after the last piece.
    whitespace: bool,
}

impl Spelling {
    fn add(&mut self, piece: &Piece) {
        match (self.pieces.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(more)) if !self.whitespace => last.push_str(more),
            _ => self.pieces.push(piece.clone()),
        }
        self.whitespace = false;
    }
}

/// Not a word, a bracket or the fence of a listing.
fn is_marker(text: &str) -> bool {
    text.chars().count() >= SHORTEST
        && !text.starts_with("```")
        && text.chars().any(|c| !c.is_alphanumeric())
        && text.chars().any(char::is_alphanumeric)
}

/// Appends the beginning of a pattern to each spelling in `open`; those that end at a hole are `done`.
fn spell(pattern: &Pattern, open: &mut Vec<Spelling>, done: &mut Vec<Spelling>) {
    for part in &pattern.parts {
        match part {
            Part::Literal(text) => open.iter_mut().for_each(|o| o.add(&Piece::Text(text.clone()))),
            Part::Space(_) => open.iter_mut().for_each(|spelling| spelling.whitespace = true),
            Part::Commit | Part::At(_) | Part::Also(_) | Part::NameIs(_) => {}
            Part::Tag(tag) => {
                // A word that only begins like the tag's is another tag.
                open.iter_mut().for_each(|o| o.add(&Piece::Text(format!("{} ", tag.open))));
                done.append(open);
            }
            Part::Opt(inner) => {
                let mut with = open.clone();
                spell(inner, &mut with, done);
                open.append(&mut with);
            }
            Part::Any(all) => {
                let before = std::mem::take(open);
                for inner in all {
                    let mut with = before.clone();
                    spell(inner, &mut with, done);
                    open.append(&mut with);
                }
            }
            Part::Call(_) | Part::Args(Args::Json) => {
                open.iter_mut().for_each(|spelling| spelling.add(&Piece::Json));
                done.append(open);
            }
            _ => done.append(open),
        }
        if open.is_empty() || open.len() + done.len() > SPELLINGS {
            break;
        }
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
    found: Option<Diagnostic<'static>>,
    said: bool,
}

impl Watch {
    pub(crate) fn new(hints: Arc<Hints>, exact: bool) -> Self {
        let (held, found) = (String::new(), None);
        Self { hints, exact, from: 0, seen: 0, here: 0, held, found, said: false }
    }

    /// Looks at what is held. `all`: nothing follows it.
    fn look(&mut self, all: bool) {
        let mut at = 0;
        while let Some(rest) = self.held.get(at..).filter(|rest| !rest.is_empty()) {
            let skip = rest.find(self.hints.first.as_slice()).unwrap_or(rest.len());
            let Some(rest) = rest.get(skip..).filter(|rest| !rest.is_empty()) else {
                at += skip;
                break;
            };
            at += skip;
            if rest.len() < self.hints.longest && !all {
                break;
            }
            if let Some((opener, length)) = self.hints.at(rest) {
                self.found = Some(self.diagnostic(opener, at, length));
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
}

impl TextWatch for Watch {
    fn begins(&mut self, at: u64) {
        (self.from, self.here) = (at, 0);
    }

    fn text(&mut self, text: &str) {
        if self.said || self.found.is_some() {
            return;
        }
        let left = text.floor_char_boundary_up_to(WITHIN.saturating_sub(self.seen));
        let mut rest = text.get(..left).unwrap_or_default();
        self.seen = self.seen.saturating_add(text.len());
        if self.held.is_empty() {
            let skip = rest.find(self.hints.first.as_slice()).unwrap_or(rest.len());
            rest = rest.get(skip..).unwrap_or_default();
            self.here += skip as u64;
        }
        self.held.push_str(rest);
        self.look(self.seen >= WITHIN);
    }

    fn ends(&mut self) -> Option<Diagnostic<'static>> {
        self.look(true);
        self.held.clear();
        let found = self.found.take();
        self.said |= found.is_some();
        found
    }

    fn is_over(&self) -> bool {
        self.found.is_none() && (self.said || self.seen >= WITHIN) && self.held.is_empty()
    }
}

#[cfg(test)]
mod tests;
