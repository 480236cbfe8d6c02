//! Servers that are processes: the examples `weather_server` and `unruly_server`. Real processes have real
//! clocks; nothing here waits longer than they need.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolweir_mcp::{
    ChatConfig, ChatHost, ConnectErrorKind, Executor, Servers, StdioServer, ToolFailure, chunks,
};

use crate::support::{call, lines};

/// The example of that name, which is built with the tests. `None`, with a line that says so: it is not.
fn example(name: &str) -> Option<StdioServer> {
    let deps = std::env::current_exe().unwrap();
    let folder: PathBuf = deps.parent().and_then(|deps| deps.parent()).unwrap().join("examples");
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !path.is_file() {
        println!(
            "skipped: the example `{name}` is not built; `cargo test` without `--test` builds it"
        );
        return None;
    }
    Some(StdioServer::new(path))
}

async fn connect(name: &str, server: StdioServer) -> Servers {
    Servers::builder().stdio(name, server).connect().await.unwrap()
}

#[tokio::test]
async fn a_conversation_with_a_real_server() {
    let Some(server) = example("weather_server") else { return };
    let servers = Arc::new(connect("weather", server).await);
    let host = ChatHost::new(servers.tool_set(), servers.clone(), ChatConfig::default());
    let prompt = host.enhance_system_prompt("Be brief.").unwrap();
    assert!(prompt.contains("forecast") && prompt.contains("How far ahead"), "{prompt}");
    let answer = [
        "I look. ".to_owned(),
        // The schema wants a number.
        call("forecast", r#"{"city": "Bergen", "days": "2"}"#),
        call("forecast", r#"{"city": "Atlantis"}"#),
        call("forecast", r#"{"days": 2}"#),
    ];
    let got = lines(host.process_streaming_response(chunks(answer)).unwrap()).await;
    let sky = r#"{"city":"Bergen","days":[{"celsius":11,"day":1,"sky":"rain"},{"celsius":12,"day":2,"sky":"rain"}]}"#;
    assert!(got.contains(&format!("executed seg_2 {sky}")), "{got:?}");
    assert!(got.contains(&"executed seg_3 error: no weather under water".to_owned()), "{got:?}");
    let unfit = |l: &String| l.starts_with("executed seg_4 error: the arguments cannot be used");
    assert!(got.iter().any(unfit), "{got:?}");
    // Another task reads it.
    while servers.stderr("weather") != "weather server: ready\n" {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    servers.close().await;
}

#[tokio::test]
async fn a_chatty_server_never_blocks() {
    let Some(server) = example("unruly_server") else { return };
    let servers = connect("unruly", server).await;
    for _ in 0..3 {
        assert_eq!(servers.call("chatter", "{}").await.unwrap().content, "said");
    }
    // What was written is read by another task: at the latest when the process has ended.
    assert!(servers.stderr("unruly").len() <= 8 << 10);
    servers.close().await;
}

#[tokio::test]
async fn what_is_not_a_message_is_passed_over() {
    let Some(server) = example("unruly_server") else { return };
    let servers = connect("unruly", server).await;
    assert_eq!(servers.call("noise", "{}").await.unwrap().content, "quiet again");
    assert_eq!(servers.call("huge", "{}").await.unwrap().content.len(), 10 << 20);
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_dies_fails_its_calls() {
    let Some(server) = example("unruly_server") else { return };
    let servers = connect("unruly", server).await;
    assert_eq!(servers.call("die", "{}").await, Err(ToolFailure::Closed));
    assert_eq!(servers.call("pid", "{}").await, Err(ToolFailure::Closed));
    assert!(!servers.is_connected("unruly"));
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_does_not_start_says_why() {
    let Some(server) = example("unruly_server") else { return };
    let broken = Servers::builder().stdio("broken", server.clone().arg("--broken"));
    let error = broken.connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::Session(_)), "{error}");
    assert_eq!(error.stderr, "cannot open the sluice\n");

    let deaf = Servers::builder().stdio("deaf", server.arg("--deaf"));
    let error = deaf.connect_timeout(Duration::from_millis(50)).connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::Timeout(_)), "{error}");

    let missing = StdioServer::new("there-is-no-such-program-anywhere");
    let error = Servers::builder().stdio("missing", missing).connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::Spawn(_)), "{error}");
}

#[tokio::test]
async fn the_environment_is_the_one_set() {
    let Some(server) = example("unruly_server") else { return };
    let server = server.clear_env().env("TIDE", "low").current_dir(".");
    let servers = connect("unruly", server).await;
    let said = |key: &str| format!("{{\"key\": \"{key}\"}}");
    assert_eq!(servers.call("env", &said("TIDE")).await.unwrap().content, "low");
    assert_eq!(servers.call("env", &said("PATH")).await.unwrap().content, "unset");
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_will_not_end_is_waited_for_no_longer_than_the_limit() {
    let Some(server) = example("unruly_server") else { return };
    let builder = Servers::builder().close_timeout(Duration::from_millis(10));
    let servers = builder.stdio("unruly", server.arg("--stubborn")).connect().await.unwrap();
    let before = Instant::now();
    servers.close().await;
    // Without the limit it would be three seconds before it is asked to end.
    assert_eq!(servers.call("pid", "{}").await, Err(ToolFailure::Closed));
    assert!(before.elapsed() < Duration::from_secs(2));
}

/// Whether the process is there and not just waiting to be forgotten.
#[cfg(target_os = "linux")]
fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim().starts_with('Z'))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn processes_end_with_their_servers() {
    let Some(server) = example("unruly_server") else { return };
    for closed in [true, false] {
        let servers = connect("unruly", server.clone()).await;
        let pid = servers.call("pid", "{}").await.unwrap().content;
        assert!(is_alive(&pid));
        if closed {
            servers.close().await;
            assert!(!is_alive(&pid));
            continue;
        }
        drop(servers);
        let gone = async {
            while is_alive(&pid) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
    }
}
