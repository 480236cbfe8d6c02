//! One work in one chunking, read by everybody turn and turn about.

use toolweir_yardstick::clock::{floor, time};
use toolweir_yardstick::serve::{Answer, Ask};
use toolweir_yardstick::works::{Format, Work, cut};

use crate::adapter::Adapter;

/// One pass takes about so many nanoseconds: short works are read several times.
const PASS: f64 = 4e6;
/// A column gets no more than about so many nanoseconds in all rounds; slow ones have fewer rounds.
const SHARE: f64 = 1.5e9;
const MOST: f64 = 5000.0;
/// A first pass that takes longer, in nanoseconds, is not repeated.
const LONG: f64 = 1e8;

/// What stands in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Read right.
    Right {
        /// Nanoseconds a pass, the least of all rounds.
        ns: f64,
        /// Blocks of one pass.
        blocks: Option<u64>,
        /// In how many pieces it came.
        pieces: usize,
    },
    /// Read wrong: no time counts.
    Wrong(String),
    /// There is no such format or work, or no answer in time.
    None(String),
}

/// The figures of one work in one chunking.
pub struct Row {
    pub format: &'static str,
    pub work: &'static str,
    pub chunking: &'static str,
    pub bytes: usize,
    pub chunks: usize,
    pub calls: usize,
    /// Nanoseconds of the floor for the whole list.
    pub floor: f64,
    /// One for each adapter and sink.
    pub cells: Vec<Cell>,
}

/// Loads a work. What took the first pass may have been caches that were filled, so a second one says how
/// long a pass is, where that does not take long.
fn warm(adapter: &mut Adapter, ask: &Ask) -> Result<Answer, String> {
    let mut answer = adapter.ask(ask)?;
    if let Answer::Loaded { lane, ns, .. } = &mut answer
        && *ns < LONG
        && let Answer::Took(second) = adapter.ask(&Ask::Pass { lane: *lane, times: 3 })?
    {
        *ns = second.min(*ns);
    }
    Ok(answer)
}

/// A column while it is measured.
struct Column {
    adapter: usize,
    cell: Cell,
    lane: usize,
    times: usize,
    rounds: usize,
}

impl Row {
    /// Has every adapter read the work right once, then times it; `None` where the format has no such
    /// work.
    pub fn measure(
        adapters: &mut [Adapter],
        format: Format,
        work: &str,
        chunking: &'static str,
        rounds: usize,
    ) -> Option<Self> {
        let work = Work::find(format, work)?;
        let chunks = cut(format, chunking, &work.stream)?;
        let mut columns = Vec::new();
        for (at, adapter) in adapters.iter_mut().enumerate() {
            // One that does not answer is started anew and has no lanes either.
            drop(adapter.ask(&Ask::Clear));
            for sink in adapter.sinks.clone() {
                let ask = Ask::Load {
                    sink,
                    format: format.name().to_owned(),
                    work: work.name.to_owned(),
                    chunks: chunking.to_owned(),
                };
                let loaded = warm(adapter, &ask);
                columns.push(Column::new(at, loaded, rounds));
            }
        }
        let once = time(1, || floor(&chunks));
        let times = (PASS / 4.0 / once.max(1.0)).clamp(1.0, MOST) as usize;
        let mut least = f64::MAX;
        for round in 0..rounds.max(1) {
            least = least.min(time(times, || floor(&chunks)));
            for column in columns.iter_mut().filter(|column| round < column.rounds) {
                column.round(adapters);
            }
        }
        Some(Self {
            format: format.name(),
            work: work.name,
            chunking,
            bytes: work.stream.len(),
            chunks: chunks.len(),
            calls: work.calls.len(),
            floor: least,
            cells: columns.into_iter().map(|column| column.cell).collect(),
        })
    }

    /// Nanoseconds a chunk.
    pub fn chunk(&self, ns: f64) -> f64 {
        ns / self.chunks.max(1) as f64
    }
}

impl Column {
    fn new(adapter: usize, loaded: Result<Answer, String>, rounds: usize) -> Self {
        let none = |cell| Self { adapter, cell, lane: 0, times: 0, rounds: 0 };
        match loaded {
            Ok(Answer::Loaded { lane, ns, blocks, pieces }) => {
                let times = (PASS / ns.max(1.0)).clamp(1.0, MOST);
                let passes = (SHARE / (ns * times)).clamp(1.0, rounds.max(1) as f64);
                let cell = Cell::Right { ns, blocks, pieces };
                Self { adapter, cell, lane, times: times as usize, rounds: passes as usize }
            }
            Ok(Answer::Wrong(why)) => none(Cell::Wrong(why)),
            Ok(Answer::Absent(why)) | Err(why) => none(Cell::None(why)),
            Ok(other) => none(Cell::None(format!("it answers {other:?}"))),
        }
    }

    fn round(&mut self, adapters: &mut [Adapter]) {
        let (Some(adapter), Cell::Right { ns, .. }) =
            (adapters.get_mut(self.adapter), &mut self.cell)
        else {
            return;
        };
        match adapter.ask(&Ask::Pass { lane: self.lane, times: self.times }) {
            Ok(Answer::Took(found)) => *ns = ns.min(found),
            Ok(Answer::Wrong(why)) => self.cell = Cell::Wrong(why),
            Ok(Answer::Absent(why)) | Err(why) => self.cell = Cell::None(why),
            Ok(other) => self.cell = Cell::None(format!("it answers {other:?}")),
        }
    }
}
