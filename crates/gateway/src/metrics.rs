//! Counters, in the text format that Prometheus reads.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::wire::Wire;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The answer is complete, or was cut by a limit and says so.
    Answered,
    /// The request was refused.
    Refused,
    /// The upstream did not give an answer.
    Failed,
    /// The client left first.
    Left,
}

const ENDS: [(End, &str); 4] = [
    (End::Answered, "answered"),
    (End::Refused, "refused"),
    (End::Failed, "failed"),
    (End::Left, "left"),
];
const WIRES: [Wire; 3] = [Wire::Chat, Wire::Responses, Wire::Messages];

/// All counters of a process.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: [[AtomicU64; ENDS.len()]; WIRES.len()],
    active: AtomicU64,
    connections: AtomicU64,
    calls: AtomicU64,
    upstream_bytes: AtomicU64,
    first_bytes: AtomicU64,
    first_byte_micros: AtomicU64,
}

impl Metrics {
    pub(crate) fn began(&self) {
        self.active.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn ended(&self, wire: Wire, end: End) {
        self.active.fetch_sub(1, Ordering::Relaxed);
        let row = WIRES.iter().position(|other| *other == wire);
        let column = ENDS.iter().position(|(other, _)| *other == end);
        let cell = row.and_then(|row| self.requests.get(row));
        if let Some(cell) = cell.and_then(|cells| cells.get(column?)) {
            cell.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self, calls: u64, bytes: u64) {
        self.calls.fetch_add(calls, Ordering::Relaxed);
        self.upstream_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn first_byte(&self, micros: u64) {
        self.first_bytes.fetch_add(1, Ordering::Relaxed);
        self.first_byte_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn disconnected(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        head(&mut out, "toolweir_requests_total", "counter", "Requests by wire and end.");
        for (cells, wire) in self.requests.iter().zip(WIRES) {
            for (cell, (_, end)) in cells.iter().zip(ENDS) {
                let (wire, value) = (wire.word(), get(cell));
                let _ = writeln!(
                    out,
                    "toolweir_requests_total{{wire=\"{wire}\",end=\"{end}\"}} {value}"
                );
            }
        }
        let mut single = |name: &str, kind: &str, help: &str, value: u64| {
            head(&mut out, name, kind, help);
            let _ = writeln!(out, "{name} {value}");
        };
        single(
            "toolweir_active_requests",
            "gauge",
            "Requests that are being answered.",
            get(&self.active),
        );
        single("toolweir_connections", "gauge", "Connections of clients.", get(&self.connections));
        single("toolweir_calls_total", "counter", "Tool calls that may run.", get(&self.calls));
        let bytes = get(&self.upstream_bytes);
        single(
            "toolweir_upstream_bytes_total",
            "counter",
            "Bytes of answers from upstream.",
            bytes,
        );
        let name = "toolweir_first_byte_seconds";
        head(
            &mut out,
            name,
            "summary",
            "Time from a request to the first byte of its answer from upstream.",
        );
        let micros = get(&self.first_byte_micros);
        let _ = writeln!(out, "{name}_sum {}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let _ = writeln!(out, "{name}_count {}", get(&self.first_bytes));
        out
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::{End, Metrics};
    use crate::wire::Wire;

    #[test]
    fn counters_are_told_by_name() {
        let metrics = Metrics::default();
        metrics.began();
        metrics.began();
        metrics.ended(Wire::Messages, End::Left);
        metrics.read(2, 100);
        metrics.first_byte(1_500_000);
        let text = metrics.text();
        for line in [
            "toolweir_requests_total{wire=\"messages\",end=\"left\"} 1",
            "toolweir_requests_total{wire=\"chat\",end=\"answered\"} 0",
            "toolweir_active_requests 1",
            "toolweir_calls_total 2",
            "toolweir_upstream_bytes_total 100",
            "toolweir_first_byte_seconds_sum 1.500000",
            "toolweir_first_byte_seconds_count 1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} in\n{text}");
        }
    }
}
