//! `cargo xtask yardstick`: streamed tool calls, read by us and by other libraries in one run.
//!
//! `crates/bench/yardstick` has a driver and an adapter for each library. What cannot be built here is
//! left out, and the reason is printed. `--write` measures the regions `<!-- generated: yardstick … -->`
//! of `docs/performance.md` anew.

mod vllm;

use std::path::PathBuf;

use crate::args::Args;
use crate::figures;
use crate::metadata::Workspace;
use crate::pip::last_line;
use crate::run::{Done, Failure, Outcome, Repo};

const MANIFEST: &str = "crates/bench/yardstick/Cargo.toml";

/// Libraries that come from a registry: how a table calls them, and the package of the adapter.
const PEERS: [(&str, &str); 2] =
    [("tool-parser", "yardstick-smg"), ("dynamo-parsers", "yardstick-dynamo")];

/// Builds what there is and measures.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let write = args.flag("--write");
    let json = args.flag("--json");
    let only = args.value("--only")?;
    let rounds = args.value("--rounds")?;
    args.done()?;
    let driver = Driver::build(repo)?;
    let rounds: Vec<&str> = rounds.iter().flat_map(|rounds| ["--rounds", rounds]).collect();
    if write {
        return figures::write_with(repo, "yardstick", only.as_deref(), |words| {
            let words = &[words, &rounds].concat();
            let command = format!("cargo xtask yardstick {}", words.join(" "));
            Ok((command, driver.run(repo, words)?))
        });
    }
    let mut words = Vec::new();
    words.extend(only.iter().flat_map(|only| ["--only", only]));
    words.extend(rounds);
    words.extend(json.then_some("--json"));
    print!("{}", driver.run(repo, &words)?);
    Ok(Done::Passed)
}

/// The program that measures, with what it measures.
struct Driver {
    program: PathBuf,
    words: Vec<String>,
}

impl Driver {
    fn build(repo: &Repo) -> Outcome<Self> {
        let target = PathBuf::from(Workspace::load(repo)?.target_directory);
        let built = |package: &str| target.join("release").join(package).display().to_string();
        let cargo = |package: &str| {
            repo.cargo(["build", "--release", "--locked", "--manifest-path", MANIFEST])
                .args(["--package", package])
                .env("CARGO_TARGET_DIR", &target)
        };
        cargo("toolweir-yardstick").run()?;
        cargo("yardstick-toolweir").run()?;
        let mut words = vec!["--peer".to_owned(), built("yardstick-toolweir")];
        for (name, package) in PEERS {
            println!("building {package} ...");
            let found = match cargo(package).quiet() {
                (true, _) => Ok(built(package)),
                (false, said) => Err(format!("{name}: {}", last_line(&said))),
            };
            words.extend(word(found));
        }
        println!("building yardstick-vllm ...");
        words.extend(word(vllm::build(repo, &target)?));
        Ok(Self { program: target.join("release").join("yardstick"), words })
    }

    fn run(&self, repo: &Repo, words: &[&str]) -> Outcome<String> {
        repo.program(&self.program, &self.words).args(words).stdout()
    }
}

/// A library's adapter, or why it is left out.
fn word(found: Result<String, String>) -> [String; 2] {
    match found {
        Ok(path) => ["--peer".to_owned(), path],
        Err(reason) => {
            println!("left out: {reason}");
            ["--missing".to_owned(), reason]
        }
    }
}

/// A file that cannot be handled, as a failed check.
fn unread(path: &std::path::Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Check(format!("{}: {error}", path.display()))
}
