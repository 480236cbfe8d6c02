//! Calls that break off: whatever stands in their arguments, and whether the stream ends there or another call
//! begins, what runs has the arguments that were written.

use proptest::prelude::*;
use proptest::sample::Index;
use toolweir_protocols::{Protocol, Request, ToolCall, ToolSet};
use toolweir_rjson::{Mode, Object, Value, parse};
use toolweir_segments::StreamEnd;
use toolweir_testkit::check;
use toolweir_testkit::generate::Sample;

use crate::{for_every_format, laws, place};

for_every_format! { cut_calls, 3 calls }

fn value(arguments: &str) -> Value {
    parse(arguments, Mode::Strict).unwrap().value
}

/// The calls that run.
fn run(
    protocol: &dyn Protocol,
    request: &Request,
    text: &str,
    end: StreamEnd,
) -> Result<Vec<(String, Value)>, TestCaseError> {
    let turn = check(protocol, request, text, end, &laws());
    let turn = turn.map_err(|report| TestCaseError::fail(report.to_string()))?;
    Ok(turn.calls().map(|call| (call.name.to_owned(), value(call.arguments))).collect())
}

/// Whether a call is one of these. What the next one shows to be over may have been meant to go on.
fn is_one_of(written: &[(String, Value)], (name, found): &(String, Value)) -> bool {
    written.iter().any(|(written, arguments)| {
        let members = found.as_object().zip(arguments.as_object());
        let same = |(found, written): (&Object, &Object)| {
            found.iter().all(|(key, value)| written.get(key) == Some(value))
        };
        written == name && members.is_some_and(same)
    })
}

/// Whether names are what code may hold, and there are arguments: every object would be those of a tool that declares
/// none.
fn is_usual(call: &ToolCall) -> bool {
    let arguments = value(&call.arguments);
    let mut keys = arguments.as_object().into_iter().flat_map(Object::keys).peekable();
    let is_word = |word: &str| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
    };
    keys.peek().is_some() && is_word(&call.name) && keys.all(is_word)
}

fn cut_calls(
    protocol: &dyn Protocol,
    sample: &Sample,
    (at, _): (Index, Index),
) -> Result<(), TestCaseError> {
    let request = Request::new(ToolSet::new(sample.tools.clone()).unwrap());
    let calls: Vec<ToolCall> = sample.calls.iter().filter(|call| is_usual(call)).cloned().collect();
    let Some(last) = calls.last() else { return Ok(()) };
    let turns = (protocol.format_tool_calls(&calls), protocol.format_tool_call(last));
    let (Ok(turn), Ok(again)) = turns else { return Ok(()) };
    let written = run(protocol, &request, &turn, StreamEnd::Stop)?;
    prop_assert_eq!(written.len(), calls.len(), "{}: {}", protocol.name(), turn);
    let text = turn.get(..place(&turn, at)).unwrap_or_default();
    for (text, end) in [
        (text, StreamEnd::Length),
        (text, StreamEnd::Aborted),
        (&format!("{text}{again}"), StreamEnd::Stop),
    ] {
        for call in run(protocol, &request, text, end)? {
            let name = protocol.name();
            prop_assert!(is_one_of(&written, &call), "{name}, {end:?}: {call:?} runs\n{text:?}");
        }
    }
    Ok(())
}
