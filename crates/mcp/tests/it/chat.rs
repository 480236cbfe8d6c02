//! One answer: its text, its calls, and both at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolweir_mcp::{ChatConfig, ChatHost, HostItem, ModelChunk, ToolFailure, chunks, executor_fn};
use toolweir_protocols::ToolSet;
use toolweir_segments::StreamEnd;

use crate::support::{Bench, by_hand, call, format, host, line, lines, settle, text, tools};

#[tokio::test(start_paused = true)]
async fn a_call_between_words_runs_and_is_not_shown() {
    let (host, _) = host(ChatConfig::default());
    let answer =
        chunks(["I'll use ", "{\"tool\":", " \"echo\", ", "\"params\":", " {\"a\": 1}}", " now."]);
    let got = lines(host.process_streaming_response(answer).unwrap()).await;
    assert_eq!(got[0], "text \"I'll use \"");
    assert_eq!(got[1], "call seg_2 echo {\"a\": 1}");
    let life: Vec<_> = got.iter().filter(|l| l.contains("seg_2")).skip(1).collect();
    assert_eq!(
        life,
        [
            "requested seg_2",
            "approved seg_2",
            "executing seg_2",
            "finished seg_2 true",
            "executed seg_2 {\"a\": 1}"
        ]
    );
    assert!(got.contains(&"text \" now.\"".to_owned()));
    assert_eq!(got.last().unwrap(), "end stop calls 1 succeeded 1 failed 0 refused 0");
}

#[tokio::test(start_paused = true)]
async fn the_three_examples_of_the_founding_document() {
    for (tokens, shown, calls) in [
        (
            vec!["Let me check.\n\n", "{\"tool\": \"echo\",", " \"params\": {}", "}"],
            "Let me check.\n\n",
            1,
        ),
        (
            vec![
                "I'll use ",
                "{\"tool\":",
                " \"echo\", ",
                "\"params\":",
                " {\"expr\":",
                " \"2+2\"}}",
                " to help.",
            ],
            "I'll use  to help.",
            1,
        ),
        (
            vec!["The JSON format ", "{ key: value } ", "is common."],
            "The JSON format { key: value } is common.",
            0,
        ),
    ] {
        let (host, bench) = host(ChatConfig::default());
        let answer = chunks(tokens);
        assert_eq!(text(host.process_streaming_response(answer).unwrap()).await, shown);
        assert_eq!(bench.started.load(Ordering::SeqCst), calls, "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn any_cut_of_an_answer_gives_the_same_text_and_calls() {
    let answer = format!("A {} b {} c", call("echo", "{\"a\": \"} {\"}"), call("fail", "{}"));
    for size in 1..answer.len() {
        let (host, bench) = host(ChatConfig::default());
        let pieces: Vec<String> = answer.as_bytes().chunks(size).map(utf8).collect();
        let shown = text(host.process_streaming_response(chunks(pieces)).unwrap()).await;
        assert_eq!(shown, "A  b  c", "pieces of {size}");
        assert_eq!(bench.started.load(Ordering::SeqCst), 2);
    }
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn tools_run_while_the_text_goes_on() {
    let (host, bench) = host(ChatConfig::default());
    let (model, stream) = by_hand();
    let mut handle = host.process_streaming_response(stream).unwrap();
    model.send(format!("a {}", call("hang", "{}")).into()).unwrap();
    settle().await;
    assert_eq!(bench.running.load(Ordering::SeqCst), 1);
    // The tool hangs; text comes all the same.
    model.send(" more".into()).unwrap();
    let mut seen = Vec::new();
    while seen.last().is_none_or(|l| l != "text \" more\"") {
        seen.push(line(&handle.next().await.unwrap()));
    }
    assert!(seen.contains(&"executing seg_2".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_runs_what_was_whole() {
    let (host, bench) = host(ChatConfig::default());
    let cut = format!("a {} {{\"tool\": \"echo\", \"params\": {{\"b\"", call("echo", "{}"));
    let broken = [Ok(cut), Err("connection reset")];
    let mut handle = host.process_streaming_response(chunks(broken)).unwrap();
    let mut last = None;
    while let Some(item) = handle.next().await {
        last = Some(item);
    }
    let Some(HostItem::Finished(summary)) = last else { panic!("no end") };
    assert_eq!((summary.end, summary.calls), (StreamEnd::Aborted, 1));
    assert_eq!(summary.error.as_deref(), Some("connection reset"));
    assert_eq!(bench.started.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_panics_ends_the_answer() {
    let (host, _) = host(ChatConfig::default());
    let pieces = (0..3).map(|n| if n < 2 { "ab" } else { panic!("a stream that panics") });
    let mut handle = host.process_streaming_response(chunks(pieces)).unwrap();
    let mut seen = Vec::new();
    while let Some(item) = handle.next().await {
        seen.push(line(&item));
    }
    let end = "end aborted calls 0 succeeded 0 failed 0 refused 0";
    assert_eq!(seen, ["text \"ab\"", "text \"ab\"", end]);
}

#[tokio::test(start_paused = true)]
async fn nothing_behind_the_end_is_read() {
    let (host, _) = host(ChatConfig::default());
    let answer = [ModelChunk::from("a"), ModelChunk::End(StreamEnd::Length), "b".into()];
    let got = lines(host.process_streaming_response(chunks(answer)).unwrap()).await;
    assert_eq!(got, ["text \"a\"", "end length calls 0 succeeded 0 failed 0 refused 0"]);
}

#[tokio::test(start_paused = true)]
async fn any_wire_format_will_do() {
    for (name, answer) in [
        ("hermes", "a <tool_call>{\"name\": \"echo\", \"arguments\": {\"n\": 1}}</tool_call>"),
        ("morph-xml", "a <typed><days>1</days></typed>"),
        (
            "segments-xml",
            "a <tool name=\"echo\"><arguments><arg name=\"n\">1</arg></arguments></tool>",
        ),
    ] {
        let (host, bench) = host(ChatConfig::default());
        let host = host.with_protocol(format(name));
        let got = lines(host.process_streaming_response(chunks([answer])).unwrap()).await;
        assert!(got.last().unwrap().contains("succeeded 1"), "{name}: {got:?}");
        assert_eq!(bench.started.load(Ordering::SeqCst), 1, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_list_runs_under_the_id_of_its_segment() {
    let (host, _) = host(ChatConfig::default());
    let host = host.with_protocol(format("segments-json"));
    let answer =
        r#"[{"tool": "echo", "arguments": {"n": 1}}, {"tool": "echo", "arguments": {"n": 2}}]"#;
    let mut host_options = ChatConfig::default();
    host_options.request.set("segment_id_prefix", "t7:").unwrap();
    let prefixed = ChatHost::new(tools(), Arc::new(Bench::default()), host_options)
        .with_protocol(format("segments-json"));
    for (host, prefix) in [(host, ""), (prefixed, "t7:")] {
        let got = lines(host.process_streaming_response(chunks([answer])).unwrap()).await;
        let calls: Vec<_> = got.iter().filter(|l| l.starts_with("call ")).cloned().collect();
        assert_eq!(
            calls,
            [
                format!("call {prefix}seg_2 echo {{\"n\": 1}}"),
                format!("call {prefix}seg_4 echo {{\"n\": 2}}")
            ]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_apart_from_what_is_shown() {
    let (host, _) = host(ChatConfig::default());
    let host = host.with_protocol(format("hermes"));
    let answer = chunks(["<think>tide</think>", "Low."]);
    let got = lines(host.process_streaming_response(answer).unwrap()).await;
    assert!(got[0].starts_with("reasoning \"tide"), "{got:?}");
    assert!(got.contains(&"text \"Low.\"".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn an_executed_tool_has_the_founding_shape() {
    let executor = executor_fn(|name: String, arguments: String| async move {
        match name.as_str() {
            "echo" => Ok(toolweir_mcp::ToolOutput::new(arguments)),
            "late" => Ok(toolweir_mcp::ToolOutput::new("plain \"text\"")),
            _ => Err(ToolFailure::Tool("no".into())),
        }
    });
    let host = ChatHost::new(tools(), executor, ChatConfig::default());
    let answer = ["echo", "late", "fail"].map(|tool| call(tool, "{\"a\":1}"));
    let mut handle = host.process_streaming_response(chunks(answer)).unwrap();
    let mut shapes = Vec::new();
    while let Some(item) = handle.next().await {
        if let HostItem::Executed(tool) = item {
            shapes.push(tool.to_json());
        }
    }
    shapes.sort();
    assert_eq!(
        shapes,
        [
            r#"{"tool_name":"echo","parameters":{"a":1},"result":{"a":1},"execution_time_ms":0}"#,
            r#"{"tool_name":"fail","parameters":{"a":1},"result":{"error":"no"},"execution_time_ms":0}"#,
            r#"{"tool_name":"late","parameters":{"a":1},"result":"plain \"text\"","execution_time_ms":0}"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_format_that_does_not_know_an_option_says_so_at_once() {
    let mut config = ChatConfig::default();
    config.request.set("start_marker", "<x>").unwrap();
    let host = ChatHost::new(ToolSet::default(), Arc::new(Bench::default()), config);
    let error = host.process_streaming_response(chunks(["a"])).unwrap_err();
    assert!(error.to_string().contains("start_marker"), "{error}");
}
