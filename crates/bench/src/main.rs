//! Speed and memory of the decoders and of the three crates below them.
//!
//! ```text
//! cargo run --release --manifest-path crates/bench/Cargo.toml [-- --smoke] [--json] [--rounds N]
//!                                                             [--only NAME] [--largest KIB]
//! cargo run --release --manifest-path crates/bench/Cargo.toml -- --once "WORK FORMAT CHUNKS"
//! ```
//!
//! NAME is a work of the decoders, all of them (`decoders`), or a table of the crates below: `strict`,
//! `typed`, `repair`, `restored`, `pushes`, `rxml`, `trees`, `coerce`, `agents`, `growth`, `allocations`, `start`. KIB is the
//! largest input of `growth`, 8192 by default.
//!
//! Counts are gates: one that does not hold makes the program end with 1. Times are figures: they
//! are compared with what the same machine needs at least, in the same run, and never fail.
//! `docs/performance.md` says what is measured and how.
//!
//! `--once` reads one work of 64 KiB some times, prints nothing, and is there for programs that count what a
//! processor does (`cargo xtask instructions`).

mod agents;
mod beside;
mod counts;
mod documents;
mod figure;
mod floods;
mod foundation;
mod gates;
mod growth;
mod measure;
mod peers;
mod race;
mod report;
mod restored;
mod start;
mod trees;
mod typed;
mod works;

use std::process::{Command, ExitCode};

use toolweir_yardstick::{alloc, text};

use crate::measure::{doublings, row};
use crate::race::Pace;
use crate::report::{Report, TABLES};
use crate::start::Start;
use crate::text::Chunking;

/// What the command line asks for.
struct Wanted {
    smoke: bool,
    json: bool,
    rounds: usize,
    only: Option<String>,
    /// One work, to be read and nothing else: name, format and chunks.
    once: Option<String>,
    /// The largest input of the growth table, in KiB.
    largest: usize,
}

/// All works of the decoders.
const DECODERS: &str = "decoders";

const USAGE: &str = "usage: bench [--smoke] [--json] [--rounds N] [--only NAME] [--largest KIB]\n       bench --once \"WORK FORMAT CHUNKS\"";

fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(problem) => {
            eprintln!("{problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(once) = &wanted.once {
        return once_only(once);
    }
    if let Some(status) = with_steady_memory() {
        return status;
    }
    match run(&wanted) {
        Ok(report) => {
            print!("{}", if wanted.json { report.json() } else { report.markdown() });
            if report.holds() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(wrong) => {
            eprintln!("not read right: {wrong}");
            ExitCode::from(1)
        }
    }
}

/// Reads one work: what a program that counts instructions looks at.
fn once_only(wanted: &str) -> ExitCode {
    let mut words = wanted.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_default();
    let (name, format, chunks) = (next(), next(), next());
    let all = works::all(64 << 10);
    let work = all.iter().find(|work| work.name == name && work.format == format);
    let (Some(work), Some(chunking)) = (work, Chunking::find(chunks)) else {
        eprintln!("there is no work `{wanted}`");
        return ExitCode::from(2);
    };
    let chunks = chunking.cut(&work.text);
    // The first reading compiles and caches; the others are counted.
    if let Some(wrong) = work.wrong(&work.decode(&chunks)) {
        eprintln!("not read right: {wrong}");
        return ExitCode::FAILURE;
    }
    for _ in 0..COUNTED {
        std::hint::black_box(counted_pass(work, &chunks));
    }
    ExitCode::SUCCESS
}

/// How often `--once` reads its work to be counted.
const COUNTED: usize = 4;

/// One reading, in a function that a program which counts instructions can name.
#[inline(never)]
fn counted_pass(work: &works::Work, chunks: &[&str]) -> works::Sum {
    work.decode(std::hint::black_box(chunks))
}

/// Runs the program once more such that memory it has freed stays with it: fresh pages from the
/// system would be timed with whatever asks for them. Where that variable is set, or the C library is
/// another one, nothing changes.
fn with_steady_memory() -> Option<ExitCode> {
    const NAME: &str = "GLIBC_TUNABLES";
    const KEEP: &str = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=17179869184";
    if std::env::var_os(NAME).is_some() {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let status = Command::new(program).args(std::env::args_os().skip(1)).env(NAME, KEEP).status();
    Some(if status.ok()?.success() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn wanted(mut words: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut wanted =
        Wanted { smoke: false, json: false, rounds: 15, only: None, once: None, largest: 8 << 10 };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--smoke" => {
                wanted.smoke = true;
                wanted.rounds = 2;
                wanted.largest = 256;
            }
            "--json" => wanted.json = true,
            "--rounds" => {
                let number = words.next().and_then(|n| n.parse().ok());
                wanted.rounds = number.ok_or("--rounds needs a whole number")?;
            }
            "--largest" => {
                let number = words.next().and_then(|n| n.parse().ok());
                wanted.largest = number.ok_or("--largest needs a whole number")?;
            }
            "--once" => wanted.once = Some(words.next().ok_or("--once needs a work")?),
            "--only" => wanted.only = Some(words.next().ok_or("--only needs a name")?),
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    Ok(wanted)
}

fn run(wanted: &Wanted) -> Result<Report, String> {
    let bytes = if wanted.smoke { 64 << 10 } else { 1 << 20 };
    let mut report = Report::default();
    let chosen = |name: &str| wanted.only.as_ref().is_none_or(|only| only == name);
    // Counts are those of one thread; a smoke run, whose times say nothing, takes them beside the rest.
    let beside = (wanted.smoke && chosen("gates")).then(|| std::thread::spawn(gates::all));
    let decoders = chosen(DECODERS);
    for work in works::all(bytes).iter().filter(|work| decoders || chosen(work.name)) {
        for chunking in [Chunking::Tokens, Chunking::Bytes(64), Chunking::Whole] {
            report.rows.push(row(work, chunking, wanted.rounds)?);
        }
    }
    if let Some(only) = wanted.only.as_deref()
        && report.rows.is_empty()
        && !["growth", "allocations", "gates", "restored", "start"].contains(&only)
        && TABLES.iter().all(|(name, _)| *name != only)
    {
        return Err(format!("there is no work or table `{only}`"));
    }
    foundation_tables(wanted, &mut report)?;
    match beside {
        Some(counts) => report.gates.extend(counts.join().map_err(|_| "a gate has panicked")?),
        None if chosen("gates") => report.gates.extend(gates::all()),
        None => {}
    }
    if !decoders {
        return Ok(report);
    }
    for format in works::FORMATS {
        let grow = |bytes| works::big_arg(format, bytes);
        let steps = doublings(grow, Chunking::Tokens, (bytes / 8, bytes), wanted.rounds);
        report.doublings.extend(steps);
    }
    Ok(report)
}

/// The tables of the crates below the decoders.
fn foundation_tables(wanted: &Wanted, report: &mut Report) -> Result<(), String> {
    let pace = Pace::new(wanted.rounds, wanted.smoke);
    let chosen = |name: &str| wanted.only.as_ref().is_none_or(|only| only == name);
    for (name, _) in TABLES.iter().filter(|(name, _)| chosen(name)) {
        eprintln!("{name} ...");
        report.figures.extend(match *name {
            "strict" => foundation::strict_parse(pace, wanted.smoke)?,
            "typed" => typed::typed(pace)?,
            "trees" => trees::trees(pace)?,
            "repair" => beside::repair(pace, wanted.smoke)?,
            "pushes" => foundation::pushes(pace)?,
            "agents" => agents::figures(pace, wanted.smoke),
            "rxml" => beside::elements(pace, wanted.smoke)?,
            _ => foundation::coercion(pace)?,
        });
    }
    if chosen("restored") {
        report.restored = restored::all(wanted.smoke)?;
    }
    if chosen("start") {
        report.starts = Start::all(wanted.rounds)?;
    }
    if chosen("growth") {
        let sizes = (16 << 10, wanted.largest << 10);
        report.growth = growth::all(sizes, wanted.rounds.div_ceil(4), wanted.smoke);
    }
    if chosen("allocations") {
        report.allocations = counts::all();
        report.gates.extend(counts::gates(&report.allocations));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_read() {
        let words = |line: &str| wanted(line.split_whitespace().map(str::to_owned));
        let smoke = words("--smoke --json").unwrap();
        assert!(smoke.smoke && smoke.json && smoke.rounds == 2);
        assert_eq!(words("--rounds 3").unwrap().rounds, 3);
        assert_eq!(words("--only spiky").unwrap().only.as_deref(), Some("spiky"));
        assert_eq!(words("--smoke --largest 64").unwrap().largest, 64);
        let line = ["--once", "big-arg hermes tok"].map(str::to_owned);
        assert_eq!(wanted(line.into_iter()).unwrap().once.unwrap(), "big-arg hermes tok");
        assert!(words("--rounds many").is_err());
        assert!(words("--quick").is_err());
    }
}
