//! Finds the next place where a marker can begin: the whole cost of text without markers.
//!
//! A place is one of the first bytes of all markers, followed by the end of the text or by a byte that
//! is second after that first one. The pair is what keeps `a < b` cheap where the marker is `<tool>`.
//!
//! Short chunks are the usual case of a model's stream. There the call of a vector routine costs
//! more than the bytes, and a loop over them a wrong guess of the processor, since their lengths
//! follow no pattern: up to [`SHORT`] bytes are compared as one or two numbers. Longer ones go to
//! memchr. Both hold while there are at most three distinct first bytes; more are looked up in a table
//! one by one, and up to six, where none is near, by memchr in two halves. Where the only first byte is
//! common in a text, whole blocks are searched for a pair: to begin memchr anew at every one costs more
//! than the bytes between two of them.

use memchr::{memchr, memchr2, memchr3};

/// Inputs up to this length (bytes) are compared as numbers.
const SHORT: usize = 16;

/// Whether several first bytes are searched for by memchr: WebAssembly is built for size.
const SEARCHES_SEVERAL: bool = !cfg!(target_family = "wasm");

/// Of four to six first bytes so many bytes are looked up in the table: memchr, begun twice, costs more.
const TABLE: usize = 64;
/// Bytes that are searched for one half of them, and then for the other.
const WINDOW: usize = 256;

/// Bytes that are searched for a pair at once, and the most such blocks in a row.
const BLOCK: usize = 64;
const BLOCKS: usize = 16;
/// A first byte is common where it comes within so many bytes.
const NEAR: usize = 128;

/// One in each byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The top bit of each byte of a word.
const TOPS: u64 = ONES << 7;

/// How many distinct first bytes there are, and which while they are few.
#[derive(Clone, Copy)]
enum Few {
    Zero,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many,
}

/// The first and second bytes of all markers of a set.
#[derive(Clone)]
pub(crate) struct Filter {
    few: Few,
    /// The first bytes while they are few, each in all bytes of a word; one may be there twice.
    words: [u64; 3],
    /// For each byte that begins a marker the bit of its class, else nothing. The first bytes beyond
    /// [`CLASSES`] share the last class.
    first: [u8; 256],
    /// The classes that each byte is second in.
    second: [u8; 256],
    /// The first bytes while there are four to six; one may be there twice.
    several: Option<[u8; 6]>,
    /// The only first byte and its second bytes, while they are few; one may be there twice.
    pairs: Option<(u8, [u8; 4])>,
}

/// Classes of first bytes: the bits of their sets. Few, since sets are moved on small stacks.
const CLASSES: u32 = u8::BITS;

impl Filter {
    /// A filter for markers that begin with the bytes `pairs`; without a second byte the marker
    /// ends.
    pub(crate) fn new(pairs: impl Iterator<Item = (u8, Option<u8>)>) -> Filter {
        let mut filter = Filter {
            few: Few::Zero,
            words: [0; 3],
            first: [0; 256],
            second: [0; 256],
            several: None,
            pairs: None,
        };
        let mut classes = 0;
        for (first, second) in pairs {
            if bits(&filter.first, first) == 0 {
                filter.add(first);
                set(&mut filter.first, first, 1 << classes.min(CLASSES - 1));
                classes += 1;
            }
            let class = bits(&filter.first, first);
            match second {
                Some(second) => set(&mut filter.second, second, class),
                None => filter.second.iter_mut().for_each(|classes| *classes |= class),
            }
        }
        filter.words = match filter.few {
            Few::One(a) => [a, a, a],
            Few::Two(a, b) => [a, b, b],
            Few::Three(a, b, c) => [a, b, c],
            Few::Zero | Few::Many => [0; 3],
        }
        .map(|byte| ONES * u64::from(byte));
        filter.several = filter.several();
        filter.pairs = filter.few_pairs();
        filter
    }

    fn several(&self) -> Option<[u8; 6]> {
        if !SEARCHES_SEVERAL {
            return None;
        }
        let mut firsts = (0..=u8::MAX).filter(|&byte| bits(&self.first, byte) != 0);
        let mut several = [firsts.next()?; 6];
        several.iter_mut().skip(1).zip(firsts.by_ref()).for_each(|(place, byte)| *place = byte);
        firsts.next().is_none().then_some(several)
    }

    fn few_pairs(&self) -> Option<(u8, [u8; 4])> {
        let Few::One(first) = self.few else { return None };
        let mut seconds = (0..=u8::MAX).filter(|&byte| bits(&self.second, byte) != 0);
        let one = seconds.next()?;
        let [two, three, four] = [(); 3].map(|()| seconds.next().unwrap_or(one));
        seconds.next().is_none().then_some((first, [one, two, three, four]))
    }

    fn add(&mut self, byte: u8) {
        self.few = match self.few {
            Few::Zero => Few::One(byte),
            Few::One(a) => Few::Two(a, byte),
            Few::Two(a, b) => Few::Three(a, b, byte),
            Few::Three(..) | Few::Many => Few::Many,
        };
    }

    /// Whether no marker can begin in `bytes`, as far as that is known at once: they are few, and hold no
    /// first byte.
    #[inline(always)]
    pub(crate) fn is_plain(&self, bytes: &[u8]) -> bool {
        let word = match bytes.len() {
            0 => return true,
            1..4 => three(bytes),
            4..8 => halves(bytes),
            8..=SHORT => {
                let ends = bytes.first_chunk().zip(bytes.last_chunk());
                return ends.is_some_and(|(first, last)| {
                    self.lacks(u64::from_le_bytes(*first)) && self.lacks(u64::from_le_bytes(*last))
                });
            }
            _ => return false,
        };
        self.lacks(word)
    }

    /// Whether none of the first bytes is in a word.
    #[inline]
    fn lacks(&self, word: u64) -> bool {
        self.found(word) == 0
    }

    /// The top bits of the bytes of a word that are first bytes, the lowest one for certain: a byte that
    /// is zero borrows from its top bit when one is taken away, and a borrow that goes on makes false
    /// finds only after a true one. Where there are many first bytes any may be.
    #[inline]
    fn found(&self, word: u64) -> u64 {
        let zero = |word: u64| word.wrapping_sub(ONES) & !word & TOPS;
        let [a, b, c] = self.words;
        match self.few {
            Few::Zero => 0,
            Few::One(_) => zero(word ^ a),
            Few::Two(..) => zero(word ^ a) | zero(word ^ b),
            Few::Three(..) => zero(word ^ a) | zero(word ^ b) | zero(word ^ c),
            Few::Many => TOPS,
        }
    }

    /// Whether a marker can begin in `bytes`.
    #[inline]
    pub(crate) fn finds(&self, bytes: &[u8]) -> bool {
        !self.is_plain(bytes) && self.find(bytes).0.is_some()
    }

    /// Offset of the first place in `bytes` where a marker can begin, and how many bytes were
    /// looked at to know.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> (Option<usize>, usize) {
        let (mut from, mut pairs) = (0, 0);
        loop {
            let rest = bytes.get(from..).unwrap_or_default();
            let Some(at) = self.find_first(rest) else { return (None, bytes.len() + pairs) };
            from += at + 1;
            let Some(&second) = bytes.get(from) else { return (Some(from - 1), from + pairs) };
            pairs += 1;
            let first = bytes.get(from - 1).map_or(0, |&first| bits(&self.first, first));
            if first & bits(&self.second, second) != 0 {
                return (Some(from - 1), from + pairs);
            }
            if at < NEAR && bytes.len() > from + BLOCK {
                from += self.without_pairs(bytes.get(from..).unwrap_or_default());
            }
        }
    }

    /// How many bytes at the start of `bytes` certainly begin no pair, in blocks.
    #[inline(never)]
    fn without_pairs(&self, bytes: &[u8]) -> usize {
        let Some((first, seconds)) = self.pairs else { return 0 };
        let is_pair = |(one, two): (&u8, &u8)| {
            u8::from(*one == first)
                & seconds.iter().fold(0, |any, second| any | u8::from(two == second))
        };
        let firsts = bytes.chunks_exact(BLOCK);
        let blocks = firsts.zip(bytes.get(1..).unwrap_or_default().chunks_exact(BLOCK));
        let free = blocks.take(BLOCKS).take_while(|(firsts, seconds)| {
            firsts.iter().zip(*seconds).map(is_pair).fold(0, |any, pair| any | pair) == 0
        });
        free.count() * BLOCK
    }

    #[inline]
    fn find_first(&self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() > SHORT || matches!(self.few, Few::Zero | Few::Many) {
            return self.find_long(bytes);
        }
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let ends = bytes.len() - 8;
                let found = self.place(u64::from_le_bytes(*first));
                found.or_else(|| self.place(u64::from_le_bytes(*last)).map(|at| at + ends))
            }
            _ => self.find_in_few(bytes),
        }
    }

    /// Less than eight bytes. Where two parts of the word are the same byte, the first is found.
    #[inline]
    fn find_in_few(&self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() >= 4 {
            let at = self.place(halves(bytes))?;
            return Some(if at < 4 { at } else { at + bytes.len() - 8 });
        }
        if bytes.is_empty() { None } else { self.place(three(bytes)) }
    }

    /// Which byte of a word is one of the first bytes, the lowest byte first.
    #[inline]
    fn place(&self, word: u64) -> Option<usize> {
        let found = self.found(word);
        (found != 0).then_some(found.trailing_zeros() as usize / 8)
    }

    #[inline]
    fn find_many(&self, bytes: &[u8]) -> Option<usize> {
        let Some(several) = self.several.filter(|_| SEARCHES_SEVERAL) else {
            return self.find_in_table(bytes);
        };
        let (near, far) = bytes.split_at_checked(TABLE).unwrap_or((bytes, &[]));
        let far = || find_several(several, far).map(|at| TABLE + at);
        self.find_in_table(near).or_else(far)
    }

    #[inline]
    fn find_in_table(&self, bytes: &[u8]) -> Option<usize> {
        let any = |bytes: &[u8]| bytes.iter().fold(0, |any, &byte| any | bits(&self.first, byte));
        let free = bytes.chunks_exact(STRIDE).take_while(|stride| any(stride) == 0).count();
        let from = free * STRIDE;
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().position(|&byte| bits(&self.first, byte) != 0).map(|at| from + at)
    }

    #[inline]
    fn find_long(&self, bytes: &[u8]) -> Option<usize> {
        match self.few {
            Few::Zero => None,
            Few::One(a) => memchr(a, bytes),
            Few::Two(a, b) => memchr2(a, b, bytes),
            Few::Three(a, b, c) => memchr3(a, b, c, bytes),
            Few::Many => self.find_many(bytes),
        }
    }
}

/// The place of the first of six bytes. The halves take turns, so that neither is searched for far beyond
/// a place of the other.
#[inline(never)]
fn find_several([a, b, c, d, e, f]: [u8; 6], bytes: &[u8]) -> Option<usize> {
    (0..).step_by(WINDOW).zip(bytes.chunks(WINDOW)).find_map(|(start, window)| {
        let one = memchr3(a, b, c, window);
        let before = one.and_then(|at| window.get(..at)).unwrap_or(window);
        memchr3(d, e, f, before).or(one).map(|at| start + at)
    })
}

/// One to three bytes as a word. The rest is filled with what is there already.
#[inline]
fn three(bytes: &[u8]) -> u64 {
    let (first, last) = bytes.first().zip(bytes.last()).map_or((0, 0), |(&a, &b)| (a, b));
    let middle = bytes.get(bytes.len() / 2).copied().unwrap_or(last);
    u64::from_le_bytes([first, middle, last, last, last, last, last, last])
}

/// Four to eight bytes as a word: two halves that may overlap.
#[inline]
fn halves(bytes: &[u8]) -> u64 {
    let ends = bytes.first_chunk().zip(bytes.last_chunk());
    ends.map_or(0, |(first, last)| {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
    })
}

/// Bytes that are looked up without asking in between.
const STRIDE: usize = 8;

#[inline]
fn bits(table: &[u8; 256], byte: u8) -> u8 {
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

fn set(table: &mut [u8; 256], byte: u8, classes: u8) {
    if let Some(slot) = table.get_mut(usize::from(byte)) {
        *slot |= classes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn found(filter: &Filter, text: &[u8]) -> Option<usize> {
        filter.find(text).0
    }

    #[test]
    fn finds_the_first_of_any_number_of_bytes_at_any_length() {
        for firsts in ["", "<", "<[", "<[{", "<[{(", "<<<", "<[{(|", "<[{(|abc", "<[{(|abcd"] {
            let filter = Filter::new(firsts.bytes().map(|first| (first, None)));
            for length in 0..80 {
                for hit in 0..length {
                    let mut text: Vec<u8> = std::vec![b'.'; length];
                    assert_eq!(found(&filter, &text), None);
                    assert!(!filter.finds(&text));
                    for first in firsts.bytes() {
                        text[hit] = first;
                        assert!(filter.finds(&text));
                        assert_eq!(found(&filter, &text), Some(hit), "{firsts} {length}");
                    }
                }
            }
        }
    }

    #[test]
    fn several_first_bytes_are_found_in_every_window() {
        for firsts in ["<[{(", "<[{(|", "<[{(|a", "<[{(|ab"] {
            let filter = Filter::new(firsts.bytes().map(|first| (first, None)));
            let mut text = std::vec![b'.'; TABLE + 2 * WINDOW + 9];
            assert_eq!(found(&filter, &text), None);
            for hit in (0..text.len()).rev() {
                for first in firsts.bytes() {
                    text[hit] = first;
                    assert_eq!(found(&filter, &text), Some(hit), "{firsts}");
                }
            }
        }
    }

    #[test]
    fn a_first_byte_counts_only_before_a_second_byte_or_the_end() {
        let filter = Filter::new([(b'<', Some(b'a')), (b'[', Some(b'b'))].into_iter());
        assert_eq!(found(&filter, b"<<[ < a"), None);
        assert_eq!(found(&filter, b"<<[<"), Some(3));
        assert_eq!(found(&filter, b"< [. <a"), Some(5));
        // A second byte of another marker does not count.
        assert_eq!(found(&filter, b"<b [a <a"), Some(6));
        assert_eq!(found(&filter, b"< [. a long text in between [b"), Some(28));
    }

    #[test]
    fn pairs_are_found_among_many_first_bytes() {
        for seconds in ["a", "ab/", "ab/x", "ab/xy"] {
            let filter = Filter::new(seconds.bytes().map(|second| (b'<', Some(second))));
            assert_eq!(filter.pairs.is_some(), seconds.len() <= 4);
            for length in 0..150 {
                let mut text: Vec<u8> = b"<.<<1".iter().copied().cycle().take(length).collect();
                if text.last() == Some(&b'<') {
                    text.push(b'.');
                }
                assert_eq!(found(&filter, &text), None);
                for hit in 1..text.len() {
                    for second in seconds.bytes() {
                        let mut text = text.clone();
                        (text[hit - 1], text[hit]) = (b'<', second);
                        assert_eq!(
                            found(&filter, &text),
                            Some(hit - 1),
                            "{seconds} {length} {hit}"
                        );
                    }
                }
                text.push(b'<');
                assert_eq!(found(&filter, &text), Some(text.len() - 1));
            }
        }
    }

    #[test]
    fn first_bytes_beyond_the_classes_are_found_too() {
        let filter = Filter::new((b'!'..=b'~').map(|first| (first, Some(b' '))));
        assert_eq!(found(&filter, b"abc~ "), Some(3));
        assert_eq!(found(&filter, b"abcd"), Some(3));
        assert_eq!(found(&filter, b" ab c"), Some(2));
    }

    #[test]
    fn a_marker_of_one_byte_needs_no_second() {
        let filter = Filter::new([(b'<', Some(b'a')), (b'[', None)].into_iter());
        assert_eq!(found(&filter, b".[ <"), Some(1));
    }
}
