//! What must hold for every stream at every cut: folded deltas do not depend on chunks, inputs are
//! the joined deltas, segments are balanced, nothing empty goes out, nothing after the end.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use toolweir_adapters::{Agent, AiSdk, Host, Segments};
use toolweir_segments::StreamEnd;

use crate::support::{decode, text};

const PIECES: [&str; 16] = [
    "Hello ",
    "<tool_call>",
    "{\"name\": \"a\", ",
    "\"arguments\": {\"k\": \"v\\n",
    "\\u00e9\"",
    ", \"n\": 1.50",
    "}",
    "}",
    "</tool_call>",
    "<think>",
    "hm",
    "</think>",
    "\n",
    "[",
    "]",
    "é😀",
];

/// Text of pieces that often make calls, and where it is cut.
pub(crate) fn stream() -> impl Strategy<Value = (String, Vec<prop::sample::Index>)> {
    let whole = "Hi <tool_call>{\"name\": \"b\", \"arguments\": {\"s\": \"x y\", \"n\": [1, 2]}}</tool_call>";
    let piece = prop_oneof![
        6 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => Just(whole.to_owned()),
    ];
    let text = prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat());
    (text, prop::collection::vec(any::<prop::sample::Index>(), 0..6))
}

pub(crate) fn cut<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut at: Vec<usize> = cuts.iter().map(|cut| *cut.get(&ends)).collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// Neighbouring deltas of one id joined.
fn joined(items: Vec<Value>, is_delta: impl Fn(&Value) -> Option<(String, String)>) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let mut last: Option<String> = None;
    for item in items {
        let Some((key, piece)) = is_delta(&item) else {
            last = None;
            out.push(item);
            continue;
        };
        if last.as_ref() == Some(&key) {
            let joined = format!("{}{piece}", text(out.last().unwrap(), "joined"));
            out.last_mut().unwrap()["joined"] = joined.into();
        } else {
            out.push(serde_json::json!({"key": key, "joined": piece}));
            last = Some(key);
        }
    }
    out
}

fn ai_sdk_delta(part: &Value) -> Option<(String, String)> {
    let kind = text(part, "type");
    kind.ends_with("-delta").then(|| (format!("{kind} {}", part["id"]), text(part, "delta")))
}

proptest! {
    #[test]
    fn ai_sdk_parts_are_lawful_and_do_not_depend_on_chunks((stream, cuts) in stream()) {
        let parts = decode("hermes", &cut(&stream, &cuts), StreamEnd::Stop, AiSdk::default());
        let mut open: Option<String> = None;
        let mut inputs: BTreeMap<String, String> = BTreeMap::new();
        for (index, part) in parts.iter().enumerate() {
            let (kind, id) = (text(part, "type"), text(part, "id"));
            match kind.as_str() {
                "text-start" | "reasoning-start" | "tool-input-start" => {
                    prop_assert_eq!(open.replace(id), None);
                }
                "text-delta" | "reasoning-delta" | "tool-input-delta" => {
                    prop_assert!(!text(part, "delta").is_empty());
                    prop_assert_eq!(open.as_ref(), Some(&id));
                    inputs.entry(id).or_default().push_str(&text(part, "delta"));
                }
                "text-end" | "reasoning-end" | "tool-input-end" => {
                    prop_assert_eq!(open.take(), Some(id));
                }
                "tool-call" => {
                    prop_assert_eq!(&open, &None);
                    let input = text(part, "input");
                    prop_assert_eq!(inputs.get(&text(part, "toolCallId")), Some(&input));
                    prop_assert!(serde_json::from_str::<Value>(&input).unwrap().is_object());
                }
                "error" => prop_assert_eq!(&open, &None),
                "stream-start" => prop_assert_eq!(index, 0),
                _ => prop_assert_eq!((kind.as_str(), index + 1), ("finish", parts.len())),
            }
        }
        let whole = decode("hermes", &[&stream], StreamEnd::Stop, AiSdk::default());
        prop_assert_eq!(joined(parts, ai_sdk_delta), joined(whole, ai_sdk_delta));
    }

    #[test]
    fn segment_events_are_balanced_and_do_not_depend_on_chunks((stream, cuts) in stream()) {
        let events = decode("hermes", &cut(&stream, &cuts), StreamEnd::Stop, Segments::default());
        let mut open = None;
        for event in &events {
            let id = text(event, "segment_id");
            match text(event, "type").as_str() {
                "SEGMENT_START" => prop_assert_eq!(open.replace(id), None),
                "SEGMENT_CONTENT" => {
                    prop_assert_eq!(open.as_ref(), Some(&id));
                    prop_assert!(!text(&event["payload"], "delta").is_empty());
                }
                "SEGMENT_END" => prop_assert_eq!(open.take(), Some(id)),
                _ => prop_assert_eq!(&open, &None),
            }
        }
        let content = |event: &Value| {
            let found = text(event, "type") == "SEGMENT_CONTENT";
            found.then(|| (text(event, "segment_id"), text(&event["payload"], "delta")))
        };
        let whole = decode("hermes", &[&stream], StreamEnd::Stop, Segments::default());
        prop_assert_eq!(joined(events, content), joined(whole, content));
    }

    #[test]
    fn agent_and_host_tell_the_same_story_at_every_cut((stream, cuts) in stream()) {
        let chunks = cut(&stream, &cuts);
        let stored = |chunks: &[&str]| {
            let mut events = decode("hermes", chunks, StreamEnd::Stop, Agent::default().streaming_tool_calls());
            events.retain(|e| !text(e, "type").contains("streaming"));
            for event in &mut events {
                event["id"] = Value::Null;
            }
            events
        };
        prop_assert_eq!(stored(&chunks), stored(&[&stream]));
        let narrative = |item: &Value| {
            item.get("Narrative").map(|text| (String::new(), text.as_str().unwrap().to_owned()))
        };
        let host = |chunks: &[&str]| {
            joined(decode("hermes", chunks, StreamEnd::Stop, Host::default()), narrative)
        };
        prop_assert_eq!(host(&chunks), host(&[&stream]));
    }
}
