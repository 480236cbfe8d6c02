//! `toolweir check`.

use crate::{file, folder, run};

const GOOD: &str = r#"{"id": "t/good", "format": "hermes", "text": "Hi", "expect": {"text": "Hi", "calls": []}}
"#;
const BAD: &str = r#"{"id": "t/bad", "format": "hermes", "text": "Hi", "expect": {"text": "Ho"}}
"#;
const UNKNOWN: &str = r#"{"id": "t/unknown", "format": "no-such-format", "text": "Hi", "expect": {"text": "Hi"}}
"#;

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn the_last_line_counts_the_cases() {
    let vectors = file("check_good", "a.jsonl", GOOD);
    let check = run(&["check", &vectors], "");
    assert_eq!(check.stdout, "checked 1 cases in 1 files: 1 passed, 0 failed\n");
    assert_eq!((check.code, check.stderr.as_str()), (0, ""));
}

#[test]
fn a_case_that_fails_is_named_and_the_exit_code_is_1() {
    let vectors = file("check_bad", "a.jsonl", [GOOD, BAD, UNKNOWN].concat());
    let check = run(&["check", &vectors], "");
    assert_eq!(check.code, 1);
    assert_eq!(
        last_line(&check.stdout),
        "checked 3 cases in 1 files: 1 passed, 1 failed, 1 unsupported"
    );
    assert!(check.stdout.starts_with("failed t/bad ("), "{}", check.stdout);
    assert!(!check.stdout.contains("t/good"));
}

#[test]
fn unsupported_cases_fail_only_where_all_are_required() {
    let vectors = file("check_all", "a.jsonl", [GOOD, UNKNOWN].concat());
    assert_eq!(run(&["check", &vectors], "").code, 0);
    let check = run(&["check", "--require-all", &vectors], "");
    assert_eq!(check.code, 1);
    assert_eq!(last_line(&check.stdout), "checked 2 cases in 1 files: 1 passed, 1 failed");
}

#[test]
fn an_excused_case_is_counted_apart() {
    let folder = folder("check_excused");
    let path = |name: &str| folder.join(name).into_os_string().into_string().unwrap();
    std::fs::write(path("a.jsonl"), [GOOD, BAD].concat()).unwrap();
    std::fs::write(path("excuses.txt"), "[a.jsonl]\nt/bad | policy | says so\n").unwrap();
    std::fs::write(path("stale.txt"), "[a.jsonl]\nt/good | policy | says so\n").unwrap();
    std::fs::write(path("wrong.txt"), "t/bad | sometimes\n").unwrap();
    let check = |excuses: &str| run(&["check", &path("a.jsonl"), "--excuses", &path(excuses)], "");
    let excused = check("excuses.txt");
    assert_eq!(excused.stdout, "checked 2 cases in 1 files: 1 passed, 0 failed, 1 excused\n");
    assert_eq!(excused.code, 0);
    assert_eq!(check("stale.txt").code, 1, "an excused case that passes is a failure");
    let wrong = check("wrong.txt");
    assert_eq!(wrong.code, 2);
    assert!(wrong.complaint().contains("wrong.txt line 1"), "{}", wrong.stderr);
}

#[test]
fn folders_are_searched_and_json_gives_every_case() {
    let vectors = file("check_json", "a.jsonl", [GOOD, BAD].concat());
    let folder = std::path::Path::new(&vectors).parent().unwrap().to_str().unwrap();
    let check = run(&["check", "--json", folder], "");
    let verdicts: Vec<_> =
        check.records().iter().map(|r| (r.get("id"), r.get("verdict"))).collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(verdicts[..2], [pair("t/good", "passed"), pair("t/bad", "failed")]);
    assert_eq!(check.records()[2].get("summary"), "checked 2 cases in 1 files: 1 passed, 1 failed");
}

#[test]
fn a_path_that_is_not_there_is_unreadable_input() {
    let missing = folder("check_missing").join("none.jsonl");
    let check = run(&["check", missing.to_str().unwrap()], "");
    assert_eq!(check.code, 2);
    assert!(check.complaint().contains("none.jsonl"), "{}", check.stderr);
    let empty = folder("check_empty");
    assert_eq!(run(&["check", empty.to_str().unwrap()], "").code, 2);
    let option = run(&["check", "--set", "malfrmed=drop", empty.to_str().unwrap()], "");
    assert!(option.complaint().contains("did you mean malformed?"), "{}", option.stderr);
}

#[test]
fn misspelt_cases_fail_and_cases_without_expectation_are_counted_apart() {
    let misspelt = GOOD.replace("\"calls\"", "\"call\"").replace("t/good", "t/misspelt");
    let bare = "{\"id\": \"t/bare\", \"format\": \"hermes\", \"text\": \"Hi\"}\n";
    let vectors = file("check_misspelt", "a.jsonl", [GOOD, &misspelt, bare].concat());
    let check = run(&["check", &vectors], "");
    assert_eq!(check.code, 1);
    assert_eq!(
        last_line(&check.stdout),
        "checked 3 cases in 1 files: 1 passed, 1 failed, 1 without expectation"
    );
    assert!(check.stdout.contains("did you mean `calls`?"), "{}", check.stdout);
    let alone = file("check_bare", "a.jsonl", bare);
    assert_eq!(run(&["check", &alone], "").code, 0);
    let json = run(&["check", "--json", &alone], "");
    assert_eq!(json.records()[0].get("verdict"), "unchecked");
}
