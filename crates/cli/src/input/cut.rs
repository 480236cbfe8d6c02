//! Cutting text into chunks, on character borders.
//!
//! Invariant: the chunks concatenate to the text, and for every way of cutting but `Arrival` they
//! do not depend on how the text came in.

use std::num::NonZeroUsize;
use std::str::FromStr;

use crate::failure::Failure;

/// How to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// As it arrives: pieces of a read, at most 64 KiB, or the lines of `--input chunks`.
    Arrival,
    /// Not at all.
    Whole,
    /// Every so many characters.
    Chars(NonZeroUsize),
    /// In pieces of 1 to 16 characters, drawn from that seed.
    Random(u64),
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let unknown =
            || format!("`{word}` is not whole, char, a number of characters, or random:SEED");
        match word {
            "whole" => Ok(Self::Whole),
            "char" => Ok(Self::Chars(NonZeroUsize::MIN)),
            _ => match word.strip_prefix("random:") {
                Some(seed) => seed.parse().map(Self::Random).map_err(|_| unknown()),
                None => word.parse().map(Self::Chars).map_err(|_| unknown()),
            },
        }
    }
}

/// Numbers that look random and depend on a seed alone (splitmix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    /// The sequence of that seed.
    const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number from 1 to `most`.
    fn up_to(&mut self, most: NonZeroUsize) -> NonZeroUsize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let below = mixed % most.get() as u64;
        NonZeroUsize::MIN.saturating_add(usize::try_from(below).unwrap_or(0))
    }
}

const LONGEST_RANDOM: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// Cuts text that comes in pieces.
#[derive(Debug)]
pub(crate) struct Splitter {
    cut: Cut,
    random: Random,
    /// The chunk that is not full yet.
    held: String,
    /// Characters it still lacks.
    missing: usize,
}

impl Splitter {
    /// A splitter at the start of a text.
    pub(crate) fn new(cut: Cut) -> Self {
        let random = Random::new(if let Cut::Random(seed) = cut { seed } else { 0 });
        let mut splitter = Self { cut, random, held: String::new(), missing: 0 };
        splitter.missing = splitter.size();
        splitter
    }

    /// Takes more text and hands on every chunk that is full.
    pub(crate) fn push(
        &mut self,
        text: &str,
        on: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.cut == Cut::Arrival {
            return if text.is_empty() { Ok(()) } else { on(text) };
        }
        let mut rest = text;
        while let Some((piece, count)) = first_chars(rest, self.missing) {
            rest = rest.get(piece.len()..).unwrap_or_default();
            self.missing -= count;
            if self.missing > 0 {
                self.held.push_str(piece);
            } else if self.held.is_empty() {
                on(piece)?;
            } else {
                self.held.push_str(piece);
                on(&self.held)?;
                self.held.clear();
            }
            if self.missing == 0 {
                self.missing = self.size();
            }
        }
        Ok(())
    }

    /// Hands on what is left.
    pub(crate) fn finish(
        &mut self,
        on: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.held.is_empty() { Ok(()) } else { on(&std::mem::take(&mut self.held)) }
    }

    fn size(&mut self) -> usize {
        match self.cut {
            Cut::Arrival | Cut::Whole => usize::MAX,
            Cut::Chars(count) => count.get(),
            Cut::Random(_) => self.random.up_to(LONGEST_RANDOM).get(),
        }
    }
}

/// The first characters of a text, at most `most` of them, and how many they are. `None` when there
/// are none.
fn first_chars(text: &str, most: usize) -> Option<(&str, usize)> {
    let (mut end, mut count) = (0, 0);
    for c in text.chars().take(most) {
        end += c.len_utf8();
        count += 1;
    }
    text.get(..end).filter(|piece| !piece.is_empty()).map(|piece| (piece, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunks(cut: Cut, pieces: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        let mut on = |chunk: &str| {
            out.push(chunk.to_owned());
            Ok(())
        };
        let mut splitter = Splitter::new(cut);
        for piece in pieces {
            splitter.push(piece, &mut on).unwrap();
        }
        splitter.finish(&mut on).unwrap();
        out
    }

    #[test]
    fn words_name_the_ways_of_cutting() {
        assert_eq!("whole".parse(), Ok(Cut::Whole));
        assert_eq!("char".parse(), Ok(Cut::Chars(NonZeroUsize::MIN)));
        assert_eq!("7".parse(), Ok(Cut::Chars(NonZeroUsize::new(7).unwrap())));
        assert_eq!("random:5".parse(), Ok(Cut::Random(5)));
        for wrong in ["0", "-1", "", "random:", "random:x", "words"] {
            assert!(wrong.parse::<Cut>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_count_characters() {
        let two = "2".parse().unwrap();
        assert_eq!(chunks(two, &["añ", "🎉b", "c"]), ["añ", "🎉b", "c"]);
        assert_eq!(chunks(two, &["a", "ñ🎉bc"]), ["añ", "🎉b", "c"]);
        assert_eq!(chunks(Cut::Whole, &["a", "b"]), ["ab"]);
        assert_eq!(chunks(Cut::Arrival, &["a", "", "b"]), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn chunks_join_to_the_text_and_do_not_depend_on_pieces(
            text in "[aé🎉\n ]{0,60}",
            at in 0_usize..60,
            seed in any::<u64>(),
        ) {
            let (index, _) = text.char_indices().nth(at).unwrap_or((text.len(), ' '));
            let (a, b) = text.split_at(index);
            for cut in [Cut::Whole, "3".parse().unwrap(), Cut::Random(seed)] {
                let cut_whole = chunks(cut, &[&text]);
                prop_assert_eq!(cut_whole.concat(), text.clone());
                prop_assert_eq!(cut_whole, chunks(cut, &[a, b]));
            }
        }
    }
}
