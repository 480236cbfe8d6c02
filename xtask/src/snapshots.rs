//! `cargo xtask snapshots`: fixtures and the listings beside them.
//!
//! `fixtures/**/NAME.case` is written by hand, `NAME.snap` beside it by the test runner. What the
//! runner does with a difference is `INSTA_UPDATE`: `new` shows it and leaves a `.snap.new`,
//! `always` writes it, `no` only fails. The files are checked here too, because no test runs for
//! a snapshot whose case is gone.

use std::collections::BTreeSet;

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};

const FOLDER: &str = "fixtures";

/// The test that compares. The laws are tests of their own and take longer.
const TEST: &str = "every_fixture_reads_as_its_snapshot_says";

/// What has been built for the tests of one package, or by the step before it in `ci`.
const ONE_PACKAGE: &[&str] = &["-p", "toolweir-protocols"];
const ALL_FEATURES: &[&str] = &["--workspace", "--all-features"];

/// Shows differences, accepts them, or checks that there are none; of all fixtures, or of those
/// whose path contains a word.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let checking = args.flag("--check");
    let accepting = args.flag("--accept");
    let filter = args.free().unwrap_or_default();
    args.done()?;
    let files = chosen(fixtures(repo)?, &filter);
    if !files.iter().any(|file| file.ends_with(".case")) {
        return fail(format!("no path of a fixture contains `{filter}`"));
    }
    match (checking, accepting) {
        (true, true) => Err(Failure::Usage("--check and --accept exclude each other".into())),
        (true, false) => verify(repo, &files, &filter, ONE_PACKAGE),
        (false, true) => accept(repo, &filter),
        (false, false) => {
            test(repo, "new", &filter, ONE_PACKAGE)?;
            Ok(Done::Passed)
        }
    }
}

/// The step of `ci`: all fixtures, by the build that its tests have used.
pub(crate) fn check(repo: &Repo) -> Outcome {
    verify(repo, &fixtures(repo)?, "", ALL_FEATURES)
}

/// Fails for a changed, pending, missing or orphaned snapshot.
fn verify(repo: &Repo, files: &[String], filter: &str, build: &[&str]) -> Outcome {
    let problems = audit(files);
    for problem in &problems {
        println!("{problem}");
    }
    test(repo, "no", filter, build)?;
    if problems.is_empty() {
        Ok(Done::Passed)
    } else {
        fail(format!("{} snapshot(s) out of step with the cases", problems.len()))
    }
}

/// Writes the snapshots, then removes the pending files this settled.
fn accept(repo: &Repo, filter: &str) -> Outcome {
    test(repo, "always", filter, ONE_PACKAGE)?;
    for path in chosen(fixtures(repo)?, filter).iter().filter(|p| p.ends_with(".snap.new")) {
        std::fs::remove_file(repo.path(path))
            .map_err(|e| Failure::Check(format!("cannot remove {path}: {e}")))?;
    }
    Ok(Done::Passed)
}

fn fixtures(repo: &Repo) -> Outcome<Vec<String>> {
    Ok(repo.files(FOLDER)?.iter().map(|path| repo.relative(path)).collect())
}

/// The files whose case is among those that `filter` names; a file is called as its case is.
fn chosen(mut files: Vec<String>, filter: &str) -> Vec<String> {
    files.retain(|file| case_of(file).contains(filter));
    files
}

/// The path of the case that a snapshot belongs to.
fn case_of(file: &str) -> String {
    let ends = [".snap.new", ".snap"];
    let stem = ends.iter().find_map(|end| file.strip_suffix(end));
    stem.map_or_else(|| file.to_owned(), |stem| format!("{stem}.case"))
}

fn test(repo: &Repo, update: &str, filter: &str, build: &[&str]) -> Outcome<()> {
    repo.cargo(["test", "--quiet"])
        .args(build)
        .args(["--test", "fixtures", TEST])
        .env("INSTA_UPDATE", update)
        .env("TOOLWEIR_FIXTURES", filter)
        .run()
}

/// One line for each file that has no counterpart or should not be there.
fn audit(files: &[String]) -> Vec<String> {
    let stems = |end: &str| -> BTreeSet<&str> {
        files.iter().filter_map(|file| file.strip_suffix(end)).collect()
    };
    let (cases, snaps) = (stems(".case"), stems(".snap"));
    let pending = files.iter().filter(|f| f.ends_with(".snap.new") || f.ends_with(".pending-snap"));
    let missing = cases.difference(&snaps).map(|stem| format!("missing: {stem}.snap"));
    let orphaned = snaps.difference(&cases).map(|stem| format!("orphaned: {stem}.snap"));
    missing.chain(orphaned).chain(pending.map(|file| format!("pending: {file}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{audit, chosen};

    #[test]
    fn a_case_and_its_snapshot_are_in_step() {
        let files = ["a/x.case", "a/x.snap", "b/x.y.case", "b/x.y.snap", "README.md"];
        assert!(audit(&files.map(str::to_owned)).is_empty());
    }

    #[test]
    fn a_filter_takes_a_case_with_what_belongs_to_it() {
        let files = ["a/x.case", "a/x.snap", "a/x.snap.new", "a/y.case", "a/xy.snap"];
        let chosen = |filter| chosen(files.map(str::to_owned).to_vec(), filter);
        assert_eq!(chosen("a/x.case"), ["a/x.case", "a/x.snap", "a/x.snap.new"]);
        assert_eq!(chosen("y").len(), 2);
        assert_eq!(chosen("").len(), 5);
    }

    #[test]
    fn missing_orphaned_and_pending_snapshots_are_named() {
        let files = ["a/x.case", "b/x.snap", "c/y.case", "c/y.snap", "c/y.snap.new"];
        assert_eq!(
            audit(&files.map(str::to_owned)),
            ["missing: a/x.snap", "orphaned: b/x.snap", "pending: c/y.snap.new"]
        );
    }
}
