//! Every `fixtures/**/*.case`: held against the laws at every split, and compared with the snapshot
//! beside it. `TOOLWEIR_FIXTURES` runs only those whose path from the workspace contains it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that reads files and says which fixture failed"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use toolweir_protocols::Registry;
use toolweir_testkit::{Case, Splits, check_case, find_cases, snapshot};

/// Built once: it compiles every format.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").canonicalize().unwrap()
}

/// The fixtures chosen, by path.
fn chosen() -> Vec<PathBuf> {
    let filter = std::env::var("TOOLWEIR_FIXTURES").unwrap_or_default();
    let root = root();
    let mut paths = find_cases(&root).unwrap();
    paths.retain(|path| {
        let below = path.strip_prefix(root.parent().unwrap()).unwrap();
        below.to_string_lossy().replace('\\', "/").contains(&filter)
    });
    paths
}

/// Decoding a short text takes microseconds, but a debug build at every pair of splits adds up.
fn splits() -> Splits {
    let mut splits = Splits::thorough();
    if cfg!(debug_assertions) {
        splits.pairs_up_to = 96;
    }
    splits
}

/// The fixtures are dealt out to these tests one by one, so that all processors have work.
macro_rules! parts {
    ($($name:ident)*) => {
        const PARTS: &[&str] = &[$(stringify!($name)),*];

        /// Each holds its part of the fixtures against the laws.
        mod every_fixture_keeps_the_laws {
            $(#[test]
            fn $name() {
                super::keep_the_laws(stringify!($name));
            })*
        }
    };
}

parts! {
    part_01 part_02 part_03 part_04 part_05 part_06 part_07 part_08
    part_09 part_10 part_11 part_12 part_13 part_14 part_15 part_16
    part_17 part_18 part_19 part_20 part_21 part_22 part_23 part_24
}

fn keep_the_laws(part: &str) {
    let place = PARTS.iter().position(|name| *name == part).unwrap();
    let mut broken = String::new();
    for path in chosen().iter().skip(place).step_by(PARTS.len()) {
        let case = Case::load(path).unwrap();
        let protocol = REGISTRY.union(&case.format).unwrap();
        if let Err(report) = check_case(&*protocol, &case, splits()) {
            writeln!(broken, "{}\n{report}", path.display()).unwrap();
        }
    }
    assert!(broken.is_empty(), "{broken}");
}

#[test]
fn every_fixture_reads_as_its_snapshot_says() {
    let mut failed = Vec::new();
    for path in chosen() {
        let case = Case::load(&path).unwrap();
        let protocol = REGISTRY.union(&case.format).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let compare = || {
            let text = snapshot(&*protocol, &case).unwrap();
            settings.bind(|| insta::assert_snapshot!(case.name.as_str(), text));
        };
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(compare)).is_err() {
            failed.push(path);
        }
    }
    assert!(failed.is_empty(), "snapshots that differ: {failed:#?}");
}

#[test]
fn every_snapshot_has_its_fixture() {
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "snap") {
                assert!(path.with_extension("case").exists(), "{} has no case", path.display());
            }
        }
    }
}
