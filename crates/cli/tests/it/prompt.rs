//! `toolweir prompt` and `toolweir render`.

use crate::{file, run};

const TOOLS: &str = r#"[{"name": "dice", "description": "Rolls dice", "parameters":
    {"type": "object", "properties": {"sides": {"type": "integer"}}}}]"#;

#[test]
fn tools_become_the_prompt_of_a_conversation() {
    let tools = file("prompt_tools", "tools.json", TOOLS);
    let messages = file(
        "prompt_messages",
        "messages.json",
        r#"[{"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Roll."}]},
            {"role": "assistant", "content": null, "reasoning_content": "One die.", "tool_calls":
             [{"id": "c1", "type": "function", "function": {"name": "dice", "arguments": "{\"sides\": 6}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "4"}]"#,
    );
    let prompt =
        run(&["prompt", "--format", "hermes", "--tools", &tools, "--messages", &messages], "");
    assert_eq!((prompt.code, prompt.stderr.as_str()), (0, ""));
    let records = prompt.records();
    let roles: Vec<String> = records.iter().map(|record| record.get("role")).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "absent"]);
    let system = records[0].get("content");
    assert!(system.contains("Rolls dice") && system.ends_with("Be brief."), "{system}");
    assert_eq!(
        records[2].get("content"),
        "<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n</tool_call>"
    );
    assert_eq!(records[2].get("reasoning"), "One die.");
    assert!(records[3].get("content").contains("<tool_response>"), "{}", prompt.stdout);
    assert_eq!(records[4].get("reading"), "calls");
}

#[test]
fn choices_presets_and_options_change_the_prompt() {
    let tools = file("prompt_choices", "tools.json", TOOLS);
    let run = |words: &[&str]| {
        let words: Vec<&str> = ["prompt", "--tools", &tools].iter().chain(words).copied().collect();
        let prompt = run(&words, "");
        assert_eq!((prompt.code, prompt.stderr.as_str()), (0, ""), "{words:?}");
        prompt
    };
    let forced = run(&["--format", "hermes", "--choice", "dice"]).records();
    assert_eq!(forced[1].get("type"), "response_format");
    assert_eq!(
        (forced[1].get("name").as_str(), forced[2].get("reading").as_str()),
        ("dice", "forced")
    );
    let none = run(&["--format", "hermes", "--choice", "none"]).stdout;
    assert_eq!(none, "{\"type\":\"reading\",\"reading\":\"text\"}\n");
    let agent = run(&["--preset", "agent"]).records();
    assert_eq!(agent[1].get("texts"), r#"["</tool_call>","</tool_call>\n\n"]"#);
    let own =
        run(&["--format", "json-mix", "--set", "start_marker=<<", "--set", "end_marker=>>"]).stdout;
    assert!(own.contains("<<") && !own.contains("<tool_call>"), "{own}");
    let pattern = run(&["--pattern", "<do>{name} {args}</do>"]).stdout;
    assert!(pattern.contains("<do>"), "{pattern}");
}

#[test]
fn prompts_that_cannot_be_made_say_why() {
    let messages = |content: &str| {
        let path = file("prompt_wrong", "messages.json", content);
        let prompt = run(&["prompt", "--format", "hermes", "--messages", &path], "");
        assert_eq!((prompt.code, prompt.stdout.as_str()), (2, ""), "{content}");
        prompt.complaint().to_owned()
    };
    assert!(messages("{}").contains("no list of messages"));
    assert!(messages("[{}]").contains("message 0 (counted from 0) has no role"));
    assert!(messages(r#"[{"role": "pirate"}]"#).contains("unknown role `pirate`"));
    assert!(messages(r#"[{"role": "tool", "content": "x"}]"#).contains("of no known call"));
    assert!(messages(r#"[{"role": "user", "content": [{"type": "image"}]}]"#).contains("no text"));
    assert!(messages("[").contains("line 1 column 2"));
    let refused = run(&["prompt", "--format", "hermes", "--choice", "required"], "");
    assert!(refused.complaint().contains("no tool is declared"));
    assert!(run(&["prompt"], "").complaint().contains("say --format NAME"));
    assert!(run(&["prompt", "--preset", "x"], "").complaint().contains("gemma, hermes"));
}

#[test]
fn what_is_rendered_is_read_back() {
    let calls = r#"[{"name": "dice", "arguments": {"sides": 6}, "id": "a1b2c3d4e"},
                    {"function": {"name": "clock", "arguments": "{}"}}]"#;
    for format in ["hermes", "mistral-v11", "qwen3-coder", "pythonic"] {
        let written = run(&["render", "call", "--format", format], calls);
        assert_eq!((written.code, written.stderr.as_str()), (0, ""), "{format}");
        let tools =
            file("render_tools", "tools.json", "[{\"name\": \"dice\"}, {\"name\": \"clock\"}]");
        let read =
            run(&["parse", "--format", format, "--tools", &tools, "--as", "turn"], &written.stdout);
        assert!(
            read.stdout.contains("\"dice\"") && read.stdout.contains("\"clock\""),
            "{}",
            read.stdout
        );
    }
    let one = run(&["render", "call", "--format", "hermes"], r#"{"name": "clock"}"#).stdout;
    assert_eq!(one, "<tool_call>\n{\"name\": \"clock\", \"arguments\": {}}\n</tool_call>");
}

#[test]
fn tools_and_responses_are_rendered() {
    let tools = run(&["render", "tools", "--format", "hermes"], TOOLS).stdout;
    assert!(tools.starts_with("<tools>\n") && tools.contains("Rolls dice"), "{tools}");
    let response = r#"{"name": "dice", "content": {"sum": 4}}"#;
    let response = run(&["render", "response", "--format", "hermes"], response).stdout;
    assert_eq!(response, "<tool_response>\n{\"sum\":4}\n</tool_response>");
    let set = [
        "render",
        "call",
        "--format",
        "json-mix",
        "--set",
        "start_marker=<<",
        "--set",
        "end_marker=>>",
    ];
    assert!(run(&set, r#"{"name": "clock"}"#).stdout.starts_with("<<"));
}

#[test]
fn what_a_format_cannot_write_is_a_finding() {
    let call = r#"{"name": "echo", "arguments": {"text": "</parameter>"}}"#;
    let refused = run(&["render", "call", "--format", "qwen3-coder"], call);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    let line = refused.complaint();
    assert!(line.starts_with("format `qwen3-coder` cannot carry the value of `text`"), "{line}");
    let family = run(&["render", "call", "--format", "think-tags"], call);
    assert_eq!(family.code, 1);
    for (what, input) in
        [("call", "[]"), ("call", "1"), ("response", "{}"), ("tools", "{}"), ("call", "{")]
    {
        assert_eq!(run(&["render", what, "--format", "hermes"], input).code, 2, "{what} {input}");
    }
}
