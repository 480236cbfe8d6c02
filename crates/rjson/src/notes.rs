//! Diagnostics that are collected: bounded, whatever the text.

use alloc::vec::Vec;

use crate::error::Diagnostic;
use crate::options::Options;

/// A list of diagnostics. Beyond its limit one more says where the others are.
#[derive(Debug, Clone)]
pub(crate) struct Notes {
    list: Vec<Diagnostic>,
    most: usize,
}

impl Notes {
    pub(crate) const fn new(options: &Options) -> Self {
        Self { list: Vec::new(), most: options.max_diagnostics }
    }

    pub(crate) fn push(&mut self, note: Diagnostic) {
        if self.list.len() < self.most {
            return self.list.push(note);
        }
        if self.list.len() == self.most {
            return self.list.push(Diagnostic::more_diagnostics(note.start, note.end));
        }
        if let Some(last) = self.list.last_mut() {
            *last =
                Diagnostic::more_diagnostics(last.start.min(note.start), last.end.max(note.end));
        }
    }

    pub(crate) fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        core::mem::take(&mut self.list)
    }
}
