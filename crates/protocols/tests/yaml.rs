//! YAML bodies: what is written while they come is what they mean when they are whole.

#![cfg(feature = "yaml")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::LazyLock;

use proptest::prelude::*;
use toolweir_protocols::{Protocol, ProtocolExt, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{Event, StreamEnd};
use toolweir_testkit::generate;
use toolweir_testkit::{CheckOptions, Splits, check};

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

fn protocol() -> &'static dyn Protocol {
    &**REGISTRY.get("yaml-xml").unwrap()
}

fn request() -> Request {
    let schema = r#"{"properties": {
        "a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "integer"},
        "list": {"type": "array"}, "map": {"type": "object"}}}"#;
    let schema = parse(schema, Mode::Strict).unwrap().value;
    Request::new(ToolSet::new([Tool::new("f").parameters(schema)]).unwrap())
}

/// The arguments of the only call, where there is one and nothing of it was taken as it stands.
fn arguments(text: &str) -> Option<String> {
    let turn = protocol().parse(text, &request()).unwrap();
    let raw = turn.diagnostics.iter().any(|d| d.code == "engine::raw-value");
    turn.calls().next().filter(|_| !raw).map(|call| call.arguments.to_owned())
}

fn line() -> impl Strategy<Value = String> {
    const LINES: &[&str] = &[
        "a: x",
        "b: |",
        "a: |",
        "a: >",
        "b: >-",
        "b: |+",
        "a: |2",
        "b: |-1",
        "n: 1",
        "n: |",
        "list:",
        "list: [1,",
        "map:",
        "- x",
        "x",
        "x y:",
        "# x",
        "u: 1",
        "u: |",
        "a: \"x",
        "x\"",
        "",
        "",
        "\t",
        "a: &x y",
        "b: *x",
        "</f",
        "<f>",
        "---",
        "...",
        "x\r  y",
        "x\r",
        "]",
        "a : |",
        "x ",
    ];
    let indent = prop_oneof![6 => Just(0_usize), 2 => Just(1), 6 => Just(2), 3 => Just(4)];
    (indent, prop::sample::select(LINES))
        .prop_map(|(indent, line)| format!("{}{line}\n", " ".repeat(indent)))
}

proptest! {
    #![proptest_config(generate::config())]

    /// A comment before the first key has the body read when it is whole.
    #[test]
    fn streamed_bodies_mean_what_whole_ones_do(
        lines in prop::collection::vec(line(), 1..12),
        indent in prop_oneof![2 => Just(""), 1 => Just("   ")],
        last in prop_oneof![2 => Just(""), 1 => Just("  x "), 1 => Just("b: y"), 1 => Just("  ")],
    ) {
        let lines: String = lines.iter().map(|line| match line.trim().is_empty() {
            true => line.clone(),
            false => format!("{indent}{line}"),
        }).collect();
        let body = format!("{lines}{indent}{last}</f>");
        let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let spaces = first.len() - first.trim_start().len();
        let whole = arguments(&format!("<f>\n{}# c\n{body}", " ".repeat(spaces)));
        let streamed = format!("<f>\n{body}");
        // What is no body without the comment, or with it: its own tag, or words and three dots (policy 35).
        let begins = !body.contains("<f>") && !first.trim_start().starts_with(['x', '.']);
        if whole.is_some() && begins {
            prop_assert_eq!(arguments(&streamed), whole, "{}", streamed);
        }
        let options = CheckOptions::with_splits(Splits::few(6));
        let checked = check(protocol(), &request(), &streamed, StreamEnd::Stop, &options);
        checked.map_err(|report| TestCaseError::fail(report.to_string()))?;
    }
}

#[test]
fn long_blocks_stream_whatever_their_lines() {
    let short = "  naïve <tags>, \"quotes\" and \\ are text\n\n".repeat(50_000);
    let long = format!("  {}\n", "one line </f <f  \"\\ ".repeat(100_000));
    for (block, header) in [(&short, "|"), (&long, "|+"), (&short, ">"), (&long, ">-")] {
        let text = format!("<f>\na: {header}\n{block}n: 1\n</f>");
        assert!(text.len() > 2_000_000);
        let mut decoder = protocol().decoder(&request()).unwrap();
        let (mut first, mut longest, mut document, mut calls) = (None, 0, String::new(), 0);
        let mut at = 0;
        let mut sink = |event: Event<'_>, at: usize| match event {
            Event::Args(json) => {
                first.get_or_insert(at);
                longest = longest.max(json.len());
                document.push_str(&json);
            }
            Event::Invocation(_) => calls += 1,
            _ => {}
        };
        while at < text.len() {
            let end = (at + 13..text.len()).find(|at| text.is_char_boundary(*at));
            let end = end.unwrap_or(text.len());
            decoder
                .push(text.get(at..end).unwrap().into(), &mut |event: Event<'_>| sink(event, at));
            at = end;
        }
        decoder.finish(StreamEnd::Stop, &mut |event: Event<'_>| sink(event, at));
        assert_eq!(calls, 1, "{header}");
        assert!(first.unwrap() < 5000 && longest < 5000, "{header}: {first:?}, {longest}");
        let arguments = parse(&document, Mode::Strict).unwrap().value;
        let text = arguments.get("a").and_then(Value::as_str).unwrap();
        if header == "|" {
            assert_eq!(text.trim_end(), block.replace("\n  ", "\n").trim());
        }
        assert_eq!(arguments.get("n").and_then(Value::as_i64), Some(1));
        #[cfg(feature = "meter")]
        assert!(decoder.examined() <= 2 * text.len() as u64 + 3 * block.len() as u64);
    }
}
