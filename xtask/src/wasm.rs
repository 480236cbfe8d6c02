//! `cargo xtask wasm`: the core crates build for a target without an operating system.

use std::path::Path;

use crate::metadata::Workspace;
use crate::run::{Done, Outcome, Repo};
use crate::tidy::ranks;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds each library of ranks 0 to 4 by itself, without default features.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let library =
        repo.program("rustc", ["--print", "target-libdir", "--target", TARGET]).stdout()?;
    if !Path::new(library.trim()).is_dir() {
        return Ok(Done::Skipped(format!("target not installed (rustup target add {TARGET})")));
    }
    for package in Workspace::load(repo)?.packages.iter().filter(|p| ranks::is_core(&p.name)) {
        repo.cargo(["build", "--quiet", "--lib", "--no-default-features", "--target", TARGET])
            .args(["-p", &package.name])
            .run()?;
    }
    Ok(Done::Passed)
}
