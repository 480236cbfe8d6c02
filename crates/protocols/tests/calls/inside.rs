//! Arguments that are text which looks like calls of the same format, in whole or in part: they read back (C11), or are
//! refused when they are rendered.

use proptest::prelude::*;
use proptest::sample::Index;
use toolweir_protocols::{Protocol, Request, Tool, ToolCall, ToolSet};
use toolweir_rjson::{Mode, parse, quoted};
use toolweir_testkit::generate::Sample;
use toolweir_testkit::round_trip;

use crate::{for_every_format, laws, place};

for_every_format! { read_back, 2 calls }

/// Takes texts and nothing else.
fn keep() -> Tool {
    let schema = r#"{"type": "object", "properties": {"text": {"type": "string"},
        "more": {"type": "array", "items": {"type": "string"}}}}"#;
    Tool::new("keep").parameters(parse(schema, Mode::Strict).unwrap().value)
}

fn read_back(
    protocol: &dyn Protocol,
    sample: &Sample,
    (from, to): (Index, Index),
) -> Result<(), TestCaseError> {
    let mut tools = sample.tools.clone();
    tools.retain(|tool| tool.name != "keep");
    tools.push(keep());
    let request = Request::new(ToolSet::new(tools).unwrap());
    let calls = [&sample.calls[..], &[ToolCall::new("keep", r#"{"text":"a","more":["b"]}"#)]];
    let turn: String =
        calls.concat().iter().filter_map(|call| protocol.format_tool_call(call).ok()).collect();
    let (from, to) = (place(&turn, from), place(&turn, to));
    let text = quoted(turn.get(from.min(to)..from.max(to)).unwrap_or_default());
    for arguments in
        [format!(r#"{{"text":{text}}}"#), format!(r#"{{"text":{text},"more":["a",{text},"b"]}}"#)]
    {
        let trip = round_trip(protocol, &request, &ToolCall::new("keep", arguments), &laws());
        trip.map_err(|report| TestCaseError::fail(report.to_string()))?;
    }
    Ok(())
}
