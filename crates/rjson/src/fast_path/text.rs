//! The text that the fast path reads, looked at a token at a time.

use alloc::string::String;
use core::cell::Cell;
use core::marker::PhantomData;

use super::{COMMENTED, Grammar, LONG};
use crate::chars::{Quote, is_strict_whitespace};
use crate::diagnostic::Span;
use crate::number::read_json;

/// A key, where it stands, and where its value begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'c> {
    pub(super) name: &'c str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) value: usize,
}

/// The text that is read, looked at a token at a time.
pub(super) struct Text<'c, G> {
    text: &'c str,
    /// The offset of its first byte.
    offset: u64,
    /// An answer would have taken more text than there is.
    short: Cell<bool>,
    /// The last member found.
    found: Cell<Option<Member<'c>>>,
    /// The first and the last comment that was passed.
    pub(super) first_comment: Cell<usize>,
    last_comment: Cell<Option<usize>>,
    grammar: PhantomData<G>,
}

impl<'c, G: Grammar> Text<'c, G> {
    pub(super) fn new(text: &'c str, offset: u64) -> Self {
        Self {
            text,
            offset,
            short: Cell::new(false),
            found: Cell::new(None),
            first_comment: Cell::new(usize::MAX),
            last_comment: Cell::new(None),
            grammar: PhantomData,
        }
    }

    /// Whether there is too little text for more after a place up to which all has been taken. What
    /// stands after a comment is not waited for.
    pub(super) fn is_short_after(&self, at: usize) -> bool {
        self.short.get() && self.last_comment.get().is_none_or(|comment| comment < at)
    }

    #[inline]
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        let byte = self.text.as_bytes().get(at).copied();
        if byte.is_none() {
            self.short.set(true);
        }
        byte
    }

    #[inline]
    pub(super) fn bytes(&self, from: usize) -> &'c [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { start: self.offset + start as u64, end: self.offset + end as u64 }
    }

    /// Where the whitespace of strict JSON that begins at a place ends.
    #[inline]
    pub(super) fn whitespace(&self, from: usize) -> usize {
        let mut at = from;
        while self.text.as_bytes().get(at).is_some_and(|&byte| is_strict_whitespace(byte)) {
            at += 1;
        }
        at
    }

    /// The same, if in repair mode it is no long run.
    #[inline]
    pub(super) fn short_whitespace(&self, from: usize) -> Option<usize> {
        let end = self.whitespace(from);
        (!G::REPAIR || end - from <= LONG).then_some(end)
    }

    /// Where whitespace and comments end, if they are no long ones.
    #[inline]
    pub(super) fn gap(&self, from: usize) -> Option<usize> {
        let end = self.short_whitespace(from)?;
        match self.text.as_bytes().get(end) {
            Some(b'/' | b'#') if G::RELAXED => self.gap_after_comment(from, end),
            _ => Some(end),
        }
    }

    /// The same directly after a closing quote, where no comment up to the end of the line begins.
    #[inline]
    pub(super) fn gap_after_quote(&self, from: usize) -> Option<usize> {
        match self.text.as_bytes().get(from..)? {
            [b'#' | b'/', ..] => None,
            _ => self.gap(from),
        }
    }

    #[inline(never)]
    pub(super) fn gap_after_comment(&self, from: usize, comment: usize) -> Option<usize> {
        let mut at = comment;
        while let Some(end) = self.comment(at)? {
            self.first_comment.set(self.first_comment.get().min(at));
            self.last_comment.set(self.last_comment.get().max(Some(at)));
            at = self.whitespace(end);
            if at - from > COMMENTED {
                return None;
            }
        }
        Some(at)
    }

    /// Where the comment that begins at a place ends: before its line end, or after its mark.
    pub(super) fn comment(&self, at: usize) -> Option<Option<usize>> {
        let bytes = self.text.as_bytes();
        let (from, block) = match bytes.get(at) {
            Some(b'#') => (at + 1, false),
            Some(b'/') => match bytes.get(at + 1)? {
                b'/' => (at + 2, false),
                b'*' => (at + 2, true),
                _ => return Some(None),
            },
            _ => return Some(None),
        };
        let rest = bytes.get(from..).unwrap_or_default();
        let near = rest.get(..COMMENTED).unwrap_or(rest);
        let length = if block {
            near.windows(2).position(|two| two == b"*/").map(|at| at + 2)
        } else {
            near.iter().position(|&byte| matches!(byte, b'\n' | b'\r' | 0x80..))
        };
        Some(Some(from + length?))
    }

    /// The member at a place.
    #[inline]
    pub(super) fn member(&self, at: usize) -> Option<Member<'c>> {
        match self.found.get() {
            Some(member) if G::REPAIR && member.start == at => Some(member),
            _ => self.read_member(at),
        }
    }

    #[inline]
    pub(super) fn read_member(&self, at: usize) -> Option<Member<'c>> {
        let quote = self.byte(at)?;
        let (name, end) = match quote {
            b'"' => self.name(at, Quote::Double).map(|name| (name, at + name.len() + 2))?,
            _ if !G::RELAXED => return None,
            b'\'' => self.name(at, Quote::Single).map(|name| (name, at + name.len() + 2))?,
            _ => self.identifier(at).map(|name| (name, at + name.len()))?,
        };
        if G::REPAIR && end - at > LONG {
            return None;
        }
        let quoted = G::RELAXED && matches!(quote, b'"' | b'\'');
        let colon = if quoted { self.gap_after_quote(end)? } else { self.gap(end)? };
        if self.byte(colon)? != b':' {
            return None;
        }
        let member = Member { name, start: at, end, value: self.gap(colon + 1)? };
        if G::REPAIR {
            self.found.set(Some(member));
        }
        Some(member)
    }

    /// The text of a key without escapes whose opening quote is at a place.
    #[inline]
    pub(super) fn name(&self, at: usize, quote: Quote) -> Option<&'c str> {
        let from = at + 1;
        let length = quote.plain_run_soon(self.bytes(from));
        if self.byte(from + length)? != quote.byte() {
            return None;
        }
        self.text.get(from..from + length)
    }

    /// The length of the strict content of the string whose opening quote is at a place, without double
    /// quotes in it; and the content, or nothing where it has escapes and is in `decoded`.
    #[inline]
    pub(super) fn string(
        &self,
        at: usize,
        quote: Quote,
        decoded: &mut String,
    ) -> Option<(usize, Option<&'c str>)> {
        let (length, content) = string_content(self.text.get(at + 1..)?, quote, decoded);
        (self.byte(at + 1 + length)? == quote.byte()).then_some((length, content))
    }

    /// The ASCII identifier at a place.
    pub(super) fn identifier(&self, at: usize) -> Option<&'c str> {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        if self.byte(at)?.is_ascii_digit() {
            return None;
        }
        let length = self.bytes(at).iter().take_while(|byte| part(byte)).count();
        self.byte(at + length)?;
        self.text.get(at..at + length).filter(|name| !name.is_empty())
    }

    /// The number at a place, if it surely ends there, and whether it is exact.
    #[inline]
    pub(super) fn number(&self, at: usize) -> Option<(&'c str, bool)> {
        let (length, exact) = match read_json(self.text.get(at..)?) {
            Ok((length, exact)) => (length, Some(exact)),
            // It stops where more of it would have to come, which may be the end of the text.
            Err(length) => (length, None),
        };
        let end = at + length;
        if !self.ends(end) {
            return None;
        }
        Some((self.text.get(at..end)?, exact?))
    }

    /// The literal at a place and its length, if it surely ends there.
    #[inline]
    pub(super) fn literal(&self, at: usize) -> Option<(Option<bool>, usize)> {
        let (literal, text) = match self.byte(at)? {
            b't' => (Some(true), "true"),
            b'f' => (Some(false), "false"),
            b'n' => (None, "null"),
            b'T' if G::RELAXED => (Some(true), "True"),
            b'F' if G::RELAXED => (Some(false), "False"),
            b'N' if G::RELAXED => (None, "None"),
            _ => return None,
        };
        let found = self.bytes(at).starts_with(text.as_bytes()) && self.ends(at + text.len());
        found.then_some((literal, text.len()))
    }

    /// Whether a number or literal surely ends at a place.
    #[inline]
    pub(super) fn ends(&self, at: usize) -> bool {
        matches!(self.byte(at), Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
    }
}

/// The length of the strict content of a string that begins with `text`; and the content, or nothing where
/// it has escapes and is in `decoded`.
#[inline]
pub(crate) fn string_content<'c>(
    text: &'c str,
    quote: Quote,
    decoded: &mut String,
) -> (usize, Option<&'c str>) {
    let plain = quote.plain_run_soon(text.as_bytes());
    match text.as_bytes().get(plain) {
        Some(b'\\') => (quote.decode_run(text, plain, decoded), None),
        _ => (plain, text.get(..plain)),
    }
}
