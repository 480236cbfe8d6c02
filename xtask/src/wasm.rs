//! `cargo xtask wasm`: the core crates build for a target without an operating system.

use std::path::Path;

use crate::metadata::Workspace;
use crate::run::{Done, Outcome, Repo};
use crate::tidy::ranks;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Builds each library of ranks 0 to 4 by itself, without default features.
pub(crate) fn run(repo: &Repo) -> Outcome {
    if !has_target(repo)? {
        return Ok(Done::Skipped(format!("target not installed (rustup target add {TARGET})")));
    }
    for package in Workspace::load(repo)?.packages.iter().filter(|p| ranks::is_core(&p.name)) {
        repo.cargo(["build", "--quiet", "--lib", "--no-default-features", "--target", TARGET])
            .args(["-p", &package.name])
            .run()?;
    }
    Ok(Done::Passed)
}

/// Whether the standard library of the target is there.
pub(crate) fn has_target(repo: &Repo) -> Outcome<bool> {
    let library = repo.program("rustc", ["--print", "target-libdir", "--target", TARGET]);
    Ok(Path::new(library.stdout()?.trim()).is_dir())
}
