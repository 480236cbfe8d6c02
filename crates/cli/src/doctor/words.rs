//! Words that say nothing in place of words that do.
//!
//! Invariants: a word stands for the same word everywhere, and two words of one shape for two (as long as
//! there are enough of that shape); letters stay letters of their case, digits digits, 0 stays 0, and all of
//! them as many bytes as before. Words of the formats and wires stay, and so does what is no word: spaces,
//! quotes, brackets, escapes, entities.

use std::collections::{BTreeMap, BTreeSet};

use toolweir::Registry;
use toolweir::protocols::FAMILIES;
use toolweir::protocols::formats::specs;

/// Words that formats, wires, JSON, Python and JSON Schema give a meaning, beside those of the patterns.
const KNOWN: &str = "true false null None True False undefined NaN Infinity nan inf \
    name names arguments argument parameters parameter params args input type types id ids tool tools \
    function functions call calls kwargs invoke call_id recipient channel commentary analysis final json \
    user assistant system developer role content text reasoning thinking think thought \
    write file patch run bash path command background begin end start update add delete move to \
    string number integer boolean object array items properties required enum const default format \
    description title minimum maximum pattern anyOf oneOf allOf additionalProperties strict \
    data event choices choice delta index finish reason stop length error message messages model usage \
    created object status output refusal partial_json tool_use tool_calls response completed done \
    lt gt amp quot apos CDATA cdata xml DOCTYPE";

/// What stands for which word.
#[derive(Debug, Default)]
pub(super) struct Words {
    known: BTreeSet<String>,
    stands_for: BTreeMap<String, String>,
    /// How many words of each shape there are.
    counts: BTreeMap<String, u64>,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'t> {
    /// To be kept.
    Plain(&'t str),
    Word(&'t str),
}

impl Words {
    /// With the words of all formats, and those of `more`.
    pub(super) fn new<'t>(registry: &Registry, more: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        words.keep(KNOWN);
        more.into_iter().for_each(|text| words.keep(text));
        for spec in specs() {
            spec.call.iter().for_each(|call| words.keep(&call.pattern));
            spec.wrap.iter().for_each(|wrap| words.keep(wrap));
        }
        for family in FAMILIES {
            words.keep(family.name);
        }
        for name in registry.names() {
            let markers = registry.get(name).map(|found| found.special_markers());
            markers.unwrap_or_default().iter().for_each(|marker| words.keep(marker));
        }
        words
    }

    fn keep(&mut self, text: &str) {
        for piece in pieces(text) {
            if let Piece::Word(word) = piece {
                self.known.insert(word.to_owned());
            }
        }
    }

    /// Learns the words of a text.
    pub(super) fn learn(&mut self, text: &str) {
        for piece in pieces(text) {
            let Piece::Word(word) = piece else { continue };
            if self.known.contains(word) || self.stands_for.contains_key(word) {
                continue;
            }
            let shape: String = word.chars().map(class).collect();
            let count = self.counts.entry(shape).or_default();
            let other = loop {
                let other = made(word, *count);
                *count += 1;
                if !self.known.contains(&other) {
                    break other;
                }
            };
            self.stands_for.insert(word.to_owned(), other);
        }
    }

    /// All words that something stands for, in order.
    pub(super) fn learned(&self) -> Vec<&str> {
        self.stands_for.keys().map(String::as_str).collect()
    }

    /// The text in other words, but for those to be kept: as many bytes, character by character.
    pub(super) fn redacted(&self, text: &str, kept: &BTreeSet<&str>) -> String {
        let mut out = String::with_capacity(text.len());
        for piece in pieces(text) {
            out.push_str(match piece {
                Piece::Plain(plain) => plain,
                Piece::Word(word) if kept.contains(word) => word,
                Piece::Word(word) => self.stands_for.get(word).map_or(word, String::as_str),
            });
        }
        out
    }
}

/// Letters and digits in runs, and what stands between them.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (end, word) = match first {
            '\\' => (escape(rest), false),
            '&' => (entity(rest), false),
            c if c.is_alphanumeric() => (run(rest), true),
            c => (c.len_utf8(), false),
        };
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(if word { Piece::Word(piece) } else { Piece::Plain(piece) })
    })
}

/// The end of a run of letters and digits.
fn run(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())
}

/// The end of a backslash and what it escapes.
fn escape(text: &str) -> usize {
    let Some(next) = text.chars().nth(1) else { return text.len() };
    let hex = text.get(2..6).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if next == 'u' && hex.is_some() { 6 } else { 1 + next.len_utf8() }
}

/// The end of an entity, else of the ampersand.
fn entity(text: &str) -> usize {
    let name = text.get(1..).unwrap_or_default();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(0);
    let is_entity = end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with(';'));
    if is_entity { end + 2 } else { 1 }
}

/// What a character has to stay.
fn class(c: char) -> char {
    match c {
        '0' => '0',
        '1'..='9' => '9',
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        c => match (c.len_utf8(), c.is_uppercase()) {
            (2, false) => 'é',
            (2, true) => 'É',
            (3, _) => '字',
            _ => '𠀀',
        },
    }
}

/// What may stand for characters of a class.
const fn alphabet(class: char) -> &'static str {
    match class {
        '0' => "0",
        '9' => "123456789",
        'a' => "xyzabcdfghijklmnopqrstuvwe",
        'A' => "XYZABCDFGHIJKLMNOPQRSTUVWE",
        'é' => "éüøñåžčő",
        'É' => "ÉÜØÑÅŽČŐ",
        '字' => "字文語書見山川水",
        _ => "𠀀𠀁𠀂𠀃",
    }
}

/// A word of that shape: another one for each number. The `e` of a number stays, so that it is one.
fn made(word: &str, mut number: u64) -> String {
    let is_number = word.chars().all(|c| c.is_ascii_digit() || c == 'e' || c == 'E')
        && word.starts_with(|c: char| c.is_ascii_digit());
    let mut made: Vec<char> = Vec::new();
    for c in word.chars().rev() {
        if is_number && !c.is_ascii_digit() {
            made.push(c);
            continue;
        }
        let letters: Vec<char> = alphabet(class(c)).chars().collect();
        let many = letters.len() as u64;
        let at = usize::try_from(number % many).unwrap_or_default();
        made.push(letters.get(at).copied().unwrap_or(c));
        number /= many;
    }
    made.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        let mut words = Words::new(&Registry::builtin(), []);
        words.learn(text);
        words.redacted(text, &BTreeSet::new())
    }

    #[test]
    fn words_lose_their_meaning_and_keep_their_shape() {
        assert_eq!(redacted("Oslo is Oslo, Bern is not."), "Xxxx xx Xxxx, Xxxy xx xxx.");
        assert_eq!(
            redacted("{\"city\": \"Oslo\", \"days\": 30}"),
            "{\"xxxx\": \"Xxxx\", \"xxxy\": 10}"
        );
        assert_eq!(
            redacted("ñandú 東京 1.5e10"),
            "éxxxü 字文 1.1e10".replace("éxxxü 字文", &redacted("ñandú 東京"))
        );
        assert_eq!(
            redacted("<tool_call>\n{\"name\": \"dice\"}"),
            "<tool_call>\n{\"name\": \"xxxx\"}"
        );
        assert_eq!(redacted(r"a\nb \u00e9 &lt;x&#65; A&B"), r"x\ny \u00e9 &lt;z&#65; X&Y");
    }

    #[test]
    fn bytes_and_characters_are_as_many_as_before() {
        for text in ["", "a", "é🌊x 007", "Ünïcödé ß ﬁ 漢字 𝒳", "A1b2C3"] {
            let other = redacted(text);
            let lengths = |text: &str| text.chars().map(char::len_utf8).collect::<Vec<_>>();
            assert_eq!(lengths(text), lengths(&other), "{text} {other}");
        }
    }

    #[test]
    fn two_words_stay_two() {
        let text: String = (0..600).map(|n| format!("w{n:03} ")).collect();
        let other = redacted(&text);
        let distinct: BTreeSet<&str> = other.split_whitespace().collect();
        assert_eq!(distinct.len(), 600);
        let words = Words::new(&Registry::builtin(), ["own marker"]);
        assert_eq!(words.redacted("own marker", &BTreeSet::new()), "own marker");
    }
}
