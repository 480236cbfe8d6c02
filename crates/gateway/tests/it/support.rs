//! A scripted upstream, a gateway in front of it, and a client that speaks plain HTTP.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use toolweir_gateway::{Gateway, Settings};

/// What the upstream does with one request.
pub(crate) enum Act {
    /// Sends bytes as they are.
    Send(Vec<u8>),
    /// Goes on when it is told to.
    Wait(oneshot::Receiver<()>),
    /// Tells when the other side has closed.
    Closed(oneshot::Sender<()>),
}

/// The head of a stream without a length: its end is that of the connection.
pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

pub(crate) fn send(text: &str) -> Act {
    Act::Send(text.as_bytes().to_vec())
}

/// An answer of chat chunks.
pub(crate) fn answer(chunks: &str) -> Vec<Act> {
    vec![send(STREAM), send(chunks)]
}

/// Serves one script a connection; gives what was asked.
pub(crate) async fn upstream(scripts: Vec<Vec<Act>>) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, asked) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for script in scripts {
            let (socket, _) = listener.accept().await.unwrap();
            tokio::spawn(play(socket, script, tell.clone()));
        }
    });
    (format!("http://{address}"), asked)
}

async fn play(mut socket: TcpStream, script: Vec<Act>, tell: mpsc::UnboundedSender<String>) {
    let (head, body) = read_message(&mut socket, Vec::new()).await;
    let _ = tell.send(format!("{head}{body}"));
    for act in script {
        match act {
            Act::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Act::Wait(go) => {
                let _ = go.await;
            }
            Act::Closed(closed) => {
                let mut rest = [0; 64];
                while matches!(socket.read(&mut rest).await, Ok(read) if read > 0) {}
                let _ = closed.send(());
                return;
            }
        }
    }
}

/// A gateway with these settings; it stops when the sender is dropped or used.
pub(crate) async fn gateway(upstream: &str, more: &str) -> (SocketAddr, oneshot::Sender<()>) {
    let (address, stop, _) = gateway_to_end(upstream, more).await;
    (address, stop)
}

/// The same; the last tells when it has stopped.
pub(crate) async fn gateway_to_end(
    upstream: &str,
    more: &str,
) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let file = format!("listen = '127.0.0.1:0'\nupstream = '{upstream}'\n{more}");
    let config = Settings::from_toml(&file).unwrap().into_config().unwrap();
    let gateway = Gateway::bind(config).await.unwrap();
    let address = gateway.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(gateway.serve(async {
        let _ = stopped.await;
    }));
    (address, stop, task)
}

/// Reads a head and, by its length, a body.
async fn read_message(socket: &mut TcpStream, mut bytes: Vec<u8>) -> (String, String) {
    let at = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            break bytes.len();
        }
    };
    let head = String::from_utf8_lossy(&bytes[..at]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < at + length {
        if socket.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            break;
        }
    }
    (head, String::from_utf8_lossy(&bytes[at..]).into_owned())
}

/// A client's connection with a request on its way.
pub(crate) struct Client {
    socket: TcpStream,
    bytes: Vec<u8>,
}

impl Client {
    pub(crate) async fn ask(
        to: SocketAddr,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Self {
        let mut socket = TcpStream::connect(to).await.unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        Self { socket, bytes: Vec::new() }
    }

    /// Reads until the text has come.
    pub(crate) async fn until(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.bytes).contains(text) {
            let read = self.socket.read_buf(&mut self.bytes).await.unwrap();
            assert!(read > 0, "closed before {text:?}: {}", String::from_utf8_lossy(&self.bytes));
        }
    }

    /// Reads to the end; gives status and body, without the framing of chunks.
    pub(crate) async fn rest(mut self) -> (u16, String) {
        self.socket.read_to_end(&mut self.bytes).await.unwrap();
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        (status, if chunked { dechunked(body) } else { body.to_owned() })
    }
}

fn dechunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        out.push_str(&rest[..size]);
        body = &rest[size + 2..];
        if size == 0 {
            break;
        }
    }
    out
}

/// Posts a body; gives status and reply.
pub(crate) async fn post(to: SocketAddr, path: &str, body: &str) -> (u16, String) {
    Client::ask(to, "POST", path, "", body).await.rest().await
}

pub(crate) async fn get(to: SocketAddr, path: &str) -> (u16, String) {
    Client::ask(to, "GET", path, "", "").await.rest().await
}

/// A chat chunk.
pub(crate) fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// `Hi.` and its end.
pub(crate) fn hi() -> String {
    chunk(r#"{"content":"Hi."}"#, "null") + &chunk("{}", "\"stop\"") + "data: [DONE]\n\n"
}

pub(crate) const CHAT: &str =
    r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
