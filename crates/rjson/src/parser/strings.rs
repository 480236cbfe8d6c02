//! Strings: values, the hot path, and keys, held until they are whole.
//!
//! In the common case a chunk gives one delta that borrows it: all text up to the closing quote, the
//! first deviation or the end of the chunk. Strict escapes do not end the run. What deviates is
//! re-spelled into a scratch text and goes out in pieces of at most 4 KiB; an escape that the chunk
//! cuts waits until it is whole. A plain key that lies whole in a chunk is not copied.

use super::structure::Expect;
use super::{Lex, Parser, Step, Stepped, Text};
use crate::chars::{Quote, floor_boundary, is_id_part, is_id_start};
use crate::diagnostic::{Code, ErrorKind, Span};
use crate::escape::{Fed, Rules, Unit, escaped_len, push_char, unescape_into};
use crate::machine::{Kind, RawKind, RawToken};
use crate::options::InvalidEscape;

/// The most bytes of one re-spelled token.
const PIECE: usize = 4096;
/// The most bytes one unit adds: an escaped surrogate pair.
const UNIT: usize = 12;

impl Parser {
    #[inline]
    pub(crate) fn string_text<'c>(&mut self, input: &mut &'c str) -> Option<&'c str> {
        let Lex::Text(quote) = self.lex else { return None };
        if self.escape.is_open() || !self.pending.is_empty() || self.failed.is_some() {
            return None;
        }
        let bytes = input.as_bytes();
        let run = quote.strict_run(bytes);
        self.meter.run(run, bytes);
        if run == 0 {
            return None;
        }
        let text = self.take(input, run);
        self.start = self.offset;
        Some(text)
    }

    pub(super) fn open_string<'c>(&mut self, quote: Quote, input: &mut &'c str) -> Step<'c> {
        self.non_strict |= quote == Quote::Single;
        self.lex = Lex::Text(quote);
        let step = self.punctuation(Kind::StringStart, input);
        self.start = self.offset;
        step
    }

    /// Inside a string value.
    pub(super) fn string<'c>(&mut self, quote: Quote, input: &mut &'c str) -> Stepped<'c> {
        if self.escape.is_open() {
            return self.respell(quote, input);
        }
        let bytes = input.as_bytes();
        let Some(&first) = bytes.first() else { return Ok(Step::Need) };
        if first == quote.byte() {
            self.meter.count(1);
            self.value_done();
            self.quoted = Some(self.offset + 1);
            return Ok(self.punctuation(Kind::StringEnd, input));
        }
        if first < b' ' {
            return self.respell(quote, input);
        }
        let run = quote.strict_run(bytes);
        self.meter.run(run, bytes);
        if run == 0 {
            return self.respell(quote, input);
        }
        let text = self.take(input, run);
        Ok(self.delta(Text::Given(text), self.start, self.offset))
    }

    fn delta<'c>(&mut self, wire: Text<'c>, start: u64, end: u64) -> Step<'c> {
        self.start = end;
        Step::Token(RawToken::new(Kind::StringDelta, wire, Span { start, end }))
    }

    /// Collects text that is not strict JSON, and what stands between, until the scratch is full,
    /// the string ends, or the chunk does. An error waits until what is before it has gone out.
    fn respell<'c>(&mut self, quote: Quote, input: &mut &'c str) -> Stepped<'c> {
        self.scratch.clear();
        let start = self.start;
        let (mut end, mut more) = (start, Ok(true));
        // A diagnostic stands after the text it speaks of, wherever the chunks are cut.
        while more == Ok(true) && self.scratch.len() + UNIT <= PIECE && self.pending.is_empty() {
            more = self.respell_one(quote, input);
            end = if more == Ok(true) { self.offset } else { end };
        }
        if end > start {
            return Ok(self.delta(Text::Scratch, start, end));
        }
        more.map(|_| Step::Need)
    }

    /// Re-spells a plain run, an escape or a character; false at the end of the string or the chunk.
    fn respell_one(&mut self, quote: Quote, input: &mut &str) -> Result<bool, ErrorKind> {
        if self.escape.is_open() || input.starts_with('\\') {
            return self.respell_escape(input);
        }
        let Some(first) = input.chars().next() else { return Ok(false) };
        if first == char::from(quote.byte()) {
            return Ok(false);
        }
        if first < ' ' || first == '"' {
            self.meter.count(1);
            let c = self.raw(first)?;
            push_char(&mut self.scratch, c);
            self.take(input, 1);
            return Ok(true);
        }
        let room = PIECE.saturating_sub(self.scratch.len());
        let window = input.get(..floor_boundary(input, room)).unwrap_or_default();
        let run = quote.plain_run(window.as_bytes());
        self.meter.run(run, window);
        let text = self.take(input, run);
        self.scratch.push_str(text);
        Ok(true)
    }

    /// A character that strict JSON would have escaped: a control character, or the other quote.
    pub(super) fn raw(&mut self, c: char) -> Result<char, ErrorKind> {
        match c {
            '\t' | '\n' | '\r' if self.relaxed() => {
                self.non_strict = true;
                Ok(c)
            }
            c if c < ' ' => Err(ErrorKind::Syntax { expected: "no control character in a string" }),
            c => Ok(c),
        }
    }

    fn respell_escape(&mut self, input: &mut &str) -> Result<bool, ErrorKind> {
        let rules = self.rules();
        let Some(unit) = self.escape_unit(rules, input)? else { return Ok(false) };
        if unit.strict {
            self.scratch.push_str(self.escape.text());
        } else if unit.invalid {
            let (kept, span) = self.invalid_escape(&unit);
            kept.chars().for_each(|c| push_char(&mut self.scratch, c));
            self.pending.push_back(RawToken::diagnostic(Code::InvalidEscape, span));
        } else if let Some(c) = unit.decoded {
            push_char(&mut self.scratch, c);
        }
        self.non_strict |= !unit.strict;
        self.take(input, unit.last);
        Ok(true)
    }

    /// What stays of a backslash that begins no escape, and where it stands.
    pub(super) fn invalid_escape(&self, unit: &Unit) -> (&'static str, Span) {
        let keeps = self.options.invalid_escape == InvalidEscape::Keep;
        let (kept, length) = match unit.decoded {
            Some('0') => (if keeps { "\\0" } else { "0" }, 2),
            _ => (if keeps { "\\" } else { "" }, 1),
        };
        let start = self.offset - length;
        (kept, Span { start, end: start + 1 })
    }

    /// Reads an escape; its [last](Unit::last) character is not yet taken. `None`: the chunk ended first.
    pub(super) fn escape_unit(
        &mut self,
        rules: Rules,
        input: &mut &str,
    ) -> Result<Option<Unit>, ErrorKind> {
        let (fed, length) = self.escape.feed(input, rules);
        self.meter.run(length, *input);
        let last = if let Fed::Done(unit) = fed { unit.last } else { 0 };
        self.take(input, length - last);
        match fed {
            Fed::NeedMore => Ok(None),
            Fed::Done(unit) => Ok(Some(unit)),
            Fed::Fail(_, expected) => Err(ErrorKind::Syntax { expected }),
        }
    }
}

impl Parser {
    /// The first byte of a key, or the closing bracket of an empty object.
    pub(super) fn open_key<'c>(&mut self, byte: u8, input: &mut &'c str) -> Stepped<'c> {
        if byte == b'}' && self.expect == Expect::FirstKey {
            return Ok(self.close(Kind::ObjectEnd, input));
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
            self.non_strict = true;
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

    /// The fast path: all of a plain key lies in `input`.
    fn whole_key<'c>(&mut self, input: &mut &'c str) -> Option<Step<'c>> {
        let inside = input.get(1..)?;
        let length = Quote::Double.plain_run(inside.as_bytes());
        self.meter.run(length, inside);
        if length > self.options.max_held_bytes || inside.as_bytes().get(length) != Some(&b'"') {
            return None;
        }
        let key = inside.get(..length)?;
        let wire = self.take(input, length + 2);
        self.quoted = Some(self.offset);
        Some(self.key_token(Text::Given(key), Text::Given(wire)))
    }

    /// Inside a quoted key.
    pub(super) fn key<'c>(&mut self, quote: Quote, input: &mut &'c str) -> Stepped<'c> {
        loop {
            if self.escape.is_open() || input.starts_with('\\') {
                if !self.key_escape(self.rules(), input)? {
                    return Ok(Step::Need);
                }
                continue;
            }
            let run = quote.plain_run(input.as_bytes());
            self.meter.run(run, *input);
            let fitting = floor_boundary(input, run.min(self.room()));
            let text = self.take(input, fitting);
            self.held.push_str(text);
            if fitting < run {
                return Err(ErrorKind::TooLarge);
            }
            let Some(c) = input.chars().next() else { return Ok(Step::Need) };
            if c == char::from(quote.byte()) {
                self.take(input, 1);
                self.quoted = Some(self.offset);
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
    pub(super) fn identifier<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        loop {
            if self.escape.is_open() || input.starts_with('\\') {
                if !self.key_escape(Rules::Identifier, input)? {
                    return Ok(Step::Need);
                }
                continue;
            }
            let Some(c) = input.chars().next() else { return Ok(Step::Need) };
            self.meter.count(c.len_utf8());
            if !is_id_part(c) {
                return Ok(self.key_done());
            }
            self.key_char(c)?;
            self.take(input, c.len_utf8());
        }
    }

    /// Reads an escape of a key; false when the chunk ends first.
    fn key_escape(&mut self, rules: Rules, input: &mut &str) -> Result<bool, ErrorKind> {
        let Some(unit) = self.escape_unit(rules, input)? else { return Ok(false) };
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
                let (kept, span) = self.invalid_escape(&unit);
                kept.chars().for_each(|c| push_char(&mut self.held, c));
                self.key_diagnostics.push(RawToken::diagnostic(Code::InvalidEscape, span));
            }
            Some(c) => push_char(&mut self.held, c),
            None => {}
        }
        self.non_strict |= !unit.strict;
        self.take(input, unit.last);
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
        self.key_token(key, Text::Held)
    }

    fn key_token<'c>(&mut self, key: Text<'c>, wire: Text<'c>) -> Step<'c> {
        self.lex = Lex::Between;
        self.expect = Expect::Colon;
        self.pending.extend(self.key_diagnostics.drain(..));
        Step::Token(RawToken { kind: RawKind::Key(key), wire, span: self.lexeme() })
    }
}
