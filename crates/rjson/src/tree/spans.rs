//! Where the keys of the open objects stand: the first few in place, so that small calls need no
//! heap for them.

use alloc::vec::Vec;

/// Those in place.
const NEAR: usize = 8;
/// Those there is room for at once after them.
const FAR: usize = 16;

type Span = (u64, u64);

#[derive(Debug, Clone, Default)]
pub(super) struct Spans {
    near: [Span; NEAR],
    far: Vec<Span>,
    count: usize,
}

impl Spans {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(super) fn push(&mut self, span: Span) {
        match self.near.get_mut(self.count) {
            Some(place) => *place = span,
            None => self.push_far(span),
        }
        self.count += 1;
    }

    fn push_far(&mut self, span: Span) {
        if self.far.is_empty() {
            self.far.reserve(FAR);
        }
        self.far.push(span);
    }

    #[inline]
    pub(super) fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.far.truncate(self.count.saturating_sub(NEAR));
    }

    pub(super) fn get(&self, place: usize) -> Option<Span> {
        let known = place < self.count;
        let far = || self.far.get(place.checked_sub(NEAR)?);
        self.near.get(place).or_else(far).copied().filter(|_| known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_back_where_they_were_put() {
        let mut spans = Spans::default();
        for round in 0..3_u64 {
            for place in 0..100_u64 {
                spans.push((place, round));
            }
            assert_eq!((spans.len(), spans.get(100)), (100, None));
            for place in 0..100_u64 {
                assert_eq!(spans.get(place as usize), Some((place, round)));
            }
            spans.truncate(9);
            assert_eq!((spans.get(8), spans.get(9)), (Some((8, round)), None));
            spans.truncate(3);
            spans.truncate(50);
            assert_eq!((spans.len(), spans.get(2), spans.get(3)), (3, Some((2, round)), None));
            spans.truncate(0);
        }
    }
}
