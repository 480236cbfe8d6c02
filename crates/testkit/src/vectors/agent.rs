//! Cases of kind `agent-events`: the events that a user interface of an agent accumulates.

use toolweir_adapters::{Agent, AgentEvent, AgentEventKind, FinishReason, KindIds, Project};
use toolweir_protocols::{Protocol, Request};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{StreamEnd, Turn};

use super::vector::Vector;
use super::{Runner, expect, native, protocol, segments};
use crate::laws::run::{Input, decode_with};
use crate::split::Split;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(runner: &Runner, vector: &Vector) -> Result<Result<(), String>, String> {
    if matches!(vector.format.as_str(), "agent-native" | "segments-api") {
        let (request, _) = protocol::request(runner, vector, Some("none"))?;
        let (turn, calls, end) = native::decode(vector, &request, native::end_option(vector));
        let judged = compare_turn(vector, &turn, end).and_then(|()| {
            compare_events(vector, &calls, true).map_err(|why| format!("{why}\nfound {calls:?}"))
        });
        return Ok(judged);
    }
    let (protocol, request, end) = protocol::prepare(runner, vector)?;
    Ok(judge(runner, vector, &*protocol, &request, end))
}

fn judge(
    runner: &Runner,
    vector: &Vector,
    protocol: &dyn Protocol,
    request: &Request,
    end: StreamEnd,
) -> Result<(), String> {
    let turn = protocol::decode_everywhere(runner, protocol, request, vector, end)?;
    compare_turn(vector, &turn, end)?;
    let input = Input { text: &vector.text, special: None, end };
    let own = protocol::own_split(vector);
    for split in own.into_iter().chain(runner.splits.of(&vector.text)) {
        let calls = accumulate(protocol, request, &input, &split)?;
        compare_events(vector, &calls, split.is_own())
            .map_err(|why| format!("{split}: {why}\nfound {calls:?}"))?;
    }
    Ok(())
}

/// A call as an interface has put it together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    id: String,
    name: String,
    deltas: Vec<String>,
    complete: bool,
}

/// Takes the events of an agent; anything but pieces of calls is passed over.
pub(super) fn take(calls: &mut Vec<Seen>, event: AgentEvent) {
    let AgentEventKind::AssistantStreamingToolCall {
        tool_call_id: id,
        tool_name: name,
        arguments,
        is_complete,
        ..
    } = event.kind
    else {
        return;
    };
    if calls.last().is_none_or(|last| last.id != id) {
        calls.push(Seen { id, name, ..Seen::default() });
    }
    if let Some(last) = calls.last_mut() {
        last.deltas.push(arguments);
        last.complete |= is_complete;
    }
}

fn accumulate(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    split: &Split,
) -> Result<Vec<Seen>, String> {
    let mut calls = Vec::new();
    let mut sink =
        Project::new(Agent::default().streaming_tool_calls(), KindIds::default(), |event| {
            take(&mut calls, event);
        });
    decode_with(protocol, request, input, split, &mut sink, |sink, _| sink.chunk_end())
        .map_err(|(law, message)| format!("{law} ({split}): {message}"))?;
    drop(sink);
    Ok(calls)
}

fn compare_turn(vector: &Vector, turn: &Turn, end: StreamEnd) -> Result<(), String> {
    let Some(expect) = &vector.expect else { return Ok(()) };
    expect::compare(vector, turn)?;
    let calls = turn.every_call().map(|call| {
        let value = parse(call.arguments, Mode::Relaxed).map_err(|e| e.to_string())?.value;
        Ok((call.name.to_owned(), value))
    });
    let calls: Vec<_> = calls.collect::<Result<_, String>>()?;
    if let Some(wanted) = expect.get("invocations").and_then(Value::as_array) {
        segments::compare_calls(wanted, &calls)?;
    }
    let reason = FinishReason::of(end, !calls.is_empty()).underscored();
    match expect.get("finish_reason").and_then(Value::as_str) {
        Some(wanted) if wanted != reason => Err(format!("finished with {reason}, not {wanted}")),
        _ => Ok(()),
    }
}

/// Pieces are compared only as the case's own chunks give them. The empty one that completes a call
/// may be left out of a case.
pub(super) fn compare_events(vector: &Vector, found: &[Seen], own: bool) -> Result<(), String> {
    let events = vector.expect.as_ref().and_then(|e| e.get("events"));
    let Some(wanted) = events.and_then(Value::as_array) else { return Ok(()) };
    if wanted.len() != found.len() {
        return Err(format!("expected {} streamed calls, found {}", wanted.len(), found.len()));
    }
    for (wanted, found) in wanted.iter().zip(found) {
        let text = |key| wanted.get(key).and_then(Value::as_str);
        let name = text("toolName").is_none_or(|name| name == found.name);
        let id = text("toolCallId").is_none_or(|id| id == found.id);
        let whole = text("accumulated").is_none_or(|whole| whole == found.deltas.concat());
        let complete = wanted.get("completed").and_then(Value::as_bool);
        if !name || !id || !whole || complete.is_some_and(|complete| complete != found.complete) {
            return Err(format!("expected {}", toolweir_rjson::to_string(wanted)));
        }
        let deltas = wanted.get("deltas").and_then(Value::as_array).filter(|_| own);
        let deltas = deltas.map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        let ours: Vec<&str> = found.deltas.iter().map(String::as_str).collect();
        if deltas.is_some_and(|wanted| pieces(&wanted, found) != pieces(&ours, found)) {
            return Err(format!("pieces differ: {}", toolweir_rjson::to_string(wanted)));
        }
    }
    Ok(())
}

/// The pieces of a call without the one that completes it.
fn pieces<'a, 't>(list: &'a [&'t str], call: &Seen) -> &'a [&'t str] {
    match list.split_last() {
        Some((&"", rest)) if call.complete => rest,
        _ => list,
    }
}
