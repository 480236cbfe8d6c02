//! A damaged payload is rare, and short ones often come whole: strict JSON with its end marker.
//!
//! Of strict JSON repair mode makes what strict mode makes, so such a payload is looked through once
//! and then read by the strict machine, which has no doubts to keep track of. Anything else is left to
//! repair mode: a payload that has not come whole, one with a text in it that a marker may begin with, or
//! with an escape that names half a character.

use toolweir_markers::Anchored;
use toolweir_rjson::{Machine, Mode};

use crate::engine::is_blank;
use crate::limits::Limits;
use crate::program::Json;

/// The strict machine.
#[derive(Debug)]
pub(super) struct Whole {
    machine: Machine,
}

impl Whole {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { machine: Machine::new(limits.json(Mode::Strict)) }
    }

    /// The machine, ready to read what `input` begins with, where that is a whole payload at the offset `at`.
    pub(super) fn machine(&mut self, input: &str, at: u64, spec: &Json) -> Option<&mut Machine> {
        let length = self.length(input)?;
        let (payload, behind) = input.split_at_checked(length)?;
        let behind = behind.trim_start_matches(is_blank);
        let ends = match spec.between.set.match_at(behind) {
            Anchored::Marker { id, may_grow: false, .. } => spec.between.role(id).closes(),
            _ => false,
        };
        if !ends || spec.between.set.may_begin_in(payload) || payload.contains("\\u") {
            return None;
        }
        self.machine.reset(at);
        Some(&mut self.machine)
    }

    /// The length of the object that `input` begins with, if it has come whole.
    fn length(&mut self, input: &str) -> Option<usize> {
        if !input.starts_with('{') {
            return None;
        }
        self.machine.reset(0);
        let mut rest = input;
        while self.machine.next(&mut rest).ok()?.is_some() {}
        self.machine.is_done().then(|| input.len() - rest.len())
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.machine.examined()
    }
}
