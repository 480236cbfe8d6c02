//! What YAML leaves out of a value and a model may have meant: anchors, tags, comments, and the text of
//! a block without an indent.
//!
//! A text that vanishes so would be another one than was written. Where only one reading makes sense the
//! value is taken as it stands (`&quot;x&quot;`, `!important`, a block); where two do (a comment after a
//! text, or in its place) the call is none.

use saphyr_parser::{Marker, ScalarStyle, Span};
use toolweir_schema_coerce::Node;

use super::{Builder, Trouble, WHITESPACE, takes_text, unreadable};
use crate::diagnostics::UNREADABLE_CALL;
use crate::engine::{Fault, Result, is_whitespace};

/// Whether a plain scalar is what is left of a quoted one: a key with a quote, or a value that ends with
/// a quote which none opens, other than that of inches, or that begins with a colon and a quote.
pub(super) fn has_stray_quote(text: &str, is_value: bool) -> bool {
    let Some(before) = text.strip_suffix('"').filter(|_| is_value) else {
        return !is_value && text.contains('"');
    };
    let odd = before.matches('"').count() % 2 == 0;
    let after_colon = text.strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('"'));
    after_colon || odd && !before.ends_with(|c: char| c.is_ascii_digit())
}

/// Of a line so much is looked at: values stand near its beginning.
const NEAR: usize = 4096;

/// The text that is read.
pub(super) struct Source<'t> {
    text: &'t str,
    /// Where its lines begin, once that is asked for.
    lines: Vec<usize>,
    /// What comments and anchors would be is in it.
    comments: bool,
    aliases: bool,
    /// The line of the last key, and its indent.
    key: (usize, usize),
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let (comments, aliases) = (text.contains('#'), text.contains('*'));
        Self { text, lines: Vec::new(), comments, aliases, key: (0, 0) }
    }

    /// A key stands there.
    pub(super) fn key(&mut self, span: Span) {
        self.key = (span.end.line(), span.start.col());
    }

    /// Judges a scalar that is a value. `marks`: it has an anchor, and a tag that YAML does not know.
    pub(super) fn check(
        &mut self,
        node: Option<Node<'_>>,
        value: &str,
        style: ScalarStyle,
        (anchor, tag): (bool, bool),
        span: Span,
        builder: &Builder<'_, '_>,
    ) -> Result<(), Trouble> {
        if anchor && !self.aliases || tag {
            return Err(unreadable("an anchor that nothing refers to, or a tag"));
        }
        let text = node.is_none_or(takes_text);
        match style {
            ScalarStyle::Plain if self.comments && text => self.comment(value, span),
            ScalarStyle::Literal | ScalarStyle::Folded if value.trim().is_empty() => {
                self.block(builder)
            }
            _ => Ok(()),
        }
    }

    /// A mapping or list where a text is due only looks like one.
    pub(super) fn check_open(node: Option<Node<'_>>) -> Result<(), Trouble> {
        match node.is_some_and(Node::is_string_only) {
            true => Err(unreadable("a list or mapping where a text is due")),
            false => Ok(()),
        }
    }

    /// A text with a comment after it, or in its place.
    fn comment(&mut self, value: &str, span: Span) -> Result<(), Trouble> {
        let end = if value.is_empty() { span.start } else { span.end };
        let Some(rest) = self.after(end) else { return Ok(()) };
        let mut lines = rest.split('\n');
        let line = lines.next().unwrap_or_default();
        let line = line.trim_start_matches(':').trim_matches(is_whitespace);
        // On a line of its own it may be one that the text goes on with.
        let mut next = || lines.find(|line| !line.trim().is_empty()).unwrap_or_default();
        let goes_on = |line: &str| {
            let text = line.trim_start_matches(WHITESPACE);
            text.starts_with('#') && line.len() - text.len() > self.key.1
        };
        if line.starts_with('#') || line.is_empty() && !value.is_empty() && goes_on(next()) {
            let message = "what stands after a `#` may be a comment or part of a text";
            return Err(Fault::new(UNREADABLE_CALL, message).into());
        }
        Ok(())
    }

    /// A block without text: that may follow, indented too little.
    fn block(&mut self, builder: &Builder<'_, '_>) -> Result<(), Trouble> {
        let Some(rest) = self.after(Marker::new(0, self.key.0, 0)) else { return Ok(()) };
        let mut lines = rest.split('\n').skip(1);
        let Some(line) = lines.find(|line| !line.trim().is_empty()) else { return Ok(()) };
        let key = line.split_once(':').map_or("", |(key, _)| key.trim());
        match builder.declares(key.trim_matches(['"', '\''])) {
            true => Ok(()),
            false => Err(unreadable("a block without an indent")),
        }
    }

    /// What stands from a place on.
    fn after(&mut self, marker: Marker) -> Option<&'t str> {
        if self.lines.is_empty() {
            // YAML counts a lone CR as a line break, too.
            if self.text.replace("\r\n", "\n").contains('\r') {
                self.comments = false;
                return None;
            }
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            self.lines = std::iter::once(0).chain(breaks).collect();
        }
        let rest = self.text.get(*self.lines.get(marker.line().checked_sub(1)?)?..)?;
        if marker.col() > NEAR {
            return None;
        }
        let (at, _) = rest.char_indices().nth(marker.col()).unwrap_or((rest.len(), ' '));
        rest.get(at..)
    }
}
