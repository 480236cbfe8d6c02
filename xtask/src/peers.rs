//! `cargo xtask peers`: damaged calls, as we and a TypeScript middleware read them.
//!
//! Seeded cases: a few tools, calls of them in one of four formats, and none to three kinds of damage
//! ([`damage`]). The example `peers` of the test kit reads them, whole and character by character, and
//! so does `xtask/peers/peer.mjs` with `@ai-sdk-tool/parser`. The command fails where a call or value
//! differs and no rule of [`classify`] or [`leaf`] knows why, where a case without damage is not read
//! by both as it was meant, and where chunks matter. What looks wrong with us is counted as open.
//!
//! The package comes from npm at the version of `xtask/peers/package-lock.json` and lies in a folder
//! `peers` of the target folder, with all texts and readings. Without Node, npm or a registry the
//! command is skipped.

mod classify;
mod compare;
mod damage;
mod edits;
mod generate;
mod leaf;
mod report;
mod values;
mod write;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::args::Args;
use crate::codegen::regions;
use crate::metadata::Workspace;
use crate::npm;
use crate::run::{Done, Failure, Outcome, Repo};
use generate::Case;
use report::Report;

/// A format that calls are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Hermes,
    MorphXml,
    YamlXml,
    Qwen3Coder,
}
const FORMATS: &[Format] = &[Format::Hermes, Format::MorphXml, Format::YamlXml, Format::Qwen3Coder];
impl Format {
    /// The language of a code fence around what the format holds.
    fn inside(self) -> &'static str {
        match self {
            Self::Hermes => "json",
            Self::YamlXml => "yaml",
            _ => "xml",
        }
    }
    /// The function of the middleware that makes its protocol.
    fn protocol(self) -> &'static str {
        match self {
            Self::Hermes => "hermesProtocol",
            Self::MorphXml => "morphXmlProtocol",
            Self::YamlXml => "yamlXmlProtocol",
            Self::Qwen3Coder => "qwen3CoderProtocol",
        }
    }
    /// Our formats that read it.
    fn readers(self) -> &'static [&'static str] {
        match self {
            Self::Hermes => &["json-mix", "hermes"],
            Self::MorphXml => &["morph-xml"],
            Self::YamlXml => &["yaml-xml"],
            Self::Qwen3Coder => &["qwen3-coder"],
        }
    }
}
/// Draws the cases, has both read them, and compares.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let seed = args.number("--seed", 1)?;
    let count = args.number("--cases", 3000)?;
    let shown = args.number("--show", 5)?;
    let write = args.flag("--write");
    args.done()?;
    match npm::node(repo) {
        None => return Ok(Done::Skipped("node is not installed".into())),
        Some(major) if major < NODE => {
            return Ok(Done::Skipped(format!("the middleware wants Node {NODE}, not {major}")));
        }
        Some(_) => {}
    }
    let folder = PathBuf::from(Workspace::load(repo)?.target_directory).join("peers");
    if let Some(reason) = npm::install(repo, FOLDER, SCRIPT, &folder)? {
        return Ok(Done::Skipped(reason));
    }
    let cases = generate::cases(seed, count);
    let theirs = theirs(repo, &folder, &cases)?;
    let mut ours = ours(repo, &folder, &cases)?.into_iter();
    let mut report = Report::new(shown);
    for (case, theirs) in cases.iter().zip(&theirs) {
        for reader in case.format.readers() {
            let ours = ours.next().ok_or_else(|| Failure::Check("an answer is missing".into()))?;
            report.add(case, reader, &ours, theirs);
        }
    }
    let tables = report.to_markdown();
    print!("{tables}");
    if write {
        page(repo, &tables, seed, count)?;
    }
    report.verdict()
}

/// The oldest major version of Node that the middleware runs on.
const NODE: u32 = 18;
const PAGE: &str = "docs/peers.md";
const FOLDER: &str = "xtask/peers";
const SCRIPT: &str = "peer.mjs";

/// Puts the tables into the page, with the commit and the command that made them.
fn page(repo: &Repo, tables: &str, seed: u64, count: u64) -> Outcome<()> {
    let commit = repo.program("git", ["rev-parse", "--short", "HEAD"]).stdout()?;
    let (old, commit) = (repo.read(PAGE)?, commit.trim());
    let command = format!("cargo xtask peers --seed {seed} --cases {count}");
    let body = format!("Commit `{commit}`, `{command}`:\n\n{tables}");
    let new = regions::replace(&old, "peers", &body)
        .map_err(|e| Failure::Check(format!("{PAGE}: {e}")))?;
    repo.write(PAGE, &new)
}

/// What we made of a text.
#[derive(Debug, Deserialize)]
struct Ours {
    /// The calls that run.
    calls: Vec<Read>,
    /// The calls that do not run.
    refused: Vec<Refused>,
    /// Of the diagnostics.
    codes: Vec<String>,
    /// The same came of the text character by character.
    same: bool,
}

#[derive(Debug, Deserialize)]
struct Read {
    name: String,
    arguments: Value,
}

#[derive(Debug, Deserialize)]
struct Refused {
    name: String,
    code: String,
}

/// What the middleware made of it; the arguments are JSON text.
#[derive(Debug, Deserialize)]
struct Theirs {
    calls: Vec<Read>,
}

fn theirs(repo: &Repo, folder: &Path, cases: &[Case]) -> Outcome<Vec<Theirs>> {
    let (jobs, answers) = (folder.join("theirs.jobs.jsonl"), folder.join("theirs.jsonl"));
    let lines = cases.iter().map(|case| case.job("protocol", case.format.protocol()));
    npm::write(&jobs, &lines.map(|job| format!("{job}\n")).collect::<String>())?;
    repo.program("node", [folder.join(SCRIPT)]).args([&jobs, &answers]).run()?;
    lines_of(&answers)
}

fn ours(repo: &Repo, folder: &Path, cases: &[Case]) -> Outcome<Vec<Ours>> {
    let (jobs, answers) = (folder.join("ours.jobs.jsonl"), folder.join("ours.jsonl"));
    let each = |case: &Case| -> String {
        case.format.readers().iter().map(|r| format!("{}\n", case.job("format", r))).collect()
    };
    npm::write(&jobs, &cases.iter().map(each).collect::<String>())?;
    repo.cargo(["run", "--quiet", "-p", "toolweir-testkit", "--example", "peers", "--"])
        .args([&jobs, &answers])
        .run()?;
    lines_of(&answers)
}

fn lines_of<T: for<'a> Deserialize<'a>>(path: &Path) -> Outcome<Vec<T>> {
    let wrong = |e: &dyn std::fmt::Display| Failure::Check(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|e| wrong(&e))).collect()
}
