//! Bytes to text, without losing where things stood.
//!
//! Each maximal ill-formed part becomes one U+FFFD. A byte order mark is an ordinary character.
//! The result does not depend on how the bytes are cut into pieces.

/// Turns bytes into text, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The first bytes of a character whose end has not come yet: at most three.
    held: Vec<u8>,
    /// Bytes dealt with.
    input: u64,
    /// Bytes of text given out.
    text: u64,
}

/// Ill-formed bytes, and the U+FFFD that stands for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// Offset of the first ill-formed byte in the input.
    pub(crate) input: u64,
    /// How many bytes they are: 1 to 3.
    pub(crate) len: u64,
    /// Offset of the replacement in the text.
    pub(crate) text: u64,
}

const REPLACEMENT: &str = "\u{fffd}";

impl Utf8 {
    /// At the start of the input.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends the text of `bytes`; the start of a character cut in two waits.
    pub(crate) fn push(&mut self, bytes: &[u8], text: &mut String, replaced: &mut Vec<Replaced>) {
        if self.held.is_empty() {
            self.read(bytes, text, replaced);
        } else {
            let mut joined = std::mem::take(&mut self.held);
            joined.extend_from_slice(bytes);
            self.read(&joined, text, replaced);
        }
    }

    /// Ends the input: what still waits is ill-formed.
    pub(crate) fn finish(&mut self, text: &mut String, replaced: &mut Vec<Replaced>) {
        let len = self.held.len();
        if len > 0 {
            self.held.clear();
            self.replace(len, text, replaced);
        }
    }

    fn read(&mut self, bytes: &[u8], text: &mut String, replaced: &mut Vec<Replaced>) {
        let mut rest = bytes;
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(valid) => return self.keep(valid, text),
                Err(error) => error,
            };
            let (valid, bad) = rest.split_at_checked(error.valid_up_to()).unwrap_or((rest, &[]));
            self.keep(std::str::from_utf8(valid).unwrap_or_default(), text);
            let Some(len) = error.error_len() else {
                self.held.extend_from_slice(bad);
                return;
            };
            self.replace(len, text, replaced);
            rest = bad.get(len..).unwrap_or_default();
        }
    }

    fn keep(&mut self, valid: &str, text: &mut String) {
        text.push_str(valid);
        self.input += valid.len() as u64;
        self.text += valid.len() as u64;
    }

    fn replace(&mut self, len: usize, text: &mut String, replaced: &mut Vec<Replaced>) {
        let len = len as u64;
        replaced.push(Replaced { input: self.input, len, text: self.text });
        text.push_str(REPLACEMENT);
        self.input += len;
        self.text += REPLACEMENT.len() as u64;
    }
}

/// Offsets in the text, translated to offsets in the input.
#[derive(Debug, Default)]
pub(crate) struct Offsets {
    /// After each replacement that shifted what follows: offset in the text, in the input. Sorted.
    marks: Vec<(u64, u64)>,
}

impl Offsets {
    /// Takes note of a replacement; they come in order.
    pub(crate) fn note(&mut self, part: Replaced) {
        if part.len != REPLACEMENT.len() as u64 || !self.marks.is_empty() {
            self.marks.push((part.text + REPLACEMENT.len() as u64, part.input + part.len));
        }
    }

    /// The offset in the input.
    pub(crate) fn input(&self, text: u64) -> u64 {
        let after = self.marks.partition_point(|(at, _)| *at <= text);
        match after.checked_sub(1).and_then(|index| self.marks.get(index)) {
            Some((at, input)) => input + (text - at),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> (String, Vec<Replaced>) {
        let (mut utf8, mut text, mut replaced) = (Utf8::new(), String::new(), Vec::new());
        for piece in pieces {
            utf8.push(piece, &mut text, &mut replaced);
        }
        utf8.finish(&mut text, &mut replaced);
        (text, replaced)
    }

    #[test]
    fn each_maximal_part_becomes_one_replacement() {
        let (text, replaced) = read(&[b"a\xf0\x9f\x8ez\xff\xe2\x82"]);
        assert_eq!(text, "a\u{fffd}z\u{fffd}\u{fffd}");
        let places: Vec<_> = replaced.iter().map(|r| (r.input, r.len, r.text)).collect();
        assert_eq!(places, [(1, 3, 1), (5, 1, 5), (6, 2, 8)]);
    }

    #[test]
    fn a_byte_order_mark_is_an_ordinary_character() {
        assert_eq!(read(&[b"\xef\xbb\xbfa"]), (String::from("\u{feff}a"), vec![]));
    }

    #[test]
    fn offsets_behind_a_replacement_are_those_of_the_input() {
        let mut offsets = Offsets::default();
        for part in read(&[b"a\xffb\xe2\x82c"]).1 {
            offsets.note(part);
        }
        let inputs: Vec<_> = [0, 1, 4, 5, 8, 9].map(|text| offsets.input(text)).into();
        assert_eq!(inputs, [0, 1, 2, 3, 5, 6]);
    }

    proptest! {
        #[test]
        fn the_text_is_that_of_the_whole_however_it_is_cut(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), Just(0xe2), Just(0x82), Just(0xf0), Just(0x9f), Just(b'a')],
                0..40,
            ),
            cut in 0_usize..40,
        ) {
            let (a, b) = bytes.split_at(cut.min(bytes.len()));
            let (text, replaced) = read(&[a, b]);
            prop_assert_eq!(&text, &String::from_utf8_lossy(&bytes));
            prop_assert_eq!(&replaced, &read(&[&bytes]).1);
            let mut offsets = Offsets::default();
            for part in replaced {
                offsets.note(part);
            }
            prop_assert_eq!(offsets.input(text.len() as u64), bytes.len() as u64);
        }
    }
}
