//! What a word without quotes is: a number, a literal, or neither.

use alloc::string::{String, ToString};

use crate::error::Diagnostic;
use crate::machine::Kind;
use crate::number::{MAX_HEX, needs_respelling, respell};

/// A word that is a value.
#[derive(Debug, Clone)]
pub(super) enum Word {
    /// A number, as strict JSON spells it.
    Number {
        wire: String,
        respelled: bool,
    },
    Literal {
        kind: Kind<'static>,
        respelled: bool,
    },
    /// `NaN`, `Infinity` or `undefined`, as a string spells it.
    NonFinite {
        text: &'static str,
    },
    /// A repaired word: its value, and the note of the rule.
    Repaired {
        wire: String,
        kind: Kind<'static>,
        note: fn(u64, u64) -> Diagnostic,
    },
    /// Digits with a leading zero, which stay text.
    Zeros,
}

/// The length of the relaxed number at the front; none if there is no complete one.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits =
        |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if let (Some(b'0'), Some(b'x' | b'X')) = (bytes.get(at), bytes.get(at + 1)) {
        let hex = bytes.iter().skip(at + 2).take_while(|byte| byte.is_ascii_hexdigit()).count();
        return (1..=MAX_HEX).contains(&hex).then_some(at + 2 + hex);
    }
    let int = digits(at);
    if int > 1 && bytes.get(at) == Some(&b'0') {
        return None;
    }
    at += int;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if int + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        at += exponent;
        if exponent == 0 {
            return None;
        }
    }
    Some(at)
}

fn is_number(word: &str) -> bool {
    number_length(word.as_bytes()) == Some(word.len())
}

fn spell(word: &str) -> Word {
    let respelled = needs_respelling(word);
    let mut wire = String::new();
    if respelled {
        respell(word, &mut wire);
    } else {
        wire.push_str(word);
    }
    Word::Number { wire, respelled }
}

/// What a whole word is.
pub(super) fn classify(word: &str) -> Option<Word> {
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
    if is_number(word) {
        return Some(spell(word));
    }
    for (text, kind) in
        [("true", Kind::True), ("false", Kind::False), ("null", Kind::Null), ("none", Kind::Null)]
    {
        if word.eq_ignore_ascii_case(text) {
            let wire = if text == "none" { "null" } else { text }.to_string();
            return Some(Word::Repaired { wire, kind, note: Diagnostic::keyword_case });
        }
    }
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Word::Zeros);
    }
    if let Some(wire) = separated(word) {
        let note = Diagnostic::digit_separators;
        return Some(Word::Repaired { wire, kind: Kind::Number, note });
    }
    without_exponent(word)
}

/// A number with `_` between digits, without them.
fn separated(word: &str) -> Option<String> {
    let bytes = word.as_bytes();
    let mut found = false;
    for (at, _) in word.match_indices('_') {
        let digit =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        if !digit(at.checked_sub(1)) || !digit(Some(at + 1)) {
            return None;
        }
        found = true;
    }
    let plain = word.replace('_', "");
    match (found && is_number(&plain)).then(|| spell(&plain))? {
        Word::Number { wire, .. } => Some(wire),
        _ => None,
    }
}

/// A number whose exponent has no digits, without it.
fn without_exponent(word: &str) -> Option<Word> {
    let plain = word.strip_suffix(['+', '-']).unwrap_or(word).strip_suffix(['e', 'E'])?;
    let plain = plain.strip_suffix('.').unwrap_or(plain);
    let wire = match is_number(plain).then(|| spell(plain))? {
        Word::Number { wire, .. } => wire,
        _ => return None,
    };
    Some(Word::Repaired { wire, kind: Kind::Number, note: Diagnostic::cut_value })
}

/// What a word that the end of the input cut is.
pub(super) fn classify_cut(word: &str) -> Option<Word> {
    let note = Diagnostic::cut_value;
    for (text, kind) in [
        ("true", Kind::True),
        ("false", Kind::False),
        ("null", Kind::Null),
        ("True", Kind::True),
        ("False", Kind::False),
        ("None", Kind::Null),
    ] {
        if text.len() > word.len() && text.starts_with(word) {
            let wire = match kind {
                Kind::True => "true",
                Kind::False => "false",
                _ => "null",
            };
            return Some(Word::Repaired { wire: wire.to_string(), kind, note });
        }
    }
    if matches!(word, "-" | "+") {
        let note = Diagnostic::missing_value;
        return Some(Word::Repaired { wire: "null".to_string(), kind: Kind::Null, note });
    }
    None
}
