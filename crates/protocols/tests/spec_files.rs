//! Wire formats from files: what is read, and what is refused with which words.
#![allow(clippy::unwrap_used)]

use toolweir_protocols::{ProtocolExt, Registry, Request, Tool, ToolCall, ToolSet};
use toolweir_rjson::{Mode, parse};

fn refusal(text: &str) -> String {
    Registry::empty().register_json(text).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_json_file_may_set_every_field() {
    let file = r##"{
        // Relaxed JSON: comments are welcome.
        name: "shop", aliases: ["store"], models: "none",
        section: {open: ["<order>"], close: ["</order>"]},
        header: {tag: "item"},
        payload: {reader: "tagged-params", word: "field", trim: "none"},
        framing: {first: "\n\n", next: "\n"},
        unclosed: "text", text: "preserve-all", names: "declared", reasoning: "think-tags",
        render: {
            tools: "tags", before_tools: "<menu>", behind_tools: "</menu>", inner: "", spaced: false,
            before_response: "<bill>", behind_response: "</bill>", response: "object",
        },
        own_markers: false,
    }"##;
    let mut registry = Registry::empty();
    assert!(registry.register_json(file).unwrap().is_none());
    let shop = registry.get("store").unwrap();
    let request = Request::new(ToolSet::new([Tool::new("tea")]).unwrap());
    let answer = "\n <order><item=tea><field=kind>green\n</field></item></order> ";
    let turn = shop.parse(answer, &request).unwrap();
    let call = turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments), ("tea", r#"{"kind":"green\n"}"#));
    assert_eq!(turn.text(), "\n  ", "text = preserve-all");
    let other = "<order><item=milk></item></order>";
    assert_eq!(shop.parse(other, &request).unwrap().text(), other, "names = declared");
    let written = shop.format_tool_call(&ToolCall::new("tea", "{}")).unwrap();
    assert_eq!(written, "<order><item=tea>\n</item></order>");
    assert!(shop.format_tools(&[Tool::new("tea")]).unwrap().starts_with("<menu>"));
    assert!(registry.register_json(file).unwrap().is_some(), "the same name shadows");
}

#[test]
fn json_calls_may_have_keys_of_their_own() {
    let file = r#"{"name": "own", "call": {"open": ["[["], "close": ["]]"]},
        "payload": {"name": ["do"], "args": ["with"], "id": ["nr"], "wrappers": [], "list": false}}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let own = registry.get("own").unwrap();
    let request = Request::default();
    let turn = own.parse(r#"[[{"do": "a", "with": {"n": 1}, "nr": "x"}]]"#, &request).unwrap();
    let call = turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments, call.native_id), ("a", r#"{"n": 1}"#, Some("x")));
    assert_eq!(own.parse(r#"[[{"name": "a"}]]"#, &request).unwrap().calls().count(), 0);
}

#[test]
fn a_file_may_have_declared_tags_around_elements() {
    let file = r#"{"name": "tags", "header": {"declared_tag": true}, "text": "preserve-all",
        "payload": {"reader": "element", "repair": false}, "unclosed": "text",
        "render": {"tools": "array", "inner": "", "spaced": false, "response": "elements"}}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let tags = registry.get("tags").unwrap();
    let schema = r#"{"type": "object", "properties": {"cups": {"type": "integer"}}}"#;
    let tool = Tool::new("tea").parameters(parse(schema, Mode::Strict).unwrap().value);
    let request = Request::new(ToolSet::new([tool]).unwrap());
    let turn = tags.parse("So: <tea><cups>2</cups></tea>", &request).unwrap();
    assert_eq!(turn.text(), "So: ");
    assert_eq!(turn.calls().next().unwrap().arguments, r#"{"cups":2}"#);
    let written = tags.format_tool_call(&ToolCall::new("tea", r#"{"cups":2}"#)).unwrap();
    assert_eq!(tags.parse(&written, &request).unwrap().calls().count(), 1, "{written}");
}

#[cfg(feature = "yaml")]
#[test]
fn a_file_may_have_declared_tags_around_yaml() {
    let file = r#"{"name": "lists", "header": {"declared_tag": true}, "unclosed": "text",
        "payload": {"reader": "yaml", "name": ["do"], "args": ["with"]},
        "call": {"open": ["[["], "close": ["]]"]}}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let lists = registry.get("lists").unwrap();
    let request = Request::new(ToolSet::new([Tool::new("tea")]).unwrap());
    for answer in ["<tea>\nkind: green\n</tea>", r#"[[{"do": "tea", "with": {"kind": "green"}}]]"#]
    {
        let turn = lists.parse(answer, &request).unwrap();
        let call = turn.calls().next().unwrap();
        assert_eq!(call.arguments.replace(' ', ""), r#"{"kind":"green"}"#, "{answer}");
    }
}

#[test]
fn a_section_end_that_begins_an_opener_ends_a_call_without_its_own() {
    let file = r#"{name: "fenced", section: {open: ["```calls"], close: ["```"]},
        header: {tag: "item"}, payload: {reader: "tagged-params", word: "field", trim: "none"}}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let (fenced, request) = (registry.get("fenced").unwrap(), Request::default());
    let call = "```calls<item=tea><field=kind>green</field>";
    for (behind, calls, text) in [
        ("```", 1, ""),
        ("``` ok", 1, " ok"),
        ("```\nok", 1, "\nok"),
        ("</item>``` ok", 1, " ok"),
        ("```calls<item=milk></item>``` ok", 2, " ok"),
    ] {
        let turn = fenced.parse(&format!("{call}{behind}"), &request).unwrap();
        assert_eq!((turn.calls().count(), &*turn.text()), (calls, text), "behind: {behind}");
        assert_eq!(turn.calls().next().unwrap().arguments, r#"{"kind":"green"}"#);
    }
}

#[test]
fn a_file_may_bound_what_a_chat_host_holds() {
    let file = r#"{"name": "host", "gate": "call-object", "names": "declared", "buffer_chars": 9}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let host = registry.get("host").unwrap();
    let request = Request::new(ToolSet::new([Tool::new("tea")]).unwrap());
    let calls = |text: &str| host.parse(text, &request).unwrap().calls().count();
    assert_eq!(calls(r#"{"name": "tea", "arguments": {}}"#), 1);
    assert_eq!(calls(r#"{"type":       "x", "name": "tea", "arguments": {}}"#), 0, "too late");
}

const LINE: &str = "`header.line` must be absent unless `declared_tag` is true";
const BOTH: &str = "`header.tag` must be absent where `declared_tag` is true";
const UNFIT: &str = "format `x`: the payload json goes with the header in-payload alone";

#[test]
fn refusals_name_the_key_and_the_fix() {
    assert_eq!(refusal("{"), "the file cannot be read: line 1 column 2: unexpected end of input");
    assert_eq!(refusal("[]"), "the file must be a table");
    assert_eq!(refusal("{}"), "`name` is missing");
    assert_eq!(refusal(r#"{"name": 1}"#), "`name` must be a string");
    let call = r#""name": "x", "call": {"open": ["<"], "close": [">"]}"#;
    for (more, message) in [
        (r#""cal": {}"#, "unknown key `cal`; did you mean call?"),
        (r#""section": {"opens": []}"#, "unknown key `section.opens`; did you mean open?"),
        (r#""section": {"open": "<"}"#, "`section.open` must be a list of strings"),
        (r#""section": []"#, "`section` must be a table"),
        (r#""own_markers": "yes""#, "`own_markers` must be true or false"),
        (
            r#""names": "all""#,
            "`names` does not take `all`; it takes any, declared, declared-if-any",
        ),
        (r#""header": {}"#, "`header.tag` is missing"),
        (r#""header": {"tag": "a", "line": true}"#, LINE),
        (r#""header": {"tag": "a", "declared_tag": true}"#, BOTH),
        (
            r#""payload": {"reader": "xml"}"#,
            "`payload.reader` does not take `xml`; it takes json, tagged-params, element, yaml",
        ),
        (r#""payload": {"reader": "tagged-params"}"#, "`payload.word` is missing"),
        (r#""payload": {"word": "field"}"#, "unknown key `payload.word`"),
        (r#""payload": {"reader": "element", "list": true}"#, "unknown key `payload.list`"),
        (r#""header": {"tag": "a"}"#, UNFIT),
        (r#""buffer_chars": -1"#, "`buffer_chars` must be a number, not negative"),
        (
            r#""render": {"tools": "xml"}"#,
            "`render.tools` does not take `xml`; it takes openai-lines, array, tags, headings",
        ),
    ] {
        assert_eq!(refusal(&format!("{{{call}, {more}}}")), message);
    }
    assert_eq!(refusal(r#"{"name": "x"}"#), "format `x` has no marker that opens a call");
}

#[cfg(feature = "toml")]
#[test]
fn toml_says_the_same() {
    let mut registry = Registry::empty();
    registry.register_toml("name = \"own\"\n[call]\nopen = [\"[[\"]\nclose = [\"]]\"]\n").unwrap();
    let turn = registry.get("own").unwrap().parse("[[{\"name\": \"a\"}]]", &Request::default());
    assert_eq!(turn.unwrap().calls().count(), 1);
    let refusal = |text: &str| registry.clone().register_toml(text).map(|_| ()).unwrap_err();
    assert!(
        refusal("name = ").to_string().starts_with("the file cannot be read: TOML parse error")
    );
    assert_eq!(refusal("name = 3").to_string(), "`name` must be a string");
}
