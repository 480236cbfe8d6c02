//! `cargo xtask features`: each feature alone, none, and all, for every member.
//!
//! A package is checked by itself (`-p`), so that features a neighbour asks for do not hide a
//! missing one. Clippy does the checking, which builds the same and denies warnings in our crates
//! only. The one package that reads otherwise without a feature is tested without, too.
//!
//! The front of the compiler uses one processor: the core libraries are checked beside the other members,
//! in a target folder of their own, as cargo works on one folder at a time.

use std::path::Path;
use std::thread;

use crate::metadata::{Package, Workspace};
use crate::run::{Done, Failure, Outcome, Repo};
use crate::tidy::ranks::is_core;

/// Checks every combination of [`combinations`].
pub(crate) fn run(repo: &Repo) -> Outcome {
    let workspace = Workspace::load(repo)?;
    let members = workspace.packages.iter().filter(|package| package.name != "xtask");
    let (core, others): (Vec<_>, Vec<_>) = members.partition(|package| is_core(&package.name));
    let target = Path::new(&workspace.target_directory);
    thread::scope(|scope| {
        let core = scope.spawn(|| check(repo, &core, &target.join("features")));
        check(repo, &others, target)?;
        repo.cargo(["test", "--quiet", "-p", "toolweir-schema-coerce"]).run()?;
        core.join().map_err(|_| Failure::Check("a check has panicked".into()))?
    })?;
    Ok(Done::Passed)
}

/// Checks the combinations of these packages.
fn check(repo: &Repo, packages: &[&Package], target: &Path) -> Outcome<()> {
    for package in packages {
        for words in combinations(package) {
            let kind = if package.has_library() { "--lib" } else { "--bins" };
            repo.cargo(["clippy", "--quiet", "-p", &package.name, kind])
                .args(&words)
                .args(["--", "-D", "warnings"])
                .env("CARGO_TARGET_DIR", target)
                .run()?;
        }
    }
    Ok(())
}

/// The feature words of each check: none, each alone, all. A package without features has one.
fn combinations(package: &Package) -> Vec<Vec<String>> {
    let bare = || vec!["--no-default-features".to_owned()];
    let features: Vec<&String> = package.features.keys().filter(|f| *f != "default").collect();
    if features.is_empty() {
        return vec![bare()];
    }
    let alone = features.iter().map(|f| {
        let mut words = bare();
        words.extend(["--features".to_owned(), (*f).clone()]);
        words
    });
    let mut all: Vec<Vec<String>> = std::iter::once(bare()).chain(alone).collect();
    if features.len() > 1 {
        all.push(vec!["--all-features".to_owned()]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::combinations;
    use crate::metadata::Package;

    fn words(features: &str) -> Vec<String> {
        let json = format!(r#"{{"name": "p", "features": {features}}}"#);
        let package: Package = serde_json::from_str(&json).unwrap();
        combinations(&package).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn none_each_alone_and_all() {
        assert_eq!(
            words(r#"{"default": ["std"], "serde": [], "std": []}"#),
            [
                "--no-default-features",
                "--no-default-features --features serde",
                "--no-default-features --features std",
                "--all-features",
            ]
        );
    }

    #[test]
    fn one_feature_alone_is_also_all_of_them() {
        assert_eq!(
            words(r#"{"std": []}"#),
            ["--no-default-features", "--no-default-features --features std"]
        );
        assert_eq!(words("{}"), ["--no-default-features"]);
    }
}
