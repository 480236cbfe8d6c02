//! `toolweir check`: vector files, run by the test kit at every split.
//!
//! Prints each failure with its place and reason, then the summary. Misspelt cases are failures, those
//! that expect nothing are counted apart; `docs/vector-files.md` describes what a case may hold. With `--json` one object a
//! case (`id`, `file`, `line`, `verdict`, `reason` where there is one), then one with the counts
//! and the `summary` line.

use std::path::Path;

use toolweir::Request;
use toolweir::rjson::ObjectWriter;
use toolweir_testkit::vectors::{
    CaseResult, EXCUSES_PATH, Excuses, Runner, Summary, Verdict as Case,
};

use crate::args::CheckArgs;
use crate::failure::{Failure, Verdict};
use crate::parse::apply;
use crate::specs;
use crate::term::{Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    // A wrong option is wrong usage, not a failure of every case.
    apply(&mut Request::default(), &args.options)?;
    let mut runner = Runner::new(specs::registry(&args.specs)?);
    runner.set = args.options.iter().map(|o| (o.key.clone(), o.value.clone())).collect();
    runner.excuses = excuses(args.excuses.as_deref())?;
    let mut summary = runner.run(&args.paths).map_err(|error| {
        Failure::usage(
            format_args!("cannot read {error}"),
            "name vector files, or folders of *.jsonl files",
        )
    })?;
    if summary.files == 0 {
        return Err(Failure::usage(
            "no vector files there",
            "name files, or folders of *.jsonl files",
        ));
    }
    if args.require_all {
        require_all(&mut summary);
    }
    if args.json {
        records(&summary, out)?
    } else {
        listed(&summary, out)?
    }
    Ok(if summary.failed() > 0 { Verdict::Findings } else { Verdict::Fine })
}

fn excuses(path: Option<&Path>) -> Result<Excuses, Failure> {
    let path = match path {
        Some(path) => path,
        None if Path::new(EXCUSES_PATH).is_file() => Path::new(EXCUSES_PATH),
        None => return Ok(Excuses::default()),
    };
    Excuses::load(path).map_err(|error| {
        let place = match error.line {
            0 => error.message,
            line => format!("{} line {line}: {}", path.display(), error.message),
        };
        Failure::usage(format_args!("excuses: {place}"), "write `ID | policy or deferred | REASON`")
    })
}

/// Makes a failure of every case that cannot be run.
fn require_all(summary: &mut Summary) {
    for result in &mut summary.results {
        if let Case::Unsupported(why) = &result.verdict {
            result.verdict = Case::Failed(format!("unsupported: {why}"));
        }
    }
}

fn listed(summary: &Summary, out: &mut Out<'_>) -> Result<(), Failure> {
    for (result, why) in summary.failures() {
        out.ours(Paint::Red, "failed")?;
        out.text(Paint::Bold, &format!(" {} ", result.id))?;
        out.text(Paint::Dim, &format!("({}:{})\n", result.file.display(), result.line))?;
        for line in why.lines() {
            out.text(Paint::Plain, &format!("    {line}\n"))?;
        }
    }
    Ok(out.line(&summary.to_string())?)
}

fn records(summary: &Summary, out: &mut Out<'_>) -> Result<(), Failure> {
    for result in &summary.results {
        out.line(&record(result))?;
    }
    let count = |count: usize| count as u64;
    let total = ObjectWriter::new()
        .number("cases", count(summary.results.len()))
        .number("files", count(summary.files))
        .number("passed", count(summary.passed()))
        .number("failed", count(summary.failed()))
        .number("excused", count(summary.excused()))
        .number("unsupported", count(summary.unsupported()))
        .number("informative", count(summary.informative()))
        .number("unchecked", count(summary.unchecked()))
        .text("summary", &summary.to_string());
    Ok(out.line(&total.end())?)
}

fn record(result: &CaseResult) -> String {
    let (verdict, reason) = match &result.verdict {
        Case::Passed => ("passed", None),
        Case::Unchecked => ("unchecked", Some("the case expects nothing")),
        Case::Failed(why) => ("failed", Some(why.as_str())),
        Case::Excused(why) => ("excused", Some(why.as_str())),
        Case::Unsupported(why) => ("unsupported", Some(why.as_str())),
        Case::Informative(Ok(())) => ("informative", None),
        Case::Informative(Err(why)) => ("informative", Some(why.as_str())),
        _ => ("other", None),
    };
    ObjectWriter::new()
        .text("id", &result.id)
        .text("file", &result.file.display().to_string())
        .number("line", result.line as u64)
        .text("verdict", verdict)
        .maybe("reason", reason)
        .end()
}
