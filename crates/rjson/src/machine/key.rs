//! Keys: quoted strings and identifiers, handed out whole.
//!
//! A double-quoted key without escapes that lies in one chunk borrows it; any other is collected in
//! `held` as JSON text, opening quote first. The limit counts the content as JSON text in both ways,
//! so it strikes at the same byte.

use super::escape::Rules;
use super::grammar::Expect;
use super::string::Quote;
use super::token::{Kind, RawKind, RawToken, Text};
use super::{Lex, Machine, Step};
use crate::chars::{floor_boundary, is_id_part, is_id_start};
use crate::diagnostic::Code;
use crate::error::ErrorKind;
use crate::escape::{escaped_len, push_char, unescape_into};
use crate::scan;

impl Machine {
    /// The first byte of a key, or the closing bracket of an empty object.
    pub(super) fn open_key<'c>(
        &mut self,
        byte: u8,
        input: &mut &'c str,
    ) -> Result<Step<'c>, ErrorKind> {
        if byte == b'}' && self.expect == Expect::FirstKey {
            return Ok(self.close(Kind::ObjectEnd, "}", input));
        }
        let relaxed = self.relaxed();
        let lex = match byte {
            b'"' => Lex::Key(Quote::Double),
            b'\'' if relaxed => Lex::Key(Quote::Single),
            b'\\' if relaxed => Lex::Identifier,
            _ if relaxed && input.starts_with(is_id_start) => Lex::Identifier,
            _ if self.expect == Expect::FirstKey => {
                return Err(ErrorKind::Syntax { expected: "a key or `}`" });
            }
            _ => return Err(ErrorKind::Syntax { expected: "a key" }),
        };
        let max = self.options.max_keys;
        if !self.stack.last_mut().is_some_and(|frame| frame.count_key(max)) {
            return Err(ErrorKind::TooManyKeys);
        }
        self.start = self.offset;
        if lex == Lex::Key(Quote::Double) {
            if let Some(step) = self.whole_key(input) {
                return Ok(step);
            }
        } else {
            self.deviated = true;
        }
        self.lex = lex;
        self.held.clear();
        self.held.push('"');
        match lex {
            Lex::Key(quote) => {
                self.take(input, 1);
                self.key(quote, input)
            }
            _ => self.identifier(input),
        }
    }

    /// The fast way: all of a plain key lies in `input`.
    fn whole_key<'c>(&mut self, input: &mut &'c str) -> Option<Step<'c>> {
        let inside = input.get(1..)?;
        let length = scan::stop(inside.as_bytes());
        self.meter_run(length, inside.len());
        if length > self.options.max_held_bytes || inside.as_bytes().get(length) != Some(&b'"') {
            return None;
        }
        let key = inside.get(..length)?;
        let wire = self.take(input, length + 2);
        self.quoted = self.offset;
        Some(self.key_piece(Text::Given(key), Text::Given(wire)))
    }

    /// Inside a quoted key.
    pub(super) fn key<'c>(
        &mut self,
        quote: Quote,
        input: &mut &'c str,
    ) -> Result<Step<'c>, ErrorKind> {
        loop {
            if self.escape.is_open() || input.starts_with('\\') {
                if !self.key_escape(self.rules(), input)? {
                    return Ok(Step::Need);
                }
                continue;
            }
            let run = quote.plain_run(input.as_bytes());
            self.meter_run(run, input.len());
            let fitting = floor_boundary(input, run.min(self.room()));
            let text = self.take(input, fitting);
            self.held.push_str(text);
            if fitting < run {
                return Err(ErrorKind::TooLarge);
            }
            let Some(c) = input.chars().next() else { return Ok(Step::Need) };
            if c == char::from(quote.byte()) {
                self.take(input, 1);
                self.quoted = self.offset;
                return Ok(self.key_done());
            }
            if c != '\\' {
                let c = self.raw(c)?;
                self.key_char(c)?;
                self.take(input, c.len_utf8());
            }
        }
    }

    /// Inside an identifier.
    pub(super) fn identifier<'c>(&mut self, input: &mut &'c str) -> Result<Step<'c>, ErrorKind> {
        loop {
            if self.escape.is_open() || input.starts_with('\\') {
                if !self.key_escape(Rules::Identifier, input)? {
                    return Ok(Step::Need);
                }
                continue;
            }
            let Some(c) = input.chars().next() else { return Ok(Step::Need) };
            self.meter(c.len_utf8());
            if !is_id_part(c) {
                return Ok(self.key_done());
            }
            self.key_char(c)?;
            self.take(input, c.len_utf8());
        }
    }

    /// Reads an escape of a key; false when the chunk ends first.
    fn key_escape(&mut self, rules: Rules, input: &mut &str) -> Result<bool, ErrorKind> {
        let Some((unit, last)) = self.escape_unit(rules, input)? else { return Ok(false) };
        let length = match unit.decoded {
            _ if unit.strict && rules != Rules::Identifier => self.escape.text().len(),
            Some(_) if unit.invalid => 4,
            Some(c) => escaped_len(c),
            None => 0,
        };
        if length > self.room() {
            return Err(ErrorKind::TooLarge);
        }
        match unit.decoded {
            Some(c) if rules == Rules::Identifier => {
                let first = self.held.len() == 1;
                if !(if first { is_id_start(c) } else { is_id_part(c) }) {
                    return Err(ErrorKind::Syntax { expected: "a character of an identifier" });
                }
                self.held.push(c);
            }
            _ if unit.strict => self.held.push_str(self.escape.text()),
            Some(_) if unit.invalid => {
                let (kept, (start, end)) = self.invalid_escape(&unit);
                kept.chars().for_each(|c| push_char(&mut self.held, c));
                self.key_notes.push(RawToken::diagnostic(Code::InvalidEscape, (start, end)));
            }
            Some(c) => push_char(&mut self.held, c),
            None => {}
        }
        self.deviated |= !unit.strict;
        self.take(input, last);
        Ok(true)
    }

    fn key_char(&mut self, c: char) -> Result<(), ErrorKind> {
        if escaped_len(c) > self.room() {
            return Err(ErrorKind::TooLarge);
        }
        push_char(&mut self.held, c);
        Ok(())
    }

    /// The bytes the key may still grow by.
    fn room(&self) -> usize {
        // `held` begins with the quote, which does not count.
        self.options.max_held_bytes.saturating_add(1).saturating_sub(self.held.len())
    }

    fn key_done<'c>(&mut self) -> Step<'c> {
        self.held.push('"');
        let inside = self.resolve(Text::HeldInside);
        let key = if memchr::memchr(b'\\', inside.as_bytes()).is_some() {
            let mut decoded = core::mem::take(&mut self.decoded);
            decoded.clear();
            unescape_into(&mut decoded, self.resolve(Text::HeldInside));
            self.decoded = decoded;
            Text::Decoded
        } else {
            Text::HeldInside
        };
        self.key_piece(key, Text::Held)
    }

    fn key_piece<'c>(&mut self, key: Text<'c>, wire: Text<'c>) -> Step<'c> {
        self.lex = Lex::Between;
        self.expect = Expect::Colon;
        self.pending.extend(self.key_notes.drain(..));
        Step::Token(RawToken { kind: RawKind::Key(key), wire, start: self.start, end: self.offset })
    }
}
