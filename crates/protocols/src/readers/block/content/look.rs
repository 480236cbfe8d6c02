//! After what may begin the end of a content: is it the end?

use crate::engine::MAX_WHITESPACE;
use crate::engine::{is_whitespace, starts_word};
use crate::program::{ARGUMENT, Grammar};

/// What must stand after `</arg>`, unless another argument does.
const AFTER: [&str; 2] = ["</arguments>", "</tool>"];

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
    /// After `</arg>`, which ends at this byte.
    Whitespace(usize),
    /// In what stands after `</arg>` and whitespace: where that ends, and where this begins.
    After(usize, usize),
    /// After the end marker.
    MarkerWhitespace,
    /// In the `</arg>` after the end marker and whitespace, from this byte on.
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
                match closes(closer, held, c) {
                    None => return Looked::No,
                    Some(false) => {}
                    Some(true) if matches!(grammar, Grammar::Tag(_)) => {
                        return Looked::End(held.len());
                    }
                    Some(true) => self.stage = Stage::Whitespace(held.len()),
                }
            }
            Stage::Whitespace(_) | Stage::MarkerWhitespace if is_whitespace(c) => {
                if held.len() > MAX_WHITESPACE {
                    return Looked::No;
                }
            }
            Stage::Whitespace(end) if c == '<' => self.stage = Stage::After(end, held.len() - 1),
            Stage::MarkerWhitespace if c == '<' => self.stage = Stage::MarkerCloser(held.len() - 1),
            Stage::Whitespace(_) | Stage::MarkerWhitespace => return Looked::No,
            Stage::After(end, at) => {
                return after(from(at), c, end, matches!(grammar, Grammar::Argument));
            }
            Stage::MarkerCloser(at) => match closes(ARGUMENT, from(at), c) {
                None => return Looked::No,
                Some(false) => {}
                Some(true) => return Looked::End(held.len()),
            },
        }
        Looked::More
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

/// Whether a tag after `</arg>`, which ends at `end`, says that it was the closer.
fn after(word: &str, c: char, end: usize, another: bool) -> Looked {
    let next = word.strip_suffix(|c| is_whitespace(c) || matches!(c, '>' | '/'));
    let next = another && next.is_some_and(|tag| tag.eq_ignore_ascii_case("<arg"));
    let closing = AFTER.map(|tag| closes(tag, word, c));
    if next || closing.contains(&Some(true)) {
        return Looked::End(end);
    }
    let may_be = closing.contains(&Some(false)) || (another && starts_word("<arg", word));
    if may_be { Looked::More } else { Looked::No }
}
