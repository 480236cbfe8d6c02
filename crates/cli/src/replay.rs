//! `toolweir replay`: recorded exchanges of the gateway, answered again.
//!
//! The events that a recorded turn gives now are shown as `parse` shows events. Whether a client would see
//! another answer than the one that was recorded is said on standard error, with `--check` on standard
//! output; an answer that differs is exit code 1.

use std::collections::BTreeSet;
use std::path::PathBuf;

use toolweir::Request;
use toolweir_gateway::{Recorded, ReplayOptions, ReplayStep, Replayed, recording_of};
use toolweir_testkit::diff;

use crate::args::{ReplayArgs, Shape};
use crate::failure::{Failure, Verdict};
use crate::parse::shown::Shown;
use crate::parse::view;
use crate::term::{self, Look, Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    if args.showing.raw {
        out.look = Look::default();
    }
    let mut verdict = Verdict::Fine;
    for recording in recordings(&args.files)? {
        let recorded = Recorded::read(&recording).map_err(unusable)?;
        let (found, replayed) = one(args, &recorded, out)?;
        let name = recording.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        tell(args, &name, &replayed, out)?;
        if found == Verdict::Findings || replayed.differs() {
            verdict = Verdict::Findings;
        }
    }
    Ok(verdict)
}

/// Each recording once, in the order of its first file.
fn recordings(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for file in files {
        let Some(recording) = recording_of(file) else {
            return Err(Failure::usage(
                format_args!("`{}` is no file of a recording", file.display()),
                "name files of `toolweir serve --record`; `toolweir parse` reads streams",
            ));
        };
        if seen.insert(recording.clone()) {
            all.push(recording);
        }
    }
    Ok(all)
}

fn unusable(error: impl std::fmt::Display) -> Failure {
    Failure::usage(error, "`toolweir parse` reads a stream alone")
}

/// Shows one recording as it reads now.
fn one(
    args: &ReplayArgs,
    recorded: &Recorded,
    out: &mut Out<'_>,
) -> Result<(Verdict, Replayed), Failure> {
    let mut options = ReplayOptions::default();
    options.specs.clone_from(&args.specs);
    options.format.clone_from(&args.format);
    options.set = args.options.iter().map(|set| (set.key.clone(), set.value.clone())).collect();
    options.choice = args.choice;
    options.raw = matches!(args.showing.shape, Shape::Segments | Shape::Host);
    if args.check {
        let replayed = recorded.replay(&options, &mut |_| {}).map_err(unusable)?;
        return Ok((Verdict::Fine, replayed));
    }
    let view = view(&args.showing, out.look, &Request::default(), true)?;
    let mut shown = Shown::new(view, out);
    let mut failed = Ok(());
    let replayed = recorded.replay(&options, &mut |step| {
        if failed.is_ok() {
            failed = match step {
                ReplayStep::Event(event) => shown.drive(|sink| sink.event(event)),
                ReplayStep::Ends(end) => {
                    shown.ends_with(end);
                    Ok(())
                }
                _ => shown.chunk_end(),
            };
        }
    });
    failed?;
    let replayed = replayed.map_err(unusable)?;
    Ok((shown.verdict(args.showing.fail_on), replayed))
}

/// Says whether the answer is another one, and where.
fn tell(
    args: &ReplayArgs,
    name: &str,
    replayed: &Replayed,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let said = match () {
        () if !replayed.comparable => "the recording has no whole answer to compare with",
        () if replayed.differs() => "another answer than recorded",
        () => "the same answer as recorded",
    };
    let line = format!("{name}: {said}");
    if !args.check {
        term::complain(&line);
    } else {
        let paint = if replayed.differs() { Paint::Red } else { Paint::Plain };
        out.text(paint, &line)?;
        out.line("")?;
    }
    if replayed.differs() {
        let (recorded, now) = (replayed.recorded.join("\n"), replayed.now.join("\n"));
        for line in diff::lines(&recorded, &now).lines() {
            if args.check {
                out.text(Paint::Plain, line)?;
                out.line("")?;
            } else {
                term::complain(line);
            }
        }
    }
    Ok(())
}
