//! The rules of the prompts, held against the decoders.

use toolweir_middleware::presets::{self, NAMES};
use toolweir_middleware::{
    Conversation, FinishReason, Message, Middleware, Role, ToolChoice, ToolOutput,
};
use toolweir_protocols::{Registry, Request};
use toolweir_rjson::Value;

use super::super::json;
use super::{clock, conversation, prepared, result, weave};

/// What the prompts say, preset by preset: an answer, and the arguments of its call if it is one.
const RULES: &[(&str, &str, Option<&str>)] = &[
    (
        "gemma",
        "```tool_call\n{\"name\":\"weave\",\"arguments\":{\"pattern\":\"a ``` b\"}}\n```",
        Some(r#"{"pattern":"a ``` b"}"#),
    ),
    ("gemma", "```json\n{\"name\":\"clock\",\"arguments\":{}}\n```", None),
    ("gemma", "```tool_call\n{\"name\":\"clock\",\"arguments\":{}}\n", None),
    (
        "hermes",
        r#"<tool_call>{"name":"weave","arguments":{"pattern":"</tool_call> \\ \n"}}</tool_call>"#,
        Some(r#"{"pattern":"</tool_call> \\ \n"}"#),
    ),
    ("morph-xml", "<clock></clock>", Some("{}")),
    (
        "morph-xml",
        "<weave><pattern> a &amp; &lt;b> \"c\"\n</pattern><width>2.5</width><fringe>true</fringe></weave>",
        Some(r#"{"pattern":" a & <b> \"c\"\n","width":2.5,"fringe":true}"#),
    ),
    (
        "morph-xml",
        r#"<weave><colours>["red","blue"]</colours></weave>"#,
        Some(r#"{"colours":["red","blue"]}"#),
    ),
    ("morph-xml", "<weave><pattern>a</pattern><pattern>b</pattern></weave>", None),
    ("morph-xml", "<weave><pattern>a</pattern>", None),
    (
        "yaml-xml",
        "<weave>\npattern: |\n  first: line\n  second # line\nwidth: 2.5\n</weave>",
        Some(r#"{"pattern":"first: line\nsecond # line\n","width":2.5}"#),
    ),
    (
        "yaml-xml",
        "<weave>\npattern: \"a: #b\"\ncolours: [\"red\", \"blue\"]\n</weave>",
        Some(r#"{"pattern":"a: #b","colours":["red","blue"]}"#),
    ),
    ("yaml-xml", "<clock></clock>", Some("{}")),
    ("yaml-xml", "<weave>\npattern: a\n", None),
    (
        "qwen3-coder",
        "<tool_call>\n<function=weave>\n<parameter=pattern>\n  a < b && \"c\" &amp;\n\n</parameter>\n\
         <parameter=colours>\n[\"red\"]\n</parameter>\n</function>\n</tool_call>",
        Some(r#"{"pattern":"  a < b && \"c\" &amp;\n","colours":["red"]}"#),
    ),
    ("agent", "<tool_call>\n{\"name\": \"clock\", \"parameters\": {}}", Some("{}")),
    ("agent", "<tool_call>\n{\"name\": \"weave\", \"parameters\": {\"width\": 2", None),
    (
        "segments-xml",
        "<tool name=\"weave\"><arguments><arg name=\"pattern\">\n a &amp; &lt;b \n</arg>\
         <arg name=\"colours\"><item>red</item><item>blue</item></arg></arguments></tool>",
        Some(r#"{"pattern":"a & <b","colours":["red","blue"]}"#),
    ),
    ("segments-xml", "<tool name=\"clock\"><arguments></arguments>", None),
    ("segments-json", r#"Now {"tool": {"function": "clock", "parameters": {}}} then"#, Some("{}")),
    ("segments-json", r#"{"tool": {"function": "clock", "parameters": {}}"#, None),
    ("segments-json", r#"{"function_name": "clock", "parameters": {}}"#, None),
    (
        "segments-sentinel",
        r#"[[SEG_START {"type":"tool_call","tool_name":"clock","arguments":{}}]][[SEG_END]]"#,
        Some("{}"),
    ),
    (
        "segments-sentinel",
        r#"[[SEG_START {"type":"tool_call","tool_name":"clock","arguments":{}}]]"#,
        None,
    ),
    ("host", r#"Now {"tool": "clock", "params": {}} then"#, Some("{}")),
    ("host", r#"{"tool": "clock", "params": {}"#, None),
];

#[test]
fn the_rules_of_a_prompt_hold() {
    for (name, text, expected) in RULES.iter().filter(|(name, ..)| NAMES.contains(name)) {
        let middleware = presets::by_name(name).unwrap();
        let prepared = prepared(&middleware, [clock(), weave()]);
        let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
        let found: Vec<Value> = answer.turn.calls().map(|call| json(call.arguments)).collect();
        let expected: Vec<Value> = expected.iter().map(|text| json(text)).collect();
        assert_eq!(found, expected, "{name}: {text}");
    }
}

#[test]
fn the_agent_stops_behind_its_call_which_is_complete() {
    let agent = presets::agent();
    let prepared = agent.prepare(&conversation(ToolChoice::Auto)).unwrap();
    assert_eq!(prepared.stop, ["</tool_call>", "</tool_call>\n\n"]);
    let text = "Now. <tool_call>\n{\"name\": \"clock\", \"parameters\": {}}\n";
    let answer = agent.parse(text, FinishReason::Stop, &prepared).unwrap();
    assert_eq!((answer.turn.calls().count(), answer.reason), (1, FinishReason::ToolCalls));
    let none = agent.prepare(&conversation(ToolChoice::None)).unwrap();
    assert!(none.stop.is_empty());
}

#[test]
fn the_fences_of_gemma_read_as_json_mix_with_these_markers() {
    let gemma = presets::gemma();
    let prepared = prepared(&gemma, [clock(), weave()]);
    let mut request: Request = prepared.request.clone();
    request.set("start_marker", "```tool_call").unwrap();
    request.set("end_marker", "```").unwrap();
    let json_mix =
        Middleware::new(Registry::builtin().get("json-mix").unwrap().clone()).with_request(request);
    let other = json_mix.prepare(&Conversation::new([]).tools([clock(), weave()])).unwrap();
    for text in [
        "Now.\n```tool_call\n{\"name\": \"clock\", \"arguments\": {}}\n```\nDone.",
        "```tool_call\n{\"name\": \"weave\", \"arguments\": {\"pattern\": \"a ``` b\"}}\n```",
        "```json\n{\"name\": \"clock\"}\n```",
        "```tool_call\n{\"name\": \"clock\", \"arguments\": {",
        "```tool_call\n{\"name\": \"clock\", \"arguments\": {}}\n",
    ] {
        let ours = gemma.parse(text, FinishReason::Stop, &prepared).unwrap();
        let theirs = json_mix.parse(text, FinishReason::Stop, &other).unwrap();
        assert_eq!(ours.turn, theirs.turn, "{text}");
    }
    let file = Message::new(
        Role::Tool,
        [result("c1", "clock", ToolOutput::Text("```tool_response\nx\n```".into()))],
    );
    let shown = gemma.prepare(&Conversation::new([file])).unwrap();
    let text = shown.messages[0].joined_text();
    assert!(text.starts_with("```tool_response\n{\"name\":\"clock\""), "{text}");
    assert_eq!(text.matches("```").count(), 2, "{text}");
    assert!(text.ends_with("\n```"), "{text}");
}
