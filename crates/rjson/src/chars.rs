//! Classes of characters (whitespace, identifiers, line ends), and where plain text of a string ends.
//!
//! The relaxed grammar asks for the Unicode properties `ID_Start` and `ID_Continue`. The tables we
//! use hold `XID_Start` and `XID_Continue`, which leave out a few characters that change under
//! compatibility normalisation; those are listed here.

use alloc::string::String;

use crate::escape::{strict_escape, take_strict_escape};

/// Whitespace of strict JSON.
pub(crate) const fn is_strict_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Whitespace that only the relaxed grammar has: VT, FF, BOM, line and paragraph separator, Zs.
pub(crate) const fn is_relaxed_whitespace(c: char) -> bool {
    matches!(
        c,
        '\u{b}' | '\u{c}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

/// `id-start` of the relaxed grammar, escapes apart.
pub(crate) fn is_id_start(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '$' | '_')
        || (!c.is_ascii()
            && (unicode_ident::is_xid_start(c)
                || normalises_away(c)
                || matches!(c, '\u{e33}' | '\u{eb3}' | '\u{ff9e}' | '\u{ff9f}')))
}

/// `id-part` of the relaxed grammar, escapes apart.
pub(crate) fn is_id_part(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '$' | '_')
        || (!c.is_ascii()
            && (unicode_ident::is_xid_continue(c)
                || normalises_away(c)
                || matches!(c, '\u{200c}' | '\u{200d}')))
}

/// In `ID_Start` and `ID_Continue`, but in neither of the X tables.
const fn normalises_away(c: char) -> bool {
    matches!(
        c,
        '\u{37a}' | '\u{309b}' | '\u{309c}' | '\u{fc5e}'
            ..='\u{fc63}'
                | '\u{fdfa}'
                | '\u{fdfb}'
                | '\u{fe70}'
                | '\u{fe72}'
                | '\u{fe74}'
                | '\u{fe76}'
                | '\u{fe78}'
                | '\u{fe7a}'
                | '\u{fe7c}'
                | '\u{fe7e}'
    )
}

/// The largest char boundary of `text` that is not above `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A comma, or what stands for one.
pub(crate) fn is_comma(c: char) -> bool {
    matches!(c, ',' | ';' | '，' | '；' | '、')
}

/// Whether a character may stand after a string whose closing quote is missing.
///
/// ```
/// assert!(toolweir_rjson::may_follow_string('}') && !toolweir_rjson::may_follow_string('"'));
/// ```
#[must_use]
pub const fn may_follow_string(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | ',' | '}' | ']')
}

pub(crate) fn is_closing(c: char) -> bool {
    matches!(c, '}' | ']' | ')')
}

pub(crate) fn is_repair_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || is_relaxed_whitespace(c) || is_zero_width(c)
}

/// Whitespace without width, which even the relaxed grammar does not know.
pub(crate) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{180e}')
}

pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// A character of a key without quotes.
pub(crate) fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (!matches!(
            c,
            '"' | '\'' | '`' | '{' | '}' | '[' | ']' | '(' | ')' | ',' | ':' | ';' | '='
        ) && !matches!(c, '，' | '：' | '“' | '”' | '‘' | '’')
            && !is_repair_whitespace(c))
}

/// The bytes at the front, up to so many, that are characters of a key in ASCII and begin no comment
/// either.
pub(crate) fn plain_key_length(text: &str, most: usize) -> usize {
    let plain = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'$');
    text.as_bytes().iter().take(most).take_while(plain).count()
}

/// A letter of the prefixes that Python's strings have.
pub(crate) fn is_prefix(c: char) -> bool {
    matches!(c, 'u' | 'U' | 'b' | 'B' | 'r' | 'R' | 'f' | 'F')
}

/// The quotes of a string: which one opened it decides which may end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    Double,
    Single,
    /// Typographic double quotes.
    Curly,
    /// Typographic single quotes, backtick, acute accent.
    Tick,
}

impl Quotes {
    pub(crate) fn open(c: char) -> Option<Self> {
        match c {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '\u{201c}'..='\u{201f}' => Some(Self::Curly),
            '\u{2018}'..='\u{201b}' | '`' | '´' => Some(Self::Tick),
            _ => None,
        }
    }

    /// The bytes of the quote of this kind at a place.
    pub(crate) fn width(self, text: &str, at: usize) -> usize {
        let quote = text.get(at..).and_then(|rest| rest.chars().next());
        quote.filter(|&c| self.ends(c)).map_or(0, char::len_utf8)
    }

    pub(crate) fn ends(self, c: char) -> bool {
        Self::open(c) == Some(self) || matches!((self, c), (Self::Curly, '"') | (Self::Tick, '\''))
    }
}

/// Room for the text of a string with escapes, at first.
const DECODED: usize = 256;

/// The quote that opened a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Single,
}

impl Quote {
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Double => b'"',
            Self::Single => b'\'',
        }
    }

    /// The length of the plain run at the front: no quote, backslash or control character.
    pub(crate) fn plain_run(self, bytes: &[u8]) -> usize {
        stop_at(bytes, self.byte())
    }

    /// The same, where its end is likely to be near.
    #[inline]
    pub(crate) fn plain_run_soon(self, bytes: &[u8]) -> usize {
        stop_soon(bytes, self.byte())
    }

    /// The length of the run at the front that is strict JSON: plain text and whole escapes.
    pub(crate) fn strict_run(self, bytes: &[u8]) -> usize {
        let mut run = self.plain_run(bytes);
        while let Some((length, _)) = bytes.get(run..).and_then(strict_escape) {
            run += length;
            run += self.run_after_escape(bytes.get(run..).unwrap_or_default());
        }
        run
    }

    /// The length of that run, whose first `plain` bytes are plain: decoded in the same pass.
    #[inline(never)]
    pub(crate) fn decode_run(self, text: &str, plain: usize, decoded: &mut String) -> usize {
        decoded.clear();
        decoded.reserve(DECODED);
        let (mut rest, mut run) = (text, plain);
        while let Some((plain, tail)) = rest.split_at_checked(run) {
            decoded.push_str(plain);
            rest = tail;
            let Some(after) = take_strict_escape(decoded, tail) else { break };
            rest = after;
            run = self.run_after_escape(rest.as_bytes());
        }
        text.len() - rest.len()
    }

    /// The plain run of text after an escape, where the next stop is likely to be some dozen bytes away: a vector
    /// search for the usual stops, and a lookahead for control characters before them.
    #[inline]
    fn run_after_escape(self, bytes: &[u8]) -> usize {
        match self {
            Self::Double => stop_near(bytes, b'"', |near| memchr::memchr2(b'"', b'\\', near)),
            Self::Single => {
                stop_near(bytes, b'\'', |near| memchr::memchr3(b'"', b'\'', b'\\', near))
            }
        }
    }
}

/// How many bytes at the front are text wherever they stand in a string in double quotes: neither that quote nor a
/// backslash, a backtick or a control character.
#[inline]
pub(crate) fn certain_run(bytes: &[u8]) -> usize {
    stop_soon(bytes, b'`')
}

// Stops are the quote, the backslash and every control character. Most chunks of a model are a few
// bytes long and their lengths follow no pattern, so a loop over single bytes costs a wrong guess
// of the processor each time. Eight bytes are examined as one number instead; what is longer goes
// in blocks that the compiler turns into vector code. No byte is examined more than three times.

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

/// Where the first stop is, in line, where it is likely to be near: at the end of a key or of a short string.
#[inline]
fn stop_soon(bytes: &[u8], quote: u8) -> usize {
    let Some(near) = bytes.first_chunk::<SHORT>() else { return stop_at(bytes, quote) };
    let stop = first_stop(near.as_chunks().0, quote);
    stop.unwrap_or_else(|| SHORT + stop_at(bytes.get(SHORT..).unwrap_or_default(), quote))
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

/// Where the first `"`, `\`, control character or other quote stands, else the length.
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
    let (words, rest) = bytes.as_chunks();
    first_stop(words, quote).unwrap_or_else(|| words.len() * 8 + one_by_one(rest, quote))
}

#[inline]
fn first_stop(words: &[[u8; 8]], quote: u8) -> Option<usize> {
    for (index, word) in words.iter().enumerate() {
        if let Some(at) = stop_in_word(Some(word), quote) {
            return Some(index * 8 + at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn identifiers_take_letters_of_every_script_and_joiners_inside_only() {
        for c in ['a', 'Z', '$', '_', 'ù', '日', '\u{37a}', '\u{e33}', 'ª'] {
            assert!(is_id_start(c) && is_id_part(c), "{c:?}");
        }
        for c in ['0', '\u{301}', '\u{200c}', '\u{200d}', '‿'] {
            assert!(!is_id_start(c) && is_id_part(c), "{c:?}");
        }
        for c in ['-', '.', ' ', '\\', '\u{2e2f}', '→', '“'] {
            assert!(!is_id_start(c) && !is_id_part(c), "{c:?}");
        }
    }

    #[test]
    fn every_space_separator_is_a_relaxed_blank() {
        let count = ('\0'..=char::MAX).filter(|&c| is_relaxed_whitespace(c)).count();
        // Sixteen space separators beside U+0020, and VT, FF, U+2028, U+2029, U+FEFF.
        assert_eq!(count, 16 + 5);
        assert!(!is_relaxed_whitespace('\u{200b}') && !is_relaxed_whitespace('\u{180e}'));
    }

    #[test]
    fn boundaries_round_down() {
        assert_eq!([0, 1, 2, 3, 9].map(|at| floor_boundary("aé!", at)), [0, 1, 1, 3, 4]);
    }

    #[test]
    fn the_first_stop_is_found_at_every_place_and_length() {
        for length in (0..120).chain(126..132) {
            for at in 0..=length {
                for stopper in [b'"', b'\\', 0, 0x1f, b'\n'] {
                    let mut bytes: Vec<u8> = (0..length).map(|i| 0x7f - (i % 20) as u8).collect();
                    bytes.extend_from_slice("é\u{7f}".as_bytes());
                    let end = bytes.len();
                    assert_eq!(Quote::Double.plain_run(&bytes), end);
                    bytes[at] = stopper;
                    assert_eq!(Quote::Double.plain_run(&bytes), at);
                    assert_eq!(Quote::Double.plain_run_soon(&bytes), at);
                    assert_eq!(Quote::Single.plain_run(&bytes), at);
                    assert_eq!(Quote::Double.run_after_escape(&bytes), at);
                    assert_eq!(Quote::Single.run_after_escape(&bytes), at);
                }
            }
        }
        assert_eq!(Quote::Double.plain_run(b"it's"), 4);
        assert_eq!(Quote::Single.plain_run(b"it's"), 2);
        assert_eq!(Quote::Double.run_after_escape(b"it's"), 4);
        assert_eq!(Quote::Single.run_after_escape(b"it's"), 2);
    }
}
