//! One check for every law that a protocol must keep.
//!
//! [`check`] decodes a text under many splits with checking sinks and holds the results against the
//! laws; [`check_case`] does so for a fixture, [`round_trip`] for a rendered call. They work on any
//! [`Protocol`], a user's own included.
//!
//! | law | how it is held |
//! | --- | --- |
//! | C1 accounting | with `Markup` on, spans tile the input; a text part equals the source at its span |
//! | C2 order | spans come in order |
//! | C3 chunks | every split folds to the same turn, spans and diagnostics included |
//! | C4 batch is stream | `parse` gives the turn of one push and finish |
//! | C5 no leak | each visible text, and each reasoning text, decoded alone under the same request stays what it is: nothing in it is structure. Excused are turns that give source back (an error, a limit reached) and reasoning from whose inside an opener was removed |
//! | C6 arguments | those of runnable calls are one strict JSON object; those of others begin one and never end it |
//! | C7 total | no panic |
//! | C8, C9 | append-only and balanced, seen in the events |
//! | C10 prompt | while visible text or reasoning is open, what is withheld is white space, the beginning of a marker, stands after a whole marker, or is as many lines as the format says |
//! | C11 round trip | [`round_trip`] |
//! | C12 linear | with feature `meter`: bytes examined ≤ 3 × input + 64 × events + 4,096, and character by character at most 1.5 times as many as in one piece, 4,096 aside |

mod prompt;
mod report;
mod round_trip;
pub(crate) mod run;
mod turn;

use std::ops::Range;

use toolweir_protocols::{Protocol, ProtocolExt, Request};
use toolweir_segments::{StreamEnd, Turn, list_turn};

pub use report::{Failure, Report};
pub use round_trip::{RoundTrip, round_trip};

use crate::case::Case;
use crate::diff;
use crate::split::{Split, Splits};
use prompt::Prompt;
use run::{Decoded, Input};

/// What a check does.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The splits tried. Default: those of the vector files.
    pub splits: Splits,
    /// Byte ranges of the text that came from special tokens. Default: the source does not say.
    pub special: Option<Vec<Range<usize>>>,
    /// Markers that promptness (C10) accounts for, beside [`Protocol::special_markers`], the
    /// markers of the built-in reasoning families and those that the request sets.
    pub markers: Vec<String>,
}

impl CheckOptions {
    /// A check with these splits.
    ///
    /// ```
    /// use toolweir_testkit::{CheckOptions, Splits};
    /// let options = CheckOptions::with_splits(Splits::few(4));
    /// assert_eq!(options.splits.random_above, 4);
    /// ```
    #[must_use]
    pub fn with_splits(splits: Splits) -> Self {
        Self { splits, ..Self::default() }
    }
}

/// Reports hold no more failures than this; the first one says most.
const MAX_FAILURES: usize = 8;

/// Decodes `text` under every split of the options and holds the results against the laws.
///
/// `Ok` is the turn that all splits agree on, its `markup` filled.
///
/// ```
/// use toolweir_protocols::{Registry, Request};
/// use toolweir_segments::StreamEnd;
/// use toolweir_testkit::{CheckOptions, check};
///
/// let registry = Registry::builtin();
/// let hermes = registry.get("hermes").unwrap();
/// let text = "Rolling.<tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";
/// let options = CheckOptions::default();
/// let turn = check(&**hermes, &Request::default(), text, StreamEnd::Stop, &options).unwrap();
/// assert_eq!(turn.text(), "Rolling.");
/// ```
///
/// # Errors
/// A [`Report`] of the laws that were broken, by which split, with a diff of the turns.
pub fn check(
    protocol: &dyn Protocol,
    request: &Request,
    text: &str,
    end: StreamEnd,
    options: &CheckOptions,
) -> Result<Turn, Report> {
    let mut request = request.clone();
    request.emit.markup = true;
    let input = Input { text, special: options.special.as_deref(), end };
    let mut report = Report::new(protocol.name(), text);

    let whole = Split::whole();
    let Some(reference) = decode(protocol, &request, &input, &whole, &mut report) else {
        return Err(report);
    };
    turn::check_turn(protocol, &request, &input, &reference.turn, &mut report);
    check_batch(protocol, &request, &input, &reference.turn, &mut report);
    check_splits(protocol, &request, &input, &reference, options, &mut report);
    // What a decoded text withholds is not to be seen in the input, nor a marker that a prefix began.
    if !protocol.decodes_text(&request) && request.prefix.is_empty() {
        check_prompt(protocol, &request, &input, options, &mut report);
    }
    if report.is_empty() { Ok(reference.turn) } else { Err(report) }
}

/// Holds a fixture against the laws, under its own request, end and special tokens.
///
/// # Errors
/// A [`Report`]; also when the case describes a request that cannot be made.
pub fn check_case(protocol: &dyn Protocol, case: &Case, splits: Splits) -> Result<Turn, Report> {
    let mut options = CheckOptions::with_splits(splits);
    options.special.clone_from(&case.special);
    match case.request() {
        Ok(request) => check(protocol, &request, &case.text, case.end, &options),
        Err(message) => {
            let mut report = Report::new(protocol.name(), &case.text);
            report.add("request", &Split::whole(), message);
            Err(report)
        }
    }
}

/// C7, C8, C9 and what of C1 and C2 the events show. `None` when there is no turn to go on with.
fn decode(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    split: &Split,
    report: &mut Report,
) -> Option<Decoded> {
    match run::decode(protocol, request, input, split) {
        Ok(decoded) => {
            for violation in &decoded.violations {
                report.add(violation.law, split, violation.to_string());
            }
            check_meter(&decoded, input, split, report);
            Some(decoded)
        }
        Err((law, message)) => {
            report.add(law, split, message);
            None
        }
    }
}

fn check_batch(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    reference: &Turn,
    report: &mut Report,
) {
    if input.end != StreamEnd::Stop || input.special.is_some() {
        return;
    }
    match protocol.parse(input.text, request) {
        Ok(turn) if turn == *reference => {}
        Ok(turn) => {
            let message = format!("parse gives another turn\n{}", turn_diff(reference, &turn));
            report.add("C4", &Split::whole(), message);
        }
        Err(e) => report.add("C4", &Split::whole(), format!("parse refuses the request: {e}")),
    }
}

fn check_splits(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    reference: &Decoded,
    options: &CheckOptions,
    report: &mut Report,
) {
    for split in options.splits.of(input.text).skip(1) {
        if report.len() >= MAX_FAILURES {
            return;
        }
        let Some(decoded) = decode(protocol, request, input, &split, report) else { continue };
        if decoded.turn != reference.turn {
            let difference = turn_diff(&reference.turn, &decoded.turn);
            report.add("C3", &split, format!("another turn than in one piece\n{difference}"));
        }
        let (whole, cut) = (reference.examined, decoded.examined);
        if split == Split::chars(input.text) && cut > whole + whole / 2 + METER_SLACK {
            let message = format!("{cut} bytes examined, in one piece {whole}");
            report.add("C12", &split, message);
        }
    }
}

fn check_prompt(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    options: &CheckOptions,
    report: &mut Report,
) {
    let split = Split::chars(input.text);
    let mut prompt = Prompt::new(protocol, request, &options.markers);
    let pushed = run::decode_with(protocol, request, input, &split, &mut prompt, |prompt, read| {
        prompt.after_push(input.text, read);
    });
    if pushed.is_ok()
        && let Some(message) = prompt.into_breach()
    {
        report.add("C10", &split, message);
    }
}

/// What a decoder may spend on making itself ready, in bytes examined.
const METER_SLACK: u64 = 4_096;

fn check_meter(decoded: &Decoded, input: &Input<'_>, split: &Split, report: &mut Report) {
    let length = u64::try_from(input.text.len()).unwrap_or(u64::MAX);
    let bound = 3 * length + 64 * decoded.events + METER_SLACK;
    if decoded.examined > bound {
        let message = format!("{} bytes examined, at most {bound} allowed", decoded.examined);
        report.add("C12", split, message);
    }
}

fn turn_diff(left: &Turn, right: &Turn) -> String {
    diff::lines(&list_turn(left), &list_turn(right))
}

#[cfg(test)]
mod tests;
