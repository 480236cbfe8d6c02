//! Items on their way out.

use serde::ser::{Error, Serializer};
use serde_json::Value;
use toolweir_adapters::{SseFrames, json_line};
use toolweir_segments::StreamEnd;

use crate::accumulate::events;

/// Arguments over several lines, as models write them.
const LINES: &str =
    "Hi<tool_call>{\"name\": \"note\", \"parameters\": {\n  \"text\": \"a\\nb\"\r\n}}</tool_call>";

#[test]
fn every_event_is_one_line() {
    let mut out = String::new();
    let events = events("msg_1", &[LINES], StreamEnd::Stop);
    for event in &events {
        json_line(event, &mut out).unwrap();
    }
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), events.len());
    assert_eq!(lines.last().unwrap()["arguments"]["text"], "a\nb");
    let joined: String =
        lines.iter().filter_map(|l| l["arguments"].as_str()).map(str::to_owned).collect();
    assert_eq!(joined, "{\n  \"text\": \"a\\nb\"\r\n}", "deltas are the source");
}

#[test]
fn frames_are_numbered_without_gaps_and_read_back() {
    let (mut frames, mut out) = (SseFrames::new(), String::new());
    let events = events("msg_1", &[LINES], StreamEnd::Stop);
    for event in &events {
        frames.frame(event.name(), event, &mut out).unwrap();
    }
    assert_eq!(frames.last(), events.len() as u64);
    let mut at = 0;
    for (frame, event) in out.split_terminator("\n\n").zip(&events) {
        at += 1;
        let lines: Vec<&str> = frame.split('\n').collect();
        assert_eq!(lines[0], format!("id: {at}"));
        assert_eq!(lines[1], format!("event: {}", event.name()));
        let data: Value = serde_json::from_str(lines[2].strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(data["type"], event.name());
        assert_eq!(lines.len(), 3);
    }
    assert_eq!(at, events.len());
}

struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("no"))
    }
}

#[test]
fn what_cannot_be_written_takes_no_id() {
    let (mut frames, mut out) = (SseFrames::after(41), String::new());
    assert!(frames.frame("x", &Unwritable, &mut out).is_err());
    assert!(json_line(&Unwritable, &mut out).is_err());
    assert_eq!((out.as_str(), frames.last()), ("", 41));
    assert_eq!(frames.frame("a\nb", &1, &mut out).unwrap(), 42);
    assert_eq!(out, "id: 42\nevent: a b\ndata: 1\n\n");
}
