//! C3: the same stream under two ways of cutting it folds to the same turn, spans included.

use crate::case::{Breach, Case};
use crate::{Source, shrink};

/// Tries one input; panics on a finding.
pub fn target(data: &[u8]) {
    shrink::require(Case::builtin(&mut Source::new(data)), check);
}

/// The case as cut, against the whole text and every character apart.
pub(crate) fn check(case: &Case) -> Result<(), Breach> {
    let Some(cut) = case.decode() else { return Ok(()) };
    let mut other = case.clone();
    other.cuts = Vec::new();
    compare(&cut.turn, &cut.listing, &other, "whole")?;
    other.cuts = case.text.char_indices().skip(1).map(|(at, _)| at).collect();
    compare(&cut.turn, &cut.listing, &other, "by characters")
}

fn compare(
    turn: &toolweir_segments::Turn,
    listing: &str,
    other: &Case,
    how: &str,
) -> Result<(), Breach> {
    let Some(decoded) = other.decode() else { return Ok(()) };
    if *turn == decoded.turn {
        return Ok(());
    }
    let message = format!("two turns\n--- as cut\n{listing}--- {how}\n{}---", decoded.listing);
    Err(Breach::new("C3", message))
}
