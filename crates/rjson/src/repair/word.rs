//! Words: how far one reaches, and which value it is.

use alloc::string::String;

use super::resume::{Meter, Resume};
use super::whitespace::{Quotes, is_closer, is_comma, is_whitespace};
use super::{Halt, Repair};
use crate::diagnostic::Code;
use crate::machine::Kind;
use crate::number::{MAX_DIGITS, Numeral, is_json, respell};

/// A word that is a value.
#[derive(Debug, Clone)]
pub(super) enum Word {
    /// A number, and how strict JSON spells it where that is another way.
    Number {
        respelled: Option<String>,
    },
    Literal {
        kind: Kind<'static>,
        respelled: bool,
    },
    /// `NaN`, `Infinity` or `undefined`, as a string spells it.
    NonFinite {
        text: &'static str,
    },
    /// A repaired word: its value, the text of a number, and the note of the rule.
    Repaired {
        wire: String,
        kind: Kind<'static>,
        note: Code,
    },
    /// Digits with a leading zero, which stay text.
    Zeros,
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
    let literal = |kind, respelled| Some(Word::Literal { kind, respelled });
    match word {
        "true" | "True" => return literal(Kind::True, word != "true"),
        "false" | "False" => return literal(Kind::False, word != "false"),
        "null" | "None" => return literal(Kind::Null, word != "null"),
        "undefined" => return Some(Word::NonFinite { text: "undefined" }),
        "NaN" | "+NaN" | "-NaN" => return Some(Word::NonFinite { text: "NaN" }),
        "Infinity" | "+Infinity" => return Some(Word::NonFinite { text: "Infinity" }),
        "-Infinity" => return Some(Word::NonFinite { text: "-Infinity" }),
        _ => {}
    }
    if is_number(word, meter) {
        return Some(Word::Number { respelled: respelled(word) });
    }
    for (text, kind) in
        [("true", Kind::True), ("false", Kind::False), ("null", Kind::Null), ("none", Kind::Null)]
    {
        if word.eq_ignore_ascii_case(text) {
            let note = Code::KeywordCase;
            return Some(Word::Repaired { wire: String::new(), kind, note });
        }
    }
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Word::Zeros);
    }
    if let Some(wire) = separated(word, meter) {
        let note = Code::DigitSeparators;
        return Some(Word::Repaired { wire, kind: Kind::Number, note });
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
    let mut found = false;
    for (at, _) in word.match_indices('_') {
        let digit =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        if !digit(at.checked_sub(1)) || !digit(Some(at + 1)) {
            return None;
        }
        found = true;
    }
    if !found {
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
    Some(Word::Repaired { wire, kind: Kind::Number, note: Code::CutValue })
}

/// What a word that the end of the input cut is.
pub(super) fn classify_cut(word: &str) -> Option<Word> {
    let note = Code::CutValue;
    for (text, kind) in [
        ("true", Kind::True),
        ("false", Kind::False),
        ("null", Kind::Null),
        ("True", Kind::True),
        ("False", Kind::False),
        ("None", Kind::Null),
    ] {
        if text.len() > word.len() && text.starts_with(word) {
            return Some(Word::Repaired { wire: String::new(), kind, note });
        }
    }
    if matches!(word, "-" | "+") {
        let note = Code::MissingValue;
        return Some(Word::Repaired { wire: String::new(), kind: Kind::Null, note });
    }
    None
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
            let mark = is_comma(c) || is_closer(c) || matches!(c, '{' | '[' | '(' | '"' | '\'');
            if comment || mark || is_whitespace(c) || Quotes::open(c).is_some() {
                return Ok(Some(at));
            }
            match c {
                '<' => scan.angle = Some(at),
                '>' => scan.angle = None,
                _ => {}
            }
            scan.at += c.len_utf8();
        }
        if !self.ended {
            return Err(Halt::until(Resume::Fresh));
        }
        Ok(Some(rest.len()).filter(|&length| length <= self.options.max_held_bytes))
    }
}
