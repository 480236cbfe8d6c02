//! Classes of characters in an expression, as far as it matters to a pattern what they hold.

/// Which characters a class holds, as far as it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `.`: all.
    Any,
    /// Whitespace and nothing else.
    Space,
    /// Digits and nothing else.
    Digits,
    /// These, few.
    Chars(Vec<char>),
    /// Others.
    Other,
}

/// Characters that a class may list and still be alternatives.
const FEW: usize = 8;

impl Class {
    /// That of one character.
    pub(super) fn of(c: char) -> Self {
        if c.is_whitespace() { Self::Space } else { Self::Chars(vec![c]) }
    }

    /// The class that holds what both hold.
    pub(super) fn with(self, more: Self) -> Self {
        match (self, more) {
            (Self::Chars(chars), Self::Chars(more)) if chars.len() + more.len() <= FEW => {
                Self::Chars([chars, more].concat())
            }
            (class @ (Self::Space | Self::Digits), more) if class == more => class,
            _ => Self::Other,
        }
    }
}
