//! Arguments that hold their own literals: `{arg:KEY:PATTERN}`.

use crate::pattern::{At, Part};

/// Whether a text is what a reader of that pattern takes for the whole argument: free text in it ends
/// at the first place where what follows it begins.
pub(super) fn is_whole(parts: &[Part], text: &str) -> bool {
    matches(parts, text, true, str::is_empty)
}

/// `line`: a line begins here. `end`: whether that text may follow the parts.
fn matches(parts: &[Part], text: &str, line: bool, end: fn(&str) -> bool) -> bool {
    let Some((part, rest)) = parts.split_first() else { return end(text) };
    match part {
        Part::Literal(literal) => {
            text.strip_prefix(literal.as_str()).is_some_and(|text| matches(rest, text, false, end))
        }
        Part::Space(written) => {
            let after = text.trim_start();
            let space = text.get(..text.len() - after.len()).unwrap_or_default();
            // A line break in the pattern is one in the text.
            let fits = !space.is_empty() && (!written.contains('\n') || space.contains('\n'));
            fits && matches(rest, after, space.contains('\n'), end)
        }
        Part::At(At::Line) => line && matches(rest, text, line, end),
        Part::Opt(_) | Part::Also(_) | Part::Any(_) => {
            let mut ways = part.inner().into_iter();
            ways.any(|way| matches(&[way, rest].concat(), text, line, end))
                || !matches!(part, Part::Any(_)) && matches(rest, text, line, end)
        }
        Part::Value(_) | Part::Skip => free(rest, text, line, end),
        _ => matches(rest, text, line, end),
    }
}

/// Free text up to the first place where the literals after it stand.
fn free(rest: &[Part], text: &str, mut line: bool, end: fn(&str) -> bool) -> bool {
    let is_fixed = |part: &Part| matches!(part, Part::Literal(_) | Part::Space(_) | Part::At(_));
    let length = rest.iter().position(|part| !is_fixed(part)).unwrap_or(rest.len());
    let (fixed, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
    if fixed.is_empty() {
        return after.is_empty();
    }
    for (at, c) in text.char_indices() {
        let here = text.get(at..).unwrap_or_default();
        if matches(fixed, here, line, |_| true) {
            return matches(rest, here, line, end);
        }
        // Whitespace at the beginning of a line does not count.
        line = c == '\n' || line && matches!(c, ' ' | '\t' | '\r');
    }
    false
}
