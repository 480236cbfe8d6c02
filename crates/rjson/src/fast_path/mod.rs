//! The fast path: whole plain members and entries in a row, for those who want values and no wire text.
//!
//! Most of a text is plain and lies whole in what there is. The fast path takes an entry, or a member
//! with its key, colon and value, in one go, with the comma before it; it takes all of it or nothing,
//! and stops *before* the first thing it is not sure of: what the text cuts, escapes in keys, whatever
//! the grammar does not have, and every limit. So the machines alone decide about errors and repairs.
//! In repair mode it looks ahead as they do, and goes on only where nothing is in doubt.

mod text;

#[cfg(feature = "serde")]
pub(crate) use self::text::string_length;
use self::text::{Member, Text};
use crate::diagnostic::{Code, Error};
use crate::frames::{Frame, Frames, Shape};
use crate::options::Options;
use crate::span::Span;

/// Takes whole tokens.
pub(crate) trait TokenSink {
    /// A container begins; `object` or an array.
    fn begin(&mut self, object: bool);
    fn end(&mut self);
    fn key(&mut self, name: &str, span: Span) -> Result<(), Error>;
    /// The content of a string, and whether there are escapes in it.
    fn string(&mut self, content: &str, escaped: bool);
    fn number(&mut self, wire: &str, span: Span);
    fn diagnostic(&mut self, code: Code, span: Span);
    /// A truth value, or `null`.
    fn literal(&mut self, literal: Option<bool>);
}

/// What is read, as a type: the fast path is compiled for each mode.
pub(crate) trait Grammar {
    /// Comments, single quotes, identifiers, literals of Python, trailing commas.
    const RELAXED: bool;
    /// Missing commas; and what follows a value decides whether it is one.
    const REPAIR: bool;
}

pub(crate) enum Strict {}
pub(crate) enum Relaxed {}
pub(crate) enum Repairing {}

impl Grammar for Strict {
    const RELAXED: bool = false;
    const REPAIR: bool = false;
}

impl Grammar for Relaxed {
    const RELAXED: bool = true;
    const REPAIR: bool = false;
}

impl Grammar for Repairing {
    const RELAXED: bool = true;
    const REPAIR: bool = true;
}

/// In repair mode, the longest run of whitespace and the longest key or number that are taken.
const LONG: usize = 128;
/// The longest gap with comments in it: four of them are within the lookahead bound of repair mode.
const COMMENTED: usize = 60;
/// The most closing brackets in a row that are looked at.
const CLOSERS: usize = 32;

/// The state that the fast path moves on.
pub(crate) struct FastPath<'r> {
    pub(crate) stack: &'r mut Frames,
    pub(crate) options: &'r Options,
    /// Nothing of the innermost container has come yet.
    pub(crate) first: bool,
    /// Something that strict JSON does not have was read.
    pub(crate) deviated: bool,
    /// Nothing comes after the text.
    pub(crate) ended: bool,
}

/// How far it came.
pub(crate) struct Taken {
    pub(crate) bytes: usize,
    pub(crate) items: u64,
    /// The sink refused something; or whether more text would have let it go on.
    pub(crate) short: Result<bool, Error>,
}

impl FastPath<'_> {
    /// Takes what it can of a text whose first byte has this offset.
    #[inline]
    pub(crate) fn run<G: Grammar, W: TokenSink>(
        &mut self,
        text: &str,
        offset: u64,
        to: &mut W,
    ) -> Taken {
        let text = Text::<G>::new(text, offset);
        let (mut at, mut items, mut result) = (0, 0, Ok(()));
        while result.is_ok()
            && let Some(end) = self.item(&text, at, to, &mut result)
        {
            at = end;
            items += 1;
        }
        self.deviated |= text.first_comment.get() < at;
        Taken { bytes: at, items, short: result.map(|()| text.is_short_after(at)) }
    }

    /// Takes an entry, a member or a closing bracket, and gives the place after it.
    #[inline]
    fn item<G: Grammar, W: TokenSink>(
        &mut self,
        text: &Text<'_, G>,
        at: usize,
        to: &mut W,
        result: &mut Result<(), Error>,
    ) -> Option<usize> {
        let top = *self.stack.last()?;
        if G::REPAIR && (top.implied || top.doubled || top.shape == Shape::Group) {
            return None;
        }
        let at = text.gap(at)?;
        let byte = text.byte(at)?;
        let first = self.first;
        if first && top.count > 0 {
            return None;
        }
        let closing = top.closing() as u8;
        let (item, missing) = match byte {
            b',' if !first => (text.gap(at + 1)?, false),
            _ => (at, !first && byte != closing),
        };
        if missing && !G::REPAIR {
            return None;
        }
        let byte = text.byte(item)?;
        if byte == closing {
            if (G::REPAIR && self.stack.len() == 1) || (!G::RELAXED && item > at) {
                return None;
            }
            if item > at {
                self.deviated = true;
                to.diagnostic(Code::TrailingComma, text.span(at, at + 1));
            }
            self.stack.pop();
            self.first = false;
            to.end();
            return Some(item + 1);
        }
        if !G::REPAIR && item - at > self.options.max_held_bytes.max(1) {
            return None;
        }
        let separate = |to: &mut W| {
            if missing {
                to.diagnostic(Code::MissingComma, text.span(item, item));
            }
        };
        if top.shape == Shape::Array {
            if missing && !begins_entry(byte) {
                return None;
            }
            let taken = self.value(text, item, byte, to, |to| {
                separate(to);
                true
            });
            self.deviated |= missing && taken.is_some();
            return taken;
        }
        if top.count as usize >= self.options.max_keys {
            return None;
        }
        let place = self.stack.len() - 1;
        let Member { name, end, value } = text.member(item)?;
        if !G::REPAIR && name.len() > self.options.max_held_bytes {
            return None;
        }
        let span = text.span(item, end);
        let first = text.byte(value)?;
        let taken = self.value(text, value, first, to, |to| {
            separate(to);
            *result = to.key(name, span);
            result.is_ok()
        });
        if result.is_err() {
            // Refused: the key alone was taken.
            self.stack.last_mut()?.count_key(usize::MAX);
            return Some(end);
        }
        let taken = taken?;
        self.deviated |= byte != b'"' || missing;
        if !matches!(byte, b'"' | b'\'')
            && let Some(frame) = self.stack.get_mut(place)
        {
            frame.unquoted = true;
        }
        Some(taken)
    }

    /// Takes a value, if it is one that can be taken; `key` is told before, and may refuse.
    #[inline]
    fn value<G: Grammar, W: TokenSink>(
        &mut self,
        text: &Text<'_, G>,
        at: usize,
        byte: u8,
        to: &mut W,
        key: impl FnOnce(&mut W) -> bool,
    ) -> Option<usize> {
        match byte {
            b'"' => {
                let (content, escaped) = text.string(at)?;
                let end = self.string_ends(text, at + content.len() + 2)?;
                if !key(to) {
                    return None;
                }
                to.string(content, escaped);
                self.done(end)
            }
            b'\'' if G::RELAXED => {
                let (content, escaped) = text.single(at)?;
                let end = self.string_ends(text, at + content.len() + 2)?;
                self.deviated = true;
                if !key(to) {
                    return None;
                }
                to.string(content, escaped);
                self.done(end)
            }
            b'{' | b'[' => {
                let object = byte == b'{';
                let doubtful = G::REPAIR && object && text.member(text.gap(at + 1)?).is_none();
                if doubtful || self.stack.len() >= self.options.max_depth {
                    return None;
                }
                if !key(to) {
                    return None;
                }
                to.begin(object);
                self.done(at)?;
                self.stack.push(if object { Frame::object() } else { Frame::array() });
                self.first = true;
                Some(at + 1)
            }
            b'-' | b'0'..=b'9' => {
                let number = text.number(at)?;
                let end = at + number.len();
                let most = if G::REPAIR { LONG } else { self.options.max_held_bytes };
                if number.len() > most || (G::REPAIR && !self.word_surely_ends(text, end)?) {
                    return None;
                }
                if !key(to) {
                    return None;
                }
                to.number(number, text.span(at, end));
                self.done(end)
            }
            b't' | b'f' | b'n' | b'T' | b'F' | b'N' => {
                let (literal, length) = text.literal(at)?;
                let end = at + length;
                if G::REPAIR && !self.word_surely_ends(text, end)? {
                    return None;
                }
                self.deviated |= byte.is_ascii_uppercase();
                if !key(to) {
                    return None;
                }
                to.literal(literal);
                self.done(end)
            }
            _ => None,
        }
    }

    /// Counts the entry or member that has been taken.
    #[inline]
    fn done(&mut self, end: usize) -> Option<usize> {
        let frame = self.stack.last_mut()?;
        frame.count = frame.count.saturating_add(1);
        self.first = false;
        Some(end)
    }

    /// The place after a string, if it surely ends there.
    #[inline]
    fn string_ends<G: Grammar>(&self, text: &Text<'_, G>, end: usize) -> Option<usize> {
        let ends = match G::REPAIR {
            true => self.string_surely_ends(text, end)?,
            // There, `#` and `/` begin no comment up to the end of the line.
            false => !G::RELAXED || !matches!(text.bytes(end).first(), Some(b'#' | b'/')),
        };
        ends.then_some(end)
    }

    /// Whether a number or literal that ends at a place is not the beginning of unquoted text.
    fn word_surely_ends<G: Grammar>(&self, text: &Text<'_, G>, end: usize) -> Option<bool> {
        let at = text.gap(end)?;
        Some(match text.byte(at)? {
            b'}' | b']' => true,
            b',' if self.stack.in_object() => {
                let next = text.gap(at + 1)?;
                matches!(text.byte(next)?, b'"' | b'\'' | b'}') || text.member(next).is_some()
            }
            b',' => true,
            byte if self.stack.in_array() => begins_entry(byte),
            _ => text.member(at).is_some(),
        })
    }

    /// Whether the quote before a place surely ends its string: a member or an entry follows, with a
    /// comma or without, or closing brackets that suit and a comma or nothing open after them.
    fn string_surely_ends<G: Grammar>(&self, text: &Text<'_, G>, end: usize) -> Option<bool> {
        let mut at = text.gap_after_quote(end)?;
        let byte = text.byte(at)?;
        if byte == b',' {
            let next = text.gap(at + 1)?;
            let byte = text.byte(next)?;
            if self.stack.in_object() {
                return Some(byte == b'}' || text.member(next).is_some());
            }
            return Some(byte == b']' || begins_entry(byte));
        }
        if matches!(byte, b'"' | b'\'') {
            return Some(at > end && (self.stack.in_array() || text.member(at).is_some()));
        }
        if matches!(byte, b'{' | b'[') {
            return Some(self.stack.in_array());
        }
        for (count, frame) in self.stack.iter().rev().enumerate() {
            let Some(byte) = text.byte(at) else {
                return (self.ended && count > 0).then_some(true);
            };
            if byte == b',' && count > 0 {
                return Some(true);
            }
            if char::from(byte) != frame.closing()
                || frame.doubled
                || frame.implied
                || count == CLOSERS
            {
                return Some(false);
            }
            at = text.short_whitespace(at + 1)?;
        }
        Some(self.ended || text.byte(at).is_some())
    }
}

/// Whether an entry of an array surely begins with this byte.
const fn begins_entry(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9')
}
