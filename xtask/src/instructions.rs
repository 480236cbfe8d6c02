//! `cargo xtask instructions`: how many instructions the decoders need, held to committed numbers.
//!
//! Times differ from run to run, instructions hardly do: `valgrind` counts those of one function of the
//! benchmarks while it reads one work. A number more than 2 % off fails, too small as well as too large, so
//! that what was won is not lost again; `--write` commits the new ones. The numbers hold for the pinned
//! toolchain on x86-64 with AVX2, and the command is skipped elsewhere.

use crate::args::Args;
use crate::harness::BENCH;
use crate::metadata::Workspace;
use crate::pip::last_line;
use crate::run::{Done, Failure, Outcome, Repo, fail};

/// The works, as `--once` of the benchmarks takes them.
const WORKS: &[&str] = &[
    "text-only hermes tok",
    "spiky hermes tok",
    "spiky hermes whole",
    "thinking hermes tok",
    "text-only qwen3-coder tok",
    "big-arg hermes tok",
    "big-arg hermes 64 B",
    "big-arg-tag qwen3-coder tok",
    "parallel hermes tok",
    "parallel hermes whole",
    "parallel mistral tok",
    "parallel llama3-json tok",
    "parallel deepseek-v31 tok",
    "parallel qwen3-coder tok",
    "parallel qwen3-coder 64 B",
    "parallel qwen3-coder whole",
    "chatty hermes tok",
    "chatty qwen3-coder tok",
    "chatty qwen3-coder whole",
];

const FILE: &str = "crates/bench/instructions.toml";
const HEAD: &str = "\
# Instructions of reading each work once, 64 KiB where it has no size of its own, on x86-64 with AVX2 and
# the pinned toolchain. Written by `cargo xtask instructions --write`; one that is off by more than 2 % fails.
";
/// How far off a number may be, in percent.
const PERCENT: f64 = 2.0;
/// Readings of one run of `--once`.
const READINGS: u64 = 4;

/// Counts, and compares or writes.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let write = args.flag("--write");
    args.done()?;
    if !repo.program("valgrind", ["--version"]).quiet().0 {
        return Ok(Done::Skipped("valgrind is not installed".into()));
    }
    if let Some(reason) = elsewhere() {
        return Ok(Done::Skipped(reason.into()));
    }
    let target = Workspace::load(repo)?.target_directory;
    let manifest = format!("{BENCH}/Cargo.toml");
    repo.cargo(["build", "--release", "--no-default-features", "--manifest-path", &manifest])
        .env("CARGO_TARGET_DIR", &target)
        .run()?;
    let program = format!("{target}/release/toolweir-bench");
    let mut found = Vec::new();
    for work in WORKS {
        found.push((*work, count(repo, &program, work)?));
    }
    if write {
        repo.write(FILE, &file(&found))?;
        print!("{}", file(&found));
        return Ok(Done::Passed);
    }
    compare(&repo.read(FILE)?, &found)
}

/// Why numbers of this machine cannot be compared.
fn elsewhere() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    Some("the committed numbers are those of x86-64 with AVX2")
}

/// Instructions of one reading.
fn count(repo: &Repo, program: &str, work: &str) -> Outcome<u64> {
    let words = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let (passed, said) = repo
        .program("valgrind", words)
        .args(["--toggle-collect=*counted_pass*", program, "--once", work])
        .quiet();
    let counted = said.lines().rev().find_map(collected).filter(|count| passed && *count > 0);
    counted.map(|count| count / READINGS).ok_or_else(|| {
        Failure::Check(format!("valgrind counts nothing in `{work}`: {}", last_line(&said)))
    })
}

/// The number in `==1== Collected : 123`.
fn collected(line: &str) -> Option<u64> {
    line.split_once("Collected : ")?.1.trim().parse().ok()
}

fn file(found: &[(&str, u64)]) -> String {
    let lines = found.iter().map(|(work, count)| format!("{work:?} = {count}\n"));
    format!("{HEAD}{}", lines.collect::<String>())
}

fn compare(committed: &str, found: &[(&str, u64)]) -> Outcome {
    let wrong = |e: toml::de::Error| Failure::Check(format!("{FILE}: {e}"));
    let committed: toml::Table = toml::from_str(committed).map_err(wrong)?;
    let mut off = 0;
    for (work, count) in found {
        let known = committed.get(*work).and_then(toml::Value::as_integer);
        let Some(known) = known.filter(|known| *known > 0) else {
            println!("{work}: {count}, of which {FILE} says nothing");
            off += 1;
            continue;
        };
        let percent = (*count as f64 / known as f64 - 1.0) * 100.0;
        let verdict = if percent.abs() > PERCENT { "OFF" } else { "ok" };
        println!("{work}: {count} of {known} ({percent:+.2} %) {verdict}");
        off += usize::from(percent.abs() > PERCENT);
    }
    if off == 0 {
        return Ok(Done::Passed);
    }
    fail(format!(
        "{off} off by more than {PERCENT} % (where meant: cargo xtask instructions --write)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_compares_equal_and_two_percent_are_the_limit() {
        let found = [("a b tok", 1000), ("c d tok", 50)];
        let text = file(&found);
        assert!(text.contains("\"a b tok\" = 1000\n"));
        assert!(compare(&text, &found).is_ok());
        assert!(compare(&text, &[("a b tok", 1019)]).is_ok());
        assert!(compare(&text, &[("a b tok", 1021)]).is_err());
        assert!(compare(&text, &[("a b tok", 979)]).is_err());
        assert!(compare(&text, &[("e f tok", 979)]).is_err());
    }

    #[test]
    fn the_sum_of_valgrind_is_found() {
        assert_eq!(collected("==17== Collected : 123456"), Some(123_456));
        assert_eq!(collected("==17== Events    : Ir"), None);
    }
}
