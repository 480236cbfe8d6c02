//! Specs that the renderer refuses, and calls in formats made for a test.

use super::{FormatError, Renderer, Tool, ToolCall, ToolResponse, row_of};
use crate::spec::{CallPattern, FormatSpec};

fn written(call: &str, arguments: &str) -> Result<String, FormatError> {
    Renderer::new(&row_of(&[], &[call])).unwrap().calls(&[ToolCall::new("f", arguments)])
}

#[test]
fn empty_patterns_show_no_tools_and_the_content_alone() {
    let (tools, response) = (String::new(), String::new());
    let silent = FormatSpec { tools, response, ..row_of(&[], &["<c>{call}</c>"]) };
    let renderer = Renderer::new(&silent).unwrap();
    assert_eq!(renderer.tools(&[Tool::new("f")]).unwrap(), "");
    assert_eq!(renderer.response(&ToolResponse::new("f", "x")).unwrap(), "x");
}

#[test]
fn patterns_of_options_are_not_written() {
    let mut spec = row_of(&[], &["<c>{call}</c>"]);
    spec.call.insert(0, CallPattern::switched("<d>{call}</d>", "d", true));
    let text = Renderer::new(&spec).unwrap().calls(&[ToolCall::new("f", "")]).unwrap();
    assert_eq!(text, r#"<c>{"name": "f", "arguments": {}}</c>"#);
    spec.call.truncate(1);
    let none = Renderer::new(&spec).unwrap().calls(&[ToolCall::new("f", "")]).unwrap_err();
    assert!(matches!(none, FormatError::NoCalls { .. }), "{none}");
}

#[test]
fn a_pattern_without_arguments_takes_calls_without_any() {
    assert_eq!(written("<{name}/>", "").unwrap(), "<f/>");
    let refused = written("<{name}/>", "{\"a\": 1}").unwrap_err();
    assert!(matches!(refused, FormatError::Argument { ref key, .. } if key == "a"), "{refused}");
}

#[test]
fn groups_are_written_where_their_holes_say_something() {
    let pattern = r"{opt:<a>}{name}{opt: #{id}}{opt: to {arg:to}}{opt:<b>{skip}}{opt: {arg:by}!}";
    assert_eq!(written(pattern, r#"{"by": "me"}"#).unwrap(), "<a>f me!");
    let mut call = ToolCall::new("f", r#"{"to": "x"}"#);
    call.native_id = Some("7".to_owned());
    let text = Renderer::new(&row_of(&[], &[pattern])).unwrap().calls(&[call]).unwrap();
    assert_eq!(text, "<a>f #7 to x");
    let without = written("{name} #{id} {args}", "{}").unwrap_err();
    assert!(matches!(without, FormatError::Id { .. }), "{without}");
}

#[test]
fn a_list_takes_the_calls_that_no_other_pattern_takes() {
    let calls = ["a", "b", "run", "c"].map(|name| ToolCall::new(name, ""));
    let spec = row_of(&["<w>{*}</w>"], &["{name=run}!", "{call:[{name: args}]}"]);
    let text = Renderer::new(&spec).unwrap().calls(&calls).unwrap();
    assert_eq!(text, "<w>[{\"a\": {}}, {\"b\": {}}]\n!\n[{\"c\": {}}]</w>");
}

#[test]
fn a_marker_that_the_value_only_begins_counts() {
    let fenced = "```{name}\u{20}{args:{key}=`{value}```\\n}";
    assert!(written(fenced, r#"{"a": "x y"}"#).is_ok());
    for value in ["x```", "x`", "``"] {
        let refused = written(fenced, &format!("{{\"a\": \"{value}\"}}")).unwrap_err();
        assert!(matches!(refused, FormatError::Value { .. }), "{refused}");
    }
}

#[test]
fn edges_of_values_are_exact_or_refused() {
    let lines = r"<c>{name}\n{args:{key}: {value}\n}</c>";
    assert_eq!(written(lines, r#"{"a": "x"}"#).unwrap(), "<c>f\na: x\n</c>");
    let framed = r"<c>{name}{args:<p k={key}>\n{value}\n</p>}</c>";
    assert_eq!(written(framed, r#"{"a": "\n"}"#).unwrap(), "<c>f<p k=a>\n\n\n</p></c>");
    for (pattern, value) in [(lines, r#"" x""#), (framed, r#""x\r""#)] {
        let refused = written(pattern, &format!("{{\"a\": {value}}}")).unwrap_err();
        assert!(matches!(refused, FormatError::Value { .. }), "{refused}");
    }
}

#[test]
fn a_response_may_stand_in_a_tag_with_attributes() {
    let written = |pattern: &str, name: &str, id: &str| {
        let mut spec = row_of(&[], &["<c>{call}</c>"]);
        spec.response = pattern.into();
        let mut told = ToolResponse::new(name, "6");
        told.native_id = Some(id.into());
        Renderer::new(&spec).unwrap().response(&told)
    };
    let tag = r#"<r kind="tool" of="{name}" id="{id}">{content}</r>"#;
    assert_eq!(written(tag, "f", "c1").unwrap(), r#"<r kind="tool" of="f" id="c1">6</r>"#);
    assert!(matches!(written(tag, "f\"", "c1"), Err(FormatError::Name { .. })));
    assert!(matches!(written(tag, "f", "c\"1"), Err(FormatError::Id { .. })));
    assert_eq!(written("{any:<r>||<s>}{content}</r>", "f", "c1").unwrap(), "<r>6</r>");
    // Only a call knows its number.
    assert!(matches!(written("<r>{index}: {content}</r>", "f", "c1"), Err(FormatError::Id { .. })));
}
