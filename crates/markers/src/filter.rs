//! Finds the next place where a marker can begin: the whole cost of text without markers.
//!
//! A place is one of the first bytes of all markers, followed by the end of the text or by one of
//! their second bytes. The pair is what keeps `a < b` cheap where the marker is `<tool>`.
//!
//! Short chunks are the usual case of a model's stream, and there the call of a vector routine
//! costs more than the bytes: below [`SHORT`] an inlined loop looks them up in a table. Longer ones
//! go to memchr while there are at most three distinct first bytes, else to the table as well.

use memchr::{memchr, memchr2, memchr3};

/// Inputs shorter than this (bytes) are read by the inlined loop.
const SHORT: usize = 16;

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
    first: [bool; 256],
    second: [bool; 256],
}

impl Filter {
    /// A filter for markers that begin with the bytes `pairs`; without a second byte the marker
    /// ends.
    pub(crate) fn new(pairs: impl Iterator<Item = (u8, Option<u8>)>) -> Filter {
        let mut filter = Filter { few: Few::Zero, first: [false; 256], second: [false; 256] };
        for (first, second) in pairs {
            filter.add(first);
            match second {
                Some(second) => _ = mark(&mut filter.second, second),
                None => filter.second = [true; 256],
            }
        }
        filter
    }

    fn add(&mut self, byte: u8) {
        if !mark(&mut self.first, byte) {
            return;
        }
        self.few = match self.few {
            Few::Zero => Few::One(byte),
            Few::One(a) => Few::Two(a, byte),
            Few::Two(a, b) => Few::Three(a, b, byte),
            Few::Three(..) | Few::Many => Few::Many,
        };
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
            if holds(&self.second, second) {
                return (Some(from - 1), from + pairs);
            }
        }
    }

    #[inline]
    fn find_first(&self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() < SHORT {
            return bytes.iter().position(|&byte| holds(&self.first, byte));
        }
        self.find_long(bytes)
    }

    #[inline]
    fn find_long(&self, bytes: &[u8]) -> Option<usize> {
        match self.few {
            Few::Zero => None,
            Few::One(a) => memchr(a, bytes),
            Few::Two(a, b) => memchr2(a, b, bytes),
            Few::Three(a, b, c) => memchr3(a, b, c, bytes),
            Few::Many => bytes.iter().position(|&byte| holds(&self.first, byte)),
        }
    }
}

#[inline]
fn holds(table: &[bool; 256], byte: u8) -> bool {
    table.get(usize::from(byte)).copied().unwrap_or(false)
}

/// Adds `byte`; whether it is new.
fn mark(table: &mut [bool; 256], byte: u8) -> bool {
    table.get_mut(usize::from(byte)).is_some_and(|slot| !core::mem::replace(slot, true))
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
        for firsts in ["", "<", "<[", "<[{", "<[{(", "<<<", "<[{(|"] {
            let filter = Filter::new(firsts.bytes().map(|first| (first, None)));
            for length in 0..80 {
                for hit in 0..length {
                    let mut text: Vec<u8> = std::vec![b'.'; length];
                    assert_eq!(found(&filter, &text), None);
                    for first in firsts.bytes() {
                        text[hit] = first;
                        assert_eq!(found(&filter, &text), Some(hit), "{firsts} {length}");
                    }
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
        assert_eq!(found(&filter, b"< [. a long text in between [b"), Some(28));
    }

    #[test]
    fn a_marker_of_one_byte_needs_no_second() {
        let filter = Filter::new([(b'<', Some(b'a')), (b'[', None)].into_iter());
        assert_eq!(found(&filter, b".[ <"), Some(1));
    }
}
