//! A damaged payload is rare, and short ones often come whole: strict JSON with its end marker.
//!
//! Of strict JSON repair mode makes what strict mode makes, so such a payload is looked through once
//! and then read by the strict machine, which has no doubts to keep track of. Anything else is left to
//! repair mode: a payload that has not come whole, that holds a marker or an escape of half a character, or
//! that is long. What is looked through in vain lies before the first marker (C12).

use toolweir_markers::{Piece, Scanner};
use toolweir_rjson::{Machine, Mode};

use crate::engine::{FloorBoundary, is_blank};
use crate::limits::Limits;
use crate::program::Json;

/// Bytes of a short payload, end marker included.
const SHORT: usize = 2 << 10;

/// The strict machine.
#[derive(Debug)]
pub(super) struct Whole {
    machine: Machine,
    scanner: Scanner,
    /// Bytes that are looked through: within them no limit on what waits is reached.
    most: usize,
}

impl Whole {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            machine: Machine::new(limits.json(Mode::Strict)),
            scanner: Scanner::new(),
            most: SHORT.min(limits.max_held_bytes),
        }
    }

    /// The machine, ready to read what `input` begins with, where that is a whole payload at the offset `at`.
    pub(super) fn machine(&mut self, input: &str, at: u64, spec: &Json) -> Option<&mut Machine> {
        let short = input.get(..input.floor_char_boundary_up_to(self.most))?;
        let payload = short.get(..self.before_closer(short, spec)?)?;
        let is_whole = !payload.contains("\\u") && self.is_object(payload);
        self.machine.reset(at);
        is_whole.then_some(&mut self.machine)
    }

    /// Bytes before the first marker, if a payload may stand there and the marker closes it.
    fn before_closer(&mut self, input: &str, spec: &Json) -> Option<usize> {
        if !input.starts_with('{') {
            return None;
        }
        self.scanner.reset();
        let (mut rest, mut length) = (input, 0);
        while let Some(piece) = self.scanner.next(&spec.between.set, &mut rest) {
            match piece {
                Piece::Text(text) => length += text.len(),
                Piece::Marker(id) => return spec.between.role(id).closes().then_some(length),
            }
        }
        None
    }

    /// Whether a text is one object in strict JSON, and blanks.
    fn is_object(&mut self, payload: &str) -> bool {
        self.machine.reset(0);
        let mut rest = payload;
        while matches!(self.machine.next(&mut rest), Ok(Some(_))) {}
        self.machine.is_done() && rest.chars().all(is_blank)
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.machine.examined() + self.scanner.examined()
    }
}
