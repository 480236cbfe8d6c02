//! Whole plain tokens in a row: the fast way for those who want values and no wire text.
//!
//! Most of a text is strict JSON whose tokens lie whole in a chunk. A burst takes these without
//! making tokens of them. It goes by the same states as [`Machine::next`] and stops *before* the
//! first thing it is not sure of: what the chunk cuts, escapes in keys, trailing commas, everything
//! else that is not strict JSON, and every limit. So `next` alone decides about errors and notes.

use super::ahead::Ahead;
use super::grammar::Expect;
use super::{Lex, Machine};
use crate::error::{Diagnostic, Error};

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
    fn note(&mut self, note: Diagnostic);
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
        let mut at = 0;
        let mut result = Ok(());
        while let Some(behind) = self.whole(&ahead, at, to, &mut result) {
            at = behind;
        }
        self.meter(at);
        self.take(input, at);
        result.map(|()| false)
    }

    /// Takes one token, with the colon of a key, and gives the place behind it.
    #[inline]
    fn whole<W: Whole>(
        &mut self,
        ahead: &Ahead<'_>,
        at: usize,
        to: &mut W,
        result: &mut Result<(), Error>,
    ) -> Option<usize> {
        let at = ahead.blanks(at);
        let byte = ahead.byte(at)?;
        match self.expect {
            Expect::Value => self.whole_value(ahead, at, byte, to),
            Expect::Next => match byte {
                b',' => self.whole_comma(ahead, at),
                b'}' if self.stack.in_object() => Some(self.whole_end(at, to)),
                b']' if !self.stack.in_object() => Some(self.whole_end(at, to)),
                _ => None,
            },
            Expect::Key if byte == b'"' && result.is_ok() => self.whole_name(ahead, at, to, result),
            Expect::FirstKey => match byte {
                b'"' => self.whole_name(ahead, at, to, result),
                b'}' => Some(self.whole_end(at, to)),
                _ => None,
            },
            Expect::FirstValue if byte == b']' => Some(self.whole_end(at, to)),
            Expect::FirstValue => self.whole_value(ahead, at, byte, to),
            _ => None,
        }
    }

    #[inline]
    fn whole_end<W: Whole>(&mut self, at: usize, to: &mut W) -> usize {
        self.stack.pop();
        self.value_done();
        to.end();
        at + 1
    }

    /// A comma that surely is no trailing one.
    #[inline]
    fn whole_comma(&mut self, ahead: &Ahead<'_>, at: usize) -> Option<usize> {
        let next = ahead.blanks(at + 1);
        let begins = match ahead.byte(next)? {
            b'"' => true,
            b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => !self.stack.in_object(),
            _ => false,
        };
        if !begins || next - at > self.options.max_held_bytes.max(1) {
            return None;
        }
        self.expect = if self.stack.in_object() { Expect::Key } else { Expect::Value };
        Some(next)
    }

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
        let colon = ahead.blanks(end);
        if ahead.byte(colon) == Some(b':') && result.is_ok() {
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
