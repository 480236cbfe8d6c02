//! Text made safe and readable for people.
//!
//! One set of characters is shown as `\u{..}` everywhere: C0 and C1 controls, DEL, line and
//! paragraph separators, bidirectional controls, and characters without a width. Model text is
//! attacker-controlled; these are the ones that move a cursor, reorder a line or hide.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::{self, Write as _};

/// The text with everything that could act on a terminal shown as `\u{..}`, newline and tab apart.
/// Borrows when there is nothing to show.
///
/// A carriage return is shown too, as it would let later text cover earlier text. For display only:
/// a backslash stays as it is, so the result cannot be read back.
///
/// ```
/// use toolweir_segments::escape_terminal;
///
/// assert_eq!(escape_terminal("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
/// assert_eq!(escape_terminal("user\u{202e}txt"), "user\\u{202e}txt");
/// ```
#[must_use]
pub fn escape_terminal(text: &str) -> Cow<'_, str> {
    let acts = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    let Some(first) = text.find(acts) else {
        return Cow::Borrowed(text);
    };
    let (clean, rest) = text.split_at_checked(first).unwrap_or(("", text));
    let mut out = String::with_capacity(text.len().saturating_add(16));
    out.push_str(clean);
    for c in rest.chars() {
        if acts(c) { push_code(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Appends the text in double quotes: `\n`, `\t`, `\"` and `\\` escaped, hidden characters as
/// `\u{..}`. Reversible, and one line.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if is_hidden(c) => push_code(out, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends the text as it is, hidden characters (newline and tab too) as `\u{..}`, so that it is
/// one line.
pub(crate) fn push_bare(out: &mut String, text: &str) {
    for c in text.chars() {
        if is_hidden(c) { push_code(out, c) } else { out.push(c) }
    }
}

/// Appends a name bare when it reads as one word, else in quotes.
pub(crate) fn push_word(out: &mut String, text: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/$@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        out.push_str(text);
    } else {
        push_quoted(out, text);
    }
}

/// Appends formatted text; writing to a `String` cannot fail.
pub(crate) fn push_fmt(out: &mut String, text: fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn push_code(out: &mut String, c: char) {
    push_fmt(out, format_args!("\\u{{{:x}}}", u32::from(c)));
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> String {
        let mut out = String::new();
        push_quoted(&mut out, text);
        out
    }

    #[test]
    fn harmless_text_is_borrowed() {
        assert!(matches!(escape_terminal("a\tb\nc é 漢 🎉"), Cow::Borrowed(_)));
        assert!(matches!(escape_terminal(""), Cow::Borrowed(_)));
    }

    #[test]
    fn controls_are_shown_by_code() {
        assert_eq!(
            escape_terminal("\u{0}\r\u{1b}\u{7f}\u{9b}"),
            "\\u{0}\\u{d}\\u{1b}\\u{7f}\\u{9b}"
        );
        assert_eq!(escape_terminal("é\u{7}é\n"), "é\\u{7}é\n");
    }

    #[test]
    fn reordering_and_widthless_characters_are_shown_by_code() {
        for c in "\u{61c}\u{200b}\u{200d}\u{200e}\u{200f}\u{2028}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{e0041}".chars() {
            let shown = escape_terminal(c.encode_utf8(&mut [0; 4])).into_owned();
            assert_eq!(shown, alloc::format!("\\u{{{:x}}}", u32::from(c)));
        }
    }

    #[test]
    fn quoted_text_is_one_reversible_line() {
        assert_eq!(quoted("a\n\t\"\\\r\u{202e}é"), r#""a\n\t\"\\\u{d}\u{202e}é""#);
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn bare_text_keeps_quotes_and_backslashes_on_one_line() {
        let mut out = String::new();
        push_bare(&mut out, "{\"a\":\n\"\\n\"}");
        assert_eq!(out, "{\"a\":\\u{a}\"\\n\"}");
    }

    #[test]
    fn a_name_that_is_not_one_plain_word_is_quoted() {
        let word = |text| {
            let mut out = String::new();
            push_word(&mut out, text);
            out
        };
        assert_eq!(word("functions.get_weather:0"), "functions.get_weather:0");
        assert_eq!(word("get weather"), "\"get weather\"");
        assert_eq!(word(""), "\"\"");
        assert_eq!(word("gеt"), "\"gеt\"");
    }
}
