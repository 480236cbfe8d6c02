//! `toolweir diff`: answers that are the same, and where others are not.

use std::fs;

use crate::{Run, folder, run};

const CALL: &str =
    "On it. <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";

/// Compares two files, by the format of each text.
fn diff(test: &str, left: &str, right: &str, more: &[&str]) -> Run {
    let folder = folder(test);
    let path = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let (left, right) = (path("left", left), path("right", right));
    run(&[&["diff", &left, &right, "--format", "hermes"], more].concat(), "")
}

#[test]
fn the_same_answer_is_no_difference_however_it_is_kept() {
    let same = diff("diff_same", CALL, CALL, &[]);
    assert_eq!((same.code, same.stdout.as_str(), same.stderr.as_str()), (0, "", ""));
    let events = run(&["parse", "--format", "hermes", "--chunk", "char"], CALL).stdout;
    let recorded = diff("diff_recorded", &events, CALL, &["--spans"]);
    assert_eq!((recorded.code, recorded.stdout.as_str()), (0, ""));
}

#[test]
fn what_differs_is_marked() {
    let other = CALL.replace("6", "20");
    let seen = diff("diff_other", CALL, &other, &[]);
    assert_eq!(seen.code, 1);
    let marked: Vec<&str> = seen.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(marked.len(), 6, "{}", seen.stdout);
    assert_eq!(marked[0], r#"- {"type":"args","text":"{\"sides\": 6}"}"#);
    assert_eq!(marked[3], r#"+ {"type":"args","text":"{\"sides\": 20}"}"#);
}

#[test]
fn places_count_where_they_are_asked_for() {
    let shifted = CALL.replace("{\"name\"", "{ \"name\"");
    assert_eq!(diff("diff_places", CALL, &shifted, &[]).code, 0);
    assert_eq!(diff("diff_spans", CALL, &shifted, &["--spans"]).code, 1);
}

#[test]
fn a_text_needs_a_format_and_a_file_must_be_there() {
    let path = folder("diff_format").join("text");
    fs::write(&path, CALL).unwrap();
    let path = path.to_str().unwrap();
    let refused = run(&["diff", path, path], "");
    assert_eq!(refused.code, 2);
    assert!(refused.complaint().starts_with("no format is named;"));
    let missing = run(&["diff", path, "nowhere.txt", "--format", "hermes"], "");
    assert_eq!(missing.code, 2);
    assert!(missing.complaint().starts_with("cannot read `nowhere.txt`"));
}
