//! Finding the byte that ends a run of plain string text.
//!
//! Stops are the quote, the backslash and every control character. Short texts and the first bytes
//! of a run are looked at one by one (most chunks of a model are a few bytes long); what is longer
//! goes in blocks that the compiler turns into vector code. No byte is looked at more than twice.

/// Bytes looked at one by one before blocks begin.
const SHORT: usize = 16;
/// Bytes of one block.
const BLOCK: usize = 32;

/// Where the first `"`, `\` or control character stands, else the length.
pub(crate) fn stop(bytes: &[u8]) -> usize {
    stop_at(bytes, b'"')
}

/// The same where `'` is a stop too.
pub(crate) fn stop_single(bytes: &[u8]) -> usize {
    stop_at(bytes, b'\'')
}

#[inline]
fn is_stop(byte: u8, quote: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\') | (byte == quote)
}

#[inline]
fn stop_at(bytes: &[u8], quote: u8) -> usize {
    let Some((head, tail)) = bytes.split_at_checked(SHORT) else {
        return one_by_one(bytes, quote);
    };
    match head.iter().position(|&byte| is_stop(byte, quote)) {
        Some(at) => at,
        None => SHORT + stop_in_blocks(tail, quote),
    }
}

#[inline]
fn one_by_one(bytes: &[u8], quote: u8) -> usize {
    bytes.iter().position(|&byte| is_stop(byte, quote)).unwrap_or(bytes.len())
}

fn stop_in_blocks(bytes: &[u8], quote: u8) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        if block.iter().fold(false, |found, &byte| found | is_stop(byte, quote)) {
            return index * BLOCK + one_by_one(block, quote);
        }
    }
    blocks.len() * BLOCK + one_by_one(rest, quote)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_first_stop_is_found_at_every_place_and_length() {
        for length in 0..120 {
            for at in 0..=length {
                for stopper in [b'"', b'\\', 0, 0x1f, b'\n'] {
                    let mut bytes: Vec<u8> = (0..length).map(|i| 0x7f - (i % 20) as u8).collect();
                    bytes.extend_from_slice("é\u{7f}".as_bytes());
                    let end = bytes.len();
                    assert_eq!(stop(&bytes), end);
                    bytes[at] = stopper;
                    assert_eq!(stop(&bytes), at);
                    assert_eq!(stop_single(&bytes), at);
                }
            }
        }
        assert_eq!(stop(b"it's"), 4);
        assert_eq!(stop_single(b"it's"), 2);
    }
}
