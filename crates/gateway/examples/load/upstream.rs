//! A chat server that needs no model: the model's name is the script, `KIND-TOKENS-RATE-NUMBER`.
//!
//! `text` writes tokens as text, `hermes` into an argument of a call written as text, `native` into one
//! of a native call. Each token holds the time at which it was written. What became of the stream of
//! a number is kept in [`Seen`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::now;

/// What the upstream knows of streams, by their number.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// When the connection was found closed before its end, in microseconds.
    pub(crate) closed: HashMap<u64, u64>,
    /// Bytes that the connection took.
    pub(crate) written: HashMap<u64, u64>,
}

pub(crate) type Shared = Arc<Mutex<Seen>>;

/// Locks it; a task that died leaves it as it was.
pub(crate) fn locked(seen: &Shared) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers until the process ends.
pub(crate) async fn serve(listener: TcpListener, seen: Shared) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut socket = socket;
            let mut number = 0;
            if answer(&mut socket, &seen, &mut number).await.is_err() {
                locked(&seen).closed.entry(number).or_insert_with(now);
            }
        });
    }
}

/// How tokens are written.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Hermes,
    Native,
}

impl Kind {
    fn frame(self, token: &str) -> String {
        match self {
            Self::Native => call(&format!(r#"{{"index":0,"function":{{"arguments":"{token}"}}}}"#)),
            Self::Text | Self::Hermes => content(token),
        }
    }

    fn first(self) -> Option<String> {
        match self {
            Self::Text => None,
            Self::Hermes => {
                Some(content(r#"<tool_call>\n{\"name\": \"write\", \"arguments\": {\"text\": \""#))
            }
            Self::Native => Some(call(
                r#"{"index":0,"id":"c1","type":"function","function":{"name":"write","arguments":"{\"text\": \""}}"#,
            )),
        }
    }

    fn last(self) -> (Option<String>, &'static str) {
        match self {
            Self::Text => (None, "stop"),
            Self::Hermes => (Some(content(r#"\"}}\n</tool_call>"#)), "stop"),
            Self::Native => {
                (Some(call(r#"{"index":0,"function":{"arguments":"\"}"}}"#)), "tool_calls")
            }
        }
    }
}

async fn answer(socket: &mut TcpStream, seen: &Shared, number: &mut u64) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut bytes = Vec::new();
    // Requests come one after the other on a connection.
    loop {
        let Some(text) = request(socket, &mut bytes).await? else { return Ok(()) };
        let script = Script::of(&text);
        *number = script.number;
        socket
            .write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
            )
            .await?;
        if let Some(first) = script.kind.first() {
            chunk(socket, &first).await?;
        }
        let mut next = tokio::time::Instant::now();
        for _ in 0..script.tokens {
            if let Some(period) = 1_000_000_u64.checked_div(script.rate) {
                next += Duration::from_micros(period);
                tokio::select! {
                    () = tokio::time::sleep_until(next) => {}
                    // Nothing is sent while an answer runs: this is the end of the connection.
                    read = socket.read_buf(&mut bytes) => if read? == 0 {
                        return Err(std::io::ErrorKind::ConnectionReset.into());
                    },
                }
            }
            let written = chunk(socket, &script.kind.frame(&format!("@{};", now()))).await?;
            *locked(seen).written.entry(*number).or_default() += written;
        }
        let (last, finish) = script.kind.last();
        if let Some(last) = last {
            chunk(socket, &last).await?;
        }
        let finish = frame("{}", &format!("\"{finish}\"")) + "data: [DONE]\n\n";
        chunk(socket, &finish).await?;
        socket.write_all(b"0\r\n\r\n").await?;
    }
}

/// The next request, or none at the end of the connection.
async fn request(socket: &mut TcpStream, bytes: &mut Vec<u8>) -> std::io::Result<Option<String>> {
    loop {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let head = text.find("\r\n\r\n").map(|at| at + 4);
        let lower = text.to_lowercase();
        let length = lower
            .split("content-length: ")
            .nth(1)
            .and_then(|rest| rest.split("\r\n").next()?.parse::<usize>().ok());
        if let (Some(head), Some(length)) = (head, length)
            && bytes.len() >= head + length
        {
            bytes.clear();
            return Ok(Some(text));
        }
        if socket.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    }
}

struct Script {
    kind: Kind,
    tokens: u64,
    rate: u64,
    number: u64,
}

impl Script {
    fn of(request: &str) -> Self {
        // `"model":"…"`, with whitespace where a gateway in Python writes it.
        let model = request
            .split_once("\"model\":")
            .and_then(|(_, rest)| rest.split('"').nth(1))
            .unwrap_or("text-10-0-0");
        let mut parts = model.split('-');
        let kind = match parts.next() {
            Some("hermes") => Kind::Hermes,
            Some("native") => Kind::Native,
            _ => Kind::Text,
        };
        let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        Self { kind, tokens: number(), rate: number(), number: number() }
    }
}

fn content(text: &str) -> String {
    frame(&format!(r#"{{"content":"{text}"}}"#), "null")
}

fn call(delta: &str) -> String {
    frame(&format!(r#"{{"tool_calls":[{delta}]}}"#), "null")
}

fn frame(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"cmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"load\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// Writes it as one chunk and gives its bytes.
async fn chunk(socket: &mut TcpStream, text: &str) -> std::io::Result<u64> {
    let framed = format!("{:x}\r\n{text}\r\n", text.len());
    socket.write_all(framed.as_bytes()).await?;
    Ok(framed.len() as u64)
}
