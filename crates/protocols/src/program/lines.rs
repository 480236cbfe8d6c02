//! One argument that holds its own first and last line: `{arg:KEY:PATTERN}`.
//!
//! Its pattern is `{at:line}FIRST\n…{value}{at:line}LAST`. The first line is `FIRST` and nothing else; the
//! text after it, if there is any, says what the next line must begin with. Both lines belong to the value.

use super::parts::literals;
use crate::pattern::{At, Part, Pattern, ValueKind};

/// What a reader of whole lines is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) key: String,
    /// The first line.
    pub(crate) first: String,
    /// What the line after it begins with: one of these; none: anything.
    pub(crate) next: Vec<String>,
    /// The last line.
    pub(crate) last: String,
}

impl Lines {
    /// Those of a pattern, where it is one.
    pub(super) fn of(key: &str, pattern: &Pattern) -> Option<Self> {
        let at = pattern.parts.iter().position(|part| matches!(part, Part::Value(_)))?;
        let (head, tail) = pattern.parts.split_at_checked(at)?;
        let (first, next) = match head {
            [Part::At(At::Line), lines @ ..] => {
                let is_break =
                    |part: &Part| matches!(part, Part::Space(text) if text.contains('\n'));
                let end = lines.iter().position(is_break)?;
                lines.split_at_checked(end)?
            }
            _ => return None,
        };
        let [Part::Value(ValueKind::Verbatim), Part::At(At::Line), last @ ..] = tail else {
            return None;
        };
        let one = |parts: &[Part]| match <[String; 1]>::try_from(literals(parts)) {
            Ok([text]) => Some(text),
            Err(_) => None,
        };
        let next = literals(next.get(1..)?);
        Some(Self { key: key.to_owned(), first: one(first)?, next, last: one(last)? })
    }
}
