//! What can be asked of a machine at any time.

use super::structure::Expect;
use super::{Lex, Machine};
use crate::options::Options;

impl Machine {
    /// Whether the root value is complete and all its tokens have been handed out.
    #[must_use]
    pub fn is_done(&self) -> bool {
        if let Some(repair) = &self.repair {
            return repair.is_done();
        }
        self.expect == Expect::Done && self.pending.is_empty() && self.failed.is_none()
    }

    /// How many containers are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        if let Some(repair) = &self.repair {
            return repair.depth();
        }
        self.stack.len()
    }

    /// The offset of the next byte: the offset of the last reset and all bytes taken since. After an
    /// error, the offset of the byte that fits nowhere.
    #[must_use]
    pub fn offset(&self) -> u64 {
        if let Some(repair) = &self.repair {
            return repair.offset();
        }
        self.offset
    }

    /// Whether something that strict JSON does not have was read; from there on wire texts are
    /// compact instead of the source.
    #[must_use]
    pub fn deviated(&self) -> bool {
        if let Some(repair) = &self.repair {
            return repair.deviated();
        }
        self.deviated
    }

    /// Whether another reading of a value so far fits what is [expected](crate::Options::expect) as
    /// well: it was reported as `rjson::ambiguous` before the value's end.
    #[must_use]
    pub fn guessed(&self) -> bool {
        self.repair.as_ref().is_some_and(|repair| repair.guessed())
    }

    /// Whether a string value is open: its start is out, its end is not.
    #[must_use]
    pub fn in_string(&self) -> bool {
        if let Some(repair) = &self.repair {
            return repair.in_string();
        }
        matches!(self.lex, Lex::Text(_))
    }

    /// How many bytes wait inside: a number, a literal, a key, half an escape, a comma and the
    /// whitespace after it.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        if let Some(repair) = &self.repair {
            return repair.held_bytes();
        }
        let escape = if self.escape.is_open() { self.escape.text().len() } else { 0 };
        let held = match self.lex {
            Lex::Key(_) | Lex::Identifier | Lex::Number(_) => self.held.len(),
            Lex::Word(word) => word.len(),
            _ if self.comma.is_some() => 1 + self.held.len(),
            _ => 0,
        };
        held + escape
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How many times a byte has been looked at since the machine was made.
    #[cfg(feature = "meter")]
    #[must_use]
    pub fn examined(&self) -> u64 {
        if let Some(repair) = &self.repair {
            return repair.examined();
        }
        self.examined
    }
}
