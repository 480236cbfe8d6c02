//! `cargo xtask clients`: the packages for the Rust libraries that talk to models.
//!
//! They are outside the workspace, with lock files of their own: what they are for brings an HTTP client or
//! asks for a newer compiler than the rest. They share the target folder. A package is left out, with the
//! reason, where the compiler is too old or its packages cannot be had.

use crate::metadata::Workspace;
use crate::pip::last_line;
use crate::run::{Done, Outcome, Repo};

/// Where they are.
pub(crate) const FOLDERS: &[&str] = &["crates/genai", "crates/rig"];

/// Lints and tests each of them.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let target = Workspace::load(repo)?.target_directory;
    let compiler = version(&repo.program("rustc", ["--version"]).stdout()?);
    let mut left_out = Vec::new();
    for folder in FOLDERS {
        let manifest = format!("{folder}/Cargo.toml");
        let needed = needed(&repo.read(&manifest)?);
        if compiler < needed {
            let (major, minor) = needed;
            left_out.push(format!("{folder} needs Rust {major}.{minor}"));
            continue;
        }
        let words = ["fetch", "--quiet", "--locked", "--manifest-path", &manifest];
        let (fetched, said) = repo.cargo(words).quiet();
        if !fetched {
            left_out.push(format!("{folder}: its packages cannot be had: {}", last_line(&said)));
            continue;
        }
        let cargo = |command: &str| {
            let words = [command, "--quiet", "--locked", "--manifest-path", &manifest];
            repo.cargo(words).env("CARGO_TARGET_DIR", &target)
        };
        repo.cargo(["fmt", "--check", "--manifest-path", &manifest]).run()?;
        cargo("clippy").args(["--all-targets", "--", "-D", "warnings"]).run()?;
        cargo("test").run()?;
    }
    for reason in &left_out {
        println!("left out: {reason}");
    }
    match left_out.len() {
        all if all == FOLDERS.len() => Ok(Done::Skipped("no package can be built here".into())),
        _ => Ok(Done::Passed),
    }
}

/// `rustc 1.95.0 (…)` as two numbers.
fn version(said: &str) -> (u32, u32) {
    numbers(said.split_whitespace().nth(1).unwrap_or_default())
}

/// The `rust-version` of a manifest.
fn needed(manifest: &str) -> (u32, u32) {
    let value = |line: &str| Some(numbers(line.strip_prefix("rust-version = ")?.trim_matches('"')));
    manifest.lines().find_map(value).unwrap_or_default()
}

fn numbers(version: &str) -> (u32, u32) {
    let mut parts = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::{needed, version};

    #[test]
    fn an_old_compiler_is_told_from_a_new_one() {
        let manifest = "[package]\nname = \"a\"\nrust-version = \"1.95\"\n";
        assert_eq!(needed(manifest), (1, 95));
        assert!(version("rustc 1.88.0 (6b00bc388 2025-06-23)") < needed(manifest));
        assert!(version("rustc 1.100.0-nightly (0 2026-01-01)") > needed(manifest));
        assert_eq!(needed("[package]\n"), (0, 0));
    }
}
