//! Several gateways, each a process that knows nothing of the others.

#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use toolweir::rjson::Value;

use crate::Record;
use crate::served::Served;

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A model that only writes text: asked for a throw it calls the tool, told what was thrown it says so.
fn model() -> String {
    upstream(|mut socket, body| {
        let text = match body.contains("The die shows four.") {
            true => "You threw a four.",
            false => r#"<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>"#,
        };
        socket.write_all((HEAD.to_owned() + &delta(text) + &end()).as_bytes()).unwrap();
    })
}

/// A model that pauses in its answer: it tells when it does, and goes on when it is told to.
fn pausing() -> (String, Receiver<()>, Sender<()>) {
    let (pauses, paused) = channel();
    let (go, wait) = channel();
    let url = upstream(move |mut socket, _| {
        socket.write_all((HEAD.to_owned() + &delta("One, ")).as_bytes()).unwrap();
        pauses.send(()).unwrap();
        wait.recv().unwrap();
        socket.write_all((delta("two.") + &end()).as_bytes()).unwrap();
    });
    (url, paused, go)
}

fn delta(text: &str) -> String {
    let text = toolweir::rjson::to_string(&Value::from(text));
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}\n\n"
    )
}

fn end() -> String {
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
        .to_owned()
}

/// Answers each connection with that, one after the other.
fn upstream(answer: impl Fn(TcpStream, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        while let Ok((socket, _)) = listener.accept() {
            let body = body_of(&socket);
            answer(socket, body);
        }
    });
    url
}

fn body_of(socket: &TcpStream) -> String {
    let mut reader = BufReader::new(socket);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

fn replica(url: &str, more: &[&str]) -> Served {
    let settings = ["--upstream", url, "--mode", "emulate", "--format", "hermes"];
    Served::start([&settings, more].concat())
}

const TOOLS: &str = r#""tools":[{"type":"function","function":{"name":"dice","parameters":{"type":"object","properties":{"sides":{"type":"integer"}}}}}]"#;
const QUESTION: &str = r#"{"role":"user","content":"Throw a die."}"#;

/// The first message of a whole reply.
fn message(reply: &str) -> Value {
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{reply}");
    let Record(value) = Record::read(body);
    value.pointer("/choices/0/message").unwrap_or_else(|| panic!("{body}")).clone()
}

fn chat(messages: &[&str]) -> String {
    format!(r#"{{"model":"m",{TOOLS},"messages":[{}]}}"#, messages.join(","))
}

/// The call comes through one replica, its result goes to another: whichever it is, the conversation goes
/// on, and ids do not clash.
#[test]
fn a_conversation_hops_from_process_to_process() {
    let url = model();
    let replicas = [replica(&url, &[]), replica(&url, &[])];
    let mut ids = Vec::new();
    for (asked, told) in [(0, 1), (1, 0), (0, 0)] {
        let called = message(&replicas[asked].post("/v1/chat/completions", &chat(&[QUESTION])));
        let id = called.pointer("/tool_calls/0/id").and_then(Value::as_str).unwrap().to_owned();
        let name = called.pointer("/tool_calls/0/function/name").and_then(Value::as_str);
        assert_eq!(name, Some("dice"));
        let called = toolweir::rjson::to_string(&called);
        let result =
            format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"The die shows four."}}"#);
        let body = chat(&[QUESTION, &called, &result]);
        let said = message(&replicas[told].post("/v1/chat/completions", &body));
        assert_eq!(said.get("content").and_then(Value::as_str), Some("You threw a four."));
        ids.push(id);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

/// A rolling restart: the replica that is told to stop says that it is not ready while it still takes
/// connections, finishes what it has begun, and ends; the other goes on.
#[test]
fn a_replica_that_stops_loses_no_answer() {
    let (url, paused, go) = pausing();
    let stopping = replica(&url, &["--drain-seconds", "3600"]);
    let staying = replica(&model(), &[]);
    let ready = |replica: &Served| replica.reply("GET", "/ready", "", "");
    assert!(ready(&stopping).starts_with("HTTP/1.1 200"));
    let body = format!(r#"{{"model":"m","messages":[{QUESTION}]}}"#);
    let mut running = stopping.ask("POST", "/v1/chat/completions", "", &body);
    paused.recv().unwrap();
    stopping.terminate();
    while !ready(&stopping).starts_with("HTTP/1.1 503") {
        thread::yield_now();
    }
    assert!(ready(&staying).starts_with("HTTP/1.1 200"));
    message(&staying.post("/v1/chat/completions", &chat(&[QUESTION])));
    // Told again, it waits for balancers no longer.
    stopping.terminate();
    while TcpStream::connect(&stopping.address).is_ok() {
        thread::yield_now();
    }
    go.send(()).unwrap();
    let mut reply = String::new();
    running.read_to_string(&mut reply).unwrap();
    let said = message(&reply);
    assert_eq!(said.get("content").and_then(Value::as_str), Some("One, two."));
    assert_eq!(stopping.ended(), Some(0));
}
