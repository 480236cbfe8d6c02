//! Which keys a case may have: one that no kind knows, or that its own kind does not read, is an error,
//! so that a misspelt case never counts as passed. `docs/vector-files.md` describes them.

use toolweir_protocols::Request;
use toolweir_rjson::{Object, Value};

/// Keys of every kind: what a case is, and what is for people and reports.
const EVERY: &[&str] = &[
    "id",
    "kind",
    "options",
    "expect",
    "informative",
    "partial_expectation",
    "asserted",
    "observed_text",
    "upstream_mode",
    "upstream_policy",
    "also",
    "api",
    "error_line",
    "source",
    "note",
];
/// Of cases that decode a stream.
const STREAM: &[&str] = &["format", "tools", "text", "chunks"];
/// Of cases of the foundation crates that read a text.
const INPUT: &[&str] = &["input", "mode", "schema", "expect_error"];
/// Of cases that make a value fit.
const VALUE: &[&str] = &["value", "schema", "expect_error"];

/// Keys of `expect` that every decoded case is compared by.
const TURN: &[&str] = &["text", "reasoning", "calls", "error"];
const SEGMENTS: &[&str] = &["segments", "invocations", "progress"];
/// The last two record what a source does, for reports.
const AGENT: &[&str] =
    &["events", "invocations", "finish_reason", "upstream_streams_no_tool_events", "update_count"];
const FIELDS: &[&str] = &["deltas_per_chunk", "completed_per_chunk"];

/// Keys of the entries of a list in `expect`.
const ENTRIES: &[(&str, &[&str])] = &[
    ("calls", &["name", "arguments"]),
    ("invocations", &["name", "arguments"]),
    ("segments", &["type", "content", "metadata", "incomplete"]),
    ("events", &["type", "toolName", "toolCallId", "accumulated", "deltas", "completed"]),
    (
        "progress",
        &[
            "after_chunk",
            "started",
            "start_metadata",
            "content_at_least",
            "content_must_not_contain",
        ],
    ),
];

/// What a kind of case reads.
struct Kind {
    keys: &'static [&'static str],
    /// Keys of `expect`; none: `expect` is a value of any sort.
    expect: &'static [&'static [&'static str]],
}

fn kind_of(name: &str) -> Option<Kind> {
    let (keys, expect): (_, &'static [&'static [&'static str]]) = match name {
        "protocol" => (STREAM, &[TURN]),
        "segments" => (STREAM, &[TURN, SEGMENTS]),
        "agent-events" => (STREAM, &[TURN, AGENT]),
        "string-field" => (STREAM, &[FIELDS]),
        "coerce" => (VALUE, &[]),
        "rjson" | "api" | "rxml" | "rxml-parse-tree" | "rxml-stringify" | "rxml-transform" => {
            (INPUT, &[])
        }
        _ => return None,
    };
    Some(Kind { keys, expect })
}

/// `Err` says which key is wrong, and what to write. A kind that is not known says so elsewhere.
pub(super) fn check(kind: &str, case: &Object) -> Result<(), String> {
    let Some(Kind { keys, expect }) = kind_of(kind) else { return Ok(()) };
    for (key, _) in case {
        if !EVERY.contains(&key) && !keys.contains(&key) {
            return Err(wrong(key, kind, &[EVERY, keys], "a case"));
        }
    }
    let stream = keys.contains(&"format");
    if stream && case.get("format").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err(format!("a case of kind {kind} names no `format`"));
    }
    if stream && case.get("text").is_none() && case.get("chunks").is_none() {
        return Err(format!("a case of kind {kind} has neither `text` nor `chunks`"));
    }
    if stream && kind != "string-field" {
        let options =
            case.get("options").and_then(Value::as_object).into_iter().flat_map(Object::keys);
        let known: Vec<&str> = Request::keys().chain(["end"]).collect();
        if let Some(odd) = options.into_iter().find(|option| !known.contains(option)) {
            return Err(wrong(odd, kind, &[&known], "`options`"));
        }
    }
    match case.get("expect") {
        Some(found) if !expect.is_empty() => check_expect(kind, found, expect),
        _ => Ok(()),
    }
}

fn check_expect(kind: &str, found: &Value, known: &[&[&str]]) -> Result<(), String> {
    let Some(found) = found.as_object() else {
        return Err(format!("`expect` of a case of kind {kind} is an object"));
    };
    for (key, value) in found {
        if !known.iter().any(|known| known.contains(&key)) {
            return Err(wrong(key, kind, known, "`expect`"));
        }
        let entries = ENTRIES.iter().find(|(list, _)| *list == key).map(|(_, keys)| *keys);
        let Some(entries) = entries else { continue };
        let Some(list) = value.as_array() else {
            return Err(format!("`expect.{key}` is a list"));
        };
        for entry in list {
            let members = entry.as_object().into_iter().flat_map(Object::keys);
            if let Some(odd) = members.into_iter().find(|member| !entries.contains(member)) {
                return Err(wrong(odd, kind, &[entries], &format!("`expect.{key}`")));
            }
        }
    }
    Ok(())
}

/// What is wrong with a key: where it belongs, else what is known there.
fn wrong(key: &str, kind: &str, known: &[&[&str]], place: &str) -> String {
    let expected = [TURN, SEGMENTS, AGENT, FIELDS].iter().any(|keys| keys.contains(&key));
    let belongs = if place == "`options`" {
        ""
    } else if expected && place == "`expect`" {
        "; it is of a case of another kind"
    } else if [STREAM, INPUT, VALUE].iter().any(|keys| keys.contains(&key)) {
        "; it belongs to a case of another kind"
    } else if expected {
        "; it belongs into `expect`"
    } else {
        ""
    };
    let near = near(key, known).map(|near| format!("; did you mean `{near}`?"));
    let known = || {
        let all: Vec<&str> = known.iter().flat_map(|keys| keys.iter().copied()).collect();
        format!("; known are {}", all.join(", "))
    };
    let rest = match (belongs, near) {
        ("", Some(near)) => near,
        ("", None) => known(),
        (belongs, _) => belongs.to_owned(),
    };
    format!("{place} of kind {kind} has no key `{key}`{rest}")
}

/// The known key that differs in at most two letters.
fn near<'k>(key: &str, known: &[&[&'k str]]) -> Option<&'k str> {
    let all = known.iter().flat_map(|keys| keys.iter().copied());
    all.map(|other| (distance(key, other), other)).filter(|(far, _)| *far <= 2).min().map(|n| n.1)
}

/// Letters to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (line, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(row.first_mut().unwrap_or(&mut 0), line + 1);
        let mut left = line + 1;
        for (y, cell) in b.chars().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            *cell = (corner + usize::from(x != y)).min(above + 1).min(left + 1);
            (corner, left) = (above, *cell);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use toolweir_rjson::{Mode, parse};

    use super::*;

    fn said(kind: &str, line: &str) -> String {
        let value = parse(line, Mode::Strict).unwrap().value;
        check(kind, value.as_object().unwrap()).err().unwrap_or_default()
    }

    #[test]
    fn keys_that_nobody_reads_are_errors_that_name_the_place() {
        let case = |rest: &str| format!(r#"{{"format": "toy", "text": "a", {rest}}}"#);
        for (kind, line, message) in [
            ("protocol", case(r#""expct": {}"#), "did you mean `expect`?"),
            ("protocol", case(r#""input": "a""#), "it belongs to a case of another kind"),
            ("protocol", case(r#""calls": []"#), "it belongs into `expect`"),
            ("protocol", case(r#""wholly": 1"#), "known are id, kind, options"),
            ("protocol", case(r#""expect": {"reasonin": "x"}"#), "did you mean `reasoning`?"),
            ("protocol", case(r#""expect": {"segments": []}"#), "of a case of another kind"),
            ("protocol", case(r#""expect": {"calls": [{"nme": "f"}]}"#), "did you mean `name`?"),
            ("protocol", case(r#""expect": {"calls": {}}"#), "`expect.calls` is a list"),
            ("protocol", case(r#""expect": "a""#), "is an object"),
            ("protocol", case(r#""options": {"malfrmed": "drop"}"#), "did you mean `malformed`?"),
            ("protocol", r#"{"text": "a"}"#.into(), "names no `format`"),
            ("segments", r#"{"format": "toy"}"#.into(), "neither `text` nor `chunks`"),
            ("rjson", r#"{"text": "a"}"#.into(), "it belongs to a case of another kind"),
            ("coerce", r#"{"value": 1, "mode": "strict"}"#.into(), "of another kind"),
        ] {
            let said = said(kind, &line);
            assert!(said.contains(message), "{line}: {said}");
        }
    }

    #[test]
    fn what_is_read_is_known() {
        for (kind, line) in [
            ("protocol", r#"{"format": "a", "text": "", "expect": {"error": true, "calls": []}}"#),
            (
                "segments",
                r#"{"format": "a", "chunks": [], "expect": {"segments": [{"type": "x"}]}}"#,
            ),
            ("rjson", r#"{"input": "1", "mode": "strict", "expect": {"anything": 1}}"#),
            ("coerce", r#"{"value": 1, "schema": {}, "expect_error": "Type"}"#),
            ("some-other-kind", r#"{"whatever": 1}"#),
        ] {
            assert_eq!(said(kind, line), "", "{line}");
        }
    }

    #[test]
    fn distances_count_letters() {
        for (a, b, far) in [("", "ab", 2), ("text", "text", 0), ("txet", "text", 2), ("a", "b", 1)]
        {
            assert_eq!(distance(a, b), far, "{a} {b}");
        }
    }
}
