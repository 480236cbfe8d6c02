//! Tables of speed in the pages of the packages, each written by the run that measured it.

use std::path::Path;

use crate::codegen::regions;
use crate::npm::write;
use crate::run::{Failure, Outcome, Repo};

/// The works that both packages are measured by.
const WORKS: &str = "crates/python/bench/bench.py";

/// Writes the works to `works.json` in `folder`, and the rate of the core alone on each to `rates.txt` there.
pub(crate) fn core(repo: &Repo, target: &Path, folder: &Path, python: &Path) -> Outcome<()> {
    let works = folder.join("works.json");
    let script = repo.path(WORKS);
    repo.program(python, [script.as_os_str(), "works".as_ref()]).args([&works]).run()?;
    let words = ["run", "--quiet", "--release", "--locked", "--manifest-path"];
    let run = repo.cargo(words).args(["crates/python/Cargo.toml", "--example", "rate", "--"]);
    let said = run.args([&works]).env("CARGO_TARGET_DIR", target).stdout()?;
    write(&folder.join("rates.txt"), &said)
}

/// Prints what was found; with `to_page` it goes into the region of a page, too, with the commit.
pub(crate) fn tell(
    repo: &Repo,
    to_page: bool,
    (page, region): (&str, &str),
    command: &str,
    found: &str,
) -> Outcome<()> {
    println!("{found}");
    if !to_page {
        return Ok(());
    }
    let commit = repo.program("git", ["rev-parse", "--short", "HEAD"]).stdout()?;
    let body = format!("`{command}`, commit `{}`, {}", commit.trim(), found.trim_start());
    let new = regions::replace(&repo.read(page)?, region, &body)
        .map_err(|e| Failure::Check(format!("{page}: {e}")))?;
    repo.write(page, &new)?;
    println!("wrote {page} ({region})");
    Ok(())
}
