//! Keys: their texts, in place while they are short, and the positions of many of them, found by hash.
//!
//! As the hash is fixed, keys can be made that have the same one. Those that find no place among the slots
//! near their own are kept in runs sorted by key whose lengths are the powers of two that add up to their
//! number: adding a key merges runs as in binary counting, so n keys cost n·log n steps, and a search looks
//! into at most log n runs, whatever the keys.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// The keys that an index is of, each once, at their positions.
pub(crate) trait Keys {
    fn count(&self) -> usize;
    fn key(&self, position: usize) -> &[u8];
}

impl Keys for [&str] {
    fn count(&self) -> usize {
        self.len()
    }

    fn key(&self, position: usize) -> &[u8] {
        self.get(position).map_or(&[], |key| key.as_bytes())
    }
}

/// The positions of keys. It grows with them, and has to be made anew when one goes.
#[derive(Debug, Clone)]
pub(crate) struct KeyIndex {
    /// A power of two of them, at least half of them free.
    slots: Vec<Slot>,
    /// The positions that found no free slot near their own, in sorted runs, the longest first.
    rest: Vec<usize>,
    count: usize,
}

/// A position and the upper half of its key's hash.
#[derive(Debug, Clone, Copy)]
struct Slot {
    position: u32,
    hash: u32,
}

const FREE: Slot = Slot { position: u32::MAX, hash: 0 };
/// The slots that a key may stand in. Only keys made for it fill so many side by side.
const NEAR: usize = 64;

impl KeyIndex {
    pub(crate) fn new<K: Keys + ?Sized>(keys: &K) -> Self {
        Self::of_first(keys, keys.count(), keys.count())
    }

    /// An index of the first keys, with room for so many.
    fn of_first<K: Keys + ?Sized>(keys: &K, count: usize, room: usize) -> Self {
        let slots = vec![FREE; (2 * room + 2).next_power_of_two()];
        let mut index = Self { slots, rest: Vec::new(), count: 0 };
        for _ in 0..count {
            index.add(keys);
        }
        index
    }

    /// Adds the first key that was not added, unless it is there: whether it is new.
    pub(crate) fn add<K: Keys + ?Sized>(&mut self, keys: &K) -> bool {
        let (position, key) = (self.count, keys.key(self.count));
        if 2 * (position + 1) > self.slots.len() {
            *self = Self::of_first(keys, position, 2 * position);
        }
        let hash = hash(key);
        for slot in self.near(hash) {
            match self.slots.get_mut(slot) {
                Some(slot) if slot.position == FREE.position => {
                    let short = u32::try_from(position).ok();
                    let Some(position) = short.filter(|at| *at != FREE.position) else { break };
                    *slot = Slot { position, hash: upper(hash) };
                    self.count += 1;
                    return true;
                }
                Some(slot)
                    if slot.hash == upper(hash) && keys.key(slot.position as usize) == key =>
                {
                    return false;
                }
                _ => {}
            }
        }
        if self.find_far(keys, key).is_some() {
            return false;
        }
        self.count += 1;
        self.place_far(keys, position);
        true
    }

    /// Adds a run of one, and merges the last two while they are as long.
    #[cold]
    fn place_far<K: Keys + ?Sized>(&mut self, keys: &K, position: usize) {
        self.rest.push(position);
        let (count, mut length) = (self.rest.len(), 1);
        while count.is_multiple_of(2 * length) {
            let runs = self.rest.split_off(count - 2 * length);
            let (mut left, mut right) = runs.split_at(length);
            while let ([a, after_a @ ..], [b, after_b @ ..]) = (left, right) {
                if keys.key(*a) < keys.key(*b) {
                    self.rest.push(*a);
                    left = after_a;
                } else {
                    self.rest.push(*b);
                    right = after_b;
                }
            }
            self.rest.extend_from_slice(left);
            self.rest.extend_from_slice(right);
            length *= 2;
        }
    }

    /// The slots for a hash, its own first.
    #[inline]
    fn near(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().wrapping_sub(1);
        let own = hash as usize;
        (0..NEAR).map(move |step| own.wrapping_add(step) & mask)
    }

    pub(crate) fn find<K: Keys + ?Sized>(&self, keys: &K, key: &str) -> Option<usize> {
        let key = key.as_bytes();
        let hash = hash(key);
        for slot in self.near(hash) {
            let slot = *self.slots.get(slot)?;
            if slot.position == FREE.position {
                return None;
            }
            let position = slot.position as usize;
            if slot.hash == upper(hash) && keys.key(position) == key {
                return Some(position);
            }
        }
        self.find_far(keys, key)
    }

    #[cold]
    fn find_far<K: Keys + ?Sized>(&self, keys: &K, key: &[u8]) -> Option<usize> {
        let mut rest = self.rest.as_slice();
        while let Some(log) = rest.len().checked_ilog2() {
            let (run, shorter) = rest.split_at_checked(1 << log)?;
            if let Ok(found) = run.binary_search_by(|&position| keys.key(position).cmp(key)) {
                return run.get(found).copied();
            }
            rest = shorter;
        }
        None
    }
}

/// Folded multiplication, word by word.
fn hash(key: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        product as u64 ^ (product >> 64) as u64
    };
    let (words, rest) = key.as_chunks();
    let length = FACTOR ^ key.len() as u64;
    let hash = words.iter().fold(length, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    // Two halves that may overlap, or few bytes.
    let last = match (rest.first_chunk(), rest.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    mix(mix(hash, last), FACTOR)
}

const fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// What fits beside the length in the size of a `String`.
const SHORT: usize = 22;

/// Text in place while it is short: most keys and numbers cost no allocation.
#[derive(Clone)]
pub(crate) enum Text {
    /// A text up to the length, zeros after it.
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    Long(Box<str>),
}

impl Text {
    #[inline]
    pub(crate) fn new(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(room) => {
                room.copy_from_slice(text.as_bytes());
                // At most `SHORT`.
                Self::Short { length: text.len() as u8, bytes }
            }
            None => Self::Long(text.into()),
        }
    }

    /// Room for a short text.
    #[inline]
    pub(crate) fn zeroed(length: usize) -> Option<Self> {
        let short = u8::try_from(length).ok().filter(|&length| usize::from(length) <= SHORT);
        short.map(|length| Self::Short { length, bytes: [0; SHORT] })
    }

    /// Puts a text into room of its length.
    #[inline]
    pub(crate) fn fill(&mut self, text: &str) {
        if let Self::Short { bytes, .. } = self
            && let Some(room) = bytes.get_mut(..text.len())
        {
            room.copy_from_slice(text.as_bytes());
        }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        match self {
            // Cut from a text, so it is one.
            Self::Short { .. } => core::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }

    /// Whether it is this text. Texts of one length mostly differ in their last byte, if at all.
    #[inline]
    pub(crate) fn is(&self, text: &str) -> bool {
        let (own, other) = (self.as_bytes(), text.as_bytes());
        own.len() == other.len() && own.last() == other.last() && own == other
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(text) => text.as_bytes(),
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text {
            Text::Short { .. } => text.as_str().into(),
            Text::Long(text) => text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn check(all: &[String]) -> KeyIndex {
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut index = KeyIndex::new(&all[..0]);
        for count in 1..=all.len() {
            let (known, key) = (&all[..count - 1], all[count - 1]);
            assert_eq!(index.find(known, key), None);
            assert!(index.add(&all[..count]));
        }
        let twice = |key: &&str| !index.clone().add(&[&all[..], &[*key]].concat()[..]);
        assert!(all.iter().step_by(1 + all.len() / 50).all(twice));
        for index in [&index, &KeyIndex::new(all.as_slice())] {
            for (position, key) in all.iter().enumerate() {
                assert_eq!(index.find(all.as_slice(), key), Some(position));
            }
        }
        index
    }

    #[test]
    fn usual_keys_find_a_slot_near_their_own() {
        for name in ["", "key", "a rather long name of a member "] {
            let all: Vec<String> = (0..20_000).map(|at| format!("{name}{at}")).collect();
            assert!(check(&all).rest.is_empty());
        }
    }

    #[test]
    fn keys_made_to_share_their_slots_are_found_among_the_rest() {
        // The lower bits say which slot.
        let shares = |key: &String| hash(key.as_bytes()) & 0xFFF == 7;
        let all: Vec<String> = (0..).map(|at| format!("{at}")).filter(shares).take(1_000).collect();
        assert_eq!(check(&all).rest.len(), 1_000 - NEAR);
    }
}
