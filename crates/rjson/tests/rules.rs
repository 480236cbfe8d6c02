//! The table of repair rules in the documentation says what the code does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "reads the documentation")]

use std::collections::BTreeSet;
use std::path::Path;

use toolweir_rjson::{
    Code, Diagnostic, Duplicates, Error, ErrorKind, Expect, Machine, Mode, NonFinite, Options,
    TreeBuilder, Value, parse, parse_with, to_string,
};

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

/// How the example of a code is read.
fn options_for(code: &str) -> Options {
    let options = Options::new(Mode::Repair);
    if code == "rjson::ambiguous" { options.with_expect(Expect::anything()) } else { options }
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
        let parsed = parse_with(&input, &options_for(&code)).expect(&input);
        assert_eq!(to_string(&parsed.value), value, "{input}");
        let codes: Vec<_> = parsed.diagnostics.iter().map(|note| note.code.as_str()).collect();
        assert!(codes.contains(&code.as_str()), "{code} of {input}: {codes:?}");
    }
}

/// What the value of a text is, read in pieces: the machine and a tree, as `parse` does it.
fn in_pieces(chunks: &[&str], options: &Options) -> Result<(Value, Vec<Diagnostic>), Error> {
    let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(options));
    let mut roots = Vec::new();
    for mut chunk in chunks.iter().copied() {
        while let Some(token) = machine.next(&mut chunk)? {
            tree.push(&token)?;
            roots.extend(tree.take());
        }
    }
    while let Some(token) = machine.finish()? {
        tree.push(&token)?;
        roots.extend(tree.take());
    }
    let value = if roots.len() == 1 { roots.remove(0) } else { roots.into() };
    Ok((value, tree.take_diagnostics()))
}

/// The same value, notes or error at every split.
fn at_every_split(text: &str, options: &Options) {
    let whole = parse_with(text, options).map(|parsed| (parsed.value, parsed.diagnostics));
    for (at, _) in text.char_indices() {
        let (left, right) = text.split_at(at);
        assert_eq!(in_pieces(&[left, right], options), whole, "{text} split at {at}");
    }
    let chars: Vec<&str> = text.split_inclusive(|_: char| true).collect();
    assert_eq!(in_pieces(&chars, options), whole, "{text} by characters");
}

#[test]
fn each_row_of_the_table_is_what_happens_at_every_split() {
    let Some(text) = table() else { return };
    for [code, input, _] in rows(&text) {
        at_every_split(&input, &options_for(&code));
    }
}

/// What is known of a message: a text and the options under which it comes.
#[test]
fn every_message_has_an_example() {
    let Some(text) = table() else { return };
    let repair = || Options::new(Mode::Repair);
    let mut tried: Vec<(String, Options)> =
        rows(&text).into_iter().map(|[code, input, _]| (input, options_for(&code))).collect();
    tried.extend([
        ("[NaN]".to_owned(), repair().with_non_finite(NonFinite::String)),
        ("[undefined]".to_owned(), repair().with_non_finite(NonFinite::String)),
        ("{\"k\":1,\"k\":2}".to_owned(), repair().with_duplicates(Duplicates::First)),
        ("[1,     2]".to_owned(), repair().with_max_held_bytes(3)),
        ("[\"a\\u1".to_owned(), repair()),
        ("[,,,1]".to_owned(), repair().with_max_diagnostics(1)),
    ]);
    let mut seen = BTreeSet::new();
    for (text, options) in tried {
        at_every_split(&text, &options);
        let parsed = parse_with(&text, &options).expect(&text);
        for note in &parsed.diagnostics {
            assert!(
                note.span.start <= note.span.end && note.span.end <= text.len() as u64,
                "{text}: {note:?}"
            );
            seen.insert(note.code);
        }
    }
    let missing: Vec<_> = Code::ALL.iter().filter(|known| !seen.contains(known)).collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}

#[test]
fn every_kind_of_error_has_an_example_in_every_mode_that_has_it() {
    use ErrorKind::{
        DuplicateKey, NoValue, Syntax, TooDeep, TooLarge, TooManyKeys, TrailingData, UnexpectedEnd,
    };
    let tight = |mode| {
        let options = Options::new(mode).with_max_depth(2).with_max_held_bytes(4);
        options.with_max_keys(2).with_duplicates(Duplicates::Error)
    };
    let syntax = |expected| Syntax { expected };
    // Text, offset, and the kind in strict, relaxed and repair mode; none: it is read.
    for (text, at, kinds) in [
        ("", 0, [Some(NoValue); 3]),
        (" \n", 2, [Some(NoValue); 3]),
        ("[1] 2", 4, [Some(TrailingData), Some(TrailingData), None]),
        ("[1", 2, [Some(UnexpectedEnd), Some(UnexpectedEnd), None]),
        ("\"a", 2, [Some(UnexpectedEnd), Some(UnexpectedEnd), None]),
        ("[01]", 2, [Some(syntax("")), Some(syntax("")), None]),
        ("[[[", 2, [Some(TooDeep); 3]),
        ("[12345]", 5, [Some(TooLarge), Some(TooLarge), Some(TooLarge)]),
        ("{\"a\":1,\"b\":2,\"c\":3}", 13, [Some(TooManyKeys); 3]),
        ("{\"a\":1,\"a\":2}", 7, [Some(DuplicateKey); 3]),
    ] {
        for (mode, kind) in [Mode::Strict, Mode::Relaxed, Mode::Repair].into_iter().zip(kinds) {
            let error = parse_with(text, &tight(mode)).err();
            let found = error.map(|error| match error.kind {
                Syntax { .. } => syntax(""),
                kind => kind,
            });
            assert_eq!(found, kind, "{text} {mode:?}");
            // Repair says where what is too long begins.
            if let Some(error) = error.filter(|error| error.kind != TooLarge) {
                assert_eq!(error.offset, at, "{text} {mode:?}");
                let (line, column) = error.line_column(text);
                assert!(line >= 1 && column >= 1);
            }
            if mode == Mode::Repair {
                at_every_split(text, &tight(mode));
            }
        }
    }
    for text in ["// only\n", "prose only", "]}", "word", "TRUE story", "# note"] {
        let error = parse(text, Mode::Repair).expect_err(text);
        assert_eq!(error.kind, NoValue, "{text}");
        at_every_split(text, &Options::new(Mode::Repair));
    }
    let refused = Options::new(Mode::Repair).with_non_finite(NonFinite::Error);
    assert!(matches!(parse_with("[NaN]", &refused).unwrap_err().kind, Syntax { .. }));
}

/// What may be held is the same however a text is cut.
#[test]
fn limits_of_repair_mode_do_not_depend_on_chunks() {
    let long = "w".repeat(40);
    for held in [0, 1, 7, 20, 39, 40, 41] {
        let options = Options::new(Mode::Repair).with_max_held_bytes(held).with_max_keys(3);
        for text in [
            format!("{{\"{long}\":1}}"),
            format!("{{{long}:1}}"),
            format!("{{'{long}\\q':1,}}"),
            format!("{{\"a \"b\" {long}\":1}}"),
            format!("[{long}, 2]"),
            format!("{{k: {long} {long}, m: 1}}"),
            format!("[{}]", "7".repeat(40)),
            format!("{long} {{\"k\":1}}"),
            format!("{{\\\"{long}\\\":1}}"),
            format!("[1,{}2]", " ".repeat(40)),
            format!("{{\"k\":{}\"v\"}}", " ".repeat(40)),
            "{a:1,b:2,c:3,d:4}".to_owned(),
            "7".repeat(40),
        ] {
            at_every_split(&text, &options);
        }
    }
    // What waits for a value is counted too, and the error is where the waiting began.
    for unit in [",", ", ", "\u{200b} ", ":", "...,"] {
        let text = format!("[1,{}2]", unit.repeat(20_000));
        let options = Options::new(Mode::Repair);
        let error = parse_with(&text, &options).unwrap_err();
        assert_eq!((error.kind, error.offset), (ErrorKind::TooLarge, 2), "{unit}");
        let chars: Vec<&str> = text.split_inclusive(|_: char| true).collect();
        assert_eq!(in_pieces(&chars, &options).unwrap_err(), error, "{unit}");
    }
}

#[test]
fn every_code_has_a_row() {
    let Some(text) = table() else { return };
    let shown: BTreeSet<String> = rows(&text).into_iter().map(|[code, ..]| code).collect();
    let known: BTreeSet<String> = Code::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    let missing: Vec<_> = known.difference(&shown).collect();
    assert_eq!(missing, ["rjson::blank-run", "rjson::more-diagnostics"]);
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
