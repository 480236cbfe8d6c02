//! Behind what may begin the end of a content: is it the end?

use super::{ARGUMENT, Grammar, MAX_BLANKS};
use crate::engine::is_blank;
use crate::segments::tag::starts_word;

/// What must stand behind `</arg>`, unless another argument does.
const BEHIND: [&str; 2] = ["</arguments>", "</tool>"];

/// What may be the end.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) held: String,
    pub(super) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// In the closing tag.
    Closer,
    /// Behind `</arg>`.
    Blanks,
    /// In what stands behind `</arg>` and blanks, from this byte on.
    Behind(usize),
    /// Behind the end marker.
    MarkerBlanks,
    /// In the `</arg>` behind the end marker and blanks, from this byte on.
    MarkerCloser(usize),
}

/// What one more character came to.
pub(super) enum Looked {
    More,
    No,
    /// The end; its bytes up to this one are the closer.
    End(usize),
}

impl Look {
    /// Looks at a character that was held.
    pub(super) fn feed(&mut self, c: char, grammar: &Grammar) -> Looked {
        let held = &self.held;
        let from = |at: usize| held.get(at..).unwrap_or_default();
        match self.stage {
            Stage::Closer => {
                let closer = match grammar {
                    Grammar::Tag(closer) => closer.as_str(),
                    _ => ARGUMENT,
                };
                if !starts_word(closer, held) {
                    return Looked::No;
                }
                if held.len() == closer.len() {
                    if matches!(grammar, Grammar::Tag(_)) {
                        return Looked::End(held.len());
                    }
                    self.stage = Stage::Blanks;
                }
            }
            Stage::Blanks | Stage::MarkerBlanks if is_blank(c) => {
                if held.len() > MAX_BLANKS {
                    return Looked::No;
                }
            }
            Stage::Blanks if c == '<' => self.stage = Stage::Behind(held.len() - 1),
            Stage::MarkerBlanks if c == '<' => self.stage = Stage::MarkerCloser(held.len() - 1),
            Stage::Blanks | Stage::MarkerBlanks => return Looked::No,
            Stage::Behind(at) => return behind(from(at), matches!(grammar, Grammar::Argument)),
            Stage::MarkerCloser(at) => {
                let word = from(at);
                if !starts_word(ARGUMENT, word) {
                    return Looked::No;
                }
                if word.len() == ARGUMENT.len() {
                    return Looked::End(held.len());
                }
            }
        }
        Looked::More
    }
}

/// Whether a tag behind `</arg>` says that it was the closer.
fn behind(word: &str, another: bool) -> Looked {
    let whole = BEHIND.iter().any(|tag| tag.eq_ignore_ascii_case(word));
    let next = word.strip_suffix(|c| is_blank(c) || matches!(c, '>' | '/'));
    let next = another && next.is_some_and(|tag| tag.eq_ignore_ascii_case("<arg"));
    if whole || next {
        return Looked::End(ARGUMENT.len());
    }
    let may_be = BEHIND.iter().any(|tag| starts_word(tag, word));
    if may_be || (another && starts_word("<arg", word)) { Looked::More } else { Looked::No }
}
