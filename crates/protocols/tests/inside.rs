//! Calls whose arguments are text that looks like calls of the same format, in whole or in part: they read back
//! (C11), or are refused when they are rendered.
//!
//! `TOOLWEIR_CASES` says how many inputs each format is tried on (256).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use toolweir_protocols::{Registry, Request, Tool, ToolCall, ToolSet};
use toolweir_rjson::{Mode, parse, quoted};
use toolweir_testkit::generate::{self, Sample};
use toolweir_testkit::{CheckOptions, Splits, round_trip};

/// Built once: it compiles every format.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

/// How many tests share the formats.
const PARTS: usize = 4;

/// Takes texts and nothing else.
fn keep() -> Tool {
    let schema = r#"{"type": "object", "properties": {"text": {"type": "string"},
        "more": {"type": "array", "items": {"type": "string"}}}}"#;
    Tool::new("keep").parameters(parse(schema, Mode::Strict).unwrap().value)
}

/// The text between two places.
fn cut<'t>(text: &'t str, from: &Index, to: &Index) -> &'t str {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let (from, to) = (*from.get(&places), *to.get(&places));
    text.get(from.min(to)..from.max(to)).unwrap_or_default()
}

fn read_back(part: usize, sample: &Sample, from: &Index, to: &Index) -> Result<(), TestCaseError> {
    let mut tools = sample.tools.clone();
    tools.retain(|tool| tool.name != "keep");
    tools.push(keep());
    let request = Request::new(ToolSet::new(tools).unwrap());
    let options = CheckOptions::with_splits(Splits::few(1));
    for name in REGISTRY.names().skip(part).step_by(PARTS) {
        let protocol = REGISTRY.get(name).unwrap();
        let calls = [&sample.calls[..], &[ToolCall::new("keep", r#"{"text":"a","more":["b"]}"#)]];
        let turn: String =
            calls.concat().iter().filter_map(|call| protocol.format_tool_call(call).ok()).collect();
        let text = quoted(cut(&turn, from, to));
        for arguments in [
            format!(r#"{{"text":{text}}}"#),
            format!(r#"{{"text":{text},"more":["a",{text},"b"]}}"#),
        ] {
            let call = ToolCall::new("keep", arguments);
            let trip = round_trip(&**protocol, &request, &call, &options);
            trip.map_err(|report| TestCaseError::fail(report.to_string()))?;
        }
    }
    Ok(())
}

macro_rules! parts {
    ($($name:ident: $part:literal;)+) => {
        proptest! {
            #![proptest_config(generate::config())]
            $(
                #[test]
                fn $name(sample in generate::sample(2), from in any::<Index>(), to in any::<Index>()) {
                    read_back($part, &sample, &from, &to)?;
                }
            )+
        }
    };
}

parts! {
    part_1: 0;
    part_2: 1;
    part_3: 2;
    part_4: 3;
}
