//! The example `reqwest_sse` runs, against the embedded script and a server that breaks off.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code, unreachable_pub)]

#[path = "../examples/reqwest_sse.rs"]
mod reqwest_sse;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use toolweir_gateway::{Demo, Gateway, Settings};

#[tokio::test]
async fn a_client_with_reqwest_reads_the_demo() {
    let demo = Demo::bind().await.unwrap();
    let file = format!("listen = '127.0.0.1:0'\nupstream = '{}'\n", demo.url());
    tokio::spawn(demo.serve());
    let config = Settings::from_toml(&file).unwrap().into_config().unwrap();
    let gateway = Gateway::bind(config).await.unwrap();
    let server = format!("http://{}", gateway.address());
    tokio::spawn(gateway.serve(std::future::pending()));

    let mut shown = Vec::new();
    let run = reqwest_sse::ask(&server, &mut shown).await.unwrap();
    assert_eq!(run.len(), 1);
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.starts_with("Let me ask") && shown.contains("[dice runs with {"), "{shown}");
}

#[tokio::test]
async fn a_stream_that_breaks_off_runs_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 4096]).await.unwrap();
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                      data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":\
                      {\"name\":\"dice\",\"arguments\":\"{\\\"sides\\\": \"}}]}}]}\n\n";
        socket.write_all(answer.as_bytes()).await.unwrap();
    });
    let mut shown = Vec::new();
    assert_eq!(reqwest_sse::ask(&server, &mut shown).await.unwrap(), [""; 0]);
    assert!(String::from_utf8(shown).unwrap().contains("dice"), "it says what did not run");
}
