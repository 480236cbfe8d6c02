//! After what may begin the end of a content: is it the end?

use crate::engine::MAX_WHITESPACE;
use crate::engine::{is_whitespace, starts_word};
use crate::program::{ARGUMENT, Grammar};

/// What must stand after `</arg>`, unless another argument does.
const AFTER: [&str; 2] = ["</arguments>", "</tool>"];

/// What may be the end.
#[derive(Debug)]
pub(super) struct Lookahead {
    pub(super) held: String,
    pub(super) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// In the closing tag.
    EndMarker,
    /// After `</arg>`, which ends at this byte.
    Whitespace(usize),
    /// In what stands after `</arg>` and whitespace: where that ends, and where this begins.
    After(usize, usize),
    /// After the end marker.
    MarkerWhitespace,
    /// In the `</arg>` after the end marker and whitespace, from this byte on.
    MarkerTag(usize),
}

/// What one more character came to.
pub(super) enum Ending {
    NeedMore,
    No,
    /// The end; its bytes up to this one are the end marker.
    End(usize),
}

impl Lookahead {
    /// Looks at a character that was held.
    pub(super) fn feed(&mut self, c: char, grammar: &Grammar) -> Ending {
        let held = &self.held;
        let from = |at: usize| held.get(at..).unwrap_or_default();
        match self.stage {
            Stage::EndMarker => {
                let end_marker = match grammar {
                    Grammar::Tag(end_marker) => end_marker.as_str(),
                    _ => ARGUMENT,
                };
                match closes(end_marker, held, c) {
                    None => return Ending::No,
                    Some(false) => {}
                    Some(true) if matches!(grammar, Grammar::Tag(_)) => {
                        return Ending::End(held.len());
                    }
                    Some(true) => self.stage = Stage::Whitespace(held.len()),
                }
            }
            Stage::Whitespace(_) | Stage::MarkerWhitespace if is_whitespace(c) => {
                if held.len() > MAX_WHITESPACE {
                    return Ending::No;
                }
            }
            Stage::Whitespace(end) if c == '<' => self.stage = Stage::After(end, held.len() - 1),
            Stage::MarkerWhitespace if c == '<' => self.stage = Stage::MarkerTag(held.len() - 1),
            Stage::Whitespace(_) | Stage::MarkerWhitespace => return Ending::No,
            Stage::After(end, at) => {
                return after(from(at), c, end, matches!(grammar, Grammar::Argument));
            }
            Stage::MarkerTag(at) => match closes(ARGUMENT, from(at), c) {
                None => return Ending::No,
                Some(false) => {}
                Some(true) => return Ending::End(held.len()),
            },
        }
        Ending::NeedMore
    }
}

/// Whether `word`, whose last character is `c`, is the closing tag: some whitespace may stand before its `>`.
/// `None`: it is not, and cannot become it.
fn closes(tag: &str, word: &str, c: char) -> Option<bool> {
    let name = tag.strip_suffix('>').unwrap_or(tag);
    if word.len() <= name.len() {
        return starts_word(tag, word).then_some(false);
    }
    // What stands between the name and the last character was looked at when it came.
    match c {
        _ if !starts_word(word, name) || word.len() > MAX_WHITESPACE => None,
        '>' => Some(true),
        c => is_whitespace(c).then_some(false),
    }
}

/// Whether a tag after `</arg>`, which ends at `end`, says that it was the end marker.
fn after(word: &str, c: char, end: usize, another: bool) -> Ending {
    let next = word.strip_suffix(|c| is_whitespace(c) || matches!(c, '>' | '/'));
    let next = another && next.is_some_and(|tag| tag.eq_ignore_ascii_case("<arg"));
    let closing = AFTER.map(|tag| closes(tag, word, c));
    if next || closing.contains(&Some(true)) {
        return Ending::End(end);
    }
    let may_be = closing.contains(&Some(false)) || (another && starts_word("<arg", word));
    if may_be { Ending::NeedMore } else { Ending::No }
}
