//! The open containers: one stack for every mode.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Object,
    Array,
    /// Brackets around one value, which count for nothing (repair only).
    Group,
}

/// An open container; small, as a deep text has many of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// Its members so far, or in repair mode its entries.
    pub(crate) count: u32,
    /// The nearest one around it that the same bracket closes.
    outer: u32,
    pub(crate) shape: Shape,
    /// What closes it.
    closing: u8,
    /// An object without its opening bracket.
    pub(crate) implied: bool,
    /// Opened by two brackets, which count once.
    pub(crate) doubled: bool,
    /// A key of it has no quotes.
    pub(crate) unquoted: bool,
}

/// No container.
const NONE: u32 = u32::MAX;

impl Frame {
    pub(crate) const fn new(shape: Shape, closing: char) -> Self {
        let (implied, doubled, unquoted) = (false, false, false);
        let closing = closing as u8;
        Self { count: 0, outer: NONE, shape, closing, implied, doubled, unquoted }
    }

    pub(crate) const fn object() -> Self {
        Self::new(Shape::Object, '}')
    }

    pub(crate) const fn array() -> Self {
        Self::new(Shape::Array, ']')
    }

    /// An object without its opening bracket.
    pub(crate) const fn implied() -> Self {
        Self { implied: true, ..Self::object() }
    }

    /// The bracket that closes it.
    pub(crate) const fn closing(&self) -> char {
        self.closing as char
    }

    /// Counts one more member, unless there are `max` of them.
    #[inline]
    pub(crate) fn count_key(&mut self, max: usize) -> bool {
        let more = (self.count as usize) < max;
        self.count = self.count.saturating_add(u32::from(more));
        more
    }
}

/// The open containers, the innermost last. Which one a closing bracket matches is known without
/// looking through them.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    all: Vec<Frame>,
    /// For each closing bracket, the innermost container that it closes.
    innermost: [u32; 3],
}

impl Default for Frames {
    fn default() -> Self {
        Self { all: Vec::new(), innermost: [NONE; 3] }
    }
}

#[inline]
const fn slot(closing: u8) -> usize {
    match closing {
        b'}' => 0,
        b']' => 1,
        _ => 2,
    }
}

impl Frames {
    #[inline]
    pub(crate) fn push(&mut self, frame: Frame) {
        let place = self.all.len() as u32;
        let last = self.innermost.get_mut(slot(frame.closing));
        let outer = last.map_or(NONE, |last| core::mem::replace(last, place));
        self.all.push(Frame { outer, ..frame });
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let frame = self.all.pop()?;
        if let Some(last) = self.innermost.get_mut(slot(frame.closing)) {
            *last = frame.outer;
        }
        Some(frame)
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.innermost = [NONE; 3];
    }

    /// Whether the innermost container is an object.
    #[inline]
    pub(crate) fn in_object(&self) -> bool {
        self.last().is_some_and(|frame| frame.shape == Shape::Object)
    }

    /// Whether the innermost container is an array.
    #[inline]
    pub(crate) fn in_array(&self) -> bool {
        self.last().is_some_and(|frame| frame.shape == Shape::Array)
    }

    /// The innermost container that this bracket closes.
    pub(crate) fn matching(&self, closing: char) -> Option<usize> {
        let place = *self.innermost.get(slot(closing as u8))?;
        (place != NONE).then_some(place as usize)
    }
}

impl Deref for Frames {
    type Target = [Frame];

    #[inline]
    fn deref(&self) -> &[Frame] {
        &self.all
    }
}

impl DerefMut for Frames {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Frame] {
        &mut self.all
    }
}
