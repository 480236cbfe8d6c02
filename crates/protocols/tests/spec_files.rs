//! Wire formats from files: what is read, and what is refused with which words.
#![allow(clippy::unwrap_used)]

use toolweir_protocols::{ProtocolExt, Registry, Request, Tool, ToolCall, ToolSet};

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
            before_response: "<bill>", behind_response: "</bill>", response_json: true,
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
        (
            r#""payload": {"reader": "xml"}"#,
            "`payload.reader` does not take `xml`; it takes json, tagged-params",
        ),
        (r#""payload": {"reader": "tagged-params"}"#, "`payload.word` is missing"),
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
