//! The differences, counted and shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::classify::{Class, Seen, classify};
use super::compare::{Call, differences};
use super::generate::Case;
use super::{Ours, Theirs};
use crate::run::{Done, Outcome, fail};

/// What came of a text, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Same,
    Neither,
    Differs,
    OnlyOurs,
    OnlyTheirs,
}

const RESULTS: &[Came] =
    &[Came::Same, Came::Neither, Came::Differs, Came::OnlyOurs, Came::OnlyTheirs];

/// Counts by reader.
#[derive(Default)]
pub(super) struct Report {
    results: BTreeMap<(&'static str, Came), usize>,
    /// Calls and values that differ.
    classes: BTreeMap<(Class, &'static str), usize>,
    readers: Vec<&'static str>,
    /// Sound texts that differ, and texts whose chunks mattered.
    sound: usize,
    unequal: usize,
    shown: u64,
}

impl Report {
    pub(super) fn new(shown: u64) -> Self {
        Self { shown, ..Self::default() }
    }

    pub(super) fn add(&mut self, case: &Case, reader: &'static str, ours: &Ours, theirs: &Theirs) {
        let our = calls(ours.calls.iter().map(|call| (&call.name, call.arguments.clone())));
        let their = calls(theirs.calls.iter().map(|call| (&call.name, parsed(&call.arguments))));
        let meant = calls(case.meant.iter().map(|(name, arguments)| (name, arguments.clone())));
        if !self.readers.contains(&reader) {
            self.readers.push(reader);
        }
        let result = match (our.is_empty(), their.is_empty()) {
            (true, true) => Came::Neither,
            _ if our == their => Came::Same,
            (false, false) => Came::Differs,
            (false, true) => Came::OnlyOurs,
            (true, false) => Came::OnlyTheirs,
        };
        *self.results.entry((reader, result)).or_default() += 1;
        let sound = !case.damages.is_empty() || our == their && our == meant;
        let seen = Seen { case, reader, ours, meant: &meant, calls: &our };
        let mut unexplained = false;
        for difference in differences(&our, &their) {
            for class in classify(&seen, difference) {
                unexplained |= matches!(class, Class::Unknown | Class::Open(_));
                *self.classes.entry((class, reader)).or_default() += 1;
            }
        }
        self.sound += usize::from(!sound);
        self.unequal += usize::from(!ours.same);
        if (unexplained || !sound || !ours.same) && self.shown > 0 {
            self.shown -= 1;
            println!("{}", shown(&seen, &our, &their));
        }
    }

    pub(super) fn verdict(&self) -> Outcome {
        let unknown = self.classes.iter().filter(|((class, _), _)| *class == Class::Unknown);
        let unknown: usize = unknown.map(|(_, count)| count).sum();
        if unknown + self.sound + self.unequal == 0 {
            return Ok(Done::Passed);
        }
        fail(format!(
            "differences without a reason: {unknown}; sound texts that differ: {}; texts whose \
             chunks mattered: {}",
            self.sound, self.unequal
        ))
    }

    /// Both tables in Markdown.
    pub(super) fn to_markdown(&self) -> String {
        let mut out = String::from(
            "| reader | texts | same calls | no calls | other calls | calls only with us \
             | calls only with them |\n| --- | --: | --: | --: | --: | --: | --: |\n",
        );
        for reader in &self.readers {
            let count = |result| self.results.get(&(*reader, result)).copied().unwrap_or(0);
            let counts: Vec<usize> = RESULTS.iter().map(|result| count(*result)).collect();
            let cells: String = counts.iter().map(|n| format!(" {n} |")).collect();
            let _ = writeln!(out, "| `{reader}` | {} |{cells}", counts.iter().sum::<usize>());
        }
        out.push_str("\nWhy a call or a value differs, counted by differences:\n\n| reason |");
        let heads: String = self.readers.iter().map(|reader| format!(" `{reader}` |")).collect();
        let lines = " --: |".repeat(self.readers.len());
        let _ = writeln!(out, "{heads}\n| --- |{lines}");
        let mut classes: Vec<Class> = self.classes.keys().map(|(class, _)| *class).collect();
        classes.dedup();
        for class in classes {
            let count = |reader| self.classes.get(&(class, reader)).copied().unwrap_or(0);
            let cells: String = self.readers.iter().map(|r| format!(" {} |", count(*r))).collect();
            let _ = writeln!(out, "| {class} |{cells}");
        }
        let open = self.classes.iter().filter(|((class, _), _)| matches!(class, Class::Open(_)));
        let open: usize = open.map(|(_, count)| count).sum();
        let _ = writeln!(out, "\nOpen, ours looks wrong: {open} differences.");
        out
    }
}

fn calls<'a>(list: impl Iterator<Item = (&'a String, Value)>) -> Vec<Call> {
    list.map(|(name, arguments)| Call::new(name, &arguments)).collect()
}

/// The arguments of the middleware, which are JSON text.
fn parsed(arguments: &Value) -> Value {
    let text = arguments.as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_else(|_| arguments.clone())
}

/// A case, whole.
fn shown(seen: &Seen<'_>, ours: &[Call], theirs: &[Call]) -> String {
    let list = |calls: &[Call]| -> String {
        calls.iter().map(|call| format!("\n    {} {}", call.name, call.arguments)).collect()
    };
    let mut out = format!("{} {:?}\n{}\n", seen.reader, seen.case.damages, seen.case.text);
    let _ = writeln!(out, "  meant{}", list(seen.meant));
    let _ = writeln!(out, "  ours{}", list(ours));
    for refused in &seen.ours.refused {
        let _ = writeln!(out, "    refused: {} ({})", refused.name, refused.code);
    }
    let mut codes = seen.ours.codes.clone();
    codes.dedup();
    let _ = writeln!(out, "    said: {}", codes.join(", "));
    let _ = writeln!(out, "  theirs{}", list(theirs));
    out
}
