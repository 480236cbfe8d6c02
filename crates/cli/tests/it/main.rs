//! The real binary, run the way people run it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are tests too"
)]

mod check;
mod checkpoint;
mod coerce;
mod constrain;
mod debug;
mod demo;
mod detect;
mod diff;
mod doctor;
mod formats;
mod json;
mod parse;
mod prompt;
mod replay;
mod replicas;
mod saved;
mod serve;
mod served;
mod streaming;
mod usage;
mod xml;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

/// What one run gave.
struct Run {
    stdout: String,
    stderr: String,
    code: i32,
}

impl Run {
    /// The lines of standard output, each read as strict JSON.
    fn records(&self) -> Vec<Record> {
        self.stdout.lines().map(Record::read).collect()
    }

    /// Standard error, which must be exactly one line that begins with our name.
    fn complaint(&self) -> &str {
        let line = self.stderr.strip_suffix('\n').expect("a line");
        assert!(!line.contains('\n'), "{line}");
        line.strip_prefix("toolweir: ").expect("our name first")
    }

    /// The first line of standard error, which must be followed by a line of the input and the marks
    /// under it.
    fn complaint_underlined(&self) -> &str {
        let lines: Vec<&str> = self.stderr.lines().collect();
        assert_eq!(lines.len(), 3, "{}", self.stderr);
        assert!(lines[2].ends_with('^') && lines[1].starts_with("  | "), "{}", self.stderr);
        lines[0].strip_prefix("toolweir: ").expect("our name first")
    }
}

/// One line of JSON Lines output.
struct Record(toolweir::rjson::Value);

impl Record {
    fn read(line: &str) -> Self {
        let parsed = toolweir::rjson::parse(line, toolweir::rjson::Mode::Strict);
        Self(parsed.unwrap_or_else(|error| panic!("{error}: {line}")).value)
    }

    /// The member under that key, as compact JSON; strings without their quotes.
    fn get(&self, key: &str) -> String {
        match self.0.get(key) {
            None => String::from("absent"),
            Some(toolweir::rjson::Value::String(text)) => text.clone(),
            Some(value) => toolweir::rjson::to_string(value),
        }
    }
}

/// The members under that key, of all records of that type.
fn all(records: &[Record], kind: &str, key: &str) -> Vec<String> {
    records.iter().filter(|r| r.get("type") == kind).map(|r| r.get(key)).collect()
}

/// The binary, with nothing in its environment that changes its output.
fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolweir"));
    command
        .env_remove("NO_COLOR")
        .env_remove("AUTOBYTEUS_STREAM_PARSER")
        .env_remove("DEBUG_PARSER_MW")
        .env_remove("DEBUG_PARSER_MW_STYLE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs it with that input.
fn run(words: &[&str], input: impl AsRef<[u8]>) -> Run {
    run_with(&[], words, input)
}

/// The same with variables of the environment.
fn run_with(variables: &[(&str, &str)], words: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut command = binary();
    command.envs(variables.iter().copied());
    let mut child = command.args(words).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    // From a thread of its own, as the child may fill its output first. It may also stop reading.
    let feeder = thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Run {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().expect("an exit code"),
    }
}

/// A folder for the files of one test, emptied first.
fn folder(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A file in the folder of a test, as an argument.
fn file(test: &str, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder(test).join(name);
    fs::write(&path, content).unwrap();
    path.into_os_string().into_string().unwrap()
}
