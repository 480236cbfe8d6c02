//! What lies at the top of the repository, and what each package must have.

use std::collections::BTreeSet;
use std::path::Path;

use crate::metadata::{Package, Workspace};
use crate::run::{Failure, Outcome, Repo};
use crate::tidy::ranks;

const TOP: &[&str] = &[
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "crates",
    "deny.toml",
    "docs",
    "fixtures",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "xtask",
];

/// Folders with a leading dot; files with one are always allowed.
const DOT_FOLDERS: &[&str] = &[".cargo", ".ci", ".config"];

/// One line for each name at the top that the design does not list.
pub(crate) fn top_level(files: &[String]) -> Vec<String> {
    let allowed = |path: &str| match path.split_once('/') {
        Some((folder, _)) => TOP.contains(&folder) || DOT_FOLDERS.contains(&folder),
        None => TOP.contains(&path) || path.starts_with('.'),
    };
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let found: BTreeSet<String> =
        files.iter().filter(|path| !allowed(path)).map(|path| top(path)).collect();
    found.iter().map(|name| format!("{name}: not part of the top level")).collect()
}

/// One line for each package that lacks a file, a description or the lints of the workspace.
pub(crate) fn packages(repo: &Repo, workspace: &Workspace) -> Outcome<Vec<String>> {
    let mut findings = Vec::new();
    let root = manifest(&repo.read("Cargo.toml")?, "Cargo.toml")?;
    if text_at(&root, &["workspace", "lints", "rust", "unsafe_code"]) != Some("forbid") {
        findings
            .push("Cargo.toml: [workspace.lints.rust] must say unsafe_code = \"forbid\"".into());
    }
    for package in &workspace.packages {
        let path = repo.relative(Path::new(&package.manifest_path));
        let table = manifest(&repo.read(&path)?, &path)?;
        if !inherits_lints(&table) {
            findings.push(format!("{path}: [lints] must say workspace = true"));
        }
        if package.is_published() {
            findings.extend(published(repo, package, &path));
        }
    }
    Ok(findings)
}

fn published(repo: &Repo, package: &Package, manifest: &str) -> Vec<String> {
    let folder = manifest.trim_end_matches("Cargo.toml");
    let mut findings: Vec<String> = ["README.md", "CHANGELOG.md"]
        .into_iter()
        .map(|name| format!("{folder}{name}"))
        .filter(|path| !repo.path(path).is_file())
        .map(|path| format!("{path}: every published package has one"))
        .collect();
    let description = package.description.as_deref().unwrap_or_default().trim();
    if description.is_empty() || description == "placeholder" {
        findings.push(format!("{manifest}: no description"));
    }
    findings
}

/// Shells for other languages and other libraries, outside the workspace: of our packages they see the facade alone.
const SHELLS: &[&str] =
    &["crates/genai/Cargo.toml", "crates/python/Cargo.toml", "crates/rig/Cargo.toml"];

/// One line for each package of ours that a shell sees beside the facade.
pub(crate) fn shells(repo: &Repo) -> Outcome<Vec<String>> {
    let mut findings = Vec::new();
    for path in SHELLS.iter().filter(|path| repo.path(path).is_file()) {
        findings.extend(beside_facade(path, &manifest(&repo.read(path)?, path)?));
    }
    Ok(findings)
}

fn beside_facade(path: &str, table: &toml::Table) -> Vec<String> {
    let dependencies = table.get("dependencies").and_then(toml::Value::as_table);
    let names = dependencies.into_iter().flat_map(toml::Table::keys);
    let inner = names.filter(|name| name.starts_with("toolweir-"));
    inner.map(|name| format!("{path}: {name}: a shell sees the facade alone")).collect()
}

/// Clippy takes one configuration for a package, the nearest: the core crates' must be equal.
pub(crate) fn same_clippy(repo: &Repo, workspace: &Workspace) -> Outcome<Vec<String>> {
    let mut findings = Vec::new();
    let mut first: Option<(String, String)> = None;
    for package in workspace.packages.iter().filter(|p| ranks::is_core(&p.name)) {
        let manifest = repo.relative(Path::new(&package.manifest_path));
        let path = manifest.replace("Cargo.toml", "clippy.toml");
        if !repo.path(&path).is_file() {
            findings.push(format!("{path}: every package of ranks 0 to 4 has one"));
            continue;
        }
        let text = repo.read(&path)?;
        match &first {
            None => first = Some((path, text)),
            Some((model, expected)) if *expected != text => {
                findings.push(format!("{path}: differs from {model}"));
            }
            Some(_) => {}
        }
    }
    Ok(findings)
}

fn manifest(text: &str, path: &str) -> Outcome<toml::Table> {
    text.parse().map_err(|e| Failure::Check(format!("{path}: {e}")))
}

fn text_at<'a>(table: &'a toml::Table, keys: &[&str]) -> Option<&'a str> {
    let (first, rest) = keys.split_first()?;
    let start = table.get(*first)?;
    rest.iter().try_fold(start, |value, key| value.get(*key))?.as_str()
}

fn inherits_lints(table: &toml::Table) -> bool {
    table.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool)
        == Some(true)
}

#[cfg(test)]
mod tests {
    use super::{beside_facade, inherits_lints, text_at, top_level};

    #[test]
    fn only_what_the_design_lists_is_at_the_top() {
        let files = ["Cargo.toml", ".gitignore", ".ci/run", "crates/a/src/lib.rs", "docs/a.md"];
        assert!(top_level(&files.map(str::to_owned)).is_empty());
        let files = ["benches/a.rs", "benches/b.rs", "notes.md", ".github/workflows/ci.yml"];
        assert_eq!(
            top_level(&files.map(str::to_owned)),
            [
                ".github: not part of the top level",
                "benches: not part of the top level",
                "notes.md: not part of the top level"
            ]
        );
    }

    #[test]
    fn a_shell_sees_the_facade_alone() {
        let found = |text: &str| beside_facade("a/Cargo.toml", &text.parse().unwrap());
        assert!(
            found("[dependencies]\ntoolweir = { path = '../toolweir' }\npyo3 = '0.30'").is_empty()
        );
        assert_eq!(
            found("[dependencies]\ntoolweir-rjson = '0.1'"),
            ["a/Cargo.toml: toolweir-rjson: a shell sees the facade alone"]
        );
    }

    #[test]
    fn lints_are_inherited_only_when_said_so() {
        let inherits = |text: &str| inherits_lints(&text.parse().unwrap());
        assert!(inherits("[lints]\nworkspace = true"));
        assert!(!inherits("[lints]\nworkspace = false"));
        assert!(!inherits("[lints.rust]\nunsafe_code = 'forbid'"));
        assert!(!inherits("[package]\nname = 'a'"));
    }

    #[test]
    fn a_nested_key_is_read() {
        let table = "[a.b]\nc = 'd'".parse().unwrap();
        assert_eq!(text_at(&table, &["a", "b", "c"]), Some("d"));
        assert_eq!(text_at(&table, &["a", "x", "c"]), None);
    }
}
