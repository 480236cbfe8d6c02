//! Vector files: JSON Lines of cases, run against a registry of protocols.
//!
//! A protocol case is decoded on its own chunks, whole, character by character and at every
//! two-way split (texts above 4,000 characters: 64 seeded random splits), each time under the
//! checks that events allow, and must fold to the same turn each time; then `expect` is compared,
//! as far as it has keys. A key that the kind of a case does not read is a failure, a case that expects
//! nothing is counted apart; `docs/vector-files.md` describes the keys. Cases of the foundation crates are run too. Every other kind, and a format
//! that the registry lacks, is unsupported and says so.
//!
//! ```
//! use toolweir_protocols::Registry;
//! use toolweir_testkit::vectors::{Runner, Verdict};
//!
//! let line = r#"{"id": "a/1", "format": "hermes", "text": "Hi", "expect": {"text": "Hi"}}"#;
//! let results = Runner::new(Registry::builtin()).run_text("a.jsonl".as_ref(), line);
//! assert_eq!(results[0].verdict, Verdict::Passed);
//! ```

mod agent;
mod coerce;
mod detection;
mod excuses;
mod expect;
mod keys;
mod native;
mod protocol;
mod rjson;
mod rxml;
mod segments;
mod string_field;
mod vector;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use toolweir_protocols::{Registry, Tool};
use toolweir_segments::StreamEnd;

pub use detection::{Confusion, Detection};
pub use excuses::{Excuse, ExcuseError, ExcuseKind, Excuses};

use crate::split::Splits;
use vector::Vector;

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// As expected, at every split.
    Passed,
    /// Not as expected; why. Also: an excused case that passes, an excuse without a case, a line
    /// that is no case.
    Failed(String),
    /// Not as expected, and listed with this reason.
    Excused(String),
    /// The laws hold, but the case expects nothing: nothing else was checked.
    Unchecked,
    /// Cannot be run; why.
    Unsupported(String),
    /// The case is for information only; `Err` says how it differs.
    Informative(Result<(), String>),
}

/// One case and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseResult {
    /// The file the case (or the excuse) is of.
    pub file: PathBuf,
    /// Its line, counted from 1; 0 for an excuse without a case.
    pub line: usize,
    /// The case's id, or its line number where it has none.
    pub id: String,
    /// What came of it.
    pub verdict: Verdict,
}

/// Runs vector files.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Runner {
    /// The protocols that cases may name.
    pub registry: Registry,
    /// The splits each text is held against. Default: those of the vector files.
    pub splits: Splits,
    /// Options set on every request after the case's own, as name and value.
    pub set: Vec<(String, String)>,
    /// Cases that may fail. Default: none.
    pub excuses: Excuses,
}

/// The text of a case, and what it is decoded with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextCase {
    /// The file the case is of.
    pub file: PathBuf,
    /// Its line, counted from 1.
    pub line: usize,
    /// The case's id, or its line number where it has none.
    pub id: String,
    /// The name of the protocol that decodes it.
    pub format: String,
    /// Declared tools.
    pub tools: Vec<Tool>,
    /// Options in the order they are set, as [`Request::set`](toolweir_protocols::Request::set)
    /// takes them.
    pub options: Vec<(String, String)>,
    /// Why the stream ended.
    pub end: StreamEnd,
    /// The whole text.
    pub text: String,
    /// The case's own chunks; none where it is written in one piece.
    pub chunks: Vec<String>,
    /// How many calls the case expects; 0 also where it says nothing of calls.
    pub calls: usize,
}

/// What came of a run. Displays as the summary line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files read.
    pub files: usize,
    /// One result a case, in the order of the files, then excuses without a case.
    pub results: Vec<CaseResult>,
}

/// Where a project keeps its excuses, below its root.
pub const EXCUSES_PATH: &str = "fixtures/excuses.txt";

impl Runner {
    /// A runner without options and excuses.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self { registry, ..Self::default() }
    }

    /// The cases of `paths` that decode text, for whoever wants the texts and not the verdicts.
    /// Cases of other kinds, and those that cannot be run, are left out.
    ///
    /// # Errors
    /// An error of the file system, with the path in its message.
    pub fn texts(&self, paths: &[impl AsRef<Path>]) -> io::Result<Vec<TextCase>> {
        let mut cases = Vec::new();
        for file in &find_all(paths)? {
            let source = std::fs::read_to_string(file).map_err(|e| with_path(file, &e))?;
            for (line, source) in numbered(&source) {
                let Ok(vector) = Vector::read(file, line, source) else { continue };
                if matches!(vector.kind.as_str(), "protocol" | "segments" | "agent-events") {
                    cases.extend(protocol::text_case(self, file, line, vector));
                }
            }
        }
        Ok(cases)
    }

    /// Runs every file of `paths`; folders stand for the `*.jsonl` files below them.
    ///
    /// # Errors
    /// An error of the file system, with the path in its message.
    pub fn run(&self, paths: &[impl AsRef<Path>]) -> io::Result<Summary> {
        let files = find_all(paths)?;
        let mut summary = Summary { files: files.len(), results: Vec::new() };
        for file in &files {
            let text = std::fs::read_to_string(file).map_err(|e| with_path(file, &e))?;
            summary.results.extend(self.run_text(file, &text));
        }
        let seen: BTreeSet<&str> = summary.results.iter().map(|r| r.id.as_str()).collect();
        let stale = self.excuses.without_case(&files, &seen);
        summary.results.extend(stale);
        Ok(summary)
    }

    /// Runs the lines of one file, blank ones apart. `file` tells reasoning families from wire
    /// formats and names the file in the results.
    #[must_use]
    pub fn run_text(&self, file: &Path, text: &str) -> Vec<CaseResult> {
        numbered(text).map(|(number, line)| self.run_line(file, number, line)).collect()
    }

    fn run_line(&self, file: &Path, line: usize, source: &str) -> CaseResult {
        let result = |id, verdict| CaseResult { file: file.to_owned(), line, id, verdict };
        let vector = match Vector::read(file, line, source) {
            Ok(vector) => vector,
            Err(message) => return result(format!("line {line}"), Verdict::Failed(message)),
        };
        let verdict = match self.judge(&vector) {
            Ok(judged) => self.settle(&vector, judged),
            Err(unsupported) => Verdict::Unsupported(unsupported),
        };
        result(vector.id, verdict)
    }

    /// `Err`: cannot be run. `Ok(Err)`: does not hold.
    fn judge(&self, vector: &Vector) -> Result<Result<(), String>, String> {
        match vector.kind.as_str() {
            "protocol" => protocol::run(self, vector),
            "segments" => segments::run(self, vector),
            "agent-events" => agent::run(self, vector),
            "string-field" => string_field::run(vector, &self.splits),
            "rjson" => rjson::run(vector),
            "rxml-transform" => rjson::run_transform(vector),
            "api" => rjson::run_stringify(vector),
            "coerce" => coerce::run(vector),
            // A reading mode marks a case of the JSON crate, whatever its kind is called.
            "rxml-stringify" if vector.mode.is_some() => rjson::run_stringify(vector),
            "rxml" | "rxml-parse-tree" | "rxml-stringify" => rxml::run(vector),
            other => Err(format!("kind {other} is not built yet")),
        }
    }

    fn settle(&self, vector: &Vector, judged: Result<(), String>) -> Verdict {
        match (self.excuses.reason(&vector.id), judged) {
            (_, judged) if vector.informative => Verdict::Informative(judged),
            (None, Ok(())) if !vector.expects => Verdict::Unchecked,
            (None, Ok(())) => Verdict::Passed,
            (None, Err(why)) => Verdict::Failed(why),
            (Some(reason), Err(_)) => Verdict::Excused(reason.to_owned()),
            (Some(reason), Ok(())) => {
                Verdict::Failed(format!("passes, although excused: {reason}"))
            }
        }
    }
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The lines that hold a case, counted from 1.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// The files of `paths`, sorted within each.
fn find_all(paths: &[impl AsRef<Path>]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        find_vectors(path.as_ref(), &mut files).map_err(|e| with_path(path.as_ref(), &e))?;
    }
    Ok(files)
}

fn find_vectors(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut waiting = vec![path.to_owned()];
    let from = found.len();
    while let Some(path) = waiting.pop() {
        if !path.is_dir() {
            // A file that was named is read whatever its name; a missing one is an error.
            std::fs::metadata(&path)?;
            found.push(path);
            continue;
        }
        for entry in std::fs::read_dir(&path)? {
            let path = entry?.path();
            if path.is_dir() || path.extension().is_some_and(|e| e == "jsonl") {
                waiting.push(path);
            }
        }
    }
    if let Some(new) = found.get_mut(from..) {
        new.sort();
    }
    Ok(())
}

impl Summary {
    /// How many results the predicate holds for.
    fn count(&self, holds: impl Fn(&Verdict) -> bool) -> usize {
        self.results.iter().filter(|r| holds(&r.verdict)).count()
    }

    /// Cases that failed, with the reason.
    pub fn failures(&self) -> impl Iterator<Item = (&CaseResult, &str)> {
        self.results.iter().filter_map(|result| match &result.verdict {
            Verdict::Failed(why) => Some((result, why.as_str())),
            _ => None,
        })
    }

    /// Number of failed cases.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|v| matches!(v, Verdict::Failed(_)))
    }

    /// Number of cases that passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.count(|v| *v == Verdict::Passed)
    }

    /// Number of excused cases.
    #[must_use]
    pub fn excused(&self) -> usize {
        self.count(|v| matches!(v, Verdict::Excused(_)))
    }

    /// Number of cases that cannot be run.
    #[must_use]
    pub fn unsupported(&self) -> usize {
        self.count(|v| matches!(v, Verdict::Unsupported(_)))
    }

    /// Number of cases that expect nothing.
    #[must_use]
    pub fn unchecked(&self) -> usize {
        self.count(|v| *v == Verdict::Unchecked)
    }

    /// Number of cases that are for information only.
    #[must_use]
    pub fn informative(&self) -> usize {
        self.count(|v| matches!(v, Verdict::Informative(_)))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cases, files) = (self.results.len(), self.files);
        let (passed, failed) = (self.passed(), self.failed());
        write!(f, "checked {cases} cases in {files} files: {passed} passed, {failed} failed")?;
        let rest = [
            (self.excused(), "excused"),
            (self.unsupported(), "unsupported"),
            (self.informative(), "informative"),
            (self.unchecked(), "without expectation"),
        ];
        rest.iter().filter(|(n, _)| *n > 0).try_for_each(|(n, word)| write!(f, ", {n} {word}"))
    }
}

#[cfg(test)]
mod tests;
