//! Requests and their answers.

use toolweir_gateway::Demo;

use crate::support::{Act, CHAT, Client, answer, chunk, gateway, get, hi, post, send, upstream};

const TOOLS: &str = r#""tools":[{"type":"function","function":{"name":"dice","parameters":{"type":"object","properties":{"sides":{"type":"integer"}}}}}]"#;

#[tokio::test]
async fn the_demo_answers_on_every_wire() {
    let demo = Demo::bind().await.unwrap();
    let url = demo.url();
    tokio::spawn(demo.serve());
    let (to, _stop) = gateway(&url, "").await;
    let chat = CHAT.replace("\"stream\"", &format!("{TOOLS},\"stream\""));
    let (status, text) = post(to, "/v1/chat/completions", &chat).await;
    assert_eq!(status, 200);
    assert!(text.contains("\"reasoning_content\"") && text.contains("\"name\":\"dice\""), "{text}");
    assert!(
        text.contains("\"finish_reason\":\"tool_calls\"") && text.ends_with("data: [DONE]\n\n")
    );
    assert!(!text.contains("<tool_call>") && !text.contains("<think>"));
    let messages = r#"{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"dice","input_schema":{"type":"object"}}]}"#;
    let (_, text) = post(to, "/v1/messages", messages).await;
    assert!(
        text.contains("\"stop_reason\":\"tool_use\"") && text.contains("thinking_delta"),
        "{text}"
    );
    let responses =
        r#"{"model":"m","stream":true,"input":"Hi","tools":[{"type":"function","name":"dice"}]}"#;
    let (_, text) = post(to, "/v1/responses", responses).await;
    assert!(
        text.contains("event: response.completed\n") && text.contains("\"type\":\"function_call\""),
        "{text}"
    );
    let (status, text) = get(to, "/v1/models").await;
    assert!(status == 200 && text.contains("\"id\":\"demo\""), "{text}");
}

/// Two gateways that know nothing of each other: a conversation may go on at the other.
#[tokio::test]
async fn a_conversation_may_hop() {
    let call = chunk(
        r#"{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"dice","arguments":"{}"}}]}"#,
        "null",
    ) + &chunk("{}", "\"tool_calls\"")
        + "data: [DONE]\n\n";
    let (url, mut asked) = upstream(vec![answer(&call), answer(&hi())]).await;
    let (first, _a) = gateway(&url, "").await;
    let (second, _b) = gateway(&url, "").await;
    let (_, text) = post(
        first,
        "/v1/chat/completions",
        &CHAT.replace("\"stream\"", &format!("{TOOLS},\"stream\"")),
    )
    .await;
    assert!(text.contains("\"id\":\"call_a\""), "{text}");
    let next = format!(
        r#"{{"model":"m",{TOOLS},"messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_a","type":"function","function":{{"name":"dice","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"call_a","content":"4"}}]}}"#
    );
    let (status, text) = post(second, "/v1/chat/completions", &next).await;
    assert!(status == 200 && text.contains("\"content\":\"Hi.\""), "{text}");
    assert!(asked.recv().await.unwrap().contains("post /v1/chat/completions"));
    assert!(asked.recv().await.unwrap().contains("\"tool_call_id\":\"call_a\""));
}

#[tokio::test]
async fn errors_of_the_upstream_keep_their_status_and_words() {
    let body = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
    let refusal = format!(
        "HTTP/1.1 429 Too Many\r\nretry-after: 7\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let page = "HTTP/1.1 502 Bad\r\ncontent-length: 13\r\nconnection: close\r\n\r\n<html></html>";
    let html = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\n<html></html>";
    let script = |text: &str| vec![send(text)];
    let (url, _asked) = upstream(vec![
        script(&refusal),
        script(&refusal),
        script(&refusal),
        script(page),
        script(html),
        script(html),
    ])
    .await;
    let (to, _stop) = gateway(&url, "").await;
    let (status, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(
        status == 429 && text.contains("slow down") && text.contains("rate_limit_error"),
        "{status} {text}"
    );
    let messages = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    let (status, text) = post(to, "/v1/messages", messages).await;
    assert!(status == 429 && text.contains("\"type\":\"error\""), "{status} {text}");
    let mut client = Client::ask(to, "POST", "/v1/chat/completions", "", CHAT).await;
    client.until("retry-after: 7\r\n").await;
    let (status, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(status == 502 && !text.contains("<html>"), "{status} {text}");
    let (status, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(
        status == 200 && text.contains("\"error\"") && !text.contains("[DONE]"),
        "{status} {text}"
    );
    let (status, text) = post(to, "/v1/messages", messages).await;
    assert!(status == 502 && text.contains("\"type\":\"error\""), "{status} {text}");
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_an_error() {
    let (to, _stop) = gateway("http://127.0.0.1:9", "").await;
    for stream in ["true", "false"] {
        let request = CHAT.replace("true", stream);
        let (status, text) = post(to, "/v1/chat/completions", &request).await;
        assert!(status == 502 && text.contains("cannot be reached"), "{status} {text}");
    }
    let (status, _) = get(to, "/v1/models").await;
    assert_eq!(status, 502);
}

#[tokio::test]
async fn requests_have_bounds_paths_and_methods() {
    let (to, _stop) = gateway("http://127.0.0.1:9", "max-body-bytes = 64").await;
    let (status, text) = post(to, "/v1/chat/completions", &"x".repeat(65)).await;
    assert!(status == 413 && text.contains("more than 64 bytes"), "{status} {text}");
    assert_eq!(post(to, "/v1/nothing", "").await.0, 404);
    let other = ["anthropic-version: 2023-06-01\r\n", "content-encoding: identity\r\n"];
    let (status, text) = Client::ask(to, "POST", "/", other[0], "").await.rest().await;
    assert!(status == 404 && text.contains("there is no / here"), "{status} {text}");
    assert!(text.contains("\"type\":\"error\""), "{text}");
    let (_, text) = Client::ask(to, "POST", "/v1/responses", other[1], "x").await.rest().await;
    assert!(text.contains("not JSON"), "{text}");
    assert_eq!(get(to, "/v1/messages").await.0, 405);
    assert_eq!(get(to, "/health").await.0, 200);
    assert_eq!(get(to, "/ready").await.0, 200);
    assert_eq!(Client::ask(to, "HEAD", "/health", "", "").await.rest().await, (200, String::new()));
    let (status, text) = get(to, "/metrics").await;
    assert!(
        status == 200 && text.contains("toolweir_requests_total{wire=\"chat\",end=\"refused\"} 1"),
        "{text}"
    );
    let (status, text) = post(
        to,
        "/v1/messages/count_tokens",
        r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#,
    )
    .await;
    assert!(status == 200 && text.contains("\"input_tokens\":"), "{text}");
}

#[tokio::test]
async fn keys_are_passed_on_or_kept_apart() {
    let (url, mut asked) = upstream((0..5).map(|_| answer(&hi())).collect()).await;
    let ask = async |to, headers: &str| {
        Client::ask(to, "POST", "/v1/chat/completions", headers, CHAT).await.rest().await.0
    };
    let (to, _a) = gateway(&url, "").await;
    assert_eq!(ask(to, "authorization: Bearer sk-1\r\n").await, 200);
    assert!(asked.recv().await.unwrap().contains("authorization: bearer sk-1"));
    assert_eq!(ask(to, "x-api-key: sk-2\r\n").await, 200);
    assert!(asked.recv().await.unwrap().contains("authorization: bearer sk-2"));
    assert_eq!(ask(to, "").await, 200);
    assert!(!asked.recv().await.unwrap().contains("authorization"));
    let (to, _b) = gateway(&url, "client-key = 'ours'\nupstream-key = 'theirs'").await;
    assert_eq!(ask(to, "authorization: Bearer sk-1\r\n").await, 401);
    assert_eq!(ask(to, "authorization: ours\r\n").await, 401);
    assert_eq!(ask(to, "authorization: bearer ours\r\n").await, 200);
    assert!(asked.recv().await.unwrap().contains("authorization: bearer theirs"));
    assert_eq!(ask(to, "x-api-key: ours\r\n").await, 200);
    let head = asked.recv().await.unwrap();
    assert!(head.contains("authorization: bearer theirs") && !head.contains("ours"), "{head}");
}

#[tokio::test]
async fn models_have_other_names() {
    let (url, mut asked) = upstream(vec![answer(&hi())]).await;
    let (to, _stop) = gateway(&url, "[model-map]\nm = 'org/model-7b'").await;
    let (_, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(text.contains("\"model\":\"m\""), "{text}");
    assert!(asked.recv().await.unwrap().contains("\"model\":\"org/model-7b\""));
}

#[tokio::test]
async fn answers_are_recorded_byte_for_byte() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded");
    let _ = std::fs::remove_dir_all(&directory);
    let (url, _asked) = upstream(vec![answer(&hi())]).await;
    let (to, _stop) = gateway(&url, &format!("record = '{}'", directory.display())).await;
    let headers = "x-request-id: my-id\r\n";
    Client::ask(to, "POST", "/v1/chat/completions", headers, CHAT).await.rest().await;
    assert_eq!(std::fs::read_to_string(directory.join("my-id.sse")).unwrap(), hi());
}

/// What the upstream sends goes to the client before the next piece comes.
#[tokio::test]
async fn pieces_are_passed_on_as_they_come() {
    let (go, wait) = tokio::sync::oneshot::channel();
    let script = vec![
        send(crate::support::STREAM),
        send(&chunk(r#"{"content":"first"}"#, "null")),
        Act::Wait(wait),
        send(&hi()),
    ];
    let (url, _asked) = upstream(vec![script]).await;
    let (to, _stop) = gateway(&url, "").await;
    let mut client = Client::ask(to, "POST", "/v1/chat/completions", "", CHAT).await;
    client.until("first").await;
    go.send(()).unwrap();
    assert!(client.rest().await.1.ends_with("data: [DONE]\n\n"));
}
