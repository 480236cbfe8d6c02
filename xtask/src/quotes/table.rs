//! What became of the calls, counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::generate::Call;

/// What became of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It ran as it was written.
    Right,
    /// It did not run.
    Refused,
    /// It ran with other arguments.
    Wrong,
    /// The same, but its payload is JSON as it stands.
    Valid,
}

/// Counts by reader, by the kind of the schema and in all.
#[derive(Debug, Default)]
pub(super) struct Table {
    counts: BTreeMap<(String, String, Verdict), usize>,
    /// Calls whose events depend on the chunks.
    pub(super) unequal: usize,
}

const ALL: &str = "all";
/// Calls of tools without a schema.
pub(super) const UNDECLARED: &str = "not declared";
/// Calls whose keys are declared, and whose backslashes can be known.
const KNOWN: &str = "declared, in all";

impl Table {
    pub(super) fn add(&mut self, reader: &str, call: &Call, verdict: Verdict) {
        let known = (call.kind() != UNDECLARED && !call.is_unknowable()).then_some(KNOWN);
        for kind in [Some(ALL), known, Some(call.kind())].into_iter().flatten() {
            *self.counts.entry((reader.to_owned(), kind.to_owned(), verdict)).or_default() += 1;
        }
    }

    pub(super) fn wrong(&self) -> usize {
        // Repaired JSON without a schema is a value, not a call: nobody holds it back.
        let held = |reader: &str, kind: &str| match reader {
            "json" => false,
            "json with schema" => kind != UNDECLARED,
            _ => true,
        };
        let wrong = |key: &(String, String, Verdict)| {
            key.1 != ALL && key.1 != KNOWN && key.2 == Verdict::Wrong && held(&key.0, &key.1)
        };
        self.counts.iter().filter(|(key, _)| wrong(key)).map(|(_, count)| count).sum()
    }

    pub(super) fn to_markdown(&self, readers: &[&str], seed: u64) -> String {
        let mut out = format!("seed {seed}; chunks mattered in {}\n\n", self.unequal);
        out.push_str(
            "| reader | arguments | calls | right | refused | wrong | JSON as it stands |\n",
        );
        out.push_str("| --- | --- | --: | --: | --: | --: | --: |\n");
        for reader in readers {
            let kinds: Vec<&str> = {
                let of = self.counts.keys().filter(|key| key.0 == *reader);
                let mut kinds: Vec<&str> = of.map(|key| key.1.as_str()).collect();
                kinds.dedup();
                kinds.sort_unstable();
                kinds.dedup();
                kinds
            };
            for kind in kinds {
                let count = |verdict| {
                    let key = ((*reader).to_owned(), kind.to_owned(), verdict);
                    self.counts.get(&key).copied().unwrap_or(0)
                };
                let [right, refused, wrong, valid] =
                    [Verdict::Right, Verdict::Refused, Verdict::Wrong, Verdict::Valid].map(count);
                let calls = right + refused + wrong + valid;
                let part = |count: usize| 100.0 * count as f64 / calls.max(1) as f64;
                let _ = writeln!(
                    out,
                    "| {reader} | {kind} | {calls} | {:.1} % | {:.1} % | {wrong} | {valid} |",
                    part(right),
                    part(refused),
                );
            }
        }
        out
    }
}
