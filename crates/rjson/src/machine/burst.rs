//! Whole plain tokens in a row: the fast way for those who want values and no wire text.
//!
//! Most of a text is strict JSON whose tokens lie whole in a chunk. A burst takes these without
//! making tokens of them. It goes by the same states as [`Machine::next`] and stops *before* the
//! first thing it is not sure of: what the chunk cuts, escapes in keys, trailing commas, everything
//! else that is not strict JSON, and every limit. So `next` alone decides about errors and notes.

use super::ahead::Ahead;
use super::grammar::Expect;
use super::{Lex, Machine};
use crate::diagnostic::Code;
use crate::error::Error;

/// Takes whole tokens.
pub(crate) trait Whole {
    /// A container begins; `object` or an array.
    fn begin(&mut self, object: bool);
    fn end(&mut self);
    fn key(&mut self, name: &str, span: (u64, u64)) -> Result<(), Error>;
    /// The content of a string, and whether there are escapes in it.
    fn string(&mut self, content: &str, escaped: bool);
    fn number(&mut self, wire: &str, span: (u64, u64));
    /// Only in repair mode.
    fn diagnostic(&mut self, code: Code, span: (u64, u64));
    /// A truth value, or `null`.
    fn literal(&mut self, literal: Option<bool>);
}

impl Machine {
    /// Takes whole plain tokens from the front of `input`, as many as there are. True: `input` is
    /// empty, and a token is only certain with the text behind it.
    ///
    /// # Errors
    /// Those of the taker, which ends the burst behind the token that was refused.
    #[inline]
    pub(crate) fn burst<W: Whole>(&mut self, input: &mut &str, to: &mut W) -> Result<bool, Error> {
        if let Some(repair) = &mut self.repair {
            return repair.burst(input, to);
        }
        let ready = self.lex == Lex::Between
            && self.comma.is_none()
            && self.failed.is_none()
            && self.pending.is_empty();
        if !ready {
            return Ok(false);
        }
        let ahead = Ahead::new(input, self.offset);
        let mut result = Ok(());
        let at = self.wholes(&ahead, to, &mut result);
        self.meter(at);
        if self.take(input, at).ends_with('"') {
            self.quoted = self.offset;
        }
        result.map(|()| false)
    }

    /// Says that nothing comes behind what was pushed, before [`finish`](Self::finish) does.
    pub(crate) fn end_input(&mut self) {
        if let Some(repair) = &mut self.repair {
            repair.end_input();
        }
    }

    /// Takes what it can, and gives the place behind it. One turn takes a comma, a key with its colon
    /// and a value in one go, as they mostly come.
    fn wholes<W: Whole>(
        &mut self,
        ahead: &Ahead<'_>,
        to: &mut W,
        result: &mut Result<(), Error>,
    ) -> usize {
        let mut at = 0;
        loop {
            let Some((mut place, mut byte)) = ahead.visible(at) else { return at };
            if self.expect == Expect::Next && byte == b',' {
                let Some(next) = self.whole_comma(ahead, place) else { return at };
                (place, byte) = next;
                at = place;
            }
            if matches!(self.expect, Expect::Key | Expect::FirstKey) && byte == b'"' {
                let Some(behind) = self.whole_name(ahead, place, to, result) else { return at };
                at = behind;
                match ahead.visible(at) {
                    Some(next) if self.expect == Expect::Value => (place, byte) = next,
                    _ => return at,
                }
            }
            let closes = match (self.expect, byte) {
                (Expect::Value, _) => false,
                (Expect::FirstValue, _) => byte == b']',
                (Expect::FirstKey, b'}') => true,
                (Expect::Next, b'}') if self.stack.in_object() => true,
                (Expect::Next, b']') if !self.stack.in_object() => true,
                _ => return at,
            };
            at = if closes {
                self.whole_end(place, to)
            } else {
                let Some(behind) = self.whole_value(ahead, place, byte, to) else { return at };
                behind
            };
        }
    }

    #[inline]
    fn whole_end<W: Whole>(&mut self, at: usize, to: &mut W) -> usize {
        self.stack.pop();
        self.value_done();
        to.end();
        at + 1
    }

    /// The place behind a comma that surely is no trailing one, where an entry begins, and the first
    /// byte of it.
    #[inline]
    fn whole_comma(&mut self, ahead: &Ahead<'_>, at: usize) -> Option<(usize, u8)> {
        let (next, byte) = ahead.visible(at + 1)?;
        let in_object = self.stack.in_object();
        let begins = match byte {
            b'"' => true,
            b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => !in_object,
            _ => false,
        };
        if !begins || next - at > self.options.max_held_bytes.max(1) {
            return None;
        }
        self.expect = if in_object { Expect::Key } else { Expect::Value };
        Some((next, byte))
    }

    /// Takes a key, with its colon if that follows.
    #[inline]
    fn whole_name<W: Whole>(
        &mut self,
        ahead: &Ahead<'_>,
        at: usize,
        to: &mut W,
        result: &mut Result<(), Error>,
    ) -> Option<usize> {
        let name = ahead.name(at).filter(|name| name.len() <= self.options.max_held_bytes)?;
        let end = at + name.len() + 2;
        if !self.stack.count_key(self.options.max_keys) {
            return None;
        }
        *result = to.key(name, ahead.span(at, end));
        if let Some((colon, b':')) = ahead.visible(end)
            && result.is_ok()
        {
            self.expect = Expect::Value;
            return Some(colon + 1);
        }
        self.expect = Expect::Colon;
        Some(end)
    }

    #[inline]
    fn whole_value<W: Whole>(
        &mut self,
        ahead: &Ahead<'_>,
        at: usize,
        byte: u8,
        to: &mut W,
    ) -> Option<usize> {
        let end = match byte {
            b'"' => {
                let (content, escaped) = ahead.string(at)?;
                to.string(content, escaped);
                at + content.len() + 2
            }
            b'{' | b'[' => {
                if self.stack.depth() >= self.options.max_depth {
                    return None;
                }
                let object = byte == b'{';
                self.stack.push(object);
                self.expect = if object { Expect::FirstKey } else { Expect::FirstValue };
                to.begin(object);
                return Some(at + 1);
            }
            b'-' | b'0'..=b'9' => {
                let number = ahead.number(at)?;
                let end = at + number.len();
                if number.len() > self.options.max_held_bytes {
                    return None;
                }
                to.number(number, ahead.span(at, end));
                end
            }
            b't' | b'f' | b'n' => {
                let (literal, length) = ahead.literal(at)?;
                to.literal(literal);
                at + length
            }
            _ => return None,
        };
        self.value_done();
        Some(end)
    }
}
