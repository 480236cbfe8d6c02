//! Which wire format is it? A ranked list with reasons, from whatever is known of a model: what it wrote,
//! what it is called, its chat template, the files of its repository.
//!
//! Everything is read off the rows of a registry: their markers and decoders, the literals of their
//! patterns, their names, aliases and models. A format that is added to the registry is detected
//! without a further line.
//!
//! ```
//! use toolweir_protocols::detect::Detector;
//! use toolweir_protocols::{Registry, Request};
//!
//! let detector = Detector::new(&Registry::builtin());
//! let text = "Rolling.<tool_call>\n{\"name\": \"dice\", \"arguments\": {}}\n</tool_call>";
//! let found = detector.transcript(text, &Request::default());
//! assert_eq!(found[0].format, "hermes");
//! assert_eq!(detector.model("Qwen/Qwen3-Coder-30B-A3B-Instruct")[0].format, "qwen3-coder");
//! ```
//!
//! Work is linear in the input: [`transcript`](Detector::transcript) decodes it once for each format of
//! which a marker occurs. Absent on purpose: reading files, asking a server, evaluating templates.

mod constants;
mod evidence;
mod literals;
mod model;
mod phrases;
mod repository;
mod template;
mod transcript;

use std::sync::Arc;

pub use evidence::{Candidate, Evidence, NameSource};
pub use repository::Repository;

use crate::protocol::Protocol;
use crate::reasoning::{FAMILIES, Family, USUAL, sections};
use crate::registry::Registry;
use literals::{Literal, shared};
use phrases::Phrase;

/// What a candidate can score at most.
const FULL: u32 = 1000;
/// So many markers, literals or calls are given as evidence.
const SHOWN: usize = 8;

/// Detects the formats of one registry. Making it reads every row once; it may be kept and shared.
#[derive(Debug)]
pub struct Detector {
    rows: Vec<Row>,
    sections: Vec<Section>,
}

/// What is known of a format.
struct Row {
    name: String,
    /// The reasoning family that usually goes with it.
    reasoning: String,
    protocol: Arc<dyn Protocol>,
    literals: Vec<Literal>,
    phrases: Vec<Phrase>,
}

/// A reasoning family and its markers.
#[derive(Debug)]
struct Section {
    family: &'static Family<'static>,
    opens: Vec<String>,
    closes: Vec<String>,
}

impl Section {
    /// Every family whose patterns can be read: a test compiles each of them.
    fn all() -> Vec<Self> {
        let read = |family: &'static Family<'static>| {
            let parts = sections(family).ok()?;
            let opens = parts.iter().flat_map(|part| part.opens.clone()).collect();
            let closes = parts.iter().flat_map(|part| part.closes.clone()).collect();
            Some(Self { family, opens, closes })
        };
        FAMILIES.iter().filter_map(read).collect()
    }

    fn markers(&self) -> impl Iterator<Item = &str> {
        self.opens.iter().chain(&self.closes).map(String::as_str)
    }
}

impl Row {
    /// Of the families that were seen its usual one, else the first.
    fn section<'s>(&self, seen: &[&'s Section]) -> Option<&'s Section> {
        let name = &*self.reasoning;
        let usual = |s: &&&Section| s.family.name == name || s.family.aliases.contains(&name);
        seen.iter().find(usual).or(seen.first()).copied()
    }

    /// The name of the family that was seen, else of its usual one.
    fn family(&self, seen: Option<&Section>) -> String {
        seen.map_or(&*self.reasoning, |section| section.family.name).to_owned()
    }
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Detector {
    /// A detector of the wire formats of a registry, in their order.
    #[must_use]
    pub fn new(registry: &Registry) -> Self {
        let mut rows: Vec<Row> = registry
            .rows()
            .map(|(protocol, spec)| {
                let aliases = registry.aliases_of(protocol.name());
                let names = std::iter::once(protocol.name()).chain(aliases);
                let models = spec.map(|spec| spec.models.as_str()).unwrap_or_default();
                Row {
                    name: protocol.name().to_owned(),
                    reasoning: spec.map_or_else(|| USUAL.name.to_owned(), |s| s.reasoning.clone()),
                    protocol: Arc::clone(protocol),
                    literals: spec.map(literals::of).unwrap_or_default(),
                    phrases: phrases::of(names, models),
                }
            })
            .collect();
        shared(rows.iter_mut().map(|row| &mut row.literals).collect());
        Self { rows, sections: Section::all() }
    }
}

/// The candidates that score, best first; of equals the one that stands first in the table.
fn ranked(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut best: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates.into_iter().filter(|candidate| candidate.score > 0) {
        let score = candidate.score;
        insert(&mut best, candidate, |other| other.score >= score);
    }
    best
}

/// Puts `item` in front of the first that does not come before it. The lists are no longer than the table of formats;
/// a sort of the standard library is kilobytes of code for each type.
fn insert<T>(list: &mut Vec<T>, item: T, comes_before: impl Fn(&T) -> bool) {
    let place = list.partition_point(comes_before);
    list.insert(place, item);
}

/// A part of all there is; of nothing, none.
fn share(part: usize, all: usize) -> f64 {
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    count(part) / count(all.max(1))
}

/// A share of `FULL`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is between 0 and 1"
)]
fn points(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * f64::from(FULL)).round() as u32
}
