//! `toolweir detect`.

use std::fs;

use crate::{file, folder, run};

const TEXT: &str =
    "Two.<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n</tool_call>";
const TEMPLATE: &str = "{{ '<tool_call>\\n<function=' ~ name ~ '>' }}{{ '<parameter=' ~ key ~ '>' }}\
                        {{ '</parameter>' }}{{ '</function>\\n</tool_call>' }}";

#[test]
fn a_transcript_gives_its_formats_with_reasons() {
    let detect = run(&["detect"], TEXT);
    assert_eq!((detect.code, detect.stderr.as_str()), (0, ""));
    let records = detect.records();
    assert_eq!(
        (records[0].get("format").as_str(), records[0].get("reasoning").as_str()),
        ("hermes", "qwen3")
    );
    let evidence = records[0].get("evidence");
    assert!(
        evidence.contains("{\"kind\":\"marker\",\"marker\":\"<tool_call>\",\"offset\":4,"),
        "{evidence}"
    );
    assert!(evidence.contains("\"kind\":\"call\",\"name\":\"dice\""), "{evidence}");
    assert!(evidence.contains("\"reason\":\"a whole call of `dice` at 4..59\""), "{evidence}");
    let scores: Vec<u32> = records.iter().map(|r| r.get("score").parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.len() > 3, "{scores:?}");
    assert_eq!(run(&["detect", "--limit", "2"], TEXT).records().len(), 2);
    let path = file("detect_text", "answer.txt", TEXT);
    assert_eq!(run(&["detect", &path], "").stdout, detect.stdout);
}

#[test]
fn declared_tools_make_it_surer() {
    let tools = file("detect_tools", "tools.json", "[{\"name\": \"clock\"}]");
    let detect = run(&["detect", "--tools", &tools], TEXT);
    assert!(detect.records()[0].get("evidence").contains("`dice` is not declared"));
    assert_eq!(run(&["detect", "--tools", &tools, "--model", "qwen3"], "").code, 2);
}

#[test]
fn a_name_a_template_and_a_folder_give_a_format() {
    let first = |words: &[&str]| {
        let detect = run(words, "");
        assert_eq!((detect.code, detect.stderr.as_str()), (0, ""), "{words:?}");
        detect.records()[0].get("format")
    };
    assert_eq!(first(&["detect", "--model", "zai-org/GLM-4.6"]), "glm-xml");
    let template = file("detect_template", "chat_template.jinja", TEMPLATE);
    assert_eq!(first(&["detect", "--template", &template]), "qwen3-coder");
    let repo = folder("detect_repo").join("Kimi-K2-Instruct");
    fs::create_dir(&repo).unwrap();
    let path = repo.to_str().unwrap();
    assert_eq!(first(&["detect", "--repo", path]), "kimi-k2");
    fs::write(repo.join("chat_template.jinja"), TEMPLATE).unwrap();
    assert_eq!(first(&["detect", "--repo", path]), "qwen3-coder");
}

#[test]
fn a_format_of_a_file_is_found() {
    let spec = file("detect_spec", "own.toml", "name = 'own'\ncall = '[[call]]{call}[[/call]]'\n");
    let text = "[[call]]{\"name\": \"dice\", \"arguments\": {}}[[/call]]";
    let detect = run(&["detect", "--spec", &spec], text);
    assert_eq!(detect.records()[0].get("format"), "own");
}

#[test]
fn nothing_found_is_a_finding_and_wrong_usage_is_not() {
    for words in [&["detect"] as &[&str], &["detect", "--model", "bert-base"]] {
        let detect = run(words, "Hello.");
        assert_eq!((detect.code, detect.stdout.as_str()), (1, ""), "{words:?}");
        assert_eq!(detect.complaint(), "no wire format was found; `toolweir formats` lists them");
    }
    let missing = folder("detect_missing").join("none");
    assert_eq!(run(&["detect", "--repo", missing.to_str().unwrap()], "").code, 2);
    let text = file("detect_no_folder", "answer.txt", TEXT);
    assert!(run(&["detect", "--repo", &text], "").complaint().contains("is no folder"));
    assert_eq!(run(&["detect", "--model", "a", "--template", "b"], "").code, 2);
}
