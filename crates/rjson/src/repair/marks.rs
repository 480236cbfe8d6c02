//! Characters that mean something to damaged JSON: blanks, commas, closing brackets, quotes.

use crate::chars::is_relaxed_blank;

/// A comma, or what stands for one.
pub(super) fn is_comma(c: char) -> bool {
    matches!(c, ',' | ';' | '，' | '；' | '、')
}

pub(super) fn is_closer(c: char) -> bool {
    matches!(c, '}' | ']' | ')')
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || is_relaxed_blank(c) || is_zero_width(c)
}

/// A blank without width, which even the relaxed grammar does not know.
pub(super) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{180e}')
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// A character of a key without quotes.
pub(super) fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_other_key_char(c)
}

fn is_other_key_char(c: char) -> bool {
    !matches!(c, '"' | '\'' | '`' | '{' | '}' | '[' | ']' | '(' | ')' | ',' | ':' | ';' | '=')
        && !matches!(c, '，' | '：' | '“' | '”' | '‘' | '’')
        && !is_blank(c)
}

/// The bytes at the front, up to so many, that are characters of a key in ASCII and begin no comment
/// either.
pub(super) fn plain_key_length(text: &str, most: usize) -> usize {
    let plain = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'$');
    text.as_bytes().iter().take(most).take_while(plain).count()
}

/// A letter of the prefixes that Python's strings have.
pub(super) fn is_prefix(c: char) -> bool {
    matches!(c, 'u' | 'U' | 'b' | 'B' | 'r' | 'R' | 'f' | 'F')
}

/// The quotes of a string: which one opened it decides which may end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Double,
    Single,
    /// Typographic double quotes.
    Curly,
    /// Typographic single quotes, backtick, acute accent.
    Tick,
}

impl Quotes {
    pub(super) fn open(c: char) -> Option<Self> {
        match c {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '\u{201c}'..='\u{201f}' => Some(Self::Curly),
            '\u{2018}'..='\u{201b}' | '`' | '´' => Some(Self::Tick),
            _ => None,
        }
    }

    /// The bytes of the quote of this kind at a place.
    pub(super) fn width(self, text: &str, at: usize) -> usize {
        let quote = text.get(at..).and_then(|rest| rest.chars().next());
        quote.filter(|&c| self.ends(c)).map_or(0, char::len_utf8)
    }

    pub(super) fn ends(self, c: char) -> bool {
        Self::open(c) == Some(self) || matches!((self, c), (Self::Curly, '"') | (Self::Tick, '\''))
    }
}
