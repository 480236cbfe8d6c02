//! The table of repair rules in the documentation says what the code does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "reads the documentation")]

use std::collections::BTreeSet;
use std::path::Path;

use toolweir_rjson::{Diagnostic, Mode, parse, to_string};

/// A row of the table: code, input, value.
fn rows(text: &str) -> Vec<[String; 3]> {
    let lines = text.lines().filter(|line| line.starts_with("| `rjson::"));
    lines
        .map(|line| {
            let cells = line.trim_matches('|').split(" | ").map(cell).collect::<Vec<_>>();
            <[String; 3]>::try_from(cells).expect("three cells")
        })
        .collect()
}

/// The text of a code span.
fn cell(cell: &str) -> String {
    let text = cell.trim();
    let ticks = text.chars().take_while(|&c| c == '`').count();
    let inside = text.get(ticks..text.len() - ticks).unwrap();
    let padded = inside.strip_prefix(' ').and_then(|inside| inside.strip_suffix(' '));
    let inside = padded.filter(|_| ticks > 1).unwrap_or(inside);
    inside.replace("\\|", "|").replace('⏎', "\n")
}

fn table() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rjson-rules.md");
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        println!("skipped: the documentation is not beside this package");
    }
    text
}

#[test]
fn each_row_of_the_table_is_what_happens() {
    let Some(text) = table() else { return };
    for [code, input, value] in rows(&text) {
        let parsed = parse(&input, Mode::Repair).expect(&input);
        assert_eq!(to_string(&parsed.value), value, "{input}");
        let codes: Vec<_> = parsed.diagnostics.iter().map(|note| note.code).collect();
        assert!(codes.contains(&code.as_str()), "{code} of {input}: {codes:?}");
    }
}

#[test]
fn every_code_has_a_row() {
    let Some(text) = table() else { return };
    let shown: BTreeSet<String> = rows(&text).into_iter().map(|[code, ..]| code).collect();
    let known: BTreeSet<String> =
        Diagnostic::ALL.iter().map(|(code, _)| (*code).to_owned()).collect();
    let missing: Vec<_> = known.difference(&shown).collect();
    assert_eq!(missing, ["rjson::blank-run"]);
    assert!(shown.is_subset(&known));
}

#[test]
fn the_grammar_in_the_docs_is_that_of_the_crate() {
    let read =
        |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).ok();
    let (Some(docs), Some(crate_docs)) = (read("../../docs/rjson-grammar.md"), read("src/lib.rs"))
    else {
        println!("skipped: the documentation is not beside this package");
        return;
    };
    let block = |text: &str| {
        let inside = text.split("```text\n").nth(1).unwrap();
        inside.split("```").next().unwrap().trim_end().to_owned()
    };
    let plain: String = crate_docs
        .lines()
        .map(|line| line.strip_prefix("//!").unwrap_or(line))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    assert_eq!(block(&docs), block(&plain));
}
