//! Finding the byte that ends a run of plain string text.
//!
//! Stops are the quote, the backslash and every control character. Most chunks of a model are a few
//! bytes long and their lengths follow no pattern, so a loop over single bytes costs a wrong guess
//! of the processor each time. Eight bytes are examined as one number instead; what is longer goes
//! in blocks that the compiler turns into vector code. No byte is examined more than three times.

/// Bytes looked at in words before blocks begin.
const SHORT: usize = 16;
/// Bytes of a longer text that are examined in words.
const HEAD: usize = 32;
/// Bytes after an escape that are searched at once.
const NEAR: usize = 128;
/// Bytes of one block.
const BLOCK: usize = 32;

/// One in each byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The top bit of each byte of a word.
const TOPS: u64 = ONES << 7;

/// Where the first `"`, `\` or control character stands, else the length.
pub(crate) fn stop(bytes: &[u8]) -> usize {
    stop_at(bytes, b'"')
}

/// The same, in line, where the stop is likely to be near: the end of a key or of a short string.
#[inline]
pub(crate) fn stop_soon(bytes: &[u8]) -> usize {
    let Some(near) = bytes.first_chunk::<SHORT>() else { return stop(bytes) };
    let (words, _) = near.as_chunks();
    for (index, word) in words.iter().enumerate() {
        if let Some(at) = stop_in_word(Some(word), b'"') {
            return index * 8 + at;
        }
    }
    SHORT + stop(bytes.get(SHORT..).unwrap_or_default())
}

/// The same where `'` is a stop too.
pub(crate) fn stop_single(bytes: &[u8]) -> usize {
    stop_at(bytes, b'\'')
}

/// The same as [`stop`] for text after an escape, where the next stop is likely to be some dozen
/// bytes away: a vector search for the two usual stops, and a lookahead for control characters before them.
#[inline]
pub(crate) fn stop_after(bytes: &[u8]) -> usize {
    stop_near(bytes, b'"', |near| memchr::memchr2(b'"', b'\\', near))
}

/// The same where `'` is a stop too.
pub(crate) fn stop_single_after(bytes: &[u8]) -> usize {
    stop_near(bytes, b'\'', |near| memchr::memchr3(b'"', b'\'', b'\\', near))
}

/// Only so far, as a control character may stand before what is found.
#[inline]
fn stop_near(bytes: &[u8], quote: u8, find: impl FnOnce(&[u8]) -> Option<usize>) -> usize {
    let near = bytes.get(..NEAR).unwrap_or(bytes);
    let found = find(near);
    let plain = near.get(..found.unwrap_or(near.len())).unwrap_or_default();
    if has_control(plain) {
        return stop_at(near, quote);
    }
    match found {
        Some(at) => at,
        None => near.len() + stop_at(bytes.get(near.len()..).unwrap_or_default(), quote),
    }
}

/// Whether there is a control character: in vectors, the last of which may overlap.
#[inline]
fn has_control(bytes: &[u8]) -> bool {
    let any = |part: &[u8; 16]| part.iter().fold(false, |found, &byte| found | (byte < 0x20));
    let (parts, rest) = bytes.as_chunks::<16>();
    parts.iter().any(any)
        || match bytes.last_chunk() {
            _ if rest.is_empty() => false,
            Some(last) => any(last),
            None => rest.iter().any(|&byte| byte < 0x20),
        }
}

#[inline]
fn is_stop(byte: u8, quote: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\') | (byte == quote)
}

#[inline]
fn stop_at(bytes: &[u8], quote: u8) -> usize {
    match bytes.len() {
        0..4 => stop_in_three(bytes, quote),
        4..=8 => stop_in_few(bytes, quote),
        9..=SHORT => match stop_in_word(bytes.first_chunk(), quote) {
            Some(at) => at,
            None => stop_in_last(bytes, quote),
        },
        _ => stop_in_many(bytes, quote),
    }
}

/// At most three bytes: the first, the middle and the last one, as one word. Where two of them are
/// the same byte, the first of the two is found.
#[inline]
fn stop_in_three(bytes: &[u8], quote: u8) -> usize {
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return 0 };
    let middle = bytes.get(bytes.len() / 2).copied().unwrap_or(last);
    let word = u64::from_le_bytes([first, middle, last, b'.', b'.', b'.', b'.', b'.']);
    place(word, quote).unwrap_or(bytes.len())
}

/// Four to eight bytes: two halves that may overlap, as one word.
#[inline]
fn stop_in_few(bytes: &[u8], quote: u8) -> usize {
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else {
        return one_by_one(bytes, quote);
    };
    let low = u64::from(u32::from_le_bytes(*first));
    let high = u64::from(u32::from_le_bytes(*last));
    match place(low | high << 32, quote) {
        Some(at) if at < 4 => at,
        Some(at) => at + bytes.len() - 8,
        None => bytes.len(),
    }
}

/// The last eight of at least eight bytes, the ones before them known to be plain.
#[inline]
fn stop_in_last(bytes: &[u8], quote: u8) -> usize {
    let last = stop_in_word(bytes.last_chunk(), quote);
    last.map_or(bytes.len(), |at| at + bytes.len() - 8)
}

#[inline]
fn stop_in_word(bytes: Option<&[u8; 8]>, quote: u8) -> Option<usize> {
    place(u64::from_le_bytes(*bytes?), quote)
}

/// Which byte of a word is the first stop, the lowest byte first.
#[inline]
fn place(word: u64, quote: u8) -> Option<usize> {
    // A byte below `n` borrows from its top bit when `n` is taken away; a borrow that goes on makes
    // false finds only after a true one.
    let below = |word: u64, n: u8| word.wrapping_sub(ONES * u64::from(n)) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let found = (below(word, 0x20) | equal(b'"') | equal(b'\\') | equal(quote)) & TOPS;
    (found != 0).then_some(found.trailing_zeros() as usize / 8)
}

#[inline]
fn one_by_one(bytes: &[u8], quote: u8) -> usize {
    bytes.iter().position(|&byte| is_stop(byte, quote)).unwrap_or(bytes.len())
}

/// Most strings are short, however much follows them: some words before the blocks.
#[inline]
fn stop_in_many(bytes: &[u8], quote: u8) -> usize {
    let mut from = 0;
    while from < HEAD {
        let word = bytes.get(from..).and_then(<[u8]>::first_chunk);
        if let Some(at) = stop_in_word(word, quote) {
            return from + at;
        }
        if word.is_none() {
            break;
        }
        from += 8;
    }
    from + stop_in_blocks(bytes.get(from..).unwrap_or_default(), quote)
}

/// Never inlined: with a quote the compiler knows, it compares one by one what goes together.
#[inline(never)]
fn stop_in_blocks(bytes: &[u8], quote: u8) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        if block.iter().fold(false, |found, &byte| found | is_stop(byte, quote)) {
            return index * BLOCK + stop_in_words(block, quote);
        }
    }
    blocks.len() * BLOCK + stop_in_words(rest, quote)
}

/// Up to a block, word by word.
fn stop_in_words(bytes: &[u8], quote: u8) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        if let Some(at) = place(u64::from_le_bytes(*word), quote) {
            return index * 8 + at;
        }
    }
    words.len() * 8 + one_by_one(rest, quote)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_first_stop_is_found_at_every_place_and_length() {
        for length in (0..120).chain(126..132) {
            for at in 0..=length {
                for stopper in [b'"', b'\\', 0, 0x1f, b'\n'] {
                    let mut bytes: Vec<u8> = (0..length).map(|i| 0x7f - (i % 20) as u8).collect();
                    bytes.extend_from_slice("é\u{7f}".as_bytes());
                    let end = bytes.len();
                    assert_eq!(stop(&bytes), end);
                    bytes[at] = stopper;
                    assert_eq!(stop(&bytes), at);
                    assert_eq!(stop_soon(&bytes), at);
                    assert_eq!(stop_single(&bytes), at);
                    assert_eq!(stop_after(&bytes), at);
                    assert_eq!(stop_single_after(&bytes), at);
                }
            }
        }
        assert_eq!(stop(b"it's"), 4);
        assert_eq!(stop_single(b"it's"), 2);
        assert_eq!(stop_after(b"it's"), 4);
        assert_eq!(stop_single_after(b"it's"), 2);
    }
}
