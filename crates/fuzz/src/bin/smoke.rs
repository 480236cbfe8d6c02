//! Every target on as many inputs as it names, from one seed, on the stable toolchain.
//!
//! ```text
//! smoke [TARGET]… [--seconds N | --runs N] [--seed S] [--replay HEX]
//! ```
//!
//! Prints the runs of each target; on a finding also the input, and the case it stands for, and
//! exits with 1. Seconds and runs count for each target; each core takes one target at a time.

#![forbid(unsafe_code)]

use std::io::Write as _;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use toolweir_fuzz::harness::{self, Effort};
use toolweir_fuzz::{TARGETS, Target, shrink};

struct Options {
    targets: Vec<&'static Target>,
    effort: Option<Effort>,
    seed: u64,
    replay: Option<Vec<u8>>,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("smoke: {message}");
            return ExitCode::from(2);
        }
    };
    shrink::watch_panics();
    let good = match &options.replay {
        Some(data) => options.targets.iter().fold(true, |good, target| good & replay(target, data)),
        None => explore_all(&options),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every chosen target, as many at a time as there are cores.
fn explore_all(options: &Options) -> bool {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut good = true;
        while let Some(target) = options.targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            let effort = options.effort.unwrap_or(Effort::Runs(target.smoke));
            good &= explore(target, effort, options.seed);
        }
        good
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().fold(true, |good, worker| good & worker.join().unwrap_or(false))
    })
}

fn explore(target: &Target, effort: Effort, seed: u64) -> bool {
    let (runs, finding) = harness::run(target, effort, seed);
    let verdict = if finding.is_some() { "FINDING" } else { "ok" };
    let mut said = format!("{:<17} {runs:>9} runs  {verdict}\n", target.name);
    if let Some(finding) = &finding {
        said += &format!("input: {}\n{}\n\n", harness::hex(&finding.data), finding.report);
    }
    // A run may be cut off from outside; what was found until then is to be seen.
    let mut out = std::io::stdout().lock();
    out.write_all(said.as_bytes()).and_then(|()| out.flush()).is_ok() && finding.is_none()
}

fn replay(target: &Target, data: &[u8]) -> bool {
    let said = harness::attempt(target.run, data);
    println!("{:<17} {}", target.name, said.as_ref().err().map_or("ok", String::as_str));
    said.is_ok()
}

fn options(words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { targets: Vec::new(), effort: None, seed: 1, replay: None };
    let mut words = words;
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            let known = TARGETS.iter().find(|target| target.name == word);
            options.targets.push(known.ok_or_else(|| unknown(&word))?);
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} needs a whole number"));
        match word.as_str() {
            "--seconds" => options.effort = Some(Effort::Time(Duration::from_secs(number()?))),
            "--runs" => options.effort = Some(Effort::Runs(number()?)),
            "--seed" => options.seed = number()?,
            "--replay" => {
                let bytes = harness::unhex(&value).ok_or("--replay needs hexadecimal digits")?;
                options.replay = Some(bytes);
            }
            _ => return Err(format!("there is no option {word}")),
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

fn unknown(word: &str) -> String {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    format!("there is no target {word}; there are {}", names.join(", "))
}
