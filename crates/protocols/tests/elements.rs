//! What the formats write whose calls are tags of tools, and that it reads back (C11).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{
    FormatError, Protocol, ProtocolExt, Registry, Request, Tool, ToolCall, ToolResponse, ToolSet,
};
use toolweir_rjson::{Mode, Value, parse};

#[cfg(feature = "yaml")]
const FORMATS: &[&str] = &["morph-xml", "yaml-xml"];
#[cfg(not(feature = "yaml"))]
const FORMATS: &[&str] = &["morph-xml"];

fn json(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

fn with(name: &str, test: impl Fn(&dyn Protocol)) {
    test(&**Registry::builtin().get(name).unwrap());
}

fn tool() -> Tool {
    Tool::new("note").parameters(json(
        r#"{"type": "object", "properties": {
            "text": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
            "meta": {"type": "object"}, "n": {"type": ["integer", "null"]}}}"#,
    ))
}

#[test]
fn a_call_without_arguments_still_renders_its_tag() {
    for format in FORMATS {
        with(format, |protocol| {
            let text = protocol.format_tool_call(&ToolCall::new("note", "")).unwrap();
            let request = Request::new(ToolSet::new([tool()]).unwrap());
            let turn = protocol.parse(&text, &request).unwrap();
            let call = turn.calls().next().unwrap();
            assert_eq!((call.name, call.arguments), ("note", "{}"), "{text}");
            assert_eq!(turn.text(), "");
        });
    }
}

#[test]
fn awkward_values_read_back() {
    let strings = [
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "a\nb\n",
        " a ",
        "<",
        "&",
        "&amp;",
        "]]>",
        "<![CDATA[x]]>",
        "</note>",
        "<note>",
        "</text>",
        "<text>",
        "</ text >",
        "null",
        "~",
        "true",
        "0123",
        "- a",
        "a: b",
        "# c",
        "*x",
        "&x",
        "| ",
        "\"",
        "'",
        "\\",
        "%",
        "@",
        "`",
        "{",
        "[1]",
        "---",
        "...",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "e\u{301}",
        "🌊",
        "note\n<text>x</text>",
    ];
    for format in FORMATS {
        with(format, |protocol| {
            let request = Request::new(ToolSet::new([tool()]).unwrap());
            for string in strings {
                let quoted = Value::from(string).to_string();
                let arguments = format!(
                    r#"{{"text":{quoted},"tags":[{quoted},{quoted}],"meta":{{"a":[{quoted},1.50,null],"b":{{}}}},"n":null}}"#
                );
                let written =
                    protocol.format_tool_call(&ToolCall::new("note", &*arguments)).unwrap();
                let turn = protocol.parse(&written, &request).unwrap();
                let call = turn.calls().next().expect(&written);
                assert_eq!(json(call.arguments), json(&arguments), "{format}: {written}");
                assert_eq!(turn.text(), "", "{written}");
            }
        });
    }
}

#[test]
fn a_response_has_the_name_and_the_result() {
    for format in FORMATS {
        with(format, |protocol| {
            let response = |content: &str| {
                protocol.format_tool_response(&ToolResponse::new("note", content)).unwrap()
            };
            assert_eq!(
                response("a < b"),
                "<tool_response>\n<tool_name>note</tool_name>\n<result>a &lt; b</result>\n</tool_response>"
            );
            assert_eq!(
                response(r#"{"ok": true}"#),
                "<tool_response>\n<tool_name>note</tool_name>\n<result>\n  <ok>true</ok>\n</result>\n\
                 </tool_response>"
            );
        });
    }
}

#[test]
fn what_no_tag_can_say_is_refused() {
    for format in FORMATS {
        with(format, |protocol| {
            let call = ToolCall::new("a b", "{}");
            assert!(matches!(protocol.format_tool_call(&call), Err(FormatError::Name { .. })));
        });
    }
    with("morph-xml", |protocol| {
        for key in ["a b", "@_x", "#text", "1a", ""] {
            let arguments = format!("{{{}:1}}", Value::from(key));
            let written = protocol.format_tool_call(&ToolCall::new("note", arguments));
            assert!(matches!(written, Err(FormatError::Value { .. })), "{key}");
        }
    });
}

#[test]
fn arguments_are_typed_by_the_original_schema_or_else_by_the_one_shown() {
    let integer = json(r#"{"properties": {"n": {"type": "integer"}}}"#);
    let string = json(r#"{"properties": {"n": {"type": "string"}}}"#);
    let broken = json(r##"{"$ref": "#/nowhere"}"##);
    let shown = Tool::new("t").parameters(string);
    let read = |tool: Tool| {
        let (tools, _) = ToolSet::lenient([tool]);
        let mut arguments = String::new();
        let registry = Registry::builtin();
        let turn = registry.get("xml").unwrap().parse("<t><n>7</n></t>", &Request::new(tools));
        arguments.push_str(turn.unwrap().calls().next().unwrap().arguments);
        arguments
    };
    assert_eq!(read(shown.clone()), r#"{"n":"7"}"#);
    assert_eq!(read(shown.clone().original_schema(integer)), r#"{"n":7}"#);
    assert_eq!(read(shown.original_schema(broken)), r#"{"n":"7"}"#);
}

#[test]
fn options_of_other_formats_are_refused() {
    let registry = Registry::builtin();
    for (format, key) in [("morph-xml", "start_marker"), ("hermes", "line_prefixed")] {
        let mut request = Request::default();
        request.set(key, "true").unwrap();
        assert!(registry.get(format).unwrap().decoder(&request).is_err(), "{format} {key}");
    }
}
