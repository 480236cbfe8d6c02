//! `cargo xtask bench --write` and `yardstick --write`: the tables of `docs/performance.md`, each by the run
//! that its region names.
//!
//! A region `<!-- generated: bench WORDS -->` holds what the benchmarks print for these words, with the
//! commit that was measured and the command to run again; `yardstick` in the place of `bench` those of the
//! yardstick.

use crate::codegen::regions;
use crate::harness::BENCH;
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo, fail};

const PAGE: &str = "docs/performance.md";

/// Measures every region of the benchmarks anew, or those that name one table.
pub(crate) fn write(repo: &Repo, only: Option<&str>) -> Outcome {
    let target = Workspace::load(repo)?.target_directory;
    let manifest = format!("{BENCH}/Cargo.toml");
    write_with(repo, "bench", only, |words| {
        let start =
            ["run", "--release", "--no-default-features", "--manifest-path", &manifest, "--"];
        let words: Vec<&str> = start.iter().chain(words).copied().collect();
        // A gate that does not hold is a figure, too; a work that is read wrong prints nothing.
        let program = repo.cargo(&words).env("CARGO_TARGET_DIR", &target);
        let found = program.stdout_unless(|code| code > 1)?;
        if found.trim().is_empty() {
            return fail("nothing was measured");
        }
        Ok((format!("cargo {}", words.join(" ")), found))
    })
}

/// Measures the regions `<!-- generated: KIND WORDS -->` anew, or those with one of the words `only`
/// (`a,b`). `measure` takes the words and gives the command to run again and what it printed.
pub(crate) fn write_with(
    repo: &Repo,
    kind: &str,
    only: Option<&str>,
    measure: impl Fn(&[&str]) -> Outcome<(String, String)>,
) -> Outcome {
    let page = repo.read(PAGE)?;
    let all = names(&page, kind);
    let names: Vec<&str> = all.into_iter().filter(|name| shows(name, only)).collect();
    if names.is_empty() {
        let table = only.unwrap_or("any table");
        return Err(Failure::Usage(format!("{PAGE} has no region of {kind} for {table}")));
    }
    let commit = repo.program("git", ["rev-parse", "--short", "HEAD"]).stdout()?;
    for name in names {
        eprintln!("{name} ...");
        let words: Vec<&str> = name.split(' ').skip(1).collect();
        let (command, found) = measure(&words)?;
        let body = body(commit.trim(), &command, &found);
        // One after another: what was measured stays if the next fails.
        let new = regions::replace(&repo.read(PAGE)?, name, &body)
            .map_err(|e| Failure::Check(format!("{PAGE}: {e}")))?;
        repo.write(PAGE, &new)?;
    }
    Ok(Done::Passed)
}

/// The names of the regions of a kind.
fn names<'p>(page: &'p str, kind: &str) -> Vec<&'p str> {
    page.lines()
        .filter_map(|line| line.trim_end().strip_prefix("<!-- generated: ")?.strip_suffix(" -->"))
        .filter(|name| name.split(' ').next() == Some(kind))
        .collect()
}

/// Whether a region shows one of the tables; any without one.
fn shows(name: &str, only: Option<&str>) -> bool {
    let word = |only: &str| name.split([' ', ',']).any(|word| word == only);
    only.is_none_or(|only| only.split(',').any(word))
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
        assert_eq!(names(PAGE, "bench"), ["bench --only strict"]);
        assert!(names(PAGE, "yardstick").is_empty());
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
