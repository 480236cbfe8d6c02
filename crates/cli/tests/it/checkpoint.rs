//! `toolweir formats --from`.

use std::fs;

use crate::{file, folder, run};

/// A template that a format says as it is.
const WHOLE: &str = r#"{
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open": "[[call]]", "close": "[[/call]]", "repeats": true, "content": "json",
            "transform": {"type": "function", "function": {"name": "{content.do}", "arguments": "{content.with}"}}
        },
        "content": {"close": "<|im_end|>"}
    }
}"#;

/// A schema of which a format leaves out one property.
const SCHEMA: &str = r#"{"response_schema": {
    "x-regex": "(?P<content>.*?)(?P<tool_calls><call>.*</call>)?(?P<score>s)?(?:<eos>|$)",
    "properties": {
        "content": {}, "score": {},
        "tool_calls": {"x-regex-iterator": "<call>(.*?)</call>", "items": {
            "x-parser": "json", "properties": {"name": {}, "arguments": {}}}}
    }
}}"#;

const SPEC: &str = r#"{
  "name": "NAME",
  "call": "[[call]]{call:{\"do\": name, \"with\": args}}[[/call]]",
  "strays": "<|im_end|>",
  "text": "trim-edges",
  "reasoning": "nemotron-nano"
}
"#;

#[test]
fn a_folder_gives_a_format_that_parse_and_check_take() {
    let repo = folder("checkpoint_folder").join("My Model-7B");
    fs::create_dir(&repo).unwrap();
    let config = format!(r#"{{"eos_token": "<|im_end|>", "response_template": {WHOLE}}}"#);
    fs::write(repo.join("tokenizer_config.json"), config).unwrap();
    let from = run(&["formats", "--from", repo.to_str().unwrap()], "");
    assert_eq!((from.code, from.stderr.as_str()), (0, ""));
    assert_eq!(from.stdout, SPEC.replace("NAME", "my-model-7b"));

    let spec = file("checkpoint_spec", "own.json", &from.stdout);
    let text = "<think>\nDice.\n</think>\nGo.[[call]]{\"do\": \"dice\", \"with\": {\"sides\": 6}}[[/call]]\
                <|im_end|>";
    let parse = run(&["parse", "--spec", &spec, "--format", "my-model-7b", "--as", "turn"], text);
    assert_eq!((parse.code, parse.stderr.as_str()), (0, ""));
    let turn = &parse.records()[0];
    assert_eq!((turn.get("text"), turn.get("reasoning")), ("Go.".into(), "Dice.".into()));
    let calls = turn.get("calls");
    assert!(calls.contains(r#""name":"dice","arguments":{"sides":6}"#), "{calls}");
    let case = r#"{"id": "t", "format": "my-model-7b", "text": "Hi<|im_end|>", "expect": {"text": "Hi", "calls": []}}"#;
    let cases = file("checkpoint_cases", "cases.jsonl", case);
    let check = run(&["check", "--spec", &spec, &cases], "");
    assert_eq!(check.stdout, "checked 1 cases in 1 files: 1 passed, 0 failed\n");
}

#[test]
fn a_file_of_its_own_counts_more_and_a_file_may_be_named() {
    let repo = folder("checkpoint_file").join("hermes");
    fs::create_dir(&repo).unwrap();
    fs::write(repo.join("tokenizer_config.json"), r#"{"response_template": {"fields": 1}}"#)
        .unwrap();
    let template = repo.join("response_template.json");
    fs::write(&template, WHOLE).unwrap();
    for path in [&repo, &template] {
        let from = run(&["formats", "--from", path.to_str().unwrap()], "");
        assert_eq!((from.code, from.stderr.as_str()), (0, ""));
        // The name of the folder is that of a format.
        assert_eq!(from.stdout, SPEC.replace("NAME", "hermes-checkpoint"));
    }
    let other = file("checkpoint_named", "dice.json", WHOLE);
    assert_eq!(run(&["formats", "--from", &other], "").stdout, SPEC.replace("NAME", "dice"));
}

#[test]
fn what_a_format_does_not_say_is_a_finding_a_line() {
    let template = WHOLE.replace("\"repeats\": true,", "").replace(
        "\"content\": {",
        "\"mood\": {\"open\": \"<mood>\", \"close\": \"</mood>\"}, \"content\": {",
    );
    let path = file("checkpoint_unsaid", "own.json", template);
    let from = run(&["formats", "--from", &path], "");
    assert_eq!(from.code, 1);
    assert!(from.stdout.contains("\"message\": \"<mood>{skip}</mood>\""), "{}", from.stdout);
    assert_eq!(
        from.stderr,
        "fields.tool_calls.repeats: only the last call of a turn counts there; here each does\n\
         fields.mood: a turn has no such part: it is left out\n"
    );
    let spec = file("checkpoint_unsaid_spec", "spec.json", &from.stdout);
    let parse =
        run(&["parse", "--spec", &spec, "--format", "own", "--as", "host"], "a<mood>b</mood>c");
    assert_eq!(parse.stdout, "{\"Narrative\":\"a\"}\n{\"Narrative\":\"c\"}\n");
}

#[test]
fn calls_that_cannot_be_said_give_no_format() {
    let path = file("checkpoint_calls", "own.json", WHOLE.replace("\"json\"", "\"kv-lines\""));
    let from = run(&["formats", "--from", &path], "");
    assert_eq!((from.code, from.stdout.as_str()), (1, ""));
    let lines: Vec<&str> = from.stderr.lines().collect();
    assert_eq!(lines[0], "fields.tool_calls.content: no reader takes `kv-lines` here");
    assert!(lines[1].contains("there is no format without tool calls"), "{}", from.stderr);
    let schema = file(
        "checkpoint_schema",
        "tokenizer_config.json",
        r#"{"response_schema": {"x-regex": "a"}}"#,
    );
    let from = run(&["formats", "--from", &schema], "");
    assert_eq!(from.code, 1);
    let (dropped, complaint) = from.stderr.split_once('\n').unwrap();
    assert!(dropped.starts_with("properties: text outside of every field"), "{dropped}");
    assert!(complaint.contains("there is no format without tool calls"), "{complaint}");
    assert!(complaint.contains("`toolweir detect --repo "), "{complaint}");
    let schema = file("checkpoint_older", "tokenizer_config.json", SCHEMA);
    let from = run(&["formats", "--from", &schema], "");
    assert_eq!(from.code, 1);
    assert!(from.stdout.contains("<call>{call}</call>"), "{}", from.stdout);
    assert_eq!(from.stderr, "properties.score: a turn has no such part: it is left out\n");
}

#[test]
fn without_a_template_it_says_where_it_looked() {
    let repo = folder("checkpoint_nothing");
    let path = repo.to_str().unwrap();
    for (config, looked) in
        [(None, "response_template.json"), (Some("{}"), "tokenizer_config.json")]
    {
        if let Some(config) = config {
            fs::write(repo.join("tokenizer_config.json"), config).unwrap();
        }
        let from = run(&["formats", "--from", path], "");
        assert_eq!((from.code, from.stdout.as_str()), (2, ""));
        let complaint = from.complaint();
        assert!(complaint.starts_with("no response template or schema in `"), "{complaint}");
        assert!(complaint.contains(looked), "{complaint}");
        let end = format!("`toolweir detect --repo {path}` looks for a built-in format");
        assert!(complaint.ends_with(&end), "{complaint}");
    }
    let missing = repo.join("none.json");
    assert_eq!(run(&["formats", "--from", missing.to_str().unwrap()], "").code, 2);
    let broken = file("checkpoint_broken", "own.json", "{");
    let from = run(&["formats", "--from", &broken], "");
    assert_eq!(from.code, 2);
    assert!(
        from.complaint().contains("the template cannot be read: line 1 column 2"),
        "{}",
        from.stderr
    );
    let binary = file("checkpoint_binary", "own.json", b"\xff");
    assert!(run(&["formats", "--from", &binary], "").complaint().contains("it is not UTF-8"));
    assert_eq!(run(&["formats", "--from", &binary, "--markdown"], "").code, 2);
}
