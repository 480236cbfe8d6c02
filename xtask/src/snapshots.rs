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

/// Shows differences, accepts them, or checks that there are none.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let checking = args.flag("--check");
    let accepting = args.flag("--accept");
    let filter = args.free();
    args.done()?;
    match (checking, accepting, filter) {
        (true, true, _) => Err(Failure::Usage("--check and --accept exclude each other".into())),
        (_, false, Some(word)) => Err(Failure::Usage(format!("unexpected `{word}`"))),
        (true, false, None) => check(repo),
        (false, true, filter) => accept(repo, filter.as_deref()),
        (false, false, None) => {
            test(repo, "new", None)?;
            Ok(Done::Passed)
        }
    }
}

/// Fails for a changed, pending, missing or orphaned snapshot.
pub(crate) fn check(repo: &Repo) -> Outcome {
    let problems = audit(&fixtures(repo)?);
    for problem in &problems {
        println!("{problem}");
    }
    test(repo, "no", None)?;
    if problems.is_empty() {
        Ok(Done::Passed)
    } else {
        fail(format!("{} snapshot(s) out of step with the cases", problems.len()))
    }
}

/// Writes the snapshots of the cases that `filter` names (all without one), then removes the
/// pending files it settled.
fn accept(repo: &Repo, filter: Option<&str>) -> Outcome {
    test(repo, "always", filter)?;
    for path in fixtures(repo)? {
        if path.ends_with(".snap.new") && filter.is_none_or(|f| path.contains(f)) {
            std::fs::remove_file(repo.path(&path))
                .map_err(|e| Failure::Check(format!("cannot remove {path}: {e}")))?;
        }
    }
    Ok(Done::Passed)
}

fn fixtures(repo: &Repo) -> Outcome<Vec<String>> {
    Ok(repo.files(FOLDER)?.iter().map(|path| repo.relative(path)).collect())
}

fn test(repo: &Repo, update: &str, filter: Option<&str>) -> Outcome<()> {
    let mut test = repo
        .cargo(["test", "--quiet", "-p", "toolweir-protocols", "--test", "fixtures"])
        .env("INSTA_UPDATE", update);
    if let Some(filter) = filter {
        test = test.env("TOOLWEIR_FIXTURES", filter);
    }
    test.run()
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
    use super::audit;

    #[test]
    fn a_case_and_its_snapshot_are_in_step() {
        let files = ["a/x.case", "a/x.snap", "b/x.y.case", "b/x.y.snap", "README.md"];
        assert!(audit(&files.map(str::to_owned)).is_empty());
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
