//! `cargo xtask bench --write`: the tables of `docs/performance.md`, each by the run that its region
//! names.
//!
//! A region `<!-- generated: bench WORDS -->` holds what the benchmarks print for these words, with the
//! commit that was measured and the command to run again.

use crate::codegen::regions;
use crate::harness::BENCH;
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo};

const PAGE: &str = "docs/performance.md";

/// Measures every region anew, or those that name one table.
pub(crate) fn write(repo: &Repo, only: Option<&str>) -> Outcome {
    let page = repo.read(PAGE)?;
    let all = names(&page);
    let names: Vec<&str> = all.into_iter().filter(|name| shows(name, only)).collect();
    if names.is_empty() {
        let table = only.unwrap_or("any table");
        return Err(Failure::Usage(format!("{PAGE} has no region for {table}")));
    }
    let target = Workspace::load(repo)?.target_directory;
    let commit = repo.program("git", ["rev-parse", "--short", "HEAD"]).stdout()?;
    for name in names {
        eprintln!("{name} ...");
        let manifest = format!("{BENCH}/Cargo.toml");
        let words =
            ["run", "--release", "--no-default-features", "--manifest-path", &manifest, "--"];
        let words: Vec<&str> = words.into_iter().chain(name.split(' ').skip(1)).collect();
        let found = repo.cargo(&words).env("CARGO_TARGET_DIR", &target).stdout()?;
        let body = body(commit.trim(), &format!("cargo {}", words.join(" ")), &found);
        // One after another: what was measured stays if the next fails.
        let new = regions::replace(&repo.read(PAGE)?, name, &body)
            .map_err(|e| Failure::Check(format!("{PAGE}: {e}")))?;
        repo.write(PAGE, &new)?;
    }
    Ok(Done::Passed)
}

/// The names of the regions of benchmarks.
fn names(page: &str) -> Vec<&str> {
    page.lines()
        .filter_map(|line| line.trim_end().strip_prefix("<!-- generated: ")?.strip_suffix(" -->"))
        .filter(|name| name.starts_with("bench "))
        .collect()
}

/// Whether a region shows a table; any without one.
fn shows(name: &str, only: Option<&str>) -> bool {
    only.is_none_or(|only| name.split(' ').any(|word| word == only))
}

/// What stands in a region: the headings of the run are those of parts of a section.
fn body(commit: &str, command: &str, found: &str) -> String {
    let tables = found.replace("\n## ", "\n#### ");
    let tables = tables.strip_prefix("## ").map_or(tables.clone(), |rest| format!("#### {rest}"));
    format!("Commit `{commit}`:\n\n```text\n{command}\n```\n\n{}", tables.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n<!-- generated: other -->\n<!-- generated: bench --only strict -->\n";

    #[test]
    fn regions_name_their_runs() {
        assert_eq!(names(PAGE), ["bench --only strict"]);
        assert!(shows("bench --only strict", Some("strict")) && shows("bench --only strict", None));
        assert!(!shows("bench --only strict", Some("repair")));
    }

    #[test]
    fn a_region_says_what_was_measured_and_how() {
        let body = body("abc", "cargo run", "## Strict\n\n| a |\n\n## More\n\n| b |\n");
        assert_eq!(
            body,
            "Commit `abc`:\n\n```text\ncargo run\n```\n\n#### Strict\n\n| a |\n\n#### More\n\n| b |"
        );
    }
}
