//! The loop of an adapter: a line with a question, a line with its answer.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
pub use serde_json::Value as Json;

use crate::found::{Lane, Peer, wrong};
use crate::works::{Format, Work, cut};
use crate::{alloc, clock};

/// What the driver asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Who is there?
    Hello,
    /// Forget all lanes.
    Clear,
    /// Read a work once, and keep a lane for it.
    Load {
        /// How its results are taken.
        sink: String,
        /// The format, by name.
        format: String,
        /// The work, by name.
        work: String,
        /// The chunks, by name.
        chunks: String,
    },
    /// Read it so many times.
    Pass {
        /// Which lane.
        lane: usize,
        /// How many times.
        times: usize,
    },
}

/// What an adapter answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Name, version and sinks.
    Hello {
        /// Name and version of the library.
        name: String,
        /// The sinks it has.
        sinks: Vec<String>,
    },
    /// Done.
    Done,
    /// The work was read right.
    Loaded {
        /// The number of its lane.
        lane: usize,
        /// Nanoseconds of that pass.
        ns: f64,
        /// Blocks allocated in one pass, the reader's making in it; none where that takes too long.
        blocks: Option<u64>,
        /// In how many pieces it all came; 0 where that is not known.
        pieces: usize,
    },
    /// The work was read wrong, for this reason.
    Wrong(String),
    /// There is no such thing here.
    Absent(String),
    /// Nanoseconds of one pass of those asked for.
    Took(f64),
}

/// Answers until nobody asks any more.
pub fn run(peer: &dyn Peer) -> ExitCode {
    let mut lanes: Vec<Box<dyn Lane>> = Vec::new();
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = match serde_json::from_str(&line) {
            Ok(ask) => answer(peer, &mut lanes, &ask),
            Err(error) => Answer::Absent(error.to_string()),
        };
        let Ok(answer) = serde_json::to_string(&answer) else { return ExitCode::FAILURE };
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn answer(peer: &dyn Peer, lanes: &mut Vec<Box<dyn Lane>>, ask: &Ask) -> Answer {
    match ask {
        Ask::Hello => Answer::Hello {
            name: peer.name(),
            sinks: peer.sinks().iter().map(|sink| (*sink).to_owned()).collect(),
        },
        Ask::Clear => {
            lanes.clear();
            Answer::Done
        }
        Ask::Load { sink, format, work, chunks } => {
            load(peer, lanes, sink, format, work, chunks).unwrap_or_else(Answer::Absent)
        }
        Ask::Pass { lane, times } => match lanes.get_mut(*lane) {
            Some(lane) => pass(&mut **lane, *times).map_or_else(Answer::Wrong, Answer::Took),
            None => Answer::Absent("there is no such lane".to_owned()),
        },
    }
}

fn pass(lane: &mut dyn Lane, times: usize) -> Result<f64, String> {
    lane.prepare(times);
    alloc::counting(false);
    let mut failed = None;
    let ns = clock::time(times, || {
        if let Err(error) = lane.pass() {
            failed = Some(error);
        }
    });
    alloc::counting(true);
    failed.map_or(Ok(ns), Err)
}

fn load(
    peer: &dyn Peer,
    lanes: &mut Vec<Box<dyn Lane>>,
    sink: &str,
    format: &str,
    work: &str,
    chunks: &str,
) -> Result<Answer, String> {
    let format = Format::find(format).ok_or("no such format")?;
    let work = Work::find(format, work).ok_or("the format has no such work")?;
    // A work lives as long as the program: a lane may borrow from it.
    let stream: &'static str = Box::leak(work.stream.clone().into_boxed_str());
    let chunks = cut(format, chunks, stream).ok_or("no such chunks")?;
    let mut lane = peer.lane(sink, format, &work, chunks)?;
    let first = match pass(&mut *lane, 1) {
        Ok(ns) => ns,
        Err(error) => return Ok(Answer::Wrong(error)),
    };
    let found = lane.take();
    if let Some(wrong) = wrong(&work, &found) {
        return Ok(Answer::Wrong(wrong));
    }
    let pieces = if let crate::Found::Read(read) = &found { read.pieces } else { 0 };
    drop(found);
    // The first pass may have filled caches of the library: what is counted is the second.
    let mut blocks = None;
    if first < COUNTED {
        lane.prepare(1);
        let before = alloc::blocks();
        let passed = lane.pass();
        blocks = Some(alloc::blocks() - before);
        if let Err(error) = passed {
            return Ok(Answer::Wrong(error));
        }
    }
    lanes.push(lane);
    Ok(Answer::Loaded { lane: lanes.len() - 1, ns: first, blocks, pieces })
}

/// A pass that takes longer, in nanoseconds, is not done a second time to count its blocks.
const COUNTED: f64 = 3e9;
