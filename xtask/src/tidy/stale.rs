//! Tables of figures that were measured long ago.
//!
//! A region of `docs/performance.md` that a command writes names the commit it was measured at. Where more
//! than so many commits have changed the measured code since, the figures say nothing of that code any
//! more. Without a history (no repository, a shallow one, a commit it does not have) nothing is counted.

use crate::run::{Outcome, Repo};

const PAGE: &str = "docs/performance.md";
/// The most commits to the measured code since a table was measured.
const MOST: usize = 150;
/// What the tables are about.
const MEASURED: &[&str] = &[
    "crates/markers/src",
    "crates/protocols/src",
    "crates/rjson/src",
    "crates/rxml/src",
    "crates/schema-coerce/src",
    "crates/segments/src",
];

/// One line for each table without a commit, or with one that is too old.
pub(crate) fn check(repo: &Repo) -> Outcome<Vec<String>> {
    let page = repo.read(PAGE)?;
    let mut findings = hand_written(&page);
    for (table, commit) in tables(&page) {
        let Some(commit) = commit else {
            findings
                .push(format!("{PAGE}: `{table}` does not say at which commit it was measured"));
            continue;
        };
        if let Some(changes) = changes(repo, commit)
            && changes > MOST
        {
            findings.push(format!(
                "{PAGE}: `{table}` was measured {changes} commits to the measured code ago, at most \
                 {MOST}: cargo xtask {} --write",
                table.split(' ').next().unwrap_or_default()
            ));
        }
    }
    Ok(findings)
}

/// How many commits have changed the measured code since this one; `None` where nobody can say.
fn changes(repo: &Repo, commit: &str) -> Option<usize> {
    let git = |words: &[&str]| repo.program("git", words).silent();
    if git(&["rev-parse", "--is-shallow-repository"])?.trim() != "false" {
        return None;
    }
    let since = format!("{commit}..HEAD");
    let words = ["rev-list", "--count", &since, "--"];
    git(&[&words, MEASURED].concat())?.trim().parse().ok()
}

/// The regions that a command measures, each with its commit.
fn tables(page: &str) -> Vec<(&str, Option<&str>)> {
    let mut tables: Vec<(&str, Option<&str>)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("<!-- generated: ") {
            let name = name.trim_end_matches(" -->");
            open = name.starts_with("bench ") || name.starts_with("yardstick ");
            if open {
                tables.push((name, None));
            }
        } else if line == "<!-- end generated -->" {
            open = false;
        } else if let Some((_, commit)) = tables.last_mut()
            && open
            && commit.is_none()
        {
            *commit = line.strip_prefix("Commit `").and_then(|rest| Some(rest.split_once('`')?.0));
        }
    }
    tables
}

/// One line for each table outside the regions with a time or a speed in a cell of its own.
fn hand_written(page: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut generated = false;
    for (number, line) in (1..).zip(page.lines()) {
        match line {
            _ if line.starts_with("<!-- generated: ") => generated = true,
            "<!-- end generated -->" => generated = false,
            _ if !generated && line.starts_with('|') && line.split('|').any(is_figure) => {
                findings.push(format!("{PAGE}:{number}: a figure that no command writes"));
            }
            _ => {}
        }
    }
    findings
}

/// A number with a unit of time or speed, or with decimals.
fn is_figure(cell: &str) -> bool {
    let cell = cell.trim();
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let units = ["ns", "µs", "ms", "s", "GB/s", "MB/s"];
    number.parse::<f64>().is_ok()
        && (units.contains(&unit) || unit.is_empty() && cell.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Figures
<!-- generated: bench --only strict -->

Commit `abc`:

| a | 1.5 ms |
<!-- end generated -->
<!-- generated: formats -->
<!-- end generated -->
<!-- generated: yardstick --only hermes -->
| a |
<!-- end generated -->
| limit | 16 KiB | 0 |
";

    #[test]
    fn every_measured_region_has_its_commit_or_none() {
        let found = tables(PAGE);
        assert_eq!(
            found,
            [("bench --only strict", Some("abc")), ("yardstick --only hermes", None)]
        );
    }

    #[test]
    fn figures_stand_in_regions_only() {
        assert_eq!(hand_written(PAGE), Vec::<String>::new());
        let page = PAGE.to_owned() + "| text | 21.9 |\n| text | 3 µs |\n";
        assert_eq!(hand_written(&page).len(), 2);
        assert!(!is_figure(" 27 ") && !is_figure("≤ 2.5 C") && is_figure(" 4.7 GB/s "));
    }
}
