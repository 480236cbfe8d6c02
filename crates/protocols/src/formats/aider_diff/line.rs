//! Lines before a block: what may be a path or a fence, while the line comes and when it is whole.

/// The lines that open, divide and close a block.
pub(super) const SEARCH: &str = "<<<<<<< SEARCH";
pub(super) const DIVIDER: &str = "=======";
pub(super) const REPLACE: &str = ">>>>>>> REPLACE";

/// Lines that may stand before a block and belong to it.
pub(super) const MAX_FRONT: usize = 4;

/// Bytes of such a line; a longer one is text.
const MAX_LINE: usize = 1024;

const FENCE: &str = "```";

/// A line that may belong to a block after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    Path,
    Fence,
}

/// What may stand before a block.
const FRONTS: [&[Front]; 6] = [
    &[Front::Path],
    &[Front::Path, Front::Fence],
    &[Front::Fence],
    &[Front::Fence, Front::Path],
    &[Front::Fence, Front::Path, Front::Fence],
    &[Front::Fence, Front::Path, Front::Fence, Front::Fence],
];

/// How many of these lines cannot belong to a block after them.
pub(super) fn too_many(lines: &[Front]) -> usize {
    let fits = |from: &usize| lines.get(*from..).is_some_and(|rest| FRONTS.contains(&rest));
    (0..lines.len()).find(fits).unwrap_or(lines.len())
}

/// What a whole line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The line that opens a block.
    Marker,
    /// `closes`: it is a fence that may close one.
    Front {
        front: Front,
        closes: bool,
    },
    Text,
}

/// What has come of a line that may be a path or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// Whitespace and signs, so many backticks among them.
    Lead(usize),
    Fence,
    Word,
    /// Inside backticks.
    Quoted,
    /// After the path.
    Tail,
    /// It is neither.
    Other,
}

impl Body {
    fn next(self, c: char) -> Self {
        let sign = matches!(c, '#' | '*') || c.is_whitespace();
        match self {
            Self::Lead(2) if c == '`' => Self::Fence,
            Self::Lead(ticks) if c == '`' => Self::Lead(ticks + 1),
            Self::Lead(ticks) if sign => Self::Lead(ticks),
            Self::Lead(0) => Self::Word,
            Self::Lead(_) => Self::Quoted,
            Self::Word if c.is_whitespace() => Self::Tail,
            Self::Quoted if c == '`' => Self::Tail,
            Self::Tail if sign || matches!(c, '`' | ':') => Self::Tail,
            Self::Tail => Self::Other,
            body => body,
        }
    }
}

/// Reads a line, one character at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineScan {
    bytes: usize,
    /// How much of the line that opens a block has come, where it may be that one.
    marker: Option<usize>,
    body: Body,
}

impl Default for LineScan {
    fn default() -> Self {
        Self { bytes: 0, marker: Some(0), body: Body::Lead(0) }
    }
}

impl LineScan {
    /// Takes a character; false where the line is text, however it goes on.
    pub(super) fn feed(&mut self, c: char) -> bool {
        self.bytes += c.len_utf8();
        self.marker = self.marker.and_then(|at| match SEARCH.get(at..) {
            Some("") => c.is_whitespace().then_some(at),
            Some(rest) => rest.starts_with(c).then_some(at + c.len_utf8()),
            None => None,
        });
        self.body = self.body.next(c);
        (self.marker.is_some() || self.body != Body::Other) && self.bytes <= MAX_LINE
    }

    /// Whether a line break would make it the line that opens a block.
    pub(super) fn is_marker(&self) -> bool {
        self.marker == Some(SEARCH.len())
    }

    /// What the line is, now that it is whole.
    pub(super) fn line(&self, text: &str) -> Line {
        if self.is_marker() {
            return Line::Marker;
        }
        if self.body == Body::Fence {
            let info = text.trim().trim_start_matches(['#', '*']).trim_start_matches('`');
            return match text.trim().starts_with(FENCE) && !info.contains('`') {
                true => Line::Front { front: Front::Fence, closes: info.is_empty() },
                false => Line::Text,
            };
        }
        match path_of(text) {
            Some(_) => Line::Front { front: Front::Path, closes: false },
            None => Line::Text,
        }
    }
}

/// The path on a line, without the signs around it. Whitespace stands in it only in backticks.
pub(super) fn path_of(line: &str) -> Option<&str> {
    let sign = |c: char| c.is_whitespace() || matches!(c, '#' | '*');
    let inner = line.trim_start_matches(sign);
    let inner = inner.trim_end_matches(|c| sign(c) || c == ':');
    let path = inner.trim_matches('`');
    let quoted = inner.starts_with('`') && inner.ends_with('`');
    let path = path.trim_matches(sign).trim_end_matches(':');
    let fits = |c: char| !c.is_control() && c != '`' && (quoted || !c.is_whitespace());
    let named = path.chars().any(char::is_alphanumeric);
    (named && path.chars().all(fits) && !inner.starts_with(FENCE)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Line = Line::Front { front: Front::Path, closes: false };

    fn fence(closes: bool) -> Line {
        Line::Front { front: Front::Fence, closes }
    }

    fn line(text: &str) -> Line {
        let mut scan = LineScan::default();
        if text.chars().all(|c| scan.feed(c)) { scan.line(text) } else { Line::Text }
    }

    #[test]
    fn paths_with_signs_around_them() {
        for text in
            ["a/b.rs", "a/b.rs:", "### a/b.rs", "`a/b.rs`", "**`a/b.rs`**:", "  **a/b.rs:** "]
        {
            assert_eq!((path_of(text), line(text)), (Some("a/b.rs"), PATH), "{text}");
        }
        assert_eq!((path_of("`a b.rs`:"), line("`a b.rs`:")), (Some("a b.rs"), PATH));
    }

    #[test]
    fn other_lines() {
        for text in ["", "  ", "...", "Here is a file:", "`a` and `b`", "a b.rs", "``` `a", "---"] {
            assert_eq!(line(text), Line::Text, "{text}");
        }
        assert_eq!(line("```"), fence(true));
        assert_eq!(line("  ````rust title.rs"), fence(false));
        assert_eq!(line("<<<<<<< SEARCH \r"), Line::Marker);
        for text in ["<<<<<<<< SEARCH", " <<<<<<< SEARCH", "<<<<<<< SEARCH it", "<<<<<< SEARCH"] {
            assert_eq!(line(text), Line::Text, "{text}");
        }
    }
}
