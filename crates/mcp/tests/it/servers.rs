//! Servers in this process: lists, names, calls, and connections that break.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use toolweir_mcp::{
    ChatConfig, ChatHost, ConnectErrorKind, Executor, NameClash, Servers, ToolFailure, chunks,
};

use crate::harbour::{Harbour, connect, serve, with};
use crate::support::{call, lines, settle};

fn names(servers: &Servers) -> Vec<&str> {
    servers.tools().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn tools_are_listed_over_every_page_in_order() {
    let pages = vec![vec!["c", "a"], vec![], vec!["b"]];
    let servers = connect(Harbour { pages, ..Harbour::default() }).await.unwrap();
    assert_eq!(names(&servers), ["c", "a", "b"]);
    let set = servers.tool_set();
    assert_eq!((set.len(), servers.schema_errors().len()), (3, 0));
    let tool = servers.tools().next().unwrap();
    assert_eq!(tool.description.as_deref(), Some("A tool"));
    let schema = tool.parameters.as_ref().unwrap().to_string();
    assert_eq!(schema, r#"{"properties":{"n":{"type":"integer"}},"type":"object"}"#);
    assert_eq!(servers.info("b").unwrap().server, "harbour");
    servers.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_without_tools_is_a_server() {
    let servers = connect(Harbour::default()).await.unwrap();
    assert_eq!(names(&servers), [""; 0]);
    assert!(servers.is_connected("harbour") && !servers.is_connected("other"));
}

#[tokio::test(start_paused = true)]
async fn a_list_without_end_is_an_error() {
    for pages in [vec![vec!["a", "b"]], vec![vec![]]] {
        let harbour = Harbour { pages, endless: true, ..Harbour::default() };
        let builder = with(Servers::builder(), "endless", harbour).max_tools(50);
        let error = builder.connect().await.unwrap_err();
        assert_eq!(error.server, "endless");
        assert!(matches!(error.kind, ConnectErrorKind::TooManyTools(50)), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_leads_back_is_an_error_and_an_empty_one_the_end() {
    let list = |cursor| Harbour { cursor: Some(cursor), ..Harbour::of(&["a"]) };
    let error = connect(list("again")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "server `harbour`: the tools cannot be listed: a page leads back to the cursor \"again\""
    );
    assert_eq!(names(&connect(list("")).await.unwrap()), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_name_of_two_servers_is_an_error_or_prefixed() {
    let two = || {
        let one = with(Servers::builder(), "north", Harbour::of(&["echo", "structured"]));
        with(one, "south", Harbour::of(&["echo"]))
    };
    let error = two().connect().await.unwrap_err();
    assert_eq!(error.to_string(), "server `south`: the tool `echo` is also one of server `north`");
    let servers = two().names(NameClash::Prefix).connect().await.unwrap();
    assert_eq!(names(&servers), ["north__echo", "north__structured", "south__echo"]);
    let info = servers.info("south__echo").unwrap();
    assert_eq!((&*info.server, &*info.remote_name), ("south", "echo"));
    assert_eq!(servers.call("south__echo", "{}").await.unwrap().content, "{}");
    assert_eq!(servers.call("echo", "{}").await, Err(ToolFailure::Unknown));

    let one = with(Servers::builder(), "a", Harbour::of(&["b__c"]));
    let both = with(one, "a__b", Harbour::of(&["c"])).names(NameClash::Prefix);
    let error = both.connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::ToolName { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_name_given_twice_is_an_error() {
    let one = with(Servers::builder(), "a", Harbour::of(&["b"]));
    let error = with(one, "a", Harbour::of(&["c"])).connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::ServerName), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up_in_time() {
    let (here, _there) = tokio::io::duplex(64);
    let (read, write) = tokio::io::split(here);
    let before = Instant::now();
    let error = Servers::builder().streams("deaf", read, write).connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::Timeout(_)), "{error}");
    assert_eq!(before.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_gone_is_no_session() {
    let (here, there) = tokio::io::duplex(64);
    drop(there);
    let (read, write) = tokio::io::split(here);
    let error = Servers::builder().streams("gone", read, write).connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::Session(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn results_and_failures_are_told_apart() {
    let tools = ["echo", "structured", "fails", "unheard"];
    let servers = connect(Harbour::of(&tools)).await.unwrap();
    let said = |name, arguments| {
        let call = servers.call(name, arguments);
        async move { call.await.map(|output| output.content) }
    };
    assert_eq!(said("echo", r#"{"n": 1}"#).await.unwrap(), r#"{"n":1}"#);
    assert_eq!(said("structured", r#"{"n": 1}"#).await.unwrap(), r#"{"n":1}"#);
    assert_eq!(said("fails", "{}").await, Err(ToolFailure::Tool("no tide table".into())));
    let refused = ToolFailure::Protocol { code: -32602, message: "no such tool".into() };
    assert_eq!(said("unheard", "{}").await, Err(refused));
    assert_eq!(said("other", "{}").await, Err(ToolFailure::Unknown));
    let large = said("echo", r#"{"n": 123456789012345678901234567890}"#).await.unwrap_err();
    assert_eq!(
        large.to_string(),
        "the arguments cannot be used: the number at `/n` is too large to be sent"
    );
    assert!(matches!(said("echo", "[]").await, Err(ToolFailure::Arguments(_))));
}

#[tokio::test(start_paused = true)]
async fn answers_that_come_backwards_find_their_calls() {
    let servers = Arc::new(connect(Harbour::of(&["backwards"])).await.unwrap());
    let host = ChatHost::new(servers.tool_set(), servers, ChatConfig::default());
    let answer: String = (0..100).map(|n| call("backwards", &format!("{{\"n\": {n}}}"))).collect();
    let got = lines(host.process_streaming_response(chunks([answer])).unwrap()).await;
    let executed: Vec<_> = got.iter().filter(|l| l.starts_with("executed")).collect();
    assert_eq!(executed.len(), 100);
    for (place, line) in executed.iter().enumerate() {
        let number = 99 - place;
        assert_eq!(**line, format!("executed seg_{} {number}", number + 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_cancelled_at_the_server() {
    let harbour = Harbour::of(&["hang", "echo"]);
    let cancelled = harbour.cancelled.clone();
    let servers = connect(harbour).await.unwrap();
    let before = Instant::now();
    let failure = servers.call("hang", "{}").await.unwrap_err();
    assert_eq!(failure, ToolFailure::Timeout(Duration::from_secs(60)));
    assert_eq!(before.elapsed(), Duration::from_secs(60));
    settle().await;
    assert_eq!(cancelled.load(Ordering::SeqCst), 1);
    // What it says then is nobody's answer.
    assert_eq!(servers.call("echo", "{}").await.unwrap().content, "{}");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_handle_cancels_at_the_server() {
    let harbour = Harbour::of(&["hang"]);
    let cancelled = harbour.cancelled.clone();
    let servers = Arc::new(connect(harbour).await.unwrap());
    let host = ChatHost::new(servers.tool_set(), servers.clone(), ChatConfig::default());
    let answer = chunks([call("hang", "{}"), call("hang", "{}")]);
    let handle = host.process_streaming_response(answer).unwrap();
    settle().await;
    assert_eq!(cancelled.load(Ordering::SeqCst), 0);
    drop(handle);
    settle().await;
    assert_eq!(cancelled.load(Ordering::SeqCst), 2);
    assert!(servers.is_connected("harbour"));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_fails_its_calls_and_no_others() {
    let ((read, write), wire) = serve(Harbour::of(&["hang"]));
    let one = Servers::builder().streams("weak", read, write);
    let servers = Arc::new(with(one, "strong", Harbour::of(&["echo"])).connect().await.unwrap());
    let waiting = tokio::spawn({
        let servers = servers.clone();
        async move { servers.call("hang", "{}").await }
    });
    settle().await;
    wire.abort();
    assert_eq!(waiting.await.unwrap(), Err(ToolFailure::Closed));
    assert_eq!(servers.call("hang", "{}").await, Err(ToolFailure::Closed));
    assert!(!servers.is_connected("weak") && servers.is_connected("strong"));
    assert_eq!(servers.call("echo", "{}").await.unwrap().content, "{}");
}

#[tokio::test(start_paused = true)]
async fn closing_fails_what_is_under_way_and_what_comes_later() {
    let servers = Arc::new(connect(Harbour::of(&["hang", "echo"])).await.unwrap());
    let waiting = tokio::spawn({
        let servers = servers.clone();
        async move { servers.call("hang", "{}").await }
    });
    settle().await;
    servers.close().await;
    servers.close().await;
    assert_eq!(waiting.await.unwrap(), Err(ToolFailure::Closed));
    assert_eq!(servers.call("echo", "{}").await, Err(ToolFailure::Closed));
    assert!(!servers.is_connected("harbour"));
}

#[tokio::test(start_paused = true)]
async fn ten_mebibytes_come_over_the_connection() {
    let servers = connect(Harbour::of(&["huge"])).await.unwrap();
    assert_eq!(servers.call("huge", "{}").await.unwrap().content.len(), 10 << 20);
}
