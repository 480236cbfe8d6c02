//! `toolweir formats`.

use crate::{file, run, run_with};

#[test]
fn a_pipe_gets_one_object_a_format() {
    let formats = run(&["formats"], "");
    let records = formats.records();
    let hermes = records.iter().find(|r| r.get("name") == "hermes").unwrap();
    assert!(hermes.get("aliases").contains("\"nous\""));
    assert_eq!(hermes.get("line"), r"<tool_call>\n{call}\n</tool_call>");
    assert_eq!(hermes.get("wrap"), "");
    let minimax = records.iter().find(|r| r.get("name") == "minimax-m2").unwrap();
    assert_eq!(minimax.get("wrap"), r"\n<minimax:tool_call>\n{*}\n</minimax:tool_call>");
    assert_eq!((hermes.get("kind").as_str(), hermes.get("reasoning").as_str()), ("calls", "qwen3"));
    assert!(records.iter().any(|r| r.get("kind") == "reasoning" && r.get("name") == "think-tags"));
}

#[test]
fn the_tables_of_the_documentation_are_markdown() {
    let formats = run(&["formats", "--markdown"], "").stdout;
    assert!(formats.starts_with("| format | also called |"), "{formats}");
    assert!(formats.contains("\n| `qwen3-coder` |"), "{formats}");
    let codes = run(&["formats", "--diagnostics"], "").stdout;
    assert!(codes.contains("\n| `engine::truncated-call` | error |"), "{codes}");
    let options = run(&["formats", "--options"], "").stdout;
    assert!(options.contains("\n| `malformed` | text, drop | all |\n"), "{options}");
    assert!(options.contains("\n| `start_marker` | "), "{options}");
}

#[test]
fn only_one_table_at_a_time() {
    assert_eq!(run(&["formats", "--markdown", "--diagnostics"], "").code, 2);
}

#[test]
fn a_format_of_a_file_decodes_and_a_wrong_one_says_where() {
    let text = "[[call]]{\"name\": \"dice\"}[[/call]]";
    let toml = "name = \"brackets\"\ncall = '[[call]]{call}[[/call]]'\n";
    let json = r#"{"name": "brackets", "call": "[[call]]{call}[[/call]]"}"#;
    for (ending, content) in [("toml", toml), ("json", json)] {
        let spec = file("own_format", &format!("brackets.{ending}"), content);
        let parse = run(&["parse", "--spec", &spec, "--format", "brackets", "--as", "host"], text);
        assert_eq!((parse.code, parse.stderr.as_str()), (0, ""));
        assert_eq!(parse.stdout, "{\"ToolCall\":\"{\\\"name\\\": \\\"dice\\\"}\"}\n");
    }
    let wrong = file("wrong_format", "wrong.toml", "name = \"x\"\ncal = 1\n");
    let parse = run(&["parse", "--spec", &wrong, "--format", "x"], text);
    assert_eq!(parse.code, 2);
    assert!(
        parse.stderr.contains("wrong.toml`: line 2: unknown key `cal`; did you mean call?"),
        "{}",
        parse.stderr
    );
}

#[test]
fn a_format_of_a_file_whose_name_is_taken_is_an_error_that_says_so() {
    let taken = file("taken_format", "own.toml", "name = 'nous'\ncall = '<a>{call}</a>'\n");
    for command in [vec!["parse", "--format", "hermes"], vec!["check", "."]] {
        let words: Vec<&str> = command.into_iter().chain(["--spec", &taken]).collect();
        let refused = run(&words, "");
        assert_eq!(refused.code, 2);
        let end = "own.toml`: the name `nous` is taken by the format `hermes`; \
                   give it another one in the file";
        assert!(refused.complaint().ends_with(end), "{}", refused.stderr);
    }
    let wrong = file("wrong_pattern", "own.json", r#"{"name": "own", "call": "<a>{nmae}"}"#);
    let refused = run(&["parse", "--format", "own", "--spec", &wrong], "");
    let end = "format `own`: `call` = `<a>{nmae}`: unknown hole `{nmae}` at byte 3 (`{nmae}`); did you \
               mean `{name}`?; the fields are described in docs/adding-a-format.md";
    assert!(refused.complaint().ends_with(end), "{}", refused.stderr);
}

/// What `parse` makes of a text with these arguments, as narrative and calls.
fn told(words: &[&str], text: &str) -> String {
    let words: Vec<&str> = ["parse", "--as", "host"].iter().chain(words).copied().collect();
    let parse = run(&words, text);
    assert_eq!((parse.code, parse.stderr.as_str()), (0, ""), "{words:?}");
    parse.stdout
}

#[test]
fn a_format_without_a_name_is_the_line_that_the_model_writes() {
    let call = "{\"ToolCall\":\"{\\\"sides\\\": 6}\"}\n";
    let text = "<<do>>dice {\"sides\": 6}<</do>>";
    assert_eq!(told(&["--pattern", "<<do>>{name} {args}<</do>>"], text), call);
    let dashed = text.replace("<<do>>", "--do ").replace("<</do>>", " --");
    assert_eq!(told(&["--pattern", "--do {name} {args} --"], &dashed), call);
    let two = ["--pattern", "<a>{call}</a>", "--pattern", "<<do>>{name} {args}<</do>>"];
    assert_eq!(told(&two, text), call);
    // A wrapper and what separates its calls are markup; a variable names no other format.
    let pattern = ["--pattern", "{name}({args:python})", "--wrap", r"<py>\n{*}\n</py>"];
    let pattern: Vec<&str> = pattern.into_iter().chain(["--between", r";\n"]).collect();
    let text = "Two.<py>\ndice(sides=6);\ndice(sides=20)\n</py>";
    let expected =
        "{\"Narrative\":\"Two.\"}\n{\"ToolCall\":\"sides=6)\"}\n{\"ToolCall\":\"sides=20)\"}\n";
    assert_eq!(told(&pattern, text), expected);
    let words: Vec<&str> = ["parse", "--as", "host"].iter().chain(&pattern).copied().collect();
    let named = run_with(&[("AUTOBYTEUS_STREAM_PARSER", "xml")], &words, text);
    assert_eq!(named.stdout, expected);
}

#[test]
fn a_pattern_that_cannot_work_is_one_line_with_its_place() {
    let refused = |words: &[&str]| {
        let words: Vec<&str> = ["parse"].iter().chain(words).copied().collect();
        let refused = run(&words, "");
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{words:?}");
        refused.complaint().to_owned()
    };
    let notation = "; the notation is described in docs/adding-a-format.md";
    for (words, message) in [
        (
            &["--pattern", "<a>{nmae}</a>"] as &[&str],
            "--pattern `<a>{nmae}</a>`: unknown hole `{nmae}` at byte 3 (`{nmae}</a>`); did you mean \
             `{name}`?",
        ),
        (
            &["--pattern", "<a>{args}</a>"],
            "--pattern `<a>{args}</a>`: the pattern of a call lacks a name at the end (byte 13); add \
             `{name}`, `{name=WORD}` or `{call}`",
        ),
        (
            &["--pattern", "<a>{name}{opt:-}{id}{args}"],
            "--pattern `<a>{name}{opt:-}{id}{args}`: `{id}` may stand directly after `{name}` at byte 3 \
             (`{name}{opt:-}{id…`); put text between them that is always there",
        ),
        (
            &["--pattern", "<a>{call}</a>", "--wrap", "<b></b>"],
            "--wrap `<b></b>`: the pattern of a wrapper lacks `{*}` at the end (byte 7)",
        ),
        (
            &["--pattern", "<a>{call}</a>", "--between", "{name}"],
            "--between `{name}`: `{name}` where only text can stand",
        ),
    ] {
        assert_eq!(refused(words), format!("{message}{notation}"));
    }
    let both = refused(&["--pattern", "<a>{call}</a>", "--format", "hermes"]);
    assert!(both.starts_with("the argument '--pattern <PATTERN>' cannot be used with '--format"));
    assert!(refused(&["--wrap", "<w>{*}</w>"]).contains("--pattern <PATTERN>"));
    assert!(refused(&[]).contains("or --pattern PATTERN"));
}
