//! `toolweir formats`.

use crate::run;

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
