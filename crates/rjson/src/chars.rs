//! Classes of characters: whitespace, identifiers, line ends.
//!
//! The relaxed grammar asks for the Unicode properties `ID_Start` and `ID_Continue`. The tables we
//! use hold `XID_Start` and `XID_Continue`, which leave out a few characters that change under
//! compatibility normalisation; those are listed here.

/// Whitespace of strict JSON.
pub(crate) const fn is_strict_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Whitespace that only the relaxed grammar has: VT, FF, BOM, line and paragraph separator, Zs.
pub(crate) const fn is_relaxed_whitespace(c: char) -> bool {
    matches!(
        c,
        '\u{b}' | '\u{c}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

/// `id-start` of the relaxed grammar, escapes apart.
pub(crate) fn is_id_start(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '$' | '_')
        || (!c.is_ascii()
            && (unicode_ident::is_xid_start(c)
                || normalises_away(c)
                || matches!(c, '\u{e33}' | '\u{eb3}' | '\u{ff9e}' | '\u{ff9f}')))
}

/// `id-part` of the relaxed grammar, escapes apart.
pub(crate) fn is_id_part(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '$' | '_')
        || (!c.is_ascii()
            && (unicode_ident::is_xid_continue(c)
                || normalises_away(c)
                || matches!(c, '\u{200c}' | '\u{200d}')))
}

/// In `ID_Start` and `ID_Continue`, but in neither of the X tables.
const fn normalises_away(c: char) -> bool {
    matches!(
        c,
        '\u{37a}' | '\u{309b}' | '\u{309c}' | '\u{fc5e}'
            ..='\u{fc63}'
                | '\u{fdfa}'
                | '\u{fdfb}'
                | '\u{fe70}'
                | '\u{fe72}'
                | '\u{fe74}'
                | '\u{fe76}'
                | '\u{fe78}'
                | '\u{fe7a}'
                | '\u{fe7c}'
                | '\u{fe7e}'
    )
}

/// The largest char boundary of `text` that is not above `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A comma, or what stands for one.
pub(crate) fn is_comma(c: char) -> bool {
    matches!(c, ',' | ';' | '，' | '；' | '、')
}

/// Whether a character may stand after a string whose closing quote is missing.
///
/// ```
/// assert!(toolweir_rjson::may_follow_string('}') && !toolweir_rjson::may_follow_string('"'));
/// ```
#[must_use]
pub const fn may_follow_string(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | ',' | '}' | ']')
}

pub(crate) fn is_closing(c: char) -> bool {
    matches!(c, '}' | ']' | ')')
}

pub(crate) fn is_repair_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || is_relaxed_whitespace(c) || is_zero_width(c)
}

/// Whitespace without width, which even the relaxed grammar does not know.
pub(crate) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{180e}')
}

pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// A character of a key without quotes.
pub(crate) fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_other_key_char(c)
}

fn is_other_key_char(c: char) -> bool {
    !matches!(c, '"' | '\'' | '`' | '{' | '}' | '[' | ']' | '(' | ')' | ',' | ':' | ';' | '=')
        && !matches!(c, '，' | '：' | '“' | '”' | '‘' | '’')
        && !is_repair_whitespace(c)
}

/// The bytes at the front, up to so many, that are characters of a key in ASCII and begin no comment
/// either.
pub(crate) fn plain_key_length(text: &str, most: usize) -> usize {
    let plain = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'$');
    text.as_bytes().iter().take(most).take_while(plain).count()
}

/// A letter of the prefixes that Python's strings have.
pub(crate) fn is_prefix(c: char) -> bool {
    matches!(c, 'u' | 'U' | 'b' | 'B' | 'r' | 'R' | 'f' | 'F')
}

/// The quotes of a string: which one opened it decides which may end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    Double,
    Single,
    /// Typographic double quotes.
    Curly,
    /// Typographic single quotes, backtick, acute accent.
    Tick,
}

impl Quotes {
    pub(crate) fn open(c: char) -> Option<Self> {
        match c {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '\u{201c}'..='\u{201f}' => Some(Self::Curly),
            '\u{2018}'..='\u{201b}' | '`' | '´' => Some(Self::Tick),
            _ => None,
        }
    }

    /// The bytes of the quote of this kind at a place.
    pub(crate) fn width(self, text: &str, at: usize) -> usize {
        let quote = text.get(at..).and_then(|rest| rest.chars().next());
        quote.filter(|&c| self.ends(c)).map_or(0, char::len_utf8)
    }

    pub(crate) fn ends(self, c: char) -> bool {
        Self::open(c) == Some(self) || matches!((self, c), (Self::Curly, '"') | (Self::Tick, '\''))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_take_letters_of_every_script_and_joiners_inside_only() {
        for c in ['a', 'Z', '$', '_', 'ù', '日', '\u{37a}', '\u{e33}', 'ª'] {
            assert!(is_id_start(c) && is_id_part(c), "{c:?}");
        }
        for c in ['0', '\u{301}', '\u{200c}', '\u{200d}', '‿'] {
            assert!(!is_id_start(c) && is_id_part(c), "{c:?}");
        }
        for c in ['-', '.', ' ', '\\', '\u{2e2f}', '→', '“'] {
            assert!(!is_id_start(c) && !is_id_part(c), "{c:?}");
        }
    }

    #[test]
    fn every_space_separator_is_a_relaxed_blank() {
        let count = ('\0'..=char::MAX).filter(|&c| is_relaxed_whitespace(c)).count();
        // Sixteen space separators beside U+0020, and VT, FF, U+2028, U+2029, U+FEFF.
        assert_eq!(count, 16 + 5);
        assert!(!is_relaxed_whitespace('\u{200b}') && !is_relaxed_whitespace('\u{180e}'));
    }

    #[test]
    fn boundaries_round_down() {
        assert_eq!([0, 1, 2, 3, 9].map(|at| floor_boundary("aé!", at)), [0, 1, 1, 3, 4]);
    }
}
