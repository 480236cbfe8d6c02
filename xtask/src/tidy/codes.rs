//! Every diagnostic code has a fixture that gives it, or a test that names it.
//!
//! A code counts as given when a fixture's snapshot has it, when it has a row in one of the pages
//! whose rows are inputs that a test tries, or when it stands in a text of a test file. Codes are
//! those of `docs/diagnostics.md`, which are generated.

use std::collections::BTreeSet;

use crate::run::{Outcome, Repo};

const PAGE: &str = "docs/diagnostics.md";

/// Pages of examples, each of which a test reads and tries.
const TRIED: &[&str] = &["docs/rjson-rules.md", "docs/coerce-rules.md"];

/// One line for each code that nothing gives; `sources` are the texts of the workspace by path.
pub(crate) fn check(repo: &Repo, sources: &[(String, String)]) -> Outcome<Vec<String>> {
    let mut given = BTreeSet::new();
    for page in TRIED {
        given.extend(rows(&repo.read(page)?).map(str::to_owned));
    }
    for path in
        repo.files("fixtures")?.iter().filter(|p| p.extension().is_some_and(|e| e == "snap"))
    {
        let snapshot = repo.read(&repo.relative(path))?;
        given.extend(of_snapshot(&snapshot).map(str::to_owned));
    }
    for (_, text) in sources.iter().filter(|(path, _)| is_test(path)) {
        given.extend(of_test(text).map(str::to_owned));
    }
    let page = repo.read(PAGE)?;
    let generated = page.split("<!-- end generated -->").next().unwrap_or_default();
    let missing = rows(generated).filter(|code| !given.contains(*code));
    Ok(missing.map(|code| format!("{PAGE}: no fixture or test gives `{code}`")).collect())
}

/// The codes in the first cells of a page's tables.
fn rows(page: &str) -> impl Iterator<Item = &str> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.filter_map(|cell| cell.split('`').next()).filter(|code| code.contains("::"))
}

/// The codes that a snapshot lists under its events: `warning 4..9 coerce::type: …`.
fn of_snapshot(snapshot: &str) -> impl Iterator<Item = &str> {
    let words = snapshot.lines().flat_map(|line| line.split_whitespace().take(3));
    words.filter_map(|word| word.strip_suffix(':')).filter(|code| code.contains("::"))
}

/// The codes that begin a text in a test, after the `!` by which tables of tests mean a refusal.
fn of_test(source: &str) -> impl Iterator<Item = &str> {
    let code = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_');
    source.split('"').map(move |text| {
        let text = text.strip_prefix('!').unwrap_or(text);
        text.split(|c| !code(c)).next().unwrap_or_default()
    })
}

fn is_test(path: &str) -> bool {
    path.ends_with(".rs") && (path.contains("/tests/") || path.ends_with("/tests.rs"))
}

#[cfg(test)]
mod tests {
    use super::{is_test, of_snapshot, of_test, rows};

    #[test]
    fn codes_are_the_first_cells_of_tables() {
        let page = "| code |\n| --- |\n| `a::b` | x |\n| `plain` | y |\n`c::d` | z |\n";
        assert_eq!(rows(page).collect::<Vec<_>>(), ["a::b"]);
    }

    #[test]
    fn a_snapshot_gives_codes_by_its_diagnostics_alone() {
        let snapshot = "warning   4..9     a::b: what it is: c::d: x\nargs \"{\"\n  text e::f\n";
        assert_eq!(of_snapshot(snapshot).collect::<Vec<_>>(), ["a::b"]);
    }

    #[test]
    fn a_test_names_a_code_at_the_beginning_of_a_text() {
        let source = r#"assert(x, ["a::b", "!c::d", "e::f /at"]); use g::h;"#;
        let codes: Vec<_> = of_test(source).filter(|code| code.contains("::")).collect();
        assert_eq!(codes, ["a::b", "c::d", "e::f"]);
    }

    #[test]
    fn test_files_are_told_by_their_paths() {
        assert!(is_test("crates/a/tests/it/x.rs") && is_test("crates/a/src/b/tests.rs"));
        assert!(!is_test("crates/a/src/b.rs") && !is_test("crates/a/tests/x.snap"));
    }
}
