//! `cargo xtask asan` and `cargo xtask miri`: tests of the lower ranks run where a wrong access to
//! memory is seen.
//!
//! No crate of ours has `unsafe`, so this watches what comes with them: `memchr`, `smallvec`. Both
//! commands need more than a plain toolchain, and are skipped without it.

use std::path::Path;

use crate::metadata::Workspace;
use crate::run::{Done, Outcome, Program, Repo};
use crate::tidy::ranks;

/// Tests that AddressSanitizer leaves out: its frames are too large for the small stacks on which
/// they prove that nothing recurses.
const SMALL_STACK: &[&str] = &["small_stack", "usual_stack", "million_levels"];

/// Tests of megabytes that measure how much work is done, not what comes of it: with the marks of a
/// sanitizer or a counter at each branch they take half an hour, and reach nothing that others do not.
pub(crate) const MEASURING: &[&str] =
    &["floods_", "cost_the_same", "twice_the_stream", "calls_without_end", "bytes_looked_at"];

/// The tests under Miri, by package: the unit tests of ranks 0 and 1, and of the laws those that an
/// interpreter can try in minutes.
const LAWS: &[(&str, &[&str])] = &[
    ("toolweir-markers", &["laws"]),
    ("toolweir-rjson", &[]),
    ("toolweir-segments", &[]),
    ("toolweir-schema-coerce", &[]),
];

/// Tests that take an interpreter minutes each: they try all characters, all short texts, or
/// thousands of markers.
const LONG: &[&str] = &[
    "finds_the_first_of_any_number_of_bytes_at_any_length",
    "a_set_is_limited_by_its_distinct_beginnings",
    "markers_inside_long_markers_are_listed_in_linear_room",
    "markers_that_hold_one_another_too_often_are_refused",
    "every_single_cut_of_a_hostile_text_gives_the_same",
    "work_is_linear_at_every_chunk_length",
    "every_space_separator_is_a_relaxed_blank",
    "escaping_agrees_with_serde_json_and_is_undone",
    "small_numbers_agree_with_the_machine",
    "the_first_stop_is_found_at_every_place_and_length",
    "a_burst_stops_before_whatever_is_not_plain",
    "reading_is_pushing_token_by_token",
    "members_are_found_at_every_size",
];

/// The cases of a law under Miri.
const CASES: &str = "4";

/// The tests of ranks 0 to 3 under AddressSanitizer, with overflow checks.
///
/// Stable ships the sanitizer's runtime, but the flag that asks for it is one of nightly, hence
/// `RUSTC_BOOTSTRAP`.
pub(crate) fn asan(repo: &Repo) -> Outcome {
    let version = repo.program("rustc", ["-vV"]).stdout()?;
    let Some(host) = host(&version) else {
        return Ok(Done::Skipped("`rustc -vV` names no host".into()));
    };
    let libraries = repo.program("rustc", ["--print", "target-libdir"]).stdout()?;
    if !has_runtime(Path::new(libraries.trim())) {
        return Ok(Done::Skipped(format!("no runtime of AddressSanitizer for {host}")));
    }
    let mut program = repo.cargo(["test", "--lib", "--tests", "--all-features", "--target", host]);
    for package in ranks::up_to(3) {
        program = program.args(["-p", package]);
    }
    skip(skip(program.args(["--"]), SMALL_STACK), MEASURING)
        // With other flags all is built anew, so it has a folder of its own.
        .env("CARGO_TARGET_DIR", target(repo, "asan")?)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address -Coverflow-checks=on")
        // Some of the laws take twenty minutes without.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("INSTA_UPDATE", "no")
        .run()?;
    Ok(Done::Passed)
}

/// The unit tests of ranks 0 and 1 and a few cases of the laws of markers under Miri.
pub(crate) fn miri(repo: &Repo) -> Outcome {
    if !repo.program("rustup", ["run", "nightly", "cargo", "miri", "--version"]).quiet().0 {
        let how = "no nightly with Miri (rustup component add miri rust-src --toolchain nightly)";
        return Ok(Done::Skipped(how.into()));
    }
    for (package, laws) in LAWS {
        let words = ["run", "nightly", "cargo", "miri", "test", "-p", package, "--lib"];
        let laws = laws.iter().flat_map(|law| ["--test", law]);
        skip(repo.program("rustup", words).args(laws).args(["--"]), LONG)
            .env("CARGO_TARGET_DIR", target(repo, "miri")?)
            .env("TOOLWEIR_CASES", CASES)
            // The tests read the environment.
            .env("MIRIFLAGS", "-Zmiri-disable-isolation")
            .run()?;
    }
    Ok(Done::Passed)
}

/// Leaves out the tests whose names hold one of these.
pub(crate) fn skip(program: Program, names: &[&str]) -> Program {
    program.args(names.iter().flat_map(|name| ["--skip", name]))
}

fn target(repo: &Repo, name: &str) -> Outcome<std::path::PathBuf> {
    Ok(Path::new(&Workspace::load(repo)?.target_directory).join(name))
}

/// The host in what `rustc -vV` prints.
fn host(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("host: "))
}

/// Whether the sanitizer's runtime is among the libraries: `librustc-CHANNEL_rt.asan.a`.
fn has_runtime(libraries: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(libraries) else { return false };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().contains("_rt.asan."))
}

#[cfg(test)]
mod tests {
    use super::{has_runtime, host};
    use std::path::Path;

    #[test]
    fn the_host_is_read() {
        let version = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n";
        assert_eq!(host(version), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(host("rustc 1.95.0\n"), None);
    }

    #[test]
    fn a_folder_without_the_runtime_has_none() {
        assert!(!has_runtime(Path::new(env!("CARGO_MANIFEST_DIR"))));
        assert!(!has_runtime(Path::new("no such folder")));
    }
}
