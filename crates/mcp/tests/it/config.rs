//! Every field of the settings does something. Limits of calls stand in `limits`, rounds in `rounds`, the
//! log in `record`, prompts in `prompt`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use toolweir_mcp::{ChatConfig, Growth, HostItem, StreamingMode, chunks};

use crate::support::{by_hand, call, format, host, line, lines, settle, text};

#[test]
fn defaults_are_those_of_the_documentation() {
    let config = ChatConfig::default();
    assert_eq!(config.streaming_mode, StreamingMode::SmartBuffering { max_buffer_chars: 200 });
    assert!(config.enhance_system_prompts);
    assert_eq!((config.max_tool_rounds, config.max_retries), (3, 2));
    assert!(!config.growing_calls);
    assert_eq!(config.channel_capacity, 100);
    assert_eq!(config.calls.timeout, Duration::from_secs(60));
    assert_eq!((config.calls.max_concurrent, config.calls.max_result_bytes), (100, 1 << 20));
    assert!(!config.instrumentation.log_token_classifications);
    assert!(config.instrumentation.log_performance_metrics);
}

#[tokio::test(start_paused = true)]
async fn passthrough_shows_every_chunk_as_it_came_and_runs_nothing() {
    let mut config = ChatConfig::default();
    config.streaming_mode = StreamingMode::Passthrough;
    let (host, bench) = host(config);
    let answer = [call("echo", "{}"), String::new(), "{\"to".into(), "ol".into()];
    let got = lines(host.process_streaming_response(chunks(answer)).unwrap()).await;
    assert_eq!(
        got,
        [
            "text \"{\\\"tool\\\": \\\"echo\\\", \\\"params\\\": {}}\"",
            "text \"{\\\"to\"",
            "text \"ol\"",
            "end stop calls 0 succeeded 0 failed 0 refused 0"
        ]
    );
    assert_eq!(bench.started.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn placeholders_stand_for_calls_that_run_while_the_text_goes_on() {
    for (placeholder, shown) in [("[Working...]", "a [Working...] b"), ("", "a  b")] {
        let mut config = ChatConfig::default();
        config.streaming_mode =
            StreamingMode::WithPlaceholders { placeholder_text: placeholder.into() };
        let (host, bench) = host(config);
        let (model, stream) = by_hand();
        let handle = host.process_streaming_response(stream).unwrap();
        model.send(format!("a {}", call("echo", "{}")).into()).unwrap();
        settle().await;
        assert_eq!(bench.started.load(Ordering::SeqCst), 1);
        model.send(" b".into()).unwrap();
        drop(model);
        assert_eq!(text(handle).await, shown);
    }
}

fn growing() -> ChatConfig {
    let mut config = ChatConfig::default();
    config.growing_calls = true;
    config
}

#[tokio::test(start_paused = true)]
async fn calls_are_shown_while_they_are_written_where_asked_for() {
    let (host, _) = host(growing());
    let (model, stream) = by_hand();
    let mut handle = host.process_streaming_response(stream).unwrap();
    let mut pieces = Vec::new();
    for chunk in [r#"{"tool": "echo", "params": {"n": "#, "1}", "} "] {
        model.send(chunk.into()).unwrap();
        settle().await;
    }
    drop(model);
    let mut arguments = String::new();
    while let Some(item) = handle.next().await {
        match &item {
            HostItem::Growing { growth: Growth::Arguments(more), .. } => arguments.push_str(more),
            HostItem::Growing { .. } | HostItem::Call(_) => pieces.push(line(&item)),
            _ => {}
        }
    }
    assert_eq!(pieces, ["growing seg_1 Started(\"echo\")", "call seg_1 echo {\"n\": 1}"]);
    assert_eq!(arguments, r#"{"n": 1}"#);
}

#[tokio::test(start_paused = true)]
async fn a_growing_call_that_is_cut_is_given_up() {
    let (host, _) = host(growing());
    let answer = chunks([r#"{"tool": "echo", "params": {"n": "ab"#]);
    let got = lines(host.process_streaming_response(answer).unwrap()).await;
    assert_eq!(got[0], "growing seg_1 Started(\"echo\")");
    assert!(got.contains(&"growing seg_1 GivenUp".to_owned()), "{got:?}");
    assert_eq!(got.last().unwrap(), "end stop calls 0 succeeded 0 failed 0 refused 0");
}

#[tokio::test(start_paused = true)]
async fn the_content_of_a_file_grows_as_arguments() {
    let (host, _) = host(growing());
    let host = host.with_protocol(format("segments-xml"));
    let file = "<write_file path=\"/a.py\">print(\"hi\")\n</write_file>";
    let pieces: Vec<String> = file.chars().map(String::from).collect();
    let mut handle = host.process_streaming_response(chunks(pieces)).unwrap();
    let (mut arguments, mut whole) = (String::new(), String::new());
    while let Some(item) = handle.next().await {
        match item {
            HostItem::Growing { growth: Growth::Arguments(more), .. } => arguments.push_str(&more),
            HostItem::Call(call) => whole = call.arguments.to_string(),
            _ => {}
        }
    }
    assert!(whole.contains("/a.py"), "{whole}");
    assert_eq!(arguments, whole);
}

#[tokio::test(start_paused = true)]
async fn max_buffer_chars_says_how_much_is_withheld() {
    for (most, length, goes_out) in [(200, 150, false), (200, 250, true), (50, 60, true)] {
        let mut config = ChatConfig::default();
        config.streaming_mode = StreamingMode::SmartBuffering { max_buffer_chars: most };
        let (host, _) = host(config);
        let (model, stream) = by_hand();
        let mut handle = host.process_streaming_response(stream).unwrap();
        model.send(format!("{{\"note\": \"{}", "x".repeat(length)).into()).unwrap();
        let out = tokio::time::timeout(Duration::from_millis(1), handle.next()).await;
        assert_eq!(out.is_ok(), goes_out, "{most} {length}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_option_of_the_request_goes_before_the_mode() {
    let mut config = ChatConfig::default();
    config.streaming_mode = StreamingMode::SmartBuffering { max_buffer_chars: 10_000 };
    config.request.set("max_buffer_chars", "50").unwrap();
    let (host, _) = host(config);
    let (model, stream) = by_hand();
    let mut handle = host.process_streaming_response(stream).unwrap();
    model.send(format!("{{\"note\": \"{}", "x".repeat(60)).into()).unwrap();
    assert!(matches!(handle.next().await, Some(HostItem::Narrative(_))));
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_calls_is_the_one_set() {
    let mut config = ChatConfig::default();
    config.calls.timeout = Duration::from_millis(7);
    let (host, _) = host(config);
    let before = Instant::now();
    let got = lines(host.process_streaming_response(chunks([call("hang", "{}")])).unwrap()).await;
    assert_eq!(before.elapsed(), Duration::from_millis(7));
    assert!(got.contains(&"executed seg_1 error: no answer within 7 ms".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn what_a_policy_hides_is_not_shown_and_what_it_does_not_is() {
    let broken = "a {\"tool\": \"echo\", \"params\": {\"k\": 1} oops} b";
    for (key, value, shown) in [
        ("malformed", "text", broken),
        ("malformed", "drop", "a oops} b"),
        // The call is read to its end: none of it is text.
        ("deny_keys", "k", "a  b"),
    ] {
        let mut config = ChatConfig::default();
        config.request.set(key, value).unwrap();
        let (host, bench) = host(config);
        let answer = if key == "deny_keys" { broken.replace(" oops", "") } else { broken.into() };
        let got = text(host.process_streaming_response(chunks([answer])).unwrap()).await;
        assert_eq!(got, shown, "{key} {value}");
        assert_eq!(bench.started.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn policies_of_the_request_hold() {
    let mut config = ChatConfig::default();
    config.request.set("text", "trim-edges").unwrap();
    let (host, _) = host(config);
    let answer = chunks([format!(" a {} b ", call("echo", "{}"))]);
    assert_eq!(text(host.process_streaming_response(answer).unwrap()).await, "ab");
}
