//! Words: how far one reaches, and which value or key it is; and the brackets in unquoted text.

use alloc::collections::VecDeque;
use alloc::string::String;

use super::key::Diagnosed;
use super::lookahead::{Ahead, BOUND, NeedMore, Resume};
use super::{Halt, Repair, State, Step};
use crate::chars::{
    Quotes, is_closing, is_comma, is_id_part, is_id_start, is_key_char, is_repair_whitespace,
};
use crate::diagnostic::{Code, ErrorKind};
use crate::machine::{Kind, Meter};
use crate::number::{MAX_DIGITS, Numeral, is_json, respell};

/// A word that is a value.
#[derive(Debug, Clone)]
pub(super) enum Word {
    /// A number or literal; how strict JSON spells it, where that is another way or the spelling is fixed; and the code
    /// of the rule, if one made it.
    Value { kind: Kind<'static>, wire: Option<String>, code: Option<Code> },
    /// `NaN`, `Infinity` or `undefined`, as a string spells it.
    NonFinite(&'static str),
    /// Digits with a leading zero, which stay text.
    Zeros,
}

impl Word {
    fn repaired(kind: Kind<'static>, wire: String, code: Code) -> Self {
        Self::Value { kind, wire: Some(wire), code: Some(code) }
    }

    /// A number or literal that only repair mode reads as one.
    pub(super) const fn is_repaired(&self) -> bool {
        matches!(self, Self::Value { code: Some(_), .. })
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Value { kind: Kind::Number, .. })
    }
}

fn is_number(word: &str, meter: &Meter) -> bool {
    let (length, state) = Numeral::Start.read(word.as_bytes(), true);
    meter.run(length, word);
    let is_short = !matches!(state, Numeral::Hex(digits) if digits > MAX_DIGITS);
    length == word.len() && state.is_complete(true) && is_short
}

/// How strict JSON spells a number, where that is another way.
fn respelled(word: &str) -> Option<String> {
    (!is_json(word)).then(|| {
        let mut wire = String::new();
        respell(word, &mut wire);
        wire
    })
}

/// What a whole word is.
pub(super) fn classify(word: &str, meter: &Meter) -> Option<Word> {
    if let Some(kind) = Kind::of_literal(word) {
        let wire = (kind.fixed() != Some(word)).then(String::new);
        return Some(Word::Value { kind, wire, code: None });
    }
    match word {
        "undefined" => return Some(Word::NonFinite("undefined")),
        "NaN" | "+NaN" | "-NaN" => return Some(Word::NonFinite("NaN")),
        "Infinity" | "+Infinity" => return Some(Word::NonFinite("Infinity")),
        "-Infinity" => return Some(Word::NonFinite("-Infinity")),
        _ => {}
    }
    if is_number(word, meter) {
        return Some(Word::Value { kind: Kind::Number, wire: respelled(word), code: None });
    }
    for (text, kind) in
        [("true", Kind::True), ("false", Kind::False), ("null", Kind::Null), ("none", Kind::Null)]
    {
        if word.eq_ignore_ascii_case(text) {
            return Some(Word::repaired(kind, String::new(), Code::KeywordCase));
        }
    }
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Word::Zeros);
    }
    if let Some(wire) = separated(word, meter) {
        return Some(Word::repaired(Kind::Number, wire, Code::DigitSeparators));
    }
    without_exponent(word, meter)
}

/// A number with `_` between digits, without them.
fn separated(word: &str, meter: &Meter) -> Option<String> {
    let bytes = word.as_bytes();
    if !bytes.iter().take(3).any(u8::is_ascii_digit) {
        return None;
    }
    // What no number has shows early that this is none.
    let part = |byte: &&u8| byte.is_ascii_hexdigit() || b"xX+-._".contains(byte);
    let run = bytes.iter().take_while(part).count();
    meter.run(run, word);
    if run < word.len() {
        return None;
    }
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let separates = |(at, _)| at > 0 && digit(at - 1) && digit(at + 1);
    if !word.contains('_') || !word.match_indices('_').all(separates) {
        return None;
    }
    let plain = word.replace('_', "");
    is_number(&plain, meter).then(|| respelled(&plain).unwrap_or(plain))
}

/// A number whose exponent has no digits, without it.
fn without_exponent(word: &str, meter: &Meter) -> Option<Word> {
    let plain = word.strip_suffix(['+', '-']).unwrap_or(word).strip_suffix(['e', 'E'])?;
    let plain = plain.strip_suffix('.').unwrap_or(plain);
    let spelled = || respelled(plain).unwrap_or_else(|| String::from(plain));
    let wire = is_number(plain, meter).then(spelled)?;
    Some(Word::repaired(Kind::Number, wire, Code::CutValue))
}

/// What a word that the end of the input cut is.
pub(super) fn classify_cut(word: &str) -> Option<Word> {
    let cut = |text: &&str| text.len() > word.len() && text.starts_with(word);
    let literal = ["true", "false", "null", "True", "False", "None"].into_iter().find(cut);
    if let Some(kind) = literal.and_then(Kind::of_literal) {
        return Some(Word::repaired(kind, String::new(), Code::CutValue));
    }
    let sign = matches!(word, "-" | "+");
    sign.then(|| Word::repaired(Kind::Null, String::new(), Code::MissingValue))
}

/// How far a word has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordScan {
    /// The offset of its first byte.
    pub(super) place: u64,
    /// The next byte, from there.
    pub(super) at: usize,
    /// An angle bracket in it that none closes.
    pub(super) angle: Option<usize>,
    /// More of it may come.
    pub(super) open: bool,
}

impl Repair {
    /// The length of the word at the front, all of which must be there; none if it is longer than
    /// may be held.
    pub(super) fn word_length(&mut self) -> Result<Option<usize>, Halt> {
        let place = self.offset();
        let fresh = WordScan { place, at: 0, angle: None, open: true };
        let mut scan = self.word_scan.filter(|scan| scan.place == place).unwrap_or(fresh);
        let ended = self.word_end(&mut scan);
        scan.open = ended.is_err();
        // What has been read is not read again for what follows it.
        self.word_scan = Some(scan);
        ended
    }

    fn word_end(&self, scan: &mut WordScan) -> Result<Option<usize>, Halt> {
        let rest = self.rest();
        let mut chars = rest.get(scan.at..).unwrap_or_default().chars();
        while let Some(c) = chars.next() {
            let at = scan.at;
            self.meter.count(c.len_utf8());
            if at > self.options.max_held_bytes {
                return Ok(None);
            }
            let comment = match (c, chars.as_str().bytes().next()) {
                ('#', _) => true,
                ('/', Some(next)) => matches!(next, b'/' | b'*'),
                ('/', None) if !self.ended => return Err(Halt::until(Resume::Fresh)),
                ('\\', _) if self.escaped => self.lookahead(at).escaped_whitespace()?,
                _ => false,
            };
            let mark = is_comma(c) || is_closing(c) || matches!(c, '{' | '[' | '(' | '"' | '\'');
            if comment || mark || is_repair_whitespace(c) || Quotes::open(c).is_some() {
                return Ok(Some(at));
            }
            match c {
                '<' => scan.angle = Some(at),
                '>' => scan.angle = None,
                _ => {}
            }
            scan.at += c.len_utf8();
        }
        self.at_end(Some(rest.len()).filter(|&length| length <= self.options.max_held_bytes))
    }
}

impl Repair {
    pub(super) fn unquoted_key(&mut self, first: char) -> Step {
        let place = self.offset();
        let known = self.word_key.filter(|&(at, _)| at == place).map_or(0, |(_, known)| known);
        let rest = self.rest();
        let fresh = rest.get(known..).unwrap_or_default();
        let (read, half) = key_length(fresh, self.ended);
        self.meter.run(read, fresh);
        let length = known + read;
        // What has been read is not read again for what follows it.
        self.word_key = Some((place, length));
        if half {
            return Err(Halt::until(Resume::Fresh));
        }
        let rest = self.rest();
        if length == 0 {
            return self.skip_word(first);
        }
        if length > self.options.max_held_bytes {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        if length == rest.len() {
            self.at_end(())?;
            return self.cut_key();
        }
        let mut end = length;
        if let Some(c @ ('"' | '\'')) = rest.get(length..).and_then(|rest| rest.chars().next()) {
            let mut lookahead = self.lookahead(length + 1);
            lookahead.skip_whitespace()?;
            if lookahead.colon()? {
                end += c.len_utf8();
            }
        }
        self.with_window(self.pos..self.pos + length, |this, source| {
            this.unquoted_key_read(source, end)
        })
    }

    /// A whole key without quotes, and where it ends.
    fn unquoted_key_read(&mut self, source: &str, end: usize) -> Step {
        let span = self.span(end);
        let at = span.start;
        let decoded = source.contains('\\').then(|| self.decode(source, at, &mut Diagnosed::new()));
        let key = decoded.as_deref().unwrap_or(source);
        let identifier = key.starts_with(is_id_start) && key.chars().all(is_id_part);
        self.non_strict = true;
        self.pending_written(key, span)?;
        self.pos += end;
        if let Some(frame) = self.stack.last_mut() {
            frame.unquoted = true;
        }
        if !identifier || end > source.len() {
            self.repaired_pending(Code::UnquotedKey, span);
        }
        self.state = State::Colon;
        Ok(())
    }
}

/// The length of the key without quotes at the front; a comment ends it. And whether half of the mark
/// of a comment may follow it.
fn key_length(text: &str, ended: bool) -> (usize, bool) {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let comment = match (c, chars.peek()) {
            ('#', _) | ('/', Some((_, '/' | '*'))) => true,
            ('/', None) if !ended => return (at, true),
            _ => false,
        };
        if comment || !is_key_char(c) {
            return (at, false);
        }
    }
    (text.len(), false)
}

/// A pass over the brackets after a place. Positions count from there.
#[derive(Debug, Clone, Default)]
pub(super) struct Brackets {
    place: u64,
    /// The next byte to look at.
    at: usize,
    /// Opening brackets without their partner, as long as it may still be near enough.
    open: VecDeque<usize>,
    /// The first place that can still be asked for.
    from: usize,
    /// Of each place from there on that was looked at: whether a bracket opens there whose partner is near.
    closed: VecDeque<bool>,
}

impl Brackets {
    /// Goes on with a pass, or begins another one.
    pub(super) fn begin(&mut self, place: u64) {
        if self.place != place || self.at == 0 {
            self.place = place;
            self.at = 0;
            self.open.clear();
            self.from = 0;
            self.closed.clear();
        }
    }

    /// Whether the bracket that opens at `from` is closed within the bound. To be asked from left to
    /// right.
    pub(super) fn close(
        &mut self,
        text: &str,
        from: usize,
        ended: bool,
        meter: &Meter,
    ) -> Ahead<bool> {
        let passed = from.saturating_sub(self.from).min(self.closed.len());
        self.closed.drain(..passed);
        self.from = from;
        while self.open.front().is_some_and(|&open| open + BOUND < from) {
            self.open.pop_front();
        }
        if self.at < from {
            self.at = from;
            self.open.clear();
        }
        let end = from + BOUND;
        while self.at < end && self.closed.front() != Some(&true) {
            let Some(&byte) = text.as_bytes().get(self.at) else {
                return if ended { Ok(false) } else { Err(NeedMore::of(Resume::Delimiter)) };
            };
            meter.count(1);
            self.closed.push_back(false);
            match byte {
                b'{' | b'[' | b'(' => self.open.push_back(self.at),
                b'}' | b']' | b')' => {
                    let partner = self.open.pop_back().filter(|&open| self.at < open + BOUND);
                    let place = partner.and_then(|open| open.checked_sub(from));
                    if let Some(closed) = place.and_then(|place| self.closed.get_mut(place)) {
                        *closed = true;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(self.closed.front() == Some(&true))
    }
}
