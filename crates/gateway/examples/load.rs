//! Paced and full-speed streams through a gateway, and beside it: what latency and processor time it adds.
//!
//! ```text
//! load NAME=URL[=PID]… [--streams 10,100] [--tokens 200] [--rate 20] [--kind text|hermes] [--upstream PORT]
//! ```
//!
//! Starts the scripted upstream on the port and asks each target for so many streams at once. Each token
//! holds the time at which it was written, so latency is arrival minus that, on one clock. `--rate 0` is
//! full speed. With a PID the processor time and memory of that process are told. `hermes` writes the
//! tokens into the argument of a call as text; then only the total counts.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing)]

use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

#[derive(Clone, Debug)]
struct Load {
    streams: Vec<usize>,
    tokens: usize,
    rate: u64,
    hermes: bool,
    upstream: u16,
    targets: Vec<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    name: String,
    address: SocketAddr,
    pid: Option<u32>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let load = arguments(std::env::args().skip(1));
    let listener = TcpListener::bind(("127.0.0.1", load.upstream)).await.unwrap();
    tokio::spawn(upstream(listener));
    println!(
        "| streams | target | complete | tokens/s | p50 ms | p99 ms | first ms | cpu s/100k | resident MiB |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|--:|--:|");
    for streams in &load.streams {
        for target in &load.targets {
            round(&load, *streams, target).await;
        }
    }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Load {
    let mut load = Load {
        streams: vec![10, 100],
        tokens: 200,
        rate: 20,
        hermes: false,
        upstream: 18080,
        targets: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word.as_str() {
            "--streams" => load.streams = value().split(',').map(|n| n.parse().unwrap()).collect(),
            "--tokens" => load.tokens = value().parse().unwrap(),
            "--rate" => load.rate = value().parse().unwrap(),
            "--kind" => load.hermes = value() == "hermes",
            "--upstream" => load.upstream = value().parse().unwrap(),
            target => {
                let parts: Vec<&str> = target.split('=').collect();
                load.targets.push(Target {
                    name: parts[0].to_owned(),
                    address: parts[1].parse().unwrap(),
                    pid: parts.get(2).map(|pid| pid.parse().unwrap()),
                });
            }
        }
    }
    load
}

/// What one stream saw.
#[derive(Debug, Default)]
struct Stream {
    /// Microseconds from the upstream's writing to the arrival.
    latencies: Vec<u64>,
    first: Option<Duration>,
    complete: bool,
}

async fn round(load: &Load, streams: usize, target: &Target) {
    let before = target.pid.and_then(cpu);
    let began = Instant::now();
    let mut running = JoinSet::new();
    for number in 0..streams {
        let (address, load) = (target.address, load.clone());
        running.spawn(async move {
            // Spread over one period, as streams of a day are.
            if let Some(period) = 1_000_000_u64.checked_div(load.rate) {
                let offset = number as u64 * period / streams as u64;
                tokio::time::sleep(Duration::from_micros(offset)).await;
            }
            ask(address, &load).await.unwrap_or_default()
        });
    }
    let mut all = Vec::new();
    while let Some(stream) = running.join_next().await {
        all.push(stream.unwrap_or_default());
    }
    let seconds = began.elapsed().as_secs_f64();
    let complete = all.iter().filter(|stream| stream.complete).count();
    let mut latencies: Vec<u64> =
        all.iter().flat_map(|stream| stream.latencies.iter().copied()).collect();
    latencies.sort_unstable();
    let mut firsts: Vec<u64> =
        all.iter().filter_map(|stream| Some(stream.first?.as_micros() as u64)).collect();
    firsts.sort_unstable();
    let tokens = streams * load.tokens;
    let spent = target.pid.and_then(cpu).zip(before).map(|(after, before)| after - before);
    let per =
        spent.map_or_else(|| "–".to_owned(), |spent| format!("{:.2}", spent * 1e5 / tokens as f64));
    let memory =
        target.pid.and_then(resident).map_or_else(|| "–".to_owned(), |mib| format!("{mib:.1}"));
    println!(
        "| {streams} | {} | {complete} | {:.0} | {} | {} | {} | {per} | {memory} |",
        target.name,
        tokens as f64 / seconds,
        millis(&latencies, 0.50),
        millis(&latencies, 0.99),
        millis(&firsts, 0.50),
    );
}

fn millis(sorted: &[u64], part: f64) -> String {
    let at = (sorted.len() as f64 * part) as usize;
    sorted
        .get(at.min(sorted.len().saturating_sub(1)))
        .map_or_else(|| "–".to_owned(), |micros| format!("{:.2}", *micros as f64 / 1000.0))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as u64
}

/// One request and its stream. Frames are read as a client reads them, no more.
async fn ask(to: SocketAddr, load: &Load) -> std::io::Result<Stream> {
    let kind = if load.hermes { "hermes" } else { "text" };
    let body = format!(
        r#"{{"model":"{kind}-{}-{}","stream":true,"messages":[{{"role":"user","content":"Hi"}}],"tools":[{{"type":"function","function":{{"name":"write","parameters":{{"type":"object","properties":{{"text":{{"type":"string"}}}}}}}}}}]}}"#,
        load.tokens, load.rate
    );
    let mut socket = TcpStream::connect(to).await?;
    socket.set_nodelay(true)?;
    let length = body.len();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: load\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    let began = Instant::now();
    socket.write_all((head + &body).as_bytes()).await?;
    let mut stream = Stream::default();
    let (mut bytes, mut tail) = (vec![0; 64 * 1024], Vec::new());
    loop {
        let read = socket.read(&mut bytes).await?;
        if read == 0 {
            return Ok(stream);
        }
        let arrived = now();
        tail.extend_from_slice(&bytes[..read]);
        let mut from = 0;
        // Stamps stand between `@` and `;`.
        while let Some(at) = memchr(b'@', &tail[from..]) {
            let Some(end) = memchr(b';', &tail[from + at..]) else { break };
            let stamp =
                std::str::from_utf8(&tail[from + at + 1..from + at + end]).unwrap_or_default();
            if let Ok(stamp) = stamp.parse::<u64>() {
                stream.first.get_or_insert_with(|| began.elapsed());
                stream.latencies.push(arrived.saturating_sub(stamp));
            }
            from += at + end + 1;
        }
        // The connection may stay open for more.
        if tail[from..].windows(6).any(|window| window == b"[DONE]") {
            stream.complete = true;
            return Ok(stream);
        }
        let keep = tail.len().saturating_sub(from).min(64);
        tail.drain(..tail.len() - keep);
    }
}

fn memchr(byte: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|other| *other == byte)
}

/// Answers as the model's name says: `KIND-TOKENS-RATE`.
async fn upstream(listener: TcpListener) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        tokio::spawn(async move {
            let _ = answer(socket).await;
        });
    }
}

async fn answer(mut socket: TcpStream) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut bytes = Vec::new();
    // Requests come one after the other on a connection.
    loop {
        let text = loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
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
                break text;
            }
            if socket.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        };
        let model = text
            .split("\"model\":\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .unwrap_or("text-10-0");
        let mut parts = model.split('-');
        let hermes = parts.next() == Some("hermes");
        let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
        let (tokens, rate) = (number(), number());
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n").await?;
        if hermes {
            let open = r#"<tool_call>\n{\"name\": \"write\", \"arguments\": {\"text\": \""#;
            chunk(&mut socket, &frame(open, "null")).await?;
        }
        let mut next = tokio::time::Instant::now();
        for _ in 0..tokens {
            if let Some(period) = 1_000_000_u64.checked_div(rate) {
                next += Duration::from_micros(period);
                tokio::time::sleep_until(next).await;
            }
            chunk(&mut socket, &frame(&format!("@{};", now()), "null")).await?;
        }
        if hermes {
            chunk(&mut socket, &frame(r#"\"}}\n</tool_call>"#, "null")).await?;
        }
        chunk(&mut socket, &(frame("", "\"stop\"") + "data: [DONE]\n\n")).await?;
        socket.write_all(b"0\r\n\r\n").await?;
    }
}

fn frame(content: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"cmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"load\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

async fn chunk(socket: &mut TcpStream, text: &str) -> std::io::Result<()> {
    let framed = format!("{:x}\r\n{text}\r\n", text.len());
    socket.write_all(framed.as_bytes()).await
}

/// Seconds of processor time of a process and its children that have been waited for.
fn cpu(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: f64 = fields.get(11..13)?.iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    // A tick is a hundredth of a second on Linux.
    Some(ticks / 100.0)
}

fn resident(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
}
