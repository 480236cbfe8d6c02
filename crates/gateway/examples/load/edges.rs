//! Clients that leave, that do not read, and one that takes all it can get.

use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::task::JoinSet;

use super::client::{self, Stream};
use super::upstream::{Shared, locked};
use super::{Load, Target, millis, now, resident, sorted};

/// How long a stalled client reads nothing.
const STALL: Duration = Duration::from_secs(6);
/// How long the upstream may take to see that a client has left.
const PATIENCE: Duration = Duration::from_secs(5);
/// Tokens of a stream that nobody is to read to its end.
const ENDLESS: usize = 10_000_000;

/// From the client's leaving to the upstream's seeing it.
pub(crate) async fn leave(load: &Load, seen: &Shared) {
    println!("| streams | target | seen by the upstream | p50 ms | longest ms |");
    println!("|--:|---|--:|--:|--:|");
    let mut number = 0;
    for count in &load.streams {
        for target in &load.targets {
            let mut running = JoinSet::new();
            for _ in 0..*count {
                number += 1;
                running.spawn(first_token(target.clone(), load.clone(), number));
            }
            let left: Vec<(u64, u64)> = running.join_all().await.into_iter().flatten().collect();
            tokio::time::sleep(PATIENCE).await;
            let times =
                {
                    let seen = locked(seen);
                    sorted(left.iter().filter_map(|(number, at)| {
                        Some(seen.closed.get(number)?.saturating_sub(*at))
                    }))
                };
            println!(
                "| {count} | {} | {} | {} | {} |",
                target.name,
                times.len(),
                millis(&times, 0.5),
                millis(&times, 1.0)
            );
        }
    }
}

/// Reads up to the first token and leaves: the stream's number, and when.
async fn first_token(target: Target, load: Load, number: u64) -> Option<(u64, u64)> {
    let model = format!("{}-{ENDLESS}-{}-{number}", load.kind, load.rate);
    let mut socket = client::asked(target.address, target.wire, &model).await.ok()?;
    let mut bytes = [0; 4096];
    loop {
        let read = socket.read(&mut bytes).await.ok()?;
        if read == 0 {
            return None;
        }
        if bytes[..read].contains(&b'@') {
            drop(socket);
            return Some((number, now()));
        }
    }
}

/// What a client that does not read costs.
pub(crate) async fn stall(load: &Load, seen: &Shared) {
    println!(
        "| streams | target | resident MiB before | after | MiB a stream | taken from the upstream, MiB a stream |"
    );
    println!("|--:|---|--:|--:|--:|--:|");
    let mut number = 1_000_000;
    for count in &load.streams {
        for target in &load.targets {
            let before = target.pid.and_then(resident);
            let first = number;
            let mut held = Vec::new();
            for _ in 0..*count {
                let model = format!("{}-{ENDLESS}-0-{number}", load.kind);
                number += 1;
                held.extend(client::asked(target.address, target.wire, &model).await);
            }
            tokio::time::sleep(STALL).await;
            let after = target.pid.and_then(resident);
            let taken: u64 = {
                let seen = locked(seen);
                (first..number).filter_map(|number| seen.written.get(&number)).sum()
            };
            drop(held);
            let tell =
                |mib: Option<f64>| mib.map_or_else(|| "–".to_owned(), |mib| format!("{mib:.2}"));
            let grown = after.zip(before).map(|(after, before)| (after - before) / *count as f64);
            println!(
                "| {count} | {} | {} | {} | {} | {:.2} |",
                target.name,
                tell(before),
                tell(after),
                tell(grown),
                taken as f64 / f64::from(1 << 20) / *count as f64
            );
            // What is left of these streams ends before the next are measured.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Five paced streams alone, then beside streams at full speed.
pub(crate) async fn starve(load: &Load) {
    println!("| beside at full speed | target | complete | p50 ms | p99 ms | first p99 ms |");
    println!("|--:|---|--:|--:|--:|--:|");
    for target in &load.targets {
        for count in [0, 1, 8] {
            let mut hungry = JoinSet::new();
            for _ in 0..count {
                let model = format!("{}-{ENDLESS}-0-0", load.kind);
                let (address, wire) = (target.address, target.wire);
                hungry.spawn(async move { client::read(address, wire, &model, 0).await });
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
            let all: Vec<Stream> = super::streams(load, 5, target).await;
            hungry.abort_all();
            while hungry.join_next().await.is_some() {}
            let latencies = sorted(all.iter().flat_map(|s| s.latencies.iter().copied()));
            let firsts = sorted(all.iter().filter_map(|s| Some(s.first?.as_micros() as u64)));
            println!(
                "| {count} | {} | {} | {} | {} | {} |",
                target.name,
                all.iter().filter(|stream| stream.complete).count(),
                millis(&latencies, 0.50),
                millis(&latencies, 0.99),
                millis(&firsts, 0.99),
            );
        }
    }
}
