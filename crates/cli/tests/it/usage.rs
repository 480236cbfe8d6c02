//! Wrong usage and unreadable input: exit code 2, one line, the fix.

use crate::{file, folder, run};

fn refused(words: &[&str]) -> String {
    let refused = run(words, "");
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{words:?}");
    refused.complaint().to_owned()
}

#[test]
fn an_unknown_format_lists_near_names() {
    assert_eq!(
        refused(&["parse", "--format", "hermse"]),
        "unknown format `hermse`; did you mean hermes?; `toolweir formats` lists them"
    );
}

#[test]
fn formats_that_cannot_be_read_at_once_are_refused() {
    assert_eq!(
        refused(&["parse", "--format", "hermes,hermse"]),
        "unknown format `hermse`; did you mean hermes?; `toolweir formats` lists them"
    );
    assert_eq!(
        refused(&["parse", "--format", "hermes,tool-choice"]),
        "`tool-choice` cannot be read beside other formats: its decoder is written by hand; name it alone"
    );
    let line = refused(&["parse", "--format", "morph-xml,yaml-xml"]);
    assert!(
        line.contains("cannot be read at once") && line.ends_with("; name one of them"),
        "{line}"
    );
}

#[test]
fn an_unknown_shape_says_which_exist() {
    let line = refused(&["parse", "--format", "hermes", "--as", "pdf"]);
    assert!(line.contains("[possible values: events, turn, segments,"), "{line}");
}

#[test]
fn frames_and_answers_are_for_the_shapes_that_have_them() {
    let of = |shape: &str, option: &str| {
        refused(&["parse", "--format", "hermes", "--as", shape, option])
    };
    assert_eq!(
        of("turn", "--sse"),
        "--sse is for the shapes of servers; say --as openai, responses, anthropic, ui-message or ag-ui"
    );
    assert!(of("host", "--no-stream").starts_with("--no-stream is for the shapes of servers;"));
    assert_eq!(
        of("ag-ui", "--no-stream"),
        "this shape has no answers but streams; leave --no-stream out"
    );
}

#[test]
fn a_wrong_option_names_what_it_takes() {
    let set = |option| refused(&["parse", "--format", "hermes", "--set", option]);
    assert!(set("malformed=maybe").contains("it takes text, drop"));
    assert!(set("malfrmed=drop").contains("did you mean malformed?"));
    assert!(set("malformed").contains("write KEY=VALUE"));
    let family = refused(&["parse", "--format", "hermes", "--reasoning", "qwen4"]);
    assert!(family.contains("format `hermes`") && family.contains("qwen3"), "{family}");
}

#[test]
fn a_tools_file_that_cannot_be_read_names_line_and_column() {
    let bad = file("bad_tools", "tools.json", "[\n  {\"name\": \"dice\",}\n]");
    let line = refused(&["parse", "--format", "hermes", "--tools", &bad]);
    assert!(line.contains("line 2 column 19: expected"), "{line}");
    let missing = folder("no_tools").join("none.json");
    let line = refused(&["parse", "--format", "hermes", "--tools", missing.to_str().unwrap()]);
    assert!(line.contains("cannot read"), "{line}");
}

#[test]
fn a_byte_order_mark_in_front_of_tools_is_nothing() {
    let marked = file("marked_tools", "tools.json", "\u{feff}[{\"name\": \"dice\"}]");
    let run = run(&["parse", "--format", "hermes", "--tools", &marked], "Hi");
    assert_eq!(run.code, 0, "{}", run.complaint());
}

#[test]
fn standard_input_is_read_once() {
    let twice = "standard input is named twice; name a file in one place";
    assert_eq!(refused(&["diff", "-", "-", "--format", "hermes"]), twice);
    let words = ["prompt", "--format", "hermes", "--tools", "-", "--messages", "-"];
    assert_eq!(run(&words, "[]").complaint(), twice);
}

#[test]
fn another_name_of_a_model_has_an_example_of_its_own() {
    let line = refused(&["serve", "--demo", "--check", "--model-map", "gpt"]);
    assert!(line.contains("write NAME=UPSTREAM"), "{line}");
}

#[test]
fn files_in_toml_are_refused_in_one_line() {
    let broken = file("broken_toml", "own.toml", "name = = 1");
    for words in
        [&["parse", "--spec", &*broken][..], &["serve", "--demo", "--check", "--config", &*broken]]
    {
        let line = refused(words);
        assert!(
            line.contains("TOML parse error at line 1, column 8: ") && !line.contains("\\u{a}"),
            "{line}"
        );
    }
}

#[test]
fn a_missing_file_and_a_folder_are_unreadable_input() {
    let missing = folder("missing").join("none.txt");
    let line = refused(&["parse", "--format", "hermes", missing.to_str().unwrap()]);
    assert!(line.contains("cannot read") && line.contains("none.txt"), "{line}");
    let line = refused(&["parse", "--format", "hermes", folder("dir").to_str().unwrap()]);
    assert!(line.contains("is a folder"), "{line}");
}

#[test]
fn what_an_argument_quotes_cannot_act_on_the_terminal() {
    let line = refused(&["parse", "--format", "a\u{1b}[2J\nb"]);
    assert!(line.contains("a\\u{1b}[2J\\u{a}b"), "{line}");
}

#[test]
fn help_and_version_are_no_errors() {
    for words in [["--help"].as_slice(), &["parse", "--help"], &["--version"]] {
        let help = run(words, "");
        assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{words:?}");
        assert!(!help.stdout.is_empty());
    }
    for command in ["parse", "prompt", "render"] {
        let help = run(&[command, "--help"], "").stdout;
        assert!(help.contains("malformed=text|drop") && help.contains("start_marker"), "{help}");
    }
    let none = run(&[], "");
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("Usage: toolweir"), "{}", none.stderr);
}
