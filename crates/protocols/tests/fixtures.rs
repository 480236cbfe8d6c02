//! Every `fixtures/**/*.case`: held against the laws at every split, and compared with the snapshot
//! beside it. `TOOLWEIR_FIXTURES` runs only those whose path contains it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that reads files and says which fixture failed"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toolweir_protocols::Registry;
use toolweir_testkit::{Case, Splits, check_case, find_cases, snapshot};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").canonicalize().unwrap()
}

/// The fixtures chosen, by path.
fn chosen() -> Vec<PathBuf> {
    let filter = std::env::var("TOOLWEIR_FIXTURES").unwrap_or_default();
    let mut paths = find_cases(&root()).unwrap();
    paths.retain(|path| path.to_string_lossy().contains(&filter));
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

#[test]
fn every_fixture_keeps_the_laws() {
    let registry = Registry::builtin();
    let mut broken = String::new();
    for path in chosen() {
        let case = Case::load(&path).unwrap();
        let protocol = registry.get(&case.format).unwrap();
        if let Err(report) = check_case(&**protocol, &case, splits()) {
            writeln!(broken, "{}\n{report}", path.display()).unwrap();
        }
    }
    assert!(broken.is_empty(), "{broken}");
}

#[test]
fn every_fixture_reads_as_its_snapshot_says() {
    let registry = Registry::builtin();
    let mut failed = Vec::new();
    for path in chosen() {
        let case = Case::load(&path).unwrap();
        let protocol = registry.get(&case.format).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let compare = || {
            let text = snapshot(&**protocol, &case).unwrap();
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
