//! `toolweir demo`: the main job on an embedded recording, offline and without configuration.
//!
//! The recording is our own: a `hermes` answer with reasoning, prose, two calls side by side, a
//! call in Python's spelling that is repaired, a call with an end marker inside a string, and a
//! call that the token limit cut off. It is decoded live in pieces about the size of tokens, then
//! again under 64 random splits with the law checks on; every split must fold to the same turn.

use std::thread;
use std::time::Duration;

use toolweir::protocols::Chunk;
use toolweir::segments::{Check, CheckOptions, escape_terminal};
use toolweir::{
    Event, EventSink as _, Fold, Protocol, Refusal, Registry, Request, StreamEnd, Tee, ToolSet,
    Turn, decode_chunks,
};

use crate::args::DemoArgs;
use crate::failure::{Failure, Verdict};
use crate::input::{Cut, Splitter};
use crate::parse::live::Live;
use crate::term::{Out, Paint};
use crate::tools;

const FORMAT: &str = "hermes";
const RECORDING: &str = include_str!("recording.txt");
const TOOLS: &str = include_str!("tools.json");
/// The recording ends where the token limit was reached.
const END: StreamEnd = StreamEnd::Length;
const PAUSE: Duration = Duration::from_millis(15);
const SPLITS: u64 = 64;

/// Runs the command.
pub(crate) fn run(args: &DemoArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let registry = Registry::builtin();
    let protocol = registry.get(FORMAT).map_err(broken)?;
    let request = request()?;
    let pause = (out.look.terminal && !args.fast).then_some(PAUSE);
    let turn = play(protocol.as_ref(), &request, pause, out)?;
    summary(&turn, out)?;
    match differing(protocol.as_ref(), &request, &turn)? {
        None => {
            out.ours(Paint::Bold, &format!("{SPLITS} random splits: identical"))?;
            out.line("")?;
            Ok(Verdict::Fine)
        }
        Some(difference) => {
            out.ours(Paint::Red, &format!("{SPLITS} random splits: different: {difference}"))?;
            out.line("")?;
            Ok(Verdict::Findings)
        }
    }
}

fn request() -> Result<Request, Failure> {
    let listed = tools::read(TOOLS).map_err(|wrong| broken(wrong.to_string()))?;
    let mut request = Request::new(ToolSet::new(listed).map_err(broken)?);
    request.emit.markup = true;
    Ok(request)
}

/// The recording is part of the program, so this is a fault of the build.
fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::usage(
        format_args!("the embedded recording cannot be used: {error}"),
        "reinstall toolweir",
    )
}

/// Decodes the recording piece by piece, showing each event as it comes.
fn play(
    protocol: &dyn Protocol,
    request: &Request,
    pause: Option<Duration>,
    out: &mut Out<'_>,
) -> Result<Turn, Failure> {
    let mut decoder = protocol.decoder(request).map_err(broken)?;
    let mut fold = Fold::new();
    let mut live = Live::new();
    for piece in pieces(RECORDING) {
        let mut shown = Ok(());
        decoder.push(Chunk::text(piece), &mut |event: Event<'_>| {
            if shown.is_ok() {
                shown = live.show(&event, out);
            }
            fold.event(event);
        });
        shown?;
        out.flush()?;
        if let Some(pause) = pause {
            thread::sleep(pause);
        }
    }
    let mut shown = Ok(());
    decoder.finish(END, &mut |event: Event<'_>| {
        if shown.is_ok() {
            shown = live.show(&event, out);
        }
        fold.event(event);
    });
    shown?;
    out.flush()?;
    Ok(fold.into_turn())
}

/// Cuts a text into pieces like tokens: at most six characters, a space begins a new one.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let ends =
            |(number, (_, c)): &(usize, (usize, char))| *number == 6 || (*number > 0 && *c == ' ');
        let end = rest.char_indices().enumerate().find(ends).map_or(rest.len(), |(_, (at, _))| at);
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn summary(turn: &Turn, out: &mut Out<'_>) -> Result<(), Failure> {
    let segments = turn.parts.iter().filter(|part| part.kind.is_call()).count();
    let run = turn.calls().count();
    let repaired = turn.calls().filter(|call| call.repaired).count();
    let accounted: u64 = turn
        .parts
        .iter()
        .map(|part| part.span)
        .chain(turn.markup.iter().copied())
        .map(toolweir::Span::len)
        .sum();
    out.line("")?;
    out.line(&format!("{} segments, {} of them calls", turn.parts.len(), segments))?;
    let refused = turn.refused.len();
    let cut = turn.refused.iter().all(|call| call.why == Refusal::Cut);
    let why = if cut { " (cut off)" } else { "" };
    out.line(&format!("calls run: {run} ({repaired} repaired), calls refused: {refused}{why}"))?;
    for refused in &turn.refused {
        out.line(&format!("  {}", escape_terminal(&refused.to_string())))?;
    }
    out.line(&format!("bytes accounted for: {accounted} of {}", RECORDING.len()))?;
    Ok(())
}

/// Decodes under random splits with the law checks on. The first difference or violation, if any.
fn differing(
    protocol: &dyn Protocol,
    request: &Request,
    turn: &Turn,
) -> Result<Option<String>, Failure> {
    for seed in 1..=SPLITS {
        let chunks = split(seed)?;
        let mut sink = Tee(Check::new(CheckOptions { markup: true }), Fold::new());
        let cut = chunks.iter().map(String::as_str);
        decode_chunks(protocol, cut, END, request, &mut sink).map_err(broken)?;
        sink.0.finish_checks(RECORDING.len() as u64);
        if let Some(violation) = sink.0.violations().first() {
            return Ok(Some(format!(
                "seed {seed} breaks {}: {}",
                violation.law, violation.message
            )));
        }
        if sink.1.turn() != turn {
            return Ok(Some(format!("seed {seed} folds to another turn")));
        }
    }
    Ok(None)
}

fn split(seed: u64) -> Result<Vec<String>, Failure> {
    let mut chunks = Vec::new();
    let mut keep = |chunk: &str| {
        chunks.push(chunk.to_owned());
        Ok(())
    };
    let mut splitter = Splitter::new(Cut::Random(seed));
    splitter.push(RECORDING, &mut keep)?;
    splitter.finish(&mut keep)?;
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_short_and_join_to_the_text() {
        assert_eq!(pieces("I'll look at it").collect::<Vec<_>>(), ["I'll", " look", " at", " it"]);
        assert_eq!(pieces(RECORDING).collect::<String>(), RECORDING);
        assert!(pieces(RECORDING).all(|piece| (1..=6).contains(&piece.chars().count())));
    }

    #[test]
    fn the_recording_shows_what_it_promises() {
        let registry = Registry::builtin();
        let protocol = registry.get(FORMAT).unwrap();
        let mut bytes = Vec::new();
        let mut out = Out::new(&mut bytes, crate::term::Look::default());
        let turn = play(protocol.as_ref(), &request().unwrap(), None, &mut out).unwrap();
        let calls: Vec<_> = turn.calls().map(|call| (call.name, call.repaired)).collect();
        assert_eq!(
            calls,
            [
                ("get_weather", false),
                ("get_weather", false),
                ("hold_bunks", true),
                ("write_note", false)
            ]
        );
        assert!(turn.reasoning().starts_with("Two people"));
        assert!(turn.text().starts_with("I'll look"));
    }
}
