//! Clients that read nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::support::{CHAT, STREAM, chunk, gateway, hi, post};

/// Bytes of an answer that is longer than all buffers on its way.
const LONG: usize = 32 << 20;
/// What the sockets of the system hold at most, with what the gateway does.
const ON_ITS_WAY: usize = 20 << 20;

const WORDS: &str = "more and more";

/// An upstream whose first answer is long and written as fast as may be; what could be written is counted.
/// Its second is short.
async fn long_then_short() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    tokio::spawn(async move {
        let first = asked(&listener).await;
        tokio::spawn(write_long(first, count));
        let mut second = asked(&listener).await;
        second.write_all(hi().as_bytes()).await.unwrap();
    });
    (url, written)
}

/// A connection whose request has come, with the head of the answer written.
async fn asked(listener: &TcpListener) -> TcpStream {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut request = [0; 4096];
    assert!(socket.read(&mut request).await.unwrap() > 0);
    socket.write_all(STREAM.as_bytes()).await.unwrap();
    socket
}

fn piece() -> String {
    chunk(&format!(r#"{{"content":"{WORDS}"}}"#), "null")
}

async fn write_long(mut socket: TcpStream, count: Arc<AtomicUsize>) {
    let piece = piece();
    while count.load(Ordering::Relaxed) < LONG {
        socket.write_all(piece.as_bytes()).await.unwrap();
        count.fetch_add(piece.len(), Ordering::Relaxed);
    }
    socket.write_all(hi().as_bytes()).await.unwrap();
}

/// The upstream is read no further than buffers go, others are served meanwhile, and a client that reads
/// again gets all of it.
#[tokio::test]
async fn a_client_that_does_not_read_stops_the_upstream_and_nobody_else() {
    let (url, written) = long_then_short().await;
    let (to, _stop) = gateway(&url, "").await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stalled = socket.connect(to).await.unwrap();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{CHAT}",
        CHAT.len()
    );
    stalled.write_all(request.as_bytes()).await.unwrap();
    // Until nothing has moved for a while: a pause that is too short makes the test weaker, not wrong.
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = written.load(Ordering::Relaxed);
        if now > 0 && now == before {
            break;
        }
        before = now;
    }
    assert!(before < ON_ITS_WAY, "{before} bytes went to a client that reads nothing");
    // Another client is served meanwhile.
    assert!(post(to, "/v1/chat/completions", CHAT).await.1.ends_with("[DONE]\n\n"));
    // All of it comes, and the end.
    let mut all = Vec::new();
    stalled.read_to_end(&mut all).await.unwrap();
    let all = String::from_utf8_lossy(&all);
    let (sent, size) = (written.load(Ordering::Relaxed), piece().len());
    assert_eq!(all.matches(WORDS).count(), sent / size);
    assert!(all.contains("[DONE]") && !all.contains("\"error\""));
}
