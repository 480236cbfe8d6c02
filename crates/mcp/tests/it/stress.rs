//! Many answers at once on many threads, readers of every habit: everything must come to its end. There is
//! no clock in it, so a deadlock is a test that does not end.

use std::sync::atomic::Ordering;

use toolweir_mcp::{ChatConfig, HostItem, TokenStream, ToolStream, chunks};

use crate::support::{Bench, call, host};

const CALLS: usize = 120;

fn answer() -> Vec<String> {
    let text: String = (0..CALLS)
        .map(|n| format!("{n} {}\n", call(["echo", "fail", "typed"][n % 3], "{\"a\": [1, 2]}")))
        .collect();
    text.as_bytes().chunks(11).map(|c| String::from_utf8(c.to_vec()).unwrap()).collect()
}

async fn tokens(mut view: TokenStream) -> usize {
    let mut count = 0;
    while let Some(token) = view.next().await {
        count += usize::from(matches!(token, toolweir_mcp::ProcessedToken::ToolCall(_)));
    }
    count
}

async fn tools(mut view: ToolStream) -> usize {
    let mut count = 0;
    while view.next().await.is_some() {
        count += 1;
    }
    count
}

/// One answer read in one of seven ways.
async fn read(habit: usize) {
    let mut config = ChatConfig::default();
    config.channel_capacity = 1 + habit % 3;
    config.calls.max_concurrent = 1 + habit % 5;
    let (host, bench) = host(config);
    let mut handle = host.process_streaming_response(chunks(answer())).unwrap();
    match habit % 7 {
        0 => {
            let mut executed = 0;
            while let Some(item) = handle.next().await {
                executed += usize::from(matches!(item, HostItem::Executed(_)));
            }
            assert_eq!(executed, CALLS);
        }
        1 => {
            let (token_view, tool_view) = handle.split();
            let (a, b) = (tokio::spawn(tokens(token_view)), tokio::spawn(tools(tool_view)));
            assert_eq!((a.await.unwrap(), b.await.unwrap()), (CALLS, CALLS));
        }
        2 => {
            let (token_view, tool_view) = handle.split();
            assert_eq!(tokens(token_view).await, CALLS);
            assert_eq!(tools(tool_view).await, CALLS);
        }
        3 => {
            let (token_view, tool_view) = handle.split();
            assert_eq!(tools(tool_view).await, CALLS);
            assert_eq!(tokens(token_view).await, CALLS);
        }
        4 => {
            let (token_view, tool_view) = handle.split();
            drop(token_view);
            assert_eq!(tools(tool_view).await, CALLS);
        }
        5 => {
            handle.next().await.unwrap();
            handle.cancel().await;
            assert_eq!(bench.running.load(Ordering::SeqCst), 0);
        }
        _ => drop(handle),
    }
    assert_bounded(&bench, 1 + habit % 5);
}

fn assert_bounded(bench: &Bench, most: usize) {
    assert!(bench.most.load(Ordering::SeqCst) <= most);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_answer_comes_to_its_end_however_it_is_read() {
    let answers: Vec<_> = (0..70).map(|habit| tokio::spawn(read(habit))).collect();
    for answer in answers {
        answer.await.unwrap();
    }
}
