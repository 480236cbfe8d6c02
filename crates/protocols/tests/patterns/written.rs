//! Formats as somebody writes them down: what they write they read back, whole and character by character.

use toolweir_protocols::{
    CallPattern, Chunk, FormatError, FormatSpec, Protocol as _, ProtocolExt as _, Request,
    SpecError, SpecProtocol, Tool, ToolCall, ToolSet,
};
use toolweir_segments::{Fold, StreamEnd, Turn};
use toolweir_testkit::{CheckOptions, Splits, check};

fn format(call: &str, wrap: &str, between: &str) -> SpecProtocol {
    let spec = FormatSpec {
        name: "own".into(),
        call: vec![CallPattern::from(call)],
        wrap: (!wrap.is_empty()).then(|| wrap.to_owned()).into_iter().collect(),
        between: between.to_owned(),
        ..FormatSpec::default()
    };
    SpecProtocol::new(&spec).unwrap()
}

/// Tools of all three names.
fn request() -> Request {
    let parameters = r#"{"properties": {"note": {"type": "string"},
        "sides": {"type": "array", "items": {"type": "integer"}},
        "list": {"type": "array", "items": {"type": "string"}}}}"#;
    let tools = ["dice", "loom", "weave"].map(|name| Tool::new(name).parameters(parameters));
    Request::new(ToolSet::new(tools).unwrap())
}

fn by_character(protocol: &SpecProtocol, text: &str) -> Turn {
    let mut decoder = protocol.decoder(&request()).unwrap();
    let mut fold = Fold::new();
    for c in text.chars() {
        decoder.push(Chunk::text(c.encode_utf8(&mut [0; 4])), &mut fold);
    }
    decoder.finish(StreamEnd::Stop, &mut fold);
    fold.into_turn()
}

/// The calls as they are read, none of them repaired, and the text beside them.
fn read(protocol: &SpecProtocol, text: &str) -> (Vec<(String, String)>, String) {
    let whole = protocol.parse(text, &request()).unwrap();
    let listed = toolweir_segments::list_turn(&whole);
    assert_eq!(toolweir_segments::list_turn(&by_character(protocol, text)), listed, "{text}");
    assert!(whole.every_call().all(|call| !call.repaired), "{listed}");
    let calls =
        whole.every_call().map(|call| (call.name.to_owned(), call.arguments.to_owned())).collect();
    (calls, whole.text())
}

#[test]
fn what_is_written_is_read_back() {
    let calls = [
        ("dice", r#"{"note": "", "sides": [6, 8]}"#),
        ("loom", r#"{"note": "red\n"}"#),
        ("weave", r#"{"note": "warp", "list": ["", "x"]}"#),
    ];
    let written: Vec<ToolCall> =
        calls.iter().map(|(name, arguments)| ToolCall::new(*name, *arguments)).collect();
    let patterns = [
        // More than a parenthesis closes the call.
        "<do={name}>({args:python})</do>",
        "@begin {name}: ({args:python}) @end",
        // Nothing closes it.
        "<|tool|>{name}|({args:python})",
        "<|tool|>{name}<sep>{args}",
        "<|tool|>{name}|{args:<p={key}>{value}</p>}",
        r"<|tool|>{name}\n{args:<p={key}>{value}</p>\n}",
        // The key is the tag.
        "<do={name}>{args:<{key}>{value}</{key}>}</do>",
    ];
    for pattern in patterns {
        for wrap in ["", "<all>{*}</all>", "[ALL]{*}[/ALL]"] {
            for between in ["\n", "", ", ", "; "] {
                let protocol = format(pattern, wrap, between);
                let text = protocol.format_tool_calls(&written).unwrap();
                let (found, rest) = read(&protocol, &text);
                let place = format!("{pattern} in {wrap:?}, {between:?}: {text}");
                assert_eq!(rest, "", "{place}");
                assert_eq!(found.len(), calls.len(), "{place}");
                for ((name, arguments), (wanted, value)) in found.iter().zip(calls) {
                    let value: toolweir_rjson::Value = value.parse().unwrap();
                    assert_eq!(name, wanted, "{place}");
                    assert_eq!(arguments.parse(), Ok(value), "{place}");
                }
            }
        }
    }
}

#[test]
fn text_ends_a_call_that_nothing_closes() {
    let protocol = format("<|tool|>{name}|{args:<p={key}>{value}</p>}", "", "\n");
    let (calls, text) = read(&protocol, "Go. <|tool|>dice|<p=a>6</p>\nThen <p=b>8</p>");
    assert_eq!(calls, [("dice".to_owned(), r#"{"a":"6"}"#.to_owned())]);
    assert_eq!(text, "Go. Then <p=b>8</p>");
    let cut = protocol.parse("<|tool|>dice|<p=a>6</p", &request()).unwrap();
    assert_eq!(cut.every_call().count(), 0);
}

#[test]
fn what_follows_a_header_in_mid_line_does_not_make_it_one_that_wraps() {
    let spec = FormatSpec {
        name: "own".into(),
        call: vec![CallPattern::from(
            r#"{any:{{||<|x|>}\n{call:{"name": name, "arguments": args}}<end>"#,
        )],
        reasoning: "glm45".into(),
        ..FormatSpec::default()
    };
    let protocol = SpecProtocol::new(&spec).unwrap();
    let text = "<think>a{\n{";
    let whole = protocol.parse(text, &request()).unwrap();
    assert_eq!(whole.reasoning(), "a{\n{");
    let listed = toolweir_segments::list_turn(&whole);
    assert_eq!(toolweir_segments::list_turn(&by_character(&protocol, text)), listed);
}

#[test]
fn a_call_that_only_its_arguments_show_is_not_written_without_any() {
    let protocol = format(r"<|tool|>{name}\n{args:<p={key}>{value}</p>\n}", "", "\n");
    let refused = protocol.format_tool_call(&ToolCall::new("dice", "{}")).unwrap_err();
    assert!(matches!(&refused, FormatError::NoArguments { tool, .. } if tool == "dice"));
    assert_eq!(refused.to_string(), "format `own` cannot carry a call of `dice` without arguments");
}

fn own(call: &str) -> Result<SpecProtocol, SpecError> {
    let call = vec![CallPattern::from(call)];
    SpecProtocol::new(&FormatSpec { name: "own".into(), call, ..FormatSpec::default() })
}

#[test]
fn a_format_that_reads_its_plainest_call_otherwise_is_refused() {
    let refused = own("{call} .").unwrap_err();
    let SpecError::ReadsOtherwise { written, read, .. } = &refused else { panic!("{refused}") };
    assert!(written.ends_with("}} ."), "{written}");
    assert_eq!(read.trim(), r#"dice {"note":"a b","sides":6}  ."#);
    assert!(refused.to_string().starts_with("format `own`: what it writes it reads otherwise: `{"));
}

#[test]
fn a_call_that_would_not_be_read_back_is_not_written() {
    for (pattern, name, carried) in [
        ("<c>{name}.{args:<p={key}>{value}</p>}</c>", "a.b", "a"),
        ("<c>{name}:{args:<p={key}>{value}</p>}</c>", "a:", "a"),
        ("<c>{name}:{arg:x}</c>", "a:b", "a"),
    ] {
        let protocol = own(pattern).unwrap();
        let written = |name: &str| protocol.format_tool_call(&ToolCall::new(name, r#"{"x": "y"}"#));
        let refused = written(name).unwrap_err();
        assert!(
            matches!(&refused, FormatError::ReadsOtherwise { tool, .. } if tool == name),
            "{pattern}: {refused}"
        );
        assert!(written(carried).is_ok(), "{pattern}");
        let both = [ToolCall::new(carried, r#"{"x": "y"}"#), ToolCall::new(name, r#"{"x": "y"}"#)];
        assert_eq!(protocol.format_tool_calls(&both), Err(refused), "{pattern}");
    }
}

#[test]
fn a_format_of_one_call_refuses_several() {
    let protocol = own("{at:message}{call}").unwrap();
    let call = ToolCall::new("dice", "{}");
    assert!(protocol.format_tool_call(&call).is_ok());
    assert_eq!(
        protocol.format_tool_calls(&[call.clone(), call]),
        Err(FormatError::Several { format: "own".into(), calls: 2 })
    );
}

#[test]
fn every_row_passes_the_check_of_a_format_of_ones_own() {
    let registry = toolweir_protocols::Registry::builtin();
    for row in toolweir_protocols::formats::specs() {
        let mut own = toolweir_protocols::Registry::builtin();
        own.replace_spec(&row).unwrap();
        let (own, built_in) = (own.get(&row.name).unwrap(), registry.get(&row.name).unwrap());
        let calls = ["{}", r#"{"note": "a <b>\n", "sides": [6, null]}"#];
        let calls = calls.map(|args| ToolCall::new("dice", args));
        for calls in [&calls[..], &calls[..1], &calls[1..]] {
            let (own, built_in) = (own.format_tool_calls(calls), built_in.format_tool_calls(calls));
            let several = matches!(own, Err(FormatError::Several { .. }));
            assert!(several || own == built_in, "{}: {own:?} {built_in:?}", row.name);
        }
    }
}

#[test]
fn text_between_two_calls_is_markup_there_and_nowhere_else() {
    let options = CheckOptions::with_splits(Splits::few(40));
    let all = "<t>{*}</t>";
    for (pattern, wrap, text, calls, visible) in [
        ("<do>{name} {args}</do>", "", "<do>a {}</do> and <do>b {}</do> and so on", 2, "and so on"),
        (
            "<do>{name} {args}</do>",
            "",
            "Salt and <do>a {}</do>and<do>b {}</do> an",
            2,
            "Salt and  an",
        ),
        ("<do>{name} {args}</do>", "", "<do>a {}</do> and <do>b", 1, "and <do>b"),
        ("<do>{name} {args}</do>", all, "<t><do>a {}</do> and <do>b {}</do></t>I", 2, "I"),
        ("<do>{name} {args}</do>", all, "<t><do>a {}</do> and so", 1, "and so"),
        ("{name} {args}", all, "<t>a {} and b {}</t>I", 2, "I"),
        ("{name} {args}", all, "<t>a {}\nand\nb {}an", 2, "an"),
        ("{call}", all, r#"<t>{"name": "a"} and {"name": "b"}</t>I"#, 2, "I"),
    ] {
        let protocol = format(pattern, wrap, " and ");
        let request = Request::default();
        let turn = check(&protocol, &request, text, StreamEnd::Stop, &options);
        let turn = turn.unwrap_or_else(|report| panic!("{pattern} {text}: {report}"));
        assert_eq!(turn.calls().count(), calls, "{pattern} {text}");
        assert_eq!(turn.text().trim(), visible, "{pattern} {text}");
        let both = ["a", "b"].map(|name| ToolCall::new(name, "{}"));
        let written = protocol.format_tool_calls(&both).unwrap();
        assert!(written.contains(" and "), "{written}");
    }
}
