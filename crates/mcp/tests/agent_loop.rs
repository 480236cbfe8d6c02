//! The example `agent_loop` runs: a model over HTTP, a server that is a process.

#![cfg(feature = "stdio")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    dead_code,
    unreachable_pub
)]

#[path = "../examples/agent_loop.rs"]
mod agent_loop;

use std::path::PathBuf;

use tokio::net::TcpListener;
use toolweir_mcp::{RoundsOutcome, StdioServer};
use toolweir_segments::StreamEnd;

#[tokio::test]
async fn an_agent_asks_calls_and_answers() {
    let deps = std::env::current_exe().unwrap();
    let folder: PathBuf = deps.parent().and_then(|deps| deps.parent()).unwrap().join("examples");
    let weather = folder.join("weather_server").with_extension(std::env::consts::EXE_EXTENSION);
    if !weather.is_file() {
        println!("skipped: the example `weather_server` is not built");
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let model = tokio::spawn(agent_loop::serve(listener));
    let mut shown = Vec::new();
    let report = agent_loop::run(address, StdioServer::new(weather), &mut shown).await.unwrap();
    assert_eq!(
        String::from_utf8(shown).unwrap(),
        "I look at the sky over Bergen. \n[forecast: {\"city\":\"Bergen\",\"days\":[\
         {\"celsius\":11,\"day\":1,\"sky\":\"rain\"},{\"celsius\":12,\"day\":2,\"sky\":\"rain\"}]}]\n\
         Take an umbrella: rain on both days.\n"
    );
    assert_eq!((report.outcome, report.answers), (RoundsOutcome::Answered(StreamEnd::Stop), 2));

    let asked = model.await.unwrap().unwrap();
    assert!(asked[0]["messages"][0]["content"].as_str().unwrap().contains("forecast"));
    let second = asked[1]["messages"].as_array().unwrap();
    let said = |at: usize| second[at]["content"].as_str().unwrap();
    assert!(said(2).ends_with("</tool_call>"), "the model's own words: {}", said(2));
    assert!(said(3).contains("\"celsius\": 11"), "the result: {}", said(3));
}
