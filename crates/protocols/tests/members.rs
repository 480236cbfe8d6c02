//! Members of a call object beside its own: a call runs with what the model wrote, or not at all.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::LazyLock;

use proptest::prelude::*;
use toolweir_protocols::{Protocol, ProtocolExt as _, Registry, Request, Tool, ToolFault, ToolSet};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{Reason, StreamEnd};
use toolweir_testkit::{CheckOptions, Splits, check};

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

fn protocol(format: &str) -> &'static dyn Protocol {
    &**REGISTRY.get(format).unwrap()
}

fn request() -> Request {
    let schema = r#"{"properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}"#;
    let schema = parse(schema, Mode::Strict).unwrap().value;
    Request::new(ToolSet::new([Tool::new("f").parameters(schema)]).unwrap())
}

/// A member of a call object, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Arguments,
    Declared,
    Other,
}

const MEMBERS: &[(&str, Sort)] = &[
    (r#""arguments": {"a": "x"}"#, Sort::Arguments),
    (r#""Parameters": {"n": 1}"#, Sort::Arguments),
    (r#""a": "y, \"n\": 2""#, Sort::Declared),
    (r#""n": 5"#, Sort::Declared),
    (r#""index": 0"#, Sort::Other),
    (r#""why": {"a": ["z"], "n": {}}"#, Sort::Other),
];

fn members() -> impl Strategy<Value = Vec<usize>> {
    // The name is the member after the last.
    let all: Vec<usize> = (0..=MEMBERS.len()).collect();
    (Just(all).prop_shuffle(), prop::collection::vec(any::<bool>(), MEMBERS.len())).prop_map(
        |(order, taken)| {
            order.into_iter().filter(|at| taken.get(*at).copied().unwrap_or(true)).collect()
        },
    )
}

/// What the call runs with; none: it does not run.
fn expected(chosen: &[(&str, Sort)]) -> Option<String> {
    let of = |sort: Sort| chosen.iter().filter(move |(_, s)| *s == sort).map(|(text, _)| *text);
    let declared: Vec<&str> = of(Sort::Declared).collect();
    let json = match of(Sort::Arguments).next() {
        Some(_) if !declared.is_empty() => return None,
        Some(member) => member.split_once(": ").unwrap().1.to_owned(),
        None if declared.is_empty() => "{}".to_owned(),
        None if of(Sort::Other).next().is_some() => return None,
        None => format!("{{{}}}", declared.join(", ")),
    };
    Some(value(&json).to_string())
}

fn value(json: &str) -> Value {
    parse(json, Mode::Strict).unwrap().value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_call_runs_with_what_was_written_or_not_at_all(
        order in members(),
        format in prop::sample::select(vec!["hermes", "qwen25", "json-mix"]),
    ) {
        let text = |at: &usize| MEMBERS.get(*at).map_or(r#""name": "f""#, |(text, _)| text);
        let object = format!("{{{}}}", order.iter().map(text).collect::<Vec<_>>().join(", "));
        let chosen: Vec<(&str, Sort)> =
            order.iter().filter_map(|at| MEMBERS.get(*at).copied()).collect();
        let text = format!("<tool_call>\n{object}\n</tool_call>");
        let options = CheckOptions::with_splits(Splits::few(8));
        let turn = check(protocol(format), &request(), &text, StreamEnd::Stop, &options);
        let turn = turn.map_err(|report| TestCaseError::fail(report.to_string()))?;
        let found = turn.calls().next().map(|call| value(call.arguments).to_string());
        prop_assert_eq!(&found, &expected(&chosen), "{}: {}", format, text);
        if found.is_none() {
            let ends: Vec<Reason> = turn.parts.iter().filter_map(|part| part.reason).collect();
            prop_assert!(ends.contains(&Reason::Ambiguous), "{ends:?}");
            prop_assert!(turn.diagnostics.iter().any(|d| d.code == "engine::ambiguous-call"));
        }
    }
}

#[test]
fn a_schema_without_an_object_says_so_and_changes_no_arguments() {
    for schema in [r#"{"type": "array", "items": {"type": "object"}}"#, r#"{"type": "string"}"#] {
        let schema = parse(schema, Mode::Strict).unwrap().value;
        let tool = Tool::new("f").parameters(schema);
        let error = ToolSet::new([tool.clone()]).unwrap_err();
        assert_eq!((error.tool.as_str(), &error.source), ("f", &ToolFault::NoObject));
        let (tools, errors) = ToolSet::lenient([tool]);
        assert_eq!(errors, [error]);
        let text = r#"<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>"#;
        for format in ["hermes", "json-mix"] {
            let turn = protocol(format).parse(text, &Request::new(tools.clone())).unwrap();
            let arguments: Vec<_> = turn.calls().map(|call| call.arguments.to_owned()).collect();
            assert_eq!(arguments, [r#"{"a": 1}"#], "{format}");
        }
    }
}
