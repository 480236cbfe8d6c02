//! Which names are open around the frame on top, at a cost that does not grow with the depth.
//!
//! A shallow stack is walked. The names of a deep one are kept in an index, which is made when it is
//! first asked and takes in each frame once.

use std::collections::BTreeMap;

use super::Machine;
use super::frame::Frame;

/// Frames that are walked rather than looked up.
const SHALLOW: usize = 8;

/// The places of the frames of each name, as far as they have been asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    places: BTreeMap<Box<str>, Vec<usize>>,
    /// So many frames from the bottom have been taken in.
    known: usize,
}

impl Around {
    fn learn(&mut self, stack: &[Frame]) {
        for (place, frame) in stack.iter().enumerate().skip(self.known) {
            let name = frame.name();
            if let Some(places) = self.places.get_mut(name) {
                places.push(place);
            } else if !name.is_empty() {
                self.places.insert(name.into(), vec![place]);
            }
        }
        self.known = stack.len();
    }

    /// A frame has left the stack.
    pub(super) fn leave(&mut self, place: usize, frame: &Frame) {
        if place >= self.known {
            return;
        }
        self.known = place;
        let name = frame.name();
        if let Some(places) = self.places.get_mut(name) {
            places.pop();
            if places.is_empty() {
                self.places.remove(name);
            }
        }
    }

    /// The innermost frame of a name below a place.
    fn below(&self, top: usize, name: &str) -> Option<usize> {
        self.places.get(name)?.iter().rev().copied().find(|place| *place < top)
    }
}

impl Machine {
    /// Has to come before [`is_ancestor`](Self::is_ancestor), where frames have been added.
    pub(super) fn look_around(&mut self) {
        if self.stack.len() > SHALLOW {
            self.around.learn(&self.stack);
        }
    }

    /// Whether an element around the one on top, in the same stretch of content, has the name.
    pub(super) fn is_ancestor(&self, name: &str) -> bool {
        let top = self.stack.len().saturating_sub(1);
        if top < SHALLOW {
            return self.ancestors().any(|ancestor| ancestor == name);
        }
        let place = self.around.below(top, name);
        place.is_some_and(|place| self.limits.last().is_none_or(|limit| place > *limit))
    }

    /// The names of the elements around the one on top, in the same stretch of content.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = &str> {
        let top = self.stack.len().saturating_sub(1);
        let from = self.limits.last().map_or(0, |limit| limit + 1).min(top);
        self.stack.get(from..top).unwrap_or_default().iter().rev().map(Frame::name)
    }
}
