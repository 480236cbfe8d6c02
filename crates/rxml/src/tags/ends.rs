//! Where comments, sections and instructions may end, for whoever asks.
//!
//! Kept from the first `<!` or `<?` on. A beginning without an end is found to have none by asking
//! here, however often and from however many levels that is done.

use std::collections::VecDeque;

/// What ends markup that is no tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Comment,
    Section,
    Instruction,
}

impl Mark {
    const ALL: [Self; 3] = [Self::Comment, Self::Section, Self::Instruction];

    /// The text, which ends in `>`.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Comment => "-->",
            Self::Section => super::CDATA_END,
            Self::Instruction => "?>",
        }
    }
}

/// The offsets behind the marks, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    places: [VecDeque<usize>; 3],
    /// Marks that end at this offset or before it have been taken in.
    known: usize,
}

impl Ends {
    /// Takes in what ends in the `>` before an offset; `before` are the bytes up to there.
    pub(super) fn note(&mut self, offset: usize, before: &[u8]) {
        if offset <= self.known {
            return;
        }
        self.known = offset;
        for (places, mark) in self.places.iter_mut().zip(Mark::ALL) {
            if before.ends_with(mark.text().as_bytes()) {
                places.push_back(offset);
            }
        }
    }

    /// Offset behind the first mark that begins at an offset or behind it.
    pub(super) fn behind(&self, mark: Mark, from: usize) -> Option<usize> {
        let places = self.places.get(mark as usize)?;
        let at = places.partition_point(|place| *place < from + mark.text().len());
        places.get(at).copied()
    }

    pub(super) fn forget(&mut self, before: usize) {
        for places in &mut self.places {
            while places.front().is_some_and(|place| *place < before) {
                places.pop_front();
            }
        }
    }
}
