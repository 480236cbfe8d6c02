//! What counts as a blank, and what a name is made of.
//!
//! A name begins with a letter, `_` or any character beyond ASCII and goes on with these, digits,
//! `.`, `-` and `:`; a name of digits only is a name too (places of a tuple).

/// XML's white space.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// XML's white space, as a pattern for `str` methods.
pub(crate) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Whether the text holds nothing but white space.
pub(crate) fn is_all_blank(text: &str) -> bool {
    text.bytes().all(is_blank)
}

/// Whether a name may begin with the byte; digits may only begin a name of digits.
pub(crate) const fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether the byte may stand inside a name.
pub(crate) const fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':' | 0x80..)
}

/// Whether the text is a name of an element or attribute.
pub(crate) fn is_name(text: &str) -> bool {
    let Some(&first) = text.as_bytes().first() else { return false };
    if first.is_ascii_digit() {
        return is_digits(text);
    }
    begins_name(first) && text.bytes().all(continues_name)
}

/// Whether the text is a name of digits only.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_or_digits() {
        for name in ["a", "_x", "a:b", "item-1.2", "città", "0", "12"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", "1a", "-a", "a b", ":a", "a>"] {
            assert!(!is_name(text), "{text}");
        }
    }
}
