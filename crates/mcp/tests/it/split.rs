//! The two views: reading one never waits for the other.

use std::sync::atomic::Ordering;

use toolweir_mcp::{ChatConfig, ProcessedToken, StreamingMode, TokenStream, ToolStream, chunks};

use crate::support::{by_hand, call, host, settle};

fn answer(calls: usize) -> String {
    (0..calls).map(|n| format!("{n} {} ", call("echo", "{}"))).collect()
}

async fn tokens(mut view: TokenStream) -> (usize, usize) {
    let (mut narrative, mut calls) = (0, 0);
    while let Some(token) = view.next().await {
        match token {
            ProcessedToken::Narrative(text) => narrative += text.len(),
            ProcessedToken::ToolCall(source) => {
                assert_eq!(source, call("echo", "{}"));
                calls += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    (narrative, calls)
}

async fn executed(mut view: ToolStream) -> usize {
    let mut count = 0;
    while view.next().await.is_some() {
        count += 1;
    }
    count
}

fn narrow() -> ChatConfig {
    let mut config = ChatConfig::default();
    config.channel_capacity = 1;
    config.calls.max_concurrent = 2;
    config
}

#[tokio::test(start_paused = true)]
async fn either_view_can_be_read_to_its_end_first() {
    for tokens_first in [true, false] {
        let (host, bench) = host(narrow());
        let answer = chunks([answer(100)]);
        let (token_stream, tool_stream) = host.process_streaming_response(answer).unwrap().split();
        if tokens_first {
            assert_eq!(tokens(token_stream).await, (390, 100));
            assert_eq!(executed(tool_stream).await, 100);
        } else {
            assert_eq!(executed(tool_stream).await, 100);
            assert_eq!(tokens(token_stream).await, (390, 100));
        }
        assert_eq!(bench.started.load(Ordering::SeqCst), 100);
    }
}

#[tokio::test(start_paused = true)]
async fn a_view_that_is_dropped_keeps_the_other_alive() {
    let (host, bench) = host(narrow());
    let (token_stream, tool_stream) =
        host.process_streaming_response(chunks([answer(100)])).unwrap().split();
    drop(token_stream);
    assert_eq!(executed(tool_stream).await, 100);
    assert_eq!(bench.started.load(Ordering::SeqCst), 100);
}

#[tokio::test(start_paused = true)]
async fn both_dropped_stop_everything() {
    let (host, bench) = host(ChatConfig::default());
    let (model, stream) = by_hand();
    let (token_stream, tool_stream) = host.process_streaming_response(stream).unwrap().split();
    model.send(call("hang", "{}").into()).unwrap();
    settle().await;
    assert_eq!(bench.running.load(Ordering::SeqCst), 1);
    drop(tool_stream);
    settle().await;
    assert_eq!(bench.running.load(Ordering::SeqCst), 1);
    drop(token_stream);
    settle().await;
    assert_eq!(bench.running.load(Ordering::SeqCst), 0);
    assert!(model.is_closed());
}

#[tokio::test(start_paused = true)]
async fn two_tasks_read_one_view_each() {
    let (host, _) = host(narrow());
    let (model, stream) = by_hand();
    let (token_stream, tool_stream) = host.process_streaming_response(stream).unwrap().split();
    let token_task = tokio::spawn(tokens(token_stream));
    let tool_task = tokio::spawn(executed(tool_stream));
    for _ in 0..20 {
        model.send(answer(5).into()).unwrap();
        settle().await;
    }
    drop(model);
    assert_eq!(token_task.await.unwrap(), (20 * 15, 100));
    assert_eq!(tool_task.await.unwrap(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_goes_away_does_not_swallow_the_call_to_the_other() {
    let (host, _) = host(ChatConfig::default());
    let (model, stream) = by_hand();
    let (mut token_stream, tool_stream) = host.process_streaming_response(stream).unwrap().split();
    let waiting = tokio::spawn(executed(tool_stream));
    settle().await;
    // The last to wait for the channel is a reader that stops waiting and keeps its view.
    let gone = tokio::spawn(async move {
        let waited = tokio::time::timeout(std::time::Duration::ZERO, token_stream.next()).await;
        assert!(waited.is_err());
        token_stream
    });
    let kept = gone.await.unwrap();
    model.send(call("echo", "{}").into()).unwrap();
    drop(model);
    assert_eq!(waiting.await.unwrap(), 1);
    assert_eq!(tokens(kept).await, (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_placeholder_stands_for_the_call_in_the_view() {
    let mut config = ChatConfig::default();
    config.streaming_mode =
        StreamingMode::WithPlaceholders { placeholder_text: "[Working...]".into() };
    let (host, _) = host(config);
    let answer = chunks([format!("a {} b", call("echo", "{}"))]);
    let (mut token_stream, tool_stream) = host.process_streaming_response(answer).unwrap().split();
    let mut shown = Vec::new();
    while let Some(token) = token_stream.next().await {
        shown.push(token);
    }
    let narrative = ["a ", "[Working...]", " b"].map(|t| ProcessedToken::Narrative(t.into()));
    assert_eq!(shown, narrative);
    assert_eq!(executed(tool_stream).await, 1);
}
