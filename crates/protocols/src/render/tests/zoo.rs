//! Turns of two calls as the references print them, and what their formats cannot carry.

use toolweir_rjson::Value;

use super::{FormatError, ToolCall, ToolResponse, renderer};

const LOOM: &str = r#"{"pattern": "rib", "shafts": 8}"#;
const DICE: &str = r#"{"sides": 6}"#;

fn call(name: &str, arguments: &str, id: Option<&str>) -> ToolCall {
    let mut call = ToolCall::new(name, arguments);
    call.native_id = id.map(str::to_owned);
    call
}

/// A turn of two calls, the first of which has that id.
fn turn(format: &str, id: Option<&str>) -> String {
    renderer(format).calls(&[call("loom_set", LOOM, id), call("dice", DICE, None)]).unwrap()
}

/// A call with one argument `text`.
fn with_text(format: &str, text: &str) -> Result<String, FormatError> {
    renderer(format).call(&call("note", &format!("{{\"text\": {}}}", Value::from(text)), None))
}

fn is_refused(format: &str, texts: &[&str]) {
    for text in texts {
        let error = with_text(format, text).unwrap_err();
        assert!(matches!(error, FormatError::Value { ref key, .. } if key == "text"), "{error}");
    }
}

#[test]
fn json_after_a_header() {
    assert_eq!(
        turn("mistral-v11", Some("a1b2c3d4e")),
        "[TOOL_CALLS]loom_set[CALL_ID]a1b2c3d4e[ARGS]{\"pattern\": \"rib\", \"shafts\": 8}\
         [TOOL_CALLS]dice[ARGS]{\"sides\": 6}"
    );
    assert_eq!(
        turn("deepseek-v31", None),
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>loom_set<｜tool▁sep｜>{\"pattern\": \"rib\", \
         \"shafts\": 8}<｜tool▁call▁end｜><｜tool▁call▁begin｜>dice<｜tool▁sep｜>{\"sides\": 6}\
         <｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    );
    for name in ["two words", "a[b", "a{b", "", "a\"b", "."] {
        let refused = renderer("mistral-v11").call(&call(name, "{}", None)).unwrap_err();
        assert!(matches!(refused, FormatError::Name { .. }), "{refused}");
    }
    // An id that its marker cannot carry is left out, as the group is optional.
    assert!(!turn("mistral-v11", Some("two words")).contains("CALL_ID"));
}

#[test]
fn ids_are_composed_by_their_pattern() {
    let expected = |first: &str, second: &str| {
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>{first}<|tool_call_argument_begin|>{LOOM}\
             <|tool_call_end|><|tool_call_begin|>{second}<|tool_call_argument_begin|>{DICE}\
             <|tool_call_end|><|tool_calls_section_end|>"
        )
    };
    let made = expected("functions.loom_set:0", "functions.dice:1");
    assert_eq!(turn("kimi-k2", None), made);
    // Ids that say another name, or none, are not of this format.
    for id in ["call_abc", "functions.dice:0", "functions.loom_set:", "functions.loom_set"] {
        assert_eq!(turn("kimi-k2", Some(id)), made, "{id}");
    }
    for id in ["functions.loom_set:7", "loom_set:7", "functions.mill.loom_set:12"] {
        assert_eq!(turn("kimi-k2", Some(id)), expected(id, "functions.dice:1"));
    }
}

#[test]
fn json_that_names_itself() {
    assert_eq!(
        turn("mistral", Some("a1b2c3d4e")),
        "[TOOL_CALLS][{\"name\": \"loom_set\", \"arguments\": {\"pattern\": \"rib\", \"shafts\": 8}, \
         \"id\": \"a1b2c3d4e\"}, {\"name\": \"dice\", \"arguments\": {\"sides\": 6}}]"
    );
    assert_eq!(
        turn("llama3-json", None),
        "{\"name\": \"loom_set\", \"parameters\": {\"pattern\": \"rib\", \"shafts\": 8}}; \
         {\"name\": \"dice\", \"parameters\": {\"sides\": 6}}"
    );
    assert_eq!(
        turn("cohere-command", Some("0")),
        "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"loom_set\", \"parameters\": \
         {\"pattern\": \"rib\", \"shafts\": 8}},\n    {\"tool_name\": \"dice\", \"parameters\": \
         {\"sides\": 6}}\n]<|END_ACTION|>"
    );
    assert_eq!(
        turn("apertus", None),
        "<|tools_prefix|>[{\"loom_set\": {\"pattern\": \"rib\", \"shafts\": 8}}, {\"dice\": \
         {\"sides\": 6}}]<|tools_suffix|>"
    );
    assert_eq!(renderer("mistral").calls(&[]).unwrap(), "");
}

#[test]
fn parameters_as_tags() {
    assert_eq!(
        turn("glm-xml", None),
        "<tool_call>loom_set\n<arg_key>pattern</arg_key>\n<arg_value>rib</arg_value>\n\
         <arg_key>shafts</arg_key>\n<arg_value>8</arg_value>\n</tool_call>\n<tool_call>dice\n\
         <arg_key>sides</arg_key>\n<arg_value>6</arg_value>\n</tool_call>"
    );
    assert_eq!(
        turn("minimax-m2", None),
        "<minimax:tool_call>\n<invoke name=\"loom_set\">\n<parameter name=\"pattern\">rib</parameter>\n\
         <parameter name=\"shafts\">8</parameter>\n</invoke>\n<invoke name=\"dice\">\n\
         <parameter name=\"sides\">6</parameter>\n</invoke>\n</minimax:tool_call>"
    );
    assert_eq!(
        turn("deepseek-v32", None),
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"loom_set\">\n\
         <｜DSML｜parameter name=\"pattern\" string=\"true\">rib</｜DSML｜parameter>\n\
         <｜DSML｜parameter name=\"shafts\" string=\"false\">8</｜DSML｜parameter>\n\
         </｜DSML｜invoke>\n<｜DSML｜invoke name=\"dice\">\n\
         <｜DSML｜parameter name=\"sides\" string=\"false\">6</｜DSML｜parameter>\n\
         </｜DSML｜invoke>\n</｜DSML｜function_calls>"
    );
    assert_eq!(
        turn("kimi-k3", None),
        "<|open|>tools<|sep|><|open|>call tool=\"loom_set\" index=\"1\"<|sep|>\
         <|open|>argument key=\"pattern\" type=\"string\"<|sep|>rib<|close|>argument<|sep|>\
         <|open|>argument key=\"shafts\" type=\"number\"<|sep|>8<|close|>argument<|sep|>\
         <|close|>call<|sep|><|open|>call tool=\"dice\" index=\"2\"<|sep|>\
         <|open|>argument key=\"sides\" type=\"number\"<|sep|>6<|close|>argument<|sep|>\
         <|close|>call<|sep|><|close|>tools<|sep|>"
    );
}

#[test]
fn calls_as_expressions() {
    assert_eq!(turn("pythonic", None), "[loom_set(pattern=\"rib\", shafts=8), dice(sides=6)]");
    assert_eq!(
        turn("lfm2", None),
        "<|tool_call_start|>[loom_set(pattern=\"rib\", shafts=8), dice(sides=6)]<|tool_call_end|>"
    );
    assert_eq!(
        turn("gemma4", None),
        "<|tool_call>call:loom_set{pattern:<|\"|>rib<|\"|>,shafts:8}<tool_call|>\
         <|tool_call>call:dice{sides:6}<tool_call|>"
    );
    let values = r#"{"s": "a\"b\\\n\t\r\u0000é", "n": -1.5e3, "t": true, "f": false, "z": null, "l": [1, "x", []], "o": {"a b": {}}}"#;
    assert_eq!(
        renderer("pythonic").call(&call("f", values, None)).unwrap(),
        "[f(s=\"a\\\"b\\\\\\n\\t\\r\\x00é\", n=-1.5e3, t=True, f=False, z=None, \
         l=[1, \"x\", []], o={\"a b\": {}})]"
    );
    assert_eq!(
        renderer("gemma4").call(&call("f", values, None)).unwrap(),
        "<|tool_call>call:f{f:false,l:[1,<|\"|>x<|\"|>,[]],n:-1.5e3,o:{<|\"|>a b<|\"|>:{}},\
         s:<|\"|>a\"b\\\n\t\r\0é<|\"|>,t:true,z:null}<tool_call|>"
    );
    is_refused("gemma4", &["a<|\"|>b"]);
    assert!(with_text("gemma4", "<tool_call|>").is_ok());
    let keyword = renderer("pythonic").call(&call("f", r#"{"a b": 1}"#, None)).unwrap_err();
    assert!(matches!(keyword, FormatError::Value { .. }), "{keyword}");
}

#[test]
fn nested_values_repeat_the_pattern() {
    let vats = r#"{"vats": [{"hue": "weld", "l": 2}], "none": null, "empty": [], "ok": true}"#;
    let text = renderer("minimax-m3").call(&call("dye_batch", vats, None)).unwrap();
    assert_eq!(
        text.replace("]<]minimax[>[", "!"),
        "!<tool_call>\n!<invoke name=\"dye_batch\">!<vats>!<item>!<hue>weld!</hue>!<l>2!</l>!</item>\
         !</vats>!<none>null!</none>!<empty>!</empty>!<ok>true!</ok>!</invoke>\n!</tool_call>"
    );
    // Tags of another kind are data; the special token is not, wherever it stands.
    assert!(with_text("minimax-m3", "<b>x</b>\n<texts></texts>").is_ok());
    is_refused("minimax-m3", &["a ]<]minimax[>[ b", "]<]minimax[>[</text>", "<text>a"]);
    let key = renderer("minimax-m3").call(&call("f", r#"{"a": {"b c": 1}}"#, None)).unwrap_err();
    assert!(matches!(key, FormatError::Value { ref key, .. } if key == "b c"), "{key}");
}

#[test]
fn a_value_that_would_end_early_is_refused() {
    is_refused(
        "glm-xml",
        &["a</arg_value>", "</ arg_value >", "<arg_key>a", "a\n<arg_key>", "x</tool_call>"],
    );
    // Within a line a parameter shows that a tag is missing; the tag of the value again, that it is double.
    is_refused("glm-xml", &["a <arg_key>b</arg_key>", "<arg_value>a"]);
    assert!(with_text("glm-xml", "a <arg_keys>b <arg_value>\n </arg_values>").is_ok());
    is_refused(
        "minimax-m2",
        &["</parameter>", "a\n<parameter name=", "</invoke>", "</minimax:tool_call>"],
    );
    is_refused("minimax-m2", &["\n <parameter name=\"x\">"]);
    assert!(with_text("minimax-m2", "\n <params name=\"x\">\n<parameters>\n").is_ok());
    is_refused(
        "also-inside-tags",
        &["</parameter>", "</ns:parameter>", "</ns:invoke>", "</calls>", "</ns:calls>"],
    );
    is_refused("also-inside-tags", &["<parameter name=\"", "a\n<ns:parameter"]);
    is_refused("cline-xml", &[" a", "a\n", "</text>", "a\n<text>", "</note>"]);
    assert!(with_text("cline-xml", "<p>\n<textarea>\n<text x=\"1\">").is_ok());
    // The other pattern carries what the first cannot.
    let text = "</｜DSML｜parameter> <｜DSML｜ invoke";
    assert_eq!(
        with_text("deepseek-v32", text).unwrap(),
        format!(
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"note\">{{\"text\": \"{text}\"}}\
             </｜DSML｜invoke>\n</｜DSML｜function_calls>"
        )
    );
    for text in ["a <|close|> argument <|sep|>", "a <|close|>message<|sep|>"] {
        let json = with_text("kimi-k3", text).unwrap();
        assert!(json.contains("<|open|>json type=\"object\"<|sep|>{\"text\":"), "{json}");
    }
    let json = with_text("kimi-k3", "<|sep|>").unwrap();
    assert!(json.contains("<|open|>json type=\"object\"<|sep|>{\"text\":"), "{json}");
}

#[test]
fn keys_that_cannot_stand_in_their_place_are_refused() {
    for (format, keys) in [
        ("glm-xml", &["", " a", "a\nb", "a<b", "\"a\"", "a</arg_key>"][..]),
        ("minimax-m2", &["", " a", "a\"b", "a>b", "a\nb", "a&quot;"]),
        ("cline-xml", &["", "a b", "/a", "a>b"]),
        ("seed-oss", &["", "a b", "a>b", "a/"]),
    ] {
        for key in keys {
            let arguments = format!("{{{}: 1}}", Value::from(*key));
            let error = renderer(format).call(&call("f", &arguments, None)).unwrap_err();
            assert!(matches!(error, FormatError::Value { .. }), "{format} {key:?}: {error}");
        }
    }
    let spaced = renderer("glm-xml").call(&call("f", "{\"a b\": 1}", None)).unwrap();
    assert!(spaced.contains("<arg_key>a b</arg_key>"), "{spaced}");
}

#[test]
fn line_breaks_that_a_reader_takes_are_brought_along() {
    let value = |text: &str| {
        let written = with_text("seed-oss", text).unwrap();
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
    let python = |arguments| renderer("functionary-v32").call(&call("python", arguments, None));
    assert_eq!(python(r#"{"code": "print(1)\n"}"#).unwrap(), ">>>python\nprint(1)\n");
    assert!(matches!(python(r#"{"x": "1"}"#), Err(FormatError::Name { .. })));
    assert!(python(r#"{"code": ">>>all\n"}"#).is_err());
    let all = renderer("functionary-v32").call(&call("all", "{}", None)).unwrap_err();
    assert!(matches!(all, FormatError::Name { .. }), "{all}");
    assert_eq!(turn("functionary-v32", None), format!(">>>loom_set\n{LOOM}>>>dice\n{DICE}"));
    let python3 = renderer("functionary-v32").call(&call("python3", "{}", None));
    assert_eq!(python3.unwrap(), ">>>python3\n{}");
}

#[test]
fn arguments_as_text() {
    let patch = |input: &str| {
        let arguments = format!("{{\"input\": {}}}", Value::from(input));
        renderer("apply-patch").call(&call("apply_patch", &arguments, None))
    };
    let whole = "*** Begin Patch\n*** Add File: a\n+x *** End Patch\n*** End Patch";
    assert_eq!(patch(whole).unwrap(), whole);
    for other in ["", "*** Begin Patch\n*** End Patch", &format!("{whole}\n"), &whole.repeat(2)] {
        assert!(matches!(patch(other), Err(FormatError::Value { .. })), "{other}");
    }
    let edit = |arguments: &str| renderer("edit").call(&call("search_replace", arguments, None));
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
    let other = renderer("edit").call(&call("other", "{}", None)).unwrap_err();
    assert!(matches!(other, FormatError::Name { .. }), "{other}");
}

#[test]
fn responses_name_their_call() {
    let mut told = ToolResponse::new("dice", "6");
    let missing = renderer("kimi-k2").response(&told).unwrap_err();
    assert!(matches!(missing, FormatError::Id { .. }), "{missing}");
    let without = renderer("mistral-v11").response(&told).unwrap();
    assert_eq!(without, "[TOOL_RESULTS]6[/TOOL_RESULTS]");
    told.native_id = Some("functions.dice:0".to_owned());
    let kimi = renderer("kimi-k2").response(&told).unwrap();
    assert_eq!(kimi, "## Return of functions.dice:0\n6");
    let mistral = renderer("mistral-v11").response(&told).unwrap();
    assert_eq!(mistral, "[TOOL_RESULTS]functions.dice:0[TOOL_CONTENT]6[/TOOL_RESULTS]");
}
