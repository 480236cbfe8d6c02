//! `toolweir parse`: what is printed for which input.

use toolweir_testkit::wires::{Wire, WireEnd, frames};

use crate::{Record, all, file, run, run_with};

const ANSWER: &str = "<think>\nTwo dice.\n</think>\n\nRolling – now.\n<tool_call>\n{\"name\": \"dice\", \
                      \"arguments\": {\"sides\": 20, \"times\": 2.50}}\n</tool_call>\n<tool_call>\n\
                      {'name': 'dice', 'arguments': {'sides': 6, 'loud': True,}}\n</tool_call>";

#[test]
fn a_turn_has_text_reasoning_and_calls_by_value() {
    let parse = run(&["parse", "--format", "hermes", "--as", "turn"], ANSWER);
    assert_eq!((parse.code, parse.stderr.as_str()), (0, ""));
    let records = parse.records();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].get("reasoning"), "Two dice.");
    assert!(records[0].get("text").starts_with("Rolling – now."));
    let Some(toolweir::rjson::Value::Array(calls)) = records[0].0.get("calls") else {
        panic!("no calls: {}", parse.stdout)
    };
    let calls: Vec<_> = calls.iter().map(|call| Record(call.clone())).collect();
    let seen: Vec<_> =
        calls.iter().map(|c| (c.get("name"), c.get("arguments"), c.get("repaired"))).collect();
    let dice =
        |arguments: &str, repaired: &str| (String::from("dice"), arguments.into(), repaired.into());
    assert_eq!(
        seen,
        [
            dice("{\"sides\":20,\"times\":2.50}", "false"),
            dice("{\"sides\":6,\"loud\":true}", "true")
        ]
    );
}

#[test]
fn a_turn_tells_calls_that_run_from_those_that_do_not() {
    let tools = file("refused", "tools.json", r#"[{"name": "dice"}]"#);
    let text = "<tool_call>{\"name\": \"dice\"}</tool_call><tool_call>{\"name\": \"spin\"}</tool_call>\
                <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 2";
    let words = ["parse", "--format", "hermes", "--tools", &tools, "--as", "turn"];
    let turn = run(&words, text).records().remove(0);
    let members = |list: &str, keys: &[&str]| {
        let Some(toolweir::rjson::Value::Array(calls)) = turn.0.get(list) else {
            panic!("no {list}")
        };
        let member = |call: &toolweir::rjson::Value, key: &str| Record(call.clone()).get(key);
        let of = |call| keys.iter().map(|key| member(call, key)).collect::<Vec<_>>().join(" ");
        calls.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(members("calls", &["name", "known"]), ["dice true", "spin false"]);
    assert_eq!(members("refused", &["name", "why"]), ["spin undeclared", "dice cut"]);
}

#[test]
fn of_several_formats_that_of_the_first_call_reads_on() {
    let own = file("union", "own.toml", "name = \"own\"\ncall = '<do>{name} {args}</do>'\n");
    let calls = [
        "<tool_call>{\"name\": \"dice\"}</tool_call>",
        "[TOOL_CALLS]spin[ARGS]{}",
        "<do>flip {}</do>",
    ];
    for names in ["hermes, mistral-v11,own", "auto"] {
        for (first, name) in ["dice", "spin", "flip"].iter().enumerate() {
            let mut calls = calls;
            calls.rotate_left(first);
            let words = ["parse", "--spec", &own, "--format", names, "--chunk", "3"];
            let parse = run(&words, calls.join(" then "));
            assert_eq!((parse.code, parse.stderr.as_str()), (0, ""));
            assert_eq!(all(&parse.records(), "name", "name"), [*name], "{names}");
        }
    }
}

#[test]
fn the_turn_does_not_depend_on_the_chunks() {
    let turn = |chunk: &str| {
        run(&["parse", "--format", "hermes", "--as", "turn", "--chunk", chunk], ANSWER).stdout
    };
    let whole = turn("whole");
    assert!(whole.contains("\"dice\""), "{whole}");
    for chunk in ["1", "7", "char", "random:5", "random:6"] {
        assert_eq!(turn(chunk), whole, "{chunk}");
    }
}

#[test]
fn events_are_one_object_a_line() {
    let text = "Hi <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";
    let parse = run(&["parse", "--format", "hermes"], text);
    let records = parse.records();
    assert_eq!(
        parse.stdout.lines().next(),
        Some("{\"type\":\"start\",\"kind\":\"text\",\"span\":[0,0]}")
    );
    assert_eq!(all(&records, "start", "kind"), ["text", "call"]);
    assert_eq!(all(&records, "start", "class"), ["absent", "tool_call"]);
    // The end marker is markup after the segment.
    assert_eq!(all(&records, "end", "span"), ["[0,3]", "[3,57]"]);
    assert_eq!(all(&records, "end", "outcome"), ["complete", "complete"]);
    assert_eq!(all(&records, "name", "name"), ["dice"]);
    assert_eq!(all(&records, "args", "text").concat(), "{\"sides\": 6}");
    assert_eq!(all(&records, "invocation", "arguments"), ["{\"sides\":6}"]);
    assert_eq!(records.last().unwrap().get("type"), "finish");
}

#[test]
fn a_call_cut_off_is_never_an_invocation() {
    let text = "<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6";
    for end in ["stop", "length", "aborted"] {
        let records = run(&["parse", "--format", "hermes", "--end", end], text).records();
        assert!(all(&records, "invocation", "name").is_empty(), "{end}");
        assert_eq!(all(&records, "end", "outcome")[0], "truncated", "{end}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_named_by_their_offset() {
    let parse = run(&["parse", "--format", "hermes"], b"ab\xffcd\xf0\x9f\x8e e");
    assert_eq!(parse.code, 0);
    let records = parse.records();
    let input: Vec<_> = records
        .iter()
        .filter(|r| r.get("code") == "input::invalid-utf8")
        .map(|r| r.get("span"))
        .collect();
    assert_eq!(input, ["[2,3]", "[5,8]"]);
    assert!(all(&records, "diagnostic", "message")[0].contains("the byte at 2 is not UTF-8"));
    assert_eq!(all(&records, "delta", "text").concat(), "ab\u{fffd}cd\u{fffd} e");
    assert_eq!(all(&records, "end", "span"), ["[0,10]"], "spans count bytes of the input");
}

#[test]
fn many_bytes_that_are_not_utf8_are_counted_behind_the_limit() {
    let words = ["parse", "--format", "hermes", "--set", "max_diagnostics=2"];
    let records = run(&words, b"a\xff\xff\xff\xffb").records();
    let told = all(&records, "diagnostic", "span");
    assert_eq!(told, ["[1,2]", "[2,3]", "[3,5]"]);
    assert!(all(&records, "diagnostic", "message")[2].starts_with("2 further parts"));
}

#[test]
fn a_byte_order_mark_is_an_ordinary_character() {
    let records = run(&["parse", "--format", "hermes"], "\u{feff}a").records();
    assert_eq!(all(&records, "delta", "text").concat(), "\u{feff}a");
}

#[test]
fn chunks_are_one_json_string_a_line() {
    let lines = "\"a<tool\"\n\n\"_call>{\\\"name\\\": \\\"dice\\\"\"\n\", \\\"arguments\\\": {}}</tool_call>\"\n";
    let records = run(&["parse", "--format", "hermes", "--input", "chunks"], lines).records();
    assert_eq!(all(&records, "invocation", "name"), ["dice"]);
    let wrong = run(&["parse", "--format", "hermes", "--input", "chunks"], "\"a\"\n{}\n");
    assert_eq!(wrong.code, 2);
    assert!(wrong.complaint().contains("line 2: not a JSON string"), "{}", wrong.stderr);
}

#[test]
fn the_start_state_and_the_reasoning_family_can_be_chosen() {
    let text = "thinking</think>said";
    let turn = |extra: &[&str]| {
        let words = [&["parse", "--format", "hermes", "--as", "turn"], extra].concat();
        let records = run(&words, text).records();
        (records[0].get("reasoning"), records[0].get("text"))
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(turn(&["--start-state", "reasoning"]), pair("thinking", "said"));
    assert_eq!(turn(&["--reasoning", "none"]), pair("", text));
}

#[test]
fn tools_type_the_values_of_tagged_formats() {
    let tools = file(
        "tools_type",
        "tools.json",
        r#"[{"name":"set","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}]"#,
    );
    let text =
        "<tool_call>\n<function=set>\n<parameter=n>\n007x\n</parameter>\n</function>\n</tool_call>"
            .replace("007x", "42");
    let words = ["parse", "--format", "qwen3-coder", "--tools", &tools];
    assert_eq!(all(&run(&words, &text).records(), "invocation", "arguments"), ["{\"n\":42}"]);
    assert_eq!(
        all(&run(&words[..3], &text).records(), "invocation", "arguments"),
        ["{\"n\":\"42\"}"]
    );
}

#[test]
fn a_schema_that_cannot_be_compiled_is_a_warning_and_the_other_tools_stay() {
    let tools = file(
        "bad_schema",
        "tools.json",
        r##"[{"name":"bad","parameters":{"$ref":"#/$defs/missing"}},{"name":"dice"}]"##,
    );
    let text = "<tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";
    let words = ["parse", "--format", "hermes", "--tools", &tools, "--set", "names=declared"];
    let parse = run(&words, text);
    assert_eq!(parse.code, 0);
    assert!(parse.complaint().starts_with("warning: tool `bad`: "), "{}", parse.stderr);
    assert_eq!(all(&parse.records(), "invocation", "name"), ["dice"]);
}

#[test]
fn the_shapes_of_other_programs_are_one_object_a_line() {
    let text = "Hi <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";
    let lines = |shape: &str| {
        let parse = run(&["parse", "--format", "hermes", "--as", shape, "--chunk", "whole"], text);
        assert_eq!((parse.code, parse.stderr.as_str()), (0, ""), "{shape}");
        parse.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        lines("host"),
        [
            r#"{"Narrative":"Hi "}"#,
            r#"{"ToolCall":"{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}"}"#,
        ]
    );
    let segments = lines("segments");
    assert_eq!(segments.len(), 7);
    assert!(
        segments[3]
            .contains(r#""segment_type":"tool_call","payload":{"metadata":{"tool_name":"dice"}}"#)
    );
    assert_eq!(
        segments[6],
        r#"{"type":"INVOCATION","id":"seg_2","name":"dice","arguments":{"sides": 6}}"#
    );
    let parts = lines("ai-sdk");
    assert!(parts[parts.len() - 2].contains(r#""input":"{\"sides\": 6}""#), "{parts:#?}");
    let agent = lines("agent");
    let streamed = |line: &&String| line.contains("assistant_streaming_tool_call");
    assert_eq!(agent.iter().filter(streamed).count(), 2);
    assert!(agent[agent.len() - 1].contains(r#""type":"tool_call""#), "{agent:#?}");
}

#[test]
fn arguments_over_several_lines_are_one_line_in_every_shape() {
    let text = "<tool_call>{\"name\": \"dice\", \"arguments\": {\n  \"sides\": 6\r\n}}</tool_call>";
    for shape in OUTSIDE {
        let parse = run(&["parse", "--format", "hermes", "--as", shape], text);
        for line in parse.stdout.lines() {
            let whole = serde_json::from_str::<serde_json::Value>(line);
            assert!(whole.is_ok_and(|item| item.is_object()), "{shape}: {line}");
        }
    }
}

/// The shapes of other programs.
const OUTSIDE: [&str; 9] = [
    "host",
    "segments",
    "ai-sdk",
    "agent",
    "openai",
    "responses",
    "anthropic",
    "ui-message",
    "ag-ui",
];

/// A call that comes in three chunks.
const CHUNKS: &str = "\"Hi <tool_call>{\\\"name\\\": \\\"dice\\\", \\\"argu\"\n\"ments\\\": {\\\"sides\\\": \"\n\"6}}</tool_call>\"\n";

#[test]
fn the_wires_of_servers_as_lines_frames_and_answers() {
    let of = |shape: &str, more: &[&str]| {
        let words = ["parse", "--format", "hermes", "--input", "chunks", "--as", shape];
        let parse = run(&[&words[..], more].concat(), CHUNKS);
        assert_eq!((parse.code, parse.stderr.as_str()), (0, ""), "{shape}");
        parse.stdout
    };
    for (shape, wire) in [
        ("openai", Wire::Chat),
        ("responses", Wire::Responses),
        ("anthropic", Wire::Anthropic),
        ("ui-message", Wire::UiMessage),
        ("ag-ui", Wire::AgUi),
    ] {
        let stream = of(shape, &["--sse"]);
        let seen = wire.stream(&frames(&stream).unwrap()).unwrap_or_else(|breach| {
            panic!("{shape}: {breach}: {stream}");
        });
        let call = &seen.calls[0];
        assert_eq!((seen.text.as_str(), seen.end), ("Hi ", WireEnd::ToolCalls), "{shape}");
        assert_eq!((call.name.as_str(), call.arguments.as_str()), ("dice", "{\"sides\": 6}"));
        let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
        let data: Vec<&str> = data.filter(|data| *data != "[DONE]").collect();
        let lines = of(shape, &[]);
        assert_eq!(lines.lines().count(), data.len(), "{shape}: {lines}");
        if !matches!(wire, Wire::UiMessage | Wire::AgUi) {
            let answer = wire.answer(&of(shape, &["--no-stream"])).unwrap();
            assert_eq!((answer.text.as_str(), answer.calls.len()), ("Hi ", 1), "{shape}");
        }
    }
    let chunks = of("openai", &[]);
    let arguments = r#""function":{"arguments":"{\"sides\": 6}"}"#;
    assert!(chunks.contains(arguments), "after the chunk of the name: {chunks}");
}

#[test]
fn what_fails_can_be_chosen() {
    let cut = "<tool_call>{\"name\": \"dice\", \"arguments\": {";
    let code = |text: &str, end: &str, on: &str| {
        run(&["parse", "--format", "hermes", "--end", end, "--fail-on", on], text).code
    };
    assert_eq!((code(cut, "stop", "error"), code(cut, "stop", "nothing")), (1, 0));
    assert_eq!((code("Text", "length", "error"), code("Text", "length", "truncated")), (0, 1));
    assert_eq!((code("Text", "stop", "truncated"), code(cut, "length", "truncated")), (0, 1));
}

const PARSER: &str = "AUTOBYTEUS_STREAM_PARSER";

#[test]
fn the_environment_names_a_segment_parser_where_no_format_is_named() {
    let text = "<run_bash>ls</run_bash>";
    for (word, commands) in
        [("xml", 1), ("json", 0), ("sentinel", 0), ("api_tool_call", 0), ("native", 0)]
    {
        let words = ["parse", "--as", "segments", "--raw"];
        let run = run_with(&[(PARSER, word)], &words, text);
        assert_eq!(run.code, 0, "{word}: {}", run.stderr);
        assert_eq!(
            run.stdout.matches("\"INVOCATION\"").count(),
            commands,
            "{word}: {}",
            run.stdout
        );
    }
    let named = run_with(&[(PARSER, "json")], &["parse", "--format", "segments-xml"], text);
    assert!(named.stdout.contains("run_bash"), "an explicit format wins");
}

#[test]
fn a_parser_that_is_not_known_and_none_at_all_are_wrong_usage() {
    let run = run_with(&[(PARSER, "yaml")], &["parse"], "x");
    assert_eq!(run.code, 2);
    let said = run.complaint();
    assert!(said.contains(PARSER) && said.contains("sentinel"), "{said}");
    let none = run_with(&[], &["parse"], "x");
    assert_eq!(none.code, 2);
    assert_eq!(
        none.complaint(),
        "no format is named; say --format NAME or --pattern PATTERN; `toolweir formats` lists the names"
    );
}

#[test]
fn a_lost_call_is_exit_code_1_in_every_shape() {
    let torn = "<tool_call>{\"name\": \"dice\", \"arguments\": {\"a\": }}</tool_call>";
    let whole = "<tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";
    for shape in ["events", "turn"].into_iter().chain(OUTSIDE) {
        let code = |text: &str, more: &[&str]| {
            run(&[&["parse", "--format", "hermes", "--as", shape], more].concat(), text).code
        };
        assert_eq!((code(whole, &[]), code(torn, &[])), (0, 1), "{shape}");
        assert_eq!(code(whole.get(..40).unwrap(), &["--end", "length"]), 1, "{shape}");
        assert_eq!(code("Only text.", &[]), 0, "{shape}");
    }
}
