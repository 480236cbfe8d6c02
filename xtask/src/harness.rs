//! `cargo xtask fuzz` and `cargo xtask bench`: the two packages outside the workspace.
//!
//! `crates/fuzz` and `crates/bench` have lock files of their own and share the target folder.

use crate::args::Args;
use crate::figures;
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo};

const FUZZ: &str = "crates/fuzz";
pub(crate) const BENCH: &str = "crates/bench";

/// What the smoke run of the fuzz harness is given. It counts runs, so it decides alike everywhere.
const SMOKE: [&str; 2] = ["--seed", "1"];

/// The smoke run, or one target with coverage guidance.
pub(crate) fn fuzz(repo: &Repo, mut args: Args) -> Outcome {
    if args.flag("--smoke") {
        return args.done().and_then(|()| fuzz_smoke(repo));
    }
    let seconds = args.value("--seconds")?.unwrap_or_else(|| "60".to_owned());
    let target = args.free();
    args.done()?;
    let Some(target) = target else {
        return Err(Failure::Usage("`fuzz` needs --smoke or a TARGET".into()));
    };
    if seconds.parse::<u64>().is_err() {
        return Err(Failure::Usage(format!("`--seconds {seconds}` is not a whole number")));
    }
    if !repo.path(FUZZ).is_dir() {
        return Ok(missing(FUZZ));
    }
    if !repo.program("rustup", ["run", "nightly", "rustc", "--version"]).quiet().0 {
        return Ok(Done::Skipped("no nightly toolchain (rustup toolchain install nightly)".into()));
    }
    if !repo.cargo(["fuzz", "--version"]).quiet().0 {
        return Ok(Done::Skipped("cargo-fuzz is not installed (cargo install cargo-fuzz)".into()));
    }
    repo.program("rustup", ["run", "nightly", "cargo", "fuzz", "run", "--fuzz-dir", FUZZ])
        .args([&target, "--", &format!("-max_total_time={seconds}")])
        .run()?;
    Ok(Done::Passed)
}

/// The fuzz targets as plain functions on the stable toolchain, on a fixed seed.
pub(crate) fn fuzz_smoke(repo: &Repo) -> Outcome {
    outside(repo, FUZZ, &["--bin", "smoke"], &SMOKE)
}

/// The benchmarks, all of them or one table, whole or one short round.
pub(crate) fn bench(repo: &Repo, mut args: Args) -> Outcome {
    let smoke = args.flag("--smoke");
    let write = args.flag("--write");
    let only = args.value("--only")?;
    args.done()?;
    if write {
        return figures::write(repo, only.as_deref());
    }
    let mut words = Vec::new();
    if smoke {
        words.push("--smoke");
    }
    if let Some(name) = &only {
        words.extend(["--only", name]);
    }
    outside(repo, BENCH, &[], &words)
}

/// One short round of each benchmark: that they run, not what they say.
pub(crate) fn bench_smoke(repo: &Repo) -> Outcome {
    outside(repo, BENCH, &[], &["--smoke"])
}

pub(crate) fn outside(repo: &Repo, folder: &str, which: &[&str], words: &[&str]) -> Outcome {
    if !repo.path(folder).is_dir() {
        return Ok(missing(folder));
    }
    let manifest = format!("{folder}/Cargo.toml");
    repo.cargo(["run", "--quiet", "--release", "--manifest-path", &manifest])
        .args(which)
        .args(["--"])
        .args(words)
        .env("CARGO_TARGET_DIR", Workspace::load(repo)?.target_directory)
        .run()?;
    Ok(Done::Passed)
}

fn missing(folder: &str) -> Done {
    Done::Skipped(format!("there is no {folder}"))
}
