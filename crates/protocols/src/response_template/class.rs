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

/// What stands between the brackets of a class.
#[derive(Debug, Default)]
pub(super) struct Members {
    negated: bool,
    /// Those that stand there themselves.
    chars: Vec<char>,
    spaces: bool,
    digits: bool,
    others: bool,
}

impl Members {
    /// None so far; `negated`: the class holds all but them.
    pub(super) fn new(negated: bool) -> Self {
        Self { negated, ..Self::default() }
    }

    pub(super) fn char(&mut self, c: char) {
        self.chars.push(c);
    }

    /// A class inside the class.
    pub(super) fn class_of(&mut self, class: &Class) {
        match class {
            Class::Space => self.spaces = true,
            Class::Digits => self.digits = true,
            _ => self.others = true,
        }
    }

    /// A range, of the ten digits or others.
    pub(super) fn range(&mut self, digits: bool) {
        self.class_of(if digits { &Class::Digits } else { &Class::Other });
    }

    /// The class that they make.
    pub(super) fn class(self) -> Class {
        let whitespace = self.chars.iter().filter(|c| c.is_whitespace()).count();
        if self.negated || self.others {
            return Class::Other;
        }
        if self.digits {
            return if self.chars.is_empty() && !self.spaces {
                Class::Digits
            } else {
                Class::Other
            };
        }
        if whitespace == self.chars.len() {
            return Class::Space;
        }
        let mixed = whitespace > 0 || self.spaces || self.chars.len() > FEW;
        if mixed { Class::Other } else { Class::Chars(self.chars) }
    }
}
