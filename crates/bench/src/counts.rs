//! Allocations of one document: counts, so each is a gate.
//!
//! A limit stands a little above what was found when it was set, so that the count does not grow
//! unseen; it is lowered when the count falls.

use toolweir_rjson::{Mode, parse};
use toolweir_rxml as rxml;
use toolweir_schema_coerce::Policy;

use crate::alloc;
use crate::beside;
use crate::documents::{BODY, BODY_IN_QUOTES, BODY_SCHEMA, CALLS, Noise, nested};
use crate::figure::Allocations;
use crate::foundation::{schema, strict};
use crate::gates::Gate;

/// Every count.
pub(crate) fn all() -> Vec<Allocations> {
    let mut all = Vec::new();
    let [(small, small_text), (call, call_text)] = CALLS;
    for (work, text, limit) in [
        (small.to_owned(), small_text.to_owned(), 3),
        (call.to_owned(), call_text.to_owned(), 9),
        ("nested, 1 KiB".to_owned(), nested(1 << 10), 42),
    ] {
        let ours = blocks(|| parse(&text, Mode::Strict).is_ok());
        let (_, theirs) = counted(|| serde_json::from_str::<serde_json::Value>(&text).is_ok());
        let work = format!("strict, {work}");
        all.push(Allocations { work, ours, other: "serde_json", theirs: Some(theirs), limit });
    }
    for (noise, limit) in Noise::ALL.into_iter().zip([50, 53, 58, 62]) {
        let text = noise.text(1 << 10);
        let ours = blocks(|| parse(&text, Mode::Repair).is_ok());
        let (read, theirs) = counted(|| beside::llm_json(&text).is_ok());
        let work = format!("repair, 1 KiB, {}", noise.name());
        let theirs = read.then_some(theirs);
        all.push(Allocations { work, ours, other: "llm_json", theirs, limit });
    }
    let (schema, options) = (schema(BODY_SCHEMA), rxml::Options::default());
    let ours = blocks(|| rxml::parse(BODY, &schema, &options).is_ok());
    let work = "rxml, tool body of 262 bytes".to_owned();
    all.push(Allocations { work, ours, other: "", theirs: None, limit: 52 });
    let value = strict(BODY_IN_QUOTES);
    let ours = blocks(|| schema.coerce(value, &Policy::default()).is_ok());
    let work = "coerce, tool call with every value in quotes".to_owned();
    all.push(Allocations { work, ours, other: "", theirs: None, limit: 64 });
    all
}

/// A gate for each.
pub(crate) fn gates(all: &[Allocations]) -> Vec<Gate> {
    let gate = |found: &Allocations| {
        Gate::new(format!("allocations, {}", found.work), found.ours, found.limit)
    };
    all.iter().map(gate).collect()
}

/// Blocks one reading asks for.
///
/// # Panics
/// When nothing was read: the count would be of something else.
fn blocks(read: impl FnOnce() -> bool) -> u64 {
    let (right, found) = counted(read);
    assert!(right, "a document that is counted must be read");
    found
}

/// Whether something was read, and the blocks it took.
fn counted(read: impl FnOnce() -> bool) -> (bool, u64) {
    let before = alloc::blocks();
    let right = read();
    (right, alloc::blocks() - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_allocates_no_more_than_its_limit() {
        let all = all();
        assert!(all.len() >= 9 && all.iter().all(|found| found.ours > 0));
        let broken: Vec<Gate> = gates(&all).into_iter().filter(|gate| !gate.holds()).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }
}
