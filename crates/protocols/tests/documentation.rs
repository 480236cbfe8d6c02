//! What `docs/adding-a-format.md` shows is true: its example compiles, runs and is the one that is
//! printed, its patterns can be read, its table has every field, its error is the one that comes.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads the documentation")]
#![allow(clippy::print_stderr, reason = "says what is skipped")]

use toolweir_protocols::pattern::{Role, check};
use toolweir_protocols::{FormatSpec, Registry};

#[path = "documentation/adding_a_format.rs"]
#[allow(clippy::expect_used, unreachable_pub, reason = "the page shows a user's own program")]
mod adding_a_format;

/// The page; nothing where it is not part of the package.
fn page() -> Option<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/adding-a-format.md")).ok();
    if page.is_none() {
        eprintln!("skipped: the documentation is not part of the package");
    }
    page
}

#[test]
fn the_page_shows_the_code_that_is_compiled() {
    let Some(page) = page() else { return };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let code =
        std::fs::read_to_string(root.join("tests/documentation/adding_a_format.rs")).unwrap();
    let (_, shown) = page.split_once("```rust\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(shown, code);
}

#[test]
fn the_example_gives_what_the_page_says() {
    let (text, call) = adding_a_format::example();
    assert_eq!(text, "Rolling.");
    assert_eq!(call, "dice {\"sides\": 6}");
}

#[test]
fn the_patterns_of_the_page_are_patterns_of_calls() {
    let Some(page) = page() else { return };
    let (_, lines) = page.split_once("```text\n").unwrap();
    let (lines, _) = lines.split_once("\n```").unwrap();
    let quoted = page.lines().filter_map(|line| line.split_once("--pattern '")?.1.split_once('\''));
    let quoted = quoted.map(|(pattern, _)| pattern).filter(|pattern| *pattern != "…");
    let patterns: Vec<&str> = lines.lines().chain(quoted).collect();
    assert_eq!(patterns.len(), 5, "{patterns:?}");
    for pattern in patterns {
        check(&pattern.parse().unwrap(), Role::Call).unwrap();
    }
    let (_, file) = page.split_once("```toml\n").unwrap();
    let (file, _) = file.split_once("```").unwrap();
    #[cfg(feature = "toml")]
    Registry::builtin().register_toml(file).unwrap();
    assert!(file.contains("call = "), "{file}");
}

#[test]
fn the_table_of_the_page_has_every_field() {
    let Some(page) = page() else { return };
    let (_, table) = page.split_once("## The fields").unwrap();
    let named: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" |"))
        .flat_map(|(cell, _)| cell.split(", "))
        .map(|name| name.trim_matches('`'))
        .collect();
    let shown = format!("{:#?}", FormatSpec::default());
    let fields = shown.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    let fields: Vec<&str> =
        fields.map(|(name, _)| name).filter(|name| !name.starts_with(' ')).collect();
    assert_eq!(named, fields);
}

#[test]
fn the_error_of_the_page_is_the_one_that_comes() {
    let Some(page) = page() else { return };
    let spec = FormatSpec {
        name: "own".into(),
        call: vec!["<a>{name}{opt:-}{id}{args}".into()],
        ..FormatSpec::default()
    };
    let message = Registry::empty().register_spec(&spec).unwrap_err().to_string();
    assert!(page.contains(&format!("```text\n{message}\n```")), "{message}");
}
