//! What the built-in rows cannot carry, and what they carry all the same.

use toolweir_rjson::Value;

use super::{FormatError, Renderer, ToolCall, row_of};
use crate::rows;
use crate::spec::FormatSpec;

/// The writer of a built-in row.
fn renderer(format: &str) -> Renderer {
    Renderer::new(&rows::spec(format).unwrap()).unwrap()
}

/// The writer of a row with these wrappers and that call.
fn writer_of(wraps: &[&str], call: &str) -> Renderer {
    Renderer::new(&row_of(wraps, &[call])).unwrap()
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new(name, arguments)
}

/// A call with one argument `text`.
fn with_text(renderer: &Renderer, text: &str) -> Result<String, FormatError> {
    renderer.calls(&[call("note", &format!("{{\"text\": {}}}", Value::from(text)))])
}

fn are_refused(renderer: &Renderer, texts: &[&str]) {
    for text in texts {
        let error = with_text(renderer, text).unwrap_err();
        assert!(matches!(error, FormatError::Value { ref key, .. } if key == "text"), "{error}");
    }
}

fn is_refused(format: &str, texts: &[&str]) {
    are_refused(&renderer(format), texts);
}

fn is_written(format: &str, text: &str) {
    with_text(&renderer(format), text).unwrap();
}

#[test]
fn names_and_arguments_that_a_format_cannot_carry_are_refused() {
    let refused = |format: &str, name: &str, arguments: &str| {
        renderer(format).calls(&[call(name, arguments)]).unwrap_err()
    };
    for FormatSpec { name: format, .. } in rows::specs() {
        assert!(matches!(refused(&format, "", "{}"), FormatError::Name { .. }), "{format}");
        for arguments in ["[1]", "{'a': 1}", "7"] {
            let tool = "note".to_owned();
            assert_eq!(refused(&format, "note", arguments), FormatError::NotAnObject { tool });
        }
    }
    for format in ["morph-xml", "yaml-xml", "qwen3-coder"] {
        assert!(matches!(refused(format, "a b", "{}"), FormatError::Name { .. }), "{format}");
    }
    for name in ["two words", "a[b", "a{b", "", "a\"b", "."] {
        let error = refused("mistral-v11", name, "{}");
        assert!(matches!(error, FormatError::Name { .. }), "{error}");
    }
}

#[test]
fn keys_that_cannot_stand_in_their_place_are_refused() {
    for (format, keys) in [
        ("morph-xml", &["a b", "@_x", "#text", "1a", ""][..]),
        ("pythonic", &["a b"]),
        ("glm-xml", &["", " a", "a\nb", "a<b", "\"a\"", "a</arg_key>"]),
        ("minimax-m2", &["", " a", "a\"b", "a>b", "a\nb", "a&quot;"]),
        ("cline-xml", &["", "a b", "/a", "a>b"]),
        ("seed-oss", &["", "a b", "a>b", "a/"]),
    ] {
        for key in keys {
            let arguments = format!("{{{}: 1}}", Value::from(*key));
            let error = renderer(format).calls(&[call("f", &arguments)]).unwrap_err();
            assert!(matches!(error, FormatError::Value { .. }), "{format} {key:?}: {error}");
        }
    }
    let spaced = renderer("glm-xml").calls(&[call("f", "{\"a b\": 1}")]).unwrap();
    assert!(spaced.contains("<arg_key>a b</arg_key>"), "{spaced}");
    let inner = renderer("minimax-m3").calls(&[call("f", r#"{"a": {"b c": 1}}"#)]).unwrap_err();
    assert!(matches!(inner, FormatError::Value { ref key, .. } if key == "b c"), "{inner}");
}

#[test]
fn a_value_that_would_end_early_is_refused() {
    is_refused(
        "qwen3-coder",
        &["a</parameter>b", "a <PARAMETER=x>", "<parameter=", "</function", "x </tool_call >"],
    );
    for text in ["a < parameters", "</param>", "</parameters>", "<tool_call>\n<function=x>"] {
        is_written("qwen3-coder", text);
    }
    // Where a call is begun again in it, what follows is the text of the second one.
    is_refused("gemma4", &["a<|\"|>b", "<|tool_call>call:f{a:", "a <|tool_call>call:f{a:1, "]);
    for text in ["<tool_call|>", "<|tool_call>call:f{a", "<|tool_calls>:"] {
        is_written("gemma4", text);
    }
    // Tags of another kind are data; the special token is not, wherever it stands.
    is_refused("minimax-m3", &["a ]<]minimax[>[ b", "]<]minimax[>[</text>", "<text>a"]);
    is_written("minimax-m3", "<b>x</b>\n<texts></texts>");
    is_refused(
        "glm-xml",
        &["a</arg_value>", "</ arg_value >", "<arg_key>a", "a\n<arg_key>", "x</tool_call>"],
    );
    // Within a line a parameter shows that a tag is missing; the tag of the value again, that it is double.
    is_refused("glm-xml", &["a <arg_key>b</arg_key>", "<arg_value>a"]);
    is_written("glm-xml", "a <arg_keys>b <arg_value>\n </arg_values>");
    is_refused(
        "minimax-m2",
        &["</parameter>", "a\n<parameter name=", "</invoke>", "</minimax:tool_call>"],
    );
    is_refused("minimax-m2", &["\n <parameter name=\"x\">"]);
    is_written("minimax-m2", "\n <params name=\"x\">\n<parameters>\n");
    is_refused("cline-xml", &[" a", "a\n", "</text>", "a\n<text>", "</note>"]);
    is_written("cline-xml", "<p>\n<textarea>\n<text x=\"1\">");
}

#[test]
fn a_tag_that_may_have_a_prefix_ends_a_value_in_both_spellings() {
    let prefixed = writer_of(
        &[r"<{also:ns:}calls>\n{*}\n</{also:ns:}calls>"],
        concat!(
            r#"<{also:ns:}invoke name="{name}">\n{args:<{also:ns:}parameter name="{key}">"#,
            r"{value}</{also:ns:}parameter>\n}</{also:ns:}invoke>"
        ),
    );
    are_refused(&prefixed, &["</parameter>", "</ns:parameter>", "</ns:invoke>", "</calls>"]);
    are_refused(&prefixed, &["</ns:calls>", "<parameter name=\"", "a\n<ns:parameter"]);
}

#[test]
fn another_pattern_carries_what_the_first_cannot() {
    let text = "</｜DSML｜parameter> <｜DSML｜ invoke";
    assert_eq!(
        with_text(&renderer("deepseek-v32"), text).unwrap(),
        format!(
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"note\">{{\"text\": \"{text}\"}}\
             </｜DSML｜invoke>\n</｜DSML｜function_calls>"
        )
    );
    for text in ["a <|close|> argument <|sep|>", "a <|close|>message<|sep|>", "<|sep|>"] {
        let json = with_text(&renderer("kimi-k3"), text).unwrap();
        assert!(json.contains("<|open|>json type=\"object\"<|sep|>{\"text\":"), "{json}");
    }
}

#[test]
fn ids_that_say_another_name_or_none_are_not_written() {
    let turn = |id: Option<&str>| {
        let mut first = call("loom_set", "{}");
        first.native_id = id.map(str::to_owned);
        renderer("kimi-k2").calls(&[first, call("dice", "{}")]).unwrap()
    };
    let made = turn(None);
    for id in ["call_abc", "functions.dice:0", "functions.loom_set:", "functions.loom_set"] {
        assert_eq!(turn(Some(id)), made, "{id}");
    }
    for id in ["functions.loom_set:7", "loom_set:7", "functions.mill.loom_set:12"] {
        assert_eq!(turn(Some(id)), made.replace("functions.loom_set:0", id));
    }
    assert_eq!(renderer("kimi-k2").calls(&[]).unwrap(), "");
}

#[test]
fn line_breaks_that_a_reader_takes_are_brought_along() {
    let value = |text: &str| {
        let written = with_text(&renderer("seed-oss"), text).unwrap();
        let (_, value) = written.split_once("<parameter=text>").unwrap();
        value.split_once("</parameter>").unwrap().0.to_owned()
    };
    assert_eq!(value("a\nb"), "a\nb");
    assert_eq!(value("a\n"), "a\n\n");
    assert_eq!(value("\r\na\r"), "\n\r\na\r");
    assert_eq!(value("\n"), "\n\n\n");
}

#[test]
fn a_name_that_begins_another_pattern_takes_it() {
    let functionary = renderer("functionary-v32");
    let python = |arguments| functionary.calls(&[call("python", arguments)]);
    assert_eq!(python(r#"{"code": "print(1)\n"}"#).unwrap(), ">>>python\nprint(1)\n");
    assert!(matches!(python(r#"{"x": "1"}"#), Err(FormatError::Name { .. })));
    assert!(python(r#"{"code": ">>>all\n"}"#).is_err());
    let all = functionary.calls(&[call("all", "{}")]).unwrap_err();
    assert!(matches!(all, FormatError::Name { .. }), "{all}");
    assert_eq!(functionary.calls(&[call("python3", "{}")]).unwrap(), ">>>python3\n{}");
}

#[test]
fn arguments_as_text() {
    let edits = writer_of(
        &[],
        concat!(
            r"{name=search_replace}{at:line}{arg:path}\n<<<<<<< SEARCH\n{arg:search}",
            r"{at:line}=======\n{arg:replace}{at:line}>>>>>>> REPLACE{also:\n```}"
        ),
    );
    let edit = |arguments: &str| edits.calls(&[call("search_replace", arguments)]);
    assert_eq!(
        edit(r#"{"search": "a\n", "path": "p", "replace": ""}"#).unwrap(),
        "p\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE"
    );
    let search = r#"{"search": "a\n=======\n", "path": "p", "replace": ""}"#;
    assert!(matches!(edit(search), Err(FormatError::Value { .. })));
    let cut = r#"{"search": "a", "path": "p", "replace": ""}"#;
    assert!(matches!(edit(cut), Err(FormatError::Value { .. })));
    let more = r#"{"search": "", "path": "p", "replace": "", "x": 1}"#;
    assert!(matches!(edit(more), Err(FormatError::Argument { ref key, .. }) if key == "x"));
    assert!(matches!(edit("{}"), Err(FormatError::Missing { ref key, .. }) if key == "path"));
    let number = r#"{"search": "", "path": 1, "replace": ""}"#;
    assert!(matches!(edit(number), Err(FormatError::Value { .. })));
    let other = edits.calls(&[call("other", "{}")]).unwrap_err();
    assert!(matches!(other, FormatError::Name { .. }), "{other}");
}
