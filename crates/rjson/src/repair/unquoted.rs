//! Values without quotes.

use super::lookahead::{Ahead, Lookahead, Resume, Seen, Tri};
use super::word::{Brackets, Word, WordScan, classify, classify_cut};
use super::{Frame, Halt, Repair, Shape, State, Step};
use crate::chars::{Quotes, is_closing, is_comma, is_line_end, is_repair_whitespace};
use crate::diagnostic::{Code, ErrorKind, Span};
use crate::escape::escape_into;
use crate::machine::Kind;
use crate::options::NonFinite;

/// How far unquoted text has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextScan {
    /// The offset of its first byte.
    place: u64,
    /// The next byte, from there.
    at: usize,
    /// Open brackets inside it.
    depth: usize,
    /// Inside a tag of markup.
    tag: bool,
}

impl Repair {
    /// A value that begins with neither a quote nor a bracket.
    pub(super) fn unquoted_value(&mut self) -> Step {
        if self.text_scan.is_some_and(|scan| scan.place == self.offset()) {
            return self.unquoted_text();
        }
        let Some(length) = self.word_length()? else {
            return Err(Halt::Error(ErrorKind::TooLarge));
        };
        let word = self.rest().get(..length).unwrap_or_default();
        let value = classify(word, &self.meter);
        if let Some(value) = value {
            let whole = length == self.rest().len() && self.ended;
            if whole || self.ends_here(length)? {
                // `4.` at the end of the input may be a number that was cut.
                return self.word_out(value, length);
            }
        } else if length == self.rest().len()
            && self.ended
            && let Some(value) = classify_cut(word)
        {
            return self.word_out(value, length);
        }
        if let Some((length, lookahead)) = self.call()?
            && self.ends_here(lookahead.at + 1)?
        {
            return self.open_call(length, Code::Call);
        }
        self.unquoted_text()
    }

    /// Whether what the front begins with has been read in part, and is to be read on at once.
    pub(super) fn reads_on(&self) -> bool {
        let place = self.offset();
        self.word_scan.is_some_and(|scan| scan.open && scan.place == place)
            || self.text_scan.is_some_and(|scan| scan.place == place)
    }

    /// Whether a number or literal of this length ends where the word does.
    fn ends_here(&self, length: usize) -> Ahead<bool> {
        let mut lookahead = self.lookahead(length);
        let line = lookahead.skip_whitespace()?;
        let Seen::Char(c) = lookahead.peek()? else { return Ok(true) };
        let glued = lookahead.at == 0;
        if line || matches!(c, '{' | '[' | '}' | ']') || (c == ')' && self.closes_bracket(')')) {
            return Ok(true);
        }
        if is_comma(c) {
            return self.comma_parts(lookahead, c);
        }
        if glued {
            // A key or an entry after a missing comma, and no other quote.
            let quote = Quotes::open(c).is_some();
            return Ok(quote
                && if self.stack.in_object() {
                    lookahead.member_start(true)? == Tri::Yes
                } else {
                    self.stack.in_array() && lookahead.glued_entry()?
                });
        }
        if self.stack.in_object() {
            return Ok(lookahead.member_start(true)?.likely());
        }
        Ok(lookahead.value_start()?
            || lookahead.starts_with("```")?
            || lookahead.starts_with("...")?)
    }

    /// Whether a comma in unquoted text is one between members or entries.
    fn comma_parts(&self, mut lookahead: Lookahead<'_>, comma: char) -> Ahead<bool> {
        if !self.stack.in_object() {
            return Ok(true);
        }
        lookahead.bump(comma);
        let Seen::Char(c) = lookahead.peek_visible()? else { return Ok(true) };
        Ok(is_comma(c)
            || is_closing(c)
            || matches!(c, '{' | '[' | '…')
            || Quotes::open(c).is_some()
            || lookahead.starts_with("...")?
            || lookahead.member_start(false)?.likely()
            || self.cut_key_follows(lookahead)?)
    }

    /// Whether a word that the end of the input cut follows in an object whose keys have no quotes.
    pub(super) fn cut_key_follows(&self, lookahead: Lookahead<'_>) -> Ahead<bool> {
        Ok(self.stack.last().is_some_and(|frame| frame.unquoted) && lookahead.cut_word()?)
    }

    /// Gives out a value of so many bytes.
    pub(super) fn word_out(&mut self, value: Word, length: usize) -> Step {
        let span = self.span(length);
        match value {
            // Its spelling is all that a text has.
            Word::Value { kind: Kind::Number, wire: Some(_), .. } if self.expects_text() => {
                self.word_text(Code::BareText, length);
            }
            Word::Value { kind, wire, code } => {
                self.non_strict |= wire.is_some();
                if let Some(code) = code {
                    self.repaired_pending(code, span);
                }
                self.begin_value();
                match wire {
                    Some(wire) => self.emit(kind, &wire, span),
                    None => self.with_window(self.pos..self.pos + length, |this, wire| {
                        this.emit(kind, wire, span)
                    }),
                }
            }
            Word::Zeros => {
                self.guide_unquoted(span);
                self.word_text(Code::LeadingZeros, length);
            }
            Word::NonFinite(text) => self.non_finite(text, span)?,
        }
        self.take(length);
        self.value_done();
        Ok(())
    }

    /// Gives out a value of so many bytes as the string that it spells.
    fn word_text(&mut self, code: Code, length: usize) {
        let span = self.span(length);
        self.repaired_pending(code, span);
        self.begin_value();
        self.with_window(self.pos..self.pos + length, |this, text| this.string_out(text, span));
    }

    fn non_finite(&mut self, text: &str, span: Span) -> Step {
        self.non_strict = true;
        if self.options.non_finite == NonFinite::Error {
            return Err(Halt::Error(ErrorKind::Syntax { expected: "a value" }));
        }
        self.repaired_pending(Code::of_non_finite(text, self.options.non_finite), span);
        self.begin_value();
        if self.options.non_finite == NonFinite::String {
            self.string_out(text, span);
        } else {
            self.emit_fixed(Kind::Null, span);
        }
        Ok(())
    }

    /// A whole string at once, after what led to it.
    fn string_out(&mut self, text: &str, span: Span) {
        self.non_strict = true;
        self.emit_fixed(Kind::StringStart, Span::empty(span.start));
        self.with_spare(|this, wire| {
            escape_into(wire, text);
            this.emit(Kind::StringDelta, wire, span);
        });
        self.emit_fixed(Kind::StringEnd, Span::empty(span.end));
    }

    /// The length of `Name(` or `new Name(`, if exactly one literal and `)` follow, and the place of
    /// that bracket.
    pub(super) fn call(&self) -> Ahead<Option<(usize, Lookahead<'_>)>> {
        let mut lookahead = self.lookahead(0);
        if lookahead.eat("new ")? {
            lookahead.skip_whitespace()?;
        }
        let start = lookahead.at;
        lookahead
            .pass_while(Resume::Any, |c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))?;
        if lookahead.at == start || lookahead.peek()? != Seen::Char('(') {
            return Ok(None);
        }
        lookahead.bump('(');
        let length = lookahead.at;
        lookahead.skip_whitespace()?;
        if let Some(seen) = lookahead.pass_quoted()? {
            if !seen.is_char() {
                return Ok(None);
            }
        } else {
            let start = lookahead.at;
            lookahead.pass_while(Resume::Delimiter, |c| {
                !(is_repair_whitespace(c)
                    || is_comma(c)
                    || is_closing(c)
                    || matches!(c, '(' | '{' | '['))
            })?;
            if classify(lookahead.since(start), &self.meter).is_none() {
                return Ok(None);
            }
        }
        Ok((lookahead.peek_visible()? == Seen::Char(')')).then_some((length, lookahead)))
    }

    /// A call around one value, whose name and bracket count for nothing.
    pub(super) fn open_call(&mut self, length: usize, code: Code) -> Step {
        let span = self.take(length);
        self.repaired_pending(code, span);
        self.open(Frame::new(Shape::Group, ')'), span)?;
        self.state = State::Value;
        Ok(())
    }

    fn unquoted_text(&mut self) -> Step {
        let place = self.offset();
        let mut scan = match self.text_scan.filter(|scan| scan.place == place) {
            Some(scan) => scan,
            None => self.after_word(place)?,
        };
        let mut brackets = core::mem::take(&mut self.brackets);
        brackets.begin(place);
        let ended = self.text_end(&mut scan, &mut brackets);
        // What has been read is not read again for what follows it.
        (self.text_scan, self.brackets) = (Some(scan), brackets);
        let end = ended?;
        let text =
            self.rest().get(..end).unwrap_or_default().trim_end_matches(is_repair_whitespace);
        let Some(first) = text.chars().next() else {
            // Nothing that a value could begin with.
            self.text_scan = None;
            let first = self.rest().chars().next().unwrap_or(' ');
            return self.skip(first.len_utf8(), Code::Skipped);
        };
        let length = text.len();
        // A quote alone at the end is the closing one of a string without its opening one.
        let alone = text.strip_suffix('"').filter(|text| {
            self.meter.count(text.len());
            first != '"' && !text.contains('"')
        });
        let text = alone.unwrap_or(text);
        if text.len() < length
            && let Some(value) = classify(text, &self.meter)
            && value.is_number()
            && !value.is_repaired()
        {
            let bytes = text.len();
            self.word_out(value, bytes)?;
            let quote = self.take(1);
            self.repaired(Code::MissingQuote, quote);
            return Ok(());
        }
        let bytes = text.len();
        let span = self.span(length);
        self.guide_unquoted(span);
        self.repaired_pending(Code::BareText, span);
        self.begin_value();
        self.with_window(self.pos..self.pos + bytes, |this, text| this.string_out(text, span));
        self.take(length);
        self.value_done();
        Ok(())
    }

    /// Unquoted text begins with a word, if that has been read: nothing in it ends the text.
    fn after_word(&self, place: u64) -> Result<TextScan, Halt> {
        let word = self.word_scan.filter(|scan| scan.place == place && !scan.open);
        let Some(WordScan { at, angle, .. }) = word else {
            return Ok(TextScan { place, at: 0, depth: 0, tag: false });
        };
        let tag = match angle {
            Some(angle) => opens_tag(self.rest(), angle, self.ended)?,
            None => false,
        };
        Ok(TextScan { place, at, depth: 0, tag })
    }

    /// Where unquoted text ends.
    fn text_end(&self, scan: &mut TextScan, brackets: &mut Brackets) -> Result<usize, Halt> {
        let rest = self.rest();
        while let Some(c) = rest.get(scan.at..).and_then(|rest| rest.chars().next()) {
            let (at, depth) = (scan.at, scan.depth);
            self.meter.count(c.len_utf8());
            if at > self.options.max_held_bytes {
                return Err(Halt::Error(ErrorKind::TooLarge));
            }
            let ends = depth == 0
                && match c {
                    '}' | ']' => true,
                    ')' => self.stack.last().is_some_and(|frame| frame.closing() == c),
                    '\\' => self.escaped && self.lookahead(at).escaped_whitespace()?,
                    _ if is_line_end(c) => true,
                    _ if is_comma(c) => self.comma_parts(self.lookahead(at), c)?,
                    _ if is_repair_whitespace(c) => {
                        self.whitespace_parts(at + c.len_utf8(), scan.tag)?
                    }
                    _ => false,
                };
            if ends {
                return Ok(at);
            }
            match c {
                '<' => scan.tag = opens_tag(rest, at, self.ended)?,
                '>' => scan.tag = false,
                '{' | '[' | '('
                    if at > 0 && brackets.close(rest, at, self.ended, &self.meter)? =>
                {
                    scan.depth += 1;
                }
                '{' | '[' if at > 0 && depth == 0 => return Ok(at),
                '}' | ']' | ')' => scan.depth = depth.saturating_sub(1),
                _ => {}
            }
            scan.at += c.len_utf8();
        }
        self.at_end(rest.len())
    }

    /// Whether what follows whitespace in unquoted text is no part of it: a comment, or a member.
    fn whitespace_parts(&self, at: usize, tag: bool) -> Ahead<bool> {
        let lookahead = self.lookahead(at);
        if tag && lookahead.attribute()? {
            return Ok(false);
        }
        let Seen::Char(c) = lookahead.peek()? else { return Ok(false) };
        if is_repair_whitespace(c) {
            return Ok(false);
        }
        Ok(lookahead.line_comment()?
            || lookahead.starts_with("/*")?
            || lookahead.member_start(true)? == Tri::Yes)
    }
}

/// Whether an angle bracket opens a tag of markup: a letter stands after it.
fn opens_tag(text: &str, at: usize, ended: bool) -> Result<bool, Halt> {
    match text.as_bytes().get(at + 1) {
        None if !ended => Err(Halt::until(Resume::Any)),
        byte => Ok(byte.is_some_and(u8::is_ascii_alphabetic)),
    }
}
