//! How many crates come with ours, ours counted.

use std::collections::BTreeSet;

use crate::run::{Outcome, Repo};

/// Package and the most crates its default features may bring.
const MOST: &[(&str, usize)] =
    &[("toolweir", 20), ("toolweir-protocols", 20), ("toolweir-rjson", 8)];

/// One line for each package that brings too many.
pub(crate) fn check(repo: &Repo) -> Outcome<Vec<String>> {
    let mut findings = Vec::new();
    for (package, most) in MOST {
        let words = ["tree", "--edges", "normal", "--prefix", "none", "--package", package];
        let tree = repo.cargo(words).stdout()?;
        let count = distinct(&tree);
        if count > *most {
            findings.push(format!("{package}: {count} crates in its tree, at most {most}"));
        }
    }
    Ok(findings)
}

/// The number of different `name version` pairs in the listing.
fn distinct(tree: &str) -> usize {
    let name_and_version = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    tree.lines().filter_map(name_and_version).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn a_crate_is_counted_once_and_two_versions_twice() {
        let tree = "a v0.1.0 (/x/a)\nb v1.0.0\nsyn v1.0.0 (proc-macro)\nb v1.0.0 (*)\nsyn v2.0.0\n";
        assert_eq!(distinct(tree), 4);
    }
}
