//! Streams through a gateway, and beside it: what latency, processor time and memory it adds.
//!
//! ```text
//! load NAME=ADDRESS[=PID[=WIRE]]… [--work paced|full|leave|stall|starve] [--streams 10,100] [--tokens 200]
//!      [--rate 20] [--kind text|hermes|native] [--upstream PORT]
//! ```
//!
//! Starts the scripted upstream on the port and asks each target for so many streams at once. Each token
//! holds the time at which it was written, so latency is arrival minus that, on one clock. With a PID the
//! processor time and memory of that process are told. `hermes` and `native` write the tokens into the
//! argument of a call, as text and as the upstream's own.
//!
//! `paced` writes `--rate` tokens a second in each stream, `full` as fast as they are taken. `leave` closes
//! each connection after its first token and waits for the upstream to see it. `stall` reads nothing for six
//! seconds of streams at full speed. `starve` runs five paced streams alone and beside one at full speed.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing)]

mod client;
mod edges;
mod upstream;

use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::net::TcpSocket;
use tokio::task::JoinSet;

use self::client::{Stream, Wire};
use self::upstream::Shared;

#[derive(Clone, Debug)]
struct Load {
    work: String,
    streams: Vec<usize>,
    tokens: usize,
    rate: u64,
    kind: String,
    upstream: u16,
    targets: Vec<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    name: String,
    address: SocketAddr,
    pid: Option<u32>,
    wire: Wire,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let load = arguments(std::env::args().skip(1));
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 1], load.upstream))).unwrap();
    // All streams connect within one period.
    let listener = socket.listen(4096).unwrap();
    let seen = Shared::default();
    tokio::spawn(upstream::serve(listener, seen.clone()));
    match load.work.as_str() {
        "leave" => edges::leave(&load, &seen).await,
        "stall" => edges::stall(&load, &seen).await,
        "starve" => edges::starve(&load).await,
        _ => table(&load).await,
    }
}

/// `paced` and `full`.
async fn table(load: &Load) {
    println!(
        "| streams | target | complete | tokens/s | p50 ms | p99 ms | first p50 ms | first p99 ms | cpu s/100k | resident MiB |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for target in load.targets.iter().filter(|target| target.pid.is_some()) {
        let memory = mebibytes(target);
        println!("| 0 | {} | – | – | – | – | – | – | – | {memory} |", target.name);
    }
    for streams in &load.streams {
        for target in &load.targets {
            round(load, *streams, target).await;
        }
    }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Load {
    let mut load = Load {
        work: "paced".to_owned(),
        streams: vec![10, 100],
        tokens: 200,
        rate: 20,
        kind: "text".to_owned(),
        upstream: 18080,
        targets: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match word.as_str() {
            "--work" => load.work = value(),
            "--streams" => load.streams = value().split(',').map(|n| n.parse().unwrap()).collect(),
            "--tokens" => load.tokens = value().parse().unwrap(),
            "--rate" => load.rate = value().parse().unwrap(),
            "--kind" => load.kind = value(),
            "--upstream" => load.upstream = value().parse().unwrap(),
            target => {
                let parts: Vec<&str> = target.split('=').collect();
                load.targets.push(Target {
                    name: parts[0].to_owned(),
                    address: parts[1].parse().unwrap(),
                    pid: parts.get(2).and_then(|pid| pid.parse().ok()),
                    wire: parts.get(3).map_or(Wire::Chat, |word| Wire::of(word).unwrap()),
                });
            }
        }
    }
    if load.work == "full" {
        load.rate = 0;
    }
    load
}

/// So many streams at once, to their ends.
async fn streams(load: &Load, streams: usize, target: &Target) -> Vec<Stream> {
    let mut running = JoinSet::new();
    let model = format!("{}-{}-{}-0", load.kind, load.tokens, load.rate);
    for number in 0..streams {
        let (address, wire, tokens, model) =
            (target.address, target.wire, load.tokens, model.clone());
        let period = 1_000_000_u64.checked_div(load.rate).unwrap_or(0);
        running.spawn(async move {
            // Spread over one period, as streams of a day are.
            let offset = number as u64 * period / streams as u64;
            tokio::time::sleep(Duration::from_micros(offset)).await;
            client::read(address, wire, &model, tokens).await.unwrap_or_default()
        });
    }
    let mut all = Vec::new();
    while let Some(stream) = running.join_next().await {
        all.push(stream.unwrap_or_default());
    }
    all
}

async fn round(load: &Load, count: usize, target: &Target) {
    let before = target.pid.and_then(cpu);
    let began = Instant::now();
    let all = streams(load, count, target).await;
    let seconds = began.elapsed().as_secs_f64();
    let complete = all.iter().filter(|stream| stream.complete).count();
    let latencies = sorted(all.iter().flat_map(|stream| stream.latencies.iter().copied()));
    let firsts = sorted(all.iter().filter_map(|stream| Some(stream.first?.as_micros() as u64)));
    let tokens = count * load.tokens;
    let spent = target.pid.and_then(cpu).zip(before).map(|(after, before)| after - before);
    let per =
        spent.map_or_else(|| "–".to_owned(), |spent| format!("{:.2}", spent * 1e5 / tokens as f64));
    println!(
        "| {count} | {} | {complete} | {:.0} | {} | {} | {} | {} | {per} | {} |",
        target.name,
        tokens as f64 / seconds,
        millis(&latencies, 0.50),
        millis(&latencies, 0.99),
        millis(&firsts, 0.50),
        millis(&firsts, 0.99),
        mebibytes(target),
    );
}

fn sorted(times: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut times: Vec<u64> = times.collect();
    times.sort_unstable();
    times
}

fn millis(sorted: &[u64], part: f64) -> String {
    let at = (sorted.len() as f64 * part) as usize;
    sorted
        .get(at.min(sorted.len().saturating_sub(1)))
        .map_or_else(|| "–".to_owned(), |micros| format!("{:.2}", *micros as f64 / 1000.0))
}

/// Microseconds of the clock that upstream and client share.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as u64
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

/// Mebibytes that a process has in memory.
fn resident(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
}

fn mebibytes(target: &Target) -> String {
    target.pid.and_then(resident).map_or_else(|| "–".to_owned(), |mib| format!("{mib:.1}"))
}
