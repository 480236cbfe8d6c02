//! Whether calls run: approval, refusal, declaration, arguments.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use toolweir_mcp::{
    ArgumentCheck, ChatConfig, ChatHost, Decision, HostCall, HostItem, ToolOutput, chunks,
    executor_fn,
};
use toolweir_protocols::ToolSet;

use crate::support::{Bench, call, format, host, lines, settle, tools};

#[tokio::test(start_paused = true)]
async fn a_refused_call_never_reaches_the_executor() {
    let (host, bench) = host(ChatConfig::default());
    let host = host.with_approval(|call: HostCall| async move {
        if call.arguments.contains("secret") {
            return Decision::Refuse("not that file".into());
        }
        Decision::Approve
    });
    let answer = [call("echo", "{\"f\": \"secret\"}"), call("echo", "{\"f\": \"open\"}")];
    let got = lines(host.process_streaming_response(chunks(answer)).unwrap()).await;
    assert!(got.contains(&"refused seg_1 the call was refused: not that file".to_owned()));
    assert!(!got.contains(&"executing seg_1".to_owned()));
    assert!(got.contains(&"executed seg_2 {\"f\": \"open\"}".to_owned()));
    assert_eq!(got.last().unwrap(), "end stop calls 2 succeeded 1 failed 0 refused 1");
    assert_eq!(bench.started.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn an_undeclared_call_never_reaches_approval_or_executor() {
    // A marked format reports names it does not know.
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (host, bench) = host(ChatConfig::default());
    let seen = asked.clone();
    let host = host.with_protocol(format("hermes")).with_approval(move |call: HostCall| {
        seen.lock().unwrap().push(call.name.to_string());
        std::future::ready(Decision::Approve)
    });
    let answer = ["rm_rf", "Echo", "echo"].map(|name| {
        format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>")
    });
    let got = lines(host.process_streaming_response(chunks(answer)).unwrap()).await;
    let refused = |l: &&String| l.ends_with("there is no tool of that name");
    assert_eq!(got.iter().filter(refused).count(), 2, "{got:?}");
    assert_eq!(bench.started.load(Ordering::SeqCst), 1);
    assert_eq!(*asked.lock().unwrap(), ["echo"]);
}

#[tokio::test(start_paused = true)]
async fn a_host_without_tools_runs_nothing() {
    let bench = Arc::new(Bench::default());
    let host = ChatHost::new(ToolSet::default(), bench.clone(), ChatConfig::default());
    let got = lines(host.process_streaming_response(chunks([call("echo", "{}")])).unwrap()).await;
    assert_eq!(got.last().unwrap(), "end stop calls 1 succeeded 0 failed 0 refused 1");
    assert_eq!(bench.started.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn calls_wait_for_approval_side_by_side_and_outside_of_the_limit() {
    let mut config = ChatConfig::default();
    config.calls.max_concurrent = 1;
    let (host, bench) = host(config);
    let gate = Arc::new(Semaphore::new(0));
    let door = gate.clone();
    let host = host.with_approval(move |call: HostCall| {
        let door = door.clone();
        async move {
            // The first waits for a person.
            if call.ordinal == 0 {
                door.acquire().await.unwrap().forget();
            }
            Decision::Approve
        }
    });
    let answer = [call("echo", "{\"n\": 0}"), call("echo", "{\"n\": 1}")];
    let mut handle = host.process_streaming_response(chunks(answer)).unwrap();
    settle().await;
    assert_eq!(bench.started.load(Ordering::SeqCst), 1);
    gate.add_permits(1);
    let mut order = Vec::new();
    while let Some(item) = handle.next().await {
        if let HostItem::Executed(tool) = item {
            order.push(tool.ordinal);
        }
    }
    assert_eq!(order, [1, 0]);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_panics_refuses() {
    let (host, bench) = host(ChatConfig::default());
    let host = host.with_approval(|_: HostCall| async { panic!("an approval that panics") });
    let got = lines(host.process_streaming_response(chunks([call("echo", "{}")])).unwrap()).await;
    assert!(got.iter().any(|l| l.contains("no decision could be made")), "{got:?}");
    assert_eq!(bench.started.load(Ordering::SeqCst), 0);
}

/// A host whose executor gives its arguments back, and which reads arguments as they are written.
fn unread(config: ChatConfig) -> ChatHost {
    let executor = executor_fn(|_, arguments| async move { Ok(ToolOutput::new(arguments)) });
    ChatHost::new(tools(), executor, config)
}

#[tokio::test(start_paused = true)]
async fn arguments_are_made_to_fit_and_left_alone_where_they_do() {
    for (deltas, written, sent) in [
        ("canonical", r#"{ "days": 3 }"#, r#"{ "days": 3 }"#),
        ("canonical", r#"{"days": "3"}"#, r#"{"days": 3}"#),
        // Here the decoder changes nothing, so the host does.
        ("source", r#"{ "days": 3 }"#, r#"{ "days": 3 }"#),
        ("source", r#"{"days": "3"}"#, r#"{"days":3}"#),
    ] {
        let mut config = ChatConfig::default();
        config.request.set("deltas", deltas).unwrap();
        let handle = unread(config).process_streaming_response(chunks([call("typed", written)]));
        let got = lines(handle.unwrap()).await;
        assert!(got.contains(&format!("executed seg_1 {sent}")), "{deltas} {written}: {got:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_that_cannot_fit_are_answered_and_not_sent() {
    let (host, bench) = host(ChatConfig::default());
    let answer = [call("typed", r#"{"days": "soon"}"#), call("typed", "{}")];
    let got = lines(host.process_streaming_response(chunks(answer)).unwrap()).await;
    let failed: Vec<_> = got.iter().filter(|l| l.contains("cannot be used")).collect();
    assert_eq!(failed.len(), 2, "{got:?}");
    assert!(failed[0].contains("/days"), "{failed:?}");
    assert_eq!(bench.started.load(Ordering::SeqCst), 0);
    assert_eq!(got.last().unwrap(), "end stop calls 2 succeeded 0 failed 2 refused 0");
}

#[tokio::test(start_paused = true)]
async fn arguments_as_written_are_not_looked_at() {
    let mut config = ChatConfig::default();
    config.calls.arguments = ArgumentCheck::AsWritten;
    let answer = chunks([call("typed", r#"{"days": "soon"}"#)]);
    let got = lines(unread(config).process_streaming_response(answer).unwrap()).await;
    assert!(got.contains(&"executed seg_1 {\"days\": \"soon\"}".to_owned()), "{got:?}");
}
