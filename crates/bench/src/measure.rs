//! Times, each beside the floor it is compared with.
//!
//! C is the cost of one `memchr::memchr` call per chunk over the same list of chunks, P that of one
//! `serde_json::from_str::<Value>` of all arguments. Both are taken in the same rounds as the work
//! itself, turn and turn about, and of every time the least of all rounds counts: what else runs on
//! the machine can only add to it.

use std::hint::black_box;

use serde_json::Value;
use toolweir_segments::{Event, EventSink, StreamEnd};

use crate::text::Chunking;
use crate::works::{self, Work};
use toolweir_yardstick::clock::{floor, time};

/// One timed pass covers at least so many bytes: short streams are read several times.
const PASS: usize = 1 << 20;

/// The figures of one work in one chunking.
pub(crate) struct Row {
    pub(crate) work: &'static str,
    pub(crate) format: &'static str,
    pub(crate) chunking: Chunking,
    pub(crate) shape: works::Shape,
    pub(crate) bytes: usize,
    pub(crate) chunks: usize,
    /// Nanoseconds a chunk.
    pub(crate) chunk_ns: f64,
    /// Nanoseconds a chunk of the floor.
    pub(crate) floor_ns: f64,
    /// Nanoseconds of the whole stream.
    pub(crate) stream_ns: f64,
    /// Nanoseconds of parsing all arguments at once, where there are any.
    pub(crate) parse_ns: Option<f64>,
    /// Nanoseconds of the stream with its arguments collected and parsed.
    pub(crate) value_ns: Option<f64>,
}

impl Row {
    /// How many times the floor a chunk costs.
    pub(crate) fn ratio(&self) -> f64 {
        self.chunk_ns / self.floor_ns
    }

    /// Gigabytes a second.
    pub(crate) fn speed(&self) -> f64 {
        self.bytes as f64 / self.stream_ns
    }
}

/// The least time of each part so far.
struct Least {
    stream: f64,
    floor: f64,
    parse: f64,
    value: f64,
}

/// Measures one work in one chunking.
///
/// # Errors
/// What is wrong, when the work is not read right.
pub(crate) fn row(work: &Work, chunking: Chunking, rounds: usize) -> Result<Row, String> {
    let chunks = chunking.cut(&work.text);
    if let Some(wrong) = work.wrong(&work.decode(&chunks)) {
        return Err(format!("{}: {wrong}", chunking.name()));
    }
    let again = (PASS / work.text.len().max(1)).clamp(1, 10_000);
    let one_long_call = work.arguments.len() == 1 && again == 1;
    let mut least = Least { stream: f64::MAX, floor: f64::MAX, parse: f64::MAX, value: f64::MAX };
    for _ in 0..rounds.max(1) {
        least.floor = least.floor.min(time(again, || floor(&chunks)));
        least.stream = least.stream.min(time(again, || work.decode(black_box(&chunks))));
        if !work.arguments.is_empty() {
            least.parse = least.parse.min(time(again, || parse(&work.arguments)));
        }
        if one_long_call {
            least.value = least.value.min(time(again, || collect(work, &chunks)));
        }
    }
    let count = chunks.len() as f64;
    let taken = |time: f64| (time < f64::MAX).then_some(time);
    Ok(Row {
        work: work.name,
        format: work.format,
        chunking,
        shape: work.shape,
        bytes: work.text.len(),
        chunks: chunks.len(),
        chunk_ns: least.stream / count,
        floor_ns: least.floor / count,
        stream_ns: least.stream,
        parse_ns: taken(least.parse),
        value_ns: taken(least.value),
    })
}

fn parse(arguments: &[String]) -> usize {
    let parsed = |document: &&String| serde_json::from_str::<Value>(black_box(document)).is_ok();
    arguments.iter().filter(parsed).count()
}

/// The arguments as a value: collected while they stream, parsed once.
fn collect(work: &Work, chunks: &[&str]) -> Option<Value> {
    struct Collect(String);
    impl EventSink for Collect {
        fn event(&mut self, event: Event<'_>) {
            if let Event::Args(json) = event {
                self.0.push_str(&json);
            }
        }
    }
    let mut sink = Collect(String::new());
    let mut decoder = work.decoder();
    for chunk in chunks {
        decoder.push((*chunk).into(), &mut sink);
    }
    decoder.finish(StreamEnd::Stop, &mut sink);
    serde_json::from_str(&sink.0).ok()
}

/// How the time of a work grows when its size doubles.
pub(crate) struct Doubling {
    pub(crate) work: &'static str,
    pub(crate) format: &'static str,
    pub(crate) chunking: Chunking,
    /// Size of the larger one.
    pub(crate) bytes: usize,
    pub(crate) factor: f64,
}

/// Times `make` at `from` bytes, twice that, and so on up to `to`.
pub(crate) fn doublings(
    make: impl Fn(usize) -> Work,
    chunking: Chunking,
    (from, to): (usize, usize),
    rounds: usize,
) -> Vec<Doubling> {
    let sizes = std::iter::successors(Some(from), |size| Some(size * 2)).take_while(|s| *s <= to);
    let works: Vec<Work> = sizes.map(make).collect();
    let chunks: Vec<Vec<&str>> = works.iter().map(|work| chunking.cut(&work.text)).collect();
    let mut least = vec![f64::MAX; works.len()];
    for _ in 0..rounds.max(1) {
        for ((work, chunks), least) in works.iter().zip(&chunks).zip(&mut least) {
            *least = least.min(time(1, || work.decode(chunks)));
        }
    }
    let factors = least.windows(2).map(|pair| pair.iter().rev().copied().reduce(|b, a| b / a));
    works
        .iter()
        .skip(1)
        .zip(factors)
        .map(|(work, factor)| Doubling {
            work: work.name,
            format: work.format,
            chunking,
            bytes: work.text.len(),
            factor: factor.unwrap_or(f64::NAN),
        })
        .collect()
}
