//! `cargo xtask detect`: how many texts of the vector files are detected as what they are.
//!
//! The example `detect` of the test kit gives every text that holds a call to the detector, without and
//! with its declared tools, and prints the share and the confusions.

use std::path::PathBuf;

use crate::args::Args;
use crate::run::{Done, Outcome, Repo};

pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let named = args.free().map(PathBuf::from);
    args.done()?;
    let vectors = std::env::var_os("TOOLWEIR_VECTORS").map(PathBuf::from);
    let vectors = vectors.unwrap_or_else(|| repo.path("../shared/vectors"));
    let folder = named.unwrap_or_else(|| vectors.join("formats"));
    if !folder.exists() {
        let why = format!("no vector files in `{}` (TOOLWEIR_VECTORS=FOLDER)", folder.display());
        return Ok(Done::Skipped(why));
    }
    repo.cargo(["run", "--quiet", "-p", "toolweir-testkit", "--example", "detect", "--"])
        .args([&folder])
        .run()?;
    Ok(Done::Passed)
}
