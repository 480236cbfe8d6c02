//! The open containers.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    /// Brackets around one value, which count for nothing.
    Group,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) shape: Shape,
    /// What closes it.
    pub(super) closer: char,
    /// An object without its opening bracket.
    pub(super) implied: bool,
    /// Opened by two brackets, which count once.
    pub(super) doubled: bool,
    /// A key of it has no quotes.
    pub(super) bare: bool,
    /// Its members or entries so far.
    pub(super) count: usize,
    /// The nearest one around it that the same bracket closes.
    outer: Option<usize>,
}

impl Frame {
    pub(super) const fn new(shape: Shape, closer: char) -> Self {
        let (implied, doubled, bare) = (false, false, false);
        Self { shape, closer, implied, doubled, bare, count: 0, outer: None }
    }

    /// An object without its opening bracket.
    pub(super) const fn implied() -> Self {
        Self { implied: true, ..Self::new(Shape::Object, '}') }
    }
}

/// The open containers, the innermost last. Which one a closing bracket suits is known without
/// looking through them.
#[derive(Debug, Clone, Default)]
pub(super) struct Frames {
    all: Vec<Frame>,
    /// For each closing bracket, the innermost container that it closes.
    innermost: [Option<usize>; 3],
}

fn slot(closer: char) -> usize {
    match closer {
        '}' => 0,
        ']' => 1,
        _ => 2,
    }
}

impl Frames {
    pub(super) fn push(&mut self, frame: Frame) {
        let place = self.all.len();
        let outer = self.innermost.get_mut(slot(frame.closer)).and_then(|last| last.replace(place));
        self.all.push(Frame { outer, ..frame });
    }

    pub(super) fn pop(&mut self) -> Option<Frame> {
        let frame = self.all.pop()?;
        if let Some(last) = self.innermost.get_mut(slot(frame.closer)) {
            *last = frame.outer;
        }
        Some(frame)
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.innermost = [None; 3];
    }

    /// The innermost container that this bracket closes.
    pub(super) fn suited(&self, closer: char) -> Option<usize> {
        *self.innermost.get(slot(closer))?
    }
}

impl Deref for Frames {
    type Target = [Frame];

    fn deref(&self) -> &[Frame] {
        &self.all
    }
}

impl DerefMut for Frames {
    fn deref_mut(&mut self) -> &mut [Frame] {
        &mut self.all
    }
}
