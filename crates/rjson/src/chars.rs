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
