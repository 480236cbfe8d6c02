//! `cargo xtask quotes`: calls whose content is source code with its quotes unescaped, and what becomes
//! of them.
//!
//! Slices of the files in `quotes/corpus` (written for this), or of another folder, stand as the content of calls, in a line
//! or pretty-printed, with line breaks raw or escaped, among one to four other arguments. The example
//! `quotes` of the test kit decodes each whole, byte by byte and at random splits. A call that runs
//! with other arguments than were written is *wrong*: the command fails. A payload that is JSON as it
//! stands, with another content, cannot be known and is counted apart.

mod generate;
mod table;

use std::io::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::args::Args;
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo, fail};
use generate::{Call, Generator};
use table::{Table, Verdict};

/// What reads the calls: formats, and repaired JSON without and with its schema.
const READERS: &[&str] = &["json-mix", "hermes", "qwen25", "json", "json with schema"];

pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let seed = args.number("--seed", 1)?;
    let calls = args.number("--calls", 5000)?;
    let shown = args.number("--show", 3)?;
    let only = args.value("--format")?;
    let corpus = args.value("--corpus")?.unwrap_or_else(|| generate::CORPUS.to_owned());
    args.done()?;
    let readers: Vec<&str> =
        READERS.iter().copied().filter(|name| only.as_deref().is_none_or(|o| o == *name)).collect();
    if readers.is_empty() {
        let names = READERS.join("`, `");
        return Err(Failure::Usage(format!("--format is one of `{names}`")));
    }
    let calls = Generator::new(repo, &corpus, seed)?.take(calls);
    let folder = Path::new(&Workspace::load(repo)?.target_directory).join("quotes");
    make(std::fs::create_dir_all(&folder), &folder)?;
    let (jobs, verdicts) = (folder.join("jobs.jsonl"), folder.join("verdicts.jsonl"));
    write_jobs(&jobs, &calls, &readers)?;
    repo.cargo(["run", "--quiet", "-p", "toolweir-testkit", "--example", "quotes", "--"])
        .args([&jobs, &verdicts])
        .run()?;
    let lines = make(std::fs::read_to_string(&verdicts), &verdicts)?;
    let mut table = Table::default();
    let mut lines = lines.lines();
    let mut left = shown;
    for reader in &readers {
        for call in &calls {
            let line = lines.next().unwrap_or_default();
            let answer: Answer = serde_json::from_str(line)
                .map_err(|e| Failure::Check(format!("an answer is no JSON: {e}: {line}")))?;
            let verdict = judge(call, &answer);
            if verdict == Verdict::Wrong && left > 0 {
                left -= 1;
                println!("wrong: {reader}: {}\n  ran: {}", call.text(reader), answer.ran());
            }
            if !answer.same {
                println!("chunks matter: {reader}: {}", call.text(reader));
                table.unequal += 1;
            }
            table.add(reader, call, verdict);
        }
    }
    print!("{}", table.to_markdown(&readers, seed));
    if table.wrong() == 0 && table.unequal == 0 {
        Ok(Done::Passed)
    } else {
        fail("calls ran with other arguments than were written, or chunks mattered")
    }
}

fn make<T>(done: std::io::Result<T>, path: &Path) -> Outcome<T> {
    done.map_err(|e| Failure::Check(format!("{}: {e}", path.display())))
}

fn write_jobs(path: &Path, calls: &[Call], readers: &[&str]) -> Outcome<()> {
    let mut out = std::io::BufWriter::new(make(std::fs::File::create(path), path)?);
    for reader in readers {
        for call in calls {
            let job = call.job(reader);
            make(writeln!(out, "{job}"), path)?;
        }
    }
    make(out.flush(), path)
}

/// What the test kit says of one job.
#[derive(Deserialize)]
struct Answer {
    /// The calls that ran.
    calls: Vec<Value>,
    /// Every chunking gave the same.
    same: bool,
    /// The payload is JSON as it stands.
    valid: bool,
}

impl Answer {
    fn ran(&self) -> String {
        self.calls.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// What became of a call.
fn judge(call: &Call, answer: &Answer) -> Verdict {
    match answer.calls.as_slice() {
        [] => Verdict::Refused,
        [one] if one.get("arguments") == Some(call.expected()) => Verdict::Right,
        _ if answer.valid => Verdict::Valid,
        _ => Verdict::Wrong,
    }
}
