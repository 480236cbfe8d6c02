//! Calls of every format with whatever arguments: those that hold calls themselves (`inside`), and those that break
//! off (`cut`).
//!
//! `TOOLWEIR_CASES` says how many inputs each format is tried on (256).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod cut;
mod inside;

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use toolweir_protocols::{Protocol, Registry};
use toolweir_testkit::generate::{self, Sample};
use toolweir_testkit::{CheckOptions, Splits};

/// What holds of a format, calls and two places.
type Property = fn(&dyn Protocol, &Sample, (Index, Index)) -> Result<(), TestCaseError>;

/// How many tests share the formats.
const PARTS: usize = 4;

/// Tries a property on a part of the formats, with up to so many calls.
fn holds(property: Property, calls: usize, part: usize) {
    /// Built once: it compiles every format.
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);
    let inputs = (generate::sample(calls), any::<(Index, Index)>());
    let tried = TestRunner::new(generate::config()).run(&inputs, |(sample, places)| {
        let mut names = REGISTRY.names().skip(part).step_by(PARTS);
        names.try_for_each(|name| property(&**REGISTRY.get(name).unwrap(), &sample, places))
    });
    assert_eq!(tried.map_err(|error| error.to_string()), Ok(()));
}

/// A property of every format, as one test for each part of them.
macro_rules! for_every_format {
    ($property:ident, $calls:literal calls) => {
        for_every_format! { $property, $calls, part_1 0, part_2 1, part_3 2, part_4 3 }
    };
    ($property:ident, $calls:literal, $($name:ident $part:literal),+) => {
        $(
            #[test]
            fn $name() {
                $crate::holds($property, $calls, $part);
            }
        )+
    };
}
use for_every_format;

/// Every law, at a few splits.
fn laws() -> CheckOptions {
    CheckOptions::with_splits(Splits::few(1))
}

/// A place between two characters of a text.
fn place(text: &str, at: Index) -> usize {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    *at.get(&places)
}
