//! Text that looks like the calls of another format (policy 38): said once, and nothing else changes.
//!
//! The first 4 KiB of visible text are watched on their way out (`engine/watch.rs`); after them, and where
//! something was found, no text is searched. What a format looks like is read off the patterns of its row:
//! the text that opens a call, and whether JSON or further text follows it. No format is named here.

use std::sync::LazyLock;

use crate::engine::{Hints, Opener, Piece};
use crate::pattern::{Args, Part, Pattern, parse};
use crate::rows;
use crate::spec::{FormatSpec, Header};

/// The fewest characters of a marker that is not prose.
const SHORTEST: usize = 4;
/// So many spellings of one pattern are told apart.
const SPELLINGS: usize = 16;

impl Hints {
    /// What is not of `active`.
    pub(crate) fn beside(active: &[&FormatSpec]) -> Self {
        let own = active.iter().flat_map(|spec| openers_of(spec));
        let own: Vec<String> = own.map(|opener| opener.joined()).collect();
        // Headers that no pattern says go on after their marker in other ways, too.
        let free = active.iter().filter(|spec| spec.header != Header::Patterns);
        let free: Vec<String> =
            free.flat_map(|spec| openers_of(spec)).map(|opener| opener.joined()).collect();
        let alike = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
        let mut openers: Vec<Opener> = Vec::new();
        static BUILT_IN: LazyLock<Vec<Opener>> =
            LazyLock::new(|| rows::specs().iter().flat_map(openers_of).collect());
        for opener in BUILT_IN.iter() {
            let joined = opener.joined();
            let active = own.iter().any(|own| alike(own, &joined) || own.contains(&joined))
                || free.iter().any(|own| own.starts_with(opener.text()));
            // Of formats that look the same the first is named.
            let known = openers.iter().any(|known| known.pieces == opener.pieces);
            if !active && !known {
                openers.push(opener.clone());
            }
        }
        Self::of(openers)
    }
}

impl Opener {
    /// Its pieces without the whitespace between them.
    fn joined(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Json => "{".to_owned(),
        };
        self.pieces.iter().map(text).collect()
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
    // A block of such calls is told from a header that begins like it.
    let json = |pattern: &Pattern| matches!(pattern.parts.first(), Some(Part::Call(_)));
    let json_calls =
        spec.call.iter().all(|call| parse(&call.pattern).is_ok_and(|call| json(&call)));
    let spellings = patterns.filter_map(|pattern| parse(pattern).ok()).flat_map(|pattern| {
        let (mut open, mut done) = (vec![Spelling::default()], Vec::new());
        spell(&pattern.parts, json_calls, &mut open, &mut done);
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
/// `json_calls`: the calls of a block are JSON without a header.
fn spell(parts: &[Part], json_calls: bool, open: &mut Vec<Spelling>, done: &mut Vec<Spelling>) {
    for part in parts {
        match part {
            Part::Literal(text) => open.iter_mut().for_each(|o| o.add(&Piece::Text(text.clone()))),
            Part::Space(_) => open.iter_mut().for_each(|spelling| spelling.whitespace = true),
            Part::Commit | Part::At(_) | Part::Also(_) | Part::NameIs(_) => {}
            Part::Tag(tag) => {
                // A word that only begins like the tag's is another tag.
                open.iter_mut().for_each(|o| o.add(&Piece::Text(format!("{} ", tag.open))));
                done.append(open);
            }
            Part::Opt(_) | Part::Any(_) => {
                let before = std::mem::take(open);
                if matches!(part, Part::Opt(_)) {
                    open.clone_from(&before);
                }
                for inner in part.inner() {
                    let mut with = before.clone();
                    spell(inner, json_calls, &mut with, done);
                    open.append(&mut with);
                }
            }
            Part::Calls if !json_calls => done.append(open),
            Part::Call(_) | Part::Args(Args::Json) | Part::Calls => {
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

#[cfg(test)]
mod tests;
