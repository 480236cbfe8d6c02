//! The driver of the yardstick: starts the adapters, lets them read every work turn and turn about, and
//! prints tables or JSON.
//!
//! ```text
//! yardstick --peer PATH [--peer PATH ...] [--missing "NAME: WHY"] [--only WORD,WORD] [--rounds N] [--json]
//! ```
//!
//! WORD is a format, or a part of the name of a work or of chunks. A run never fails because of a time:
//! it says what is so. `cargo xtask yardstick` builds the adapters and calls this.

mod adapter;
mod report;
mod row;

use std::process::ExitCode;

use adapter::Adapter;
use report::Report;
use row::Row;
use toolweir_yardstick::works::{CHUNKS, Format, NAMES};

/// What the command line asks for.
#[derive(Debug, Default)]
struct Wanted {
    peers: Vec<String>,
    missing: Vec<String>,
    only: Vec<String>,
    rounds: usize,
    json: bool,
}

const USAGE: &str = "usage: yardstick --peer PATH [--missing WHY] [--only WORD,WORD] [--rounds N] \
                     [--json]";

fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(problem) => {
            eprintln!("{problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&wanted) {
        Ok(report) => {
            print!("{}", if wanted.json { report.json() } else { report.markdown() });
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn wanted(mut words: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut wanted = Wanted { rounds: 25, ..Wanted::default() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--peer" => wanted.peers.push(value()?),
            "--missing" => wanted.missing.push(value()?),
            "--only" => wanted.only.extend(value()?.split(',').map(str::to_owned)),
            "--rounds" => {
                let rounds = value()?.parse();
                wanted.rounds = rounds.map_err(|_| "--rounds needs a whole number")?;
            }
            "--json" => wanted.json = true,
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    if wanted.peers.is_empty() { Err("no --peer".to_owned()) } else { Ok(wanted) }
}

/// Whether all words fit: each is a format, or a part of a work's or a chunking's name.
fn chosen(only: &[String], format: Format, work: &str, chunks: &str) -> bool {
    let formats: Vec<&String> = only.iter().filter(|o| Format::find(o).is_some()).collect();
    let cuts: Vec<&String> = only.iter().filter(|o| CHUNKS.contains(&o.as_str())).collect();
    let works: Vec<&String> =
        only.iter().filter(|o| !formats.contains(o) && !cuts.contains(o)).collect();
    (formats.is_empty() || formats.iter().any(|o| *o == format.name()))
        && (cuts.is_empty() || cuts.iter().any(|o| *o == chunks))
        && (works.is_empty() || works.iter().any(|o| work.contains(o.as_str())))
}

fn run(wanted: &Wanted) -> Result<Report, String> {
    let mut missing = wanted.missing.clone();
    let mut adapters = Vec::new();
    for path in &wanted.peers {
        match Adapter::start(path) {
            Ok(adapter) => adapters.push(adapter),
            Err(reason) => missing.push(format!("{path}: {reason}")),
        }
    }
    let mut rows = Vec::new();
    for format in Format::ALL {
        for work in NAMES {
            for chunks in CHUNKS {
                if !chosen(&wanted.only, format, work, chunks) {
                    continue;
                }
                eprintln!("{} {work} {chunks} ...", format.name());
                rows.extend(Row::measure(&mut adapters, format, work, chunks, wanted.rounds));
            }
        }
    }
    if rows.is_empty() {
        return Err(format!("there is nothing called `{}`", wanted.only.join(",")));
    }
    let columns = adapters.iter().flat_map(Adapter::columns).collect();
    let extra = adapters.iter().flat_map(|a| (0..a.sinks.len()).map(|at| at > 0)).collect();
    Ok(Report { columns, extra, rows, missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Wanted, String> {
        wanted(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_command_line_is_read() {
        let all = words("--peer a --peer b --only hermes,code --rounds 3 --json").unwrap();
        assert_eq!((all.peers.len(), all.rounds, all.json), (2, 3, true));
        assert!(words("--peer").is_err() && words("--json").is_err());
        assert!(words("--peer a --quick").is_err());
    }

    #[test]
    fn formats_works_and_chunks_narrow_one_another() {
        let only = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let hermes = |line: &str, work: &str| chosen(&only(line), Format::Hermes, work, "tok");
        assert!(chosen(&[], Format::Hermes, "text", "tok"));
        assert!(hermes("hermes", "text") && !hermes("mistral", "text"));
        assert!(hermes("hermes,code", "64 KiB of code") && !hermes("hermes,code", "text"));
        assert!(hermes("tok", "text") && !hermes("64 B", "text"));
    }
}
