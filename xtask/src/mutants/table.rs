//! The table of mutants, and whether it still suits the page, the source and the tests.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;

use crate::run::{Failure, Outcome, Repo};

/// Where the table is.
pub(super) const TABLE: &str = "xtask/src/mutants/features.toml";

/// The page whose rows it is about.
const PAGE: &str = "docs/founding-systems.md";

/// As few are not worth the name of a check.
const AT_LEAST: usize = 40;

/// One feature taken out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mutant {
    /// What `--only` looks in.
    pub(super) name: String,
    /// The heading of the document on the page.
    document: String,
    /// The first cell of the row.
    line: String,
    /// The second cell of the row.
    feature: String,
    /// The file that is changed.
    pub(super) file: String,
    /// What stands there, once.
    pub(super) from: String,
    /// What stands there instead.
    pub(super) to: String,
    /// The test as the row cites it: a fixture, or a file and the name of a test.
    pub(super) test: String,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, document, line, feature, test, .. } = self;
        write!(f, "{name}: {document}, line {line}, {feature}: {test}")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    mutant: Vec<Mutant>,
}

/// Reads the table.
pub(super) fn load(repo: &Repo) -> Outcome<Vec<Mutant>> {
    parse(&repo.read(TABLE)?)
}

fn parse(text: &str) -> Outcome<Vec<Mutant>> {
    let table: Table = toml::from_str(text).map_err(|e| Failure::Check(format!("{TABLE}: {e}")))?;
    Ok(table.mutant)
}

/// One line for each entry that does not suit any more.
pub(super) fn check(repo: &Repo, mutants: &[Mutant]) -> Outcome<Vec<String>> {
    let page = repo.read(PAGE)?;
    let mut findings = Vec::new();
    let mut names = BTreeSet::new();
    for mutant in mutants {
        let name = &mutant.name;
        if !names.insert(name) {
            findings.push(format!("{TABLE}: two entries are called `{name}`"));
        }
        let source = repo.read(&mutant.file).unwrap_or_default();
        let times = source.matches(&mutant.from).count();
        if times != 1 || mutant.from == mutant.to {
            findings.push(format!("{TABLE}: {name}: {} has `from` {times} times", mutant.file));
        }
        let about_row = match row(&page, mutant) {
            None => Some("has no such row".to_owned()),
            Some(cited) if !cites(cited, &mutant.test) => {
                Some(format!("does not cite `{}` in that row", mutant.test))
            }
            Some(_) => None,
        };
        findings.extend(about_row.map(|what| format!("{TABLE}: {name}: {PAGE} {what}")));
        if !exists(repo, &mutant.test) {
            findings.push(format!("{TABLE}: {name}: there is no test `{}`", mutant.test));
        }
    }
    for document in headings(&page).filter(|d| mutants.iter().all(|m| m.document != **d)) {
        findings.push(format!("{TABLE}: no entry for `{document}`"));
    }
    if mutants.len() < AT_LEAST {
        findings.push(format!("{TABLE}: {} entries; at least {AT_LEAST}", mutants.len()));
    }
    Ok(findings)
}

/// The documents of the page: the card is about packages, which no change of a line takes out.
fn headings(page: &str) -> impl Iterator<Item = &str> {
    let all = page.lines().filter_map(|line| line.strip_prefix("## "));
    all.filter(|heading| !["The design card", "Counts"].contains(heading))
}

/// What the row of a feature cites.
fn row<'p>(page: &'p str, mutant: &Mutant) -> Option<&'p str> {
    let (_, section) = page.split_once(&format!("\n## {}\n", mutant.document))?;
    let section = section.split("\n## ").next()?;
    section.lines().find_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let same = cells.next()? == mutant.line && cells.next()? == mutant.feature;
        same.then(|| cells.nth(1)).flatten()
    })
}

/// Whether a cell has that citation.
fn cites(cell: &str, test: &str) -> bool {
    cell.split("<br>").any(|cited| cited.trim().trim_matches('`') == test)
}

/// Whether a fixture or a test is there.
fn exists(repo: &Repo, test: &str) -> bool {
    match test.split_once(' ') {
        None => test.starts_with("fixtures/") && repo.path(test).is_file(),
        Some((file, name)) => repo.read(file).is_ok_and(|source| {
            source.contains(&format!("fn {name}(")) || source.contains(&format!("mod {name} "))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{cites, headings, parse, row};

    const PAGE: &str = "# Page\n\n## One\n\n| line | named feature | here | shown by | there |\n\
        | --- | --- | --- | --- | --- |\n\
        | 3–4 | `a` comes | works: it does | `fixtures/x.case`<br>`crates/a/src/b.rs c` | – |\n\n\
        ## Two\n\n| 3–4 | `b` comes | works | `docs/x.md` | – |\n\n## Counts\n";

    const ENTRY: &str = "[[mutant]]\nname = 'n'\ndocument = 'One'\nline = '3–4'\n\
        feature = '`a` comes'\nfile = 'f'\nfrom = 'a'\nto = 'b'\ntest = 'crates/a/src/b.rs c'\n";

    #[test]
    fn a_row_is_found_by_document_line_and_feature() {
        let mut mutant = parse(ENTRY).unwrap().remove(0);
        let cited = row(PAGE, &mutant).unwrap();
        assert!(cites(cited, "fixtures/x.case") && cites(cited, "crates/a/src/b.rs c"));
        assert!(!cites(cited, "fixtures/x.cas") && !cites(cited, "crates/a/src/b.rs"));
        mutant.document = "Two".into();
        assert!(row(PAGE, &mutant).is_none());
    }

    #[test]
    fn every_document_but_the_card_needs_an_entry() {
        assert_eq!(headings(PAGE).collect::<Vec<_>>(), ["One", "Two"]);
    }

    #[test]
    fn unknown_keys_of_an_entry_are_refused() {
        assert!(parse(&format!("{ENTRY}tset = 'x'\n")).is_err());
    }
}
