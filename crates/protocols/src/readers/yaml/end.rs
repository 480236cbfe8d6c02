//! Finds the end of a YAML body, line by line: the closing tag of its tool, opening tags of its own
//! name counted.
//!
//! Such a tag counts up to the end of its line, or beyond where it is all that the line holds: a value
//! may well name the tool (`path: "<note>"`), and its call must not be lost for it. A body inside its
//! tag ends at a `/>` on a line of its own too, indented no deeper than the first line.

use crate::readers::yaml::WHITESPACE;

/// Follows the lines of a body.
#[derive(Debug, Default)]
pub(super) struct End {
    name: String,
    open: String,
    /// Opening tags of its own name, alone on their lines, that are not closed.
    depth: usize,
    /// Those of the line that are not closed.
    inline: usize,
    /// It stands inside its tag.
    pub(super) within: bool,
    /// The indent of its first line, once that has ended.
    indent: Option<usize>,
    /// The beginning of the line was taken: it was neither whitespace nor a tag.
    pub(super) cut: bool,
}

impl End {
    pub(super) fn new(name: &str, within: bool) -> Self {
        Self { name: name.to_owned(), open: format!("<{name}>"), within, ..Self::default() }
    }

    /// Looks at a line that has just grown by a piece with a `>` at its end; how much of it is the
    /// body's, where the body ends there.
    pub(super) fn closed(&mut self, line: &str) -> Option<usize> {
        if line.ends_with(&self.open) {
            self.inline += 1;
            return None;
        }
        let inside_tag = self.within && !self.cut && self.depth + self.inline == 0;
        if inside_tag && line.strip_suffix("/>").is_some_and(|before| self.ends_tag(before)) {
            return Some(0);
        }
        let at = line.rfind('<')?;
        let tag = line.get(at + 1..)?.strip_suffix('>')?.trim_start_matches(WHITESPACE);
        if tag.strip_prefix('/')?.trim_matches(WHITESPACE) != self.name {
            return None;
        }
        for open in [&mut self.inline, &mut self.depth] {
            if *open > 0 {
                *open -= 1;
                return None;
            }
        }
        Some(at)
    }

    /// Whether it may be the beginning of the closing tag.
    fn may_close(&self, tag: &str) -> bool {
        let Some(tag) = tag.strip_prefix('<').map(|tag| tag.trim_start_matches(WHITESPACE)) else {
            return tag.is_empty();
        };
        let Some(name) = tag.strip_prefix('/') else { return tag.is_empty() };
        self.name.starts_with(name.trim_matches(WHITESPACE))
    }

    fn ends_tag(&self, before: &str) -> bool {
        let whitespace = before.trim_matches(WHITESPACE).is_empty();
        whitespace && self.indent.is_some_and(|indent| before.len() <= indent)
    }

    /// The line has ended.
    pub(super) fn end_line(&mut self, line: &str) {
        let alone = !std::mem::take(&mut self.cut) && line.trim() == self.open;
        self.depth += usize::from(std::mem::take(&mut self.inline) > 0 && alone);
        self.indent.get_or_insert(line.len() - line.trim_start_matches(WHITESPACE).len());
    }

    /// How much of a line that goes on is certainly the body's: what may be part of a tag is not, nor
    /// is whitespace that may be the last of the body.
    pub(super) fn certain<'t>(&self, line: &'t str) -> &'t str {
        let filled = line.trim();
        if !self.cut && (self.open.starts_with(filled) || self.within && filled == "/") {
            return "";
        }
        let is_tag = |tag: &str| self.open.starts_with(tag) || self.may_close(tag);
        let (before, tag) = line.split_at_checked(line.rfind('<').unwrap_or(0)).unwrap_or_default();
        let certain = if is_tag(tag) { before } else { line };
        certain.split('\r').next().unwrap_or_default().trim_end_matches(WHITESPACE)
    }
}
