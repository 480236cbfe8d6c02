//! `cargo xtask grammars`: the engines themselves read our grammars.
//!
//! `crates/grammars` makes the grammar of every row and hands it to llguidance; `xgrammar_check.py` beside
//! it hands the same to XGrammar. What a row writes has to be admitted, and what is admitted has to read as
//! calls.
//!
//! XGrammar and what it needs come from the Python package index at the versions of
//! `crates/grammars/requirements.txt` and lie in a folder `grammars` of the target folder. Without
//! Python or an index that half is skipped, without the packages of the Rust half all of it.

use std::path::PathBuf;

use crate::harness::outside;
use crate::metadata::Workspace;
use crate::pip::{self, last_line};
use crate::run::{Done, Outcome, Repo};

const FOLDER: &str = "crates/grammars";

/// Runs both engines.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let manifest = format!("{FOLDER}/Cargo.toml");
    let (fetched, said) =
        repo.cargo(["fetch", "--quiet", "--locked", "--manifest-path", &manifest]).quiet();
    if !fetched {
        return Ok(Done::Skipped(format!("the packages cannot be had: {}", last_line(&said))));
    }
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    let jobs = target.join("grammars.jobs.json");
    outside(repo, FOLDER, &[], &["llguidance", &jobs.to_string_lossy()])?;

    let folder = target.join("grammars");
    let python = match pip::install(repo, FOLDER, &folder)? {
        Ok(python) => python,
        Err(reason) => {
            println!("xgrammar is left out: {reason}");
            return Ok(Done::Passed);
        }
    };
    let admitted = folder.join("admitted.json");
    let script = repo.path(FOLDER).join("xgrammar_check.py");
    let (loads, said) = repo.program(&python, [&script]).quiet();
    if !loads {
        println!("xgrammar is left out: it does not load here: {}", last_line(&said));
        return Ok(Done::Passed);
    }
    repo.program(&python, [&script, &jobs, &admitted]).run()?;
    outside(repo, FOLDER, &[], &["decode", &admitted.to_string_lossy()])
}
