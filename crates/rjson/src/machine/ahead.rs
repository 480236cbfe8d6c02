//! The text before a burst, looked at a token at a time.

use core::cell::Cell;

use crate::chars::is_strict_blank;
use crate::machine::{strict_run, strict_run_single};
use crate::number::json_length;
use crate::scan;

/// What lies before a burst.
pub(crate) struct Ahead<'c> {
    text: &'c str,
    /// The offset of its first byte.
    offset: u64,
    short: Cell<bool>,
}

impl<'c> Ahead<'c> {
    pub(crate) fn new(text: &'c str, offset: u64) -> Self {
        Self { text, offset, short: Cell::new(false) }
    }

    pub(crate) fn text(&self) -> &'c str {
        self.text
    }

    /// Whether an answer would have taken more text than there is.
    pub(crate) fn is_short(&self) -> bool {
        self.short.get()
    }

    #[inline]
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        let byte = self.text.as_bytes().get(at).copied();
        if byte.is_none() {
            self.short.set(true);
        }
        byte
    }

    #[inline]
    fn bytes(&self, from: usize) -> &'c [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Where the blanks that begin at a place end.
    #[inline]
    pub(crate) fn blanks(&self, from: usize) -> usize {
        let mut at = from;
        while self.text.as_bytes().get(at).is_some_and(|&byte| is_strict_blank(byte)) {
            at += 1;
        }
        at
    }

    /// The first byte from a place on that is no blank, and its place.
    #[inline]
    pub(crate) fn visible(&self, from: usize) -> Option<(usize, u8)> {
        let mut at = from;
        loop {
            let byte = self.byte(at)?;
            if !is_strict_blank(byte) {
                return Some((at, byte));
            }
            at += 1;
        }
    }

    #[inline]
    pub(crate) fn span(&self, start: usize, end: usize) -> (u64, u64) {
        (self.offset + start as u64, self.offset + end as u64)
    }

    /// The text of a key without escapes whose opening quote is at a place.
    #[inline]
    pub(crate) fn name(&self, at: usize) -> Option<&'c str> {
        let from = at + 1;
        let length = scan::stop_soon(self.bytes(from));
        if self.byte(from + length)? != b'"' {
            return None;
        }
        self.text.get(from..from + length)
    }

    /// The content of the strict string whose opening quote is at a place, and whether there are
    /// escapes in it.
    #[inline]
    pub(crate) fn string(&self, at: usize) -> Option<(&'c str, bool)> {
        self.quoted(at, b'"', scan::stop_soon, strict_run)
    }

    /// The same of a string in single quotes, without double quotes in it.
    pub(crate) fn single(&self, at: usize) -> Option<(&'c str, bool)> {
        self.quoted(at, b'\'', scan::stop_single, strict_run_single)
    }

    #[inline]
    fn quoted(
        &self,
        at: usize,
        quote: u8,
        stop: impl FnOnce(&[u8]) -> usize,
        run: impl FnOnce(&[u8]) -> usize,
    ) -> Option<(&'c str, bool)> {
        let from = at + 1;
        let bytes = self.bytes(from);
        let mut length = stop(bytes);
        let escaped = bytes.get(length) == Some(&b'\\');
        if escaped {
            length += run(bytes.get(length..)?);
        }
        if self.byte(from + length)? != quote {
            return None;
        }
        Some((self.text.get(from..from + length)?, escaped))
    }

    /// The ASCII identifier at a place.
    pub(crate) fn identifier(&self, at: usize) -> Option<&'c str> {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        if self.byte(at)?.is_ascii_digit() {
            return None;
        }
        let length = self.bytes(at).iter().take_while(|byte| part(byte)).count();
        self.byte(at + length)?;
        self.text.get(at..at + length).filter(|name| !name.is_empty())
    }

    /// The number at a place, if it surely ends there.
    #[inline]
    pub(crate) fn number(&self, at: usize) -> Option<&'c str> {
        let (length, whole) = match json_length(self.bytes(at)) {
            Ok(length) => (length, true),
            // It stops where more of it would have to come, which may be the end of the text.
            Err(length) => (length, false),
        };
        let end = at + length;
        if !self.ends(end) || !whole {
            return None;
        }
        self.text.get(at..end)
    }

    /// The literal at a place and its length, if it surely ends there.
    #[inline]
    pub(crate) fn literal(&self, at: usize) -> Option<(Option<bool>, usize)> {
        let (literal, text) = match self.byte(at)? {
            b't' => (Some(true), "true"),
            b'f' => (Some(false), "false"),
            b'n' => (None, "null"),
            b'T' => (Some(true), "True"),
            b'F' => (Some(false), "False"),
            b'N' => (None, "None"),
            _ => return None,
        };
        let found = self.bytes(at).starts_with(text.as_bytes()) && self.ends(at + text.len());
        found.then_some((literal, text.len()))
    }

    /// Whether a number or literal surely ends at a place.
    #[inline]
    fn ends(&self, at: usize) -> bool {
        matches!(self.byte(at), Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
    }
}
