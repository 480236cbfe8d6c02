//! Two listings of the same jobs, compared text by text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;

use serde::Deserialize;

use super::diff;
use crate::run::{Failure, Outcome, fail};

/// What one side writes for a format that it does not have.
const UNKNOWN: &str = "unknown format\n";

/// How much of a text a difference shows, in characters.
const SHOWN: usize = 600;

/// A line of the jobs, as far as a report needs it.
#[derive(Deserialize)]
struct Job {
    id: String,
    format: String,
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    name: String,
    text: String,
    chunks: Vec<usize>,
    all_events: bool,
}

/// What came of a comparison. Displays as the last lines of the report.
#[derive(Default)]
pub(super) struct Summary {
    texts: usize,
    formats: BTreeSet<String>,
    /// Texts that are not read the same.
    pub(super) differ: usize,
    /// How many of them each format has.
    by_format: BTreeMap<String, usize>,
    /// Texts of formats that one of the two does not have.
    skipped: BTreeMap<String, usize>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (format, count) in &self.skipped {
            writeln!(f, "skipped {count} texts of {format}: only one of the two has it")?;
        }
        for (format, count) in &self.by_format {
            writeln!(f, "{format}: {count} differ")?;
        }
        let (texts, formats, differ) = (self.texts, self.formats.len(), self.differ);
        write!(f, "compared {texts} texts in {formats} formats: {differ} differ")
    }
}

/// Compares the two listings and prints what differs: of each source the first text, and no more
/// than `shown` sources.
pub(super) fn compare(
    jobs: &Path,
    left: &Path,
    right: &Path,
    shown: usize,
    seed: u64,
) -> Outcome<Summary> {
    let mut summary = Summary::default();
    let mut sides = [Blocks::open(left)?, Blocks::open(right)?];
    let mut printed = 0;
    for line in lines(jobs)? {
        let line = line.map_err(|e| unreadable(jobs, &e))?;
        let job: Job = serde_json::from_str(&line)
            .map_err(|e| Failure::Check(format!("a job was not understood: {e}")))?;
        let mut others = 0;
        for variant in &job.variants {
            let [left, right] = &mut sides;
            let (left, right) = (left.next()?, right.next()?);
            if !summary.add(&job.format, &left, &right) {
                continue;
            }
            others += 1;
            if others == 1 && printed < shown {
                println!("{}", difference(&job, variant, seed, &left, &right));
            }
        }
        if others > 1 && printed < shown {
            println!("({} more texts of {} differ)\n", others - 1, job.id);
        }
        printed += usize::from(others > 0);
    }
    if printed > shown {
        println!("({} more sources differ; `--show {printed}` shows all)\n", printed - shown);
    }
    Ok(summary)
}

impl Summary {
    /// Counts a text; true if it differs.
    fn add(&mut self, format: &str, left: &str, right: &str) -> bool {
        if (left == UNKNOWN) != (right == UNKNOWN) {
            *self.skipped.entry(format.to_owned()).or_default() += 1;
            return false;
        }
        self.texts += 1;
        if !self.formats.contains(format) {
            self.formats.insert(format.to_owned());
        }
        if left == right {
            return false;
        }
        self.differ += 1;
        *self.by_format.entry(format.to_owned()).or_default() += 1;
        true
    }
}

fn difference(job: &Job, variant: &Variant, seed: u64, left: &str, right: &str) -> String {
    let Job { id, format, .. } = job;
    let Variant { name, text, chunks, all_events } = variant;
    let all = if *all_events { ", all events" } else { "" };
    let text: String = text.chars().take(SHOWN).collect::<String>();
    let more = if text.len() < variant.text.len() { " …" } else { "" };
    let chunks = match chunks.as_slice() {
        [_] => "one".to_owned(),
        many => format!("{many:?}"),
    };
    let diff = diff::unified(left, right);
    format!(
        "{format}: {id}, {name} (seed {seed}{all})\nchunks {chunks}\ntext {text:?}{more}\n{diff}"
    )
}

/// The blocks of a listing, in order.
struct Blocks {
    lines: Lines<BufReader<File>>,
    name: String,
    /// The head of the next block was read.
    open: bool,
}

impl Blocks {
    fn open(path: &Path) -> Outcome<Self> {
        let mut blocks =
            Self { lines: lines(path)?, name: path.display().to_string(), open: false };
        blocks.next()?;
        Ok(blocks)
    }

    /// The lines up to the next head.
    fn next(&mut self) -> Outcome<String> {
        let mut block = String::new();
        let first = !std::mem::replace(&mut self.open, false);
        for line in self.lines.by_ref() {
            let line = line.map_err(|e| Failure::Check(format!("{}: {e}", self.name)))?;
            if line.starts_with("== ") {
                self.open = true;
                return Ok(block);
            }
            block.push_str(&line);
            block.push('\n');
        }
        if first { fail(format!("{} is too short", self.name)) } else { Ok(block) }
    }
}

fn lines(path: &Path) -> Outcome<Lines<BufReader<File>>> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    Ok(BufReader::new(file).lines())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Check(format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Job, Summary, UNKNOWN, difference};

    #[test]
    fn texts_are_counted_by_what_came_of_them() {
        let mut summary = Summary::default();
        assert!(!summary.add("a", "x\n", "x\n"));
        assert!(summary.add("a", "x\n", "y\n"));
        assert!(!summary.add("b", UNKNOWN, "y\n"));
        assert!(!summary.add("c", UNKNOWN, UNKNOWN));
        assert_eq!(
            summary.to_string(),
            "skipped 1 texts of b: only one of the two has it\na: 1 differ\n\
             compared 3 texts in 2 formats: 1 differ"
        );
    }

    #[test]
    fn a_difference_says_how_to_see_it_again() {
        let line = r#"{"id": "fixtures/x.case", "format": "toy", "options": [], "variants": [
            {"name": "mutation 3", "text": "a\nb", "chunks": [1, 2], "all_events": false}]}"#;
        let job: Job = serde_json::from_str(line).unwrap();
        assert_eq!(
            difference(&job, &job.variants[0], 7, "one\ntwo\n", "one\n"),
            "toy: fixtures/x.case, mutation 3 (seed 7)\nchunks [1, 2]\ntext \"a\\nb\"\n  one\n- two\n"
        );
    }
}
