//! The tags of declared tools in prose, and tags that slipped: a call comes out as it was written, or
//! not at all.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up fails"
)]

use std::sync::LazyLock;

use proptest::prelude::*;
use toolweir_protocols::{Protocol, ProtocolExt, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::StreamEnd;
use toolweir_testkit::{CheckOptions, Splits, check, generate};

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

fn protocol(name: &str) -> &'static dyn Protocol {
    &**REGISTRY.get(name).unwrap()
}

fn json(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

fn request() -> Request {
    let write = r#"{"type": "object", "properties": {
        "path": {"type": "string"}, "body": {"type": "string"}, "n": {"type": "integer"},
        "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "nums": {"type": "array", "items": {"type": "integer"}},
        "rows": {"type": "array", "items": {"type": "object", "properties": {
            "a": {"type": "string"}, "k": {"type": "integer"}}}},
        "meta": {"type": "object", "properties": {
            "lang": {"type": "string"}, "rank": {"type": "integer"}}}}}"#;
    let note = r#"{"type": "object", "properties": {"id": {"type": "integer"}}}"#;
    let tools = [
        Tool::new("write").parameters(json(write)),
        Tool::new("note").parameters(json(note)),
        Tool::new("list").parameters(json(r#"{"type": "object", "properties": {}}"#)),
    ];
    Request::new(ToolSet::new(tools).unwrap())
}

/// The calls that run, as `name arguments`.
fn calls(protocol: &dyn Protocol, text: &str) -> Vec<String> {
    let turn = protocol.parse(text, &request()).unwrap();
    turn.calls().map(|call| format!("{} {}", call.name, json(call.arguments))).collect()
}

/// Prose with the tags of tools in it, none of them before a body.
const PROSE: &[&str] = &[
    "I use <note> to show one.\n",
    "Then <write> <b>writes</b> and <list> lists; </note> closes.\n",
    "Write `<note><id>1</id></note>` or `<list/>`, `<write>path: p</write>`.\n",
    "It's <note>\n\n",
    "<write> or <note> or\n",
    "```xml\n",
    "a < b > c </b>\n",
    "<unknown><path>p</path></unknown>\n",
    "<write><path>p</path> is how it begins,\n",
    "<note>id: 1 is how it begins,\n",
    "`<write>\n",
    "<write\n",
];

const XML: &[(&str, &str)] = &[
    ("<note><id>7</id></note>", r#"note {"id":7}"#),
    ("<list/>", "list {}"),
    (
        "<write>\n<path>p</path>\n<body>see <note><id>1</id></note></body>\n</write>",
        r#"write {"path":"p","body":"see <note><id>1</id></note>"}"#,
    ),
    (
        "<write><tags><item>a</item></tags><path>p</path></write>",
        r#"write {"path":"p","tags":["a"]}"#,
    ),
    ("<list></list>", "list {}"),
];

const YAML: &[(&str, &str)] = &[
    ("<note>\nid: 7\n</note>", r#"note {"id":7}"#),
    ("<list/>", "list {}"),
    (
        "<write>\npath: p\nbody: |\n  <note>\n  id: 1\n  </note>\ntags:\n- <list/>\n</write>",
        r#"write {"path":"p","body":"<note>\nid: 1\n</note>\n","tags":["<list/>"]}"#,
    ),
    ("<write>path: \"<note>\"</write>", r#"write {"path":"<note>"}"#),
];

fn pieces() -> impl Strategy<Value = Vec<(bool, usize)>> {
    prop::collection::vec((any::<bool>(), 0_usize..60), 1..9)
}

fn prose_around_calls(
    name: &str,
    known: &[(&str, &str)],
    pieces: &[(bool, usize)],
) -> Result<(), TestCaseError> {
    let (mut text, mut expected) = (String::new(), Vec::new());
    for (is_call, index) in pieces {
        if *is_call {
            let (source, call) = known[index % known.len()];
            text.push_str(source);
            text.push('\n');
            let (name, arguments) = call.split_once(' ').unwrap();
            expected.push(format!("{name} {}", json(arguments)));
        } else {
            text.push_str(PROSE[index % PROSE.len()]);
        }
    }
    prop_assert_eq!(calls(protocol(name), &text), expected, "{}", text);
    let options = CheckOptions::with_splits(Splits::few(6));
    let checked = check(protocol(name), &request(), &text, StreamEnd::Stop, &options);
    checked.map(drop).map_err(|report| TestCaseError::fail(report.to_string()))
}

/// A call, its tags apart, so that one can slip.
const WRITTEN: &[&str] = &[
    "<write>", "<path>", "p", "</path>", "<n>", "5", "</n>", "<tags>", "<item>", "x", "</item>",
    "<item>", "y", "</item>", "</tags>", "<meta>", "<lang>", "en", "</lang>", "<rank>", "1",
    "</rank>", "</meta>", "<rows>", "<item>", "<a>", "q", "</a>", "<k>", "2", "</k>", "</item>",
    "</rows>", "<nums>", "<item>", "3", "</item>", "</nums>", "<on>", "true", "</on>", "<body>",
    "b", "</body>", "</write>",
];

const MEANT: &str = r#"write {"path":"p","n":5,"tags":["x","y"],"meta":{"lang":"en","rank":1},"rows":[{"a":"q","k":2}],"nums":[3],"on":true,"body":"b"}"#;

/// What becomes of a tag.
fn slipped(tag: &str, slip: usize) -> String {
    match slip {
        0 => tag.replacen('/', "", 1),
        1 => tag.replacen('>', "", 1),
        2 => tag.replacen('>', "\n", 1),
        3 => tag.to_uppercase(),
        _ => format!("{tag}{tag}"),
    }
}

proptest! {
    #![proptest_config(generate::config())]

    #[test]
    fn prose_keeps_calls_of_elements_apart(pieces in pieces()) {
        prose_around_calls("morph-xml", XML, &pieces)?;
    }

    #[cfg(feature = "yaml")]
    #[test]
    fn prose_keeps_calls_of_yaml_apart(pieces in pieces()) {
        prose_around_calls("yaml-xml", YAML, &pieces)?;
    }
}

/// A closing tag that slipped is repaired as it was meant, or the call is refused.
#[test]
fn a_closing_tag_that_slipped_damages_nothing() {
    let meant = MEANT.split_once(' ').unwrap().1;
    let meant: std::collections::BTreeMap<String, String> = json(meant)
        .as_object()
        .unwrap()
        .iter()
        .map(|(k, v)| (k.to_owned(), v.to_string()))
        .collect();
    let mut wrong = Vec::new();
    for (place, tag) in WRITTEN.iter().enumerate().filter(|(_, tag)| tag.starts_with("</")) {
        for slip in 0..5 {
            let mut text: Vec<String> = WRITTEN.iter().map(|&tag| tag.to_owned()).collect();
            text[place] = slipped(tag, slip);
            let text = text.concat();
            let turn = protocol("morph-xml").parse(&text, &request()).unwrap();
            for call in turn.calls() {
                let read = json(call.arguments);
                let read: std::collections::BTreeMap<String, String> = read
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(k, v)| (k.to_owned(), v.to_string()))
                    .collect();
                if read != meant {
                    wrong.push(format!("{slip} {tag}: {text}\n  {}", call.arguments));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
