//! Segment events.

use serde_json::{Value, json};
use toolweir_adapters::Segments;
use toolweir_segments::{CallClass, Counter, Event, Kind, MetaRole, Outcome, Span, StreamEnd};

use crate::support::{decode, delta, end, meta, name, project, runs, start, text, write_file};

#[test]
fn the_payload_examples_of_a_file_that_is_written() {
    let lines = project(write_file(Outcome::Complete), Counter::default(), Segments::default());
    let wanted = [
        r#"{"type":"SEGMENT_START","segment_id":"seg_1","segment_type":"write_file","payload":{"metadata":{"path":"/srv/a.py"}}}"#,
        r#"{"type":"SEGMENT_CONTENT","segment_id":"seg_1","payload":{"delta":"print('hi')"}}"#,
        r#"{"type":"SEGMENT_CONTENT","segment_id":"seg_1","payload":{"delta":"\n"}}"#,
        r#"{"type":"SEGMENT_END","segment_id":"seg_1","payload":{"metadata":{"executable":true}}}"#,
        r#"{"type":"INVOCATION","id":"seg_1","name":"write_file","arguments":{"path":"/srv/a.py","content":"print('hi')\n","executable":true}}"#,
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn what_does_not_run_is_marked_incomplete() {
    for outcome in [Outcome::Truncated, Outcome::Abandoned] {
        let lines = project(write_file(outcome), Counter::default(), Segments::default());
        let end = r#"{"type":"SEGMENT_END","segment_id":"seg_1","payload":{"metadata":{"executable":true},"incomplete":true}}"#;
        assert_eq!(lines.last().unwrap(), end);
    }
}

#[test]
fn text_and_reasoning_have_ids_and_empty_payloads() {
    let events = vec![
        Event::Start { kind: Kind::Reasoning, span: Span::new(0, 7) },
        delta("Hm."),
        end(Outcome::Complete),
        Event::Start { kind: Kind::Text, span: Span::empty(90) },
        delta("Hi"),
        end(Outcome::Complete),
        Event::Finish,
    ];
    let lines = project(events, Counter::new("turn7:seg_"), Segments::default());
    let wanted = [
        r#"{"type":"SEGMENT_START","segment_id":"turn7:seg_1","segment_type":"reasoning","payload":{}}"#,
        r#"{"type":"SEGMENT_CONTENT","segment_id":"turn7:seg_1","payload":{"delta":"Hm."}}"#,
        r#"{"type":"SEGMENT_END","segment_id":"turn7:seg_1","payload":{}}"#,
        r#"{"type":"SEGMENT_START","segment_id":"turn7:seg_2","segment_type":"text","payload":{}}"#,
        r#"{"type":"SEGMENT_CONTENT","segment_id":"turn7:seg_2","payload":{"delta":"Hi"}}"#,
        r#"{"type":"SEGMENT_END","segment_id":"turn7:seg_2","payload":{}}"#,
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn the_source_of_a_call_is_its_content_and_its_name_stands_in_the_start() {
    let stream = "<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";
    for cut in 0..stream.len() {
        let (head, tail) = stream.split_at(cut);
        let events = decode("hermes", &[head, tail], StreamEnd::Stop, Segments::default());
        assert_eq!(events[0]["payload"]["metadata"]["tool_name"], "dice", "cut at {cut}");
        let contents = events.iter().filter(|e| text(e, "type") == "SEGMENT_CONTENT");
        let content: String = contents.map(|e| text(&e["payload"], "delta")).collect();
        assert_eq!(content, r#"{"name": "dice", "arguments": {"sides": 6}}"#);
    }
}

#[test]
fn facts_keep_their_order_and_their_types_at_every_cut() {
    let stream =
        "[[SEG_START {\"type\":\"run_bash\",\"z\":[1],\"cwd\":\"/srv\",\"nice\":3}]]ls[[SEG_END]]";
    let facts = r#"{"z":[1],"cwd":"/srv","nice":3}"#;
    for cut in 0..stream.len() {
        let (head, tail) = stream.split_at(cut);
        let format = "segments-sentinel";
        let events = decode(format, &[head, tail], StreamEnd::Stop, Segments::default());
        let wanted: Value = serde_json::from_str(facts).unwrap();
        assert_eq!(events[0]["payload"]["metadata"], wanted, "cut at {cut}");
    }
    let mut events = vec![start(CallClass::RunBash)];
    for (key, value) in [("z", "[1]"), ("cwd", "\"/srv\""), ("nice", "3")] {
        events.push(meta(key, value, MetaRole::Value));
    }
    events.push(end(Outcome::Complete));
    let lines = project(events, Counter::default(), Segments::default());
    assert!(lines[0].contains(&format!("\"metadata\":{facts}")), "{}", lines[0]);
}

#[test]
fn a_start_goes_out_with_the_chunk_that_brought_it() {
    use toolweir_adapters::Project;
    use toolweir_segments::EventSink;
    let mut starts = 0;
    let mut sink = Project::new(Segments::default(), Counter::default(), |_| starts += 1);
    sink.event(start(CallClass::RunBash));
    sink.event(name("run_bash", Some("command")));
    sink.event(meta("background", "true", MetaRole::Literal));
    sink.chunk_end();
    drop(sink);
    assert_eq!(starts, 1);
}

#[test]
fn every_call_of_a_list_is_an_invocation_of_its_segment() {
    let events = vec![
        start(CallClass::Generic),
        delta("[1,2]"),
        end(Outcome::Complete),
        runs(0, "a", Some("{\"n\":1.50}")),
        runs(1, "b", Some("")),
    ];
    let lines = project(events, Counter::default(), Segments::default());
    assert_eq!(lines[3], r#"{"type":"INVOCATION","id":"seg_1","name":"a","arguments":{"n":1.50}}"#);
    assert_eq!(lines[4], r#"{"type":"INVOCATION","id":"seg_1.1","name":"b","arguments":{}}"#);
}

#[test]
fn the_arguments_of_a_native_call_are_the_content_of_its_segment() {
    use toolweir_adapters::{KindIds, Project};
    use toolweir_protocols::Request;
    use toolweir_protocols::segments::{Classes, NativeCalls, NativeDelta};
    let mut request = Request::default();
    request.emit.raw = true;
    let mut calls = NativeCalls::new(Some(Classes::default()), &request);
    let mut items = Vec::new();
    let mut sink = Project::new(Segments::default(), KindIds::default(), |item| {
        items.push(serde_json::to_value(&item).unwrap());
    });
    for (name, arguments) in
        [(Some("dice"), ""), (None, "{\"sides\": "), (None, "6}"), (Some(""), "")]
    {
        calls.call(NativeDelta { name, arguments, ..NativeDelta::default() }, &mut sink);
        sink.chunk_end();
    }
    let file = "{\"path\":\"/a\",\"content\":\"x\"}";
    let delta = NativeDelta { index: 1, name: Some("write_file"), arguments: file, id: None };
    calls.call(delta, &mut sink);
    calls.finish(StreamEnd::Stop, &mut sink);
    drop(sink);
    let said = |event: &Value| {
        let metadata = &event["payload"]["metadata"];
        let metadata = if metadata.is_null() { String::new() } else { metadata.to_string() };
        format!("{} {metadata}{}", text(event, "type"), text(&event["payload"], "delta"))
    };
    let wanted = [
        "SEGMENT_START {\"tool_name\":\"dice\"}",
        "SEGMENT_CONTENT {\"sides\": ",
        "SEGMENT_CONTENT 6}",
        "SEGMENT_END ",
        "INVOCATION ",
        "SEGMENT_START {\"path\":\"/a\"}",
        "SEGMENT_CONTENT x",
        "SEGMENT_END ",
        "INVOCATION ",
    ];
    assert_eq!(items.iter().map(said).collect::<Vec<_>>(), wanted);
}

/// The segments of a stream: type, metadata of the start, content, payload of the end.
fn segments(format: &str, chunks: &[&str]) -> Vec<(String, Value, String, Value)> {
    let mut found: Vec<(String, Value, String, Value)> = Vec::new();
    for mut event in decode(format, chunks, StreamEnd::Stop, Segments::default()) {
        let payload = event["payload"].take();
        match text(&event, "type").as_str() {
            "SEGMENT_START" => {
                let metadata = payload.get("metadata").cloned().unwrap_or_else(|| json!({}));
                found.push((text(&event, "segment_type"), metadata, String::new(), Value::Null));
            }
            "SEGMENT_CONTENT" => found.last_mut().unwrap().2.push_str(&text(&payload, "delta")),
            "SEGMENT_END" => found.last_mut().unwrap().3 = payload,
            _ => {}
        }
    }
    found
}

#[test]
fn founding_table_of_states_their_metadata_and_content() {
    let tool = |name: &str, key: &str, body: &str| {
        let path = if key == "command" { "" } else { "<arg name=\"path\">/a</arg>" };
        let body = format!("<arg name=\"{key}\">{body}</arg>");
        format!("<tool name=\"{name}\"><arguments>{path}{body}</arguments></tool>")
    };
    let sentinel = |header: &str| format!("[[SEG_START {header}]]x[[SEG_END]]");
    let (xml, marked) = ("segments-xml", "segments-sentinel");
    let blob = r#"{"tool": {"function": "dice", "parameters": {"sides": 6}}}"#;
    let table: [(&str, String, &str, Value, &str); 14] = [
        (xml, "Plain.".into(), "text", json!({}), "Plain."),
        (
            xml,
            "<tool name=\"dice\"><arguments><sides>6</sides></arguments></tool>".into(),
            "tool_call",
            json!({"tool_name": "dice"}),
            "<arguments><sides>6</sides></arguments>",
        ),
        ("segments-json", blob.into(), "tool_call", json!({}), blob),
        (xml, tool("write_file", "content", "x = 1"), "write_file", json!({"path": "/a"}), "x = 1"),
        (xml, tool("patch_file", "patch", "@@\n+x"), "patch_file", json!({"path": "/a"}), "@@\n+x"),
        (xml, tool("run_bash", "command", "ls"), "run_bash", json!({}), "ls"),
        (
            xml,
            "<write_file path=\"/a\">x = 1</write_file>".into(),
            "write_file",
            json!({"path": "/a"}),
            "x = 1",
        ),
        (xml, "<run_bash>ls</run_bash>".into(), "run_bash", json!({}), "ls"),
        (
            marked,
            sentinel(r#"{"type":"write_file","path":"/a","mode":7}"#),
            "write_file",
            json!({"path": "/a", "mode": 7}),
            "x",
        ),
        (
            marked,
            sentinel(r#"{"type":"patch_file","path":"/a"}"#),
            "patch_file",
            json!({"path": "/a"}),
            "x",
        ),
        (
            marked,
            sentinel(r#"{"type":"run_bash","cwd":"/"}"#),
            "run_bash",
            json!({"cwd": "/"}),
            "x",
        ),
        (marked, sentinel(r#"{"type":"reasoning"}"#), "reasoning", json!({}), "x"),
        (
            marked,
            sentinel(r#"{"type":"tool_call","tool_name":"dice","arguments":{"sides":6}}"#),
            "tool_call",
            json!({"tool_name": "dice", "arguments": {"sides": 6}}),
            "x",
        ),
        ("pass-through", "<run_bash>".into(), "text", json!({}), "<run_bash>"),
    ];
    for (format, stream, class, metadata, content) in table {
        let wanted = [(class.to_owned(), metadata, content.to_owned(), json!({}))];
        assert_eq!(segments(format, &[&stream]), wanted, "{stream}");
        let letters: Vec<&str> = stream.split_inclusive(|_| true).collect();
        assert_eq!(segments(format, &letters), wanted, "{stream}, letter by letter");
    }
}
