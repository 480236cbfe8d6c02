//! Calls that break off: whatever stands in their arguments, and whether the stream ends there or another call
//! begins, what runs has the arguments that were written.
//!
//! `TOOLWEIR_CASES` says how many inputs each format is tried on (256).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use toolweir_protocols::{Protocol, Registry, Request, ToolCall, ToolSet};
use toolweir_rjson::{Mode, Object, Value, parse};
use toolweir_segments::StreamEnd;
use toolweir_testkit::generate::{self, Sample};
use toolweir_testkit::{CheckOptions, Splits, check};

/// Built once: it compiles every format.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

/// How many tests share the formats.
const PARTS: usize = 4;

fn value(arguments: &str) -> Value {
    parse(arguments, Mode::Strict).unwrap().value
}

/// A text up to one of its characters.
fn cut<'t>(text: &'t str, at: &Index) -> &'t str {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let at = if places.is_empty() { 0 } else { *at.get(&places) };
    text.get(..at).unwrap_or_default()
}

/// The calls that run.
fn run(
    protocol: &dyn Protocol,
    request: &Request,
    text: &str,
    end: StreamEnd,
) -> Result<Vec<(String, Value)>, TestCaseError> {
    let options = CheckOptions::with_splits(Splits::few(1));
    let turn = check(protocol, request, text, end, &options);
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

fn cut_calls(part: usize, sample: &Sample, at: &Index) -> Result<(), TestCaseError> {
    let request = Request::new(ToolSet::new(sample.tools.clone()).unwrap());
    let calls: Vec<ToolCall> = sample.calls.iter().filter(|call| is_usual(call)).cloned().collect();
    let Some(last) = calls.last() else { return Ok(()) };
    for name in REGISTRY.names().skip(part).step_by(PARTS) {
        let protocol = &**REGISTRY.get(name).unwrap();
        let Ok(turn) = protocol.format_tool_calls(&calls) else { continue };
        let Ok(again) = protocol.format_tool_calls(std::slice::from_ref(last)) else { continue };
        let written = run(protocol, &request, &turn, StreamEnd::Stop)?;
        let text = cut(&turn, at);
        for (text, end) in [
            (text, StreamEnd::Length),
            (text, StreamEnd::Aborted),
            (&format!("{text}{again}"), StreamEnd::Stop),
        ] {
            for call in run(protocol, &request, text, end)? {
                prop_assert!(
                    is_one_of(&written, &call),
                    "{name}, {end:?}: {call:?} runs\n{text:?}"
                );
            }
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
                fn $name(sample in generate::sample(3), at in any::<Index>()) {
                    cut_calls($part, &sample, &at)?;
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
