//! Wire formats from files: what is read, and what is refused with which words.
#![allow(clippy::unwrap_used)]

use toolweir_protocols::{
    BareArgs, CallPattern, Deltas, Entities, FormatSpec, Header, JsonReading, Keys, Names,
    ProtocolExt, Recovery, Registry, Request, ResponseBody, SpecProtocol, Special, Tags,
    TextPolicy, Tool, ToolCall, ToolSet, Unclosed,
};
use toolweir_rjson::{Mode, parse};
use toolweir_segments::StreamEnd;
use toolweir_testkit::{CheckOptions, check};

fn refusal(text: &str) -> String {
    Registry::builtin().register_json(text).unwrap_err().to_string()
}

/// A file that sets every key to something that is not its default.
const EVERY_KEY: &str = r##"{
    // Relaxed JSON: comments are welcome.
    name: "shop", aliases: ["store", "market"], models: "none",
    call: [
        "<item={name}>{args:<field={key}>{value}</field>}</item>",
        {pattern: "<json>{call}</json>", option: "objects", on: false},
        {pattern: "<one>{call}</one>", option: "one"},
        {pattern: "<two>{call}</two>"},
    ],
    wrap: ["\n\n<order>{*}</order>", "<buy>{*}</buy>"],
    between: ", ",
    message: ["<say>{text}</say>"],
    strays: ["<uh>"],
    noise: true,
    reads: ["hermes"],
    tags: "words",
    whitespace: ["\\n"],
    entities: "attributes",
    file_text: ["recipe"],
    special: ["<json>"],
    prompt: "<order>",
    header: "harmony",
    keys: "exact",
    json: "repair",
    bare_args: "keep",
    repair: false,
    recovery: "drop-partial",
    unclosed: "text", text: "preserve-all", names: "declared", deltas: "source",
    reasoning: "qwen3",
    always_split: true,
    tools: "<menu>{tools:tags}</menu>",
    response: "<bill>{content}</bill>",
    response_body: "object",
    spaced: false,
    own_markers: true,
    buffer: 9,
}"##;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// The same in code. Every field stands here, so that a new one is missed.
fn every_field() -> FormatSpec {
    FormatSpec {
        name: "shop".into(),
        aliases: texts(&["store", "market"]),
        models: "none".into(),
        call: vec![
            "<item={name}>{args:<field={key}>{value}</field>}</item>".into(),
            CallPattern::switched("<json>{call}</json>", "objects", false),
            CallPattern::switched("<one>{call}</one>", "one", true),
            "<two>{call}</two>".into(),
        ],
        wrap: texts(&["\n\n<order>{*}</order>", "<buy>{*}</buy>"]),
        between: ", ".into(),
        message: texts(&["<say>{text}</say>"]),
        strays: texts(&["<uh>"]),
        noise: true,
        reads: texts(&["hermes"]),
        tags: Tags::Words,
        whitespace: texts(&[r"\n"]),
        entities: Entities::Attributes,
        file_text: texts(&["recipe"]),
        special: Special::Tokens(texts(&["<json>"])),
        prompt: "<order>".into(),
        header: Header::Harmony,
        keys: Keys::Exact,
        json: JsonReading::Repair,
        bare_args: BareArgs::Keep,
        repair: false,
        recovery: Recovery::DropPartial,
        unclosed: Unclosed::Text,
        text: TextPolicy::PreserveAll,
        names: Names::Declared,
        deltas: Deltas::Source,
        reasoning: "qwen3".into(),
        always_split: true,
        tools: "<menu>{tools:tags}</menu>".into(),
        response: "<bill>{content}</bill>".into(),
        response_body: ResponseBody::Object,
        spaced: false,
        own_markers: true,
        buffer: Some(9),
    }
}

#[test]
fn a_json_file_may_set_every_field() {
    assert_eq!(FormatSpec::from_json(EVERY_KEY).unwrap(), every_field());
}

#[test]
fn what_is_written_reads_back() {
    let every = every_field();
    assert_eq!(FormatSpec::from_json(&every.to_json()).unwrap(), every);
    for spec in toolweir_protocols::formats::specs() {
        assert_eq!(FormatSpec::from_json(&spec.to_json()).unwrap(), spec, "{}", spec.name);
    }
    let empty = FormatSpec { name: "own".into(), reads: texts(&["a", "b"]), ..Default::default() };
    assert_eq!(
        empty.to_json(),
        "{\n  \"name\": \"own\",\n  \"reads\": [\n    \"a\",\n    \"b\"\n  ]\n}"
    );
}

#[test]
fn what_a_file_does_not_say_is_the_default() {
    let file = r#"{"name": "own", "call": "[do]{call}[/do]"}"#;
    let spec = FormatSpec {
        name: "own".into(),
        call: vec!["[do]{call}[/do]".into()],
        ..FormatSpec::default()
    };
    assert_eq!(FormatSpec::from_json(file).unwrap(), spec);
}

#[test]
fn a_list_of_texts_may_be_one_text_and_a_call_a_table() {
    let short = r#"{"name": "own", "aliases": "o", "call": {"pattern": "<a>{call}</a>"},
        "wrap": "<w>{*}</w>", "message": "<m>{text}</m>", "strays": "<s>", "reads": "hermes",
        "whitespace": "_"}"#;
    let long = r#"{"name": "own", "aliases": ["o"], "call": ["<a>{call}</a>"],
        "wrap": ["<w>{*}</w>"], "message": ["<m>{text}</m>"], "strays": ["<s>"],
        "reads": ["hermes"], "whitespace": ["_"]}"#;
    assert_eq!(FormatSpec::from_json(short).unwrap(), FormatSpec::from_json(long).unwrap());
}

#[test]
fn a_file_reads_and_writes_as_its_fields_say() {
    let file = r##"{
        name: "shop", aliases: ["store"],
        wrap: "\n\n<order>{*}</order>",
        call: "<item={name}>{args:<field={key}>{value}</field>}</item>",
        unclosed: "text", text: "preserve-all", names: "declared",
        tools: "<menu>{tools:tags}</menu>",
        response: "<bill>{content}</bill>", response_body: "object",
    }"##;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let shop = registry.get("store").unwrap();
    let request = Request::new(ToolSet::new([Tool::new("tea")]).unwrap());
    let answer = "\n <order><item=tea><field=kind>green\n</field></item></order> ";
    let turn = shop.parse(answer, &request).unwrap();
    let call = turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments), ("tea", r#"{"kind":"green\n"}"#));
    assert_eq!(turn.text(), "\n  ", "text = preserve-all");
    let other = "<item=milk></item>";
    assert_eq!(shop.parse(other, &request).unwrap().text(), other, "names = declared");
    let wrapped = format!("<order>{other}</order>");
    assert_eq!(shop.parse(&wrapped, &request).unwrap().text(), wrapped, "whole or not at all (C5)");
    let taken = registry.register_json(file).unwrap_err().to_string();
    assert_eq!(taken, "the name `shop` is taken by the format `shop`");
    let shop = registry.get("store").unwrap();
    let written = shop.format_tool_call(&ToolCall::new("tea", "{}")).unwrap();
    assert_eq!(written, "<order><item=tea></item></order>");
    assert!(shop.format_tools(&[Tool::new("tea")]).unwrap().starts_with("<menu>"));
}

#[test]
fn json_calls_may_have_keys_of_their_own() {
    let file = r#"{"name": "own", "call": "[do]{call:{\"do\": name, \"with\": args, \"nr\": id}}[/do]",
        "keys": "exact"}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let own = registry.get("own").unwrap();
    let request = Request::default();
    let turn = own.parse(r#"[do]{"do": "a", "with": {"n": 1}, "nr": "x"}[/do]"#, &request).unwrap();
    let call = turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments, call.native_id), ("a", r#"{"n": 1}"#, Some("x")));
    assert_eq!(own.parse(r#"[do]{"name": "a"}[/do]"#, &request).unwrap().calls().count(), 0);
}

#[test]
fn an_option_of_a_file_switches_a_call_pattern() {
    let file = r#"{"name": "own", "call": [
        "<a>{call}</a>", {"pattern": "<b>{call}</b>", "option": "b", "on": false}]}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let own = registry.get("own").unwrap();
    let mut request = Request::default();
    let answer = r#"<a>{"name": "x"}</a><b>{"name": "y"}</b>"#;
    assert_eq!(own.parse(answer, &request).unwrap().calls().count(), 1);
    request.options.insert("b".into(), "true".into());
    assert_eq!(own.parse(answer, &request).unwrap().calls().count(), 2);
}

#[test]
fn a_file_may_have_declared_tags_around_elements() {
    let file = r#"{"name": "tags", "call": "<{name}>\n{args:elements}\n</{name}>",
        "text": "preserve-all", "repair": false, "unclosed": "text", "tools": "{tools:array}",
        "spaced": false, "response_body": "elements"}"#;
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
    let file = r#"{"name": "lists", "unclosed": "text", "keys": "exact", "call": [
        "<{name}>\n{args:yaml}\n</{name}>", "[do]{call:{\"do\": name, \"with\": args}}[/do]"]}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let lists = registry.get("lists").unwrap();
    let request = Request::new(ToolSet::new([Tool::new("tea")]).unwrap());
    for answer in
        ["<tea>\nkind: green\n</tea>", r#"[do]{"do": "tea", "with": {"kind": "green"}}[/do]"#]
    {
        let turn = lists.parse(answer, &request).unwrap();
        let call = turn.calls().next().unwrap();
        assert_eq!(call.arguments.replace(' ', ""), r#"{"kind":"green"}"#, "{answer}");
    }
}

#[test]
fn a_section_end_that_begins_an_opener_ends_a_call_without_its_own() {
    let file = r#"{name: "fenced", wrap: "```calls{*}```",
        call: "<item={name}>{args:<field={key}>{value}</field>}</item>"}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let (fenced, request) = (registry.get("fenced").unwrap(), Request::default());
    let call = "```calls<item=tea><field=kind>green</field>";
    for (after, calls, text) in [
        ("```", 1, ""),
        ("``` ok", 1, " ok"),
        ("```\nok", 1, "\nok"),
        ("</item>``` ok", 1, " ok"),
        ("```calls<item=milk></item>``` ok", 2, " ok"),
    ] {
        let turn = fenced.parse(&format!("{call}{after}"), &request).unwrap();
        assert_eq!((turn.calls().count(), &*turn.text()), (calls, text), "after: {after}");
        assert_eq!(turn.calls().next().unwrap().arguments, r#"{"kind":"green"}"#);
    }
}

#[test]
fn a_file_may_bound_what_a_chat_host_holds() {
    let file = r#"{"name": "host", "call": "{call}", "names": "declared", "buffer": 9}"#;
    let mut registry = Registry::empty();
    registry.register_json(file).unwrap();
    let host = registry.get("host").unwrap();
    let request = Request::new(ToolSet::new([Tool::new("tea")]).unwrap());
    let calls = |text: &str| host.parse(text, &request).unwrap().calls().count();
    assert_eq!(calls(r#"{"name": "tea", "arguments": {}}"#), 1);
    assert_eq!(calls(r#"{"type":       "x", "name": "tea", "arguments": {}}"#), 0, "too late");
}

const TEXTS: &str = "must be a string or a list of strings";

#[test]
fn refusals_name_the_key_and_the_fix() {
    assert_eq!(refusal("{"), "the file cannot be read: line 1 column 2: unexpected end of input");
    assert_eq!(refusal("[]"), "the file must be a table");
    assert_eq!(refusal("{}"), "`name` is missing");
    assert_eq!(refusal(r#"{"name": 1}"#), "`name` must be a string");
    assert_eq!(refusal(r#"{"name": "x"}"#), "`call` is missing");
    assert_eq!(refusal(r#"{"call": "<a>{call}</a>"}"#), "`name` is missing");
    assert_eq!(
        refusal(r#"{"name": "x", "call": "<a>{call}</a>", "reasoning": "think-tag"}"#),
        "format `x`: unknown reasoning family `think-tag`; did you mean think-tags?"
    );
    for (call, message) in [
        ("1", format!("`call` {TEXTS}")),
        ("[1]", "`call.0` must be a table".into()),
        (r#"["<a>{call}</a>", {}]"#, "`call.1.pattern` is missing".into()),
        (r#"{"pattern": 1}"#, "`call.0.pattern` must be a string".into()),
        (r#"{"patern": "a"}"#, "unknown key `call.0.patern`; did you mean pattern?".into()),
        (
            r#"{"pattern": "<a>{call}</a>", "option": true}"#,
            "`call.0.option` must be a string".into(),
        ),
        (
            r#"{"pattern": "<a>{call}</a>", "option": "a", "on": "no"}"#,
            "`call.0.on` must be true or false".into(),
        ),
        (r#"{"pattern": "<a>{call}</a>", "on": false}"#, "`call.0.option` is missing".into()),
    ] {
        assert_eq!(refusal(&format!(r#"{{"name": "x", "call": {call}}}"#)), message);
    }
    for (more, message) in [
        (r#""cal": {}"#, "unknown key `cal`; did you mean call?".to_owned()),
        (r#""section": {}"#, "unknown key `section`".to_owned()),
        (r#""zzz": {}"#, "unknown key `zzz`".to_owned()),
        (r#""aliases": 1"#, format!("`aliases` {TEXTS}")),
        (r#""models": []"#, "`models` must be a string".to_owned()),
        (r#""wrap": [1]"#, format!("`wrap` {TEXTS}")),
        (r#""between": 1"#, "`between` must be a string".to_owned()),
        (r#""message": true"#, format!("`message` {TEXTS}")),
        (r#""strays": [[]]"#, format!("`strays` {TEXTS}")),
        (r#""noise": "yes""#, "`noise` must be true or false".to_owned()),
        (r#""reads": null"#, format!("`reads` {TEXTS}")),
        (r#""whitespace": {"a": 1}"#, format!("`whitespace` {TEXTS}")),
        (r#""tags": 1"#, "`tags` must be a string".to_owned()),
        (
            r#""tags": "free""#,
            "`tags` does not take `free`; it takes spaced, suffix, words".to_owned(),
        ),
        (r#""keys": "own""#, "`keys` does not take `own`; it takes aliases, exact".to_owned()),
        (
            r#""json": "lax""#,
            "`json` does not take `lax`; it takes repair, relaxed, strict; did you mean relaxed?"
                .to_owned(),
        ),
        (
            r#""bare_args": "drop""#,
            "`bare_args` does not take `drop`; it takes refuse, keep, sole-property".to_owned(),
        ),
        (r#""repair": 1"#, "`repair` must be true or false".to_owned()),
        (
            r#""recovery": "text""#,
            "`recovery` does not take `text`; it takes keep-as-text, drop-partial; did you mean keep-as-text?"
                .to_owned(),
        ),
        (
            r#""unclosed": "drop""#,
            "`unclosed` does not take `drop`; it takes accept, text".to_owned(),
        ),
        (
            r#""text": "trim""#,
            "`text` does not take `trim`; it takes preserve, trim-edges, preserve-all; did you mean \
             trim-edges?"
                .to_owned(),
        ),
        (
            r#""names": "all""#,
            "`names` does not take `all`; it takes any, declared, declared-if-any; did you mean any?"
                .to_owned(),
        ),
        (
            r#""deltas": "raw""#,
            "`deltas` does not take `raw`; it takes canonical, source".to_owned(),
        ),
        (r#""reasoning": 1"#, "`reasoning` must be a string".to_owned()),
        (r#""tools": []"#, "`tools` must be a string".to_owned()),
        (r#""response": []"#, "`response` must be a string".to_owned()),
        (
            r#""response_body": "text""#,
            "`response_body` does not take `text`; it takes content, object, elements".to_owned(),
        ),
        (r#""spaced": 0"#, "`spaced` must be true or false".to_owned()),
        (r#""own_markers": "yes""#, "`own_markers` must be true or false".to_owned()),
        (r#""buffer": -1"#, "`buffer` must be a number, not negative".to_owned()),
    ] {
        let call = r#""name": "x", "call": "<a>{call}</a>""#;
        assert_eq!(refusal(&format!("{{{call}, {more}}}")), message);
    }
}

#[test]
fn a_pattern_that_cannot_work_is_named_with_its_field_and_place() {
    let call = r#""name": "x", "call": "<a>{call}</a>""#;
    for (file, message) in [
        (
            r#""name": "x", "call": "<a>{nmae}</a>""#.to_owned(),
            "format `x`: `call` = `<a>{nmae}</a>`: unknown hole `{nmae}` at byte 3 (`{nmae}</a>`); \
             did you mean `{name}`?",
        ),
        (
            r#""name": "x", "call": ["<a>{call}</a>", "<b>{args}</b>"]"#.to_owned(),
            "format `x`: `call` = `<b>{args}</b>`: the pattern of a call lacks a name at the end \
             (byte 13); add `{name}`, `{name=WORD}` or `{call}`",
        ),
        (
            format!(r#"{call}, "wrap": "<w></w>""#),
            "format `x`: `wrap` = `<w></w>`: the pattern of a wrapper lacks `{*}` at the end (byte 7)",
        ),
        (
            format!(r#"{call}, "message": "<m>""#),
            "format `x`: `message` = `<m>`: the pattern of a message lacks `{text}`, `{reasoning}` or \
             `{skip}` at the end (byte 3)",
        ),
        (
            format!(r#"{call}, "message": "<m>{{name}}</m>""#),
            "format `x`: `message` = `<m>{name}</m>`: `{name}` in the pattern of a message at byte 3 \
             (`{name}</m>`); remove it",
        ),
        (
            format!(r#"{call}, "strays": ["<s>", "}}"]"#),
            "format `x`: `strays` = `}`: `}` that closes no hole at byte 0 (`}`); write `}}` for a \
             literal brace",
        ),
        (r#""name": "x", "call": []"#.to_owned(), "format `x` has no marker that opens a call"),
        (
            r#""name": "x", "call": "<a>{call}</a>", "reads": "y""#.to_owned(),
            "format `x`: `reads` = `y`: no format of patterns has that name",
        ),
        (
            r#""name": "x", "call": "<a>{call}</a>", "reads": "hermse""#.to_owned(),
            "format `x`: `reads` = `hermse`: no format of patterns has that name; did you mean hermes?",
        ),
        (
            r#""name": "x", "call": "<start>{call}</a>", "prompt": "<strat>""#.to_owned(),
            "format `x`: `prompt` = `<strat>` has no effect: no header of the patterns begins with \
             that opener; did you mean <start>?",
        ),
        (
            r#""name": "x", "call": "<start>{call}</a>", "special": ["<start>", "<and>"]"#
                .to_owned(),
            "format `x`: `special` = `<and>` has no effect: no marker holds it",
        ),
        (
            r#""name": "x", "call": "<a>{call}</a>", "file_text": "code""#.to_owned(),
            "format `x`: `file_text` = `code` has no effect: the tags of the tools open no calls of it",
        ),
        (
            r#""name": "hermes", "call": "<a>{call}</a>""#.to_owned(),
            "the name `hermes` is taken by the format `hermes`",
        ),
        (
            r#""name": "x", "aliases": "xml", "call": "<a>{call}</a>""#.to_owned(),
            "the name `xml` is taken by the format `morph-xml`",
        ),
    ] {
        assert_eq!(refusal(&format!("{{{file}}}")), message);
    }
}

#[test]
fn a_misspelt_word_names_the_nearest() {
    let call = r#""name": "x", "call": "<a>{call}</a>""#;
    assert_eq!(
        refusal(&format!(r#"{{{call}, "names": "declard"}}"#)),
        "`names` does not take `declard`; it takes any, declared, declared-if-any; did you mean \
         declared?"
    );
}

#[test]
fn a_pattern_that_is_only_written_is_named_with_its_field_and_place_too() {
    let call = r#""name": "x", "call": "<a>{call}</a>""#;
    for (file, message) in [
        (
            format!(r#"{call}, "tools": "{{tools}}""#),
            "format `x`: `tools` = `{tools}`: `{tools}` is incomplete at byte 0 (`{tools}`); write \
             `{tools:WORD}`",
        ),
        (
            format!(r#"{call}, "tools": "none""#),
            "format `x`: `tools` = `none`: the pattern of a list of tools lacks `{tools:WORD}` at the \
             end (byte 4)",
        ),
        (
            format!(r#"{call}, "tools": "{{tools:prose}}""#),
            "format `x`: `tools` = `{tools:prose}`: `{tools:…}` does not take `prose` at byte 0 \
             (`{tools:prose}`); it takes `openai-lines`, `openai-array`, `openai-indented`, \
             `openai-tagged`, `lines`, `array`, `responses`, `tagged`, `headings`, `sections`, `tags` and \
             `declarations DELIMITER`",
        ),
        (
            format!(r#"{call}, "response": "<r></r>""#),
            "format `x`: `response` = `<r></r>`: the pattern of a response lacks `{content}` at the \
             end (byte 7)",
        ),
    ] {
        assert_eq!(refusal(&format!("{{{file}}}")), message);
    }
}

#[cfg(feature = "toml")]
#[test]
fn toml_says_the_same() {
    let file = r#"
        name = "shop"
        aliases = ["store", "market"]
        models = "none"
        wrap = ["\n\n<order>{*}</order>", "<buy>{*}</buy>"]
        between = ", "
        message = "<say>{text}</say>"
        strays = "<uh>"
        noise = true
        reads = "hermes"
        tags = "words"
        whitespace = '\n'
        entities = "attributes"
        file_text = ["recipe"]
        special = ["<json>"]
        prompt = "<order>"
        header = "harmony"
        keys = "exact"
        json = "repair"
        bare_args = "keep"
        repair = false
        recovery = "drop-partial"
        unclosed = "text"
        text = "preserve-all"
        names = "declared"
        deltas = "source"
        reasoning = "qwen3"
        always_split = true
        tools = "<menu>{tools:tags}</menu>"
        response = "<bill>{content}</bill>"
        response_body = "object"
        spaced = false
        own_markers = true
        buffer = 9
        call = [
            "<item={name}>{args:<field={key}>{value}</field>}</item>",
            { pattern = "<json>{call}</json>", option = "objects", on = false },
            { pattern = "<one>{call}</one>", option = "one" },
            { pattern = "<two>{call}</two>" },
        ]
    "#;
    assert_eq!(FormatSpec::from_toml(file).unwrap(), every_field());
    let mut registry = Registry::empty();
    registry.register_toml("name = \"own\"\ncall = '[do]{call}[/do]'\n").unwrap();
    let turn =
        registry.get("own").unwrap().parse("[do]{\"name\": \"a\"}[/do]", &Request::default());
    assert_eq!(turn.unwrap().calls().count(), 1);
    let refusal = |text: &str| registry.clone().register_toml(text).unwrap_err().to_string();
    let broken = refusal("call = 'x'\nname = = 1");
    assert!(broken.starts_with("the file cannot be read: TOML parse error at line 2, column 8: "));
    assert!(!broken.contains('\n'), "{broken}");
    assert_eq!(refusal("name = 3"), "line 1: `name` must be a string");
    assert_eq!(refusal("name = 'x'"), "`call` is missing");
    assert_eq!(
        refusal("name = 'x'\ncall = '<a>{call}</a>'\nbuffer = 0.5"),
        "line 3: `buffer` must be a number, not negative"
    );
    assert_eq!(refusal("name = 'x'\n[call]\nopen = ['<']"), "line 3: unknown key `call.0.open`");
    assert_eq!(
        refusal("name = 'x'\ncall = [\n  '<a>{call}</a>',\n  { patern = 'a' },\n]"),
        "line 4: unknown key `call.1.patern`; did you mean pattern?"
    );
    assert_eq!(
        refusal("name = 'x'\ncall = [\n  '<a>{call}</a>',\n  '<b>{nmae}</b>',\n]"),
        "line 4: format `x`: `call` = `<b>{nmae}</b>`: unknown hole `{nmae}` at byte 3 (`{nmae}</b>`); \
         did you mean `{name}`?"
    );
    assert_eq!(
        refusal("name = 'x'\ncall = '<a>{call}</a>'\n\nreads = ['own', 'onw']"),
        "line 4: format `x`: `reads` = `onw`: no format of patterns has that name; did you mean own?"
    );
    assert_eq!(
        refusal("name = 'own'\ncall = '<a>{call}</a>'"),
        "the name `own` is taken by the format `own`"
    );
    assert_eq!(
        refusal("name = 'x'\ncall = '<a>{call}'\nwrap = '<w>{*}{'"),
        "line 3: format `x`: `wrap` = `<w>{*}{`: `{` that opens no hole at byte 6 (`{`); write `{{` for \
         a literal brace"
    );
}

#[test]
fn an_opener_of_one_character_in_a_wrapper_with_noise_is_read_on_after_it() {
    let spec = FormatSpec {
        name: "x".into(),
        call: vec!["@{name}:{args};".into()],
        wrap: vec!["<w>{*}</w>".into()],
        noise: true,
        ..FormatSpec::default()
    };
    let protocol = SpecProtocol::new(&spec).unwrap();
    for (text, calls, visible) in [
        ("<w>@f:{};@</w>.", 1, "."),
        ("<w>@f:{};@ @f:{};</w>.", 2, "."),
        ("<w>@f:{};@@f:{};</w>.", 2, "."),
        ("<w>@f:{};@", 1, "@"),
    ] {
        let turn = protocol.parse(text, &Request::default()).unwrap();
        assert_eq!((turn.calls().count(), &*turn.text()), (calls, visible), "{text}");
        let options = CheckOptions::default();
        check(&protocol, &Request::default(), text, StreamEnd::Stop, &options).unwrap();
    }
}
