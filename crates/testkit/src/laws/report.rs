//! What a check found.

use std::fmt;

use toolweir_segments::escape_terminal;

use crate::split::Split;

/// One broken law.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The law, `C3` for example; `request` when the protocol refused the request.
    pub law: &'static str,
    /// The split under which it broke.
    pub split: Split,
    /// What was found; may have several lines.
    pub message: String,
}

/// The laws that a text broke. Displays as a readable report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    protocol: String,
    text: String,
    failures: Vec<Failure>,
}

/// How much of the input a report shows, in characters.
const SHOWN: usize = 400;

impl Report {
    pub(super) fn new(protocol: &str, text: &str) -> Self {
        Self { protocol: protocol.to_owned(), text: text.to_owned(), failures: Vec::new() }
    }

    pub(super) fn add(&mut self, law: &'static str, split: &Split, message: impl Into<String>) {
        self.failures.push(Failure { law, split: split.clone(), message: message.into() });
    }

    /// The failures, in the order found.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Whether one of the failures is of that law.
    #[must_use]
    pub fn breaks(&self, law: &str) -> bool {
        self.failures.iter().any(|failure| failure.law == law)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.failures.len()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "protocol {} breaks {} law(s)", self.protocol, self.failures.len())?;
        for failure in &self.failures {
            writeln!(f, "{} ({}): {}", failure.law, failure.split, failure.message)?;
        }
        let shown: String = self.text.chars().take(SHOWN).collect();
        let cut = if shown.len() < self.text.len() { " …" } else { "" };
        writeln!(f, "input, {} bytes:\n{}{cut}", self.text.len(), escape_terminal(&shown))
    }
}

impl std::error::Error for Report {}
