//! A client that reads frames as clients do, no more, and takes the times out of them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::now;

/// The wire a target is asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Chat,
    Messages,
    Responses,
}

impl Wire {
    pub(crate) fn of(word: &str) -> Option<Self> {
        match word {
            "chat" => Some(Self::Chat),
            "messages" => Some(Self::Messages),
            "responses" => Some(Self::Responses),
            _ => None,
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Messages => "/v1/messages",
            Self::Responses => "/v1/responses",
        }
    }

    /// What stands in the last frame alone.
    fn end(self) -> &'static [u8] {
        match self {
            Self::Chat => b"[DONE]",
            Self::Messages => b"\"message_stop\"",
            Self::Responses => b"\"response.completed\"",
        }
    }

    fn body(self, model: &str) -> String {
        const SCHEMA: &str =
            r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;
        const MESSAGES: &str = r#"[{"role":"user","content":"Hi"}]"#;
        let rest = match self {
            Self::Chat => format!(
                r#""messages":{MESSAGES},"tools":[{{"type":"function","function":{{"name":"write","parameters":{SCHEMA}}}}}]"#
            ),
            Self::Messages => format!(
                r#""max_tokens":1000000,"messages":{MESSAGES},"tools":[{{"name":"write","input_schema":{SCHEMA}}}]"#
            ),
            Self::Responses => format!(
                r#""input":{MESSAGES},"tools":[{{"type":"function","name":"write","parameters":{SCHEMA}}}]"#
            ),
        };
        format!(r#"{{"model":"{model}","stream":true,{rest}}}"#)
    }
}

/// What one stream saw.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Microseconds from the upstream's writing to the arrival.
    pub(crate) latencies: Vec<u64>,
    pub(crate) first: Option<Duration>,
    pub(crate) complete: bool,
}

/// A connection on which that answer was asked for.
pub(crate) async fn asked(to: SocketAddr, wire: Wire, model: &str) -> std::io::Result<TcpStream> {
    let body = wire.body(model);
    let mut socket = TcpStream::connect(to).await?;
    socket.set_nodelay(true)?;
    let (path, length) = (wire.path(), body.len());
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: load\r\nconnection: close\r\nauthorization: Bearer none\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    socket.write_all((head + &body).as_bytes()).await?;
    Ok(socket)
}

/// One request and its stream to the end. The times of `tokens` tokens count: writers that sum up at the
/// end repeat the text.
pub(crate) async fn read(
    to: SocketAddr,
    wire: Wire,
    model: &str,
    tokens: usize,
) -> std::io::Result<Stream> {
    let began = Instant::now();
    let mut socket = asked(to, wire, model).await?;
    let mut stream = Stream::default();
    let (mut bytes, mut tail) = (vec![0; 64 * 1024], Vec::new());
    loop {
        let read = socket.read(&mut bytes).await?;
        if read == 0 {
            break;
        }
        let arrived = now();
        tail.extend_from_slice(&bytes[..read]);
        let mut from = 0;
        // Times stand between `@` and `;`.
        while let Some(at) = memchr(b'@', &tail[from..]) {
            let Some(end) = memchr(b';', &tail[from + at..]) else { break };
            let stamp =
                std::str::from_utf8(&tail[from + at + 1..from + at + end]).unwrap_or_default();
            if let Ok(stamp) = stamp.parse::<u64>()
                && stream.latencies.len() < tokens
            {
                stream.first.get_or_insert_with(|| began.elapsed());
                stream.latencies.push(arrived.saturating_sub(stamp));
            }
            from += at + end + 1;
        }
        // The connection may stay open for more. The last frame may hold times, too.
        let end = wire.end();
        if tail.windows(end.len()).any(|window| window == end) {
            stream.complete = true;
            break;
        }
        let keep = tail.len().saturating_sub(from).min(64);
        tail.drain(..tail.len() - keep);
    }
    Ok(stream)
}

fn memchr(byte: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|other| *other == byte)
}
