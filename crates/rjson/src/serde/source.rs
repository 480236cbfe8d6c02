//! A text of strict JSON, read token by token: what the machine reads in strict mode.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::MAX_DEPTH;
use super::error::SerdeError;
use super::number::Fit;
use crate::chars::is_strict_blank;
use crate::escape::unescape_into;
use crate::machine::strict_run;
use crate::number::json_length;
use crate::options::{Mode, Options};
use crate::parse::parse;
use crate::scan;

/// The text, and how far it has been read.
#[derive(Debug)]
pub(super) struct Source<'de> {
    pub(super) text: &'de str,
    pub(super) at: usize,
    /// Containers that may still be opened.
    pub(super) depth: usize,
    pub(super) max_keys: usize,
    max_held_bytes: usize,
    pub(super) scratch: String,
    /// The keys of the open maps, while it is only a trial.
    pub(super) keys: Vec<&'de str>,
}

impl<'de> Source<'de> {
    pub(super) fn new(text: &'de str, options: &Options) -> Self {
        Self {
            text,
            at: 0,
            depth: options.max_depth.min(MAX_DEPTH),
            max_keys: options.max_keys,
            max_held_bytes: options.max_held_bytes,
            scratch: String::new(),
            keys: Vec::new(),
        }
    }

    /// What the machine says of the text.
    #[cold]
    pub(super) fn error(&self) -> SerdeError {
        match parse(self.text, Mode::Strict) {
            Err(error) => SerdeError::Parse(error),
            Ok(_) => SerdeError::data("another kind of value than the type expects"),
        }
    }

    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no blank.
    #[inline]
    pub(super) fn visible(&mut self) -> Option<u8> {
        loop {
            let byte = self.byte()?;
            if !is_strict_blank(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    pub(super) fn is_ended(&mut self) -> bool {
        self.visible().is_none()
    }

    /// Takes this byte, if it comes next.
    #[inline]
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let found = self.visible() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn takes_word(&mut self, word: &str) -> Option<()> {
        self.rest().starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// Opens a container.
    #[inline]
    pub(super) fn open(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.at += 1;
        Some(())
    }

    /// The content of the string that begins here, and whether there are escapes in it.
    #[inline]
    pub(super) fn content(&mut self) -> Option<(&'de str, bool)> {
        let from = self.at + 1;
        let bytes = self.text.as_bytes().get(from..)?;
        let mut length = scan::stop_soon(bytes);
        let escaped = bytes.get(length) == Some(&b'\\');
        if escaped {
            length += strict_run(bytes.get(length..)?);
        }
        if bytes.get(length) != Some(&b'"') {
            return None;
        }
        self.at = from + length + 1;
        Some((self.text.get(from..from + length)?, escaped))
    }

    #[inline]
    pub(super) fn key(&mut self) -> Option<Cow<'de, str>> {
        let (content, escaped) = self.content()?;
        if content.len() > self.max_held_bytes {
            return None;
        }
        if !escaped {
            return Some(Cow::Borrowed(content));
        }
        let mut key = String::with_capacity(content.len());
        unescape_into(&mut key, content);
        Some(Cow::Owned(key))
    }

    /// The text of the number that begins here.
    #[inline]
    pub(super) fn number(&mut self) -> Option<&'de str> {
        let length =
            json_length(self.rest()).ok().filter(|length| *length <= self.max_held_bytes)?;
        let text = self.text.get(self.at..self.at + length)?;
        self.at += length;
        Some(text)
    }

    /// The integer below 2^63 that begins here and ends before a comma, a closing bracket or a blank.
    #[inline]
    pub(super) fn integer(&mut self) -> Option<Fit> {
        let bytes = self.rest();
        let negative = bytes.first() == Some(&b'-');
        let digits = bytes.get(usize::from(negative)..)?;
        let (mut value, mut count) = (0_u64, 0);
        for &byte in digits {
            if !byte.is_ascii_digit() {
                break;
            }
            count += 1;
            if count > 18 {
                return None;
            }
            value = value * 10 + u64::from(byte - b'0');
        }
        let plain = !matches!(digits.get(count), Some(b'.' | b'e' | b'E'));
        let leading = digits.first() == Some(&b'0');
        let length = count + usize::from(negative);
        let sound = count > 0 && !(leading && (count > 1 || negative));
        if !plain || !sound || length > self.max_held_bytes {
            return None;
        }
        self.at += length;
        Some(if negative { Fit::I64(-value.cast_signed()) } else { Fit::U64(value) })
    }

    /// Passes over a value.
    pub(super) fn skip(&mut self) -> Option<()> {
        match self.visible()? {
            b'"' => self.content().map(|_| ()),
            b't' => self.takes_word("true"),
            b'f' => self.takes_word("false"),
            b'n' => self.takes_word("null"),
            b'[' => self.skip_entries(),
            b'{' => self.skip_members(),
            _ => self.number().map(|_| ()),
        }
    }

    pub(super) fn skip_entries(&mut self) -> Option<()> {
        self.open()?;
        if !self.takes(b']') {
            loop {
                self.skip()?;
                if self.takes(b']') {
                    break;
                }
                self.takes(b',').then_some(())?;
            }
        }
        self.depth += 1;
        Some(())
    }

    pub(super) fn skip_members(&mut self) -> Option<()> {
        self.open()?;
        let mut count = 0;
        if !self.takes(b'}') {
            loop {
                (self.visible()? == b'"' && count < self.max_keys).then_some(())?;
                count += 1;
                let (content, _) = self.content()?;
                (content.len() <= self.max_held_bytes && self.takes(b':')).then_some(())?;
                self.skip()?;
                if self.takes(b'}') {
                    break;
                }
                self.takes(b',').then_some(())?;
            }
        }
        self.depth += 1;
        Some(())
    }
}

/// The keys of a map that has to see whether one is given twice.
pub(super) struct Names<'de> {
    /// Where they begin in the list of all.
    base: usize,
    /// A bit for each of them, which several may share.
    filter: u64,
    /// All of them, once they are many.
    many: BTreeSet<&'de str>,
}

/// The most keys that are compared one by one.
const FEW: usize = 16;

impl<'de> Names<'de> {
    pub(super) fn new(base: usize) -> Self {
        Self { base, filter: 0, many: BTreeSet::new() }
    }

    /// Adds a key, unless it is there already or may be, spelled in another way.
    #[inline]
    pub(super) fn add(&mut self, key: Option<&'de str>, keys: &mut Vec<&'de str>) -> Option<()> {
        let key = key?;
        if !self.many.is_empty() {
            return self.many.insert(key).then_some(());
        }
        let bytes = key.as_bytes();
        let byte = |at: usize| u64::from(bytes.get(at).copied().unwrap_or_default());
        let end = bytes.len().wrapping_sub(1);
        let mixed = byte(0) ^ byte(end) << 3 ^ byte(end.wrapping_sub(1)) << 1 ^ end as u64;
        let bit = 1 << (mixed & 63);
        let known = keys.get(self.base..)?;
        if self.filter & bit != 0 && known.contains(&key) {
            return None;
        }
        if known.len() >= FEW {
            self.many.extend(known);
            return self.many.insert(key).then_some(());
        }
        self.filter |= bit;
        keys.push(key);
        Some(())
    }
}
