//! How the time grows when the input doubles, for inputs made to hurt.
//!
//! A family is one kind of damage at any size. Each is read by a reader at 16 KiB, twice that, and so
//! on; the worst step from one size to the next is what counts. A step that misses is timed again, as
//! another program may have run at the same time. Limits that would stop a reader early are lifted
//! where it is meant to work without them; where it stops all the same, there is nothing to time.

mod elements;
mod json;
mod values;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::report::{rows, yes};
use toolweir_yardstick::clock::time;

/// The most a step may be.
pub(crate) const LIMIT: f64 = 2.3;
/// A step that misses is timed again so often.
const RETRIES: usize = 8;
/// A family that took so long is not timed again.
const ENOUGH: Duration = Duration::from_secs(15);
/// A size that takes longer is the last, in nanoseconds.
const LONGEST: f64 = 3e9;
/// Where the largest size takes longer, it is timed again only when a step misses.
const LONG: f64 = 0.3e9;
/// Short work is repeated until it takes about so long, in nanoseconds.
const PASS: f64 = 3e6;

/// One input of a family, ready to be read: each call reads it once, and says how far that came in
/// bytes where it stopped before the end.
pub(crate) type Run = Box<dyn FnMut(usize) -> (f64, Option<usize>)>;

/// One family in one reader.
pub(crate) struct Family {
    /// The reader and how it reads.
    pub(crate) reader: &'static str,
    pub(crate) name: &'static str,
    /// Makes an input of about so many bytes.
    pub(crate) make: Box<dyn Fn(usize) -> Run>,
}

/// What was found of one family.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Growth {
    pub(crate) reader: &'static str,
    pub(crate) family: &'static str,
    /// The worst step, and the size in bytes it led to; none where the reader stops early.
    pub(crate) worst: Option<(f64, usize)>,
    /// The largest size timed.
    pub(crate) largest: usize,
    /// Nanoseconds a byte at the largest size.
    pub(crate) byte_ns: f64,
}

/// Every family of every reader.
pub(crate) fn families() -> Vec<Family> {
    let mut all = json::families();
    all.extend(elements::families());
    all.extend(values::families());
    all
}

/// Times every family from `from` to `to` bytes.
///
/// In the short run a step that misses is not timed again.
pub(crate) fn all(sizes: (usize, usize), rounds: usize, smoke: bool) -> Vec<Growth> {
    let retries = if smoke { 0 } else { RETRIES };
    let mut reader = "";
    let one = |family: &Family| {
        if reader != family.reader {
            eprintln!("growth, {} ...", family.reader);
            reader = family.reader;
        }
        growth(family, sizes, rounds, retries)
    };
    families().iter().map(one).collect()
}

/// One size: its input, how often a pass reads it, and the least time.
struct Size {
    bytes: usize,
    run: Run,
    times: usize,
    least: f64,
}

impl Size {
    fn again(&mut self) {
        self.least = self.least.min((self.run)(self.times).0);
    }
}

fn growth(family: &Family, (from, to): (usize, usize), rounds: usize, retries: usize) -> Growth {
    let started = Instant::now();
    let mut sizes: Vec<Size> = Vec::new();
    let mut stopped = None;
    for bytes in std::iter::successors(Some(from), |size| Some(size * 2)).take_while(|s| *s <= to) {
        let mut run = (family.make)(bytes);
        let (least, end) = run(1);
        stopped = end.filter(|end| *end < bytes / 2);
        let times = (PASS / least.max(1.0)).clamp(1.0, 100.0) as usize;
        sizes.push(Size { bytes, run, times, least });
        if least > LONGEST {
            break;
        }
    }
    let long = sizes.last().is_some_and(|size| size.least > LONG);
    for _ in 0..if long || stopped.is_some() { 0 } else { rounds } {
        sizes.iter_mut().for_each(Size::again);
    }
    for _ in 0..retries {
        let missed = worst(&sizes).filter(|(step, _)| *step > LIMIT && stopped.is_none());
        let Some((_, at)) = missed.filter(|_| started.elapsed() < ENOUGH) else { break };
        // The larger side first: it is the one that was disturbed.
        for size in sizes.iter_mut().rev().filter(|size| [at, at / 2].contains(&size.bytes)) {
            size.again();
        }
    }
    let (largest, least) = sizes.last().map_or((0, 0.0), |size| (size.bytes, size.least));
    let worst = worst(&sizes).filter(|_| stopped.is_none());
    let byte_ns = least / stopped.unwrap_or(largest).max(1) as f64;
    Growth { reader: family.reader, family: family.name, worst, largest, byte_ns }
}

fn worst(sizes: &[Size]) -> Option<(f64, usize)> {
    let steps = sizes.iter().zip(sizes.iter().skip(1));
    let steps = steps.map(|(small, large)| (large.least / small.least, large.bytes));
    steps.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A run over a text that is there; `read` gives where it stopped.
fn over_text(text: String, mut read: impl FnMut(&str) -> Option<usize> + 'static) -> Run {
    Box::new(move |times| {
        let mut end = None;
        let ns = time(times, || end = read(std::hint::black_box(&text)));
        (ns, end)
    })
}

/// `unit` as often as fits.
fn fill(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes.div_ceil(unit.len().max(1)))
}

impl Growth {
    /// Whether every step is small enough.
    fn met(&self) -> bool {
        self.worst.is_none_or(|(step, _)| step <= LIMIT)
    }

    /// One line for each reader.
    pub(crate) fn summary(all: &[Self]) -> Vec<Vec<String>> {
        let head = [
            "reader",
            "families",
            "stop early",
            "worst step",
            "at, KiB",
            "family",
            "slowest, ns a byte",
            "family",
            "goal",
            "met",
        ];
        let mut readers: Vec<&str> = Vec::new();
        all.iter().filter(|one| one.worst.is_some()).for_each(|one| {
            if !readers.contains(&one.reader) {
                readers.push(one.reader);
            }
        });
        let row = |reader: &&str| {
            let of: Vec<&Self> = all.iter().filter(|one| one.reader == *reader).collect();
            let timed: Vec<&&Self> = of.iter().filter(|one| one.worst.is_some()).collect();
            let step = |one: &Self| one.worst.map_or(0.0, |(step, _)| step);
            let worst = timed.iter().max_by(|a, b| step(a).total_cmp(&step(b)))?;
            let slowest = timed.iter().max_by(|a, b| a.byte_ns.total_cmp(&b.byte_ns))?;
            Some(vec![
                (*reader).to_owned(),
                of.len().to_string(),
                (of.len() - timed.len()).to_string(),
                format!("{:.2}", step(worst)),
                worst.worst.map(|(_, bytes)| (bytes >> 10).to_string()).unwrap_or_default(),
                worst.family.to_owned(),
                format!("{:.1}", slowest.byte_ns),
                slowest.family.to_owned(),
                format!("≤ {LIMIT}"),
                yes(of.iter().all(|one| one.met())),
            ])
        };
        rows(&head, readers.iter().filter_map(row))
    }

    /// One line for each family that misses.
    pub(crate) fn misses(all: &[Self]) -> Vec<Vec<String>> {
        let head = ["reader", "family", "step", "at, KiB", "largest, KiB", "ns a byte there"];
        let row = |one: &Self| {
            let (step, bytes) = one.worst.filter(|_| !one.met())?;
            Some(vec![
                one.reader.to_owned(),
                one.family.to_owned(),
                format!("{step:.2}"),
                (bytes >> 10).to_string(),
                (one.largest >> 10).to_string(),
                format!("{:.1}", one.byte_ns),
            ])
        };
        rows(&head, all.iter().filter_map(row))
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "reader": self.reader,
            "family": self.family,
            "worst_step": self.worst.map(|(step, _)| step),
            "at_bytes": self.worst.map(|(_, bytes)| bytes),
            "largest_bytes": self.largest,
            "ns_a_byte": self.byte_ns,
            "met": self.worst.map(|_| self.met()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn family(make: impl Fn(usize) -> Run + 'static) -> Family {
        Family { reader: "none", name: "made up", make: Box::new(make) }
    }

    #[test]
    fn a_square_misses_and_a_line_does_not() {
        let line = family(|bytes| Box::new(move |_| (bytes as f64, None)));
        let found = growth(&line, (1 << 10, 8 << 10), 1, 0);
        assert_eq!(found.worst.map(|(step, _)| step), Some(2.0));
        assert!(found.met() && Growth::misses(&[found]).len() == 1);
        let square = family(|bytes| Box::new(move |_| ((bytes * bytes) as f64, None)));
        let found = growth(&square, (1 << 10, 8 << 10), 1, 0);
        assert_eq!(found.worst.map(|(step, _)| step), Some(4.0));
        let shown = Growth::misses(std::slice::from_ref(&found));
        assert_eq!(shown[1][..4], ["none", "made up", "4.00", "8"].map(str::to_owned)[..]);
        assert_eq!(Growth::summary(&[found])[1][9], "no");
    }

    #[test]
    fn a_reader_that_stops_early_has_no_step() {
        let early = family(|_| Box::new(|_| (5.0, Some(3))));
        assert_eq!(growth(&early, (1 << 10, 4 << 10), 1, 0).worst, None);
    }

    #[test]
    fn each_reader_has_twelve_families_that_run_to_the_end() {
        let mut through: BTreeMap<&str, usize> = BTreeMap::new();
        for found in all((1 << 10, 2 << 10), 1, true) {
            *through.entry(found.reader).or_default() += usize::from(found.worst.is_some());
        }
        assert_eq!(through.len(), 7, "{through:?}");
        for (reader, count) in through {
            assert!(count >= 12, "{reader}: {count}");
        }
    }
}
