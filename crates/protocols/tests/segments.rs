//! What fixtures cannot say of the segment formats: memory, promptness to the byte, own classes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up fails"
)]

use toolweir_protocols::segments::{
    Classes, ContentClass, Fact, NativeCalls, NativeDelta, SegmentsProtocol, Strategy,
};
use toolweir_protocols::{Chunk, Decoder, ProtocolExt, Registry, Request};
use toolweir_segments::{Event, EventSink, Fold, StreamEnd, Turn};

fn decoder(format: &str) -> Box<dyn Decoder> {
    Registry::builtin().get(format).unwrap().decoder(&Request::default()).unwrap()
}

#[test]
fn a_long_file_streams_in_deltas_of_its_chunks() {
    for open in [
        "<write_file path='/a'>",
        "<tool name='write_file'><arg name='path'>/a</arg><arg name='content'>",
        "<tool name='write_file'><arg name='path'>/a</arg><arg name='content'>__START_CONTENT__\n",
    ] {
        let mut decoder = decoder("segments-xml");
        let mut sink = |_: Event<'_>| {};
        decoder.push(Chunk::text(open), &mut sink);
        let chunk = "let text = \"naïve\"; // if a < b && c > d { e(); }\n".repeat(80);
        let (mut bytes, mut lent) = (0, 0);
        let times = (10 << 20) / chunk.len();
        for _ in 0..times {
            let mut sink = |event: Event<'_>| {
                if let Event::Delta(text) = event {
                    bytes += text.len();
                    if chunk.as_bytes().as_ptr_range().contains(&text.as_ptr()) {
                        lent += text.len();
                    }
                }
            };
            decoder.push(Chunk::text(&chunk), &mut sink);
        }
        // Only a line break that may stand before the end is withheld, and so nothing is kept.
        assert!(bytes + 2 >= times * chunk.len(), "{open}: {bytes}");
        assert!(lent + times * 2 >= bytes, "{open}: {lent} of {bytes} lent from the chunks");
    }
}

#[test]
fn what_is_withheld_is_only_a_beginning_of_the_end() {
    let mut decoder = decoder("segments-xml");
    let mut fold = Fold::new();
    let mut text = String::new();
    for (chunk, shown) in [
        ("<write_file path='/a'>a < b", "a < b"),
        (" <", "a < b "),
        ("/wr", "a < b "),
        ("ong> x", "a < b </wrong> x"),
        ("</write_file", "a < b </wrong> x"),
    ] {
        decoder.push(Chunk::text(chunk), &mut fold);
        text.clone_from(&fold.turn().parts[0].text);
        assert_eq!(text, shown, "after {chunk:?}");
    }
    decoder.push(Chunk::text(">"), &mut fold);
    decoder.finish(StreamEnd::Stop, &mut fold);
    assert_eq!(fold.turn().calls().count(), 1);
}

#[test]
fn a_segment_starts_as_soon_as_its_path_is_known() {
    let mut decoder = decoder("segments-xml");
    let mut fold = Fold::new();
    decoder.push(Chunk::text("<tool name=\"write_file\"><arguments>"), &mut fold);
    assert!(fold.turn().parts.is_empty());
    decoder.push(Chunk::text("<arg name='path'>/t/d.py</arg"), &mut fold);
    assert!(fold.turn().parts.is_empty());
    decoder.push(Chunk::text(">"), &mut fold);
    assert_eq!(fold.turn().parts[0].meta_value("path"), Some("/t/d.py"));
}

#[test]
fn a_class_is_registered_by_name_and_as_a_value() {
    let note = ContentClass::new("save_note", "text")
        .segment_type("note")
        .tag("note")
        .require("title")
        .fact(Fact::boolean("pinned"))
        .markers("<<<", ">>>");
    let protocol = SegmentsProtocol::new("mine", &[Strategy::XmlTag, Strategy::Sentinel])
        .with_class(note.clone());
    let text = "<NOTE title='a' pinned='yes'>one</note>\
                <tool name=\"Save_Note\"><arg name=\"title\">b</arg><arg name=\"text\"><<<two</arg>>>></arg></tool>\
                [[SEG_START {\"type\":\"note\",\"title\":\"c\"}]]three[[SEG_END]]";
    let turn = protocol.parse(text, &Request::default()).unwrap();
    let calls: Vec<_> = turn.calls().map(|c| (c.part.kind.name(), c.name, c.arguments)).collect();
    assert_eq!(
        calls,
        [
            ("note", "save_note", r#"{"title":"a","pinned":true,"text":"one"}"#),
            ("note", "save_note", r#"{"title":"b","text":"two</arg>"}"#),
            ("note", "save_note", r#"{"title":"c","text":"three"}"#),
        ]
    );
    let plain = SegmentsProtocol::xml().parse(text, &Request::default()).unwrap();
    assert_eq!(plain.calls().count(), 1, "nothing is global");
    assert_eq!(plain.calls().next().unwrap().part.kind.name(), "tool_call");
    assert_eq!(SegmentsProtocol::xml().with_class(note).classes().iter().count(), 5);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let registry = Registry::builtin();
    for (key, value) in [
        ("parse_tool_calls", "maybe"),
        ("strategy_order", "xml"),
        ("provider", "acme"),
        ("json_tool_patterns", "[\"tool\"]"),
        ("json_tool_patterns", "{\"a\":"),
    ] {
        let mut request = Request::default();
        request.set(key, value).unwrap();
        let error = registry.get("segments-json").unwrap().decoder(&request).err().unwrap();
        assert!(error.to_string().contains(key), "{error}");
    }
    let mut request = Request::default();
    request.set("segment_id_prefix", "turn_1:").unwrap();
    assert!(registry.get("segments-xml").unwrap().decoder(&request).is_ok());
}

#[test]
fn rendered_calls_read_back_and_others_are_refused() {
    let registry = Registry::builtin();
    let call = |name: &str, arguments: &str| toolweir_protocols::ToolCall::new(name, arguments);
    for format in ["segments-xml", "segments-sentinel", "segments-json"] {
        let protocol = registry.get(format).unwrap();
        for arguments in [
            r#"{"path":"/a.py","content":"x </arg> </write_file>\n"}"#,
            r#"{"path":"/a.py","content":""}"#,
        ] {
            let text = protocol.format_tool_call(&call("write_file", arguments)).unwrap();
            let turn = protocol.parse(&text, &Request::default()).unwrap();
            let back = turn.calls().next().unwrap().arguments.replace(": ", ":");
            assert_eq!(back, arguments, "{format}: {text}");
        }
    }
    let xml = registry.get("segments-xml").unwrap();
    for (name, arguments) in [
        ("write_file", r#"{"content":"no path"}"#),
        ("write_file", r#"{"path":"/a","content":"x","mode":"w"}"#),
        ("run_bash", r#"{"command":" "}"#),
        ("Write_File", r#"{"path":"/a","content":"x"}"#),
        ("", "{}"),
    ] {
        assert!(xml.format_tool_call(&call(name, arguments)).is_err(), "{name} {arguments}");
    }
    assert!(registry.get("pass-through").unwrap().format_tool_call(&call("f", "{}")).is_err());
}

fn native(classes: Option<Classes>, parts: &[Part<'_>], end: StreamEnd) -> Turn {
    let mut calls = NativeCalls::new(classes, &Request::default());
    let check = toolweir_segments::Check::new(toolweir_segments::CheckOptions::default());
    let mut sink = toolweir_segments::Tee(Fold::new(), check);
    let sink_of: &mut dyn EventSink = &mut sink;
    for part in parts {
        match part {
            Part::Text(text) => calls.text(text, sink_of),
            Part::Thought(text) => calls.reasoning(text, sink_of),
            Part::Call(index, id, name, arguments) => {
                let delta = NativeDelta { index: *index, id: *id, name: *name, arguments };
                calls.call(delta, sink_of);
            }
        }
    }
    calls.finish(end, sink_of);
    assert_eq!(sink.1.violations(), []);
    sink.0.into_turn()
}

enum Part<'a> {
    Text(&'a str),
    Thought(&'a str),
    Call(u64, Option<&'a str>, Option<&'a str>, &'a str),
}

/// Kinds with their text or arguments, and the runnable calls.
fn shown(turn: &Turn) -> (Vec<String>, Vec<String>) {
    let part = |part: &toolweir_segments::Part| {
        let what = if part.text.is_empty() { &part.args } else { &part.text };
        format!("{} {what}", part.kind.name())
    };
    let call = |call: toolweir_segments::Call<'_>| format!("{} {}", call.name, call.arguments);
    (turn.parts.iter().map(part).collect(), turn.calls().map(call).collect())
}

#[test]
fn native_arguments_go_out_as_they_come() {
    let parts = [
        Part::Thought("hm"),
        Part::Text("Now. "),
        Part::Call(3, Some("c1"), Some("f"), ""),
        Part::Call(3, None, None, " {\"a\":"),
        Part::Call(3, None, None, " 1}"),
    ];
    let turn = native(None, &parts, StreamEnd::Stop);
    let (segments, calls) = shown(&turn);
    assert_eq!(segments, ["reasoning hm", "text Now. ", "tool_call  {\"a\": 1}"]);
    assert_eq!(calls, ["f  {\"a\": 1}"]);
    assert_eq!(turn.calls().next().unwrap().native_id, Some("c1"));
}

#[test]
fn interleaved_calls_come_out_one_after_the_other() {
    let parts = [
        Part::Call(7, Some("a"), Some("f"), "{\"x\":"),
        Part::Call(9, Some("b"), None, "{\"y\""),
        Part::Text("between"),
        Part::Call(9, None, Some("g"), ":2}"),
        Part::Call(7, None, None, "1}"),
        Part::Call(9, None, None, " "),
    ];
    let (segments, calls) = shown(&native(None, &parts, StreamEnd::Stop));
    assert_eq!(segments, ["tool_call {\"x\":1}", "tool_call {\"y\":2}", "text between"]);
    assert_eq!(calls, ["f {\"x\":1}", "g {\"y\":2}"]);
}

#[test]
fn only_whole_arguments_behind_a_stop_are_run() {
    let run = |arguments, end| {
        let parts = [Part::Call(0, None, Some("f"), arguments)];
        shown(&native(None, &parts, end)).1
    };
    assert_eq!(run("", StreamEnd::Stop), ["f {}"]);
    assert_eq!(run(" {} ", StreamEnd::Stop), ["f  {} "]);
    for (arguments, end) in [
        ("{}", StreamEnd::Length),
        ("{}", StreamEnd::Aborted),
        ("{\"a\":", StreamEnd::Stop),
        ("{}}", StreamEnd::Stop),
        ("{'a':1}", StreamEnd::Stop),
        ("[1]", StreamEnd::Stop),
        ("7", StreamEnd::Stop),
    ] {
        assert!(run(arguments, end).is_empty(), "{arguments} {end}");
    }
    let nameless = [Part::Call(0, Some("x"), None, "{}"), Part::Text("t")];
    let turn = native(None, &nameless, StreamEnd::Stop);
    assert_eq!((turn.text().as_str(), turn.has_errors()), ("t", true));
}

#[test]
fn empty_text_ends_no_native_call() {
    for empty in [Part::Text(""), Part::Thought("")] {
        let parts = [Part::Call(0, None, Some("f"), "{}"), empty];
        assert!(shown(&native(None, &parts, StreamEnd::Length)).1.is_empty());
        assert_eq!(shown(&native(None, &parts, StreamEnd::Stop)).1, ["f {}"]);
    }
}

#[test]
fn native_files_stream_by_field() {
    let classes = || Some(Classes::default());
    let file = |arguments: &[&'static str]| {
        let mut parts = vec![Part::Call(0, Some("c"), Some("Write_File"), "")];
        parts.extend(arguments.iter().map(|text| Part::Call(0, None, None, text)));
        native(classes(), &parts, StreamEnd::Stop)
    };
    let turn =
        file(&["{\"path\":\"/a\",\"mode\":[1, 2],\"content\":\"\\u00e", "9\\ud83d", "\\ude80\"}"]);
    let (segments, calls) = shown(&turn);
    assert_eq!(segments, ["write_file é🚀"]);
    assert_eq!(calls, ["write_file {\"path\":\"/a\",\"mode\":[1, 2],\"content\":\"é🚀\"}"]);
    let (_, calls) = shown(&file(&["{\"content\":\"x\"", ",\"path\":\"/late\"}"]));
    assert_eq!(calls, ["write_file {\"path\":\"/late\",\"content\":\"x\"}"]);
    let missing = file(&["{\"content\":\"x\",\"meta\":{\"path\":\"no\"}}"]);
    assert_eq!(shown(&missing), (vec!["write_file x".to_owned()], Vec::new()));
    assert_eq!(missing.diagnostics[0].code, "segments::missing-argument");
    let command = [Part::Call(0, None, Some("run_bash"), "{\"command\":\"ls\"}")];
    let (segments, _) = shown(&native(classes(), &command, StreamEnd::Stop));
    assert_eq!(segments, ["tool_call {\"command\":\"ls\"}"]);
}

#[test]
fn native_calls_beyond_the_limits_are_left_out() {
    let mut request = Request::default();
    request.set("max_calls", "1").unwrap();
    request.set("max_held_bytes", "8").unwrap();
    let mut calls = NativeCalls::new(None, &request);
    let mut fold = Fold::new();
    for index in 0..3 {
        let delta = NativeDelta { index, name: Some("f"), ..NativeDelta::default() };
        calls.call(NativeDelta { arguments: "{\"a\":", ..delta }, &mut fold);
    }
    calls.text("a text that cannot wait", &mut fold);
    calls.finish(StreamEnd::Stop, &mut fold);
    let turn = fold.into_turn();
    let codes: Vec<_> = turn.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(turn.text(), "a text that cannot wait");
    assert_eq!(codes, ["limit::max_calls", "limit::max_held_bytes", "segments::incomplete"]);
}

#[test]
fn what_waits_for_a_native_call_keeps_its_order() {
    let parts = [
        Part::Call(0, None, Some("f"), "{\"a\":"),
        Part::Thought("one "),
        Part::Thought("two"),
        Part::Text("three "),
        Part::Text("four"),
        Part::Call(0, None, None, "1}"),
        // It has ended: what else comes for it is told, and is no other call.
        Part::Call(0, None, None, "{\"a\":2}"),
    ];
    let turn = native(None, &parts, StreamEnd::Stop);
    let (segments, calls) = shown(&turn);
    assert_eq!(segments, ["tool_call {\"a\":1}", "reasoning one two", "text three four"]);
    assert_eq!(calls, ["f {\"a\":1}"]);
    let codes: Vec<_> = turn.diagnostics.iter().map(|d| d.code).collect();
    assert!(codes.contains(&"engine::bad-arguments"), "{codes:?}");
}

#[test]
fn a_native_call_whose_name_is_too_long_is_not_run() {
    let mut request = Request::default();
    request.set("max_name_bytes", "2").unwrap();
    let mut calls = NativeCalls::new(None, &request);
    let mut fold = Fold::new();
    let delta = NativeDelta { name: Some("fold"), arguments: "{}", ..NativeDelta::default() };
    calls.call(delta, &mut fold);
    calls.finish(StreamEnd::Stop, &mut fold);
    let turn = fold.into_turn();
    assert_eq!(turn.calls().count(), 0);
    let codes: Vec<_> = turn.diagnostics.iter().map(|d| d.code).collect();
    assert!(codes.contains(&"limit::max_name_bytes"), "{codes:?}");
}
