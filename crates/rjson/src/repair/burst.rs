//! Whole plain tokens in a row, as in strict or relaxed reading: what damaged text mostly consists of.
//!
//! A burst takes a member or entry with the comma before it, or a closing bracket with a trailing
//! comma, where the rules can only read it as relaxed mode does: keys that are quoted or plain
//! identifiers, the colon in its place, and behind a string what proves its end. Only the comma may be
//! missing. It stops before everything else, which is then read step by step. So the rules have one source, and
//! a burst only ever agrees with it.

use super::before::{Before, LONG, Member};
use super::frames::{Frame, Shape};
use super::look::More;
use super::wake::Wake;
use super::{Repair, State};
use crate::diagnostic::Code;
use crate::error::Error;
use crate::machine::Whole;

/// How much may wait until a burst knows what it is, before it is read step by step.
const WAIT: usize = 512;
/// The most closing brackets in a row that are looked at.
const CLOSERS: usize = 32;

impl Repair {
    /// As [`Machine::burst`](crate::Machine).
    pub(crate) fn burst<W: Whole>(&mut self, input: &mut &str, to: &mut W) -> Result<bool, Error> {
        let ready = matches!(self.state, State::Next | State::Key | State::Entry)
            && self.lead.is_empty()
            && self.queue.is_empty()
            && self.failed.is_none()
            && self.comment.is_none()
            && !self.escaped
            && self.guide.is_none()
            && self.options.max_held_bytes >= 4 * WAIT;
        if !ready {
            return Ok(false);
        }
        let chunk = *input;
        loop {
            let mut taken = 0;
            if self.ended || self.is_due() {
                self.waiting = false;
                let short;
                (taken, short) = self.burst_window(to);
                if !short? || self.ended || self.window.len() - self.pos >= WAIT {
                    return Ok(false);
                }
                self.wait(More::of(Wake::Any));
            }
            // Where it goes well, the chunk is read in its place. What stops there is looked at once
            // more, in the window, and the chunk only again behind it: so no look is made twice.
            if taken > 0 && self.give_back(chunk, input) && !self.burst_input(input, to)? {
                return Ok(false);
            }
            if input.is_empty() {
                return Ok(true);
            }
            self.refill(input);
        }
    }

    pub(crate) fn end_input(&mut self) {
        self.ended = true;
    }

    /// Takes what the window holds: how many bytes, and whether there is too little for more.
    fn burst_window<W: Whole>(&mut self, to: &mut W) -> (usize, Result<bool, Error>) {
        let window = core::mem::take(&mut self.window);
        let (at, short) = self.burst_text(window.get(self.pos..).unwrap_or_default(), to);
        self.window = window;
        self.pos += at;
        (at, short)
    }

    /// Takes what the input holds, with nothing in the window; whether it holds too little for more.
    fn burst_input<W: Whole>(&mut self, input: &mut &str, to: &mut W) -> Result<bool, Error> {
        self.waiting = false;
        let (at, short) = self.burst_text(input, to);
        self.base += at as u64;
        *input = input.get(at..).unwrap_or_default();
        short
    }

    /// The same of a text at the front.
    fn burst_text<W: Whole>(&mut self, text: &str, to: &mut W) -> (usize, Result<bool, Error>) {
        let ahead = Before::new(text, self.offset());
        let (mut at, mut result) = (0, Ok(()));
        while result.is_ok()
            && let Some(end) = self.whole(&ahead, at, to, &mut result)
        {
            at = end;
            self.patience.token();
        }
        self.deviated |= ahead.comment_before(at);
        self.meter.count(at);
        (at, result.map(|()| ahead.is_short_behind(at)))
    }

    fn whole<W: Whole>(
        &mut self,
        ahead: &Before<'_>,
        at: usize,
        to: &mut W,
        result: &mut Result<(), Error>,
    ) -> Option<usize> {
        let top = *self.stack.last()?;
        if top.implied || top.doubled || top.shape == Shape::Group {
            return None;
        }
        let at = ahead.gap(at)?;
        let byte = ahead.byte(at)?;
        let first = self.state != State::Next;
        if first && top.count > 0 {
            return None;
        }
        let (item, missing) = match byte {
            b',' if !first => (ahead.gap(at + 1)?, false),
            _ => (at, !first && char::from(byte) != top.closer),
        };
        if char::from(ahead.byte(item)?) == top.closer {
            if self.stack.len() == 1 {
                return None;
            }
            if item > at {
                let comma = ahead.span(at, at + 1);
                self.deviated = true;
                to.diagnostic(Code::TrailingComma, comma);
            }
            self.stack.pop();
            self.state = State::Next;
            to.end();
            return Some(item + 1);
        }
        let at = item;
        let separate = |to: &mut W| {
            if missing {
                let (at, _) = ahead.span(at, at);
                to.diagnostic(Code::MissingComma, (at, at));
            }
        };
        if top.shape == Shape::Array {
            if missing && !begins_entry(ahead.byte(at)?) {
                return None;
            }
            let taken = self.whole_value(ahead, at, to, |to| {
                separate(to);
                true
            });
            self.deviated |= missing && taken.is_some();
            return taken;
        }
        if top.count >= self.options.max_keys {
            return None;
        }
        let place = self.stack.len().saturating_sub(1);
        let Member { name, end, value } = ahead.member(at)?;
        let span = ahead.span(at, end);
        let quote = ahead.byte(at)?;
        let taken = self.whole_value(ahead, value, to, |to| {
            separate(to);
            *result = to.key(name, span);
            result.is_ok()
        });
        self.deviated |= (quote != b'"' || missing) && taken.is_some();
        // A key in single quotes is not one without any: what the end cuts is no such key.
        if !matches!(quote, b'"' | b'\'') && taken.is_some() {
            self.with_bare_key(place);
        }
        taken
    }

    /// Takes a value, if it is one that can be taken; `key` is told before, and may refuse.
    fn whole_value<W: Whole>(
        &mut self,
        ahead: &Before<'_>,
        at: usize,
        to: &mut W,
        key: impl FnOnce(&mut W) -> bool,
    ) -> Option<usize> {
        let byte = ahead.byte(at)?;
        match byte {
            b'"' | b'\'' => {
                let single = byte == b'\'';
                let found = if single { ahead.single(at) } else { ahead.string(at) };
                let (content, escaped) = found?;
                let end = at + content.len() + 2;
                if !self.string_surely_ends(ahead, end)? {
                    return None;
                }
                self.deviated |= single;
                if key(to) {
                    to.string(content, escaped);
                }
                self.whole_done(end)
            }
            b'{' | b'[' => {
                let object = byte == b'{';
                // Otherwise it may be a set, or doubled.
                let certain = !object || ahead.member(ahead.gap(at + 1)?).is_some();
                if !certain || self.stack.len() >= self.options.max_depth {
                    return None;
                }
                if key(to) {
                    to.begin(object);
                }
                self.whole_done(at)?;
                let (shape, closer, state) = if object {
                    (Shape::Object, '}', State::Key)
                } else {
                    (Shape::Array, ']', State::Entry)
                };
                self.stack.push(Frame::new(shape, closer));
                self.state = state;
                Some(at + 1)
            }
            b'-' | b'0'..=b'9' => {
                let number = ahead.number(at).filter(|number| number.len() <= LONG)?;
                let end = at + number.len();
                if !self.word_surely_ends(ahead, end)? {
                    return None;
                }
                if key(to) {
                    to.number(number, ahead.span(at, end));
                }
                self.whole_done(end)
            }
            b't' | b'f' | b'n' | b'T' | b'F' | b'N' => {
                let (literal, length) = ahead.literal(at)?;
                if !self.word_surely_ends(ahead, at + length)? {
                    return None;
                }
                self.deviated |= byte.is_ascii_uppercase();
                if key(to) {
                    to.literal(literal);
                }
                self.whole_done(at + length)
            }
            _ => None,
        }
    }

    /// Counts the entry or member that has been taken.
    fn whole_done(&mut self, end: usize) -> Option<usize> {
        self.stack.last_mut()?.count += 1;
        self.state = State::Next;
        Some(end)
    }

    /// Whether a number or literal that ends at a place is not the beginning of bare text.
    fn word_surely_ends(&self, ahead: &Before<'_>, end: usize) -> Option<bool> {
        let at = ahead.gap(end)?;
        Some(match ahead.byte(at)? {
            b'}' | b']' => true,
            b',' if self.in_object() => {
                let next = ahead.gap(at + 1)?;
                matches!(ahead.byte(next)?, b'"' | b'\'' | b'}') || ahead.member(next).is_some()
            }
            b',' => true,
            // A comma is missing.
            byte if self.in_array() => begins_entry(byte),
            _ => ahead.member(at).is_some(),
        })
    }

    /// Whether the quote before a place surely ends its string: a member or an entry follows, with a
    /// comma or without, or closing brackets that suit and a comma or nothing open behind them.
    fn string_surely_ends(&self, ahead: &Before<'_>, end: usize) -> Option<bool> {
        let mut at = ahead.gap_behind_quote(end)?;
        let byte = ahead.byte(at)?;
        if byte == b',' {
            let next = ahead.gap(at + 1)?;
            let byte = ahead.byte(next)?;
            if self.in_object() {
                return Some(byte == b'}' || ahead.member(next).is_some());
            }
            return Some(byte == b']' || begins_entry(byte));
        }
        // A comma is missing; three quotes in a row are something else.
        if matches!(byte, b'"' | b'\'') {
            return Some(at > end && (self.in_array() || ahead.member(at).is_some()));
        }
        if matches!(byte, b'{' | b'[') {
            return Some(self.in_array());
        }
        for (count, frame) in self.stack.iter().rev().enumerate() {
            let Some(byte) = ahead.byte(at) else {
                return (self.ended && count > 0).then_some(true);
            };
            if byte == b',' && count > 0 {
                return Some(true);
            }
            if char::from(byte) != frame.closer
                || frame.doubled
                || frame.implied
                || count == CLOSERS
            {
                return Some(false);
            }
            at = ahead.short_blanks(at + 1)?;
        }
        // The root is closed: any character, or the end, may follow.
        Some(self.ended || ahead.byte(at).is_some())
    }
}

/// Whether an entry of an array surely begins with this byte.
fn begins_entry(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9')
}
