//! Delimits a YAML body: up to the closing tag of its tool, opening tags of its own name counted.
//!
//! A body has no end of its own, so it is held up to its closing tag, each byte looked at once, and
//! read then. Without that tag it is cut, whatever it holds.

/// Follows a body piece by piece.
#[derive(Debug)]
pub(super) struct YamlBody {
    open: String,
    close: String,
    /// Opening tags of its own name that are not closed.
    depth: usize,
}

impl YamlBody {
    pub(super) fn new(name: &str) -> Self {
        Self { open: format!("<{name}>"), close: format!("</{name}>"), depth: 0 }
    }

    /// Looks at a body that has just grown by a piece with a `>` at its end; its length without the
    /// closing tag, where that was it.
    pub(super) fn closed(&mut self, body: &str) -> Option<usize> {
        if body.ends_with(&self.open) {
            self.depth += 1;
            return None;
        }
        let inside = body.strip_suffix(self.close.as_str())?;
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                None
            }
            None => Some(inside.len()),
        }
    }
}
