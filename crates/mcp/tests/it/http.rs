//! Servers behind streamable HTTP: one by hand on the loopback interface.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use toolweir_mcp::{ConnectErrorKind, Executor, HttpServer, Servers, ToolFailure};
use toolweir_rjson::{Mode, Value, parse};

/// Serves until it is dropped; notes the headers of every request.
async fn serve() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let noted = heads.clone();
    let pair = Arc::new(Barrier::new(2));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(connection(socket, noted.clone(), pair.clone()));
        }
    });
    (url, heads)
}

async fn connection(socket: TcpStream, heads: Arc<Mutex<Vec<String>>>, pair: Arc<Barrier>) {
    let mut socket = BufReader::new(socket);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if !matches!(socket.read_line(&mut line).await, Ok(1..)) {
                return;
            }
            if line == "\r\n" {
                break;
            }
            let lower = line.to_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        socket.read_exact(&mut body).await.unwrap();
        heads.lock().unwrap().push(head.clone());
        let body = String::from_utf8(body).unwrap();
        if body.contains("\"name\":\"pair\"") {
            // Answered when there are two of them.
            pair.wait().await;
        }
        let answer = answer(&head, &body);
        if socket.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn response(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn answer(head: &str, body: &str) -> String {
    if !head.starts_with("POST /mcp ") {
        return response("405 Method Not Allowed", "text/plain", "");
    }
    let message = parse(body, Mode::Strict).unwrap().value;
    let at = |pointer: &str| message.pointer(pointer).map(Value::to_string).unwrap_or_default();
    let Some(id) = message.get("id").map(Value::to_string) else {
        return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned();
    };
    let result = match &*at("/method") {
        "\"initialize\"" => {
            let version = at("/params/protocolVersion");
            format!(
                r#"{{"protocolVersion":{version},"capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"h","version":"1"}}}}"#
            )
        }
        "\"tools/list\"" => {
            r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"broken","inputSchema":{"type":"object"}},{"name":"pair","inputSchema":{"type":"object"}}]}"#
                .to_owned()
        }
        _ if at("/params/name") == "\"broken\"" => {
            return response("500 Internal Server Error", "text/plain", "out of order");
        }
        _ => {
            // A call is answered as a stream of events.
            let arguments = at("/params/arguments").replace('"', "\\\"");
            let result = format!(r#"{{"content":[{{"type":"text","text":"{arguments}"}}]}}"#);
            let event = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n\n");
            return response("200 OK", "text/event-stream", &event);
        }
    };
    let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}");
    response("200 OK", "application/json", &message)
}

#[tokio::test]
async fn tools_are_listed_and_called_over_http() {
    let (url, heads) = serve().await;
    let server = HttpServer::new(url).bearer("canary-token");
    assert!(!format!("{server:?}").contains("canary"));
    let builder = Servers::builder().http("far", server);
    assert!(!format!("{builder:?}").contains("canary"));
    let servers = builder.connect().await.unwrap();
    let names: Vec<_> = servers.tools().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["echo", "broken", "pair"]);
    let arguments = r#"{"n":1}"#;
    assert_eq!(servers.call("echo", arguments).await.unwrap().content, arguments);
    let failure = servers.call("broken", "{}").await.unwrap_err();
    assert_eq!(failure, ToolFailure::Transport("HTTP 500".into()));
    // The connection stands, as the failure says.
    assert_eq!(servers.call("echo", arguments).await.unwrap().content, arguments);
    let heads = heads.lock().unwrap().clone();
    let posts = heads.iter().filter(|head| head.starts_with("POST"));
    for head in posts {
        assert!(head.to_lowercase().contains("authorization: bearer canary-token"), "{head}");
    }
    servers.close().await;
}

#[tokio::test]
async fn so_many_requests_are_under_way_at_once() {
    for most in [1, 2] {
        let (url, _) = serve().await;
        let server = HttpServer::new(url).max_concurrent(most);
        let builder = Servers::builder().request_timeout(Duration::from_millis(if most == 1 {
            100
        } else {
            20_000
        }));
        let servers = Arc::new(builder.http("far", server).connect().await.unwrap());
        let call = |servers: Arc<Servers>| {
            tokio::spawn(async move { servers.call("pair", "{}").await.is_ok() })
        };
        let (one, other) = (call(servers.clone()), call(servers.clone()));
        let both = (one.await.unwrap(), other.await.unwrap());
        assert_eq!(both, (most == 2, most == 2));
    }
}

#[tokio::test]
async fn an_address_that_is_not_one_is_said_to_be_none() {
    for url in ["ftp://example.org/mcp", "example.org", ""] {
        let error = Servers::builder().http("far", HttpServer::new(url)).connect().await;
        assert!(matches!(error.unwrap_err().kind, ConnectErrorKind::Setting(_)), "{url}");
    }
    // Nobody listens there.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for scheme in ["http", "https"] {
        let server = HttpServer::new(format!("{scheme}://{address}/mcp?key=canary"));
        let error = Servers::builder().http("far", server).connect().await.unwrap_err();
        assert!(matches!(error.kind, ConnectErrorKind::Session(_)), "{error}");
        let said = error.to_string();
        assert!(!said.contains("canary") && !said.contains("rmcp"), "{said}");
    }
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn an_https_address_is_asked_for_a_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let heard = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut record = [0; 3];
        socket.read_exact(&mut record).await.unwrap();
        record
    });
    let error = Servers::builder().http("far", HttpServer::new(url)).connect().await.unwrap_err();
    assert!(matches!(error.kind, ConnectErrorKind::Session(_)), "{error}");
    // A TLS record that holds a handshake; not a word of HTTP in the clear.
    assert_eq!(heard.await.unwrap(), [0x16, 3, 1]);
}
