//! Ways to cut a text into chunks.
//!
//! Laws: every cut lies on a char boundary, the chunks of a split join to the text, and the same
//! seed gives the same cuts on every machine. No chunk is empty, save the one of an empty text.

use std::fmt;

/// A small generator of pseudo-random numbers (xorshift64*), so that a failing seed can be named.
///
/// ```
/// use toolweir_testkit::split::Rng;
/// let mut rng = Rng::new(7);
/// assert!(rng.below(10) < 10);
/// assert_eq!(Rng::new(7).next_u64(), Rng::new(7).next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with that seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        // One round of splitmix64 spreads small seeds; zero is the one state xorshift cannot leave.
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((z ^ (z >> 31)) | 1)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next_u64() % bound).unwrap_or(0)
    }
}

/// Every byte position at which `text` can be cut in two: the char boundaries inside it.
pub fn cuts(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.char_indices().map(|(at, _)| at).skip(1)
}

/// One way to cut a text.
///
/// ```
/// use toolweir_testkit::Split;
/// assert_eq!(Split::at([3]).chunks("abcdef").collect::<Vec<_>>(), ["abc", "def"]);
/// assert_eq!(Split::chars("aé").chunks("aé").collect::<Vec<_>>(), ["a", "é"]);
/// assert_eq!(Split::at([3]).to_string(), "split at 3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    name: Name,
    cuts: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Whole,
    At,
    Chars,
    Own,
    Random(u64),
}

impl Split {
    /// The text in one piece.
    #[must_use]
    pub const fn whole() -> Self {
        Self { name: Name::Whole, cuts: Vec::new() }
    }

    /// Cut at these byte positions, in rising order.
    pub fn at(cuts: impl IntoIterator<Item = usize>) -> Self {
        Self { name: Name::At, cuts: cuts.into_iter().collect() }
    }

    /// One character a chunk.
    #[must_use]
    pub fn chars(text: &str) -> Self {
        Self { name: Name::Chars, cuts: cuts(text).collect() }
    }

    /// Chunks as their source had them.
    pub fn own<'c>(chunks: impl IntoIterator<Item = &'c str>) -> Self {
        let mut end = 0;
        let ends = chunks.into_iter().map(|chunk| {
            end += chunk.len();
            end
        });
        Self { name: Name::Own, cuts: ends.collect() }
    }

    /// Chunks of random length. The seed also draws how long they are: between 1 and 64 characters.
    #[must_use]
    pub fn random(text: &str, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let longest = 1 << rng.below(7);
        let mut left = 1 + rng.below(longest);
        let mut chosen = Vec::new();
        for at in cuts(text) {
            left -= 1;
            if left == 0 {
                chosen.push(at);
                left = 1 + rng.below(longest);
            }
        }
        Self { name: Name::Random(seed), cuts: chosen }
    }

    /// Whether these are the chunks of the text's source.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.name == Name::Own
    }

    /// The chunks, in order. Positions that do not fit the text are passed over.
    pub fn chunks<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut at = 0;
        let ends = self.cuts.clone().into_iter().chain([text.len()]);
        let mut first = true;
        ends.filter_map(move |end| {
            let chunk = text.get(at..end)?;
            let blank = chunk.is_empty() && (end < text.len() || !first);
            if blank {
                return None;
            }
            (at, first) = (end, false);
            Some(chunk)
        })
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Name::Whole => f.write_str("whole"),
            Name::Chars => f.write_str("character by character"),
            Name::Own => f.write_str("own chunks"),
            Name::Random(seed) => write!(f, "random split, seed {seed}"),
            Name::At => {
                f.write_str("split at ")?;
                for (number, cut) in self.cuts.iter().enumerate() {
                    write!(f, "{}{cut}", if number == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}

/// Which splits a text is held against.
///
/// The defaults are those of the vector files: whole, character by character, every two-way split;
/// for texts above 4,000 characters 64 seeded random splits instead of the two-way ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Splits {
    /// Texts up to this many characters are cut at every position. Default: 4,000.
    pub two_way_up_to: usize,
    /// Seeded random splits for longer texts. Default: 64.
    pub random_above: usize,
    /// Seeded random splits for shorter texts, beside the two-way ones. Default: 0.
    pub random_below: usize,
    /// Texts up to this many bytes are also cut at every pair of positions. Default: 0.
    pub pairs_up_to: usize,
}

impl Default for Splits {
    fn default() -> Self {
        Self { two_way_up_to: 4_000, random_above: 64, random_below: 0, pairs_up_to: 0 }
    }
}

impl Splits {
    /// The splits a fixture is held against: those of the vector files, 16 random ones, and every
    /// pair of positions for texts up to 256 bytes.
    #[must_use]
    pub const fn thorough() -> Self {
        Self { two_way_up_to: 4_000, random_above: 64, random_below: 16, pairs_up_to: 256 }
    }

    /// Few splits, for properties that run on many inputs: character by character and `random`
    /// seeded ones.
    #[must_use]
    pub const fn few(random: usize) -> Self {
        Self { two_way_up_to: 0, random_above: random, random_below: 0, pairs_up_to: 0 }
    }

    /// The splits of `text`; the whole comes first.
    pub fn of<'t>(&self, text: &'t str) -> impl Iterator<Item = Split> + 't {
        let short = text.chars().nth(self.two_way_up_to).is_none();
        let random = if short { self.random_below } else { self.random_above };
        let paired = text.len() <= self.pairs_up_to;
        let two_way = cuts(text).take_while(move |_| short).map(|at| Split::at([at]));
        let pairs = cuts(text).take_while(move |_| paired).flat_map(move |first| {
            cuts(text).skip_while(move |at| *at <= first).map(move |second| [first, second])
        });
        [Split::whole(), Split::chars(text)]
            .into_iter()
            .chain(two_way)
            .chain((0..random).map(|seed| Split::random(text, u64::try_from(seed).unwrap_or(0))))
            .chain(pairs.map(Split::at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_every_split_join_to_the_text() {
        for text in ["", "a", "a<b>é😀\r\n", "plain ascii text of some length"] {
            for split in Splits::thorough().of(text) {
                let chunks: Vec<_> = split.chunks(text).collect();
                assert_eq!(chunks.concat(), text, "{split}");
                assert!(text.is_empty() || chunks.iter().all(|c| !c.is_empty()), "{split}");
            }
        }
    }

    #[test]
    fn number_of_splits_is_what_the_bounds_say() {
        let text = "abcde";
        assert_eq!(Splits::default().of(text).count(), 2 + 4);
        assert_eq!(Splits::thorough().of(text).count(), 2 + 4 + 16 + 6);
        assert_eq!(Splits::few(3).of(text).count(), 2 + 3);
        let long = "x".repeat(4_001);
        assert_eq!(Splits::default().of(&long).count(), 2 + 64);
    }

    #[test]
    fn cuts_lie_on_char_boundaries() {
        assert_eq!(cuts("aé😀b").collect::<Vec<_>>(), [1, 3, 7]);
        assert_eq!(cuts("").count(), 0);
        assert_eq!(cuts("x").count(), 0);
    }

    #[test]
    fn own_chunks_come_back_and_empty_ones_are_passed_over() {
        let split = Split::own(["ab", "", "c"]);
        assert_eq!(split.chunks("abc").collect::<Vec<_>>(), ["ab", "c"]);
        assert_eq!(Split::whole().chunks("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn same_seed_gives_the_same_split() {
        let text = "x".repeat(500);
        assert_eq!(Split::random(&text, 5), Split::random(&text, 5));
        assert_ne!(Split::random(&text, 5), Split::random(&text, 6));
    }
}
