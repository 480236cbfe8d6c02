//! Drives the targets without libFuzzer: on the stable toolchain, on a fixed seed.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::source::Rng;
use crate::{Target, shrink};

/// A single input that takes longer than this is a finding.
const HANG: Duration = Duration::from_secs(30);
/// Longest input, in bytes.
const LONGEST: usize = 700;

/// How long a target is run.
#[derive(Clone, Copy, Debug)]
pub enum Effort {
    /// For so much time.
    Time(Duration),
    /// On so many inputs.
    Runs(u64),
}

/// What a target's run came to.
#[derive(Debug)]
pub struct Finding {
    /// The input.
    pub data: Vec<u8>,
    /// What the target said.
    pub report: String,
}

/// Runs a target on inputs from that seed; the runs made and the first finding, if any.
pub fn run(target: &Target, effort: Effort, seed: u64) -> (u64, Option<Finding>) {
    let mut rng = Rng::new(seed);
    let guard = Watch::new(target.name);
    let (started, mut runs) = (Instant::now(), 0);
    loop {
        let done = match effort {
            Effort::Time(time) => runs % 64 == 0 && started.elapsed() >= time,
            Effort::Runs(most) => runs >= most,
        };
        if done {
            return (runs, None);
        }
        let data = input(&mut rng);
        runs += 1;
        guard.begin(&data);
        if let Err(report) = attempt(target.run, &data) {
            let (data, report) = shorter(target.run, data, report);
            return (runs, Some(Finding { data, report }));
        }
        guard.end();
    }
}

/// Mostly short inputs: they are made into small cases fast.
fn input(rng: &mut Rng) -> Vec<u8> {
    let most = 1 + rng.below(LONGEST);
    let length = 1 + rng.below(most);
    (0..length).map(|_| rng.draw().to_le_bytes()[3]).collect()
}

/// Runs a target on one input.
///
/// # Errors
/// What it panicked with.
pub fn attempt(run: fn(&[u8]), data: &[u8]) -> Result<(), String> {
    panic::catch_unwind(AssertUnwindSafe(|| run(data))).map_err(|payload| {
        format!("{}\n(raised at {})", shrink::panic_text(&*payload), shrink::last_panic())
    })
}

/// The finding with a shorter report, from a shorter input where one is found.
fn shorter(run: fn(&[u8]), data: Vec<u8>, report: String) -> (Vec<u8>, String) {
    let place = |report: &str| report.lines().last().unwrap_or_default().to_owned();
    let (mut best, mut said) = (data, report);
    let until = Instant::now() + Duration::from_secs(10);
    let mut length = best.len() / 2;
    while length > 0 {
        let mut from = 0;
        while from < best.len() && Instant::now() < until {
            let mut data = best.clone();
            data.drain(from..(from + length).min(best.len()));
            match attempt(run, &data) {
                Err(report) if place(&report) == place(&said) && report.len() <= said.len() => {
                    (best, said) = (data, report);
                }
                _ => from += length,
            }
        }
        length /= 2;
    }
    (best, said)
}

/// Ends the process when one input takes too long: a loop without end cannot be caught.
struct Watch {
    current: Arc<Mutex<Current>>,
}

/// When the input being tried was begun, and the input.
type Current = Option<(Instant, Vec<u8>)>;

impl Watch {
    fn new(name: &'static str) -> Self {
        let current: Arc<Mutex<Current>> = Arc::default();
        let seen = Arc::downgrade(&current);
        std::thread::spawn(move || {
            while let Some(current) = seen.upgrade() {
                let late = current.lock().ok().and_then(|c| c.clone());
                if let Some((_, data)) = late.filter(|(start, _)| start.elapsed() > HANG) {
                    eprintln!("{name}: no end after {HANG:?}\ninput: {}", hex(&data));
                    std::process::exit(1);
                }
                drop(current);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Self { current }
    }

    fn begin(&self, data: &[u8]) {
        if let Ok(mut current) = self.current.lock() {
            *current = Some((Instant::now(), data.to_vec()));
        }
    }

    fn end(&self) {
        if let Ok(mut current) = self.current.lock() {
            *current = None;
        }
    }
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that hexadecimal digits say; `None` for anything else.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let pairs = digits.filter(|d| d.len() % 2 == 0)?;
    Some(pairs.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Replays the files named on the command line, as libFuzzer's binaries do.
#[must_use]
pub fn replay_files(run: fn(&[u8])) -> ExitCode {
    shrink::watch_panics();
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let said = match std::fs::read(&path) {
            Ok(data) => attempt(run, &data),
            Err(error) => Err(error.to_string()),
        };
        failed |= said.is_err();
        println!("{path}: {}", said.err().unwrap_or_else(|| "ok".to_owned()));
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_goes_both_ways() {
        assert_eq!(unhex(&hex(&[0, 10, 255])), Some(vec![0, 10, 255]));
        assert_eq!(unhex("0"), None);
        assert_eq!(unhex("zz"), None);
    }

    #[test]
    fn a_finding_is_reported_with_a_shorter_input() {
        fn target(data: &[u8]) {
            assert!(!data.contains(&7), "a seven");
        }
        let target = Target { name: "seven", run: target, smoke: 1 };
        let (_, finding) = run(&target, Effort::Runs(10_000), 1);
        let finding = finding.unwrap();
        assert_eq!(finding.data, [7]);
        assert!(finding.report.starts_with("a seven"), "{}", finding.report);
    }
}
