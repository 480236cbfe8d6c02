//! The fast path: whole plain members and entries in a row, for those who want values and no wire text.
//!
//! Most of a text is plain and lies whole in what there is. The fast path takes an entry, or a member
//! with its key, colon and value, in one go, with the comma before it; it takes all of it or nothing,
//! and stops *before* the first thing it is not sure of: what the text cuts, escapes in keys, whatever
//! the grammar does not have, and every limit. So the machines alone decide about errors and repairs.
//! In repair mode it looks ahead as they do, and goes on only where nothing is in doubt.

mod text;

#[cfg(feature = "serde")]
pub(crate) use self::text::string_content;
use self::text::{Member, Text};
use crate::chars::Quote;
use crate::diagnostic::{Code, Error};
use crate::machine::{Frame, Frames, Shape};
use crate::options::Options;
use crate::tree::TreeBuilder;

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
/// The most closing brackets in a row that are examined.
const CLOSING: usize = 32;

/// Where in the innermost container the text goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before its first member or entry; in repair mode before any.
    First,
    /// After a member or entry.
    Next,
    /// Before a value: the root, after a colon or the comma of an array (not in repair mode).
    Value,
}

/// The state that the fast path moves on.
pub(crate) struct FastPath<'r> {
    pub(crate) to: &'r mut TreeBuilder,
    pub(crate) stack: &'r mut Frames,
    pub(crate) options: &'r Options,
    pub(crate) place: Place,
    /// Something that strict JSON does not have was read.
    pub(crate) non_strict: bool,
    /// Nothing comes after the text.
    pub(crate) ended: bool,
}

/// How far it came.
pub(crate) struct Taken {
    pub(crate) bytes: usize,
    pub(crate) items: u64,
    /// The tree refused something; or whether more text would have let it go on.
    pub(crate) short: Result<bool, Error>,
}

impl FastPath<'_> {
    /// Takes what it can of a text whose first byte has this offset.
    #[inline]
    pub(crate) fn run<G: Grammar>(&mut self, text: &str, offset: u64) -> Taken {
        let text = Text::<G>::new(text, offset);
        let (mut at, mut items, mut result) = (0, 0, Ok(()));
        if !G::REPAIR && self.place == Place::Value {
            let Some(end) = self.lone_value(&text) else {
                return Taken { bytes: 0, items: 0, short: Ok(text.is_short_after(0)) };
            };
            (at, items) = (end, 1);
        }
        while result.is_ok()
            && let Some(end) = self.item(&text, at, &mut result)
        {
            at = end;
            items += 1;
            if self.place == Place::Value {
                break;
            }
        }
        self.non_strict |= text.first_comment.get() < at;
        Taken { bytes: at, items, short: result.map(|()| text.is_short_after(at)) }
    }

    /// Takes the root, or a value whose key or comma was taken before.
    #[inline(never)]
    fn lone_value<G: Grammar>(&mut self, text: &Text<'_, G>) -> Option<usize> {
        let at = text.gap(0)?;
        self.value(text, at, text.byte(at)?, |_| Some(()))
    }

    /// Takes an entry, a member or a closing bracket, and gives the place after it; outside repair mode
    /// also a key with its colon alone.
    #[inline]
    fn item<G: Grammar>(
        &mut self,
        text: &Text<'_, G>,
        at: usize,
        result: &mut Result<(), Error>,
    ) -> Option<usize> {
        let top = *self.stack.last()?;
        if G::REPAIR && (top.implied || top.doubled || top.shape == Shape::Group) {
            return None;
        }
        let at = text.gap(at)?;
        let byte = text.byte(at)?;
        let first = self.place == Place::First;
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
        if !G::REPAIR && item - at > 1 && item - at > self.options.max_held_bytes {
            return None;
        }
        let byte = text.byte(item)?;
        if byte == closing {
            if (G::REPAIR && self.stack.len() == 1) || (!G::RELAXED && item > at) {
                return None;
            }
            if item > at {
                self.non_strict = true;
                self.to.diagnostic(Code::TrailingComma, text.span(at, at + 1));
            }
            self.stack.pop();
            self.place = Place::Next;
            self.to.end();
            return Some(item + 1);
        }
        if top.shape == Shape::Array {
            if missing && !begins_entry(byte) {
                return None;
            }
            return self.value(text, item, byte, |path| {
                path.separate(text, item, missing);
                path.count()
            });
        }
        if top.count as usize >= self.options.max_keys {
            return None;
        }
        let member = text.member(item)?;
        if !G::REPAIR && member.name.len() > self.options.max_held_bytes {
            return None;
        }
        if let Some(first) = text.byte(member.value) {
            let taken = self.value(text, member.value, first, |path| {
                *result = path.key(text, member, missing);
                result.is_ok().then_some(())
            });
            if taken.is_some() {
                return taken;
            }
        }
        if result.is_ok() {
            // A comment may go on after a character that is not ASCII.
            let ascii = text.bytes(member.value).first().is_none_or(u8::is_ascii);
            if G::REPAIR || !ascii {
                return None;
            }
            // The key alone: its value is cut, or not plain.
            self.place = Place::Value;
            *result = self.key(text, member, missing);
        }
        // What is refused is taken without its colon.
        Some(if result.is_ok() { member.value } else { member.end })
    }

    /// Takes a key, with its colon if it is not refused.
    #[inline]
    fn key<G: Grammar>(
        &mut self,
        text: &Text<'_, G>,
        member: Member<'_>,
        missing: bool,
    ) -> Result<(), Error> {
        self.separate(text, member.start, missing);
        self.count();
        let first = text.bytes(member.start).first();
        self.non_strict |= G::RELAXED && first != Some(&b'"');
        if G::REPAIR
            && !matches!(first, Some(b'"' | b'\''))
            && let Some(frame) = self.stack.last_mut()
        {
            frame.unquoted = true;
        }
        self.to.key(member.name, text.span(member.start, member.end))
    }

    /// Reports a missing comma.
    #[inline]
    fn separate<G: Grammar>(&mut self, text: &Text<'_, G>, at: usize, missing: bool) {
        if missing {
            self.non_strict = true;
            self.to.diagnostic(Code::MissingComma, text.span(at, at));
        }
    }

    /// Takes the value or opening bracket at a place, if it is one that can be taken, and gives the place
    /// after it; `before` acts first, and may refuse.
    #[inline]
    fn value<G: Grammar>(
        &mut self,
        text: &Text<'_, G>,
        at: usize,
        byte: u8,
        before: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<usize> {
        let end = match byte {
            b'"' | b'\'' if G::RELAXED || byte == b'"' => {
                let quote = if byte == b'"' { Quote::Double } else { Quote::Single };
                let (length, content) = text.string(at, quote, &mut self.to.text)?;
                let end = self.string_ends(text, at + length + 2)?;
                before(self)?;
                self.non_strict |= quote == Quote::Single;
                self.to.string(content);
                end
            }
            b'{' | b'[' => {
                let object = byte == b'{';
                let doubtful = G::REPAIR && object && text.member(text.gap(at + 1)?).is_none();
                if doubtful || self.stack.len() >= self.options.max_depth {
                    return None;
                }
                before(self)?;
                self.to.begin(object);
                self.stack.push(if object { Frame::object() } else { Frame::array() });
                self.place = Place::First;
                return Some(at + 1);
            }
            b'-' | b'0'..=b'9' => {
                let (number, exact) = text.number(at)?;
                let end = at + number.len();
                let most = if G::REPAIR { LONG } else { self.options.max_held_bytes };
                if number.len() > most || (G::REPAIR && !self.word_surely_ends(text, end)?) {
                    return None;
                }
                before(self)?;
                if !exact {
                    self.to.diagnostic(Code::NumberPrecision, text.span(at, end));
                }
                self.to.number(number);
                end
            }
            b't' | b'f' | b'n' | b'T' | b'F' | b'N' => {
                let (literal, length) = text.literal(at)?;
                let end = at + length;
                if G::REPAIR && !self.word_surely_ends(text, end)? {
                    return None;
                }
                before(self)?;
                self.non_strict |= byte.is_ascii_uppercase();
                self.to.literal(literal);
                end
            }
            _ => return None,
        };
        self.place = Place::Next;
        Some(end)
    }

    /// Counts the entry or member that is taken.
    #[inline]
    fn count(&mut self) -> Option<()> {
        self.stack.last_mut()?.count_key(usize::MAX);
        Some(())
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
                || count == CLOSING
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
