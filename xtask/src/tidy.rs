//! `cargo xtask tidy`: the rules of the house that no compiler knows.
//!
//! Each module gives a list of findings, one line each; any finding fails. Sizes are reported and
//! never fail.

mod codes;
mod core_size;
mod layout;
mod links;
pub(crate) mod ranks;
mod rooms;
mod sizes;
mod stale;
mod words;

use crate::metadata::Workspace;
use crate::mutants;
use crate::run::{Done, Failure, Outcome, Repo, fail};

/// Runs every check and prints what each found.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let workspace = Workspace::load(repo)?;
    let files = tracked(repo)?;
    let sources = texts(repo, &files)?;

    let mut findings = Vec::new();
    findings.extend(ranks::check(&workspace.packages));
    findings.extend(layout::top_level(&files));
    findings.extend(layout::packages(repo, &workspace)?);
    findings.extend(layout::same_clippy(repo, &workspace)?);
    findings.extend(layout::shells(repo)?);
    findings.extend(core_size::check(repo)?);
    findings.extend(codes::check(repo, &sources)?);
    findings.extend(rooms::check(&sources));
    findings.extend(links::check(&files, &sources));
    findings.extend(mutants::check(repo)?);
    findings.extend(stale::check(repo)?);
    for (path, text) in &sources {
        findings.extend(words::scan(path, text));
    }

    for (path, text) in sources.iter().filter(|(path, _)| path.ends_with(".rs")) {
        for long in sizes::report(path, text) {
            println!("note: {long}");
        }
    }
    for finding in &findings {
        println!("tidy: {finding}");
    }
    if findings.is_empty() {
        Ok(Done::Passed)
    } else {
        fail(format!("{} finding(s)", findings.len()))
    }
}

/// The modules of `protocols` in their order, with what each imports.
pub(crate) fn modules(repo: &Repo) -> Outcome<String> {
    Ok(rooms::drawing(&texts(repo, &tracked(repo)?)?))
}

/// Files that git has or would take, by paths below the root.
fn tracked(repo: &Repo) -> Outcome<Vec<String>> {
    let words = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let listed = repo.program("git", words).stdout()?;
    Ok(listed.lines().filter(|path| repo.path(path).is_file()).map(str::to_owned).collect())
}

/// The text files among them whose words are ours.
fn texts(repo: &Repo, files: &[String]) -> Outcome<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for path in files.iter().filter(|path| words::is_ours(path)) {
        let bytes = std::fs::read(repo.path(path))
            .map_err(|e| Failure::Check(format!("cannot read {path}: {e}")))?;
        texts.push((path.clone(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(texts)
}
