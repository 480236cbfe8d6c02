//! A case as readable text, for snapshots: its events, the folded turn, its diagnostics with the
//! source line underlined.
//!
//! Laws: no `Debug` output, nothing that depends on how the stream was cut, nothing a terminal
//! would act on.

use std::fmt::Write as _;

use toolweir_protocols::{Chunk, Protocol};
use toolweir_segments::{
    Coalesce, Diagnostic, Event, EventSink, Fold, Listing, Tee, escape_terminal, list_turn,
};

use crate::case::Case;

/// Decodes the case in one piece, `Markup` on, and writes down what comes of it.
///
/// ```
/// use std::path::Path;
/// use toolweir_protocols::Registry;
/// use toolweir_testkit::{Case, snapshot};
/// let case = Case::parse(Path::new("hermes/prose.case"), "---\nHello\n").unwrap();
/// let text = snapshot(&**Registry::builtin().get("hermes").unwrap(), &case).unwrap();
/// assert!(text.contains("delta     \"Hello\""));
/// ```
///
/// # Errors
/// A line that says why the request of the case cannot be made.
pub fn snapshot(protocol: &dyn Protocol, case: &Case) -> Result<String, String> {
    let mut request = case.request()?;
    request.emit.markup = true;
    let mut decoder = protocol.decoder(&request).map_err(|e| e.to_string())?;
    let mut sinks = Tee(Coalesce::new(Listing::new()), Fold::new());
    let mut sink = |event: Event<'_>| sinks.event(event);
    let chunk = match &case.special {
        Some(special) => Chunk::attributed(&case.text, special),
        None => Chunk::text(&case.text),
    };
    decoder.push(chunk, &mut sink);
    decoder.finish(case.end, &mut sink);

    let Tee(listing, fold) = sinks;
    let turn = fold.into_turn();
    let mut out = format!("events\n{}\nturn\n", listing.into_inner().as_str());
    out.push_str(&list_turn(&turn));
    if !turn.diagnostics.is_empty() {
        out.push_str("\ndiagnostics\n");
    }
    for diagnostic in &turn.diagnostics {
        out.push_str(&underline(&case.text, diagnostic));
    }
    Ok(out)
}

/// Widest part of a source line that is shown, in characters.
const WIDTH: usize = 90;

/// The diagnostic, and under it the first line of its span with a mark below what it covers.
///
/// A mark ends with `…` where the span goes on in the next line; long lines are cut with `…`.
#[must_use]
pub fn underline(source: &str, diagnostic: &Diagnostic<'_>) -> String {
    let at = |offset: u64| {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        (0..=offset.min(source.len())).rev().find(|i| source.is_char_boundary(*i)).unwrap_or(0)
    };
    let (start, end) = (at(diagnostic.span.start), at(diagnostic.span.end));
    let before = source.get(..start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line_number = before.matches('\n').count() + 1;
    let line = source.get(line_start..).unwrap_or_default().split('\n').next().unwrap_or_default();

    let marked_end = end.min(line_start + line.len()).max(start);
    let head = shown(source.get(line_start..start).unwrap_or_default());
    let marked = shown(source.get(start..marked_end).unwrap_or_default());
    let rest = shown(source.get(marked_end..line_start + line.len()).unwrap_or_default());

    // A long head loses its beginning, so that what is marked is always in view.
    let skip = head.chars().count().saturating_sub(WIDTH / 3);
    let cut_head = if skip > 0 { "…" } else { "" };
    let head: String = head.chars().skip(skip).collect();
    let line = format!("{cut_head}{head}{marked}{rest}");
    let cut_line = if line.chars().count() > WIDTH { "…" } else { "" };
    let line: String = line.chars().take(WIDTH).collect();

    let indent = cut_head.chars().count() + head.chars().count();
    let width = marked.chars().count().clamp(1, WIDTH.saturating_sub(indent).max(1));
    let more = if end > marked_end { "…" } else { "" };
    let number = line_number.to_string();
    let gap = " ".repeat(number.len());
    let mut out = String::new();
    // Writing to a String cannot fail.
    _ = writeln!(out, "{} {}: {}", diagnostic.severity, diagnostic.code, diagnostic.message);
    _ = writeln!(out, "  {number} | {line}{cut_line}");
    _ = writeln!(out, "  {gap} | {}{}{more}", " ".repeat(indent), "^".repeat(width));
    out
}

/// Safe to print, and in one line.
fn shown(text: &str) -> String {
    escape_terminal(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolweir_segments::{Severity, Span};

    fn mark(source: &str, start: u64, end: u64) -> String {
        let diagnostic = Diagnostic {
            code: "test::code",
            severity: Severity::Warning,
            span: Span::new(start, end),
            message: "found".into(),
            help: None,
        };
        underline(source, &diagnostic)
    }

    #[test]
    fn the_line_of_the_span_is_marked() {
        let expected = "warning test::code: found\n  2 | béc\n    |  ^\n";
        assert_eq!(mark("a\nbéc\nd", 3, 5), expected);
    }

    #[test]
    fn empty_spans_get_one_mark_and_long_ones_go_on() {
        assert!(mark("abc", 3, 3).ends_with("  1 | abc\n    |    ^\n"));
        assert!(mark("abc\nde", 1, 6).ends_with("  1 | abc\n    |  ^^…\n"));
        assert!(mark("", 0, 0).ends_with("  1 | \n    | ^\n"));
    }

    #[test]
    fn control_characters_are_shown_and_long_lines_cut() {
        assert!(mark("a\u{1b}[0m", 0, 1).contains("a\\u{1b}[0m"));
        let long = format!("{}X{}", "a".repeat(200), "b".repeat(200));
        let shown = mark(&long, 200, 201);
        assert!(shown.lines().all(|line| line.chars().count() < 110), "{shown}");
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(
            lines[1].chars().position(|c| c == 'X'),
            lines[2].chars().position(|c| c == '^')
        );
    }

    #[test]
    fn spans_beyond_the_source_are_held_to_it() {
        assert!(mark("é", 1, 99).contains("  1 | é"));
    }
}
