//! Strict clients of the three wires: they panic at whatever breaks the grammar of a wire, and fold the
//! rest.

use serde_json::Value;

use crate::wire::Wire;

/// What a client has at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    /// Name and arguments of calls that are complete.
    pub(crate) calls: Vec<(String, String)>,
    /// Arguments of a call that is not.
    pub(crate) cut: Option<String>,
    /// `stop`, `tool_calls`, `length`, `error CODE`; empty where the stream just stops.
    pub(crate) end: String,
    pub(crate) usage: Option<(u64, u64)>,
}

/// Frames as their events and data. Comments are skipped; half a frame is a panic.
pub(crate) fn frames(text: &str) -> Vec<(String, String)> {
    assert!(text.is_empty() || text.ends_with("\n\n"), "half a frame at the end of {text:?}");
    let mut frames = Vec::new();
    for frame in text.split("\n\n").filter(|frame| !frame.is_empty()) {
        let (mut event, mut data) = (String::new(), None);
        for line in frame.lines() {
            match line.split_once(": ") {
                Some(("event", name)) => name.clone_into(&mut event),
                Some(("data", text)) => assert!(data.replace(text.to_owned()).is_none(), "{frame}"),
                Some(("", _)) => {}
                _ => panic!("a line that is none: {line:?}"),
            }
        }
        frames.extend(data.map(|data| (event, data)));
    }
    frames
}

pub(crate) fn stream(wire: Wire, text: &str) -> Seen {
    let frames = frames(text);
    match wire {
        Wire::Chat => chat(&frames),
        Wire::Responses => responses(&frames),
        Wire::Messages => messages(&frames),
    }
}

fn json(data: &str) -> Value {
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error} in {data}"))
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn is_object(arguments: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok()
}

/// Settles the calls: those of an answer that is whole are complete; of one that was cut, the last is
/// not, unless something stands after it.
fn settle(seen: &mut Seen, mut calls: Vec<(String, String)>) {
    let cut = seen.end != "tool_calls" && seen.end != "stop";
    if cut && let Some((_, arguments)) = calls.pop_if(|(_, arguments)| !is_object(arguments)) {
        seen.cut = Some(arguments);
    }
    for (name, arguments) in &calls {
        assert!(is_object(arguments), "arguments of {name}: {arguments:?} in {seen:?}");
    }
    seen.calls = calls;
}

fn chat(frames: &[(String, String)]) -> Seen {
    let mut seen = Seen::default();
    let mut calls: Vec<(String, String)> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    let (mut done, mut id) = (false, None);
    for (event, data) in frames {
        assert!(
            event.is_empty() && !done && !seen.end.starts_with("error"),
            "{data} after the end"
        );
        if data == "[DONE]" {
            done = true;
            continue;
        }
        let chunk = json(data);
        if chunk.get("error").is_some() {
            seen.end = format!("error {}", text(&chunk, "/error/code"));
            continue;
        }
        assert_eq!(text(&chunk, "/object"), "chat.completion.chunk");
        let own = text(&chunk, "/id").to_owned();
        assert_eq!(*id.get_or_insert(own.clone()), own);
        if let Some(usage) = chunk.get("usage").filter(|usage| !usage.is_null()) {
            assert_eq!(chunk["choices"].as_array().unwrap().len(), 0);
            let count = |key: &str| usage[key].as_u64().unwrap();
            seen.usage = Some((count("prompt_tokens"), count("completion_tokens")));
            continue;
        }
        let choice = &chunk["choices"][0];
        assert!(seen.end.is_empty(), "a choice after its end: {data}");
        let delta = &choice["delta"];
        seen.text.push_str(text(delta, "/content"));
        seen.reasoning.push_str(text(delta, "/reasoning_content"));
        if let Some(fragments) = delta.get("tool_calls") {
            for fragment in fragments.as_array().unwrap() {
                let index = usize::try_from(fragment["index"].as_u64().unwrap()).unwrap();
                let arguments = fragment.pointer("/function/arguments").unwrap().as_str().unwrap();
                if index == calls.len() {
                    assert_eq!(text(fragment, "/type"), "function");
                    let id = text(fragment, "/id").to_owned();
                    assert!(!id.is_empty() && !ids.contains(&id), "{data}");
                    ids.push(id);
                    calls.push((text(fragment, "/function/name").to_owned(), String::new()));
                } else {
                    assert_eq!(index + 1, calls.len(), "not the open call: {data}");
                    assert!(
                        fragment.get("id").is_none() && fragment["function"].get("name").is_none()
                    );
                }
                calls[index].1.push_str(arguments);
            }
            assert!(!fragments.as_array().unwrap().is_empty());
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            reason.clone_into(&mut seen.end);
        }
    }
    assert!(
        done != seen.end.starts_with("error") || seen.end.is_empty(),
        "[DONE] and an error: {seen:?}"
    );
    settle(&mut seen, calls);
    seen
}

fn responses(frames: &[(String, String)]) -> Seen {
    let mut seen = Seen::default();
    let mut items: Vec<(Value, bool)> = Vec::new();
    let mut deltas = String::new();
    for (number, (event, data)) in frames.iter().enumerate() {
        assert!(seen.end.is_empty(), "{data} after the end");
        let value = json(data);
        assert_eq!(
            (event.as_str(), value["sequence_number"].as_u64()),
            (text(&value, "/type"), Some(number as u64))
        );
        let open = |items: &[(Value, bool)]| {
            let index = value["output_index"].as_u64().unwrap() as usize;
            assert_eq!(index + 1, items.len(), "not the open item: {data}");
            assert!(!items[index].1, "the item is done: {data}");
        };
        match event.as_str() {
            "response.created" => assert_eq!(number, 0),
            "response.in_progress" => assert_eq!(number, 1),
            "response.output_item.added" => {
                assert_eq!(value["output_index"].as_u64(), Some(items.len() as u64));
                assert!(items.iter().all(|(_, done)| *done), "{data}");
                items.push((value["item"].clone(), false));
                deltas.clear();
            }
            "response.output_text.delta" => {
                open(&items);
                seen.text.push_str(text(&value, "/delta"));
            }
            "response.reasoning_text.delta" => {
                open(&items);
                seen.reasoning.push_str(text(&value, "/delta"));
            }
            "response.function_call_arguments.delta" => {
                open(&items);
                deltas.push_str(text(&value, "/delta"));
            }
            "response.function_call_arguments.done" => {
                open(&items);
                assert_eq!(text(&value, "/arguments"), deltas);
            }
            "response.output_item.done" => {
                open(&items);
                let last = items.last_mut().unwrap();
                *last = (value["item"].clone(), true);
            }
            "response.content_part.added"
            | "response.content_part.done"
            | "response.output_text.done"
            | "response.reasoning_text.done" => open(&items),
            "response.completed" => seen.end = "stop".to_owned(),
            "response.incomplete" => {
                assert_eq!(
                    text(&value, "/response/incomplete_details/reason"),
                    "max_output_tokens"
                );
                seen.end = "length".to_owned();
            }
            "response.failed" => {
                seen.end = format!("error {}", text(&value, "/response/error/code"))
            }
            "error" => seen.end = format!("error {}", text(&value, "/code")),
            other => panic!("an event that is none: {other}"),
        }
        if let Some(output) = value.pointer("/response/output").and_then(Value::as_array)
            && !seen.end.is_empty()
        {
            let done: Vec<&Value> = items.iter().map(|(item, _)| item).collect();
            assert_eq!(output.iter().collect::<Vec<_>>(), done, "{data}");
            let count = |key: &str| value.pointer(&format!("/response/usage/{key}"))?.as_u64();
            seen.usage = count("input_tokens").zip(count("output_tokens"));
        }
    }
    for (item, done) in items {
        assert!(done || seen.end.is_empty() || seen.end.starts_with("error"), "{item}");
        if text(&item, "/type") != "function_call" {
            continue;
        }
        let arguments = text(&item, "/arguments").to_owned();
        match text(&item, "/status") {
            "completed" => {
                assert!(is_object(&arguments), "{item}");
                seen.calls.push((text(&item, "/name").to_owned(), arguments));
            }
            _ => {
                assert!(!is_object(&arguments), "{item}");
                seen.cut = Some(arguments);
            }
        }
    }
    if seen.end == "stop" && !seen.calls.is_empty() {
        assert_eq!(seen.cut, None);
        seen.end = "tool_calls".to_owned();
    }
    seen
}

fn messages(frames: &[(String, String)]) -> Seen {
    let mut seen = Seen::default();
    let mut calls: Vec<(String, String)> = Vec::new();
    let (mut next, mut open, mut input, mut stopped, mut reason) =
        (0, None::<String>, 0, false, String::new());
    for (number, (event, data)) in frames.iter().enumerate() {
        assert!(seen.end.is_empty(), "{data} after the end");
        let value = json(data);
        assert_eq!(event, text(&value, "/type"));
        assert!(number != 0 || event == "message_start" || event == "error", "{data}");
        match event.as_str() {
            "message_start" => {
                assert_eq!(number, 0);
                input = value.pointer("/message/usage/input_tokens").unwrap().as_u64().unwrap();
            }
            "ping" => {}
            "content_block_start" => {
                assert_eq!((value["index"].as_u64(), &open), (Some(next), &None));
                let kind = text(&value, "/content_block/type").to_owned();
                if kind == "tool_use" {
                    assert_eq!(value["content_block"]["input"], serde_json::json!({}));
                    assert!(text(&value, "/content_block/id").starts_with("toolu_"));
                    calls.push((text(&value, "/content_block/name").to_owned(), String::new()));
                }
                open = Some(kind);
            }
            "content_block_delta" => {
                assert_eq!(value["index"].as_u64(), Some(next));
                match (text(&value, "/delta/type"), open.as_deref()) {
                    ("text_delta", Some("text")) => seen.text.push_str(text(&value, "/delta/text")),
                    ("thinking_delta", Some("thinking")) => {
                        seen.reasoning.push_str(text(&value, "/delta/thinking"));
                    }
                    ("signature_delta", Some("thinking")) => {}
                    ("input_json_delta", Some("tool_use")) => {
                        calls.last_mut().unwrap().1.push_str(text(&value, "/delta/partial_json"));
                    }
                    other => panic!("a delta of another kind: {other:?}"),
                }
            }
            "content_block_stop" => {
                assert_eq!(value["index"].as_u64(), Some(next));
                assert!(open.take().is_some());
                next += 1;
            }
            "message_delta" => {
                assert_eq!(open, None, "{data}");
                text(&value, "/delta/stop_reason").clone_into(&mut reason);
                let output = value.pointer("/usage/output_tokens").unwrap().as_u64().unwrap();
                let input =
                    value.pointer("/usage/input_tokens").and_then(Value::as_u64).unwrap_or(input);
                seen.usage = Some((input, output));
                stopped = true;
            }
            "message_stop" => {
                assert!(stopped);
                seen.end = match reason.as_str() {
                    "end_turn" => "stop".to_owned(),
                    "tool_use" => "tool_calls".to_owned(),
                    "max_tokens" => "length".to_owned(),
                    other => other.to_owned(),
                };
            }
            "error" => seen.end = format!("error {}", text(&value, "/error/type")),
            other => panic!("an event that is none: {other}"),
        }
    }
    for (_, arguments) in &mut calls {
        // A block without a delta has the empty object it began with, once it stops.
        if arguments.is_empty() && open.is_none() {
            arguments.push_str("{}");
        }
    }
    settle(&mut seen, calls);
    seen
}
