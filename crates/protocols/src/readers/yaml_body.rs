//! Delimits a YAML body: up to the closing tag of its tool, opening tags of its own name counted.
//!
//! Such a tag counts up to the end of its line, or beyond where it is all that the line holds: a value
//! may well name the tool (`path: "<note>"`), and its call must not be lost for it.
//!
//! A body has no end of its own, so it is held up to its closing tag, each byte looked at once, and
//! read then. Without that tag it is cut, whatever it holds. A body inside its tag ends at a `/>` on
//! a line of its own, indented no deeper than the first line.

/// Follows a body piece by piece.
#[derive(Debug)]
pub(super) struct YamlBody {
    open: String,
    close: String,
    /// Opening tags of its own name, alone on their lines, that are not closed.
    depth: usize,
    /// Those of the last line that are not closed.
    inline: usize,
    /// Where the last line begins, and how much of the body was looked at.
    line: usize,
    seen: usize,
    /// It stands inside its tag.
    within: bool,
    /// The indent of its first line, once that was looked at.
    indent: Option<usize>,
}

impl YamlBody {
    pub(super) fn new(name: &str, within: bool) -> Self {
        Self {
            open: format!("<{name}>"),
            close: format!("</{name}>"),
            depth: 0,
            inline: 0,
            line: 0,
            seen: 0,
            within,
            indent: None,
        }
    }

    pub(super) const fn is_within(&self) -> bool {
        self.within
    }

    /// Looks at a body that has just grown by a piece with a `>` at its end; its length without the
    /// closing tag, where that was it.
    pub(super) fn closed(&mut self, body: &str) -> Option<usize> {
        self.end_lines(body);
        if body.ends_with(&self.open) {
            self.inline += 1;
            return None;
        }
        if self.within && self.depth == 0 && self.inline == 0 {
            let tag = body.strip_suffix("/>").and_then(|before| self.without_last_line(before));
            return tag.or_else(|| body.strip_suffix(self.close.as_str()).map(str::len));
        }
        let inside = body.strip_suffix(self.close.as_str())?;
        for open in [&mut self.inline, &mut self.depth] {
            if *open > 0 {
                *open -= 1;
                return None;
            }
        }
        Some(inside.len())
    }

    /// Settles the lines that have ended since the last look.
    fn end_lines(&mut self, body: &str) {
        let new = body.get(self.seen..).unwrap_or_default();
        for (at, _) in new.match_indices('\n') {
            let end = self.seen + at;
            if std::mem::take(&mut self.inline) > 0 {
                let line = body.get(self.line..end).unwrap_or_default();
                self.depth += usize::from(line.trim() == self.open);
            }
            self.line = end + 1;
        }
        self.seen = body.len();
    }

    /// The length of a body without its last line, where that is blank and no deeper than the first.
    fn without_last_line(&mut self, body: &str) -> Option<usize> {
        let blank = [' ', '\t'];
        let inside = body.trim_end_matches(blank);
        let first = || body.len() - body.trim_start_matches(blank).len();
        let fits = body.len() - inside.len() <= *self.indent.get_or_insert_with(first);
        (fits && inside.ends_with('\n')).then_some(inside.len())
    }
}
