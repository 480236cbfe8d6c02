//! Laws that one turn and its source show: C1 (text is its source), C5 and C6.

use std::ops::Range;

use toolweir_protocols::{Deltas, Protocol, Request, StartState, ToolsInReasoning, formats};
use toolweir_rjson::{ErrorKind, Machine, Mode, Options, Value, parse_with};
use toolweir_segments::{Kind, Part, StreamEnd, Turn};

use super::prompt::section_openers;
use super::report::Report;
use super::run::{self, Input};
use crate::split::Split;

/// Deeper than any limit a request would set.
const DEPTH: usize = 1 << 20;

pub(super) fn check_turn(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    turn: &Turn,
    report: &mut Report,
) {
    let mut fail = |law, message: String| report.add(law, &Split::whole(), message);
    let own = || formats::spec(protocol.name()).map(|spec| spec.deltas);
    let canonical = request.policies.deltas.or_else(own) != Some(Deltas::Source);
    for part in &turn.parts {
        if !protocol.decodes_text(request)
            && let Err(message) = check_source(part, input.text)
        {
            fail("C1", message);
        }
        if canonical && let Err(message) = check_arguments(part) {
            fail("C6", message);
        }
    }
    let gives_back =
        turn.has_errors() || turn.diagnostics.iter().any(|d| d.code.starts_with("limit::"));
    // Decoded text may hold what is structure in the source.
    if !gives_back && !protocol.decodes_text(request) {
        let leaks = turn.parts.iter().filter_map(|part| leak(protocol, request, input, part));
        leaks.for_each(|message| fail("C5", message));
    }
}

/// Visible text is its source, byte for byte.
fn check_source(part: &Part, source: &str) -> Result<(), String> {
    if part.kind != Kind::Text || slice(source, part) == Some(part.text.as_str()) {
        return Ok(());
    }
    Err(format!("text {:?} is not the source at {}", part.text, part.span))
}

fn slice<'a>(source: &'a str, part: &Part) -> Option<&'a str> {
    source.get(part.span.as_range())
}

/// C6: one object where the call may run, else a proper prefix of a JSON document.
fn check_arguments(part: &Part) -> Result<(), String> {
    if !matches!(part.kind, Kind::Call(_)) {
        return Ok(());
    }
    if !part.outcome.is_some_and(|outcome| outcome.is_runnable()) {
        return match (begins_json(&part.args), parse_with(&part.args, &strict()).is_ok()) {
            (true, false) => Ok(()),
            (false, _) => Err(format!("arguments of a dead call begin no JSON: {:?}", part.args)),
            (_, true) => Err(format!("arguments of a dead call look whole: {:?}", part.args)),
        };
    }
    for invocation in &part.invocations {
        let arguments = invocation.resolved.as_deref().unwrap_or(&part.args);
        match parse_with(arguments, &strict()).map(|parsed| parsed.value) {
            Ok(Value::Object(_)) => {}
            Ok(_) => return Err(format!("arguments are no object: {arguments:?}")),
            Err(e) => return Err(format!("arguments are no JSON, {e}: {arguments:?}")),
        }
    }
    Ok(())
}

fn strict() -> Options {
    let mut options = Options::default();
    options.mode = Mode::Strict;
    options.max_depth = DEPTH;
    options.max_keys = usize::MAX;
    options.max_held_bytes = usize::MAX;
    options
}

/// Whether `text` is the beginning of a strict JSON document, or a whole one.
pub(crate) fn begins_json(text: &str) -> bool {
    let mut machine = Machine::new(strict());
    let mut rest = text;
    loop {
        match machine.next(&mut rest) {
            Ok(Some(_)) => {}
            Ok(None) => return rest.trim_matches([' ', '\t', '\r', '\n']).is_empty(),
            Err(e) => return e.kind == ErrorKind::UnexpectedEnd,
        }
    }
}

/// Whether a reasoning section holds an opener after the one it may begin with.
fn repeats_opener(section: &str) -> bool {
    let repeats = |open: &String| {
        section.strip_prefix(open.as_str()).unwrap_or(section).contains(open.as_str())
    };
    section_openers().iter().any(repeats)
}

/// C5: what was given out as text or reasoning holds nothing that is structure, so decoding it
/// alone gives it back. A character in front keeps rules for the start of a stream out of it.
fn leak(
    protocol: &dyn Protocol,
    request: &Request,
    input: &Input<'_>,
    part: &Part,
) -> Option<String> {
    let mut request = request.clone();
    request.prefix.clear();
    let head = match part.kind {
        Kind::Text => {
            request.start_state = StartState::Text;
            neutral(protocol)
        }
        // An opener repeated inside was removed: what it leaves may read as a marker.
        // A sentinel encloses its reasoning: nothing inside it is a marker but its own end.
        Kind::Reasoning if slice(input.text, part)?.starts_with("[[SEG_START") => return None,
        Kind::Reasoning if repeats_opener(slice(input.text, part)?) => return None,
        Kind::Reasoning => {
            request.start_state = StartState::Reasoning;
            // Reasoning stands at the start of a line, but after a call that did not end it.
            let extract = request.policies.tools_in_reasoning == Some(ToolsInReasoning::Extract);
            if extract { neutral(protocol) } else { format!("{}\n", neutral(protocol)) }
        }
        Kind::Call(_) => return None,
    };
    let special = input.special.map(|ranges| moved(ranges, part, head.len()));
    let text = format!("{head}{}", part.text);
    let alone = Input { text: &text, special: special.as_deref(), end: StreamEnd::Stop };
    let turn = run::decode(protocol, &request, &alone, &Split::whole()).ok()?.turn;
    let same = match turn.parts.as_slice() {
        [only] => only.kind == part.kind && only.text == text,
        _ => false,
    };
    let kind = part.kind.name();
    (!same).then(|| format!("{kind} at {} holds structure: {:?}", part.span, part.text))
}

/// A character that no marker of the protocol holds.
fn neutral(protocol: &dyn Protocol) -> String {
    let markers = protocol.markers(&Request::default());
    let free = |c: &char| !markers.iter().any(|marker| marker.contains(*c));
    ['.', '\'', '^', '\u{1}'].into_iter().find(free).unwrap_or('\u{2}').to_string()
}

/// The special ranges inside a part, as positions in its text after a head of `head` bytes.
fn moved(ranges: &[Range<usize>], part: &Part, head: usize) -> Vec<Range<usize>> {
    let start = usize::try_from(part.span.start).unwrap_or(usize::MAX);
    let inside = ranges.iter().filter(|r| r.start >= start && r.end <= start + part.text.len());
    inside.map(|r| r.start - start + head..r.end - start + head).collect()
}

#[cfg(test)]
mod tests {
    use super::begins_json;

    #[test]
    fn beginnings_of_json_are_told_from_other_text() {
        for text in
            ["", "{", "{\"a", "{\"a\":[1,", "{\"a\":tr", "{\"a\":\"\\u00", "{}", "{\"a\":1}\n"]
        {
            assert!(begins_json(text), "{text}");
        }
        for text in ["{a", "{'a'", "{\"a\":1}}", "{}x", "}", "{\"a\":tru "] {
            assert!(!begins_json(text), "{text}");
        }
    }
}
