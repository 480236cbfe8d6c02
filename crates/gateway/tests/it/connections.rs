//! Clients that leave, upstreams that say nothing, gateways that stop.

use std::time::Duration;

use tokio::sync::oneshot;

use crate::support::{
    Act, CHAT, Client, STREAM, chunk, gateway, gateway_to_end, get, hi, post, send, upstream,
};

/// A client that leaves, before the upstream answers or while it does, frees it.
#[tokio::test]
async fn a_client_that_leaves_frees_the_upstream() {
    for begun in [false, true] {
        for stream in ["true", "false"] {
            let (closed, told) = oneshot::channel();
            let mut script = vec![Act::Closed(closed)];
            if begun {
                script.insert(0, send(&chunk(r#"{"content":"first"}"#, "null")));
                script.insert(0, send(STREAM));
            }
            let (url, mut asked) = upstream(vec![script]).await;
            let (to, _stop) = gateway(&url, "").await;
            let request = CHAT.replace("true", stream);
            let mut client = Client::ask(to, "POST", "/v1/chat/completions", "", &request).await;
            asked.recv().await.unwrap();
            if begun && stream == "true" {
                client.until("first").await;
            }
            drop(client);
            told.await.unwrap();
        }
    }
}

/// Whether the upstream is silent before it answers or within its answer, the client hears that it is
/// being served; then it goes on as if nothing had been.
#[tokio::test]
async fn silence_is_filled_with_signs_of_life() {
    let messages =
        r#"{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    let wires = [
        ("/v1/chat/completions", CHAT, ": keep-alive\n\n"),
        ("/v1/messages", messages, "event: ping\n"),
    ];
    for begun in [false, true] {
        for (path, request, ping) in wires {
            let (go, wait) = oneshot::channel();
            let head = || send(STREAM);
            let script = match begun {
                true => vec![head(), Act::Wait(wait), send(&hi())],
                false => vec![Act::Wait(wait), head(), send(&hi())],
            };
            let (url, _asked) = upstream(vec![script]).await;
            let (to, _stop) = gateway(&url, "keep-alive-seconds = 1").await;
            let mut client = Client::ask(to, "POST", path, "", request).await;
            client.until(ping).await;
            go.send(()).unwrap();
            let (status, text) = client.rest().await;
            assert!(status == 200 && text.contains("Hi."), "{text}");
            let ended = text.ends_with("data: [DONE]\n\n") || text.contains("event: message_stop");
            assert!(ended && !text.contains("error"), "{text}");
        }
    }
}

#[tokio::test]
async fn an_upstream_that_stays_silent_is_given_up() {
    let (_go, wait) = oneshot::channel();
    let (_gone, late) = oneshot::channel();
    let scripts = vec![vec![send(STREAM), Act::Wait(wait)], vec![Act::Wait(late)]];
    let (url, _asked) = upstream(scripts).await;
    let (to, _stop) = gateway(
        &url,
        "silence-timeout-seconds = 1\nhead-timeout-seconds = 1\nkeep-alive-seconds = 1",
    )
    .await;
    let (status, text) =
        Client::ask(to, "POST", "/v1/chat/completions", "", CHAT).await.rest().await;
    assert!(
        status == 200 && text.contains("\"code\":\"timeout\"") && !text.contains("[DONE]"),
        "{text}"
    );
    let whole = CHAT.replace("true", "false");
    let (status, _) =
        Client::ask(to, "POST", "/v1/chat/completions", "", &whole).await.rest().await;
    assert_eq!(status, 504);
}

/// The time for the head counts from the request: it is over before the first sign of life after the head of the
/// answer, which is sent after one second, is due.
#[tokio::test]
async fn an_upstream_without_a_head_is_given_up_in_time() {
    let (_gone, late) = oneshot::channel();
    let (url, _asked) = upstream(vec![vec![Act::Wait(late)]]).await;
    let (to, _stop) = gateway(&url, "head-timeout-seconds = 2\nkeep-alive-seconds = 1").await;
    let (status, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(status == 200 && text.contains("nothing for 2 seconds"), "{text}");
    assert!(!text.contains(": keep-alive"), "{text}");
}

/// A gateway that is told to stop finishes what runs, and takes nothing new.
#[tokio::test]
async fn running_answers_are_finished() {
    let (go, wait) = oneshot::channel();
    let script = vec![
        send(STREAM),
        send(&chunk(r#"{"content":"first"}"#, "null")),
        Act::Wait(wait),
        send(&hi()),
    ];
    let (url, _asked) = upstream(vec![script]).await;
    let (to, stop, ended) = gateway_to_end(&url, "").await;
    let mut client = Client::ask(to, "POST", "/v1/chat/completions", "", CHAT).await;
    client.until("first").await;
    stop.send(()).unwrap();
    // The listener is gone before the answer is.
    while tokio::net::TcpStream::connect(to).await.is_ok() {
        tokio::task::yield_now().await;
    }
    go.send(()).unwrap();
    assert!(client.rest().await.1.ends_with("data: [DONE]\n\n"));
    ended.await.unwrap();
}

/// The time of draining begins when the gateway is told to stop, however long it has run.
#[tokio::test]
async fn a_gateway_that_is_told_to_stop_drains() {
    let (to, stop, ended) = gateway_to_end("http://127.0.0.1:9", "drain-seconds = 2").await;
    tokio::time::sleep(Duration::from_millis(2100)).await;
    stop.send(()).unwrap();
    while get(to, "/ready").await.0 != 503 {
        tokio::task::yield_now().await;
    }
    ended.await.unwrap();
    assert!(tokio::net::TcpStream::connect(to).await.is_err());
}

/// An answer without an end is cut off at its limit.
#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let (closed, told) = oneshot::channel();
    let many = chunk(r#"{"content":"more and more"}"#, "null").repeat(100);
    let (url, _asked) = upstream(vec![vec![send(STREAM), send(&many), Act::Closed(closed)]]).await;
    let (to, _stop) = gateway(&url, "max-answer-bytes = 2000").await;
    let (_, text) = Client::ask(to, "POST", "/v1/chat/completions", "", CHAT).await.rest().await;
    assert!(text.contains("more than 2000 bytes") && !text.contains("[DONE]"), "{text}");
    told.await.unwrap();
}
