//! `cargo xtask book`: the pages of `docs/` as a site, in `target/book`.

use crate::run::{Done, Outcome, Repo};

/// Builds the site with mdbook, where that is installed.
pub(crate) fn run(repo: &Repo) -> Outcome {
    if !repo.program("mdbook", ["--version"]).quiet().0 {
        return Ok(Done::Skipped("mdbook is not installed (cargo install mdbook)".into()));
    }
    repo.program("mdbook", ["build", "docs"]).run()?;
    Ok(Done::Passed)
}
