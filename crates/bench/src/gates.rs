//! The gates: counts, not times, so they say the same on every machine and may fail a build.
//!
//! Allocations a chunk, peak memory, bytes examined. Each is a limit and what was found.

use toolweir_protocols::{Limits, Malformed, Request};
use toolweir_segments::StreamEnd;

use crate::alloc;
use crate::text::Chunking;
use crate::works::{self, FORMATS, Sum, Work, big_arg, decoder, parallel};

/// One limit and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    /// What is counted, in which work.
    pub(crate) name: String,
    pub(crate) found: u64,
    /// The most that passes.
    pub(crate) limit: u64,
}

impl Gate {
    pub(crate) fn new(name: impl Into<String>, found: u64, limit: u64) -> Self {
        Self { name: name.into(), found, limit }
    }

    /// Whether the limit holds.
    pub(crate) fn holds(&self) -> bool {
        self.found <= self.limit
    }
}

const KIB: u64 = 1 << 10;
pub(crate) const MIB: usize = 1 << 20;
/// Size of the streams in which allocations are counted.
const STREAM: usize = 512 << 10;
/// A block of kept source.
pub(crate) const BLOCK: u64 = 64 * KIB;
/// What a decoder may use beside kept source, with room for a small call.
pub(crate) const SMALL: u64 = 16 * KIB;

/// Every gate.
pub(crate) fn all() -> Vec<Gate> {
    let mut gates = text();
    gates.extend(arguments());
    gates.extend(memory());
    gates.extend(calls());
    gates.extend(first_calls());
    gates.extend(work());
    gates.extend(crate::agents::gates());
    gates.extend(crate::floods::gates());
    gates
}

/// Text, reasoning: no allocation once the stream runs.
pub(crate) fn text() -> Vec<Gate> {
    let mut gates = Vec::new();
    let works = works::all(STREAM).into_iter().filter(|work| work.shape == works::Shape::Text);
    for work in &works.chain(works::openers(STREAM)).collect::<Vec<_>>() {
        for chunking in [Chunking::Tokens, Chunking::Bytes(64)] {
            let found = blocks_after_start(work, chunking);
            let name = format!("allocations, {} {} {}", work.name, work.format, chunking.name());
            gates.push(Gate::new(name, found, 0));
        }
    }
    gates
}

/// Argument chunks: no allocation, but for kept source one block each 64 KiB and the growth of the
/// list of blocks.
pub(crate) fn arguments() -> Vec<Gate> {
    let mut gates = Vec::new();
    for malformed in [Malformed::Drop, Malformed::Text] {
        let works = works::all(STREAM).into_iter().chain(works::code_args(STREAM));
        for work in works.filter(|work| work.arguments.len() == 1) {
            if work.shape == works::Shape::Chatty {
                continue;
            }
            let work = work.with_malformed(malformed);
            let source = work.text.len() as u64;
            let blocks = source.div_ceil(BLOCK);
            let limit = match malformed {
                Malformed::Drop => 0,
                _ => blocks + u64::from(blocks.ilog2()) + 1,
            };
            for chunking in [Chunking::Tokens, Chunking::Bytes(64)] {
                let found = blocks_after_start(&work, chunking);
                let (policy, cut) = (malformed.word(), chunking.name());
                let name =
                    format!("allocations, {} {} {cut}, malformed {policy}", work.name, work.format);
                gates.push(Gate::new(name, found, limit));
            }
        }
    }
    gates
}

/// Blocks allocated after the first eighth of the stream, its last bytes left out: the start warms
/// up what is reused, the end is a marker.
fn blocks_after_start(work: &Work, chunking: Chunking) -> u64 {
    let chunks = chunking.cut(&work.text);
    let (start, rest) = chunks.split_at(chunks.len() / 8);
    let (steady, end) = rest.split_at(rest.len().saturating_sub(64));
    let mut sum = Sum::default();
    let mut decoder = work.decoder();
    for chunk in start {
        decoder.push((*chunk).into(), &mut sum);
    }
    let before = alloc::blocks();
    for chunk in steady {
        decoder.push((*chunk).into(), &mut sum);
    }
    let blocks = alloc::blocks() - before;
    for chunk in end {
        decoder.push((*chunk).into(), &mut sum);
    }
    decoder.finish(StreamEnd::Stop, &mut sum);
    assert_eq!(work.wrong(&sum), None);
    blocks
}

/// Peak memory of a decoder from its making to its end, chunks and sink apart.
pub(crate) fn memory() -> Vec<Gate> {
    let mut gates = Vec::new();
    for format in FORMATS {
        let text =
            works::all(MIB).into_iter().find(|w| w.name == "text-only" && w.format == *format);
        gates.extend(text.map(|work| peak_gate(&work, "1 MiB", SMALL)));
        for (size, bytes) in [("1 MiB", MIB), ("10 MiB", 10 * MIB)] {
            for malformed in [Malformed::Drop, Malformed::Text] {
                let work = big_arg(format, bytes).with_malformed(malformed);
                let kept = match malformed {
                    Malformed::Drop => 0,
                    _ => work.text.len() as u64 + BLOCK,
                };
                let name = format!("{size}, malformed {}", malformed.word());
                gates.push(peak_gate(&work, &name, kept + SMALL));
            }
        }
        gates.extend(unreadable(format));
    }
    gates
}

fn peak_gate(work: &Work, what: &str, limit: u64) -> Gate {
    let chunks = Chunking::Tokens.cut(&work.text);
    let (sum, peak) = alloc::peak_of(|| work.decode(&chunks));
    assert_eq!(work.wrong(&sum), None);
    Gate::new(format!("peak bytes, {} {} {what}", work.name, work.format), peak, limit)
}

/// What must be held has a limit of its own, which ten times as much must not pass. Text that grows
/// by doubling takes up to twice its length.
fn unreadable(format: &'static str) -> Vec<Gate> {
    let blanks = " ".repeat(10 * MIB);
    let opener = match format {
        "qwen3-coder" => "<tool_call><function=write>",
        _ => "<tool_call>{\"name\":\"write\",\"arguments\":{\"path\":",
    };
    let after = match format {
        "qwen3-coder" => format!("{opener}<parameter=path>x</parameter>{blanks}"),
        _ => format!("{opener}\"x\"{blanks}"),
    };
    let tag = match format {
        "qwen3-coder" => format!("{opener}<{blanks}"),
        _ => format!("{opener}\"x\",{blanks}"),
    };
    let digits = match format {
        "qwen3-coder" => {
            format!("<tool_call><function=step><parameter=row>{}", "7".repeat(10 * MIB))
        }
        _ => format!("{opener}{}", "7".repeat(10 * MIB)),
    };
    let before = format!("<tool_call>{blanks}");
    let inputs = [
        ("blanks after an opener", before),
        ("blanks after a value", after),
        ("blanks in a tag or after a comma", tag),
        ("one long number", digits),
    ];
    let mut request = Request::new(works::tools());
    request.policies.malformed = Malformed::Drop;
    let protocol = works::protocol(&toolweir_protocols::Registry::builtin(), format);
    let limit = Limits::default().max_held_bytes as u64;
    let gate = |(what, text): (&str, String)| {
        let chunks = Chunking::Bytes(64).cut(&text);
        let (_, peak) = alloc::peak_of(|| {
            let mut sum = Sum::default();
            let mut decoder = decoder(&*protocol, &request);
            for chunk in &chunks {
                decoder.push((*chunk).into(), &mut sum);
            }
            decoder.finish(StreamEnd::Stop, &mut sum);
            sum
        });
        Gate::new(format!("peak bytes, {what}, {format}"), peak, 2 * limit + SMALL)
    };
    inputs.into_iter().map(gate).collect()
}

/// Allocations a small call, and that calls leave nothing behind.
pub(crate) fn calls() -> Vec<Gate> {
    let mut gates = Vec::new();
    for format in FORMATS {
        let work = parallel(format, 100);
        let chunks = Chunking::Tokens.cut(&work.text);
        let before = alloc::blocks();
        let sum = work.decode(&chunks);
        let found = alloc::blocks() - before;
        assert_eq!(work.wrong(&sum), None);
        gates.push(Gate::new(format!("allocations of 100 calls, {format}"), found, 100 * PER_CALL));
        gates.push(many_calls(format));
    }
    gates
}

/// Allocations of one small call with two arguments, one of them an integer that is read by its
/// schema, held against it as in every format: where they stand, so that they do not grow.
const PER_CALL: u64 = 6;

/// Allocations of a short answer with a small call, the making of the decoder among them: where they stand.
const FIRST_CALL: [(&str, u64); 6] = [
    ("hermes", 7),
    ("json-mix", 7),
    ("qwen3-coder", 12),
    ("mistral", 7),
    ("llama3-json", 12),
    ("deepseek-v31", 12),
];

pub(crate) fn first_calls() -> Vec<Gate> {
    let mut gates = Vec::new();
    let works = works::all(STREAM).into_iter().filter(|work| work.shape == works::Shape::Chatty);
    for work in works {
        let limit = FIRST_CALL.iter().find(|(format, _)| *format == work.format);
        let limit = limit.map_or(0, |(_, blocks)| *blocks);
        for chunking in [Chunking::Tokens, Chunking::Bytes(64), Chunking::Whole] {
            let chunks = chunking.cut(&work.text);
            let read = || {
                let before = alloc::blocks();
                let sum = work.decode(&chunks);
                let found = alloc::blocks() - before;
                assert_eq!(work.wrong(&sum), None);
                found
            };
            // What a format caches about a tool is there after the first stream.
            read();
            let name = format!("allocations of one call, {} {}", work.format, chunking.name());
            gates.push(Gate::new(name, read(), limit));
        }
    }
    gates
}

fn many_calls(format: &'static str) -> Gate {
    let mut work = parallel(format, 100_000);
    work.request.limits.max_calls = usize::MAX;
    let chunks = Chunking::Bytes(64).cut(&work.text);
    let (sum, peak) = alloc::peak_of(|| work.decode(&chunks));
    assert_eq!(work.wrong(&sum), None);
    Gate::new(format!("peak bytes, 100,000 calls, {format}"), peak, SMALL)
}

/// Bytes examined: at most three times the input, 64 an event and a constant, and no more than a
/// doubling when the input doubles.
#[cfg(feature = "meter")]
pub(crate) fn work() -> Vec<Gate> {
    let mut gates = Vec::new();
    for chunking in [Chunking::Bytes(1), Chunking::Tokens, Chunking::Whole] {
        for (small, large) in works::all(64 << 10).iter().zip(&works::all(128 << 10)) {
            let name = format!("{} {} {}", large.name, large.format, chunking.name());
            let ((before, _), (after, limit)) =
                (examined(small, chunking), examined(large, chunking));
            gates.push(Gate::new(format!("bytes examined, {name}"), after, limit));
            if small.text.len() < large.text.len() {
                let limit = before * 22 / 10;
                gates.push(Gate::new(
                    format!("bytes examined at twice the size, {name}"),
                    after,
                    limit,
                ));
            }
        }
    }
    gates
}

#[cfg(feature = "meter")]
fn examined(work: &Work, chunking: Chunking) -> (u64, u64) {
    let mut sum = Sum::default();
    let mut decoder = work.decoder();
    for chunk in chunking.cut(&work.text) {
        decoder.push(chunk.into(), &mut sum);
    }
    decoder.finish(StreamEnd::Stop, &mut sum);
    (decoder.examined(), 3 * work.text.len() as u64 + 64 * sum.events + 4096)
}

/// Without the feature nothing is counted.
#[cfg(not(feature = "meter"))]
pub(crate) fn work() -> Vec<Gate> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(gates: &[Gate]) {
        let broken: Vec<&Gate> = gates.iter().filter(|gate| !gate.holds()).collect();
        assert!(!gates.is_empty() && broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn text_allocates_nothing() {
        hold(&text());
    }

    #[test]
    fn arguments_allocate_nothing_but_kept_source() {
        hold(&arguments());
    }

    #[test]
    fn peak_memory_is_that_of_the_formula() {
        hold(&memory());
    }

    #[test]
    fn calls_allocate_little_and_leave_nothing_behind() {
        hold(&calls());
    }

    #[test]
    fn a_first_call_allocates_little() {
        hold(&first_calls());
    }

    #[test]
    #[cfg(feature = "meter")]
    fn work_is_linear() {
        hold(&work());
    }
}
