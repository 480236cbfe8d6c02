//! From the name of a model: an id, a path, the name of a file.
//!
//! The last part of a path counts, and a part before it only if no format knows the last one
//! (`…/snapshots/abc`, `model.gguf`). A phrase matches where its words occur in their order: a word may
//! stand apart from the one before it (`Llama-3.1-Nemotron`), a number may not (`Qwen1.5-3B` is no
//! Qwen 3). The match that begins first wins, since fine-tunes name themselves first; of those the longest
//! one.

use std::cmp::{Ordering, Reverse};

use super::phrases::{Atom, Phrase, Until, atoms, compare, is_number, of};
use super::{Candidate, Detector, Evidence, NameSource, insert, points, ranked, share};
use crate::reasoning::FAMILIES;

/// Only so much of a name is read: no model has a longer one.
const LONGEST: usize = 1024;

/// A phrase in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Match {
    /// The first and the last word of the name that it took.
    first: usize,
    last: usize,
    /// The phrase's own words, and their characters.
    atoms: usize,
    length: usize,
    /// Its number at the end is that version, not another one of its range or major number.
    exact: bool,
}

impl Match {
    /// Of two the better one is greater.
    fn rank(&self) -> (Reverse<usize>, usize, bool, Reverse<usize>) {
        (Reverse(self.first), self.length, self.exact, Reverse(self.last))
    }
}

impl Detector {
    /// The formats whose models have such a name, best first: `Qwen/Qwen3-Coder-30B-A3B-Instruct`, a
    /// path, the name of a GGUF file.
    #[must_use]
    pub fn model(&self, id: &str) -> Vec<Candidate> {
        self.named(id, NameSource::Id)
    }

    pub(super) fn named(&self, id: &str, source: NameSource) -> Vec<Candidate> {
        let start = id.len().saturating_sub(LONGEST);
        let id = (start..id.len()).find_map(|at| id.get(at..)).unwrap_or_default();
        let parts = id.rsplit(['/', '\\', ':']).filter(|part| !part.is_empty());
        let found = parts.map(|part| self.part(part, source)).find(|found| !found.is_empty());
        found.unwrap_or_default()
    }

    fn part(&self, part: &str, source: NameSource) -> Vec<Candidate> {
        let name = atoms(part);
        let mut best: Vec<(Match, &Phrase, &super::Row)> = Vec::new();
        for row in &self.rows {
            let matches =
                row.phrases.iter().filter_map(|phrase| Some((find(phrase, &name)?, phrase)));
            // Of equals the first.
            let found = matches.rev().max_by_key(|(found, _)| found.rank());
            if let Some((found, phrase)) = found {
                let rank = found.rank();
                insert(&mut best, (found, phrase, row), |(other, ..)| other.rank() >= rank);
            }
        }
        let mut ranks: Vec<_> = best.iter().map(|(found, ..)| found.rank()).collect();
        ranks.dedup();
        let candidates = best.iter().map(|(found, phrase, row)| {
            let place = ranks.iter().position(|rank| *rank == found.rank()).unwrap_or_default();
            Candidate {
                format: row.name.clone(),
                reasoning: family_of(&name, found).unwrap_or(&row.reasoning).to_owned(),
                score: score(found, &name, place),
                evidence: vec![Evidence::Name {
                    words: words(part, &name, found).to_owned(),
                    matched: phrase.text.clone(),
                    source,
                }],
            }
        });
        ranked(candidates.collect())
    }
}

/// Most points for the place in the order, the others for how much of the name it is.
fn score(found: &Match, name: &[Atom], place: usize) -> u32 {
    let all: usize = name.iter().map(|atom| atom.text.len()).sum();
    let order = points(0.9 * share(1, 1 + place)).max(1);
    // Only of the best: further down it would outweigh a place.
    if place == 0 { order + points(0.1 * share(found.length.min(all), all)) } else { order }
}

/// The family of a name that says more than what the format was found by, or as much.
fn family_of(name: &[Atom], row: &Match) -> Option<&'static str> {
    let matches = FAMILIES.iter().filter_map(|family| {
        let names = std::iter::once(family.name).chain(family.aliases.iter().copied());
        let phrases = of(names, "");
        let found = phrases.iter().filter_map(|phrase| find(phrase, name));
        Some((found.max_by_key(Match::rank)?, family.name))
    });
    let best = matches.rev().max_by_key(|(found, _)| found.rank())?;
    (best.0.first <= row.first && best.0.exact && best.0.atoms >= row.atoms).then_some(best.1)
}

/// The text that a match took.
fn words<'n>(part: &'n str, name: &[Atom], found: &Match) -> &'n str {
    let (first, last) = (name.get(found.first), name.get(found.last));
    let span = first.zip(last).map(|(first, last)| first.start..last.end);
    span.and_then(|span| part.get(span)).unwrap_or(part)
}

/// The first place of a phrase in a name.
fn find(phrase: &Phrase, name: &[Atom]) -> Option<Match> {
    if name.iter().any(|atom| phrase.except.contains(&atom.text)) {
        return None;
    }
    (0..name.len()).find_map(|first| find_at(phrase, name, first))
}

fn find_at(phrase: &Phrase, name: &[Atom], first: usize) -> Option<Match> {
    let (mut exact, mut length, mut last) = (true, 0, first);
    let (mut at, mut number) = (first, 0);
    while let Some(wanted) = phrase.atoms.get(number) {
        let is_last = number + 1 == phrase.atoms.len();
        let next = phrase.atoms.get(number + 1).map(String::as_str);
        let apart = number > 0 && wanted.chars().all(char::is_alphabetic);
        let taken = loop {
            let here = name.get(at)?;
            if let Some(fits) = same(wanted, &here.text, is_last.then_some(&phrase.until)) {
                exact &= fits;
                break (1, 1);
            }
            if let Some(taken) = joined(wanted, next, &here.text, name.get(at + 1)) {
                break taken;
            }
            if !apart {
                return None;
            }
            at += 1;
        };
        at += taken.0;
        last = at - 1;
        number += taken.1;
        length += name.get(last).map_or(0, |atom| atom.text.len());
    }
    Some(Match { first, last, atoms: phrase.atoms.len(), length, exact })
}

/// `function calling` is `functioncalling`, and the other way round: how many words of the name are how
/// many of the phrase.
fn joined(
    wanted: &str,
    next: Option<&str>,
    here: &str,
    after: Option<&Atom>,
) -> Option<(usize, usize)> {
    let is_rest = |whole: &str, first: &str, rest: Option<&str>| {
        rest.is_some_and(|rest| !rest.is_empty() && whole.strip_prefix(first) == Some(rest))
    };
    if is_rest(wanted, here, after.map(|after| after.text.as_str())) {
        Some((2, 1))
    } else {
        is_rest(here, wanted, next).then_some((1, 2))
    }
}

/// Whether a word of a name is that of a phrase, and if it is a number, exactly that one.
fn same(wanted: &str, here: &str, until: Option<&Until>) -> Option<bool> {
    if here == wanted {
        return Some(true);
    }
    if !is_number(wanted) || !is_number(here) {
        return None;
    }
    // `glm47` is GLM 4.7.
    if wanted.len() > 1 && !wanted.contains('.') && here.replace('.', "") == wanted {
        return Some(true);
    }
    match compare(here, wanted) {
        Ordering::Equal => return Some(true),
        Ordering::Less => return None,
        Ordering::Greater => {}
    }
    let in_range = match until? {
        Until::Itself => false,
        Until::Version(last) => compare(here, last).is_le(),
        // Four digits are a date.
        Until::Open => here.len() < 4,
    };
    let major = !wanted.contains('.') && here.split('.').next() == Some(wanted);
    (in_range || major).then_some(in_range)
}
