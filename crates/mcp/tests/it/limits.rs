//! Tools that misbehave, many calls, slow readers, readers that leave.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use toolweir_mcp::{ChatConfig, ChatHost, HostItem, ToolFailure, chunks, executor_fn};

use crate::support::{MS, by_hand, call, host, line, lines, settle, tools};

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_given_up_in_time() {
    let (host, bench) = host(ChatConfig::default());
    let before = Instant::now();
    let got = lines(host.process_streaming_response(chunks([call("hang", "{}")])).unwrap()).await;
    assert_eq!(before.elapsed(), Duration::from_secs(60));
    assert!(got.contains(&"executed seg_1 error: no answer within 60000 ms".to_owned()));
    assert_eq!(bench.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_is_none() {
    let mut config = ChatConfig::default();
    config.calls.timeout = 99 * MS;
    let (host, bench) = host(config);
    let answer = chunks([call("late", "{}"), call("echo", "{}")]);
    let got = lines(host.process_streaming_response(answer).unwrap()).await;
    assert!(got.contains(&"executed seg_1 error: no answer within 99 ms".to_owned()), "{got:?}");
    assert_eq!(got.last().unwrap(), "end stop calls 2 succeeded 1 failed 1 refused 0");
    assert_eq!(bench.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn tools_that_fail_panic_die_or_answer_late_end_nothing_but_their_call() {
    let (host, _) = host(ChatConfig::default());
    let answer: Vec<String> =
        ["fail", "panic", "closed", "late", "echo"].iter().map(|tool| call(tool, "{}")).collect();
    let mut handle = host.process_streaming_response(chunks(answer)).unwrap();
    let mut results = Vec::new();
    while let Some(item) = handle.next().await {
        if let HostItem::Executed(tool) = item {
            let said = tool.result.map_or_else(|e| format!("{e:?}"), |output| output.content);
            results.push(format!("{} {said} {}", tool.tool_name, tool.elapsed.as_millis()));
        }
    }
    results.sort();
    assert_eq!(
        results,
        [
            "closed Closed 0",
            "echo {} 0",
            "fail Tool(\"no such gauge\") 0",
            "late late 100",
            "panic Panicked 0"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn ten_mebibytes_pass_where_they_are_allowed_and_fail_where_not() {
    for (limit, passes) in [(1 << 20, false), (10 << 20, true), ((10 << 20) - 1, false)] {
        let mut config = ChatConfig::default();
        config.calls.max_result_bytes = limit;
        let (host, _) = host(config);
        let mut handle = host.process_streaming_response(chunks([call("huge", "{}")])).unwrap();
        let mut result = None;
        while let Some(item) = handle.next().await {
            if let HostItem::Executed(tool) = item {
                result = Some(tool.result);
            }
        }
        match result.unwrap() {
            Ok(output) => assert!(passes && output.content.len() == 10 << 20),
            Err(failure) => {
                assert!(!passes);
                assert_eq!(failure, ToolFailure::TooLarge { bytes: 10 << 20, limit });
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_words_of_a_failure_are_bounded_as_a_result_is() {
    let loud = executor_fn(|name: String, _| async move {
        let said = "x".repeat(100);
        Err(match &*name {
            "fail" => ToolFailure::Tool(said),
            _ => ToolFailure::Protocol { code: -32000, message: said },
        })
    });
    for (limit, passes) in [(99, false), (100, true)] {
        let mut config = ChatConfig::default();
        config.calls.max_result_bytes = limit;
        let host = ChatHost::new(tools(), loud.clone(), config);
        let answer = [call("fail", "{}"), call("echo", "{}")];
        let mut handle = host.process_streaming_response(chunks(answer)).unwrap();
        let mut failures = 0;
        while let Some(item) = handle.next().await {
            if let HostItem::Executed(tool) = item {
                let failure = tool.result.unwrap_err();
                let large = ToolFailure::TooLarge { bytes: 100, limit };
                assert_eq!(failure != large, passes, "{failure:?}");
                failures += 1;
            }
        }
        assert_eq!(failures, 2);
    }
}

fn many(tool: &str, count: usize) -> String {
    (0..count).map(|n| call(tool, &format!("{{\"n\": {n}}}"))).collect()
}

#[tokio::test(start_paused = true)]
async fn a_hundred_calls_of_one_answer_run_at_once() {
    let (host, bench) = host(ChatConfig::default());
    let before = Instant::now();
    let answer = chunks([many("late", 100)]);
    let got = lines(host.process_streaming_response(answer).unwrap()).await;
    assert_eq!(before.elapsed(), 100 * MS);
    assert_eq!(bench.most.load(Ordering::SeqCst), 100);
    assert_eq!(got.last().unwrap(), "end stop calls 100 succeeded 100 failed 0 refused 0");
}

#[tokio::test(start_paused = true)]
async fn concurrency_is_bounded_and_every_call_gets_its_turn() {
    for (most, took) in [(1, 100), (7, 15), (0, 100)] {
        let mut config = ChatConfig::default();
        config.calls.max_concurrent = most;
        config.channel_capacity = 0;
        let (host, bench) = host(config);
        let before = Instant::now();
        let answer = chunks([many("late", 100)]);
        let got = lines(host.process_streaming_response(answer).unwrap()).await;
        assert_eq!(before.elapsed(), took * 100 * MS);
        assert_eq!(bench.most.load(Ordering::SeqCst), most.max(1));
        assert!(got.last().unwrap().contains("succeeded 100"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_unread_handle_stops_nothing_within_the_bound_and_all_beyond() {
    let mut config = ChatConfig::default();
    config.calls.max_concurrent = 10;
    config.channel_capacity = 1;
    let (host, bench) = host(config);
    let mut handle = host.process_streaming_response(chunks([many("echo", 50)])).unwrap();
    settle().await;
    assert_eq!(bench.started.load(Ordering::SeqCst), 10);
    assert_eq!(bench.running.load(Ordering::SeqCst), 0, "the ten have run to their end");
    let mut last = String::new();
    while let Some(item) = handle.next().await {
        last = line(&item);
    }
    assert_eq!(last, "end stop calls 50 succeeded 50 failed 0 refused 0");
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_slows_the_model_down_and_costs_no_memory() {
    let mut config = ChatConfig::default();
    config.channel_capacity = 2;
    let (host, _) = host(config);
    let read = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = read.clone();
    let endless = (0..10_000).map(move |n| {
        counted.fetch_add(1, Ordering::SeqCst);
        format!("{n} ")
    });
    let mut handle = host.process_streaming_response(chunks(endless)).unwrap();
    for taken in 0..20 {
        settle().await;
        // Two in the channel, one that waits for a place.
        assert_eq!(read.load(Ordering::SeqCst), taken + 3);
        assert!(matches!(handle.next().await, Some(HostItem::Narrative(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_handle_stops_the_stream_and_every_tool() {
    let (host, bench) = host(ChatConfig::default());
    let (model, stream) = by_hand();
    let mut handle = host.process_streaming_response(stream).unwrap();
    model.send(many("hang", 20).into()).unwrap();
    handle.next().await.unwrap();
    settle().await;
    assert_eq!(bench.running.load(Ordering::SeqCst), 20);
    drop(handle);
    settle().await;
    assert_eq!(bench.running.load(Ordering::SeqCst), 0);
    assert_eq!(bench.dropped.load(Ordering::SeqCst), 20);
    assert!(model.is_closed());
}

#[tokio::test(start_paused = true)]
async fn cancelling_waits_until_everything_is_gone() {
    for calls in [0, 1, 50] {
        let (host, bench) = host(ChatConfig::default());
        let (model, stream) = by_hand();
        let handle = host.process_streaming_response(stream).unwrap();
        model.send(many("hang", calls).into()).unwrap();
        settle().await;
        handle.cancel().await;
        assert_eq!(bench.running.load(Ordering::SeqCst), 0);
        assert_eq!(bench.dropped.load(Ordering::SeqCst), calls);
        assert!(model.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn losing_the_future_of_the_next_item_loses_nothing() {
    let (host, _) = host(ChatConfig::default());
    let (model, stream) = by_hand();
    let mut handle = host.process_streaming_response(stream).unwrap();
    let mut got = String::new();
    for word in ["a", "b", "c"] {
        assert!(tokio::time::timeout(MS, handle.next()).await.is_err());
        model.send(word.into()).unwrap();
        if let Some(HostItem::Narrative(text)) = handle.next().await {
            got.push_str(&text);
        }
    }
    assert_eq!(got, "abc");
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_of_an_answer_are_text() {
    let mut config = ChatConfig::default();
    config.request.limits.max_calls = 5;
    let (host, bench): (ChatHost, _) = host(config);
    let got = lines(host.process_streaming_response(chunks([many("echo", 8)])).unwrap()).await;
    assert!(got.contains(&"diagnostic limit::max_calls".to_owned()));
    assert_eq!(bench.started.load(Ordering::SeqCst), 5);
}
