//! `toolweir constrain`.

use crate::{file, run};

const TOOLS: &str = r#"[{"name": "dice", "parameters": {"type": "object", "properties":
    {"sides": {"type": "integer"}}, "required": ["sides"]}}]"#;

#[test]
fn a_grammar_for_each_engine() {
    let tools = file("constrain_engines", "tools.json", TOOLS);
    let written = |words: &[&str]| {
        let words: Vec<&str> = ["constrain", "--format", "hermes", "--tools", &tools]
            .iter()
            .chain(words)
            .copied()
            .collect();
        let done = run(&words, "");
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{words:?}");
        done.stdout
    };
    let tag = written(&[]);
    assert!(
        tag.starts_with(r#"{"type":"structural_tag","format":{"type":"triggered_tags""#),
        "{tag}"
    );
    assert!(
        tag.contains(r#""begin":"<tool_call>\n{\"name\": \"dice\", \"arguments\": ""#),
        "{tag}"
    );
    let lark = written(&["--for", "lark", "--choice", "dice"]);
    assert!(lark.starts_with("start: ") && lark.contains("%json {"), "{lark}");
    let gbnf = written(&["--for", "gbnf", "--choice", "required", "--single"]);
    assert!(gbnf.starts_with("root ::= ") && gbnf.contains("\ncall ::= "), "{gbnf}");
    assert!(!gbnf.contains("u1-0"), "no text beside the calls, and one kind of reasoning: {gbnf}");
}

#[test]
fn special_tokens_are_named_where_that_is_asked_for() {
    let tools = file("constrain_tokens", "tools.json", TOOLS);
    let words = ["constrain", "--format", "kimi-k2", "--tools", &tools, "--for", "lark"];
    let plain = run(&words, "").stdout;
    assert!(plain.contains("\"<|tool_calls_section_begin|>"), "{plain}");
    let named = run(&[&words[..], &["--tokens"]].concat(), "").stdout;
    assert!(named.contains(" <|tool_calls_section_begin|> g_call "), "{named}");
    assert!(named.contains(" <|tool_call_argument_begin|> "), "{named}");
}

#[test]
fn what_has_no_grammar_says_why() {
    let tools = file("constrain_none", "tools.json", TOOLS);
    let done = run(&["constrain", "--format", "aider-diff", "--tools", &tools], "");
    assert_eq!((done.code, done.stdout.as_str()), (1, ""));
    assert!(done.stderr.contains("format `aider-diff` has no grammar: "), "{}", done.stderr);
    let unknown = ["constrain", "--format", "hermes", "--tools", &tools, "--choice", "spin"];
    let done = run(&unknown, "");
    assert_eq!(done.code, 1);
    assert!(done.stderr.contains("the tool `spin` must be called"), "{}", done.stderr);
    let bounded = r#"[{"name": "dice", "parameters": {"type": "object", "properties":
        {"sides": {"type": "integer", "minimum": 2}}}}]"#;
    let tools = file("constrain_bounded", "tools.json", bounded);
    let done = run(&["constrain", "--format", "hermes", "--tools", &tools, "--for", "gbnf"], "");
    assert_eq!(done.code, 0);
    let told = "warning: not in the grammar: dice/properties/sides: `minimum` is not followed";
    assert!(done.stderr.contains(told), "{}", done.stderr);
}
