//! Text that was taken for lookahead and is read before the input.

/// The text, with what the current call has read of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread {
    text: String,
    at: usize,
    /// Where `at` stood when the current call began.
    since: usize,
}

impl Unread {
    /// A call begins.
    pub(super) fn begin(&mut self) {
        if self.at == self.text.len() {
            self.clear();
        } else if self.at > self.text.len() / 2 {
            self.text.drain(..self.at);
            self.at = 0;
        }
        self.since = self.at;
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        (self.at, self.since) = (0, 0);
    }

    /// What waits.
    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.text.len()
    }

    /// What the current call has read.
    pub(super) fn replayed(&self) -> &str {
        self.text.get(self.since..self.at).unwrap_or_default()
    }

    /// Takes what is left of the input.
    pub(super) fn take(&mut self, input: &mut &str) {
        self.text.push_str(input);
        *input = "";
    }

    /// The next character of this text and the input.
    pub(super) fn peek(&self, input: &str) -> Option<char> {
        let rest = if self.is_empty() { input } else { self.rest() };
        rest.chars().next()
    }

    /// Moves past the first bytes, all of which are in this text or in the input.
    pub(super) fn advance(&mut self, bytes: usize, input: &mut &str) {
        if self.is_empty() {
            *input = input.get(bytes..).unwrap_or_default();
        } else {
            self.at = self.text.len().min(self.at + bytes);
        }
    }

    /// This text and the input without the first bytes.
    pub(super) fn after<'a>(&'a self, bytes: usize, input: &'a str) -> [&'a str; 2] {
        let rest = self.rest();
        let further = input.get(bytes.saturating_sub(rest.len())..).unwrap_or_default();
        [rest.get(bytes..).unwrap_or_default(), further]
    }
}
