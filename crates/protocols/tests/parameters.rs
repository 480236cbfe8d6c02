//! Members of parameters that go out as they stand say nothing that coerced ones do not say: with a denied
//! key every member is coerced, and one that never comes changes nothing else.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up fails"
)]

use proptest::prelude::*;
use toolweir_protocols::{Protocol, Registry, Request, Tool, ToolSet, Undeclared};
use toolweir_rjson::{Mode, parse};
use toolweir_segments::{Coalesce, Listing, StreamEnd};

/// What the tools say of the same keys.
const TOOLS: &[(&str, &str)] = &[
    ("open", r#"{"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}"#),
    (
        "closed",
        r#"{"properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 5},
            "unit": {"enum": ["c", "f"]}, "list": {"type": "array", "items": {"type": "integer"}}},
            "required": ["city", "days"], "additionalProperties": false}"#,
    ),
    (
        "several",
        r#"{"properties": {"city": {"type": ["string", "null"]}, "days": {"type": "number"},
            "unit": {"type": "string", "maxLength": 1}, "list": {"type": "object"}},
            "maxProperties": 3}"#,
    ),
    (
        "choosing",
        r#"{"properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "anyOf": [{"required": ["days"]}, {"required": ["unit"]}]}"#,
    ),
    ("any", "{}"),
];

const KEYS: &[&str] = &["city", "days", "unit", "list", "City", "other"];

const VALUES: &[&str] = &[
    "",
    "Bergen",
    "7",
    "3.5",
    "-1e3",
    "007",
    "true",
    "null",
    "c",
    "cc",
    "[1, 2]",
    "[\"1\"]",
    "{\"a\": 1}",
    "a \"b\" <c>\nd",
    "}",
];

/// A call as a format writes it; the tool of that place, and the places of keys and values.
fn call(format: &str, tool: usize, members: &[(usize, usize)]) -> String {
    let name = TOOLS[tool].0;
    let member = |(key, value): &(usize, usize)| {
        format!("<parameter={}>\n{}\n</parameter>\n", KEYS[*key], VALUES[*value])
    };
    let members: String = members.iter().map(member).collect();
    let call = format!("<function={name}>\n{members}</function>");
    match format {
        "seed-oss" => format!("<seed:tool_call>\n{call}\n</seed:tool_call>"),
        _ => format!("<tool_call>\n{call}\n</tool_call>"),
    }
}

fn request() -> Request {
    let tools = TOOLS.iter().map(|(name, schema)| {
        Tool::new(*name).parameters(parse(schema, Mode::Strict).unwrap().value)
    });
    Request::new(ToolSet::new(tools).unwrap())
}

fn listing(protocol: &dyn Protocol, request: &Request, chunks: &[&str]) -> String {
    let mut decoder = protocol.decoder(request).unwrap();
    let mut sink = Coalesce::new(Listing::new());
    for chunk in chunks {
        decoder.push((*chunk).into(), &mut sink);
    }
    decoder.finish(StreamEnd::Stop, &mut sink);
    sink.into_inner().into_string()
}

fn compare(tool: usize, members: &[(usize, usize)], drops: bool) {
    let registry = Registry::builtin();
    let mut plain = request();
    if drops {
        plain.policies.undeclared = Undeclared::Drop;
    }
    let mut coerced = plain.clone();
    coerced.policies.deny_keys = vec!["never".to_owned()];
    for format in ["qwen3-coder", "seed-oss"] {
        let (protocol, text) = (registry.get(format).unwrap(), call(format, tool, members));
        let characters: Vec<&str> = text.split_inclusive(|_: char| true).collect();
        for chunks in [&[text.as_str()][..], &characters] {
            let [plain, coerced] =
                [&plain, &coerced].map(|request| listing(protocol.as_ref(), request, chunks));
            assert_eq!(plain, coerced, "{format}, {} chunks: {text}", chunks.len());
        }
    }
}

#[test]
fn each_value_after_each_other_is_given_as_if_it_was_coerced() {
    for tool in 0..TOOLS.len() {
        for first in 0..VALUES.len() {
            for second in 0..VALUES.len() {
                compare(tool, &[(0, first), (1, second)], false);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn members_are_given_as_if_they_were_coerced(
        tool in 0..TOOLS.len(),
        members in prop::collection::vec((0..KEYS.len(), 0..VALUES.len()), 0..5),
        drops: bool,
    ) {
        compare(tool, &members, drops);
    }
}
