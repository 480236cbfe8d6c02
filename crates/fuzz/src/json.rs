//! JSON text, valid, relaxed and broken.

use crate::Source;

/// How far a text may stray from strict JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// Strict JSON.
    Strict,
    /// Spellings of the relaxed grammar among it.
    Relaxed,
    /// Anything.
    Broken,
}

const KEYS: &[&str] = &["a", "b", "n", "pattern", "list", "name", "__proto__", "ä", "a b", ""];
const PLAIN: &[&str] = &[
    "",
    "x",
    "red",
    "8",
    "null",
    "\\n",
    "\\\"",
    "\\u003c",
    "\\ud83c\\udf0a",
    "äöü",
    "🌊",
    "\\\\",
    "</",
    "{",
    "}]",
    ", ",
    "\\/",
    "\u{7f}",
    "\u{2028}",
    "true",
    "\u{0}x",
    "  ",
];
const LOOSE: &[&str] = &["\n", "\t", "\\\n", "\\x41", "\\v", "'", "\\'", "\\0", "\r\n"];
const BROKEN: &[&str] = &["\u{1}", "\\q", "\\u12", "\\ud800", "\"", "\\"];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "42",
    "1.5",
    "-0",
    "1e2",
    "1E+2",
    "0.10",
    "1e400",
    "-0.0",
    "3.0",
    "123456789012345678901234567890",
    "9007199254740993",
    "1e-7",
];
const LOOSE_NUMBERS: &[&str] =
    &["+3", ".5", "4.", "0x2A", "NaN", "-Infinity", "Infinity", "undefined", "+.5e1"];
const BROKEN_NUMBERS: &[&str] = &["007", "1e", "-", "1..2", "0x", "yes", "--1", "1_000", "nul"];
const BLANKS: &[&str] = &["", " ", "\n", "  ", "\t", "\r\n"];
const LOOSE_BLANKS: &[&str] = &["/* c */", " // c\n", " # c\n", "\u{a0}", "\u{feff}", "\u{b}"];

/// A value as text. `words` are put into strings now and then: markers, mostly.
pub fn value(source: &mut Source<'_>, style: Style, words: &[String], depth: usize) -> String {
    let mut out = String::new();
    push_value(source, style, words, depth, &mut out);
    out
}

/// An object as text.
pub fn object(source: &mut Source<'_>, style: Style, words: &[String], depth: usize) -> String {
    let mut out = String::new();
    push_object(source, style, words, depth, &mut out);
    out
}

/// A string as text, with its quotes.
pub fn string(source: &mut Source<'_>, style: Style, words: &[String]) -> String {
    let mut out = String::new();
    push_string(source, style, words, &mut out);
    out
}

fn loose(source: &mut Source<'_>, style: Style) -> bool {
    style >= Style::Relaxed && source.one_in(6)
}

fn broken(source: &mut Source<'_>, style: Style) -> bool {
    style == Style::Broken && source.one_in(12)
}

fn push_value(
    source: &mut Source<'_>,
    style: Style,
    words: &[String],
    depth: usize,
    out: &mut String,
) {
    match source.below(if depth == 0 { 5 } else { 9 }) {
        0 | 1 => push_string(source, style, words, out),
        2 | 3 if broken(source, style) => out.push_str(source.word(BROKEN_NUMBERS)),
        2 | 3 if loose(source, style) => out.push_str(source.word(LOOSE_NUMBERS)),
        2 | 3 => out.push_str(source.word(NUMBERS)),
        4 if loose(source, style) => out.push_str(source.word(&["True", "False", "None"])),
        4 => out.push_str(source.word(&["null", "true", "false"])),
        5 | 6 => push_object(source, style, words, depth - 1, out),
        _ => push_array(source, style, words, depth - 1, out),
    }
}

fn push_blank(source: &mut Source<'_>, style: Style, out: &mut String) {
    if loose(source, style) {
        out.push_str(source.word(LOOSE_BLANKS));
    } else {
        out.push_str(source.word(BLANKS));
    }
}

fn push_string(source: &mut Source<'_>, style: Style, words: &[String], out: &mut String) {
    let quote = if loose(source, style) { '\'' } else { '"' };
    out.push(quote);
    for _ in 0..source.below(4) {
        let word = source.below(6);
        if word == 0 && !words.is_empty() {
            out.push_str(&escaped(source.word(words)));
        } else if broken(source, style) {
            out.push_str(source.word(BROKEN));
        } else if loose(source, style) {
            let piece = source.word(LOOSE);
            if piece != "'" || quote == '"' {
                out.push_str(piece);
            }
        } else {
            out.push_str(&source.word(PLAIN).replace('\u{0}', "\\u0000"));
        }
    }
    if !broken(source, style) {
        out.push(quote);
    }
}

/// The text with what a JSON string must escape.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().replace('\'', "\\u0027")
}

fn push_object(
    source: &mut Source<'_>,
    style: Style,
    words: &[String],
    depth: usize,
    out: &mut String,
) {
    out.push('{');
    push_blank(source, style, out);
    let members = source.below(4);
    for number in 0..members {
        if loose(source, style) {
            out.push_str(source.word(&["a", "$b", "_c", "'b'", "n"]));
        } else {
            out.push('"');
            out.push_str(source.word(KEYS));
            out.push('"');
        }
        push_blank(source, style, out);
        out.push_str(if broken(source, style) { "" } else { ":" });
        push_blank(source, style, out);
        push_value(source, style, words, depth, out);
        push_blank(source, style, out);
        push_comma(source, style, number + 1 == members, out);
    }
    out.push_str(if broken(source, style) { "" } else { "}" });
}

fn push_array(
    source: &mut Source<'_>,
    style: Style,
    words: &[String],
    depth: usize,
    out: &mut String,
) {
    out.push('[');
    push_blank(source, style, out);
    let entries = source.below(4);
    for number in 0..entries {
        push_value(source, style, words, depth, out);
        push_blank(source, style, out);
        push_comma(source, style, number + 1 == entries, out);
    }
    out.push_str(if broken(source, style) { "}" } else { "]" });
}

fn push_comma(source: &mut Source<'_>, style: Style, last: bool, out: &mut String) {
    let comma = if last { loose(source, style) } else { !broken(source, style) };
    if comma {
        out.push(',');
        push_blank(source, style, out);
    }
}
