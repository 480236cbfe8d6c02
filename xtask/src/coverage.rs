//! `cargo xtask coverage`: how much of the crates of ranks 0 to 3 their tests reach.
//!
//! Counted are the unit tests, the fixtures and the properties of those crates; no fuzzing. What
//! reads the counters are LLVM's own tools of the toolchain in use, or those of a nightly with the
//! same LLVM. Without them, or without cargo-llvm-cov, it is skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::memory;
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo, fail};
use crate::tidy::ranks;

/// The least share of lines and of regions, in hundredths, that the tests of a crate have to reach.
const LEAST: (u64, u64) = (95, 90);

/// The highest rank that is counted.
const RANK: u8 = 3;

/// How often something is there, and how often a test reached it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
struct Count {
    count: u64,
    covered: u64,
}

/// The part of the export that is read.
#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
struct Summary {
    lines: Count,
    regions: Count,
}

/// Runs the tests with counters, prints a line a crate, and fails below [`LEAST`].
pub(crate) fn run(repo: &Repo) -> Outcome {
    if !repo.cargo(["llvm-cov", "--version"]).quiet().0 {
        let how = "cargo-llvm-cov is not installed (cargo install cargo-llvm-cov)";
        return Ok(Done::Skipped(how.into()));
    }
    let Some(tools) = tools(repo)? else {
        let how = "no LLVM tools that fit this compiler (rustup component add llvm-tools)";
        return Ok(Done::Skipped(how.into()));
    };
    let export = Path::new(&Workspace::load(repo)?.target_directory).join("coverage.json");
    let mut program = repo.cargo(["llvm-cov", "test", "--all-features", "--json"]);
    program = program.args(["--summary-only", "--output-path"]).args([&export]);
    for package in ranks::up_to(RANK) {
        program = program.args(["-p", package]);
    }
    if let Tools::Elsewhere(folder) = tools {
        program = program.env("LLVM_COV", folder.join(tool("llvm-cov")));
        program = program.env("LLVM_PROFDATA", folder.join(tool("llvm-profdata")));
    }
    memory::skip(program.args(["--"]), memory::MEASURING).env("INSTA_UPDATE", "no").run()?;
    let text = std::fs::read_to_string(&export)
        .map_err(|e| Failure::Check(format!("cannot read {}: {e}", export.display())))?;
    judge(&by_crate(&text)?)
}

/// Where the programs are that read the counters.
enum Tools {
    /// Where cargo-llvm-cov looks by itself: its variables, or the toolchain in use.
    Here,
    /// In this folder, which belongs to another toolchain.
    Elsewhere(PathBuf),
}

fn tools(repo: &Repo) -> Outcome<Option<Tools>> {
    let set = |name| std::env::var_os(name).is_some();
    let libraries = repo.program("rustc", ["--print", "target-libdir"]).stdout()?;
    if set("LLVM_COV") && set("LLVM_PROFDATA") || beside(&libraries).is_some() {
        return Ok(Some(Tools::Here));
    }
    let nightly = |words: &[&str]| {
        let words = || ["run", "nightly", "rustc"].iter().chain(words);
        repo.program("rustup", words()).quiet().0.then(|| repo.program("rustup", words()).stdout())
    };
    let Some(theirs) = nightly(&["-vV"]).transpose()? else { return Ok(None) };
    let ours = repo.program("rustc", ["-vV"]).stdout()?;
    if llvm(&ours).is_none() || llvm(&ours) != llvm(&theirs) {
        return Ok(None);
    }
    let libraries = nightly(&["--print", "target-libdir"]).transpose()?.unwrap_or_default();
    Ok(beside(&libraries).map(Tools::Elsewhere))
}

/// The folder of LLVM's tools beside that of the libraries, if they are installed.
fn beside(libraries: &str) -> Option<PathBuf> {
    let folder = Path::new(libraries.trim()).parent()?.join("bin");
    let all = ["llvm-cov", "llvm-profdata"].iter().all(|name| folder.join(tool(name)).is_file());
    all.then_some(folder)
}

fn tool(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// The major version of LLVM in what `rustc -vV` prints.
fn llvm(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?.split('.').next()
}

/// The sums over the sources of each crate that is counted, by the name of its folder.
fn by_crate(export: &str) -> Outcome<BTreeMap<String, Summary>> {
    let export: Export = serde_json::from_str(export)
        .map_err(|e| Failure::Check(format!("the export of llvm-cov was not understood: {e}")))?;
    let packages = ranks::up_to(RANK);
    let mut sums: BTreeMap<String, Summary> = BTreeMap::new();
    for file in export.data.iter().flat_map(|data| &data.files) {
        let path = file.filename.replace('\\', "/");
        let Some((before, _)) = path.rsplit_once("/src/") else { continue };
        let name = before.rsplit('/').next().unwrap_or_default();
        if !packages.iter().any(|package| package.strip_prefix("toolweir-") == Some(name)) {
            continue;
        }
        let sum = sums.entry(name.to_owned()).or_default();
        for (all, one) in
            [(&mut sum.lines, file.summary.lines), (&mut sum.regions, file.summary.regions)]
        {
            all.count += one.count;
            all.covered += one.covered;
        }
    }
    Ok(sums)
}

fn judge(sums: &BTreeMap<String, Summary>) -> Outcome {
    let mut low = Vec::new();
    for (name, Summary { lines, regions }) in sums {
        let show = |count: &Count| format!("{}/{}", count.covered, count.count);
        let (l, r) = (show(lines), show(regions));
        println!(
            "{name:<14} lines {l:>12} {:>6.2} %   regions {r:>12} {:>6.2} %",
            lines.share(),
            regions.share()
        );
        if lines.below(LEAST.0) || regions.below(LEAST.1) {
            low.push(name.as_str());
        }
    }
    if sums.is_empty() {
        return fail("the export of llvm-cov has none of our sources");
    }
    if low.is_empty() {
        return Ok(Done::Passed);
    }
    let (lines, regions) = LEAST;
    fail(format!("below {lines} % of lines or {regions} % of regions: {}", low.join(", ")))
}

impl Count {
    fn below(self, least: u64) -> bool {
        self.covered * 100 < self.count * least
    }

    fn share(self) -> f64 {
        if self.count == 0 { 100.0 } else { self.covered as f64 * 100.0 / self.count as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Summary, by_crate, judge, llvm};
    use crate::run::Failure;
    use std::collections::BTreeMap;

    #[test]
    fn files_are_summed_by_crate_and_others_left_out() {
        let file = |name: &str, lines: (u64, u64)| {
            let (count, covered) = lines;
            let of = format!(r#"{{"count":{count},"covered":{covered},"percent":0}}"#);
            format!(r#"{{"filename":"{name}","summary":{{"lines":{of},"regions":{of}}}}}"#)
        };
        let files = [
            file("/r/crates/rjson/src/lib.rs", (10, 9)),
            file("/r/crates/rjson/src/machine/mod.rs", (30, 30)),
            file("/r/crates/testkit/src/lib.rs", (5, 0)),
            file(r"C:\\r\\crates\\markers\\src\\lib.rs", (4, 4)),
        ];
        let export = format!(r#"{{"data":[{{"files":[{}]}}],"version":"3"}}"#, files.join(","));
        let sums = by_crate(&export).unwrap();
        let lines: Vec<_> = sums.iter().map(|(name, sum)| (name.as_str(), sum.lines)).collect();
        let (four, forty) = (Count { count: 4, covered: 4 }, Count { count: 40, covered: 39 });
        assert_eq!(lines, [("markers", four), ("rjson", forty)]);
        assert!(by_crate("{}").is_err());
    }

    #[test]
    fn a_crate_below_the_least_share_fails_by_name() {
        let sums = |lines: u64, regions: u64| {
            let of = |covered| Count { count: 100, covered };
            BTreeMap::from([("rjson".into(), Summary { lines: of(lines), regions: of(regions) })])
        };
        assert!(judge(&sums(95, 90)).is_ok());
        for low in [sums(94, 100), sums(100, 89)] {
            let Err(Failure::Check(what)) = judge(&low) else { panic!("it passed") };
            assert!(what.ends_with("rjson"), "{what}");
        }
        assert!(judge(&BTreeMap::new()).is_err());
    }

    #[test]
    fn the_version_of_llvm_is_read() {
        assert_eq!(llvm("rustc 1.95.0\nrelease: 1.95.0\nLLVM version: 22.1.2\n"), Some("22"));
        assert_eq!(llvm("rustc 1.95.0\n"), None);
    }
}
