//! `cargo xtask mutants`: named features of the founding documents taken out one by one, each of
//! which the test that its row cites must catch.
//!
//! `docs/founding-systems.md` says for each feature which test shows it. A test that cannot fail for
//! that reason shows nothing. `mutants/features.toml` has a change of the source for some features of
//! every document; each is made in a copy of the workspace, the cited test is built and run, and must
//! fail. The page and the table are held against each other by `tidy`, which builds nothing.

mod scratch;
mod table;

use std::time::Instant;

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};
use scratch::{Scratch, Verdict};
use table::{Mutant, TABLE};

/// Lists the mutants, or tries those whose name contains `--only`.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let listing = args.flag("--list");
    let only = args.value("--only")?.unwrap_or_default();
    args.done()?;
    let mutants: Vec<Mutant> =
        table::load(repo)?.into_iter().filter(|m| m.name.contains(&only)).collect();
    if mutants.is_empty() {
        return Err(Failure::Usage(format!("no name in {TABLE} contains `{only}`")));
    }
    if listing {
        mutants.iter().for_each(|mutant| println!("{mutant}"));
        return Ok(Done::Passed);
    }
    let stale = check(repo)?;
    if !stale.is_empty() {
        stale.iter().for_each(|finding| println!("stale: {finding}"));
        return fail(format!("{} finding(s) in {TABLE}", stale.len()));
    }
    try_all(&Scratch::new(repo)?, &mutants)
}

/// One line for each entry that does not suit the source, the page or the tests any more.
pub(crate) fn check(repo: &Repo) -> Outcome<Vec<String>> {
    table::check(repo, &table::load(repo)?)
}

/// Every test must pass as the source is, and fail under its mutant.
fn try_all(scratch: &Scratch<'_>, mutants: &[Mutant]) -> Outcome {
    let started = Instant::now();
    for (place, mutant) in mutants.iter().enumerate() {
        let earlier = mutants.iter().take(place);
        if earlier.map(|m| &m.test).all(|test| *test != mutant.test) {
            let verdict = scratch.try_test(&mutant.test)?;
            if verdict != Verdict::Survived {
                return fail(format!("{} does not pass as it is: {verdict}", mutant.test));
            }
        }
    }
    println!("the cited tests pass as they are ({:.0} s)", started.elapsed().as_secs_f64());

    let mut missed = Vec::new();
    for mutant in mutants {
        let begun = Instant::now();
        let verdict = scratch.try_mutant(mutant)?;
        let took = begun.elapsed().as_secs_f64();
        println!("{verdict:<16} {took:>6.1} s  {mutant}");
        if !matches!(verdict, Verdict::Caught | Verdict::TimedOut) {
            missed.push(mutant.name.as_str());
        }
    }
    let all = started.elapsed().as_secs_f64();
    println!("{} of {} caught ({all:.0} s)", mutants.len() - missed.len(), mutants.len());
    if missed.is_empty() {
        Ok(Done::Passed)
    } else {
        fail(format!("not caught: {}", missed.join(", ")))
    }
}
