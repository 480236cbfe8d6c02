//! A chat server that needs no model: each model name is a script of frames, written one by one.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::{Failure, Outcome};

/// What a model answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// Each is a network write of its own.
    pub(super) frames: Vec<Vec<u8>>,
    /// Silence before the frame of that number.
    pub(super) pause: Option<(usize, Duration)>,
    /// The connection is lost after the last frame.
    pub(super) lost: bool,
    /// A page of HTML in place of a stream.
    pub(super) page: bool,
    /// What it answers once the request holds [`RESULT`].
    pub(super) then: Option<Box<Script>>,
}

/// What every tool of the clients returns.
pub(super) const RESULT: &str = "17 degrees, station 4711";

impl Script {
    /// These frames, as a stream that closes cleanly.
    pub(super) fn of(frames: Vec<String>) -> Self {
        Self { frames: frames.into_iter().map(String::into_bytes).collect(), ..Self::default() }
    }
}

/// Text as deltas of so many bytes, a few more where a character is cut.
pub(super) fn said(text: &str, bytes: usize) -> Vec<String> {
    let (mut frames, mut piece) = (Vec::new(), String::new());
    for c in text.chars() {
        piece.push(c);
        if piece.len() >= bytes {
            frames.push(delta(&json!({ "content": piece })));
            piece.clear();
        }
    }
    if !piece.is_empty() {
        frames.push(delta(&json!({ "content": piece })));
    }
    frames
}

/// One frame with that delta.
pub(super) fn delta(delta: &Value) -> String {
    frame(delta, &Value::Null)
}

/// The frames that end an answer for that reason.
pub(super) fn end(reason: &str) -> Vec<String> {
    let [input, output] = USAGE;
    let total = input + output;
    let usage = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": total});
    let counted = chunk(&json!([]), &usage);
    vec![frame(&json!({}), &json!(reason)), counted, DONE.to_owned()]
}

/// Tokens of every answer, in and out.
pub(super) const USAGE: [u64; 2] = [7, 9];

/// The last frame of a stream.
pub(super) const DONE: &str = "data: [DONE]\n\n";

fn frame(delta: &Value, finish: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    chunk(&json!([choice]), &Value::Null)
}

fn chunk(choices: &Value, usage: &Value) -> String {
    let chunk = json!({
        "id": "cc-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": choices, "usage": usage,
    });
    format!("data: {chunk}\n\n")
}

/// Answers on a free port until the process ends; gives its address.
pub(super) fn start(scripts: BTreeMap<String, Script>) -> Outcome<SocketAddr> {
    let lost = |e: std::io::Error| Failure::Check(format!("the scripted upstream: {e}"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(lost)?;
    let address = listener.local_addr().map_err(lost)?;
    let scripts = Arc::new(scripts);
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let scripts = Arc::clone(&scripts);
            // Who leaves is no trouble.
            std::thread::spawn(move || serve(socket, &scripts).ok());
        }
    });
    Ok(address)
}

fn serve(socket: TcpStream, scripts: &BTreeMap<String, Script>) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let body = request(&mut BufReader::new(&socket))?;
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let model = asked.get("model").and_then(Value::as_str).unwrap_or_default();
    match scripts.get(model) {
        Some(script) => answer(&socket, script, &String::from_utf8_lossy(&body)),
        None => {
            let text = json!({"error": {"message": format!("no script `{model}`")}}).to_string();
            let length = text.len();
            write!(
                &socket,
                "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nconnection: close\r\n\
                 content-length: {length}\r\n\r\n{text}"
            )
        }
    }
}

/// The body of a request.
fn request(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        let field = line.split_once(':').unwrap_or_default();
        if field.0.eq_ignore_ascii_case("content-length") {
            length = field.1.trim().parse().unwrap_or(0);
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    Ok(body)
}

fn answer(mut socket: &TcpStream, script: &Script, body: &str) -> std::io::Result<()> {
    let script = script.then.as_deref().filter(|_| body.contains(RESULT)).unwrap_or(script);
    let kind = if script.page { "text/html" } else { "text/event-stream" };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    socket.write_all(head.as_bytes())?;
    for (number, frame) in script.frames.iter().enumerate() {
        if let Some((_, pause)) = script.pause.filter(|(at, _)| *at == number) {
            std::thread::sleep(pause);
        }
        let mut chunk = format!("{:x}\r\n", frame.len()).into_bytes();
        chunk.extend_from_slice(frame);
        chunk.extend_from_slice(b"\r\n");
        socket.write_all(&chunk)?;
    }
    if !script.lost {
        socket.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{request, said};

    #[test]
    fn pieces_are_cut_at_characters_and_lose_nothing() {
        let frames = said("aŽďár🦀b", 3);
        let text: String = frames
            .iter()
            .filter_map(|frame| {
                let value: serde_json::Value =
                    serde_json::from_str(frame.strip_prefix("data: ")?.trim()).ok()?;
                value["choices"][0]["delta"]["content"].as_str().map(str::to_owned)
            })
            .collect();
        assert_eq!((text.as_str(), frames.len()), ("aŽďár🦀b", 4));
    }

    #[test]
    fn a_request_is_as_long_as_it_says() {
        let text = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd";
        assert_eq!(request(&mut text.as_bytes()).ok(), Some(b"abc".to_vec()));
    }
}
