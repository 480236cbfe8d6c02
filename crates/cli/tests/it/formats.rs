//! `toolweir formats`.

use crate::{file, run};

#[test]
fn a_pipe_gets_one_object_a_format() {
    let formats = run(&["formats"], "");
    let records = formats.records();
    let hermes = records.iter().find(|r| r.get("name") == "hermes").unwrap();
    assert!(hermes.get("aliases").contains("\"nous\""));
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
}

#[test]
fn only_one_table_at_a_time() {
    assert_eq!(run(&["formats", "--markdown", "--diagnostics"], "").code, 2);
}

#[test]
fn a_format_of_a_file_decodes_and_a_wrong_one_says_where() {
    let text = "[[call]]{\"name\": \"dice\"}[[/call]]";
    let toml = "name = \"brackets\"\n[call]\nopen = [\"[[call]]\"]\nclose = [\"[[/call]]\"]\n";
    let json = r#"{"name": "brackets", "call": {"open": ["[[call]]"], "close": ["[[/call]]"]}}"#;
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
        parse.stderr.contains("wrong.toml`: unknown key `cal`; did you mean call?"),
        "{}",
        parse.stderr
    );
}
