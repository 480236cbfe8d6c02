//! `cargo xtask ci`: every check in one order, with times and a table at the end.
//!
//! The order is cheap first, so that a slip shows within seconds. The same command is the CI job.

use std::time::{Duration, Instant};

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};
use crate::{codegen, features, harness, package, snapshots, tidy, wasm};

/// One check with the name it has on the command line.
struct Step {
    name: &'static str,
    run: fn(&Repo) -> Outcome,
}

const STEPS: &[Step] = &[
    Step { name: "fmt", run: fmt },
    Step { name: "tidy", run: tidy::run },
    Step { name: "clippy", run: clippy },
    Step { name: "test", run: test },
    Step { name: "doctest", run: doctest },
    Step { name: "snapshots", run: snapshots::check },
    Step { name: "codegen", run: codegen::check },
    Step { name: "docs", run: docs },
    Step { name: "features", run: features::run },
    Step { name: "deny", run: package::deny },
    Step { name: "wasm", run: wasm::run },
    Step { name: "fuzz", run: harness::fuzz_smoke },
    Step { name: "bench", run: harness::bench_smoke },
];

/// Packages outside the workspace, formatted with it all the same.
const OUTSIDE: &[&str] = &[
    "crates/fuzz/Cargo.toml",
    "crates/bench/Cargo.toml",
    "crates/bench/yardstick/Cargo.toml",
    "crates/grammars/Cargo.toml",
    "crates/python/Cargo.toml",
    "crates/wasm/Cargo.toml",
];

/// Runs the chosen steps.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let keep_going = args.flag("--keep-going");
    let only = names(args.value("--only")?)?;
    let skip = names(args.value("--skip")?)?;
    args.done()?;

    let mut rows: Vec<(&str, String, Duration)> = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS.iter().filter(|step| chosen(step.name, &only, &skip)) {
        println!("\n==> {}", step.name);
        let started = Instant::now();
        let result = (step.run)(repo);
        let took = started.elapsed();
        let verdict = match result {
            Ok(Done::Passed) => "ok".to_owned(),
            Ok(Done::Skipped(why)) => format!("skipped: {why}"),
            Err(Failure::Check(what) | Failure::Usage(what)) => {
                failed.push(step.name);
                format!("FAILED: {what}")
            }
        };
        println!("==> {}: {verdict} ({:.1} s)", step.name, took.as_secs_f64());
        rows.push((step.name, verdict, took));
        if !failed.is_empty() && !keep_going {
            break;
        }
    }
    print!("\n{}", table(&rows));
    if failed.is_empty() {
        Ok(Done::Passed)
    } else {
        fail(format!("failed: {}", failed.join(", ")))
    }
}

/// Splits `a,b` and refuses a name that no step has.
fn names(list: Option<String>) -> Outcome<Vec<String>> {
    let names: Vec<String> = list.iter().flat_map(|l| l.split(',')).map(str::to_owned).collect();
    match names.iter().find(|name| STEPS.iter().all(|step| step.name != name.as_str())) {
        None => Ok(names),
        Some(unknown) => {
            let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            let known = known.join(", ");
            Err(Failure::Usage(format!("no step `{unknown}`; there are {known}")))
        }
    }
}

fn chosen(step: &str, only: &[String], skip: &[String]) -> bool {
    (only.is_empty() || only.iter().any(|name| name == step))
        && !skip.iter().any(|name| name == step)
}

/// One line a step: name, seconds, verdict; then the sum.
fn table(rows: &[(&str, String, Duration)]) -> String {
    let mut out = String::new();
    for (name, verdict, took) in rows {
        let verdict = verdict.lines().next().unwrap_or_default();
        out.push_str(&format!("{name:<10} {:>7.1} s  {verdict}\n", took.as_secs_f64()));
    }
    let all: Duration = rows.iter().map(|row| row.2).sum();
    out.push_str(&format!("{:<10} {:>7.1} s\n", "all", all.as_secs_f64()));
    out
}

fn fmt(repo: &Repo) -> Outcome {
    repo.cargo(["fmt", "--all", "--check"]).run()?;
    for manifest in OUTSIDE.iter().filter(|m| repo.path(m).is_file()) {
        repo.cargo(["fmt", "--all", "--manifest-path", manifest, "--check"]).run()?;
    }
    Ok(Done::Passed)
}

fn clippy(repo: &Repo) -> Outcome {
    repo.cargo(["clippy", "--workspace", "--all-targets", "--all-features"])
        .args(["--", "-D", "warnings"])
        .run()?;
    Ok(Done::Passed)
}

/// With all features on. What reads otherwise without one is tested by the step `features`.
fn test(repo: &Repo) -> Outcome {
    let nextest = repo.cargo(["nextest", "--version"]).quiet().0;
    let runner = if nextest {
        repo.cargo(["nextest", "run", "--workspace", "--all-features"])
    } else {
        println!("cargo-nextest is not installed; using cargo test");
        repo.cargo(["test", "--workspace", "--all-features", "--all-targets"])
    };
    runner.env("INSTA_UPDATE", "no").run()?;
    Ok(Done::Passed)
}

fn doctest(repo: &Repo) -> Outcome {
    repo.cargo(["test", "--workspace", "--all-features", "--doc"]).run()?;
    Ok(Done::Passed)
}

fn docs(repo: &Repo) -> Outcome {
    repo.cargo(["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "-Dwarnings")
        .run()?;
    Ok(Done::Passed)
}

#[cfg(test)]
mod tests {
    use super::{STEPS, chosen, names, table};
    use std::time::Duration;

    #[test]
    fn only_and_skip_choose_steps_together() {
        let only = names(Some("fmt,tidy".into())).unwrap();
        let skip = names(Some("tidy".into())).unwrap();
        let left: Vec<&str> =
            STEPS.iter().map(|s| s.name).filter(|n| chosen(n, &only, &skip)).collect();
        assert_eq!(left, ["fmt"]);
    }

    #[test]
    fn an_unknown_step_is_refused() {
        assert!(names(Some("fmt,tests".into())).is_err());
        assert!(names(None).unwrap().is_empty());
    }

    #[test]
    fn the_table_has_a_line_a_step_and_the_sum() {
        let second = Duration::from_secs(1);
        let rows = [("fmt", "ok".into(), second), ("tidy", "FAILED: a\nb".into(), second)];
        let expected =
            "fmt            1.0 s  ok\ntidy           1.0 s  FAILED: a\nall            2.0 s\n";
        assert_eq!(table(&rows), expected);
    }
}
