use super::*;
use std::sync::Arc;

use crate::sample::{Fault, PassThrough, Toy};

fn runner(fault: Fault) -> Runner {
    let mut registry = Registry::empty();
    registry.register(Arc::new(Toy(fault))).unwrap();
    registry.register(Arc::new(PassThrough)).unwrap();
    Runner::new(registry)
}

fn verdict(fault: Fault, line: &str) -> Verdict {
    let mut results = runner(fault).run_text(Path::new("toys.jsonl"), line);
    assert_eq!(results.len(), 1);
    results.remove(0).verdict
}

fn failure(fault: Fault, line: &str) -> String {
    match verdict(fault, line) {
        Verdict::Failed(why) => why,
        other => format!("{other:?}"),
    }
}

const GOOD: &str = r#"{"id": "toys/1", "format": "toy", "chunks": ["a[ro", "ll]"],
    "expect": {"text": "a", "calls": [{"name": "roll", "arguments": {}}]}}"#;

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

#[test]
fn a_case_that_holds_passes() {
    assert_eq!(verdict(Fault::None, &one_line(GOOD)), Verdict::Passed);
}

#[test]
fn only_the_keys_present_are_compared() {
    for expect in [r#"{"error": false}"#, r#"{"text": "ab"}"#, r#"{"calls": [{"name": "roll"}]}"#] {
        let line = format!(r#"{{"format": "toy", "text": "a[roll]b", "expect": {expect}}}"#);
        assert_eq!(verdict(Fault::None, &line), Verdict::Passed, "{expect}");
    }
    for (expect, word) in [
        (r#"{"text": "a"}"#, "text"),
        (r#"{"reasoning": "x"}"#, "reasoning"),
        (r#"{"calls": []}"#, "calls"),
        (r#"{"calls": [{"name": "other"}]}"#, "other"),
        (r#"{"calls": [{"name": "roll", "arguments": {"n": 1}}]}"#, "arguments"),
        (r#"{"error": true}"#, "error"),
    ] {
        let line = format!(r#"{{"format": "toy", "text": "a[roll]b", "expect": {expect}}}"#);
        assert!(failure(Fault::None, &line).contains(word), "{expect}");
    }
}

#[test]
fn a_case_that_expects_nothing_is_counted_apart() {
    for expect in ["", r#", "expect": {}"#] {
        let line = format!(r#"{{"format": "toy", "text": "a[roll]b"{expect}}}"#);
        assert_eq!(verdict(Fault::None, &line), Verdict::Unchecked, "{line}");
    }
    let result =
        CaseResult { file: "a.jsonl".into(), line: 1, id: "a".into(), verdict: Verdict::Unchecked };
    let summary = Summary { files: 1, results: vec![result] };
    let shown = "checked 1 cases in 1 files: 0 passed, 0 failed, 1 without expectation";
    assert_eq!(summary.to_string(), shown);
}

#[test]
fn a_misspelt_case_fails() {
    for line in [
        r#"{"format": "toy", "text": "a", "expect": {"other": 1}}"#,
        r#"{"format": "toy", "text": "a", "expct": {}}"#,
        r#"{"format": "toy", "text": "a", "calls": []}"#,
        r#"{"format": "toy", "input": "a", "expect": {"text": "a"}}"#,
        r#"{"format": "toy", "text": "a", "options": {"malfrmed": "drop"}, "expect": {"text": "a"}}"#,
    ] {
        assert!(matches!(verdict(Fault::None, line), Verdict::Failed(_)), "{line}");
    }
}

#[test]
fn segments_of_native_and_reasoning_chunks_are_compared() {
    let chunks = r#"[{"delta": {"reasoning_content": "Hm."}}, "Well. ",
        {"delta": {"tool_calls": [{"index": 0, "id": "c1",
            "function": {"name": "dice", "arguments": "{\"sides\":"}}]}},
        {"delta": {"tool_calls": [{"index": 0, "function": {"arguments": " 6}"}}]}},
        {"delta": {}, "finish_reason": "tool_calls"}]"#;
    let case = |expect: &str| {
        let line = format!(
            r#"{{"kind": "segments", "format": "agent-native", "chunks": {chunks}, "expect": {expect}}}"#
        );
        verdict(Fault::None, &one_line(&line))
    };
    let segments = r#"{"reasoning": "Hm.", "text": "Well. ",
        "segments": [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": "Well. "},
            {"type": "tool_call"}],
        "progress": [{"after_chunk": 2, "started": ["reasoning"]},
            {"after_chunk": 3, "started": ["reasoning", "tool_call"]}],
        "invocations": [{"name": "dice", "arguments": {"sides": 6}}]}"#;
    assert_eq!(case(segments), Verdict::Passed);
    for wrong in [
        segments.replace("Hm.", "Hmm."),
        segments.replace("6}", "7}"),
        segments.replace("\"after_chunk\": 3", "\"after_chunk\": 1"),
        segments.replace("tool_call\"}]", "write_file\"}]"),
    ] {
        assert!(matches!(case(&wrong), Verdict::Failed(_)), "{wrong}");
    }
}

#[test]
fn segments_are_compared_by_type_content_and_facts() {
    let case = |expect: &str| {
        format!(r#"{{"format": "toy", "chunks": ["a[ro", "ll]b"], "expect": {expect}}}"#)
    };
    let good = r#"{"segments": [{"type": "text", "content": "a"}, {"type": "tool_call", "metadata": {"tool_name": "roll"}}, {"type": "text", "content": "b"}], "invocations": [{"name": "roll", "arguments": {}}], "progress": [{"after_chunk": 1, "started": []}, {"after_chunk": 2, "started": ["tool_call"], "start_metadata": {"tool_name": "roll"}, "content_must_not_contain": "["}]}"#;
    assert_eq!(verdict(Fault::None, &case(good)), Verdict::Passed);
    for (from, to, word) in [
        ("\"content\": \"b\"", "\"content\": \"c\"", "content"),
        ("\"type\": \"tool_call\"", "\"type\": \"run_bash\"", "run_bash"),
        ("\"tool_name\": \"roll\"}}, {\"type\"", "\"tool_name\": \"x\"}}, {\"type\"", "tool_name"),
        ("\"name\": \"roll\", \"arguments\"", "\"name\": \"x\", \"arguments\"", "invocation"),
        ("\"started\": []", "\"started\": [\"tool_call\"]", "after chunk 1"),
        (
            "\"content_must_not_contain\": \"[\"",
            "\"content_must_not_contain\": \"a\"",
            "after chunk 2",
        ),
        ("{\"type\": \"text\", \"content\": \"a\"}, ", "", "segments"),
    ] {
        assert!(good.contains(from), "{from}");
        let found = failure(Fault::None, &case(&good.replacen(from, to, 1)));
        assert!(found.contains(word), "{from}: {found}");
    }
}

#[test]
fn agent_events_are_compared_as_accumulated() {
    let case = |expect: &str| {
        format!(
            r#"{{"format": "toy", "chunks": ["a[ro", "ll]b"], "kind": "agent-events", "expect": {expect}}}"#
        )
    };
    let good = r#"{"text": "ab", "finish_reason": "tool_calls", "invocations": [{"name": "roll", "arguments": {}}], "events": [{"toolName": "roll", "accumulated": "{}", "deltas": ["{}", ""], "completed": true}]}"#;
    assert_eq!(verdict(Fault::None, &case(good)), Verdict::Passed);
    for (from, to) in [
        ("\"text\": \"ab\"", "\"text\": \"a\""),
        ("tool_calls", "stop"),
        ("\"name\": \"roll\"", "\"name\": \"x\""),
        ("\"toolName\": \"roll\"", "\"toolName\": \"x\""),
        ("\"accumulated\": \"{}\"", "\"accumulated\": \"\""),
        ("[\"{}\", \"\"]", "[\"{\", \"}\"]"),
        ("\"completed\": true", "\"completed\": false"),
        ("\"events\": [", "\"events\": [{}, "),
    ] {
        assert!(good.contains(from), "{from}");
        let found = verdict(Fault::None, &case(&good.replacen(from, to, 1)));
        assert!(matches!(found, Verdict::Failed(_)), "{from}: {found:?}");
    }
}

#[test]
fn splits_that_disagree_and_broken_laws_fail() {
    let good = one_line(GOOD);
    assert!(failure(Fault::MissesCutMarker, &good).contains("C3"));
    assert!(failure(Fault::LosesMarkup, &good).contains("C1"));
    let bang = r#"{"format": "toy", "text": "!", "expect": {}}"#;
    assert!(failure(Fault::Panics, bang).contains("C7"));
}

#[test]
fn what_cannot_be_run_says_why() {
    for (line, word) in [
        (r#"{"kind": "odd"}"#, "kind odd is not built yet"),
        (r#"{"kind": "string-field", "format": "x", "text": ""}"#, "no stream_fields"),
        (r#"{"kind": "coerce"}"#, "no value"),
        (r#"{"value": 1, "options": {"allow": "all"}}"#, "allow"),
        (r#"{"format": "nowhere", "text": "x"}"#, "nowhere"),
        (r#"{"format": "toy", "text": "x", "options": {"end": "sometime"}}"#, "sometime"),
        (r#"{"mode": "wild", "input": "{"}"#, "wild"),
        (r#"{"mode": "relaxed", "input": "{", "options": {"colour": true}}"#, "colour"),
    ] {
        let found = verdict(Fault::None, line);
        let says = |why: &str| why.contains(word);
        assert!(matches!(&found, Verdict::Unsupported(why) if says(why)), "{line}: {found:?}");
    }
}

#[test]
fn coerce_cases_are_run() {
    for line in [
        r#"{"value": "8", "schema": {"type": "integer"}, "expect": 8}"#,
        r#"{"value": "x", "schema": null, "expect": "x"}"#,
        r#"{"value": "6.5", "schema": {"type": "integer"}, "expect_error": "Number"}"#,
        r#"{"value": "on", "schema": {"type": "boolean"}, "options": {"allow": "guess"}, "expect": true}"#,
    ] {
        assert_eq!(verdict(Fault::None, line), Verdict::Passed, "{line}");
    }
    for line in [
        r#"{"value": "8", "schema": {"type": "integer"}, "expect": "8"}"#,
        r#"{"value": "8", "schema": {"type": "integer"}, "expect_error": true}"#,
        r#"{"value": "6.5", "schema": {"type": "integer"}, "expect_error": "Range"}"#,
        r#"{"value": "6.5", "schema": {"type": "integer"}, "expect": 6}"#,
    ] {
        assert!(matches!(verdict(Fault::None, line), Verdict::Failed(_)), "{line}");
    }
}

#[test]
fn rjson_cases_are_run() {
    for line in [
        r#"{"mode": "strict", "input": "[1, 2]", "expect": [1, 2.0]}"#,
        r#"{"mode": "relaxed", "input": "{'a': 1,}", "expect": {"a": 1}}"#,
        r#"{"mode": "strict", "input": "{'a': 1}", "expect_error": true}"#,
        r#"{"mode": "repair", "input": "see [1, 2", "expect": [1, 2]}"#,
        r#"{"mode": "repair", "input": "nothing", "expect_error": true}"#,
        r#"{"mode": "partial", "input": "[1, 2", "expect": [1]}"#,
        r#"{"mode": "partial", "input": "tru", "expect_error": true}"#,
        r#"{"mode": "relaxed", "options": {"duplicate": false}, "input": "{a:1,a:2}", "expect_error": true}"#,
        r#"{"kind": "rxml-transform", "mode": "relaxed", "input": "[1,]", "expect": "[1]"}"#,
        r#"{"kind": "api", "input": null, "expect": "null"}"#,
    ] {
        assert_eq!(verdict(Fault::None, line), Verdict::Passed, "{line}");
    }
    for line in [
        r#"{"mode": "strict", "input": "[1]", "expect": [2]}"#,
        r#"{"mode": "strict", "input": "[1", "expect": [1]}"#,
        r#"{"mode": "strict", "input": "[1]", "expect_error": true}"#,
        r#"{"mode": "partial", "input": "[1, 2", "expect": [1, 2]}"#,
        r#"{"kind": "rxml-transform", "mode": "relaxed", "input": "[1,]", "expect": "[1,]"}"#,
        r#"{"kind": "api", "input": 1, "expect": "2"}"#,
    ] {
        assert!(matches!(verdict(Fault::None, line), Verdict::Failed(_)), "{line}");
    }
}

#[test]
fn a_note_may_ask_for_trimmed_comparison() {
    let line = |note: &str| {
        format!(
            r#"{{"format": "toy", "text": " a ", "expect": {{"text": "a"}}, "note": "{note}"}}"#
        )
    };
    assert!(failure(Fault::None, &line("none")).contains("text"));
    let trimmed = line("upstream compares text and reasoning after trimming both ends");
    assert_eq!(verdict(Fault::None, &trimmed), Verdict::Passed);
}

#[test]
fn excuses_and_informative_cases_are_counted_apart() {
    let mut runner = runner(Fault::None);
    runner.excuses =
        Excuses::parse("bad | policy | differs\ngood | deferred | later\ngone | policy | x")
            .unwrap();
    let lines = r#"{"id": "bad", "format": "toy", "text": "x", "expect": {"text": "y"}}
        {"id": "good", "format": "toy", "text": "x", "expect": {"text": "x"}}

        {"id": "info", "format": "toy", "text": "x", "expect": {"text": "y"}, "informative": true}
        {"id": "other", "format": "nowhere", "text": "x"}
        {"id": "plain", "format": "toy", "text": "x", "expect": {"text": "x"}}
        not a case"#;
    let folder = std::env::temp_dir().join(format!("toolweir-testkit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("cases.jsonl"), lines).unwrap();
    let summary = runner.run(&[&folder]);
    std::fs::remove_dir_all(&folder).unwrap();
    let summary = summary.unwrap();
    let line = "checked 7 cases in 1 files: 1 passed, 3 failed, 1 excused, 1 unsupported, \
                1 informative";
    assert_eq!(summary.to_string(), line);
    let failed: Vec<_> = summary.failures().map(|(result, _)| result.id.as_str()).collect();
    assert_eq!(failed, ["good", "line 7", "gone"]);
}

#[test]
fn the_summary_line_leaves_out_what_is_zero() {
    let results = runner(Fault::None).run_text(Path::new("toys.jsonl"), &one_line(GOOD));
    let summary = Summary { files: 1, results };
    assert_eq!(summary.to_string(), "checked 1 cases in 1 files: 1 passed, 0 failed");
}

#[test]
fn missing_files_are_errors_that_name_the_path() {
    let error = runner(Fault::None).run(&["no-such-file.jsonl"]).unwrap_err();
    assert!(error.to_string().contains("no-such-file.jsonl"));
}
